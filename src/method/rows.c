#include "method/rows.h"

cp_rows cp_rows_slice(const cp_rows *rows, size_t first, size_t n) {
    CP_BUG(rows->key_block);
    cp_rows part = *rows;
    part.n = n < rows->n - first ? n : rows->n - first;
    part.x += first * rows->dims;
    if (part.own) part.own += first * rows->dims;
    if (part.y) part.y += first;
    if (part.label) part.label += first;
    if (part.weight) part.weight += first;
    return part;
}
