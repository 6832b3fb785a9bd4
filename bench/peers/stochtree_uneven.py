"""stochtree's BART with one noise level, or with a variance forest: stochtree_uneven.py FOLDER TREES NOISE_TREES BURN_IN SAMPLES SEED.
FOLDER as in benchdata.files.  Prints one JSON object: mean -log density of the test targets under the mixture of all draws."""
import importlib.metadata
import json
import os
import sys
import time
import warnings

import numpy
from stochtree import BARTModel

warnings.simplefilter('ignore')
folder, trees, noise_trees, burn_in, samples, seed = sys.argv[1], *map(int, sys.argv[2:7])
train, test = (numpy.load(os.path.join(folder, part + '.npy')).astype(float) for part in ('train', 'test'))
model = BARTModel()
begin = time.process_time()
model.sample(X_train=train[:, :-1], y_train=train[:, -1], num_gfr=0, num_burnin=burn_in, num_mcmc=samples,
             general_params={'random_seed': seed, 'num_chains': 1, 'keep_every': 1, 'num_threads': 1},
             mean_forest_params={'num_trees': trees}, variance_forest_params={'num_trees': noise_trees})
spent = time.process_time() - begin
answer = model.predict(X=test[:, :-1], terms='all', type='posterior')
f = numpy.asarray(answer['y_hat'])[:, -samples:]
if noise_trees:
    variance = numpy.asarray(answer['variance_forest_predictions'])[:, -samples:]
else:
    variance = numpy.broadcast_to(numpy.asarray(model.global_var_samples)[-samples:], f.shape)
logs = -.5 * (numpy.log(2 * numpy.pi * variance) + (test[:, -1:] - f) ** 2 / variance)
top = logs.max(axis=1, keepdims=True)
nlpd = -float(numpy.mean(top[:, 0] + numpy.log(numpy.mean(numpy.exp(logs - top), axis=1))))
rmse = float(numpy.sqrt(numpy.mean((f.mean(axis=1) - test[:, -1]) ** 2)))
print(json.dumps({'peer': 'stochtree ' + importlib.metadata.version('stochtree'), 'nlpd': nlpd, 'rmse': rmse,
                  'fit_cpu_seconds': spent}))
