/* partition_avx2 - the AVX2 version of the kernel that divides a list of rows. */
#ifndef CP_PARTITION_AVX2_H
#define CP_PARTITION_AVX2_H

#include "kernel/partition.h"

/* NULL if the program is compiled for a processor without AVX2. */
cp_partition_fn cp_partition_avx2(void);

#endif
