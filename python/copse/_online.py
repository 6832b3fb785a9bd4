"""What the models for River share.  The classes are in river.py, generated from the library's tables."""

import collections
import copy

import numpy as np
from river import base

from . import _core, _table
from ._model import CLASS, REGRESS, fit_model, option_text


class Online:
    """Rows wait until there are warm_up of them, so that the model knows the range of each feature; it then learns row
    by row.  Features that come later are ignored; features that do not come are missing."""

    _method = ""
    _task = 0
    _options: dict = {}

    # Set by the constructors of river.py.
    warm_up: int
    seed: int

    def _begin(self):
        self._waiting = []
        self._keys = None
        self._row = None
        self.model_ = None

    def __getstate__(self):
        # The row belongs to this process's model.
        return {**self.__dict__, "_row": None}

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.model_ is not None:
            self._row = _core.row_new(self.model_._core)

    def __deepcopy__(self, memo):
        made = self.__class__.__new__(self.__class__)
        made.__setstate__({name: copy.deepcopy(value, memo) for name, value in self.__getstate__().items()})
        return made

    def _values(self, x):
        """The row as the extension takes it."""
        return x if self._plain else [x.get(key) for key in self._keys]

    def _columns(self):
        """The features of the rows that wait: arrays by name."""
        # In an order that is the same however the keys of a row are ordered.
        self._keys = sorted({key for x, _ in self._waiting for key in x}, key=lambda key: (type(key).__name__, str(key)))
        self._plain = all(isinstance(key, str) and key and "\0" not in key for key in self._keys)
        names = self._keys if self._plain else [f"x{i + 1}" for i in range(len(self._keys))]
        columns = {}
        for name, key in zip(names, self._keys):
            column = np.empty(len(self._waiting), dtype=object)
            column[:] = [x.get(key) for x, _ in self._waiting]
            columns[name] = column
        return columns

    def _fit(self, y, classes):
        columns = self._columns()
        if not columns:
            return
        given = [(option, option_text(value)) for name, option in self._options.items()
                 if (value := getattr(self, name)) is not None]
        self.model_ = fit_model(columns, y, method=self._method, task=self._task, options=given, classes=classes,
                                seed=self.seed, n_jobs=1)
        self._row = _core.row_new(self.model_._core)
        self._waiting = []

    @property
    def _multiclass(self):
        return True


class Regressor(Online, base.Regressor):
    """What the regressors share."""

    _task = REGRESS

    def _begin(self):
        super()._begin()
        self._sum = 0.0

    def learn_one(self, x, y):
        """Learns a row."""
        if self._row is not None:
            self._row.learn(self._values(x), y)
            return
        self._waiting.append((dict(x), float(y)))
        self._sum += y
        if len(self._waiting) >= self.warm_up:
            self._fit(np.array([y for _, y in self._waiting]), None)

    def predict_one(self, x):
        """The mean of y."""
        if self._row is not None:
            return self._row.predict(self._values(x))
        return self._sum / len(self._waiting) if self._waiting else 0.0

    def predict_interval_one(self, x, level=0.9):
        """The bounds of the central interval of this level; None while rows wait."""
        if self._row is None:
            return None
        _, _, (low, high) = self._row.describe(self._values(x), ((1 - level) / 2, (1 + level) / 2))
        return low, high

    def predict_std_one(self, x):
        """The standard deviation of the prediction; None while rows wait."""
        return None if self._row is None else self._row.describe(self._values(x), ())[1]


class Classifier(Online, base.Classifier):
    """What the classifiers share."""

    _task = CLASS

    def _begin(self):
        super()._begin()
        self._counts = collections.Counter()
        self._labels = []  # in the order of the library's classes
        self._of_text = {}

    def _text(self, y):
        text = _table._label_text(y)
        self._of_text.setdefault(text, y)
        return text

    def learn_one(self, x, y):
        """Learns a row."""
        text = self._text(y)
        if self._row is not None:
            self._row.learn(self._values(x), text)
            return
        self._waiting.append((dict(x), text))
        self._counts[y] += 1
        if len(self._waiting) >= self.warm_up and len(self._counts) > 1:
            y = np.array([text for _, text in self._waiting])
            self._fit(y, np.unique(y))

    def predict_proba_one(self, x):
        """The probabilities of the classes."""
        if self._row is None:
            total = sum(self._counts.values())
            return {label: count / total for label, count in self._counts.items()}
        p = self._row.predict(self._values(x))
        if len(p) != len(self._labels):
            self._labels = [self._of_text[text] for text in self.model_._core.info()["classes"]]
        return dict(zip(self._labels, p))
