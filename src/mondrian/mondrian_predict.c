#include "mondrian/mondrian_predict.h"

#include "kernel/prefetch.h"
#include "mondrian/mondrian_counts.h"
#include "mondrian/mondrian_hnsp.h"
#include "mondrian/mondrian_prefetch.h"

/* How many of the items first ... n-1 fit in the lanes. */
static size_t lanes(size_t first, size_t n) {
    return n - first < CP_MONDRIAN_PATH_LANES ? n - first : CP_MONDRIAN_PATH_LANES;
}

void cp_mondrian_predict_tree(const cp_mondrian *f, size_t m, const double *base, const cp_mondrian_path *path,
                              double *probs) {
    if (f->honest.on)
        cp_mondrian_counts_predict(&f->tree[m], f->honest.strength, base, f->space.classes, path, probs);
    else
        cp_mondrian_hnsp_predict(&f->tree[m], &f->space, f->gamma, path, probs);
}

/* Tree by tree, so that a tree stays in the cache while all rows descend it.  A few rows instead first descend several
 * trees together. */
static copse_status add_trees(const cp_mondrian *f, const cp_rows *rows, const double *base, cp_mondrian_paths *paths,
                              cp_answer *out, copse_error *err) {
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
                cp_mondrian_predict_tree(f, m, base, &paths->path[k], out->probs + (i + k) * out->classes);
        }
    }
    for (size_t i = 0; i < rows->n * out->classes; i++) out->probs[i] /= (double)f->trees;
    return COPSE_OK;
}

static copse_status predict_classes(const cp_mondrian *f, const cp_rows *rows, cp_mondrian_paths *paths, cp_answer *out,
                                    copse_error *err) {
    if (!f->honest.on) return add_trees(f, rows, NULL, paths, out, err);
    double few[32], *many = NULL, *base = few;
    size_t classes = f->space.classes;
    if (classes > sizeof few / sizeof *few) {
        CP_TRY(CP_RAW(many, classes, err));
        base = many;
    }
    cp_mondrian_counts_base(&f->tree[0], classes, base);
    copse_status status = add_trees(f, rows, base, paths, out, err);
    for (size_t i = 0; !status && i < rows->n; i++)
        cp_mondrian_honest_classes(&f->honest, (double)cp_mondrian_learnt(f), base, classes,
                                   out->probs + i * out->classes);
    cp_mem_free(many);
    return status;
}

/* The statistics of the nodes where the point may branch off, of their parents and of the leaf are read soon. */
static void prefetch_stats(const cp_mondrian_tree *t, const cp_mondrian_path *path) {
    size_t last = path->n - 1, first = path->branch_points ? path->branch_point[0].depth : last;
    for (size_t depth = first ? first - 1 : 0; depth <= last; depth++)
        cp_prefetch(&t->stat[cp_mondrian_path_node(path, depth)]);
}

/* A row's way through groups of CP_MONDRIAN_PATH_LANES trees, in three stages: it descends the trees of a group, which
 * asks for the boxes of its paths; finds where it may branch off, which asks for statistics; and answers.  While one
 * group descends, what the groups before have asked for arrives: almost all the time is spent waiting for memory. */
enum { STAGES = 3 };

typedef struct stages {
    cp_mondrian_paths paths[STAGES]; /* group g has paths[g % STAGES] */
} stages;

typedef struct journey {
    const cp_mondrian *f;
    const float *x;
    size_t first, end, groups; /* trees first ... end-1, and how many groups they make */
    stages *w;
} journey;

static const cp_mondrian_tree *group_of(const journey *j, size_t g, size_t *out_n) {
    size_t m = j->first + g * CP_MONDRIAN_PATH_LANES;
    *out_n = lanes(m, j->end);
    return &j->f->tree[m];
}

static copse_status descend(const journey *j, size_t g, copse_error *err) {
    size_t n;
    const cp_mondrian_tree *t = group_of(j, g, &n);
    return cp_mondrian_path_descend_trees(&j->w->paths[g % STAGES], t, n, &j->f->space, j->x, err);
}

static void branch_off(const journey *j, size_t g) {
    size_t n;
    const cp_mondrian_tree *t = group_of(j, g, &n);
    cp_mondrian_paths *paths = &j->w->paths[g % STAGES];
    cp_mondrian_path_branch_trees(paths, t, n, &j->f->space, j->x);
    for (size_t k = 0; k < n; k++) prefetch_stats(&t[k], &paths->path[k]);
}

static copse_status answer(const journey *j, size_t g, const cp_mondrian_gauss_sink *sink, copse_error *err) {
    size_t n;
    const cp_mondrian_tree *t = group_of(j, g, &n);
    for (size_t k = 0; k < n; k++)
        CP_TRY(cp_mondrian_gauss_predict(&t[k], &j->f->space, &j->w->paths[g % STAGES].path[k], sink, err));
    return COPSE_OK;
}

/* Row by row: the answer needs the mixture of a row from all trees (or from out->tree alone) before that of the next
 * row. */
static copse_status predict_numbers(const cp_mondrian *f, const cp_rows *rows, stages *w, cp_answer *out,
                                    copse_error *err) {
    journey j = {.f = f, .end = f->trees, .w = w};
    if (out->tree != CP_NONE) {
        j.first = (size_t)out->tree;
        j.end = j.first + 1;
    }
    j.groups = (j.end - j.first + CP_MONDRIAN_PATH_LANES - 1) / CP_MONDRIAN_PATH_LANES;
    cp_mondrian_spread spread = {.rows = f->moments.n, .var = f->moments.m2 / f->moments.n};
    const cp_mondrian_gauss_sink sink = {&f->hyper, f->center, 1 / (double)(j.end - j.first), out,
                                         f->honest.on ? &spread.size : NULL};
    for (size_t i = 0; i < rows->n; i++) {
        size_t first = out->n_comp;
        j.x = rows->x + i * rows->dims;
        spread.size = 0;
        for (size_t g = 0; g < j.groups + STAGES - 1; g++) {
            if (g < j.groups) CP_TRY(descend(&j, g, err));
            if (g >= 1 && g - 1 < j.groups) branch_off(&j, g - 1);
            if (g >= 2) CP_TRY(answer(&j, g - 2, &sink, err));
        }
        if (f->honest.on) cp_mondrian_honest_numbers(&f->honest, spread, out->comp + first, out->n_comp - first);
        cp_answer_end_row(out);
    }
    return COPSE_OK;
}

static void clear_stages(void *data) {
    stages *w = data;
    for (size_t k = 0; k < STAGES; k++) cp_mondrian_path_clear(&w->paths[k]);
}

copse_status cp_mondrian_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                 copse_error *err) {
    (void)p;
    const cp_mondrian *f = state;
    stages own = {0}, *w = &own;
    if (out->workspace) CP_TRY(cp_workspace_get(out->workspace, sizeof own, clear_stages, &w, err));
    copse_status status = f->task == COPSE_CLASS ? predict_classes(f, rows, &w->paths[0], out, err)
                                                 : predict_numbers(f, rows, w, out, err);
    clear_stages(&own);
    return status;
}
