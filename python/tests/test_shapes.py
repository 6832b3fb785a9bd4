"""Any shape, dtype and pattern of missing values: a model, or one of our errors, and nothing else."""
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

import copse

FLOATS = st.one_of(st.floats(-1e300, 1e300), st.just(np.nan), st.just(np.inf), st.just(-0.0))
ARRAYS = stn.arrays(dtype=st.sampled_from(["f8", "f4", "f2", ">f8", "i8", "u1", "?"]),
                    shape=stn.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=12))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(X=ARRAYS, method=st.sampled_from(["cart", "mondrian", "rf"]), data=st.data())
def test_numbers(X, method, data):
    rows = X.shape[0]
    y = data.draw(stn.arrays(dtype="f8", shape=st.sampled_from([rows, rows, rows, rows + 1]), elements=FLOATS))
    cls = {"cart": copse.CartRegressor, "mondrian": copse.MondrianForestRegressor, "rf": copse.RandomForestRegressor}[method]
    model = cls(random_state=0) if method == "cart" else cls(trees=3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y)
        except ValueError as error:
            assert str(error)
            return
        p = model.predict(X)
        assert p.shape == (rows,) and X.ndim == 2
        low, high = model.predict_interval(X).T
        assert (low <= high).all()


LABELS = st.one_of(st.lists(st.integers(-(2**60), 2**60), min_size=8, max_size=8),
                   st.lists(st.text(max_size=5).filter(lambda t: "\0" not in t), min_size=8, max_size=8),
                   st.lists(st.booleans(), min_size=8, max_size=8))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(labels=LABELS)
def test_labels(labels):
    X = np.arange(16.0).reshape(8, 2)
    y = np.array(labels)
    try:
        model = copse.CartClassifier(min_leaf=1, random_state=0, alpha=0).fit(X, y)
    except ValueError as error:
        assert "class" in str(error) or "empty" in str(error), error
        return
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    assert model.predict(X).dtype == y.dtype


@pytest.mark.parametrize("bad", [np.ones((3, 2), complex), np.array([["a", 1], [2, "b"]], dtype=object),
                                 np.array([[{}], [1]], dtype=object), np.ones((2, 2, 2)), [[1, 2], [3]]])
def test_refused(bad):
    with pytest.raises((ValueError, TypeError)):
        copse.CartRegressor().fit(bad, np.ones(len(bad)))
