"""scikit-learn's ExtraTreesClassifier on a training and a test file: extra_trees.py TRAIN TEST TREES SEED.

Prints one JSON object.  CPU seconds are of fit and predict_proba alone, as copse counts its own."""
import csv
import gzip
import json
import resource
import sys
import time

import numpy
import sklearn
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import log_loss


def read(path):
    with gzip.open(path, 'rt', encoding='utf-8') as file:
        rows = list(csv.reader(file))[1:]
    return numpy.array([row[:-1] for row in rows], dtype=numpy.float32), numpy.array([row[-1] for row in rows])


def main():
    train, test, trees, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    (x, y), (tx, ty) = read(train), read(test)
    forest = ExtraTreesClassifier(n_estimators=trees, n_jobs=1, random_state=seed)
    start = time.process_time()
    forest.fit(x, y)
    fitted = time.process_time()
    probs = forest.predict_proba(tx)
    done = time.process_time()
    print(json.dumps({
        'peer': 'sklearn ' + sklearn.__version__,
        'fit_cpu_seconds': fitted - start,
        'predict_cpu_seconds': done - fitted,
        'accuracy': float((forest.classes_[probs.argmax(1)] == ty).mean()),
        'log_loss': float(log_loss(ty, probs, labels=forest.classes_)),
        'peak_rss_mb': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }))


main()
