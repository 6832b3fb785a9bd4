/* text_scan_avx2 - the AVX2 version of the kernels on text. */
#ifndef CP_TEXT_SCAN_AVX2_H
#define CP_TEXT_SCAN_AVX2_H

#include "kernel/text_scan.h"

/* NULL if the program is compiled for a processor without AVX2. */
const cp_text_scan *cp_text_scan_avx2(void);

#endif
