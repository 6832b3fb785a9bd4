#include "orf/orf_file.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "data/schema.h"

/* Beyond these limits, squares and their products overflow; the schema refuses targets that large. */
#define MOST_MEAN     CP_NUMBER_TARGET
#define MOST_VARIANCE CP_NUMBER_VARIANCE
#define MOST_ROWS     ((int64_t)1 << 50)
enum { MOMENTS = sizeof(cp_orf_moments) / sizeof(double) };

/* ---------------------------------------------------------------------------------------------------------- writing */

/* Memory of a loaded tree besides the sections that are kept as they are read. */
static size_t node_bytes(const cp_orf_rules *f, size_t nodes, size_t leaves) {
    size_t block =
        f->frozen ? 2 * (f->task == COPSE_CLASS ? f->classes * sizeof(uint32_t) : sizeof(cp_orf_moments)) : 0;
    return nodes * sizeof(cp_orf_node) + leaves * (f->tests * sizeof(cp_orf_test) + block);
}

static copse_status write_nodes(const cp_orf_tree *t, cp_writer *w, copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *field = NULL;
    float *cut = NULL;
    CP_TRY_OUT(CP_RAW(field, t->nodes, err));
    CP_TRY_OUT(CP_RAW(cut, t->nodes, err));
    for (size_t j = 0; j < t->nodes; j++) {
        field[j] = t->node[j].left;
        cut[j] = t->node[j].left == CP_NONE ? 0 : t->node[j].cut;
    }
    CP_TRY_OUT(cp_writer_array(w, "left", CP_I32, field, t->nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "cut", CP_F32, cut, t->nodes, err));
    for (size_t j = 0; j < t->nodes; j++) field[j] = t->node[j].dim; /* at a leaf: its number */
    CP_TRY_OUT(cp_writer_array(w, "dim", CP_I32, field, t->nodes, err));
out:
    cp_mem_free(field);
    cp_mem_free(cut);
    return status;
}

static copse_status write_tests(const cp_orf_tree *t, const cp_orf_rules *f, cp_writer *w, copse_error *err) {
    copse_status status = COPSE_OK;
    size_t n = t->leaves * f->tests;
    int32_t *dim = NULL;
    float *cut = NULL;
    CP_TRY_OUT(CP_RAW(dim, n, err));
    CP_TRY_OUT(CP_RAW(cut, n, err));
    for (size_t i = 0; i < n; i++) {
        dim[i] = t->test[i].dim;
        cut[i] = t->test[i].cut;
    }
    CP_TRY_OUT(cp_writer_array(w, "test_dim", CP_I32, dim, n, err));
    CP_TRY_OUT(cp_writer_array(w, "test_cut", CP_F32, cut, n, err));
out:
    cp_mem_free(dim);
    cp_mem_free(cut);
    return status;
}

/* Leaves out the spare room that blocks have for more classes.  Frozen: writes the sum of inherited and own counts. */
static copse_status write_counts(const cp_orf_tree *t, const cp_orf_rules *f, int frozen, cp_writer *w,
                                 copse_error *err) {
    size_t parts = frozen ? 1 : 2 + f->tests, n = 0;
    uint32_t *count;
    CP_TRY(CP_RAW(count, t->leaves * parts * f->classes, err));
    for (size_t leaf = 0; leaf < t->leaves; leaf++) {
        const uint32_t *c = cp_orf_tree_counts(t, f, leaf);
        for (size_t i = 0; i < parts; i++)
            for (size_t k = 0; k < f->classes; k++) count[n++] = c[i * f->width + k] + (frozen ? c[f->width + k] : 0);
    }
    copse_status status = cp_writer_array(w, "count", CP_U32, count, n, err);
    cp_mem_free(count);
    return status;
}

static copse_status write_moments(const cp_orf_tree *t, const cp_orf_rules *f, int frozen, cp_writer *w,
                                  copse_error *err) {
    if (!frozen)
        return cp_writer_array(w, "moments", CP_F64, t->moment, MOMENTS * t->leaves * cp_orf_tree_block_size(f), err);
    cp_orf_moments *whole;
    CP_TRY(CP_RAW(whole, t->leaves, err));
    for (size_t leaf = 0; leaf < t->leaves; leaf++) whole[leaf] = cp_orf_tree_leaf_moments(t, f, leaf);
    copse_status status = cp_writer_array(w, "moments", CP_F64, whole, MOMENTS * t->leaves, err);
    cp_mem_free(whole);
    return status;
}

