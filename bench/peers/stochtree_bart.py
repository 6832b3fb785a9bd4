"""stochtree's BART: stochtree_bart.py FOLDER TREES WARM BURN_IN SAMPLES SEED OUT.  FOLDER as in benchdata.files; the draws of f
at the test rows go to OUT (.npy, rows x draws).  Prints one JSON object; CPU seconds are of sampling alone."""
import importlib.metadata
import json
import os
import resource
import sys
import time

import numpy
from stochtree import BARTModel

folder, trees, warm, burn_in, samples, seed = sys.argv[1], *map(int, sys.argv[2:7])
train, test = (numpy.load(os.path.join(folder, part + '.npy')).astype(float) for part in ('train', 'test'))
model = BARTModel()
begin = time.process_time()
model.sample(X_train=train[:, :-1], y_train=train[:, -1], num_gfr=warm, num_burnin=burn_in, num_mcmc=samples,
             general_params={'random_seed': seed, 'num_chains': 1, 'keep_every': 1, 'num_threads': 1},
             mean_forest_params={'num_trees': trees})
spent = time.process_time() - begin
rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
f = model.predict(X=test[:, :-1], terms='y_hat', type='posterior')
numpy.save(sys.argv[7], numpy.asarray(f)[:, -samples:])
print(json.dumps({'peer': 'stochtree ' + importlib.metadata.version('stochtree'), 'fit_cpu_seconds': spent, 'peak_rss_mb': rss}))
