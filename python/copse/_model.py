"""A fitted model: the library's, with classes as Python knows them."""

import math
import os

import numpy as np

from . import _core, _table
from ._distribution import Distribution, ProbaDistribution, seed_of
from ._errors import RENAMED, ConvergenceWarning, DataError, UsageError, in_python
from ._run import running, threads_of, warn

CLASS, REGRESS = 1, 2
_TASKS = {"class": CLASS, "regress": REGRESS, CLASS: CLASS, REGRESS: REGRESS}


def option_text(value):
    """A value of an option as the library writes it."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(str(part).replace("_", "-") for part in value) or "none"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return "inf" if value == math.inf else (str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value))
    return str(value)


def options_of(given):
    """[(name, value)] for the library of [(name, value)] of Python, without those that are None."""
    return [(name, option_text(value)) for name, value in given if value is not None]


def blocks(rows, size):
    """(first, n) of blocks of rows."""
    for first in range(0, rows, size):
        yield first, min(size, rows - first)


class Model:
    """A fitted model.  Made by copse.fit, copse.load and the estimators (attribute ``model_``).

    Attributes
    ----------
    method : str
        The method, as copse.methods() names it.
    task : str
        "class" or "regress".
    classes_ : array or None
        The labels, sorted.
    """

    def __init__(self, core, classes=None):
        self._core = core
        info = core.info()
        self.method = info["method"]
        self.options = info["options"]
        self.task = "class" if info["task"] == CLASS else "regress"
        self.target = info["target"]
        self.feature_names = [name for name, _ in info["features"]]
        self._text = [text for _, text in info["features"]]
        self._block = max(1, info["block"])
        self.has_draws = info["has_draws"]
        self.has_prob_draws = info["has_prob_draws"]
        self.n_draws = info["draws"]
        self.n_trees = info["trees"]
        self.samples = any(m["name"] == self.method and m["samples"] for m in _core.methods())
        self.classes_ = None
        if self.task == "class":
            self.classes_ = _table.classes_of_texts(info["classes"]) if classes is None else classes
            self._set_order(info["classes"])

    def _set_order(self, texts):
        """Keeps where each class of the library stands in classes_; classes met online are appended to classes_."""
        try:
            self._order = _table.class_positions(texts, self.classes_)
        except KeyError:
            self.classes_ = _table.classes_of_texts(texts)
            self._order = _table.class_positions(texts, self.classes_)

    # ------------------------------------------------------------------------------------------------ learning

    @property
    def n_rows(self):
        """The number of rows learnt so far."""
        return self._core.info()["rows"]

    @property
    def can_learn(self):
        """Does update work?"""
        return self._core.info()["can_learn"]

    def _learn_table(self, X, y):
        table = X if isinstance(X, _core.Table) else _table.to_table(X, self.feature_names)
        if self.task == "class":
            y = np.asarray(y)
            known = np.unique(np.concatenate([self.classes_.astype(y.dtype), y])) if len(y) else self.classes_
            _table.add_labels(table, self.target, y, known)
            return table, known
        table.add_values(self.target, np.ascontiguousarray(y, dtype=float))
        return table, None

    def update(self, X, y, *, n_jobs=None, verbose=0):
        """Learns more rows, in order; returns the model."""
        self.update_table(_table.to_table(X, self.feature_names), y, n_jobs=n_jobs, verbose=verbose)
        return self

    def update_table(self, table, y, *, n_jobs=None, verbose=0):
        """The same with a table of the library that has the features alone."""
        table, known = self._learn_table(table, y)
        with running(n_jobs, verbose) as run:
            self._core.update(table, run)
        if known is not None and len(known) > len(self.classes_):
            self.classes_ = known
            self._set_order(self._core.info()["classes"])

    # ------------------------------------------------------------------------------------------------ predicting

    def _predict(self, table, first, n, of_mean, n_jobs, verbose=0):
        with running(n_jobs, verbose) as run:
            return self._core.predict(table, first, n, bool(of_mean), run)

    def _table(self, X):
        return X if isinstance(X, _core.Table) else _table.to_table(X, self.feature_names)

    def _in_blocks(self, X, shape, fill, of_mean=False, n_jobs=None):
        """Predicts in blocks, so that the answers of many trees fit in memory."""
        table = self._table(X)
        out = np.empty((table.rows, *shape))
        threads = threads_of(n_jobs) or os.cpu_count() or 1
        for first, n in blocks(table.rows, self._block * threads):
            fill(self._predict(table, first, n, of_mean, n_jobs), out[first : first + n])
        return out

    def predict_dist(self, X, *, of_mean=False, n_jobs=None):
        """Predictive distributions: Distribution; classes: ProbaDistribution.

        of_mean: the distribution of the mean of y (what the model does not know of it), without the noise of y.
        """
        table = self._table(X)
        if self.task == "class":
            if not self.has_prob_draws:
                raise UsageError(f"{self.method} keeps no probabilities of its draws: use predict_proba")
            prediction = self._predict(table, 0, 0, True, n_jobs)
            return ProbaDistribution(prediction, self._order, self.n_draws)
        return Distribution(self._predict(table, 0, 0, of_mean, n_jobs), n_jobs)

    def predict_proba(self, X, *, n_jobs=None):
        """The probabilities of the classes, in the order of classes_."""
        if self.task != "class":
            raise UsageError("a regression has no class probabilities: use predict_dist")
        out = self._in_blocks(X, (len(self.classes_),), lambda p, at: p.probs(at), n_jobs=n_jobs)
        back = np.empty_like(out)
        back[:, self._order] = out
        return back

    def predict(self, X, *, n_jobs=None):
        """The mean of each row, or its most probable class."""
        if self.task == "class":
            return self.classes_[np.argmax(self.predict_proba(X, n_jobs=n_jobs), axis=1)]
        return self._column("mean", X, n_jobs)

    def _column(self, what, X, n_jobs, of_mean=False):
        def fill(prediction, at):
            with running(n_jobs) as run:
                prediction.fill(what, at, None, 0, 0, run)

        return self._in_blocks(X, (), fill, of_mean, n_jobs)

    def predict_quantiles(self, X, q, *, n_jobs=None):
        """Quantiles: rows x len(q)."""
        q = np.ascontiguousarray(q, dtype=float).reshape(-1)

        def fill(prediction, at):
            with running(n_jobs) as run:
                prediction.fill("quantile", at, q, len(q), 0, run)

        return self._in_blocks(X, (len(q),), fill, False, n_jobs)

    # ------------------------------------------------------------------------------------------------ looking inside

    def figures(self):
        """Figures that describe the model: leaves, depth, and what the method has besides."""
        return self._core.figures()

    def diagnose(self):
        """Has the sampler converged?  A dict: ok, verdict, checks."""
        ok, verdict, checks = self._core.diagnose()
        names = ("value", "bound", "at_least", "ok", "help")
        return {"ok": ok, "verdict": in_python(verdict), "checks": {c[0]: dict(zip(names, c[1:])) for c in checks}}

    def traces(self):
        """What a sampler keeps of its draws: a dict of arrays of chains x draws."""
        out = {}
        for i, (name, chains, draws) in enumerate(self._core.traces()):
            out[name] = np.empty((chains, draws))
            self._core.trace_values(i, out[name])
        return out

    def importances(self, *, n_jobs=None):
        """By impurity: two arrays, means and standard deviations over the trees, a number for each feature."""
        with running(n_jobs) as run:
            values = np.array(self._core.importance(run)).reshape(-1, 2)
        return values[:, 0], values[:, 1]

    def permutation_importance(self, X, y, *, n_repeats=5, random_state=None, n_jobs=None, verbose=0):
        """The increase of the loss when a column is shuffled: (loss, means, standard deviations)."""
        table, _ = self._learn_table(X, y)
        with running(n_jobs, verbose) as run:
            loss, values = self._core.permute(table, int(n_repeats), seed_of(random_state), run)
        values = np.array(values).reshape(-1, 2)
        return loss, values[:, 0], values[:, 1]

    def feature_index(self, feature):
        """The position of a feature that is given by name or position."""
        if isinstance(feature, str):
            if feature not in self.feature_names:
                raise DataError(f"there is no feature '{feature}': the model has {', '.join(self.feature_names[:20])}")
            return self.feature_names.index(feature)
        return range(len(self.feature_names))[feature]

    def effect(self, X, feature, *, points=20, rows=1000, level=0.9, random_state=0, n_jobs=None, verbose=0):
        """Partial dependence: the mean prediction when a feature is set to each value of a grid.

        Returns a dict of arrays: value, mean, low, high; for classes the last three have a column per class.
        """
        name = self.feature_names[self.feature_index(feature)]
        with running(n_jobs, verbose) as run:
            found = self._core.effect(self._table(X), name, points, rows, seed_of(random_state), float(level), run)
        text = any(isinstance(value, str) for value, _ in found)
        value = [value if text or value is not None else np.nan for value, _ in found]
        parts = np.array([heads for _, heads in found], dtype=float)
        if self.task == "class":
            back = np.empty_like(parts)
            back[:, self._order] = parts
            parts = back
        else:
            parts = parts[:, 0]
        return {"feature": name, "value": np.array(value, dtype=object if text else float), "mean": parts[..., 0],
                "low": parts[..., 1], "high": parts[..., 2]}

    def score_all(self, X, y, *, interval=0.0, sample_weight=None, n_jobs=None, verbose=0):
        """Scores on new rows: a dict (rmse, nlpd, crps, coverage ...; accuracy, log_loss, reliability ...)."""
        table, _ = self._learn_table(X, y)
        weights = None
        if sample_weight is not None:
            weights = _table.free_name("weight", [*self.feature_names, self.target])
            table.add_values(weights, np.ascontiguousarray(sample_weight, dtype=float))
        with running(n_jobs, verbose) as run:
            return self._core.score(table, float(interval), weights, run)

    def to_json(self):
        """The model described as JSON."""
        return self._core.json()

    def tree(self, i, format="json"):
        """Tree i as json, dot or text."""
        return self._core.tree(i, format)

    # ------------------------------------------------------------------------------------------------ keeping

    def to_bytes(self, *, frozen=False):
        """The bytes of the model file."""
        with running() as run:
            return self._core.to_bytes(bool(frozen), run)

    @classmethod
    def from_bytes(cls, data, classes=None):
        """The model of these bytes."""
        with running() as run:
            return cls(_core.model_read(data, run), classes)

    def save(self, path, *, frozen=False):
        """Saves to a file that every front end of copse reads.  frozen: without the training rows."""
        with running() as run:
            self._core.save(os.fspath(path), bool(frozen), run)

    @classmethod
    def load(cls, path):
        """Loads a model file."""
        with running() as run:
            return cls(_core.model_load(os.fspath(path), run))

    def copy(self):
        """A model of its own: the same, until one of them learns."""
        with running() as run:
            return Model(self._core.copy(run), self.classes_)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def digest(self):
        """SHA-256 of what was learnt."""
        with running() as run:
            return self._core.digest(run)

    def __reduce__(self):
        return (Model.from_bytes, (self.to_bytes(), self.classes_))

    def __repr__(self):
        return f"<copse.Model: {self.method}, {self.task}, {self.n_rows} rows, {len(self.feature_names)} features>"

    def _repr_html_(self):
        figures = list(self.figures().items())[:8]
        lines = "".join(f"<tr><th>{name}</th><td>{value:.6g}</td></tr>" for name, value in figures)
        return f"<p>{self!r}</p>".replace("<copse", "&lt;copse") + f"<table>{lines}</table>"


def fit_model(X, y, *, method, task, options, names=None, classes=None, sample_weight=None, seed=0, n_jobs=None, verbose=0,
              announced=False, target=None):
    """Fits.  y: an array of floats, or labels all of which occur in the sorted array classes."""
    table = X if isinstance(X, _core.Table) else _table.to_table(X, names)
    taken = table.names()
    target = _table.target_name(y if target is None else target, taken)
    y = np.asarray(y)
    if len(y) != table.rows:
        raise DataError(f"X has {table.rows} rows, y {len(y)}")
    if task == CLASS:
        _table.add_labels(table, target, y, classes)
    else:
        table.add_values(target, np.ascontiguousarray(y, dtype=float))
    weights = None
    if sample_weight is not None:
        weights = _table.free_name("weight", [*taken, target])
        table.add_values(weights, np.ascontiguousarray(sample_weight, dtype=float))
    given = [("seed", str(seed)), *options]
    labels = _table.class_texts(classes) if announced else None
    with running(n_jobs, verbose) as run:
        model = Model(_core.fit(table, target, task, weights, labels, method, given, run), classes)
    if model.samples and not (found := model.diagnose())["ok"]:
        warn(found["verdict"], ConvergenceWarning)
    return model


def fit(X, y, *, method="mondrian", task=None, sample_weight=None, classes=None, random_state=1, n_jobs=None, verbose=0,
        **options):
    """Fits a model, without scikit-learn.

    Parameters
    ----------
    X : array, data frame, Arrow table, dict of columns, or Table
    y : array of numbers or labels
    method : str
        One of copse.methods().
    task : "class", "regress" or None
        None: classes if y is text, categories or booleans, else regression.
    sample_weight : array, optional
    classes : array, optional
        Labels that may come later.
    random_state, n_jobs, verbose
        As for the estimators; verbose=1 shows progress.
    **options
        Options of the method, with underscores: min_leaf=5.

    Returns
    -------
    Model

    Examples
    --------
    >>> import copse
    >>> m = copse.fit([[0.], [1.], [2.], [3.]], [0., 1., 2., 3.], method="cart", min_leaf=1)
    >>> m.predict([[0.], [3.]]).tolist()
    [0.0, 3.0]
    """
    labels = np.asarray(y)
    if task is None:
        task = "class" if labels.dtype.kind in "OUSb" or classes is not None else "regress"
    if task not in _TASKS:
        raise UsageError(f"task={task!r} is not possible: it is 'class', 'regress' or None")
    code = _TASKS[task]
    known = None
    if code == CLASS:
        known = np.unique(labels if classes is None else np.concatenate([labels, np.asarray(classes)]))
    elif not np.all(np.isfinite(labels.astype(float))):
        raise DataError("Input y contains NaN or infinity")
    back = {value: key for key, value in RENAMED.items()}
    given = options_of([(back.get(name, name.replace("_", "-")), value) for name, value in options.items()])
    return fit_model(X, y, method=method, task=code, options=given, classes=known, sample_weight=sample_weight,
                     seed=seed_of(random_state), n_jobs=n_jobs, verbose=verbose, announced=classes is not None)


def methods():
    """The methods of the library: a list of dicts.

    >>> import copse
    >>> "mondrian" in [m["name"] for m in copse.methods()]
    True
    """
    return _core.methods()
