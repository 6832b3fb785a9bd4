"""ArviZ, plots, and scikit-learn's machinery around an estimator."""
import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.inspection import partial_dependence
from sklearn.inspection import permutation_importance as sklearn_permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import copse
from copse import plot

matplotlib.use("Agg")


@pytest.fixture
def bart(numbers):
    X, y = numbers
    with pytest.warns(copse.ConvergenceWarning):
        return copse.BARTRegressor(trees=10, samples=50, burn_in=50, chains=3, random_state=0).fit(X, y), X, y


def test_arviz(bart):
    import arviz

    model, X, y = bart
    data = model.to_arviz(X, y)
    assert data["posterior"]["sigma"].shape == (3, 50)
    assert data["log_likelihood"]["y"].shape == (3, 50, 120)
    assert data["posterior_predictive"]["y"].shape == (3, 50, 120)
    summary = arviz.summary(data, var_names=["sigma", "leaves"], round_to="none")
    checks = model.diagnose()["checks"]
    ours = {name: check["value"] for name, check in checks.items()}
    assert any(abs(value - float(summary.loc["sigma", "r_hat"])) < 1e-9 for value in ours.values()), (ours, summary)
    loo = arviz.loo(data)
    assert np.isfinite(float(loo.elpd_loo if hasattr(loo, "elpd_loo") else loo.elpd))


def test_log_likelihood_is_that_of_the_draws(bart):
    model, X, y = bart
    data = model.to_arviz(X, y)
    sigma = np.asarray(data["posterior"]["sigma"])
    d = model.predict_mean_dist(X)
    f = d._fill("draws", (120, 150), n=150).reshape(120, 3, 50).transpose(1, 2, 0)
    expected = -0.5 * np.log(2 * np.pi * sigma**2)[..., None] - (y - f) ** 2 / (2 * sigma[..., None] ** 2)
    np.testing.assert_allclose(np.asarray(data["log_likelihood"]["y"]), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_arviz_of_classes(labels):
    X, y = labels
    name = np.array(["c", "a", "b"])[y]
    model = copse.BARTClassifier(trees=5, samples=20, burn_in=20, chains=2, random_state=0).fit(X, name)
    data = copse.to_arviz(model, X, name)
    values = np.asarray(data["log_likelihood"]["y"])
    assert values.shape == (2, 20, 120)
    p = model.predict_proba(X)[np.arange(120), np.searchsorted(model.classes_, name)]
    np.testing.assert_allclose(np.exp(values).mean(axis=(0, 1)), p, rtol=1e-6)
    with pytest.raises(ValueError, match="bart and bcart"):
        copse.CartRegressor().fit(X, y).to_arviz()


def test_plots(numbers, labels):
    X, y = numbers
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["colour"] = np.where(X[:, 0] > 0.5, "red", "blue")
    model = copse.RandomForestRegressor(trees=10, random_state=0).fit(frame, y)
    assert plot.coverage(model, frame, y).get_title().startswith("crps")
    assert plot.intervals(model, frame, y).get_xlabel() == "row, by prediction"
    assert plot.effect(model, frame, "a").get_xlabel() == "a"
    assert [t.get_text() for t in plot.effect(model, frame, "colour").get_xticklabels()][:2] in (["red", "blue"], ["blue", "red"])
    classes = copse.RandomForestClassifier(trees=10, random_state=0).fit(*labels)
    assert plot.reliability(classes, *labels).get_title().startswith("calibration")
    assert plot.effect(classes, labels[0], 0, label=2).get_ylabel() == "probability of 2"
    with pytest.raises(ValueError, match="coverage"):
        plot.reliability(model, frame, y)
    with pytest.raises(ValueError, match="reliability"):
        plot.coverage(classes, *labels)
    matplotlib.pyplot.close("all")


def test_html(numbers):
    X, y = numbers
    model = copse.MondrianForestRegressor(trees=5, random_state=0).fit(X, y)
    assert "<table>" in model.model_._repr_html_()
    assert "MondrianForestRegressor" in model._repr_html_()


def test_effect_and_importance_agree_with_scikit_learn(numbers):
    X, y = numbers
    model = copse.RandomForestRegressor(trees=20, random_state=0).fit(X, y)
    ours = model.effect(X, 0, points=5)
    theirs = partial_dependence(model, X, [0], custom_values={0: ours["value"]})
    np.testing.assert_allclose(ours["mean"], theirs["average"][0], rtol=1e-9)
    loss, mean, _ = model.permutation_importance(X, y, n_repeats=20)
    assert abs(loss - np.sqrt(np.mean((model.predict(X) - y) ** 2))) < 1e-9
    theirs = sklearn_permutation_importance(model, X, y, n_repeats=20, random_state=0,
                                            scoring="neg_root_mean_squared_error").importances_mean
    np.testing.assert_allclose(mean, theirs, rtol=0.1, atol=0.01)
    importances = model.feature_importances_
    assert importances.shape == (4,) and abs(importances.sum() - 1) < 1e-9
    assert set(np.argsort(importances)[-2:]) == {0, 1}
    with pytest.raises(AttributeError, match="mondrian"):
        copse.MondrianForestRegressor(trees=2).fit(X, y).feature_importances_


def test_grid_search_pipelines_and_output(numbers, labels):
    X, y = numbers
    search = GridSearchCV(copse.CartRegressor(random_state=0), {"min_leaf": [1, 5, 20], "max_depth": [2, None]}, cv=3)
    search.fit(X, y)
    assert search.best_score_ > 0.7
    parallel = GridSearchCV(copse.ExtraTreesClassifier(trees=5, random_state=0, n_jobs=1), {"min_leaf": [1, 3]}, cv=3, n_jobs=2)
    assert parallel.fit(*labels).best_score_ > 0.7
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipe = make_pipeline(make_column_transformer((StandardScaler(), ["a", "b"]), remainder="passthrough"),
                         copse.RandomForestRegressor(trees=10, random_state=0)).set_output(transform="pandas")
    assert cross_val_score(pipe, frame, y, cv=3).mean() > 0.5
    pipe.fit(frame, y)
    assert pipe[-1].feature_names_in_[0] == "standardscaler__a"


def test_metadata_routing(numbers):
    import sklearn

    X, y = numbers
    with sklearn.config_context(enable_metadata_routing=True):
        model = copse.CartRegressor(random_state=0).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"min_leaf": [1, 5]}, cv=3).fit(X, y, sample_weight=np.arange(120.0))
        assert search.best_estimator_.n_features_in_ == 4


def test_weights_change_the_model(numbers):
    X, y = numbers
    plain = copse.CartRegressor(random_state=0).fit(X, y)
    weighted = copse.CartRegressor(random_state=0).fit(X, y, sample_weight=np.where(y > 2, 10.0, 0.1))
    assert plain.model_.digest() != weighted.model_.digest()
    with pytest.raises(ValueError, match="[Nn]egative"):
        copse.CartRegressor().fit(X, y, sample_weight=-np.ones(120))
