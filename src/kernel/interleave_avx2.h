/* interleave_avx2 - the AVX2 version of the kernel that turns columns into rows. */
#ifndef CP_INTERLEAVE_AVX2_H
#define CP_INTERLEAVE_AVX2_H

#include "kernel/interleave.h"

/* NULL if the program is compiled for a processor without AVX2. */
cp_interleave_fn cp_interleave_avx2(void);

#endif
