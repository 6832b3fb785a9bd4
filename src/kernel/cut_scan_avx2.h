/* cut_scan_avx2 - cp_cut_scan_best for processors with AVX2. */
#ifndef CP_CUT_SCAN_AVX2_H
#define CP_CUT_SCAN_AVX2_H

#include "kernel/cut_scan.h"

/* NULL if the program is compiled for a processor without AVX2. */
cp_cut_scan_fn cp_cut_scan_avx2(void);

#endif
