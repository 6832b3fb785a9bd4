#include "btree/btree_predict.h"

#include "leaf/leaf_dirichlet.h"
#include "leaf/leaf_nig.h"

#include <math.h>

#include "btree/btree.h"

/* The sum of the weights is 1 up to rounding; divides by the sum itself. */
static void normalise(double *probs, size_t classes) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) sum += probs[k];
    for (size_t k = 0; k < classes; k++) probs[k] /= sum;
}

static void answer_classes(const cp_btree *b, const cp_tree_set_walker *w, double *probs) {
    for (size_t i = 0; i < w->arrivals; i++) {
        const cp_tree_set_arrival *a = &w->arrival[i];
        cp_leaf_dirichlet_predict(&b->leaf, b->tree_set.stat + (size_t)a->leaf * b->tree_set.width, a->share, probs);
    }
    normalise(probs, b->classes);
}

/* The scale of y is the scale of its mean times sqrt(1 + kappa_n), where the 1 is the variance of y about its mean.
 * kappa_n = kappa + n. */
static copse_status answer_number(const cp_btree *b, const cp_tree_set_walker *w, cp_answer *out, copse_error *err) {
    for (size_t i = 0; i < w->arrivals; i++) {
        const double *stat = b->tree_set.stat + (size_t)w->arrival[i].leaf * b->tree_set.width;
        cp_component c = cp_leaf_nig_predict(&b->leaf, stat, w->arrival[i].share);
        c.loc = b->centre + b->scale * c.loc;
        c.scale *= b->scale;
        if (out->of_mean) c.scale /= sqrt(1 + b->leaf.kappa + stat[0]);
        CP_TRY(cp_answer_add(out, c, err));
    }
    cp_answer_end_row(out);
    return COPSE_OK;
}

static void clear_walker(void *walker) {
    cp_tree_set_walker_clear(walker);
}

copse_status cp_btree_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                              copse_error *err) {
    const cp_btree *b = state;
    cp_tree_set_walker own = {0}, *w = &own;
    copse_status status = COPSE_OK;
    (void)p;
    if (out->workspace) CP_TRY(cp_workspace_get(out->workspace, sizeof own, clear_walker, &w, err));
    if (!w->g) CP_TRY(cp_tree_set_walker_init(w, &b->tree_set, err));
    for (size_t i = 0; i < rows->n; i++) {
        cp_tree_set_walk(w, out->tree, rows->x + i * rows->dims);
        if (b->task == COPSE_CLASS)
            answer_classes(b, w, out->probs + i * out->classes);
        else
            CP_TRY_OUT(answer_number(b, w, out, err));
    }
out:
    cp_tree_set_walker_clear(&own);
    return status;
}
