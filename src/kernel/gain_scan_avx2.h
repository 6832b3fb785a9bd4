/* gain_scan_avx2 - the AVX2 version of the kernel that finds the best cut of a histogram. */
#ifndef CP_GAIN_SCAN_AVX2_H
#define CP_GAIN_SCAN_AVX2_H

#include "kernel/gain_scan.h"

/* NULL if the program is compiled for a processor without AVX2. */
cp_gain_scan_fn cp_gain_scan_avx2(void);

#endif
