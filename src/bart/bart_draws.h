/* bart_draws - what a chain leaves: every kept draw of all its trees, compactly.
 *
 * Most sweeps leave most trees' rules as they were and draw new mu.  So a tree's history is a list of runs: a shape (rules
 * and links, kept once), the draw it begins at, and the mu of its leaves for each draw until the next run begins.
 *
 *     tree 0:  shape 17, from draw 0: mu mu mu | mu mu mu | ...      shape 23, from draw 4: mu mu | ...
 *
 * To predict, a row is taken down each shape once, not once per draw. */
#ifndef CP_BART_DRAWS_H
#define CP_BART_DRAWS_H

#include "bart/bart_tree.h"

/* Inner nodes of a shape in preorder; a child < 0 is the leaf ~child. */
typedef struct cp_bart_rule {
    uint32_t dim;
    float cut;
    int16_t left, right;
} cp_bart_rule;

typedef struct cp_bart_run {
    size_t rule;   /* the first of the shape's rules */
    size_t mu;     /* leaves x draws floats, draw after draw */
    uint32_t draw; /* the first */
    uint16_t leaves;
} cp_bart_run;

typedef struct cp_bart_draws {
    size_t trees, draws;
    cp_bart_rule *rule;
    size_t rules, cap_rule;
    float *mu;
    size_t mus, cap_mu;
    cp_bart_run *run; /* while sampling: in the order they began, tree by tree through `last`; finished: by tree */
    size_t runs, cap_run;
    size_t *first; /* finished: trees + 1, runs of tree m are first[m] ... first[m+1]-1 */
} cp_bart_draws;

#endif
