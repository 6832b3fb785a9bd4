"""What the estimators share.  The classes themselves are in _estimators.py, generated from the library's tables."""

import os

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from . import _table
from ._errors import DataError
from ._model import CLASS, REGRESS, Model, fit_model, option_text


class Estimator(BaseEstimator):
    """An estimator of copse: scikit-learn's methods, and what predictive distributions give."""

    _method = ""
    _task = 0
    # Parameter -> option of the library.
    _options: dict = {}

    # ------------------------------------------------------------------------------------------------ input

    def _check_x(self, X, reset):
        """X as a table of the library, checked as scikit-learn's estimators do."""
        _table.refuse_sparse(X)
        if isinstance(X, _table.Table):
            X = X.drop()
        if _table.is_frame(X):
            return self._check_frame(X, reset)
        X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", accept_sparse=False)
        if X.dtype.kind == "f":
            # Infinite values would be refused by the library too; these are the words that users know.
            check_array(X, ensure_all_finite="allow-nan")
        return _table.to_table(X, None if reset else self.model_.feature_names)

    def _check_frame(self, X, reset):
        from collections.abc import Mapping

        if isinstance(X, Mapping):
            # scikit-learn knows no mappings: their names are checked here.
            names = list(X)
            if reset:
                self.feature_names_in_ = np.array([str(name) for name in names], dtype=object)
                self.n_features_in_ = len(names)
            else:
                missing = [name for name in self.model_.feature_names if name not in X]
                if missing:
                    raise DataError(f"X lacks the column '{missing[0]}', which the model was fitted to")
                X = {name: X[name] for name in self.model_.feature_names}
        else:
            validate_data(self, X, reset=reset, skip_check_array=True)
        table = _table.to_table(X, None if reset else self.model_.feature_names)
        if table.rows == 0:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        if not table.names():
            raise ValueError(f"Found array with 0 feature(s) (shape=({table.rows}, 0)) while a minimum of 1 is required.")
        return table

    def _given_options(self):
        return [(option, option_text(value)) for name, option in self._options.items()
                if (value := getattr(self, name)) is not None]

    def _fit_table(self, table, y, classes, sample_weight, announced, target):
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)) or isinstance(seed, (bool, np.bool_)):
            seed = check_random_state(seed).randint(0, 2**31 - 1)
        try:
            self.model_ = fit_model(table, y, method=self._method, task=self._task, options=self._given_options(),
                                    classes=classes, sample_weight=sample_weight, seed=int(seed), n_jobs=self.n_jobs,
                                    verbose=self.verbose, announced=announced, target=target)
        except DataError as error:
            if table.rows == 1 and "1 sample" not in str(error):
                error.args = (f"{error} (there is 1 sample)",)
            raise
        return self

    def _need_y(self, y):
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )

    @staticmethod
    def _name_of(y):
        name = getattr(y, "name", None)
        return name if isinstance(name, str) and name else None

    def _weights(self, sample_weight, table):
        if sample_weight is None:
            return None
        shape = np.empty((table.rows, 1))
        return _check_sample_weight(sample_weight, shape, dtype=float, ensure_non_negative=True)

    # ------------------------------------------------------------------------------------------------ answers

    def _for_prediction(self, X):
        check_is_fitted(self, "model_")
        return self._check_x(X, reset=False)

    def save(self, path, *, frozen=False):
        """Saves the model to a file that every front end of copse reads.

        Parameters
        ----------
        path : str or path
        frozen : bool
            Without the training rows: smaller, but it can no longer learn.
        """
        check_is_fitted(self, "model_")
        self.model_.save(path, frozen=frozen)

    def diagnose(self):
        """Has the sampler converged?  A dict: ok, verdict, checks (R-hat, effective sample sizes ...)."""
        check_is_fitted(self, "model_")
        return self.model_.diagnose()

    @property
    def feature_importances_(self):
        """Importance of the features by decrease of impurity: shares that sum to 1."""
        check_is_fitted(self, "model_")
        try:
            return self.model_.importances(n_jobs=self.n_jobs)[0]
        except ValueError as error:
            raise AttributeError(str(error)) from None

    def permutation_importance(self, X, y, *, n_repeats=5, random_state=0):
        """The increase of the loss (RMSE; log loss of classes) when a feature is shuffled.

        Returns
        -------
        loss : float
            Without shuffling.
        mean, std : array
            A number for each feature.
        """
        check_is_fitted(self, "model_")
        return self.model_.permutation_importance(X, y, n_repeats=n_repeats, random_state=random_state,
                                                  n_jobs=self.n_jobs, verbose=self.verbose)

    def effect(self, X, feature, *, points=20, rows=1000, level=0.9, random_state=0):
        """Partial dependence: the mean prediction when a feature is set to each value of a grid.

        Parameters
        ----------
        X : array or data frame
            Rows to average over.
        feature : str or int
        points, rows : int
            Size of the grid, and how many rows to average over.
        level : float
            Of the interval over the trees.

        Returns
        -------
        dict
            feature, value, mean, low, high; for classes the last three have a column per class.
        """
        table = self._for_prediction(X)
        return self.model_.effect(table, feature, points=points, rows=rows, level=level,
                                  random_state=random_state, n_jobs=self.n_jobs)

    def to_arviz(self, X=None, y=None):
        """The draws of a sampler as ArviZ's data: see copse.to_arviz."""
        from ._arviz import to_arviz

        check_is_fitted(self, "model_")
        return to_arviz(self.model_, X, y)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        tags.non_deterministic = False
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    @classmethod
    def _of_model(cls, model):
        """A fitted estimator around a loaded model."""
        made = cls()
        for name, option in cls._options.items():
            setattr(made, name, python_value(model.options.get(option), getattr(made, name)))
        made.random_state = int(model.options["seed"]) if "seed" in model.options else None
        made.model_ = model
        made.n_features_in_ = len(model.feature_names)
        if model.feature_names != [f"x{i + 1}" for i in range(len(model.feature_names))]:
            made.feature_names_in_ = np.array(model.feature_names, dtype=object)
        if model.task == "class":
            made.classes_ = model.classes_
        return made


