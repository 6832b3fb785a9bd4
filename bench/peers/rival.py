"""One fit of one method: rival.py METHOD TASK FOLDER [COPSE OPTIONS...].  FOLDER has train.csv and test.csv, the target last.

Prints one JSON object: how good the predictions of the test rows are, CPU seconds of fit and of prediction, memory."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy
import pandas

LEVELS = numpy.arange(1, 20) / 20


# ------------------------------------------------------------------------------------------------------------- scores

def scores_of_numbers(y, quantile, mean, log_density):
    quantile = numpy.sort(quantile, axis=1)
    gap = y[:, None] - quantile
    low, high = quantile[:, 0], quantile[:, -1]
    width = high - low + 20 * numpy.maximum(low - y, 0) + 20 * numpy.maximum(y - high, 0)
    out = {'rmse': numpy.sqrt(numpy.mean((y - mean) ** 2)),
           'crps': 2 * numpy.mean(numpy.maximum(LEVELS * gap, (LEVELS - 1) * gap)),
           'is90': numpy.mean(width), 'coverage': numpy.mean((y >= low) & (y <= high))}
    if log_density is not None:
        out['nlpd'] = -numpy.mean(log_density)
    return out


def scores_of_classes(y, p):
    """y: index of the class of each row."""
    p = numpy.clip(p, 1e-15, 1)
    p = p / p.sum(1, keepdims=True)
    label, top, hit = p.argmax(1), p.max(1), p.argmax(1) == y
    bins = numpy.minimum((top * 15).astype(int), 14)
    ece = sum(abs(hit[bins == b].mean() - top[bins == b].mean()) * (bins == b).mean() for b in range(15) if (bins == b).any())
    one = numpy.eye(p.shape[1])[y]
    return {'accuracy': numpy.mean(label == y), 'error': numpy.mean(label != y), 'ece': ece,
            'log_loss': -numpy.mean(numpy.log(p[numpy.arange(len(y)), y])), 'brier': numpy.mean(((p - one) ** 2).sum(1))}


# -------------------------------------------------------------------------------------------------------------- copse

def run_copse(task, folder, program, options):
    with tempfile.TemporaryDirectory() as made:
        model, out = os.path.join(made, 'm.copse'), os.path.join(made, 'p.csv')
        test = pandas.read_csv(os.path.join(folder, 'test.csv'), dtype={'target': str} if task == 'class' else None)
        fit = subprocess.run([program, 'fit', os.path.join(folder, 'train.csv'), '-t', 'target', '--task', task, '-o', model,
                              '--json', '--quiet', *options], check=True, stdout=subprocess.PIPE, text=True)
        fit = json.loads(fit.stdout)
        wanted = ['--quantiles', ','.join(f'{q:.2f}' for q in LEVELS)] if task == 'regress' else []
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program, 'predict', model, os.path.join(folder, 'test.csv'), '-o', out, '--quiet', *wanted], check=True)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
        p = pandas.read_csv(out, dtype={'label': str} if task == 'class' else None)
        times = {'cpu': fit['fit_cpu_seconds'], 'predict_cpu': spent, 'mb': fit['peak_rss_mb']}
        if task == 'regress':
            done = subprocess.run([program, 'eval', model, os.path.join(folder, 'test.csv'), '--json', '--quiet'], check=True,
                                  stdout=subprocess.PIPE, text=True)
            y = test.target.to_numpy(float)
            quantile = p[[c for c in p.columns if c.startswith('q')]].to_numpy()
            return {**scores_of_numbers(y, quantile, p['mean'].to_numpy(), None), 'nlpd': json.loads(done.stdout)['nlpd'], **times}
        names = [c[2:] for c in p.columns if c.startswith('p_')]
        probs = p[['p_' + n for n in names]].to_numpy()
        names += sorted(set(test.target) - set(names))  # classes that no training row has
        probs = numpy.pad(probs, ((0, 0), (0, len(names) - probs.shape[1])))
        return {**scores_of_classes(test.target.map(names.index).to_numpy(), probs), **times}


# ------------------------------------------------------------------------------------------------------------- others

def tables(folder, task):
    """Text as categories, and as numbers for those who take no categories; the same codes in train and test."""
    kinds = {'target': str} if task == 'class' else None
    train, test = (pandas.read_csv(os.path.join(folder, f + '.csv'), dtype=kinds) for f in ('train', 'test'))
    x, tx = train.drop(columns='target'), test.drop(columns='target')
    for c in x.columns:
        if not pandas.api.types.is_numeric_dtype(x[c]):
            x[c] = pandas.Categorical(x[c])
            tx[c] = pandas.Categorical(tx[c], categories=x[c].cat.categories)
    return x, train.target, tx, test.target


def as_codes(x):
    out = x.copy()
    for c in out.columns:
        if isinstance(out[c].dtype, pandas.CategoricalDtype):
            out[c] = out[c].cat.codes
    return out.fillna(out.median())


def held_out(n):
    """A tenth of the rows, to stop early."""
    chosen = numpy.zeros(n, bool)
    chosen[numpy.random.default_rng(1).permutation(n)[:max(n // 10, 1)]] = True
    return chosen


def lightgbm_numbers(x, y, tx):
    import lightgbm
    def fit(**how):
        return lightgbm.LGBMRegressor(verbosity=-1, n_jobs=1, random_state=1, **how).fit(x, y).predict(tx)
    return numpy.column_stack([fit(objective='quantile', alpha=q) for q in LEVELS]), fit(), None


def gaussian(mean, sd):
    from scipy import stats
    sd = numpy.maximum(sd, 1e-9)
    return stats.norm.ppf(LEVELS[None, :], mean[:, None], sd[:, None]), mean, lambda y: stats.norm.logpdf(y, mean, sd)


def catboost_frames(*frames):
    out = [f.copy() for f in frames]
    cats = [c for c in out[0].columns if isinstance(out[0][c].dtype, pandas.CategoricalDtype)]
    for f in out:
        for c in cats:
            f[c] = f[c].astype(str)
    return out, cats


def catboost_numbers(x, y, tx):
    import catboost
    (x, tx), cats = catboost_frames(x, tx)
    held = held_out(len(x))
    m = catboost.CatBoostRegressor(loss_function='RMSEWithUncertainty', verbose=0, random_seed=1, thread_count=1,
                                   allow_writing_files=False)
    m.fit(x[~held], y[~held], cat_features=cats, eval_set=(x[held], y[held]), early_stopping_rounds=50)
    p = m.predict(tx)
    return gaussian(p[:, 0], numpy.sqrt(p[:, 1]))


def xgboost_numbers(x, y, tx):
    import xgboost
    common = dict(n_jobs=1, random_state=1, enable_categorical=True, tree_method='hist')
    quantile = xgboost.XGBRegressor(objective='reg:quantileerror', quantile_alpha=LEVELS, **common).fit(x, y).predict(tx)
    return quantile, xgboost.XGBRegressor(**common).fit(x, y).predict(tx), None


def ngboost_numbers(x, y, tx):
    import ngboost
    x, tx = as_codes(x), as_codes(tx)
    held = held_out(len(x))
    m = ngboost.NGBRegressor(verbose=False, random_state=1)
    m.fit(x[~held].to_numpy(float), y[~held].to_numpy(), X_val=x[held].to_numpy(float), Y_val=y[held].to_numpy(),
          early_stopping_rounds=30)
    d = m.pred_dist(tx.to_numpy(float))
    return gaussian(d.params['loc'], d.params['scale'])


def quantile_forest_numbers(x, y, tx):
    import quantile_forest
    m = quantile_forest.RandomForestQuantileRegressor(n_jobs=1, random_state=1, min_samples_leaf=3).fit(as_codes(x), y)
    return m.predict(as_codes(tx), quantiles=list(LEVELS)), m.predict(as_codes(tx), quantiles='mean'), None


def hist_conformal_numbers(x, y, tx):
    """Boosting, and the quantiles of its errors on a fifth of the rows."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    held = numpy.random.default_rng(1).random(len(x)) < .2
    m = HistGradientBoostingRegressor(random_state=1).fit(as_codes(x)[~held], y[~held])
    error = y[held] - m.predict(as_codes(x)[held])
    mean = m.predict(as_codes(tx))
    return mean[:, None] + numpy.quantile(error, LEVELS)[None, :], mean, None


