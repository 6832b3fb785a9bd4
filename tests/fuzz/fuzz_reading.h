/* What every reader must do with any bytes: give a sound table, or a message and nothing else. */
#ifndef FUZZ_READING_H
#define FUZZ_READING_H

#include <stdlib.h>
#include <string.h>

#include "io/read.h"

static inline void fuzz_demand(int holds) {
    if (!holds) abort();
}

static inline void fuzz_read(const uint8_t *data, size_t n, const cp_read_options *opt) {
    copse_table *t = NULL;
    copse_error err = {0};
    copse_status status = cp_read_bytes("input", (const char *)data, n, opt, &t, &err);
    if (status)
        fuzz_demand(!t && err.code == status && status != COPSE_E_INTERNAL && err.msg[0]);
    else
        fuzz_demand(t && t->rows && t->cols && cp_table_check(t));
    cp_table_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