def python_value(text, default):
    """An option's text as the parameter has it."""
    if text is None:
        return default
    if isinstance(default, bool):
        return text == "yes"
    if text == "inf":
        return None if default is None else float("inf")
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Regressor(RegressorMixin, Estimator):
    """What the regressors share."""

    _task = REGRESS

    def _check_y(self, y):
        self._need_y(y)
        y = column_or_1d(y, warn=True)
        return check_array(y, ensure_2d=False, dtype=float, input_name="y", estimator=self)

    def _fit(self, X, y, sample_weight=None):
        target = self._name_of(y)
        self._need_y(y)
        table = self._check_x(X, reset=True)
        y = self._check_y(y)
        if len(y) != table.rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{table.rows}, {len(y)}]")
        return self._fit_table(table, y, None, self._weights(sample_weight, table), False, target)

    def _partial_fit(self, X, y):
        if not hasattr(self, "model_"):
            return self._fit(X, y)
        self._need_y(y)
        table = self._check_x(X, reset=False)
        y = self._check_y(y)
        if len(y) != table.rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{table.rows}, {len(y)}]")
        self.model_.update_table(table, y, n_jobs=self.n_jobs, verbose=self.verbose)
        return self

    def predict(self, X, return_std=False):
        """The predictive mean of each row, and with return_std its standard deviation too."""
        table = self._for_prediction(X)
        mean = self.model_.predict(table, n_jobs=self.n_jobs)
        return (mean, self.model_._column("sd", table, self.n_jobs)) if return_std else mean

    def predict_dist(self, X):
        """The predictive distribution of each row: a Distribution."""
        table = self._for_prediction(X)
        return self.model_.predict_dist(table, n_jobs=self.n_jobs)

    pred_dist = predict_dist

    def predict_mean_dist(self, X):
        """The distribution of the mean of y, on which the trees disagree, without the noise of y: a Distribution."""
        table = self._for_prediction(X)
        return self.model_.predict_dist(table, of_mean=True, n_jobs=self.n_jobs)

    def predict_quantiles(self, X, q=(0.05, 0.5, 0.95)):
        """Quantiles of the predictive distributions: rows x len(q)."""
        table = self._for_prediction(X)
        return self.model_.predict_quantiles(table, q, n_jobs=self.n_jobs)

    def predict_interval(self, X, level=0.9):
        """The central intervals of this level: rows x 2."""
        if not 0 < level < 1:
            raise ValueError(f"level={level!r} is not between 0 and 1")
        return self.predict_quantiles(X, ((1 - level) / 2, (1 + level) / 2))


