/* part_avx2 - cp_part_best for processors with AVX2. */
#ifndef CP_PART_AVX2_H
#define CP_PART_AVX2_H

#include "num/part.h"

cp_part_fn cp_part_avx2(void); /* NULL if this processor has none */

#endif
