#include "split/split_side.h"

void cp_split_none(cp_split *s) {
    uint32_t *set = s->set;
    *s = (cp_split){.num = -1, .den = 1, .dim = CP_NONE, .set = set};
}

static void keep(cp_split *best, const cp_split_list *l, size_t at, double num, double den, double left) {
    best->num = num;
    best->den = den;
    best->left = left;
    best->at = at;
    best->below = cp_split_rank(l, at);
    best->above = at + 1 < l->present ? cp_split_rank(l, at + 1) : CP_SPLIT_MISSING;
    best->is_set = 0;
}

/* One pass over the cuts.  Rows without a value are on the left if `base` holds them. */
typedef struct pass {
    cp_sum base;
    size_t base_rows;
    size_t end; /* a cut may come after rows 0 ... end-1 */
} pass;

/* A cut after row i, first <= i < end, leaves at least min_rows rows on both sides. */
static void cut_range(const cp_split_node *n, const pass *p, size_t *first, size_t *end) {
    size_t min = n->rule->min_rows;
    *first = min > p->base_rows ? min - p->base_rows - 1 : 0;
    *end = n->rows >= min + p->base_rows ? n->rows - min - p->base_rows : 0;
    if (*end > p->end) *end = p->end;
}

/* Inlined for narrow and for wide keys, so that the loop does not test which they are. */
static inline __attribute__((always_inline)) int scan_squared(const cp_split_node *n, cp_split_list l, const pass *p,
                                                              cp_split *best) {
    const double weight = n->weight, mean = n->mean, least = n->rule->min_weight;
    const int64_t mask = n->rule->mask;
    double quality = best->num, left = 0;
    size_t first, end, at = SIZE_MAX;
    int64_t w = p->base.w, s = p->base.s;
    cut_range(n, p, &first, &end);
    for (size_t i = 0; i < end; i++) {
        const cp_sum *a = &l.sum[cp_split_position(&l, i)];
        w += a->w;
        s += a->s;
        if (i < first || (i + 1 < l.n && cp_split_rank(&l, i) == cp_split_rank(&l, i + 1))) continue;
        double wl = (double)(w & mask), q = cp_cut_scan_quality(wl, (double)s, weight, mean);
        if (q > quality && wl >= least && weight - wl >= least) {
            quality = q;
            left = wl;
            at = i;
        }
    }
    if (at == SIZE_MAX) return 0;
    keep(best, &l, at, quality, 1, left);
    return 1;
}

static inline __attribute__((always_inline)) int scan_classes(const cp_split_node *n, cp_split_list l, const pass *p,
                                                              int entropy, cp_split *best) {
    const double least = n->rule->min_weight;
    double num = best->num, den = best->den, left = 0;
    size_t first, end, at = SIZE_MAX;
    cp_split_side t = {0, 0, n->square};
    cut_range(n, p, &first, &end);
    if (p->base_rows)
        for (size_t i = l.present; i < l.n; i++) cp_split_side_move(n, l.sum[cp_split_position(&l, i)], entropy, &t);
    for (size_t i = 0; i < end; i++) {
        cp_split_side_move(n, l.sum[cp_split_position(&l, i)], entropy, &t);
        if (i < first || (i + 1 < l.n && cp_split_rank(&l, i) == cp_split_rank(&l, i + 1))) continue;
        double num_i, den_i;
        cp_split_side_quality(n, &t, entropy, &num_i, &den_i);
        if (num_i * den > num * den_i && t.wl >= least && n->weight - t.wl >= least) {
            num = num_i;
            den = den_i;
            left = t.wl;
            at = i;
        }
    }
    cp_split_side_reset(n, &l);
    if (at == SIZE_MAX) return 0;
    keep(best, &l, at, num, den, left);
    return 1;
}

cp_cut_scan_list cp_split_cut_list(const cp_split_node *n, const cp_sum *sum) {
    const cp_split_rule *r = n->rule;
    return (cp_cut_scan_list){.sum = sum,
                              .first = r->min_rows - 1,
                              .end = n->rows > r->min_rows ? n->rows - r->min_rows : 0,
                              .mask = r->mask,
                              .weight = n->weight,
                              .mean = n->mean,
                              .least = r->min_weight};
}

static int cut_narrow(const cp_split_node *n, const cp_cut_scan_list *c, cp_split *best) {
    size_t at = n->rule->cut(c, &best->num, &best->left);
    if (at == SIZE_MAX) return 0;
    best->den = 1;
    best->at = at;
    best->below = c->key[at] >> 16;
    best->above = c->key[at + 1] >> 16;
    best->is_set = 0;
    return 1;
}

int cp_split_cut(const cp_split_node *n, const cp_cut_scan_list *c, cp_split *best) {
    if (!cut_narrow(n, c, best)) return 0;
    best->missing_left = cp_split_heavier_left(n, best->left);
    return 1;
}

static int scan_narrow(const cp_split_node *n, const cp_split_list *l, const pass *p, cp_split *best) {
    cp_cut_scan_list c = cp_split_cut_list(n, l->sum);
    c.key = l->key;
    c.base = p->base;
    cut_range(n, p, &c.first, &c.end);
    if (!cut_narrow(n, &c, best)) return 0;
    if (best->at + 1 >= l->present) best->above = CP_SPLIT_MISSING;
    return 1;
}

static int scan_pass(const cp_split_node *n, const cp_split_list *l, const pass *p, cp_split *best) {
    const cp_split_kind kind = n->rule->kind;
    const int entropy = kind == CP_SPLIT_ENTROPY;
    if (kind == CP_SPLIT_SQUARED && !l->wide) return scan_narrow(n, l, p, best);
    cp_split_list list = *l;
    if (l->wide) {
        list.wide = 1;
        if (kind == CP_SPLIT_SQUARED) return scan_squared(n, list, p, best);
        return entropy ? scan_classes(n, list, p, 1, best) : scan_classes(n, list, p, 0, best);
    }
    list.wide = 0;
    return entropy ? scan_classes(n, list, p, 1, best) : scan_classes(n, list, p, 0, best);
}

int cp_split_scan(const cp_split_node *n, const cp_split_list *l, cp_split *best) {
    pass right = {.end = l->present};
    int better = scan_pass(n, l, &right, best);
    if (l->present == l->n) {
        if (better) best->missing_left = cp_split_heavier_left(n, best->left);
        return better;
    }
    if (better) best->missing_left = 0;
    pass left = {.end = l->present ? l->present - 1 : 0, .base_rows = l->n - l->present};
    for (size_t i = l->present; i < l->n; i++) {
        left.base.w += l->sum[cp_split_position(l, i)].w;
        left.base.s += l->sum[cp_split_position(l, i)].s;
    }
    if (!scan_pass(n, l, &left, best)) return better;
    best->missing_left = 1;
    return 1;
}