static copse_status write_tree(const cp_orf_tree *t, const cp_orf_rules *f, int frozen, cp_writer *w,
                               copse_error *err) {
    cp_orf_rules reader = *f; /* the rules that a reader of the file will have */
    reader.frozen = frozen;
    if (frozen) reader.tests = 0;
    cp_writer_claim(w, 1, node_bytes(&reader, t->nodes, t->leaves));
    CP_TRY(write_nodes(t, w, err));
    if (!frozen) CP_TRY(write_tests(t, f, w, err));
    return (f->task == COPSE_CLASS ? write_counts : write_moments)(t, f, frozen, w, err);
}

/* When each tree was last reset, and its out-of-bag error since. */
static copse_status write_ages(const cp_orf *f, cp_writer *w, copse_error *err) {
    double *age;
    CP_TRY(CP_RAW(age, 3 * f->trees, err));
    for (size_t m = 0; m < f->trees; m++) {
        age[3 * m] = (double)f->tree[m].born;
        age[3 * m + 1] = f->tree[m].oob_rows;
        age[3 * m + 2] = f->tree[m].oob_errors;
    }
    copse_status status = cp_writer_array(w, "age", CP_F64, age, 3 * f->trees, err);
    cp_mem_free(age);
    return status;
}

/* Memory of a tree without its nodes. */
static size_t tree_bytes(const cp_orf_rules *f) {
    return sizeof(cp_orf_tree) + 2 * f->dims * sizeof(float);
}

