/* With m_k rows of class k, n in all, and a = alpha / K [Lakshminarayanan, Roy, Teh 2013, eq. 3]:
 *
 *      p(labels) = Gamma(alpha) / Gamma(alpha + n)  prod_k Gamma(a + m_k) / Gamma(a)
 *
 * The logarithm is one table at n plus another table at each m_k.  Both are logs of rising factorials, so they are sums
 * of logarithms.  That keeps all digits where alpha is huge and the difference of two log gammas would cancel. */
#include "leaf/leaf_dirichlet.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/draw.h"
#include "num/math.h"

static const cp_leaf_kind dirichlet;

/* out[n] = log (a (a+1) ... (a+n-1)), by Kahan summation. */
static void log_rising(double a, size_t n, double *out) {
    double sum = 0, lost = 0;
    out[0] = 0;
    for (size_t i = 0; i < n; i++) {
        double term = cp_math_log(a + (double)i) - lost, next = sum + term;
        lost = (next - sum) - term;
        out[i + 1] = sum = next;
    }
}

copse_status cp_leaf_dirichlet_init(cp_leaf *m, const int32_t *label, size_t rows, size_t classes, double alpha,
                                    copse_error *err) {
    copse_status status;
    *m = (cp_leaf){
        .kind = &dirichlet, .width = classes, .rows = rows, .classes = classes, .label = label, .alpha = alpha};
    CP_TRY_OUT(CP_RAW(m->of_rows, rows + 1, err));
    CP_TRY_OUT(CP_RAW(m->of_class, rows + 1, err));
    log_rising(alpha, rows, m->of_rows);
    for (size_t n = 0; n <= rows; n++) m->of_rows[n] = -m->of_rows[n];
    log_rising(alpha / (double)classes, rows, m->of_class);
out:
    if (status) cp_leaf_clear(m);
    return status;
}

static void add(const cp_leaf *m, double *stat, size_t row) {
    stat[m->label[row]]++;
}

/* Neighbouring rows are often of one class, and a count must be stored before it can be loaded again.  Two sets of
 * counts, for even and odd rows, halve that latency. */
enum { FEW_CLASSES = 64 };
static void gather_few(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat) {
    uint32_t even[FEW_CLASSES], odd[FEW_CLASSES];
    size_t i = 0;
    memset(even, 0, m->classes * sizeof *even);
    memset(odd, 0, m->classes * sizeof *odd);
    for (; i + 1 < n; i += 2) {
        even[m->label[rows[i]]]++;
        odd[m->label[rows[i + 1]]]++;
    }
    if (i < n) even[m->label[rows[i]]]++;
    for (size_t k = 0; k < m->classes; k++) out_stat[k] = (double)(even[k] + odd[k]);
}

static void gather(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat) {
    if (m->classes <= FEW_CLASSES) {
        gather_few(m, rows, n, out_stat);
        return;
    }
    for (size_t k = 0; k < m->classes; k++) out_stat[k] = 0;
    for (size_t i = 0; i < n; i++) out_stat[m->label[rows[i]]]++;
}

static double log_marginal(const cp_leaf *m, const double *stat) {
    double n = 0, sum = 0;
    for (size_t k = 0; k < m->classes; k++) {
        n += stat[k];
        sum += m->of_class[(size_t)stat[k]];
    }
    return m->of_rows[(size_t)n] + sum;
}

/* The two sides of a cut that moves to the right. */
typedef struct sides {
    uint32_t *left, *right;     /* counts */
    double log_left, log_right; /* sum over classes of of_class[count] */
} sides;

/* Updates the sums row by row: faster if there are fewer rows than classes. */
static void move_few(const cp_leaf *m, sides *s, const uint32_t *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int32_t k = m->label[rows[i]];
        const double *l = m->of_class + s->left[k]++, *r = m->of_class + --s->right[k];
        s->log_left += l[1] - l[0];
        s->log_right -= r[1] - r[0];
    }
}

static void move_many(const cp_leaf *m, sides *s, const uint32_t *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        s->left[m->label[rows[i]]]++;
        s->right[m->label[rows[i]]]--;
    }
    s->log_left = s->log_right = 0;
    for (size_t k = 0; k < m->classes; k++) {
        s->log_left += m->of_class[s->left[k]];
        s->log_right += m->of_class[s->right[k]];
    }
}

