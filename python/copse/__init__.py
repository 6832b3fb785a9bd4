"""copse: trees and forests that know what they don't know.

Every prediction is a distribution.  The estimators are scikit-learn's kind:

>>> import copse
>>> from sklearn.datasets import load_diabetes
>>> X, y = load_diabetes(return_X_y=True, as_frame=True)
>>> forest = copse.MondrianForestRegressor(random_state=0).fit(X[:300], y[:300])
>>> intervals = forest.predict_interval(X[300:], level=.9)
>>> intervals.shape
(142, 2)

Without scikit-learn there is copse.fit, which returns a Model.  copse.river learns row by row, copse.Study and
copse.optuna look for the best point of a costly function, copse.plot draws, copse.to_arviz hands draws to ArviZ.
"""

from . import _errors
from ._core import version as __version__
from ._distribution import Distribution, ProbaDistribution
from ._errors import (
    ConvergenceError,
    ConvergenceWarning,
    CopseError,
    CopseWarning,
    DataError,
    FileError,
    InternalError,
    ModelError,
    UsageError,
)
from ._model import Model, fit, methods
from ._table import Table, read_table

_LAZY = {"load": "_base", "of_model": "_base", "Study": "study", "to_arviz": "_arviz"}
_MODULES = ("river", "optuna", "plot", "study")


def _estimator_names():
    from ._names import NAMES

    return NAMES


def __getattr__(name):
    import importlib

    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    if name in _LAZY:
        return getattr(importlib.import_module("." + _LAZY[name], __name__), name)
    if name in _estimator_names():
        return getattr(importlib.import_module("._estimators", __name__), name)
    raise AttributeError(f"module 'copse' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_LAZY, *_MODULES, *_estimator_names()])


__all__ = [
    "ConvergenceError",
    "ConvergenceWarning",
    "CopseError",
    "CopseWarning",
    "DataError",
    "Distribution",
    "FileError",
    "InternalError",
    "Model",
    "ModelError",
    "ProbaDistribution",
    "Table",
    "UsageError",
    "fit",
    "methods",
    "read_table",
]