copse_status cp_orf_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                               copse_error *err) {
    (void)p;
    const cp_orf *f = state;
    int frozen = f->rules.frozen || (flags & COPSE_SAVE_FROZEN);
    CP_BUG(f->pending.n); /* cp_method.refresh comes before write */
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)f->rows, err));
    CP_TRY(cp_writer_i64(w, "frozen", frozen, err));
    CP_TRY(cp_writer_array(w, "range", CP_F32, f->tree[0].range, 2 * f->rules.dims, err));
    if (f->rules.forget > 0) CP_TRY(write_ages(f, w, err));
    if (f->rules.task == COPSE_REGRESS) {
        CP_TRY(cp_writer_f64(w, "centre", f->centre, err));
        CP_TRY(cp_writer_array(w, "moments", CP_F64, &f->moments, MOMENTS, err));
    }
    cp_writer_claim(w, f->trees, tree_bytes(&f->rules));
    for (size_t m = 0; m < f->trees; m++) {
        CP_TRY(cp_writer_push_nth(w, "tree", m, err));
        copse_status status = write_tree(&f->tree[m], &f->rules, frozen, w, err);
        cp_writer_pop(w);
        CP_TRY(status);
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static const cp_number_rule number_rules[] = {
    {.name = "range", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "age", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "moments", .every = MOMENTS, .at = 0, .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "moments", .every = MOMENTS, .at = 1, .least = -CP_NUMBER_TARGET, .most = CP_NUMBER_TARGET},
    {.name = "moments", .every = MOMENTS, .at = 2, .least = 0, .most = CP_NUMBER_VARIANCE},
    {.name = "tree.#.cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "tree.#.test_cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "tree.#.moments", .every = MOMENTS, .at = 0, .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "tree.#.moments", .every = MOMENTS, .at = 1, .least = -CP_NUMBER_TARGET, .most = CP_NUMBER_TARGET},
    {.name = "tree.#.moments", .every = MOMENTS, .at = 2, .least = 0, .most = CP_NUMBER_VARIANCE},
};

static copse_status read_nodes(cp_orf_tree *t, cp_reader *r, copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *left = NULL, *dim = NULL;
    float *cut = NULL;
    CP_TRY_OUT(cp_reader_array(r, "left", CP_I32, t->nodes, &left, err));
    CP_TRY_OUT(cp_reader_array(r, "dim", CP_I32, t->nodes, &dim, err));
    CP_TRY_OUT(cp_reader_array(r, "cut", CP_F32, t->nodes, &cut, err));
    CP_TRY_OUT(CP_NEW(t->node, t->nodes, err));
    t->cap_nodes = t->nodes;
    for (size_t j = 0; j < t->nodes; j++) { /* parents come first, so a node has its depth when it is reached */
        t->node[j] = (cp_orf_node){left[j], dim[j], cut[j], t->node[j].depth};
        if (left[j] > (int32_t)j && (size_t)left[j] + 1 < t->nodes)
            t->node[left[j]].depth = t->node[left[j] + 1].depth = t->node[j].depth + 1;
    }
out:
    cp_mem_free(left);
    cp_mem_free(dim);
    cp_mem_free(cut);
    return status;
}

static copse_status read_tests(cp_orf_tree *t, const cp_orf_rules *f, cp_reader *r, copse_error *err) {
    copse_status status = COPSE_OK;
    size_t n = t->leaves * f->tests;
    int32_t *dim = NULL;
    float *cut = NULL;
    CP_TRY_OUT(cp_reader_array(r, "test_dim", CP_I32, n, &dim, err));
    CP_TRY_OUT(cp_reader_array(r, "test_cut", CP_F32, n, &cut, err));
    CP_TRY_OUT(CP_RAW(t->test, n, err));
    t->cap_test = n;
    for (size_t i = 0; i < n; i++) t->test[i] = (cp_orf_test){dim[i], cut[i]};
out:
    cp_mem_free(dim);
    cp_mem_free(cut);
    return status;
}

/* The one statistic of a frozen leaf, of `size` bytes, becomes its inherited one; its own is empty.  Frees `frozen`;
 * NULL if there is no memory. */
static void *expand_frozen(void *frozen, size_t leaves, size_t size) {
    const char *from = frozen;
    char *to = cp_mem_new(2 * leaves, size);
    for (size_t leaf = 0; to && leaf < leaves; leaf++) memcpy(to + 2 * leaf * size, from + leaf * size, size);
    cp_mem_free(frozen);
    return to;
}

static copse_status read_counts(cp_orf_tree *t, const cp_orf_rules *f, cp_reader *r, copse_error *err) {
    size_t parts = f->frozen ? 1 : 2 + f->tests;
    CP_TRY(cp_reader_array(r, "count", CP_U32, t->leaves * parts * f->classes, &t->count, err));
    if (f->frozen && !(t->count = expand_frozen(t->count, t->leaves, f->classes * sizeof *t->count)))
        return cp_fail_memory(err);
    t->cap_count = t->leaves * cp_orf_tree_block_size(f);
    return COPSE_OK;
}

static int possible(const cp_orf_moments *m) {
    return m->n >= 0 && fabs(m->mean) <= MOST_MEAN && m->m2 >= 0 && m->m2 <= MOST_VARIANCE;
}

static copse_status read_moments(cp_orf_tree *t, const cp_orf_rules *f, cp_reader *r, copse_error *err) {
    size_t n = t->leaves * (f->frozen ? 1 : 2 + 2 * f->tests);
    CP_TRY(cp_reader_array(r, "moments", CP_F64, MOMENTS * n, &t->moment, err));
    for (size_t i = 0; i < n; i++)
        if (!possible(&t->moment[i])) return cp_reader_bad(r, err, "holds impossible moments at %zu", i);
    if (f->frozen && !(t->moment = expand_frozen(t->moment, t->leaves, sizeof *t->moment))) return cp_fail_memory(err);
    t->cap_moment = t->leaves * cp_orf_tree_block_size(f);
    return COPSE_OK;
}

/* The number of nodes and leaves, checked against the length of another section before anything is multiplied by it. */
static copse_status size_tree(cp_orf_tree *t, const cp_orf_rules *f, cp_reader *r, copse_error *err) {
    size_t have, class = f->task == COPSE_CLASS;
    size_t block = f->frozen ? (class ? f->classes : MOMENTS)
                             : (class ? cp_orf_tree_block_size(f) : MOMENTS * cp_orf_tree_block_size(f));
    CP_TRY(cp_reader_count(r, "left", CP_I32, &t->nodes, err));
    CP_TRY(class ? cp_reader_count(r, "count", CP_U32, &have, err) : cp_reader_count(r, "moments", CP_F64, &have, err));
    t->leaves = t->nodes / 2 + 1;
    if (t->nodes % 2 == 0 || t->nodes > INT32_MAX || have % block || have / block != t->leaves)
        return cp_reader_bad(r, err, "%zu nodes do not fit %zu numbers in their leaves", t->nodes, have);
    return cp_reader_claim(r, 1, node_bytes(f, t->nodes, t->leaves), err);
}

static copse_status read_tree(cp_orf_tree *t, const cp_orf_rules *f, cp_reader *r, copse_error *err) {
    unsigned char *seen;
    CP_TRY(size_tree(t, f, r, err));
    CP_TRY(read_nodes(t, r, err));
    if (!f->frozen) CP_TRY(read_tests(t, f, r, err));
    CP_TRY((f->task == COPSE_CLASS ? read_counts : read_moments)(t, f, r, err));
    CP_TRY(CP_NEW(seen, t->nodes, err));
    const char *wrong = cp_orf_tree_check(t, f, seen);
    cp_mem_free(seen);
    return wrong ? cp_reader_bad(r, err, "%s", wrong) : COPSE_OK;
}

static copse_status read_ages(cp_orf *f, cp_reader *r, copse_error *err) {
    double *age = NULL;
    CP_TRY(cp_reader_finite(r, "age", 3 * f->trees, &age, err));
    copse_status status = COPSE_OK;
    for (size_t m = 0; !status && m < f->trees; m++) {
        const double *a = age + 3 * m;
        if (!(a[0] >= 0 && a[0] <= (double)f->rows && a[2] >= 0 && a[2] <= a[1] && a[1] <= (double)f->rows))
            status = cp_reader_bad(r, err, "tree %zu has an impossible age", m);
        if (status) break;
        f->tree[m].born = (size_t)a[0];
        f->tree[m].oob_rows = a[1];
        f->tree[m].oob_errors = a[2];
    }
    cp_mem_free(age);
    return status;
}

/* The file has one range; every tree gets a copy. */
static copse_status read_range(cp_orf *f, cp_reader *r, copse_error *err) {
    size_t dims = f->rules.dims;
    float *range;
    CP_TRY(cp_reader_array(r, "range", CP_F32, 2 * dims, &range, err));
    copse_status status = COPSE_OK;
    for (size_t d = 0; !status && d < dims; d++)
        if (!(range[d] >= (float)-CP_SCHEMA_LIMIT && range[d] < range[dims + d] &&
              range[dims + d] <= (float)CP_SCHEMA_LIMIT))
            status = cp_reader_bad(r, err, "column %zu has an impossible range", d);
    for (size_t m = 0; !status && m < f->trees; m++) {
        status = CP_RAW(f->tree[m].range, 2 * dims, err);
        if (!status) memcpy(f->tree[m].range, range, 2 * dims * sizeof *range);
    }
    cp_mem_free(range);
    return status;
}

static copse_status read_targets(cp_orf *f, cp_reader *r, copse_error *err) {
    double *v;
    CP_TRY(cp_reader_f64(r, "centre", -CP_SCHEMA_TARGET_MAX, CP_SCHEMA_TARGET_MAX, &f->centre, err));
    CP_TRY(cp_reader_array(r, "moments", CP_F64, MOMENTS, &v, err));
    f->moments = (cp_orf_moments){v[0], v[1], v[2]};
    cp_mem_free(v);
    if (f->moments.n != (double)f->rows || !possible(&f->moments))
        return cp_reader_bad(r, err, "'moments' are impossible");
    return COPSE_OK;
}

static copse_status read_forest(cp_orf *f, cp_reader *r, copse_error *err) {
    int64_t rows, frozen;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_claim(r, f->trees, tree_bytes(&f->rules), err));
    CP_TRY(cp_reader_i64(r, "rows", 1, MOST_ROWS, &rows, err));
    CP_TRY(cp_reader_i64(r, "frozen", 0, 1, &frozen, err));
    f->rows = f->weighted_rows = (size_t)rows;
    f->rules.frozen = (int)frozen;
    if (frozen) f->rules.tests = 0;
    CP_TRY(read_range(f, r, err));
    if (f->rules.forget > 0) CP_TRY(read_ages(f, r, err));
    if (f->rules.task == COPSE_REGRESS) CP_TRY(read_targets(f, r, err));
    for (size_t m = 0; m < f->trees; m++) {
        CP_TRY(cp_reader_push_nth(r, "tree", m, err));
        f->tree[m].rows = f->rows;
        copse_status status = read_tree(&f->tree[m], &f->rules, r, err);
        cp_reader_pop(r);
        CP_TRY(status);
    }
    return COPSE_OK;
}

copse_status cp_orf_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                              copse_error *err) {
    cp_orf *f;
    *out_state = NULL;
    /* before memory is allocated for the trees: a file without the last tree has fewer of them than its options say */
    if (!cp_reader_has_nth(r, "tree", (size_t)cp_param_int(p, "trees") - 1, "dim"))
        return cp_reader_bad(r, err, "trees are missing");
    CP_TRY(cp_orf_new(p, shape.task, shape.dims, shape.classes, &f, err));
    copse_status status = read_forest(f, r, err);
    if (status)
        cp_orf_free(f);
    else
        *out_state = f;
    return status;
}
