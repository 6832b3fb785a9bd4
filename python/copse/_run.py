"""How calls of the library run: threads, Ctrl-C, warnings, progress."""

import os
import sys
import threading
import warnings
from contextlib import contextmanager

from . import _errors

_WARNING = 1  # the level of the library's warnings; 0 is information
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def threads_of(n_jobs):
    """The number of threads for scikit-learn's n_jobs: None is all that the process may use, -1 too."""
    if n_jobs is None:
        return 0
    if isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0:
        raise ValueError(f"n_jobs={n_jobs!r} is not possible: give a number of threads, -1 for all, or None")
    if n_jobs < 0:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return max(1, cores + 1 + int(n_jobs))
    return int(n_jobs)


class _Progress:
    """Progress of one call: a tqdm bar where tqdm is installed, else a line on the standard error."""

    def __init__(self):
        self.bar = None
        self.shown = None

    def __call__(self, what, done, total):
        try:
            from tqdm.auto import tqdm
        except ImportError:
            percent = int(100 * done / total) if total else int(done)
            if percent != self.shown:
                sys.stderr.write(f"\r{what} {percent}{'%' if total else ''} ")
                self.shown = percent
            return
        if self.bar is None:
            self.bar = tqdm(total=total or None, desc=what, leave=False)
        if self.bar.desc != what + ": ":
            self.bar.set_description(what)
        self.bar.total = total or None
        self.bar.n = done
        self.bar.refresh()

    def close(self):
        if self.bar is not None:
            self.bar.close()
        elif self.shown is not None:
            sys.stderr.write("\n")


def _level_of_caller():
    """The stack level of the first caller outside of this package, so that warnings point at the user's line."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


@contextmanager
def running(n_jobs=None, verbose=0):
    """The `run` argument of the extension's functions.  Warnings are issued when the call has ended."""
    found = []
    progress = _Progress() if verbose else None

    def log(level, text):
        if level == _WARNING:
            found.append(_errors.in_python(text))
        elif verbose > 1:
            print(_errors.in_python(text), file=sys.stderr)

    # Python runs signal handlers in its main thread alone: other threads need not ask for them.
    poll = threading.current_thread() is threading.main_thread()
    try:
        yield (threads_of(n_jobs), poll, log, progress)
    finally:
        if progress is not None:
            progress.close()
    for text in found:
        warn(text)


def warn(text, kind=_errors.CopseWarning):
    """Issues a warning that points at the user's line."""
    warnings.warn(text, kind, stacklevel=_level_of_caller())
