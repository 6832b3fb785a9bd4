/* key_block_avx2 - the AVX2 version of the kernels that make keys. */
#ifndef CP_KEY_BLOCK_AVX2_H
#define CP_KEY_BLOCK_AVX2_H

#include "kernel/key_block.h"

/* NULL if the program is compiled for a processor without AVX2. */
const cp_key_block_kernel *cp_key_block_avx2(void);

#endif
