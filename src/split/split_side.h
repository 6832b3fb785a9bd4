/* split_side - the two sides of a classification split while rows move from right to left.  Header only: all is inlined
 * into the loops over rows. */
#ifndef CP_SPLIT_SIDE_H
#define CP_SPLIT_SIDE_H

#include <math.h>
#include <string.h>

#include "num/math.h"
#include "split/split.h"

static inline double xlogx(double x) {
    return x > 0 ? x * cp_math_log(x) : 0;
}

/* Weight of the left side, and for each side the sum over classes of f(class weight): f is the square (gini) or x log x
 * (entropy).  The class weights of the left side are in n->left. */
typedef struct cp_split_side {
    double wl, ql, qr;
} cp_split_side;

static inline __attribute__((always_inline)) void cp_split_side_move(const cp_split_node *n, cp_sum row, int entropy,
                                                                     cp_split_side *t) {
    double w = (double)(row.w & n->rule->mask), *left = &n->left[row.s], old = *left, right = n->total[row.s] - old;
    t->wl += w;
    *left = old + w;
    if (entropy) {
        t->ql += xlogx(old + w) - xlogx(old);
        t->qr += xlogx(right - w) - xlogx(right);
    } else {
        t->ql += w * (2 * old + w);
        t->qr -= w * (2 * right - w);
    }
}

static inline __attribute__((always_inline)) void cp_split_side_quality(const cp_split_node *n, const cp_split_side *t,
                                                                        int entropy, double *num, double *den) {
    double wl = t->wl, wr = n->weight - wl;
    if (entropy) {
        double gain = t->ql + t->qr - n->square + xlogx(n->weight) - xlogx(wl) - xlogx(wr);
        *num = gain > 0 ? gain : 0;
        *den = 1;
    } else {
        *num = t->ql * wr + t->qr * wl;
        *den = wl * wr;
    }
}

static inline void cp_split_side_reset(const cp_split_node *n, const cp_split_list *l) {
    if (n->rule->classes <= l->n) {
        memset(n->left, 0, n->rule->classes * sizeof *n->left);
        return;
    }
    for (size_t i = 0; i < l->n; i++) n->left[l->sum[cp_split_position(l, i)].s] = 0;
}

#endif
