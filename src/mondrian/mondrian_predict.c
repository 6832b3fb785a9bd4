/* mondrian_predict - the answer of a forest: the mean over its trees. */
#include "mondrian/mondrian.h"
#include "mondrian/mondrian_hnsp.h"

static size_t abreast(size_t first, size_t n) {
    return n - first < CP_MONDRIAN_PATH_LANES ? n - first : CP_MONDRIAN_PATH_LANES;
}

/* Tree by tree, so that a tree stays in the cache while all rows pass through it. */
static copse_status predict_classes(const cp_mondrian *f, const cp_rows *rows, cp_mondrian_paths *walk, cp_answer *out,
                                    copse_error *err) {
    for (size_t m = 0; m < f->trees; m++) {
        for (size_t i = 0; cp_mondrian_path_few(rows->n) && m % CP_MONDRIAN_PATH_LANES == 0 && i < rows->n; i++)
            CP_TRY(cp_mondrian_path_descend_trees(walk, &f->tree[m], abreast(m, f->trees), &f->space,
                                                  rows->x + i * rows->dims, err));
        if (rows->n > f->tree[m].nodes / 16) cp_mondrian_path_prefetch(&f->tree[m], &f->space);
        for (size_t i = 0; i < rows->n; i += CP_MONDRIAN_PATH_LANES)
            CP_TRY(cp_mondrian_hnsp_predict(&f->tree[m], &f->space, f->gamma, rows->x + i * rows->dims,
                                            abreast(i, rows->n), walk, out->probs + i * out->classes, err));
    }
    for (size_t i = 0; i < rows->n * out->classes; i++) out->probs[i] /= (double)f->trees;
    return COPSE_OK;
}

/* One row's mixture needs all trees before the next row's begins; or one tree is asked alone. */
static copse_status predict_numbers(const cp_mondrian *f, const cp_rows *rows, cp_mondrian_paths *walk, cp_answer *out,
                                    copse_error *err) {
    size_t first = out->tree == CP_NONE ? 0 : (size_t)out->tree, end = out->tree == CP_NONE ? f->trees : first + 1;
    double share = 1 / (double)(end - first);
    for (size_t i = 0; i < rows->n; i++) {
        for (size_t m = first; m < end; m += CP_MONDRIAN_PATH_LANES) {
            const cp_mondrian_tree *t = &f->tree[m];
            size_t n = abreast(m, end);
            CP_TRY(cp_mondrian_path_find_in_trees(walk, t, n, &f->space, rows->x + i * rows->dims, err));
            for (size_t k = 0; k < n; k++)
                CP_TRY(
                    cp_mondrian_gauss_predict(&t[k], &f->space, &f->hyper, &walk->path[k], share, f->center, out, err));
        }
        cp_answer_end_row(out);
    }
    return COPSE_OK;
}

copse_status cp_mondrian_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                 copse_error *err) {
    (void)p;
    const cp_mondrian *f = state;
    cp_mondrian_paths walk = {0};
    copse_status status =
        f->task == COPSE_CLASS ? predict_classes(f, rows, &walk, out, err) : predict_numbers(f, rows, &walk, out, err);
    cp_mondrian_path_clear(&walk);
    return status;
}
