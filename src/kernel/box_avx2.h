/* box_avx2 - the AVX2 version of the kernels on boxes. */
#ifndef CP_BOX_AVX2_H
#define CP_BOX_AVX2_H

#include "kernel/box.h"

/* NULL if the program is compiled for a processor without AVX2. */
const cp_box_kernel *cp_box_avx2(void);

#endif
