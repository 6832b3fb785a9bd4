#include "fuzz_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_read(data, n, &(cp_read_options){.format = "libsvm"});
    fuzz_read(data, n, &(cp_read_options){.format = "libsvm", .categorical = "x*"});
    return 0;
}
