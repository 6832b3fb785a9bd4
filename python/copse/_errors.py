"""Errors and warnings: what the library says, in Python's spelling."""

import re

from . import _core


class CopseError(Exception):
    """An error of the library.

    Attributes
    ----------
    what : str
        What the error is about: "option", "column", "argument", or "" if it is about nothing of these.
    name : str
        The name of that option, column or argument.
    row, column : int or None
        The place in a file, from 1.
    """

    what: str = ""
    name: str = ""
    row = None
    column = None


class UsageError(CopseError, ValueError):
    """An argument or option that is not possible."""


class DataError(CopseError, ValueError):
    """The data are not what they should be."""


class ModelError(CopseError, ValueError):
    """Not a model, or a damaged one."""


class FileError(CopseError, OSError):
    """The operating system refused: path, permission, disk."""


class ConvergenceError(CopseError, RuntimeError):
    """A sampler has not converged."""


class InternalError(CopseError, RuntimeError):
    """A bug in copse: please report it."""


class CopseWarning(UserWarning):
    """What the library found worth a warning."""


class ConvergenceWarning(CopseWarning):
    """A sampler has not converged: the message says what to do."""


_KINDS = {1: InternalError, 2: UsageError, 3: DataError, 4: ModelError, 5: FileError, 6: ConvergenceError}
_ABOUT = {0: "", 1: "argument", 2: "option", 3: "column"}

# Options that have another name here: `lambda` is a keyword, warm_start is scikit-learn's, the others are its usual words.
RENAMED = {"lambda": "lam", "warm-start": "start", "seed": "random_state", "threads": "n_jobs"}


def python_name(option: str) -> str:
    """The name of an option of the library as a Python parameter: min-leaf is min_leaf."""
    return RENAMED.get(option, option.replace("-", "_"))


def _respell(found: "re.Match[str]") -> str:
    value = found.group(2)
    return f"`{python_name(found.group(1))}={value[1:] if value else ''}`"


def in_python(text: str) -> str:
    """A message with its options as Python spells them: `min-leaf` becomes `min_leaf=`."""
    return re.sub(r"`([a-z][a-z0-9-]*)(=[^`]*)?`", _respell, text)


def make_error(code: int, what: int, name: str, row: int, column: int, message: str) -> BaseException:
    """The exception of an error of the library; the extension calls it."""
    if code == 8:
        return KeyboardInterrupt(message)
    error = _KINDS.get(code, InternalError)(in_python(message))
    error.what = _ABOUT.get(what, "")
    error.name = python_name(name) if error.what == "option" else name
    error.row, error.column = row or None, column or None
    return error


_core.set_error_maker(make_error)
