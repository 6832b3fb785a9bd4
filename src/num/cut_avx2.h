/* cut_avx2 - cp_cut_best for processors with AVX2. */
#ifndef CP_CUT_AVX2_H
#define CP_CUT_AVX2_H

#include "num/cut.h"

cp_cut_fn cp_cut_avx2(void); /* NULL if this processor has none */

#endif
