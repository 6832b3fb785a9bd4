/* dyntree_predict - the posterior predictive: the mean over particles of what their leaves say.  Leaves that several trees share
 * are asked once. */
#include <math.h>

#include "base/mem.h"
#include "dyntree/dyntree.h"

/* How many trees lead to each leaf; of no meaning between rows. */
typedef struct tally {
    uint32_t *count; /* of each node, 0 between rows */
    int32_t *leaf;   /* the different ones */
    size_t leaves;
    size_t first, end; /* trees that are asked */
} tally;

static void find_leaves(const cp_dyntree *f, const float *x, tally *t) {
    int32_t leaf = CP_NONE;
    t->leaves = 0;
    for (size_t i = t->first; i < t->end; i++) {
        if (i == t->first || f->root[i] != f->root[i - 1]) leaf = cp_dyntree_pool_find(&f->pool, f->root[i], x);
        if (!t->count[leaf]++) t->leaf[t->leaves++] = leaf;
    }
}

/* y's scale is that of the mean times sqrt(1 + kappa_n), of which the 1 is the spread of y about its mean. */
static cp_component component_of(const cp_dyntree *f, int32_t leaf, double weight, int of_mean) {
    cp_component c = cp_leaf_predict_number(&f->leaf, cp_dyntree_pool_stat(&f->pool, leaf), weight);
    c.loc = f->centre + f->scale * c.loc;
    c.scale *= f->scale;
    if (of_mean) c.scale /= sqrt(1 + f->kappa + (double)f->pool.node[leaf].rows);
    return c;
}

static copse_status answer_row(const cp_dyntree *f, const float *x, tally *t, size_t place, cp_answer *out,
                               copse_error *err) {
    double trees = (double)(t->end - t->first);
    find_leaves(f, x, t);
    for (size_t k = 0; k < t->leaves; k++) {
        int32_t leaf = t->leaf[k];
        double weight = (double)t->count[leaf] / trees;
        t->count[leaf] = 0;
        if (f->task == COPSE_CLASS)
            cp_leaf_predict_class(&f->leaf, cp_dyntree_pool_stat(&f->pool, leaf), weight,
                                  out->probs + place * out->classes);
        else
            CP_TRY(cp_answer_add(out, component_of(f, leaf, weight, out->of_mean), err));
    }
    if (f->task == COPSE_REGRESS) cp_answer_end_row(out);
    return COPSE_OK;
}

static copse_status tally_init(tally *t, const cp_dyntree *f, int32_t tree, copse_error *err) {
    *t = (tally){.first = tree == CP_NONE ? 0 : (size_t)tree};
    t->end = tree == CP_NONE ? f->particles : t->first + 1;
    copse_status status = CP_NEW(t->count, f->pool.nodes, err);
    if (!status) status = CP_RAW(t->leaf, t->end - t->first, err);
    if (status) cp_mem_free(t->count);
    return status;
}

static void tally_clear(tally *t) {
    cp_mem_free(t->count);
    cp_mem_free(t->leaf);
}

copse_status cp_dyntree_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                copse_error *err) {
    const cp_dyntree *f = state;
    tally t;
    (void)p;
    CP_TRY(tally_init(&t, f, out->tree, err));
    copse_status status = COPSE_OK;
    for (size_t i = 0; !status && i < rows->n; i++) status = answer_row(f, rows->x + i * rows->dims, &t, i, out, err);
    tally_clear(&t);
    return status;
}

copse_status cp_dyntree_answer(const cp_dyntree *f, size_t row, size_t place, cp_answer *out, copse_error *err) {
    tally t;
    CP_TRY(tally_init(&t, f, CP_NONE, err));
    copse_status status = answer_row(f, cp_dyntree_row(f, row), &t, place, out, err);
    tally_clear(&t);
    return status;
}
