"""scikit-learn's random forest or extra trees for numbers: forest_regressor.py rf|ert TRAIN TEST TREES SEED [ROWS].

Prints one JSON object, and writes the mean and the sd of each test row to ROWS if that is given.  NLPD, sd and coverage are the
thesis's way for forests without a density: a Gaussian with the mean and the variance of the trees' predictions (sec. 6.5.2)."""
import csv
import json
import resource
import statistics
import sys
import time

import numpy
import sklearn
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor


def read(path):
    with open(path, encoding='utf-8') as file:
        rows = csv.reader(file)
        next(rows)
        data = numpy.array(list(rows), dtype=numpy.float64)
    return data[:, :-1].astype(numpy.float32), data[:, -1]


def main():
    kind, train, test, trees, seed = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    (x, y), (tx, ty) = read(train), read(test)
    maker = {'rf': RandomForestRegressor, 'ert': ExtraTreesRegressor}[kind]
    forest = maker(n_estimators=trees, min_samples_leaf=5, n_jobs=1, random_state=seed)
    start = time.process_time()
    forest.fit(x, y)
    fitted = time.process_time()
    each = numpy.array([tree.predict(tx) for tree in forest.estimators_])
    mean, var = each.mean(0), numpy.maximum(each.var(0), 1e-6 * y.var())
    z = numpy.abs(ty - mean) / numpy.sqrt(var)
    if len(sys.argv) > 6:
        numpy.savetxt(sys.argv[6], numpy.column_stack([mean, numpy.sqrt(var)]), delimiter=',', header='mean,sd', comments='')
    levels = [k / 10 for k in range(1, 10)]
    print(json.dumps({
        'peer': 'sklearn ' + sklearn.__version__,
        'fit_cpu_seconds': fitted - start,
        'rmse': float(numpy.sqrt(((ty - mean) ** 2).mean())),
        'nlpd': float((.5 * numpy.log(2 * numpy.pi * var) + .5 * z ** 2).mean()),
        'coverage': [float((z <= statistics.NormalDist().inv_cdf(.5 + level / 2)).mean()) for level in levels],
        'peak_rss_mb': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }))


main()
