#include "mondrian/mondrian_split.h"

#include <math.h>
#include <string.h>

/* The sum can round up to `upper`, and then no row would be on the right. */
float cp_mondrian_split_cut(float lower, float upper, double offset) {
    float cut = (float)((double)lower + offset);
    if (cut >= upper) cut = nextafterf(upper, lower);
    return cut < lower ? lower : cut;
}

cp_mondrian_split cp_mondrian_split_draw(const float *box, size_t dims, double total, cp_rng *rng) {
    double offset = cp_rng_unit(rng) * total;
    size_t d = 0;
    for (; d < dims; d++) {
        double side = (double)(box[dims + d] - box[d]);
        if (offset < side) break;
        offset -= side;
    }
    if (d == dims) { /* rounding put the point behind the last side: take its end */
        do d--;
        while (box[dims + d] <= box[d]);
        offset = (double)(box[dims + d] - box[d]);
    }
    return (cp_mondrian_split){(int32_t)d, cp_mondrian_split_cut(box[d], box[dims + d], offset)};
}

static double gap(const float *box, const float *x, size_t dims, size_t d) {
    float above = x[d] - box[dims + d], below = box[d] - x[d], larger = above > below ? above : below;
    return larger > 0 ? (double)larger : 0;
}

cp_mondrian_split cp_mondrian_split_draw_outside(const cp_mondrian_space *s, const float *box, const float *x,
                                                 double total, cp_rng *rng) {
    double offset = cp_rng_unit(rng) * total;
    size_t dims = s->dims, d = s->kern->gap_at(box, x, dims, &offset);
    if (d == dims) { /* rounding put the point behind the last gap: take its end */
        do offset = gap(box, x, dims, --d);
        while (!(offset > 0));
    }
    float cut = x[d] > box[dims + d] ? cp_mondrian_split_cut(box[dims + d], x[d], offset)
                                     : cp_mondrian_split_cut(x[d], box[d], offset);
    return (cp_mondrian_split){(int32_t)d, cut};
}

/* Without branches on the data. */
size_t cp_mondrian_split_rows(const cp_mondrian_space *s, cp_mondrian_split split, int32_t *row, size_t n,
                              int32_t *tmp) {
    enum { AHEAD = 16 };
    const float *column = s->x + split.dim;
    size_t left = 0, right = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t r = row[i];
        if (i + AHEAD < n) __builtin_prefetch(column + (size_t)row[i + AHEAD] * s->dims);
        int goes_left = column[(size_t)r * s->dims] <= split.cut;
        row[left] = r;
        tmp[right] = r;
        left += (size_t)goes_left;
        right += (size_t)!goes_left;
    }
    memcpy(row + left, tmp, right * sizeof *row);
    return left;
}
