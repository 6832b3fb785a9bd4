/* cut_scan_avx2 - the AVX2 version of the kernel that finds the best cut. */
#ifndef CP_CUT_SCAN_AVX2_H
#define CP_CUT_SCAN_AVX2_H

#include "kernel/cut_scan.h"

/* NULL if the program is compiled for a processor without AVX2. */
cp_cut_scan_fn cp_cut_scan_avx2(void);

#endif
