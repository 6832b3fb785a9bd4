"""LightGBM or scikit-learn's HistGradientBoosting: boosted.py KIND TASK TREES FOLDER, kind lightgbm or hist, FOLDER as in
benchdata.files.  31 leaves, 20 rows a leaf, 255 bins, a step of .1, no l2, one thread, no early stopping.  Prints one JSON
object; CPU seconds are of fit and predict alone."""
import importlib.metadata
import json
import os
import statistics
import sys
import time

import numpy

kind, task, trees, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
train, test = (numpy.load(os.path.join(folder, part + '.npy')) for part in ('train', 'test'))
x, y, xt, yt = train[:, :-1].copy(), train[:, -1].astype(float), test[:, :-1].copy(), test[:, -1].astype(float)
if kind == 'lightgbm':
    import lightgbm
    maker = lightgbm.LGBMRegressor if task == 'regress' else lightgbm.LGBMClassifier
    model, package = maker(n_estimators=trees, n_jobs=1, max_bin=255, verbose=-1), 'lightgbm'
else:
    from sklearn import ensemble
    maker = ensemble.HistGradientBoostingRegressor if task == 'regress' else ensemble.HistGradientBoostingClassifier
    model, package = maker(max_iter=trees, early_stopping=False), 'scikit-learn'
begin = time.process_time()
model.fit(x, y)
answer = {'peer': package + ' ' + importlib.metadata.version(package), 'fit_cpu_seconds': time.process_time() - begin}
ask, seconds = model.predict if task == 'regress' else model.predict_proba, []
for _ in range(3):
    begin = time.process_time()
    told = ask(xt)
    seconds.append(time.process_time() - begin)
answer['predict_cpu_seconds'] = statistics.median(seconds)
if task == 'regress':
    answer['rmse'] = float(numpy.sqrt(numpy.mean((told - yt) ** 2)))
else:
    own = told[numpy.arange(len(yt)), numpy.searchsorted(model.classes_, yt)]
    answer['log_loss'] = float(-numpy.mean(numpy.log(numpy.maximum(own, 1e-15))))
print(json.dumps(answer))