def lightgbm_classes(x, y, tx, classes):
    import lightgbm
    return lightgbm.LGBMClassifier(verbosity=-1, n_jobs=1, random_state=1).fit(x, y).predict_proba(tx)


def catboost_classes(x, y, tx, classes):
    import catboost
    (x, tx), cats = catboost_frames(x, tx)
    held = held_out(len(x))
    if len(set(y[~held])) < len(classes):
        held[:] = False
    m = catboost.CatBoostClassifier(verbose=0, random_seed=1, thread_count=1, allow_writing_files=False,
                                    loss_function='Logloss' if len(classes) == 2 else 'MultiClass')
    m.fit(x[~held], y[~held], cat_features=cats, eval_set=(x[held], y[held]) if held.any() else None,
          early_stopping_rounds=50 if held.any() else None)
    return m.predict_proba(tx)


def xgboost_classes(x, y, tx, classes):
    import xgboost
    return xgboost.XGBClassifier(n_jobs=1, random_state=1, enable_categorical=True, tree_method='hist').fit(x, y).predict_proba(tx)


def sklearn_classes(kind):
    def fit(x, y, tx, classes):
        from sklearn import ensemble
        return getattr(ensemble, kind)(n_jobs=1, random_state=1).fit(as_codes(x), y).predict_proba(as_codes(tx))
    return fit


