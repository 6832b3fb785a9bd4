#include "mondrian/mondrian_predict.h"

#include "mondrian/mondrian_hnsp.h"
#include "mondrian/mondrian_prefetch.h"

/* How many of the items first ... n-1 fit in the lanes. */
static size_t lanes(size_t first, size_t n) {
    return n - first < CP_MONDRIAN_PATH_LANES ? n - first : CP_MONDRIAN_PATH_LANES;
}

/* Tree by tree, so that a tree stays in the cache while all rows descend it.  A few rows instead first descend several
 * trees together. */
static copse_status predict_classes(const cp_mondrian *f, const cp_rows *rows, cp_mondrian_paths *paths, cp_answer *out,
                                    copse_error *err) {
    for (size_t m = 0; m < f->trees; m++) {
        for (size_t i = 0; cp_mondrian_prefetch_by_trees(rows->n) && m % CP_MONDRIAN_PATH_LANES == 0 && i < rows->n;
             i++)
            CP_TRY(cp_mondrian_path_descend_trees(paths, &f->tree[m], lanes(m, f->trees), &f->space,
                                                  rows->x + i * rows->dims, err));
        cp_mondrian_prefetch_tree(&f->tree[m], &f->space, rows->n);
        for (size_t i = 0; i < rows->n; i += CP_MONDRIAN_PATH_LANES) {
            size_t n = lanes(i, rows->n);
            CP_TRY(cp_mondrian_path_find(paths, &f->tree[m], &f->space, rows->x + i * rows->dims, n, err));
            for (size_t k = 0; k < n; k++)
                cp_mondrian_hnsp_predict(&f->tree[m], &f->space, f->gamma, &paths->path[k],
                                         out->probs + (i + k) * out->classes);
        }
    }
    for (size_t i = 0; i < rows->n * out->classes; i++) out->probs[i] /= (double)f->trees;
    return COPSE_OK;
}

/* Row by row: the answer needs the mixture of a row from all trees (or from out->tree alone) before that of the next
 * row. */
static copse_status predict_numbers(const cp_mondrian *f, const cp_rows *rows, cp_mondrian_paths *paths, cp_answer *out,
                                    copse_error *err) {
    size_t first = out->tree == CP_NONE ? 0 : (size_t)out->tree, end = out->tree == CP_NONE ? f->trees : first + 1;
    const cp_mondrian_gauss_sink sink = {&f->hyper, f->center, 1 / (double)(end - first), out};
    for (size_t i = 0; i < rows->n; i++) {
        for (size_t m = first; m < end; m += CP_MONDRIAN_PATH_LANES) {
            const cp_mondrian_tree *t = &f->tree[m];
            size_t n = lanes(m, end);
            CP_TRY(cp_mondrian_path_find_in_trees(paths, t, n, &f->space, rows->x + i * rows->dims, err));
            for (size_t k = 0; k < n; k++)
                CP_TRY(cp_mondrian_gauss_predict(&t[k], &f->space, &paths->path[k], &sink, err));
        }
        cp_answer_end_row(out);
    }
    return COPSE_OK;
}

copse_status cp_mondrian_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                 copse_error *err) {
    (void)p;
    const cp_mondrian *f = state;
    cp_mondrian_paths paths = {0};
    copse_status status = f->task == COPSE_CLASS ? predict_classes(f, rows, &paths, out, err)
                                                 : predict_numbers(f, rows, &paths, out, err);
    cp_mondrian_path_clear(&paths);
    return status;
}
