#include <stdlib.h>
#include <string.h>

#include "hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* As it is, and with its checksums made right: else no mutant would get past them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    unsigned char *copy = malloc(n ? n : 1);
    if (!copy) return 0;
    if (n) memcpy(copy, data, n);
    hostile_try(copy, n);
    hostile_sign(copy, n);
    hostile_try(copy, n);
    free(copy);
    return 0;
}