class Classifier(ClassifierMixin, Estimator):
    """What the classifiers share."""

    _task = CLASS

    def _check_y(self, y, table):
        self._need_y(y)
        y = column_or_1d(y, warn=True)
        check_consistent_length(np.empty((table.rows, 1)), y)
        if y.dtype.kind == "f":
            check_array(y, ensure_2d=False, dtype=None, input_name="y", estimator=self)
        check_classification_targets(y)
        if y.dtype.kind == "O" and any(_table._missing(label) for label in y.tolist()):
            raise ValueError("Input y contains NaN.")
        return y

    def _fit(self, X, y, sample_weight=None, classes=None):
        target = self._name_of(y)
        self._need_y(y)
        table = self._check_x(X, reset=True)
        y = self._check_y(y, table)
        labels = np.unique(y)
        if classes is not None:
            classes = np.unique(np.asarray(classes))
            unknown = np.setdiff1d(labels, classes)
            if len(unknown):
                raise ValueError(f"y has the label {unknown[0]!r}, which is not in classes={classes.tolist()}")
            labels = classes
        elif len(labels) < 2 and not hasattr(self, "_one_class"):
            raise ValueError(f"{type(self).__name__} needs at least two classes, but y has one class: {labels[0]!r}"
                             + (" (there is 1 sample)" if table.rows == 1 else ""))
        self._fit_table(table, y, labels, self._weights(sample_weight, table), classes is not None, target)
        self.classes_ = self.model_.classes_
        return self

    def _partial_fit(self, X, y, classes=None):
        if not hasattr(self, "model_"):
            return self._fit(X, y, classes=classes)
        self._need_y(y)
        table = self._check_x(X, reset=False)
        y = self._check_y(y, table)
        self.model_.update_table(table, y, n_jobs=self.n_jobs, verbose=self.verbose)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        """The most probable class of each row."""
        table = self._for_prediction(X)
        return self.model_.predict(table, n_jobs=self.n_jobs)

    def predict_proba(self, X):
        """The probabilities of the classes: rows x classes, in the order of classes_."""
        table = self._for_prediction(X)
        return self.model_.predict_proba(table, n_jobs=self.n_jobs)

    def predict_log_proba(self, X):
        """The logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_dist(self, X):
        """The distribution of the class probabilities over the draws of the model: a ProbaDistribution."""
        table = self._for_prediction(X)
        return self.model_.predict_dist(table, n_jobs=self.n_jobs)

    pred_dist = predict_mean_dist = predict_dist


def load(path):
    """Loads a model file of any front end: a fitted estimator of its class.

    Parameters
    ----------
    path : str or path

    Examples
    --------
    >>> import copse, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "m.copse")
    >>> copse.CartRegressor(min_leaf=1).fit([[0.], [1.]], [3., 4.]).save(path)
    >>> copse.load(path).predict([[1.]]).tolist()
    [4.0]
    """
    return of_model(Model.load(os.fspath(path)))


def of_model(model):
    """A fitted estimator around a Model."""
    from . import _estimators

    suffix = "Classifier" if model.task == "class" else "Regressor"
    for name in _estimators.__all__:
        cls = getattr(_estimators, name)
        if cls._method == model.method and name.endswith(suffix):
            return cls._of_model(model)
    raise NotFittedError(f"this version of the package has no class for the method {model.method!r}")
