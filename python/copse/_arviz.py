"""Draws of samplers for ArviZ."""

import numpy as np

from . import _table


def _groups(model, X, y):
    traces = model.traces()
    if not traces:
        raise ValueError(f"{model.method} keeps no draws: to_arviz is for bart and bcart")
    groups = {"posterior": traces}
    chains = next(iter(traces.values())).shape[0]
    if X is None:
        return groups
    table = X if isinstance(X, _table._core.Table) else _table.to_table(X, model.feature_names)
    prediction = model._predict(table, 0, 0, model.task == "class", None)
    draws = prediction.model_draws
    if not draws:
        return groups

    def by_chain(values):
        """rows x draws as chains x draws x rows"""
        return values.reshape(table.rows, chains, -1).transpose(1, 2, 0)

    from ._distribution import Distribution

    if model.task == "regress":
        distribution = Distribution(prediction)
        groups["posterior_predictive"] = {"y": by_chain(distribution.rvs(draws, random_state=0))}
    if y is not None:
        if model.task == "class":
            place = {label: k for k, label in enumerate(model.classes_[model._order])}
            codes = np.array([place[label] for label in np.asarray(y)], dtype=float)
        else:
            codes = np.ascontiguousarray(y, dtype=float)
        groups["log_likelihood"] = {"y": by_chain(Distribution(prediction).log_likelihood(codes))}
        groups["observed_data"] = {"y": codes}
    return groups


def to_arviz(model, X=None, y=None):
    """The draws of a sampler (bart, bcart) as ArviZ's data: diagnostics, leave-one-out and plots follow.

    Parameters
    ----------
    model : Model or estimator
    X, y : optional
        Rows for the groups posterior_predictive, log_likelihood and observed_data.

    Returns
    -------
    arviz.InferenceData (ArviZ 0.x) or xarray.DataTree (ArviZ 1.x)
    """
    import arviz

    model = getattr(model, "model_", model)
    groups = _groups(model, X, y)
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict(groups)
    return arviz.from_dict(**groups)
