"""scikit-learn's random forest or extra trees: forest.py SPEC, a JSON object with

    kind (rf, ert), task (class, regress), train, test (.npy: features first, the target last), trees, min_leaf,
    features (tried at a split; 0: all), seed, and keep, if the forest is to be kept in that file;

or task, test and kept, the file of a forest that was kept: it only predicts.

Prints one JSON object.  CPU seconds are of fit and predict alone, as copse counts its own; predictions are made five
times, and the median counts."""
import json
import pickle
import resource
import statistics
import sys
import time

import numpy
import sklearn
from sklearn import ensemble


def read(path):
    data = numpy.load(path)
    return numpy.ascontiguousarray(data[:, :-1], dtype=numpy.float32), data[:, -1].astype(numpy.float64)


def scores(task, forest, answer, y):
    if task == 'regress':
        return {'rmse': float(numpy.sqrt(((y - answer) ** 2).mean()))}
    own = answer[numpy.arange(len(y)), numpy.searchsorted(forest.classes_, y)]
    return {'accuracy': float((forest.classes_[answer.argmax(1)] == y).mean()),
            'log_loss': float(-numpy.log(numpy.maximum(own, 1e-15)).mean())}


def predict(forest, task, x):
    """What it answers, and its CPU seconds: the median of five times, and the first."""
    ask, seconds = forest.predict_proba if task == 'class' else forest.predict, []
    for _ in range(5):
        start = time.process_time()
        answer = ask(x)
        seconds.append(time.process_time() - start)
    return answer, {'predict_cpu_seconds': statistics.median(seconds), 'first_predict_cpu_seconds': seconds[0]}


def kept(spec):
    with open(spec['kept'], 'rb') as file:
        forest = pickle.load(file)
    return predict(forest, spec['task'], read(spec['test'])[0])[1]


def fitted(spec):
    x, y = read(spec['train'])
    maker = {('rf', 'class'): ensemble.RandomForestClassifier, ('rf', 'regress'): ensemble.RandomForestRegressor,
             ('ert', 'class'): ensemble.ExtraTreesClassifier, ('ert', 'regress'): ensemble.ExtraTreesRegressor}
    forest = maker[spec['kind'], spec['task']](
        n_estimators=spec['trees'], min_samples_leaf=spec['min_leaf'], max_features=spec['features'] or None,
        n_jobs=1, random_state=spec['seed'])
    start = time.process_time()
    forest.fit(x, y)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tx, ty = read(spec['test'])
    answer, times = predict(forest, spec['task'], tx)
    if 'keep' in spec:
        with open(spec['keep'], 'wb') as file:
            pickle.dump(forest, file)
    return {
        'peer': 'scikit-learn ' + sklearn.__version__,
        'fit_cpu_seconds': seconds,
        **times,
        'nodes': sum(tree.tree_.node_count for tree in forest.estimators_),
        'peak_rss_mb': peak,
        **scores(spec['task'], forest, answer, ty),
    }


asked = json.loads(sys.argv[1])
print(json.dumps(kept(asked) if 'kept' in asked else fitted(asked)))
