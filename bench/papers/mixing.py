"""Mixing of chains: effective sample size as in coda, and rank-normalised R-hat of split chains."""
import math
import statistics


def _autocovariance(x, lags):
    n, mean = len(x), statistics.fmean(x)
    d = [v - mean for v in x]
    return [sum(d[i] * d[i + k] for i in range(n - k)) / n for k in range(lags + 1)]


def _yule_walker(r):
    """Levinson's recursion: (coefficients, innovation variance) of every order."""
    fits, phi, v = [([], r[0])], [], r[0]
    for k in range(1, len(r)):
        last = (r[k] - sum(phi[j] * r[k - 1 - j] for j in range(k - 1))) / v
        phi = [phi[j] - last * phi[k - 2 - j] for j in range(k - 1)] + [last]
        v *= 1 - last * last
        fits.append((phi, v))
    return fits


def coda_ess(x):
    """n var / S(0), the spectrum at 0 from the autoregression that has the best AIC, as effectiveSize of R's coda."""
    n = len(x)
    r = _autocovariance(x, min(n - 1, math.floor(10 * math.log10(n))))
    if r[0] <= 1e-12 * max(abs(v) for v in x) ** 2:
        return 0.0  # the chain does not move
    fits = _yule_walker(r)
    order = min(range(len(fits)), key=lambda k: n * math.log(max(fits[k][1], 1e-300)) + 2 * k)
    phi, v = fits[order]
    spectrum = v * n / (n - order - 1) / (1 - sum(phi)) ** 2
    return n * r[0] * n / (n - 1) / spectrum


def _scores(chains):
    """Normal scores of the ranks among all draws; equal draws share theirs."""
    every = sorted((v, c, i) for c, x in enumerate(chains) for i, v in enumerate(x))
    out, normal, at = [[0.0] * len(x) for x in chains], statistics.NormalDist(), 0
    while at < len(every):
        end = at
        while end < len(every) and every[end][0] == every[at][0]:
            end += 1
        score = normal.inv_cdf(((at + 1 + end) / 2 - .375) / (len(every) + .25))
        for _, c, i in every[at:end]:
            out[c][i] = score
        at = end
    return out


def _plain_rhat(chains):
    n = len(chains[0])
    within = statistics.fmean(statistics.variance(x) for x in chains)
    between = statistics.variance([statistics.fmean(x) for x in chains])
    return math.sqrt((n - 1) / n + between / within) if within > 0 else math.inf


def rhat(chains):
    """Rank-normalised split R-hat, the larger of that of the draws and of their distances from the median."""
    half = len(chains[0]) // 2
    halves = [x[k * half:(k + 1) * half] for x in chains for k in range(2)]
    middle = statistics.median(v for x in halves for v in x)
    return max(_plain_rhat(_scores(halves)), _plain_rhat(_scores([[abs(v - middle) for v in x] for x in halves])))
