"""scikit-learn's own checks, on every class at its defaults; what follows from being an estimator."""
import copy
import os
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import copse
from copse import _estimators

# BART takes 24,000 sweeps at its defaults: its checks run with the long tests.
SLOW = {"BARTRegressor", "BARTClassifier"}
LONG = bool(os.environ.get("COPSE_LONG"))
CLASSES = [getattr(_estimators, name) for name in _estimators.__all__]

WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
# Which rows or trees are drawn depends on the number of rows: a row of weight two and two rows of weight one give
# forests of one law, but not one forest.  cart and ert draw nothing of the rows and pass.
DRAWN = {
    "rf": "each tree has a bootstrap sample, drawn row by row",
    "bf": "each row has an exponential weight, drawn row by row",
    "ebf": "each row has an exponential weight, drawn row by row",
    "ssf": "rows are divided at random among the subsets",
    "boost": "which rows each member leaves out, and so the number of rounds, depends on the number of rows",
    "bart": "MCMC: its draws depend on the number of rows",
    "auto": "it cross-validates: folds are drawn row by row",
}


def expected(estimator):
    reason = DRAWN.get(estimator._method)
    return {WEIGHTS: reason} if reason else {}


@parametrize_with_checks([c() for c in CLASSES if LONG or c.__name__ not in SLOW], expected_failed_checks=expected)
@pytest.mark.filterwarnings("ignore")
def test_sklearn(estimator, check):
    check(estimator)


def small(cls, **more):
    """An instance of few trees, draws and particles."""
    names = cls._options
    fewer = {"trees": 10, "particles": 50, "samples": 40, "burn_in": 40, "chains": 2}
    return cls(**{k: v for k, v in fewer.items() if k in names}, random_state=3, **more)


@pytest.fixture(params=CLASSES, ids=lambda c: c.__name__)
def fitted(request, numbers, labels):
    X, y = labels if request.param.__name__.endswith("Classifier") else numbers
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", copse.CopseWarning)
        return small(request.param).fit(X, y), X, y


def test_predicts_the_same_after_pickle_joblib_copy_and_save(fitted, tmp_path):
    model, X, _ = fitted
    answer = model.predict(X)
    joblib.dump(model, tmp_path / "m.joblib")
    model.save(tmp_path / "m.copse")
    others = [pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "m.joblib"), copy.deepcopy(model),
              copse.load(tmp_path / "m.copse")]
    for other in others:
        assert type(other) is type(model)
        np.testing.assert_array_equal(other.predict(X), answer)
        assert other.model_.digest() == model.model_.digest()
    assert others[-1].get_params()["random_state"] == 3


def test_load_gives_the_parameters_back(fitted, tmp_path):
    model, _, _ = fitted
    model.save(tmp_path / "m.copse")
    loaded = copse.load(tmp_path / "m.copse")
    ours, theirs = model.get_params(), loaded.get_params()
    for name in ours:
        if name not in ("n_jobs", "verbose"):
            assert theirs[name] == ours[name], name
    clone(loaded)


def test_same_seed_same_model_on_any_number_of_threads(fitted):
    model, X, y = fitted
    other = clone(model).set_params(n_jobs=1)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", copse.CopseWarning)
        assert other.fit(X, y).model_.digest() == model.model_.digest()
        assert clone(model).set_params(random_state=4, n_jobs=2).fit(X, y).model_.to_bytes() != model.model_.to_bytes()


def test_probabilities_and_intervals(fitted):
    model, X, y = fitted
    if model.model_.task == "class":
        p = model.predict_proba(X)
        assert p.shape == (120, 3)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        assert model.score(X, y) > 0.6
        return
    mean, sd = model.predict(X, return_std=True)
    np.testing.assert_array_equal(mean, model.predict(X))
    d = model.predict_dist(X)
    np.testing.assert_array_equal(d.mean(), mean)
    np.testing.assert_array_equal(d.std(), sd)
    low, high = model.predict_interval(X, level=0.8).T
    np.testing.assert_array_equal(np.array(d.interval(0.8)), [low, high])
    assert 0.6 < np.mean((low <= y) & (y <= high))
    assert model.score(X, y) > 0.5