/* Two classes: a side is known by its rows and its rows of class 1; no array of counts is needed. */
static void scan_two(const cp_leaf *m, const cp_leaf_cuts *cuts, const double *whole, double *out_log) {
    const uint32_t *rows = cuts->row, *end = cuts->end;
    const size_t gaps = cuts->n;
    size_t ones = (size_t)whole[1], n = (size_t)whole[0] + ones, at = 0, left = 0;
    const double *f = m->of_class;
    for (size_t g = 0; g < gaps; g++) {
        for (; at < end[g]; at++) left += (size_t)m->label[rows[at]];
        size_t right = ones - left, rest = n - at;
        out_log[g] = (m->of_rows[at] + (f[at - left] + f[left])) + (m->of_rows[rest] + (f[rest - right] + f[right]));
    }
}

/* move_few accumulates rounding errors, so it is used only where few rows lie between two cuts, and every LONG-th time
 * move_many computes the sums anew. */
static void scan(const cp_leaf *m, const cp_leaf_cuts *cuts, const double *whole, void *tmp, double *out_log) {
    const uint32_t *rows = cuts->row, *end = cuts->end;
    const size_t gaps = cuts->n;
    enum { LONG = 256 };
    if (m->classes == 2) {
        scan_two(m, cuts, whole, out_log);
        return;
    }
    sides s = {.left = tmp, .right = (uint32_t *)tmp + m->classes};
    size_t at = 0, n = 0, few = 0;
    for (size_t k = 0; k < m->classes; k++) {
        s.left[k] = 0;
        n += s.right[k] = (uint32_t)whole[k];
    }
    move_many(m, &s, rows, 0);
    for (size_t g = 0; g < gaps; g++) {
        size_t run = end[g] - at;
        if (2 * run < m->classes && ++few % LONG)
            move_few(m, &s, rows + at, run);
        else
            move_many(m, &s, rows + at, run);
        at = end[g];
        out_log[g] = (m->of_rows[at] + s.log_left) + (m->of_rows[n - at] + s.log_right);
    }
}

/* Dirichlet(shape_1 ... shape_K) as gammas over their sum.  Gammas of small shape underflow, all of them if alpha is
 * small and the leaf empty.  So their logarithms are drawn: log gamma(s) is distributed as log gamma(s+1) +
 * log(U)/s. */
static void draw(const cp_leaf *m, const double *stat, cp_rng *rng, double *out) {
    double top = -INFINITY, sum = 0;
    for (size_t k = 0; k < m->classes; k++) {
        double shape = m->alpha / (double)m->classes + stat[k];
        out[k] = shape < 1 ? cp_math_log(cp_draw_gamma(rng, shape + 1)) - cp_draw_exp(rng) / shape
                           : cp_math_log(cp_draw_gamma(rng, shape));
        top = fmax(top, out[k]);
    }
    for (size_t k = 0; k < m->classes; k++) sum += out[k] = cp_math_exp(out[k] - top);
    for (size_t k = 0; k < m->classes; k++) out[k] /= sum;
}

static double draw_target(const cp_leaf *m, const double *parameters, cp_rng *rng) {
    double u = cp_rng_unit(rng), sum = 0;
    size_t last = 0;
    for (size_t k = 0; k < m->classes; k++) {
        if (!(parameters[k] > 0)) continue;
        last = k;
        sum += parameters[k];
        if (u < sum) break;
    }
    return (double)last;
}

void cp_leaf_dirichlet_predict(const cp_leaf *m, const double *stat, double weight, double *out_probs) {
    double n = 0, a = m->alpha / (double)m->classes;
    for (size_t k = 0; k < m->classes; k++) n += stat[k];
    double each = weight / (n + m->alpha);
    for (size_t k = 0; k < m->classes; k++) out_probs[k] += each * (stat[k] + a);
}

static const cp_leaf_kind dirichlet = {
    .name = "dirichlet",
    .add = add,
    .gather = gather,
    .log_marginal = log_marginal,
    .scan = scan,
    .draw = draw,
    .draw_target = draw_target,
};
