"""River's own checks, and that a stream gives the model of copse."""
import pickle

import numpy as np
import pytest
from river import datasets, evaluate, metrics
from river.checks import yield_checks

import copse
from copse import river

CLASSES = [getattr(river, name) for name in river.__all__]


def small(cls, **more):
    return cls(**({"particles": 50} if "particles" in cls._options else {}), **more)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_river(cls):
    model = small(cls)
    count = 0
    for check in yield_checks(model):
        check(model.clone())
        count += 1
    assert count > 10


def stream(n=300):
    rng = np.random.default_rng(3)
    for i in range(n):
        x = {"a": float(rng.uniform()), "b": float(rng.uniform()), "c": ["red", "blue"][i % 2]}
        yield x, 3 * x["a"] + (x["c"] == "red")


def test_rows_are_the_rows_of_a_table():
    online = river.MondrianForestRegressor(warm_up=100)
    rows = list(stream())
    for x, y in rows:
        online.learn_one(x, y)
    columns = {name: [x[name] for x, _ in rows] for name in "abc"}
    y = np.array([y for _, y in rows])
    model = copse.fit({k: v[:100] for k, v in columns.items()}, y[:100], trees=10, posterior="fast", n_jobs=1)
    model.update({k: v[100:] for k, v in columns.items()}, y[100:])
    assert online.model_.digest() == model.digest()
    np.testing.assert_array_equal([online.predict_one(x) for x, _ in rows], model.predict(columns))
    low, high = online.predict_interval_one(rows[0][0], level=0.8)
    np.testing.assert_allclose([[low, high]], model.predict_quantiles({k: v[:1] for k, v in columns.items()}, [0.1, 0.9]),
                               rtol=1e-12)
    assert online.predict_std_one(rows[0][0]) > 0


def test_order_and_kind_of_keys():
    for keys in (("a", "b", "c"), (0, 1, 2), (("a", 1), None, True)):
        one, other = river.MondrianForestRegressor(), river.MondrianForestRegressor()
        for x, y in stream():
            values = dict(zip(keys, x.values()))
            one.learn_one(values, y)
            other.learn_one(dict(reversed(values.items())) if one._row else values, y)
        assert one.predict_one(values) == other.predict_one(values)
        assert one.predict_one({}) is not None  # all are missing


def test_labels_of_any_kind():
    for labels in ((True, False), (0, 1), ("no", "yes"), (1.5, 2.5)):
        model = river.MondrianForestClassifier(warm_up=20)
        assert model.predict_proba_one({"a": 1}) == {} and model.predict_one({"a": 1}) is None
        for x, y in stream():
            model.learn_one(x, labels[y > 2])
        p = model.predict_proba_one({"a": 0.99, "b": 0.5, "c": "red"})
        assert set(p) == set(labels) and abs(sum(p.values()) - 1) < 1e-9
        assert model.predict_one({"a": 0.99, "b": 0.5, "c": "red"}) is labels[1] or labels[1] == 1.5
        model.learn_one(x, "new")
        assert "new" in model.predict_proba_one(x)


def test_pickle_and_clone():
    model = river.MondrianForestRegressor(trees=5)
    for x, y in stream():
        model.learn_one(x, y)
    other = pickle.loads(pickle.dumps(model))
    assert other.predict_one(x) == model.predict_one(x)
    other.learn_one(x, y)
    model.learn_one(x, y)
    assert other.model_.digest() == model.model_.digest()
    assert model.clone().model_ is None and model.clone().trees == 5


def test_learns_a_stream():
    score = evaluate.progressive_val_score(datasets.Phishing(), river.MondrianForestClassifier(), metrics.Accuracy())
    assert score.get() > 0.85
    score = evaluate.progressive_val_score(datasets.TrumpApproval(), river.MondrianForestRegressor(), metrics.MAE())
    assert score.get() < 1.0
