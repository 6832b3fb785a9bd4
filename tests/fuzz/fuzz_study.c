#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hostile_study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* As it is, and with its checksums made right: else no mutant would get past them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    unsigned char *copy = calloc(n ? n : 1, 1);
    if (!copy) return 0;
    if (n) memcpy(copy, data, n);
    hostile_study_try(copy, n);
    hostile_study_sign(copy, n);
    hostile_study_try(copy, n);
    free(copy);
    return 0;
}