def test_partial_fit_in_pieces_is_fit_in_rows(numbers, labels):
    for cls, (X, y) in ((copse.MondrianForestRegressor, numbers), (copse.MondrianForestClassifier, labels)):
        one, many = cls(trees=5, random_state=1), cls(trees=5, random_state=1)
        one.partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
        many.partial_fit(X[:60], y[:60])
        for i in range(60, 120):
            many.partial_fit(X[i : i + 1], y[i : i + 1])
        assert one.model_.digest() == many.model_.digest()


def test_announced_and_new_classes(labels):
    X, y = labels
    name = np.array(["pear", "apple", "fig", "date"])
    model = copse.MondrianForestClassifier(trees=5, random_state=1)
    model.partial_fit(X, name[y], classes=name)
    assert model.classes_.tolist() == ["apple", "date", "fig", "pear"]
    assert (model.predict_proba(X)[:, 1] > 0).all()
    model.partial_fit(X, np.full(len(X), "banana"))
    assert model.classes_.tolist() == ["apple", "banana", "date", "fig", "pear"]
    assert model.predict_proba(X)[:, 1].mean() > 0.2
    with pytest.raises(ValueError, match="not in classes"):
        copse.MondrianForestClassifier().partial_fit(X, name[y], classes=name[:2])


@pytest.mark.parametrize("values", [[False, True, True], [-1, 5, 300], [2.0, 5.0, -3.0], ["b", "a", "ü"], list("xyz")])
@pytest.mark.parametrize("cls", [copse.CartClassifier, copse.BoostClassifier, copse.OnlineForestClassifier])
def test_labels_of_any_dtype(labels, cls, values):
    X, k = labels
    y = np.array(values)[k]
    model = small(cls).fit(X, y)
    assert model.classes_.dtype == y.dtype
    assert model.predict(X).dtype == y.dtype
    assert (model.predict(X) == y).mean() > 0.6
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    p = model.predict_proba(X)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))


def test_errors_speak_python(numbers):
    X, y = numbers
    with pytest.raises(copse.UsageError, match=r"min_leaf=") as caught:
        copse.CartRegressor(min_leaf=-1).fit(X, y)
    assert (caught.value.what, caught.value.name) == ("option", "min_leaf")
    assert "--" not in str(caught.value)
    with pytest.raises(ValueError, match="lam="):
        copse.SMCTreeRegressor(lam=-1).fit(X, y)
    with pytest.raises(ValueError, match="there is no|method"):
        copse.fit(X, y, method="forrest")
    with pytest.raises(ValueError, match="Input y contains NaN"):
        copse.CartRegressor().fit(X, np.where(y > 1, np.nan, y))
    with pytest.raises(copse.FileError):
        copse.load("/nowhere/at/all.copse")
    with pytest.raises(copse.ModelError):
        copse.Model.from_bytes(b"nonsense")


def test_data_errors_name_the_column(numbers):
    import pandas as pd

    X, y = numbers
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = copse.CartRegressor().fit(frame, y)
    bad = frame.astype({"c": object})
    bad.loc[3, "c"] = "twelve"
    with pytest.raises(copse.DataError, match="column 'c'"):
        model.predict(bad)
    bad = frame.copy()
    bad.loc[3, "b"] = np.inf
    with pytest.raises(ValueError, match="'b'"):
        copse.CartRegressor().fit(bad, y)
    with pytest.raises(TypeError, match="[Ss]parse"):
        import scipy.sparse

        copse.CartRegressor().fit(scipy.sparse.eye_array(120).tocsr(), y)


def test_warnings_are_warnings(numbers):
    X, y = numbers
    with pytest.warns(copse.ConvergenceWarning) as caught:
        copse.BARTRegressor(trees=5, samples=5, burn_in=5, chains=2, random_state=0).fit(X, y)
    assert all(warning.filename == __file__ for warning in caught)
