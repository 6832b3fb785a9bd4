/* leaf_pass_avx2 - the AVX2 version of the passes over rows by group. */
#ifndef CP_LEAF_PASS_AVX2_H
#define CP_LEAF_PASS_AVX2_H

#include "kernel/leaf_pass.h"

/* NULL if the program is compiled for a processor without AVX2. */
const cp_leaf_pass *cp_leaf_pass_avx2(void);

#endif
