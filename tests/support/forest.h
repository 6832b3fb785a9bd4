/* forest - what the Mondrian tests share: small forests straight on the method, with made-up rows. */
#ifndef FOREST_H
#define FOREST_H

#include "online.h"

#include "mondrian/mondrian.h"
#include "mondrian/mondrian_extend.h"
#include "mondrian/mondrian_file.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_hnsp.h"
#include "mondrian/mondrian_split.h"

static inline copse_params *options(const char *text) {
    return options_of(&cp_method_mondrian, text);
}

#endif
