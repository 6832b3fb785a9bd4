#include "io/foreign.h"

#include <string.h>

typedef struct kind {
    const char *magic; /* the first bytes; they hold no zero */
    const char *what;
    const char *way; /* @ stands for the file */
} kind;

static const kind kinds[] = {
    {"PAR1", "a Parquet file", "duckdb -c \"copy (from '@') to '@.csv'\""},
    {"ARROW1", "an Arrow file", "python3 -c \"import pandas as p; p.read_feather('@').to_csv('@.csv', index=False)\""},
    {"PK\003\004", "an Excel file or a zip archive",
     "python3 -c \"import pandas as p; p.read_excel('@').to_csv('@.csv', index=False)\", or unzip '@'"},
    {"\320\317\021\340", "an old Excel file", "open it in a spreadsheet program and save it as CSV"},
    {"SQLite format 3", "an SQLite database", "sqlite3 -header -csv '@' 'select * from TABLE' > '@.csv'"},
    {"\211HDF", "an HDF5 file", "python3 -c \"import pandas as p; p.read_hdf('@').to_csv('@.csv', index=False)\""},
    {"BZh", "packed by bzip2", "bunzip2 -k '@'"},
    {"\3757zXZ", "packed by xz", "unxz -k '@'"},
};

/* The way with the name in the place of each @; cut off where the buffer ends. */
static void print_way(const char *way, const char *name, char *buf, size_t n) {
    size_t used = 0;
    for (const char *c = way; *c && used + 1 < n; c++) {
        const char *piece = *c == '@' ? name : c;
        size_t length = *c == '@' ? strlen(name) : 1;
        if (length > n - 1 - used) length = n - 1 - used;
        memcpy(buf + used, piece, length);
        used += length;
    }
    buf[used] = '\0';
}

copse_status cp_foreign_check(const cp_content *in, copse_error *err) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kind *k = &kinds[i];
        char way[500];
        size_t n = strlen(k->magic);
        if (in->n < n || memcmp(in->bytes, k->magic, n) != 0) continue;
        print_way(k->way, in->name, way, sizeof way);
        return cp_fail(err, COPSE_E_DATA, "%.200s is %s, which copse does not read. Convert it first: %s", in->name,
                       k->what, way);
    }
    return COPSE_OK;
}
