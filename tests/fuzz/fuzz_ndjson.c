#include "fuzz_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_read(data, n, &(cp_read_options){.format = "ndjson"});
    fuzz_read(data, n, &(cp_read_options){.format = "ndjson", .na = "?", .numeric = "a"});
    fuzz_read(data, n, &(cp_read_options){.format = "ndjson", .categorical = "*"});
    return 0;
}
