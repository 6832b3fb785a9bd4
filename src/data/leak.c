#include "data/leak.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"

enum { LEAST_ROWS = 50, MOST_ROWS = 2000, MOST_CELLS = 1 << 24, LEAST_VALUES = 10 };

typedef struct point {
    float x;
    double y; /* the number, or the label */
} point;

static int by_x(const void *a, const void *b) {
    const point *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

/* Does every value of x come with one y?  *out_values: different values of x; *out_changes: of y along x. */
static int is_function(const point *p, size_t n, size_t *out_values, size_t *out_changes) {
    *out_values = 1;
    *out_changes = 0;
    for (size_t i = 1; i < n; i++) {
        int same = p[i].x == p[i - 1].x, changes = p[i].y != p[i - 1].y;
        if (same && changes) return 0;
        *out_values += !same;
        *out_changes += (size_t)changes;
    }
    return 1;
}

/* Numbers: y is a rising or falling function of x, at many values. */
static int determines_number(const point *p, size_t n, size_t values) {
    int up = 1, down = 1;
    if (values < LEAST_VALUES) return 0;
    for (size_t i = 1; i < n; i++) {
        up &= p[i].y >= p[i - 1].y;
        down &= p[i].y <= p[i - 1].y;
    }
    return up || down;
}

/* A sample of the column's rows at equal distances, sorted by x; returns their number, without missing values. */
static size_t take_sample(const cp_leak_rows *rows, size_t dims, size_t d, point *out) {
    size_t step = rows->n > MOST_ROWS ? rows->n / MOST_ROWS : 1, n = 0;
    for (size_t i = 0; i < rows->n && n < MOST_ROWS; i += step) {
        float x = rows->x[i * dims + d];
        if (!isnan(x)) out[n++] = (point){x, rows->y ? rows->y[i] : rows->label[i]};
    }
    qsort(out, n, sizeof *out, by_x);
    return n;
}

/* Categories, and values that repeat, determine classes if each has one class; other numbers if the classes lie apart
 * along them. */
static int determines(const cp_leak_rows *rows, const point *p, size_t n, size_t classes) {
    size_t values, changes;
    if (n < LEAST_ROWS || !is_function(p, n, &values, &changes) || changes == 0) return 0;
    if (rows->y) return determines_number(p, n, values);
    return changes < classes || 5 * values < n;
}

void cp_leak_warn(const cp_schema *s, const cp_leak_rows *rows, const copse_run *run) {
    size_t said = 0, sample = rows->n < MOST_ROWS ? rows->n : MOST_ROWS;
    if (!run || !run->log || rows->n < LEAST_ROWS || s->dims > MOST_CELLS / sample) return;
    point *p = cp_mem_raw(sample, sizeof *p);
    if (!p) return; /* a warning is not worth an error */
    for (size_t i = 0; i < s->features && said < CP_SCHEMA_SAID; i++) {
        const cp_feature *f = &s->feature[i];
        if (f->width != 1 || !determines(rows, p, take_sample(rows, s->dims, f->first, p), s->classes.n)) continue;
        cp_log_warn(run,
                    "'%.60s' alone determines '%.60s': is it known before the target is?  If not, leave it out "
                    "(`drop='%.60s'`)",
                    f->name, s->target, cp_schema_column(f));
        said++;
    }
    cp_mem_free(p);
}
