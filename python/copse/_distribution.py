"""Predictive distributions."""

import numpy as np

from ._run import running


class Distribution:
    """The predictive distributions of rows, each a mixture of Gaussian and Student-t components.

    Methods have the names of scipy.stats.  Row i of an answer belongs to row i of X.

    >>> import copse, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 2)); y = X[:, 0] + rng.normal(0, .1, 200)
    >>> d = copse.fit(X, y, method="rf", random_state=0).predict_dist(X[:3])
    >>> d.mean().shape, d.ppf([.05, .95]).shape, len(d)
    ((3,), (3, 2), 3)
    >>> low, high = d.interval(.9)
    >>> bool(np.all(low < d.median())), np.round(d.cdf(d.median()), 6).tolist()
    (True, [0.5, 0.5, 0.5])
    """

    def __init__(self, prediction, n_jobs=None):
        self._p = prediction
        self._n_jobs = n_jobs

    def __len__(self):
        return self._p.rows

    def _fill(self, what, shape, given=None, n=0, seed=0):
        out = np.empty(shape)
        with running(self._n_jobs) as run:
            self._p.fill(what, out, given, n, seed, run)
        return out

    def _at(self, what, y):
        """A function of y: a number for all rows, an array of a number per row, or one of numbers per row (2D)."""
        y = np.asarray(y, dtype=float)
        rows = len(self)
        if y.ndim == 2 and y.shape[0] in (1, rows):
            wide = np.broadcast_to(y, (rows, y.shape[1]))
            columns = [self._fill(what, rows, np.ascontiguousarray(wide[:, j])) for j in range(y.shape[1])]
            return np.stack(columns, axis=1) if columns else np.empty((rows, 0))
        if y.ndim > 1 or (y.ndim == 1 and y.shape[0] != rows):
            raise ValueError(f"y has shape {y.shape}, but the distribution has {rows} rows: give a number, {rows} numbers, "
                             f"or an array of {rows} rows")
        return self._fill(what, rows, np.ascontiguousarray(np.broadcast_to(y, (rows,))))

    def mean(self):
        """The mean of each row."""
        return self._fill("mean", len(self))

    def std(self):
        """The standard deviation of each row."""
        return self._fill("sd", len(self))

    def var(self):
        """The variance of each row."""
        return self.std() ** 2

    def ppf(self, q):
        """Quantiles: one per row for a number q, a column for each q of a sequence."""
        q = np.asarray(q, dtype=float)
        if q.ndim > 1:
            raise ValueError("q is a number or a sequence of numbers")
        if not np.all((q >= 0) & (q <= 1)):
            raise ValueError(f"q={q.tolist()} is not between 0 and 1")
        out = self._fill("quantile", (len(self), q.size), np.ascontiguousarray(q.reshape(-1)), n=q.size)
        return out if q.ndim else out[:, 0]

    quantile = ppf

    def median(self):
        """The median of each row."""
        return self.ppf(0.5)

    def interval(self, level=0.9):
        """The bounds of the central interval of this level: two arrays."""
        if not 0 < level < 1:
            raise ValueError(f"level={level!r} is not between 0 and 1")
        out = self.ppf([(1 - level) / 2, (1 + level) / 2])
        return out[:, 0], out[:, 1]

    def cdf(self, y):
        """The probability of a value of at most y."""
        return self._at("cdf", y)

    def sf(self, y):
        """The probability of a value above y."""
        return 1 - self.cdf(y)

    def logpdf(self, y):
        """The log density at y."""
        return self._at("log_density", y)

    def pdf(self, y):
        """The density at y."""
        return np.exp(self.logpdf(y))

    def crps(self, y):
        """The continuous ranked probability score of y; smaller is better."""
        return self._at("crps", y)

    def rvs(self, size=1, random_state=None):
        """Draws: rows x size.  The same random_state gives the same draws."""
        return self._fill("draws", (len(self), int(size)), n=int(size), seed=seed_of(random_state))

    def components(self, row):
        """The mixture of a row: an array with a line of weight, location, scale and degrees of freedom (inf: Gaussian)
        for each component."""
        rows = len(self)
        if not -rows <= row < rows:
            raise IndexError(f"there is no row {row}: the distribution has {rows} rows")
        return np.array(self._p.components(row % rows), dtype=float).reshape(-1, 4)

    def log_likelihood(self, y):
        """The log density of y in each draw of the model (bart): rows x draws, what leave-one-out estimates need."""
        y = np.ascontiguousarray(np.broadcast_to(np.asarray(y, dtype=float), (len(self),)))
        return self._fill("log_likelihood", (len(self), self._p.model_draws), y)

    def __repr__(self):
        return f"<copse.Distribution of {len(self)} rows>"

    def _repr_html_(self):
        rows = min(len(self), 10)
        mean, std, q = self.mean(), self.std(), self.ppf([0.05, 0.5, 0.95])
        head = "<tr><th></th><th>mean</th><th>sd</th><th>5 %</th><th>50 %</th><th>95 %</th></tr>"
        lines = "".join(
            f"<tr><th>{i}</th>" + "".join(f"<td>{v:.5g}</td>" for v in (mean[i], std[i], *q[i])) + "</tr>"
            for i in range(rows)
        )
        more = f"<p>... {len(self) - rows} more rows</p>" if len(self) > rows else ""
        return f"<table>{head}{lines}</table>{more}"


class ProbaDistribution:
    """The distribution of class probabilities over the draws (trees) of a model: what it does not know of them."""

    def __init__(self, prediction, order, draws):
        self._p = prediction
        self._order = order
        self._draws = draws

    def __len__(self):
        return self._p.rows

    def _sorted(self, out):
        back = np.empty_like(out)
        back[:, self._order] = out
        return back

    def mean(self):
        """The probabilities: rows x classes."""
        out = np.empty((len(self), self._p.classes))
        self._p.probs(out)
        return self._sorted(out)

    def std(self):
        """Their standard deviations over the draws: rows x classes."""
        out = np.empty((len(self), self._p.classes))
        self._p.prob_sd(out)
        return self._sorted(out)

    def ppf(self, q):
        """Their quantiles over the draws: rows x classes for a number q, rows x classes x len(q) for a sequence."""
        q = np.asarray(q, dtype=float)
        out = np.empty((q.size, len(self), self._p.classes))
        for i, value in enumerate(q.reshape(-1)):
            self._p.prob_quantile(out[i], float(value))
        columns = np.stack([self._sorted(part) for part in out], axis=-1)
        return columns if q.ndim else columns[..., 0]

    def interval(self, level=0.9):
        """The bounds of the central interval of this level: two arrays of rows x classes."""
        return self.ppf((1 - level) / 2), self.ppf((1 + level) / 2)

    def draws(self, n=None):
        """The probabilities in n draws (default: each of the model's once): rows x classes x n."""
        n = self._draws if n is None else int(n)
        out = np.empty((len(self), self._p.classes, n))
        self._p.prob_draws(out, n)
        return self._sorted(out)

    def __repr__(self):
        return f"<copse.ProbaDistribution of {len(self)} rows, {self._p.classes} classes>"


def seed_of(random_state):
    """A seed of the library: a whole number is the seed itself; None and generators draw one."""
    if random_state is None:
        return int(np.random.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**31 - 1))
    if isinstance(random_state, (bool, np.bool_)) or int(random_state) != random_state or not 0 <= random_state <= 2**53:
        raise ValueError(f"random_state={random_state!r} is not a whole number from 0 to 2^53, a RandomState or a Generator")
    return int(random_state)
