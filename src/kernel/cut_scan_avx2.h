/* cut_scan_avx2 - cp_cut_scan_best for processors with AVX2. */
#ifndef CP_CUT_SCAN_AVX2_H
#define CP_CUT_SCAN_AVX2_H

#include "kernel/cut_scan.h"

cp_cut_scan_fn cp_cut_scan_avx2(void); /* NULL if this processor has none */

#endif
