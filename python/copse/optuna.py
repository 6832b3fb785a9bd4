"""Optuna with copse's optimiser."""

import math

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import StudyDirection
from optuna.trial import TrialState

from .study import Study


def _steps(distribution):
    """The number of steps of a distribution on a grid, or None."""
    step = getattr(distribution, "step", None)
    if isinstance(distribution, CategoricalDistribution) or step is None:
        return None
    if isinstance(distribution, IntDistribution) and step == 1:
        return None
    return int(math.floor((distribution.high - distribution.low) / step + 1e-9))


def _space(distribution):
    """The dimension of copse.Study for a distribution of Optuna."""
    if isinstance(distribution, CategoricalDistribution):
        return list(range(len(distribution.choices)))
    if (steps := _steps(distribution)) is not None:
        return (0, steps)
    low, high = distribution.low, distribution.high
    if isinstance(distribution, FloatDistribution):
        low, high = float(low), float(high)
    return (low, high, "log") if distribution.log else (low, high)


def _to_optuna(distribution, value):
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[value]
    if _steps(distribution) is not None:
        value = distribution.low + value * distribution.step
        return int(value) if isinstance(distribution, IntDistribution) else min(float(value), distribution.high)
    return value


def _from_optuna(distribution, value):
    if isinstance(distribution, CategoricalDistribution):
        return int(distribution.to_internal_repr(value))
    if _steps(distribution) is not None:
        return round((value - distribution.low) / distribution.step)
    return min(max(value, distribution.low), distribution.high)


class _Space:
    """A study of copse for one search space, and which trials of Optuna it knows."""

    def __init__(self, distributions, minimise, options):
        self.distributions = distributions
        space = {name: _space(part) for name, part in distributions.items()}
        self.study = Study(space, minimise=minimise, **options)
        self.asked = {}
        self.known = set()

    def learn(self, trials):
        """Tells the study of what has ended since."""
        for trial in trials:
            if trial.number in self.known or not trial.state.is_finished():
                continue
            if any(name not in trial.params for name in self.distributions):
                continue
            self.known.add(trial.number)
            value = _value(trial)
            if trial.number in self.asked:
                self.study.tell(self.asked.pop(trial.number), value)
            elif value is not None and self._holds(trial):
                params = {name: _from_optuna(d, trial.params[name]) for name, d in self.distributions.items()}
                self.study.add(params, value)

    def _holds(self, trial):
        return all(d._contains(d.to_internal_repr(trial.params[name])) for name, d in self.distributions.items())


def _value(trial):
    """The value of a trial: a pruned one's last intermediate value; None if it failed."""
    value = trial.value if trial.state == TrialState.COMPLETE else None
    if trial.state == TrialState.PRUNED and trial.intermediate_values:
        value = trial.intermediate_values[max(trial.intermediate_values)]
    return value if value is not None and math.isfinite(value) else None


class CopseSampler(BaseSampler):
    """A sampler for Optuna: a Mondrian forest that learns online.

    Parameters that not every trial has (conditional ones) are sampled at random.

    Parameters
    ----------
    acquisition : {"ucb", "ei", "thompson", "random"}
    kappa : float
    trees, initial : int
        As for copse.Study.
    seed : int or None

    Examples
    --------
    >>> import optuna
    >>> from copse.optuna import CopseSampler
    >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
    >>> study = optuna.create_study(sampler=CopseSampler(seed=1))
    >>> study.optimize(lambda trial: (trial.suggest_float("x", -2, 2) - 1) ** 2, n_trials=30)
    >>> bool(study.best_value < 0.1)
    True
    """

    def __init__(self, *, acquisition="ucb", kappa=0.0, trees=0, initial=0, seed=None):
        self._options = {"acquisition": acquisition, "kappa": kappa, "trees": trees, "initial": initial,
                         "random_state": seed}
        self._random = RandomSampler(seed=seed)
        self._intersection = IntersectionSearchSpace()
        self._spaces = {}

    def __getstate__(self):
        # Another process learns the trials anew.
        return {**self.__dict__, "_spaces": {}}

    def reseed_rng(self):
        self._random.reseed_rng()
        self._options["random_state"] = None
        self._spaces = {}

    def infer_relative_search_space(self, study, trial):
        space = self._intersection.calculate(study)
        return {name: part for name, part in space.items() if not part.single()}

    def sample_relative(self, study, trial, search_space):
        if not search_space:
            return {}
        if len(study.directions) > 1:
            raise ValueError("CopseSampler optimises one objective; this study has several")
        key = (study._study_id, tuple(sorted((name, repr(part)) for name, part in search_space.items())))
        if key not in self._spaces:
            minimise = study.direction == StudyDirection.MINIMIZE
            self._spaces[key] = _Space(search_space, minimise, self._options)
        space = self._spaces[key]
        space.learn(study.get_trials(deepcopy=False))
        point = space.study.ask()
        space.asked[trial.number] = point
        return {name: _to_optuna(part, point.params[name]) for name, part in search_space.items()}

    def sample_independent(self, study, trial, param_name, param_distribution):
        return self._random.sample_independent(study, trial, param_name, param_distribution)


__all__ = ["CopseSampler", "optuna"]
