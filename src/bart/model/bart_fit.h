/* bart_fit - fits a model: chains in parallel, with checkpoints, and their draws gathered. */
#ifndef CP_BART_FIT_H
#define CP_BART_FIT_H

#include "method/method.h"

extern const cp_sampler cp_bart_fit_sampler;

#endif
