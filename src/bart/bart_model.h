/* bart_model - what is left when the chains are done: the method bart from there on. */
#ifndef CP_BART_MODEL_H
#define CP_BART_MODEL_H

#include "bart/bart_chain.h"
#include "method/method.h"

extern const cp_method cp_bart_method;

#endif
