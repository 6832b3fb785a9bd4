#include "cli_npy.h"

#include <stdint.h>
#include <string.h>

enum { HEADER = 128 }; /* bytes: a multiple of 64, with room for any shape */

/* The header has a fixed length, so that it can be overwritten when the number of rows is known. */
int cli_npy_header(FILE *f, size_t rows, size_t columns) {
    char header[HEADER + 1];
    int n = snprintf(header, sizeof header,
                     "\x93NUMPY%c%c%c%c{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", 1, 0,
                     HEADER - 10, 0, rows, columns);
    memset(header + n, ' ', (size_t)(HEADER - n));
    header[HEADER - 1] = '\n';
    return fwrite(header, 1, HEADER, f) == HEADER;
}

int cli_npy_finish(FILE *f, size_t rows, size_t columns) {
    return fseek(f, 0, SEEK_SET) == 0 && cli_npy_header(f, rows, columns);
}

/* Little endian on any machine. */
void cli_npy_number(FILE *f, double x) {
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
    fwrite(bytes, 1, sizeof bytes, f);
}
