/* orf - online random forests: Saffari, Leistner, Santner, Godec and Bischof (2009).
 *
 * Each tree learns each row k ~ Poisson(1) times (online bagging).  A leaf keeps a few random tests (a column and a
 * cut) and statistics of the targets on both sides of each.  Once it has seen enough rows and its best test gains
 * enough, that test becomes a split.  The children inherit the statistics of the test's sides and draw new tests, about
 * which nothing is known yet.  No row is kept.
 *
 * docs/methods/orf.md says where we differ from the paper. */
#ifndef CP_ORF_H
#define CP_ORF_H

#include "method/method.h"
#include "orf/orf_tree.h"

typedef struct cp_orf {
    cp_orf_rules rules;
    size_t trees;
    cp_orf_tree *tree;
    double centre;          /* numbers: the first target; taken off so that large offsets lose no digits */
    cp_orf_moments moments; /* numbers: of all rows */
    size_t rows;            /* accepted by fit and update: learnt or pending */
    size_t weighted_rows;   /* rows after which temporal knowledge weighting was applied (rules.forget) */
    /* The last n accepted rows, until every tree has learnt them: after a failure some trees lag behind. */
    struct {
        size_t n, cap_x, cap_y;
        float *x;
        double *y; /* minus the centre; classes: the label */
    } pending;
} cp_orf;

extern const cp_method cp_method_orf;

/* An empty forest with the settings of p. */
copse_status cp_orf_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_orf **out,
                        copse_error *err);
void cp_orf_free(void *state);

/* Numbers: the predictive distribution of a leaf; `all` are the moments of all rows. */
cp_component cp_orf_leaf_gauss(const cp_orf *f, const cp_orf_tree *t, size_t leaf, const cp_orf_moments *all);

#endif
