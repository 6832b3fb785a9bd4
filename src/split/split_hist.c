#include "split/split_hist.h"

#include "split/split_category.h"

static const cp_sum *missing_cell(const cp_sum *cell) {
    return &cell[CP_SPLIT_CELLS - 1];
}

/* Tries the cuts after bins 0 ... end-1; missing values are on the left if `base` holds them. */
static int scan_bins(const cp_split_node *n, const cp_sum *cell, size_t end, cp_sum base, cp_split *best) {
    const cp_split_rule *r = n->rule;
    double quality = best->num, left = 0;
    size_t at = SIZE_MAX;
    cp_sum a = base;
    for (size_t b = 0; b < end; b++) {
        if (!cell[b].w) continue; /* the same split as the cut before */
        a.w += cell[b].w;
        a.s += cell[b].s;
        size_t rows = cp_split_rows(r, a.w);
        double wl = cp_split_weight(r, a.w);
        double q = cp_cut_scan_quality(wl, (double)a.s, n->weight, n->mean);
        if (q > quality && cp_split_enough(n, rows, wl)) {
            quality = q;
            left = wl;
            at = b;
        }
    }
    if (at == SIZE_MAX) return 0;
    best->num = quality;
    best->den = 1;
    best->left = left;
    best->below = (uint32_t)at;
    best->is_set = 0;
    return 1;
}

int cp_split_hist_numbers(const cp_split_node *n, const cp_sum *cell, size_t bins, cp_split *best) {
    cp_sum missing = *missing_cell(cell);
    while (bins > 0 && !cell[bins - 1].w) bins--;
    if (bins == 0) return 0;
    int better = scan_bins(n, cell, missing.w ? bins : bins - 1, (cp_sum){0, 0}, best);
    if (better) best->missing_left = missing.w ? 0 : cp_split_heavier_left(n, best->left);
    if (missing.w && scan_bins(n, cell, bins - 1, missing, best)) {
        best->missing_left = 1;
        better = 1;
    }
    if (!better) return 0;
    best->above = best->below + 1;
    while (best->above < bins && !cell[best->above].w) best->above++;
    if (best->above == bins) best->above = CP_SPLIT_MISSING;
    return 1;
}

int cp_split_hist_levels(const cp_split_node *n, const cp_sum *cell, size_t bins, cp_split *best) {
    size_t count = 0;
    for (size_t b = 0; b < bins; b++)
        if (cell[b].w) n->level[count++] = (cp_split_level){.id = (uint32_t)b, .sum = cell[b]};
    if (count == 0 || (count == 1 && !missing_cell(cell)->w)) return 0;
    return cp_split_category_sums(n, count, *missing_cell(cell), (uint32_t)bins, best);
}

static int is_empty(const int64_t *cell, size_t classes) {
    int64_t any = 0;
    for (size_t k = 0; k < classes; k++) any |= cell[k];
    return !any;
}

/* Moves the classes of a bin to the left side; returns the bin's rows and weight, packed as cp_sum.w. */
static int64_t move_bin(const cp_split_node *n, const int64_t *cell) {
    int64_t all = 0;
    for (size_t k = 0; k < n->rule->classes; k++) {
        all += cell[k];
        n->left[k] += (double)(cell[k] & n->rule->mask);
    }
    return all;
}

static double gini_sides(const cp_split_node *n, double wl, double wr) {
    double ql = 0, qr = 0;
    for (size_t k = 0; k < n->rule->classes; k++) {
        double left = n->left[k], right = n->total[k] - left;
        ql += left * left;
        qr += right * right;
    }
    return ql * wr + qr * wl;
}

int cp_split_hist_classes(const cp_split_node *n, const int64_t *cell, size_t bins, cp_split *best) {
    const cp_split_rule *r = n->rule;
    int better = 0;
    int64_t w = 0;
    uint32_t below = CP_SPLIT_MISSING; /* the last bin with rows so far */
    for (size_t b = 0; b < bins; b++) {
        double wl = cp_split_weight(r, w), wr = n->weight - wl;
        size_t rows = cp_split_rows(r, w);
        if (is_empty(cell + b * r->classes, r->classes)) continue;
        if (cp_split_enough(n, rows, wl)) {
            double num = gini_sides(n, wl, wr), den = wl * wr;
            if (num * best->den > best->num * den) {
                *best = (cp_split){
                    .num = num, .den = den, .left = wl, .below = below, .above = (uint32_t)b, .set = best->set};
                best->missing_left = cp_split_heavier_left(n, wl);
                better = 1;
            }
        }
        w += move_bin(n, cell + b * r->classes);
        below = (uint32_t)b;
    }
    for (size_t k = 0; k < r->classes; k++) n->left[k] = 0;
    return better;
}
