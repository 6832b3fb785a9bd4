/* bart - the method bart: Bayesian additive regression trees [Chipman, George, McCulloch 2010; thesis, chapter 4].
 *
 *     bart.c            table of options, table of the method
 *     bart_fit.h        fit: chains in parallel, checkpoints     -> draws/ (chains), mh/ and pg/ (samplers of a tree)
 *     bart_model.h      the fitted model: all draws of all chains
 *     bart_predict.h, bart_inspect.h, bart_report.h, bart_diagnose.h, bart_file.h   what can be done with it
 *
 * core/bart_view.h has the model's equations and the course of a sweep. */
#ifndef CP_BART_H
#define CP_BART_H

#include "method/method.h"

extern const cp_method cp_method_bart;

#endif
