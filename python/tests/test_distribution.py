"""Distributions against mixtures of scipy.stats, of the components that the library shows."""
import numpy as np
import pytest
import scipy.optimize
import scipy.stats

import copse

METHODS = [("mondrian", {"trees": 10}), ("rf", {"trees": 10}), ("cart", {}), ("smc", {"particles": 50}),
           ("bcart", {"samples": 20, "burn_in": 50}), ("dyntree", {"particles": 20}), ("boost", {"trees": 20}),
           ("bart", {"trees": 5, "samples": 10, "burn_in": 20, "chains": 2})]


class Mixture:
    """A mixture, by scipy."""

    def __init__(self, components):
        self.parts = [(w, scipy.stats.norm(m, s) if np.isinf(df) else scipy.stats.t(df, m, s))
                      for w, m, s, df in components]

    def sum(self, name, *args):
        return sum(w * getattr(part, name)(*args) for w, part in self.parts)

    def mean(self):
        return self.sum("mean")

    def var(self):
        return sum(w * (part.var() + part.mean() ** 2) for w, part in self.parts) - self.mean() ** 2

    def ppf(self, q):
        ends = [part.ppf(q) for _, part in self.parts]
        low, high = min(ends), max(ends)
        if high - low < 1e-14 * max(abs(low), 1e-300):
            return low
        return scipy.optimize.brentq(lambda y: self.sum("cdf", y) - q, low - 1e-9, high + 1e-9, xtol=1e-14, rtol=1e-14)

    def crps(self, y):
        """The integral of (F - 1[y <= x])^2, by Gauss and Legendre on many panels on either side of y."""
        node, weight = np.polynomial.legendre.leggauss(12)
        total = 0.0
        for low, high in ((self.ppf(1e-10), y), (y, self.ppf(1 - 1e-10))):
            edge = np.linspace(low, high, 401)
            half = np.diff(edge)[:, None] / 2
            f = self.sum("cdf", edge[:-1, None] + half * (node + 1))
            total += np.sum(half * weight * (f if high == y else f - 1) ** 2)
        return total


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method, options", METHODS, ids=[m for m, _ in METHODS])
def test_against_scipy(numbers, method, options):
    X, y = numbers
    d = copse.fit(X, y, method=method, **options).predict_dist(X[:8])
    q = np.array([0.01, 0.05, 0.3, 0.5, 0.9, 0.99])
    ours = {"mean": d.mean(), "var": d.var(), "cdf": d.cdf(y[:8]), "pdf": d.pdf(y[:8]), "logpdf": d.logpdf(y[:8]),
            "ppf": d.ppf(q), "crps": d.crps(y[:8])}
    for i in range(8):
        theirs = Mixture(d.components(i))
        assert abs(sum(w for w, _ in theirs.parts) - 1) < 1e-12
        np.testing.assert_allclose(ours["mean"][i], theirs.mean(), rtol=1e-9)
        np.testing.assert_allclose(ours["var"][i], theirs.var(), rtol=1e-9)
        np.testing.assert_allclose(ours["cdf"][i], theirs.sum("cdf", y[i]), rtol=1e-9)
        np.testing.assert_allclose(ours["pdf"][i], theirs.sum("pdf", y[i]), rtol=1e-9)
        np.testing.assert_allclose(ours["logpdf"][i], np.log(theirs.sum("pdf", y[i])), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(theirs.sum("cdf", ours["ppf"][i]), q, rtol=1e-9)
        if i == 0:
            np.testing.assert_allclose(ours["ppf"][i], [theirs.ppf(v) for v in q], rtol=1e-9)
            np.testing.assert_allclose(ours["crps"][i], theirs.crps(y[i]), rtol=1e-7)


def test_shapes(numbers):
    X, y = numbers
    d = copse.fit(X, y, method="rf", trees=5).predict_dist(X[:6])
    assert len(d) == 6 and d.mean().shape == d.std().shape == d.median().shape == (6,)
    assert d.ppf(0.5).shape == (6,) and d.ppf([0.1, 0.5, 0.9]).shape == (6, 3) and d.ppf([]).shape == (6, 0)
    assert d.cdf(1.0).shape == (6,) and d.cdf(y[:6]).shape == (6,) and d.cdf(np.ones((6, 4))).shape == (6, 4)
    assert d.cdf(np.ones((1, 4))).shape == (6, 4)
    assert d.rvs(3, random_state=1).shape == (6, 3)
    np.testing.assert_array_equal(d.rvs(3, random_state=1), d.rvs(3, random_state=1))
    np.testing.assert_allclose(d.sf(1.0), 1 - d.cdf(1.0))
    for bad in (np.ones(5), np.ones((3, 4)), np.ones((6, 2, 2))):
        with pytest.raises(ValueError, match="6 rows"):
            d.cdf(bad)
    with pytest.raises(ValueError):
        d.ppf([1.5])
    with pytest.raises(ValueError, match="level"):
        d.interval(1)
    with pytest.raises(IndexError):
        d.components(6)
    assert "<table>" in d._repr_html_()


def test_draws_follow_the_distribution(numbers):
    X, y = numbers
    d = copse.fit(X, y, method="mondrian", trees=10).predict_dist(X[:2])
    n = 20000
    draws = d.rvs(n, random_state=11)
    bound = np.sqrt(np.log(2 / 1e-6) / (2 * n))  # Dvoretzky, Kiefer and Wolfowitz at 1e-6
    for i in range(2):
        y_sorted = np.sort(draws[i])
        cdf = Mixture(d.components(i)).sum("cdf", y_sorted[::50])
        assert np.abs(cdf - np.arange(0, n, 50) / n).max() < bound
        shifted = Mixture(d.components(i)).sum("cdf", y_sorted[::50] + 0.1)
        assert np.abs(shifted - np.arange(0, n, 50) / n).max() > bound  # the control


@pytest.mark.filterwarnings("ignore")
def test_class_probabilities_over_draws(labels):
    X, y = labels
    model = copse.BARTClassifier(trees=5, samples=10, burn_in=20, chains=2, random_state=0)
    model.fit(X, np.array(["c", "a", "b"])[y])
    d = model.predict_dist(X[:5])
    draws = d.draws()
    assert draws.shape == (5, 3, 20)
    np.testing.assert_allclose(d.mean(), model.predict_proba(X[:5]))
    np.testing.assert_allclose(draws.mean(axis=2), d.mean(), atol=1e-12)
    low, high = d.interval(0.8)
    assert (low <= high).all() and d.ppf([0.1, 0.9]).shape == (5, 3, 2)
    np.testing.assert_allclose(d.std(), draws.std(axis=2, ddof=1), rtol=0.1, atol=0.02)
    np.testing.assert_array_equal(d.ppf(1.0), draws.max(axis=2))
    with pytest.raises(copse.UsageError, match="predict_proba"):
        copse.CartClassifier().fit(X, y).predict_dist(X)
