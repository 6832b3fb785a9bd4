/* kern_avx2 - the AVX2 twins of kern.c's plain loops. */
#ifndef CP_KERN_AVX2_H
#define CP_KERN_AVX2_H

#include "kernel/kern.h"

/* NULL where the processor (or the compiler's target) has no AVX2. */
const cp_kern *cp_kern_avx2(void);

#endif