NUMBERS = {'lightgbm': lightgbm_numbers, 'catboost': catboost_numbers, 'xgboost': xgboost_numbers, 'ngboost': ngboost_numbers,
           'quantile-forest': quantile_forest_numbers, 'hist-conformal': hist_conformal_numbers}
CLASSES = {'lightgbm': lightgbm_classes, 'catboost': catboost_classes, 'xgboost': xgboost_classes,
           'sklearn-rf': sklearn_classes('RandomForestClassifier'), 'sklearn-et': sklearn_classes('ExtraTreesClassifier')}
PACKAGE = {'quantile-forest': 'quantile-forest', 'hist-conformal': 'scikit-learn', 'sklearn-rf': 'scikit-learn',
           'sklearn-et': 'scikit-learn'}


def run_other(method, task, folder):
    from importlib import metadata
    x, y, tx, ty = tables(folder, task)
    start = time.process_time()
    if task == 'regress':
        quantile, mean, density = NUMBERS[method](x, y, tx)
        spent = time.process_time() - start
        y = ty.to_numpy(float)
        out = scores_of_numbers(y, numpy.asarray(quantile), numpy.asarray(mean), density(y) if density else None)
    else:
        classes = sorted(set(y))
        probs = CLASSES[method](x, y.map(classes.index).to_numpy(), tx, classes)
        spent = time.process_time() - start
        every = classes + sorted(set(ty) - set(classes))  # classes that no training row has
        out = scores_of_classes(ty.map(every.index).to_numpy(), numpy.pad(probs, ((0, 0), (0, len(every) - len(classes)))))
    return {**out, 'cpu': spent, 'mb': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            'version': metadata.version(PACKAGE.get(method, method))}


def main():
    method, task, folder = sys.argv[1:4]
    out = run_copse(task, folder, sys.argv[4], sys.argv[5:]) if len(sys.argv) > 4 else run_other(method, task, folder)
    print(json.dumps({k: float(v) if isinstance(v, (numpy.floating, float)) else v for k, v in out.items()}))


main()
