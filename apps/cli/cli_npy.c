#include "cli_npy.h"

#include <stdint.h>
#include <string.h>

enum { HEAD = 128 }; /* bytes: a multiple of 64, with room for any shape */

/* Always of one length, so that it can be written again when the rows are known. */
int cli_npy_head(FILE *f, size_t rows, size_t columns) {
    char head[HEAD + 1];
    int n =
        snprintf(head, sizeof head, "\x93NUMPY%c%c%c%c{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }",
                 1, 0, HEAD - 10, 0, rows, columns);
    memset(head + n, ' ', (size_t)(HEAD - n));
    head[HEAD - 1] = '\n';
    return fwrite(head, 1, HEAD, f) == HEAD;
}

int cli_npy_end(FILE *f, size_t rows, size_t columns) {
    return fseek(f, 0, SEEK_SET) == 0 && cli_npy_head(f, rows, columns);
}

/* Little endian on any machine. */
void cli_npy_number(FILE *f, double x) {
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
    fwrite(bytes, 1, sizeof bytes, f);
}
