"""Plots by matplotlib: is the model calibrated, and what has it learnt?

Each function draws into `ax` (a new figure's if None) and returns it.
"""

import numpy as np


def _axes(ax):
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(5, 4), layout="constrained")[1]


def _model(model):
    return getattr(model, "model_", model)


def reliability(model, X, y, *, ax=None):
    """Classes: how often the most probable class is right, in bins of its probability.  Calibrated: the diagonal."""
    scores = _model(model).score_all(X, y)
    if "reliability" not in scores:
        raise ValueError("reliability is for classes: use copse.plot.coverage")
    confidence, accuracy, rows = np.array(scores["reliability"]).T
    ax = _axes(ax)
    full = rows > 0
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    ax.bar(confidence[full], accuracy[full], width=0.08, alpha=0.3)
    ax.plot(confidence[full], accuracy[full], marker="o")
    ax.set(xlabel="probability of the predicted class", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1),
           title=f"calibration error {scores['ece']:.3f}")
    return ax


def coverage(model, X, y, *, ax=None):
    """Numbers: the share of rows inside of intervals of each level.  Calibrated: the diagonal."""
    scores = _model(model).score_all(X, y)
    if "coverage" not in scores:
        raise ValueError("coverage is for numbers: use copse.plot.reliability")
    level, observed = np.array(scores["coverage"]).T
    ax = _axes(ax)
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    ax.plot(level, observed, marker="o")
    ax.set(xlabel="level of the interval", ylabel="share of rows inside", xlim=(0, 1), ylim=(0, 1),
           title=f"crps {scores['crps']:.4g}")
    return ax


def effect(model, X, feature, *, label=None, ax=None, **options):
    """What a feature does: the mean prediction over its values, with the interval over the trees.

    label: classes: the one to draw (default: the last).
    """
    model = _model(model)
    found = model.effect(X, feature, **options)
    mean, low, high = found["mean"], found["low"], found["high"]
    what = model.target
    if model.task == "class":
        k = len(model.classes_) - 1 if label is None else model.classes_.tolist().index(label)
        mean, low, high = mean[:, k], low[:, k], high[:, k]
        what = f"probability of {model.classes_[k]}"
    ax = _axes(ax)
    value = found["value"]
    spread = np.isfinite(low).all()
    if value.dtype == object:
        at = np.arange(len(value))
        ax.errorbar(at, mean, yerr=[mean - low, high - mean] if spread else None, fmt="o", capsize=3)
        ax.set_xticks(at, ["missing" if v is None else v for v in value], rotation=30)
    else:
        known = np.isfinite(value)
        ax.plot(value[known], mean[known], marker=".")
        if spread:
            ax.fill_between(value[known], low[known], high[known], alpha=0.25)
    ax.set(xlabel=found["feature"], ylabel=what)
    return ax


def intervals(model, X, y=None, *, level=0.9, ax=None):
    """Numbers: the rows in the order of their prediction, with intervals, and what was observed."""
    dist = _model(model).predict_dist(X)
    mean = dist.mean()
    low, high = dist.interval(level)
    order = np.argsort(mean)
    at = np.arange(len(mean))
    ax = _axes(ax)
    ax.fill_between(at, low[order], high[order], alpha=0.3, label=f"{level:.0%} interval")
    ax.plot(at, mean[order], linewidth=1, label="mean")
    if y is not None:
        ax.scatter(at, np.asarray(y)[order], s=8, color="black", label="observed")
    ax.set(xlabel="row, by prediction", ylabel=_model(model).target)
    ax.legend()
    return ax
