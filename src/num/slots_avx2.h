/* slots_avx2 - cp_slots_best for processors with AVX2. */
#ifndef CP_SLOTS_AVX2_H
#define CP_SLOTS_AVX2_H

#include "num/slots.h"

const cp_slots *cp_slots_avx2(void); /* NULL if this processor has none */

#endif
