/* rows - parts of encoded rows. */
#include "method/rows.h"

cp_rows cp_rows_slice(const cp_rows *rows, size_t first, size_t n) {
    CP_BUG(rows->key_block);
    cp_rows slice = *rows;
    slice.n = n < rows->n - first ? n : rows->n - first;
    slice.x += first * rows->dims;
    if (slice.x_writable) slice.x_writable += first * rows->dims;
    if (slice.y) slice.y += first;
    if (slice.label) slice.label += first;
    if (slice.weight) slice.weight += first;
    return slice;
}
