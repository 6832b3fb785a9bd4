"""scikit-learn's DecisionTreeClassifier: decision_tree.py TRAIN.npy TEST.npy REPEATS, features first, the target last.

Prints one JSON object; CPU seconds are of one fit, the smallest of the repeats, as copse counts its own."""
import json
import sys
import time

import numpy
import sklearn
from sklearn import tree


def read(path):
    data = numpy.load(path)
    return numpy.ascontiguousarray(data[:, :-1], dtype=numpy.float32), data[:, -1].astype(numpy.int64)


def main():
    (x, y), (tx, ty) = read(sys.argv[1]), read(sys.argv[2])
    best = None
    for seed in range(int(sys.argv[3])):
        model = tree.DecisionTreeClassifier(random_state=seed)
        start = time.process_time()
        model.fit(x, y)
        spent = time.process_time() - start
        best = spent if best is None else min(best, spent)
    print(json.dumps({'peer': 'scikit-learn ' + sklearn.__version__, 'fit_cpu_seconds': best, 'nodes': int(model.tree_.node_count),
                      'accuracy': float((model.predict(tx) == ty).mean())}))


main()
