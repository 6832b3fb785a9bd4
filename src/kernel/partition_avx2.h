/* partition_avx2 - cp_partition_best for processors with AVX2. */
#ifndef CP_PARTITION_AVX2_H
#define CP_PARTITION_AVX2_H

#include "kernel/partition.h"

/* NULL if the program is compiled for a processor without AVX2. */
cp_partition_fn cp_partition_avx2(void);

#endif
