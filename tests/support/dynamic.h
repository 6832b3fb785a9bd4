/* dynamic - what the tests of dynamic trees share: small models straight on the method. */
#ifndef DYNAMIC_H
#define DYNAMIC_H

#include "online.h"

#include "dyntree/dyntree_choose.h"
#include "dyntree/dyntree_inspect.h"
#include "dyntree/dyntree_move.h"
#include "dyntree/dyntree_predict.h"
#include "dyntree/dyntree_step.h"

static inline copse_params *options(const char *text) {
    return options_of(&cp_method_dyntree, text);
}

#endif
