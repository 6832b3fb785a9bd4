"""Bayesian optimisation: where to evaluate a costly function next.  The surrogate is a Mondrian forest."""

import math
import os
from dataclasses import dataclass

import numpy as np

from . import _core
from ._distribution import seed_of
from ._errors import UsageError
from ._run import running
from ._table import _label_text

_REAL, _INTEGER, _CATEGORY = 0, 1, 2
_STATES = ("asked", "told", "failed")


@dataclass(frozen=True)
class Trial:
    """A point to evaluate, or evaluated.

    Attributes
    ----------
    id : int
        From 1, in the order of asking.
    params : dict
        A value for each dimension.
    state : str
        "asked", "told" or "failed".
    value : float
        What was told; NaN before.
    """

    id: int
    params: dict
    state: str
    value: float


def _dim(name, space):
    """(dimension of the library, values of its levels or None) for what the user gives."""
    if isinstance(space, tuple):
        log = len(space) == 3 and space[2] == "log"
        if len(space) not in (2, 3) or (len(space) == 3 and not log) or not space[0] < space[1]:
            raise UsageError(f"space[{name!r}]={space!r}: give (low, high), (low, high, 'log') or a list of values")
        whole = all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) for v in space[:2])
        return (name, _INTEGER if whole else _REAL, float(space[0]), float(space[1]), log, []), None
    if isinstance(space, range):
        space = list(space)
    if not isinstance(space, list) or not space:
        raise UsageError(f"space[{name!r}]={space!r}: give (low, high), (low, high, 'log') or a list of values")
    levels = [_label_text(value) for value in space]
    if len(set(levels)) < len(levels):
        levels = [f"{i}: {level}" for i, level in enumerate(levels)]
    return (name, _CATEGORY, 0.0, float(len(levels) - 1), False, levels), list(space)


class Study:
    """An optimisation: ask where to evaluate, tell the value there.

    Parameters
    ----------
    space : dict
        For each dimension: (low, high), integers if both are, (low, high, "log"), or a list of categories.
    minimise : bool
        Else the largest value is looked for.
    path : str or path, optional
        Keeps the study in a file, which several processes may use at once.
    acquisition : {"ucb", "ei", "thompson", "random"}
    kappa : float
        ucb: how many standard deviations the bound is above the mean.
    trees, initial : int
        Trees of the surrogate; points of the space-filling design at the beginning.  0: the library's choice.
    random_state : int, RandomState or None

    Examples
    --------
    >>> import copse
    >>> study = copse.Study({"x": (-2.0, 2.0), "kind": ["a", "b"]}, random_state=0)
    >>> best = study.optimize(lambda x, kind: (x - 1) ** 2 + (kind == "b"), n_trials=30)
    >>> best.params["kind"], bool(abs(best.params["x"] - 1) < 0.3)
    ('a', True)
    """

    def __init__(self, space, *, minimise=True, path=None, acquisition="ucb", kappa=0.0, trees=0, initial=0,
                 random_state=None):
        dims = [_dim(name, part) for name, part in space.items()]
        with running() as run:
            core = _core.study_new(None if path is None else os.fspath(path), [dim for dim, _ in dims], bool(minimise),
                                   acquisition, float(kappa), int(trees), int(initial), seed_of(random_state), run)
        self._set(core, [values for _, values in dims])

    def _set(self, core, values):
        self._core = core
        self._dims = core.dims()
        self._values = values

    @classmethod
    def open(cls, path):
        """Opens the study of a file.  Categories are then text."""
        with running() as run:
            core = _core.study_open(os.fspath(path), run)
        made = cls.__new__(cls)
        made._set(core, [dim[5] or None for dim in core.dims()])
        return made

    @property
    def minimise(self):
        """Is the smallest value looked for?"""
        return self._core.minimise

    def _params(self, x):
        params = {}
        for (name, kind, *_), values, number in zip(self._dims, self._values, x):
            if kind == _CATEGORY:
                params[name] = values[int(number)]
            else:
                params[name] = int(number) if kind == _INTEGER else number
        return params

    def _point(self, params):
        missing = [dim[0] for dim in self._dims if dim[0] not in params]
        if missing or len(params) != len(self._dims):
            raise UsageError(f"params={params!r}: give a value for each of {', '.join(dim[0] for dim in self._dims)}")
        x = []
        for (name, kind, *_), values in zip(self._dims, self._values):
            if kind == _CATEGORY and params[name] not in values:
                raise UsageError(f"params[{name!r}]={params[name]!r} is none of {values}")
            x.append(float(values.index(params[name]) if kind == _CATEGORY else params[name]))
        return np.array(x)

    def _trial(self, tuple_):
        number, x, state, value = tuple_
        return Trial(number, self._params(x), _STATES[state], value)

    def ask(self):
        """The next point to evaluate: a Trial.  Any number may be asked for before the first value is told."""
        with running() as run:
            return self._trial(self._core.ask(run))

    def tell(self, trial, value):
        """Tells the value at the point of a trial (or of its id); None or NaN: the evaluation failed."""
        number = trial.id if isinstance(trial, Trial) else int(trial)
        with running() as run:
            self._core.tell(number, math.nan if value is None else float(value), run)

    def add(self, params, value):
        """Tells the value at a point that was not asked for: a Trial."""
        with running() as run:
            return self._trial(self._core.add(self._point(params), float(value), run))

    def refresh(self):
        """Reads what other processes have told."""
        with running() as run:
            self._core.look(run)

    def optimize(self, objective, n_trials=100, *, catch=()):
        """Evaluates objective(**params) n_trials times; exceptions of the types `catch` are failed trials.

        Returns
        -------
        Trial
            The best one.
        """
        for _ in range(n_trials):
            trial = self.ask()
            try:
                value = objective(**trial.params)
            except tuple(catch) if isinstance(catch, (list, tuple)) else catch:
                value = None
            self.tell(trial, value)
        return self.best

    @property
    def trials(self):
        """All trials, in the order of asking."""
        return [self._trial(trial) for trial in self._core.trials()]

    @property
    def best(self):
        """The best trial told, or None."""
        number = self._core.best
        return self.trials[number - 1] if number else None

    def __len__(self):
        return len(self._core.trials())

    def __repr__(self):
        best = self.best
        return f"<copse.Study: {len(self)} trials" + (f", best {best.value:.6g} at {best.params}>" if best else ">")
