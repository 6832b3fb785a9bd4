#include "fuzz_reading.h"

#include "io/csv.h"
#include "io/csv_sniff.h"

/* The stream's search for row ends and the parser must agree on how many rows there are. */
static void count_alike(const char *text, size_t n) {
    const cp_read_options opt = {.format = "csv", .no_header = 1, .delimiter = ','};
    copse_table *t;
    if (cp_read_bytes("input", text, n, &opt, &t, NULL)) return;
    cp_csv_sniff_cursor cut = {.at = cp_text_bom(text, n)};
    size_t rows = cp_csv_sniff_rows(&cut, &(cp_content){"input", text, n}, ',', 1, SIZE_MAX);
    fuzz_demand(rows == t->rows);
    cp_table_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_read(data, n, &(cp_read_options){.format = "csv"});
    fuzz_read(data, n, &(cp_read_options){.format = "tsv", .no_header = 1, .na = "?,-1"});
    fuzz_read(data, n, &(cp_read_options){.format = "csv", .no_header = 1, .numeric = "x1"});
    fuzz_read(data, n, &(cp_read_options){.format = "csv", .no_header = 1, .categorical = "x*"});
    count_alike((const char *)data, n);
    return 0;
}
