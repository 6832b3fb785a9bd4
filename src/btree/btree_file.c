#include "btree/btree_file.h"

#include <math.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "btree/btree.h"
#include "tree/tree_set_file.h"

/* ---------------------------------------------------------------------------------------------------------- columns */

/* Whole numbers that a double can hold. */
static copse_status get_counts(cp_reader *r, const char *name, size_t n, double **out, copse_error *err) {
    CP_TRY(cp_reader_array(r, name, CP_F64, n, out, err));
    for (size_t i = 0; i < n; i++) {
        double v = (*out)[i];
        if (v >= 0 && v < 0x1p53 && v == floor(v)) continue;
        cp_mem_free(*out);
        *out = NULL;
        return cp_reader_bad(r, err, "a count that is not a whole number");
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- islands */

/* The counts of an island; each has a section of its own. */
static const char *const counts[] = {"stages", "cut_short", "unique", "resamplings", "expanded", "worked"};
enum { COUNTS = sizeof counts / sizeof *counts };

static size_t *count_of(cp_btree_island *s, size_t which) {
    size_t *const all[COUNTS] = {&s->stages, &s->cut_short, &s->unique, &s->resamplings, &s->expanded, &s->worked};
    return all[which];
}

static copse_status write_counts(const cp_btree *b, cp_writer *w, size_t which, copse_error *err) {
    double *v;
    CP_TRY(CP_RAW(v, b->islands, err));
    for (size_t i = 0; i < b->islands; i++) v[i] = (double)*count_of(&b->island[i], which);
    copse_status status = cp_writer_array(w, counts[which], CP_F64, v, b->islands, err);
    cp_mem_free(v);
    return status;
}

static copse_status write_log_marginals(const cp_btree *b, cp_writer *w, copse_error *err) {
    double *v;
    CP_TRY(CP_RAW(v, b->islands, err));
    for (size_t i = 0; i < b->islands; i++) v[i] = b->island[i].log_marginal;
    copse_status status = cp_writer_array(w, "log_marginal", CP_F64, v, b->islands, err);
    cp_mem_free(v);
    return status;
}

static copse_status write_ess(const cp_btree *b, cp_writer *w, copse_error *err) {
    size_t n = 0, used = 0;
    float *ess;
    for (size_t i = 0; i < b->islands; i++) n += b->island[i].stages;
    CP_TRY(CP_RAW(ess, n, err));
    for (size_t i = 0; i < b->islands; i++)
        for (size_t k = 0; k < b->island[i].stages; k++) ess[used++] = b->island[i].ess[k];
    copse_status status = cp_writer_array(w, "ess", CP_F32, ess, n, err);
    cp_mem_free(ess);
    cp_writer_claim(w, n, sizeof *ess);
    return status;
}

static copse_status write_islands(const cp_btree *b, cp_writer *w, copse_error *err) {
    cp_writer_claim(w, b->islands, sizeof *b->island);
    CP_TRY(write_log_marginals(b, w, err));
    for (size_t k = 0; k < COUNTS; k++) CP_TRY(write_counts(b, w, k, err));
    return write_ess(b, w, err);
}

static copse_status read_counts(cp_btree *b, cp_reader *r, size_t which, copse_error *err) {
    double *v;
    CP_TRY(get_counts(r, counts[which], b->islands, &v, err));
    for (size_t i = 0; i < b->islands; i++) *count_of(&b->island[i], which) = (size_t)v[i];
    cp_mem_free(v);
    return COPSE_OK;
}

static copse_status read_log_marginals(cp_btree *b, cp_reader *r, copse_error *err) {
    double *v;
    CP_TRY(cp_reader_finite(r, "log_marginal", b->islands, &v, err));
    for (size_t i = 0; i < b->islands; i++) b->island[i].log_marginal = v[i];
    cp_mem_free(v);
    return COPSE_OK;
}

/* The section has the effective sample sizes of all islands, one after the other, as shares of the particles. */
static copse_status split_ess(cp_btree *b, cp_reader *r, const float *ess, size_t n, copse_error *err) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (!(ess[i] >= 0 && ess[i] <= 1.001f)) return cp_reader_bad(r, err, "an impossible share");
    for (size_t i = 0; i < b->islands; i++) {
        cp_btree_island *s = &b->island[i];
        if (s->stages > n - used) return cp_reader_bad(r, err, "fewer stages than there were");
        CP_TRY(CP_RAW(s->ess, s->stages, err));
        for (size_t k = 0; k < s->stages; k++) s->ess[k] = ess[used++];
    }
    return used == n ? COPSE_OK : cp_reader_bad(r, err, "more stages than there were");
}

static copse_status read_islands(cp_btree *b, cp_reader *r, copse_error *err) {
    size_t n;
    float *ess;
    CP_TRY(cp_reader_count(r, "log_marginal", CP_F64, &n, err));
    CP_TRY(cp_reader_claim(r, n, sizeof *b->island, err));
    CP_TRY(CP_NEW(b->island, n, err));
    b->islands = n;
    CP_TRY(read_log_marginals(b, r, err));
    for (size_t k = 0; k < COUNTS; k++) CP_TRY(read_counts(b, r, k, err));
    for (size_t i = 0; i < b->islands; i++)
        if (b->island[i].cut_short > 1) return cp_reader_bad(r, err, "an island is cut short once at most");
    CP_TRY(cp_reader_count(r, "ess", CP_F32, &n, err));
    CP_TRY(cp_reader_claim(r, n, sizeof *ess, err));
    CP_TRY(cp_reader_array(r, "ess", CP_F32, n, &ess, err));
    copse_status status = split_ess(b, r, ess, n, err);
    cp_mem_free(ess);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- chains */

static copse_status write_chains(const cp_btree *b, cp_writer *w, copse_error *err) {
    size_t n = b->chains, draws = b->trace[0].samples;
    double *moves = NULL;
    copse_status status = COPSE_OK;
    cp_writer_claim(w, n, sizeof *b->trace);
    CP_TRY(CP_RAW(moves, 2 * n * CP_MOVES, err));
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < CP_MOVES; m++) {
            moves[2 * (i * CP_MOVES + m)] = (double)b->trace[i].proposed[m];
            moves[2 * (i * CP_MOVES + m) + 1] = (double)b->trace[i].accepted[m];
        }
    CP_TRY_OUT(cp_writer_array(w, "moves", CP_F64, moves, 2 * n * CP_MOVES, err));
    for (size_t i = 0; i < n; i++) {
        CP_TRY_OUT(cp_writer_push_nth(w, "chain", i, err));
        status = cp_writer_array(w, "log_posterior", CP_F64, b->trace[i].log_post, draws, err);
        if (!status) status = cp_writer_array(w, "leaves", CP_U32, b->trace[i].leaves, draws, err);
        cp_writer_pop(w);
        if (status) goto out;
    }
out:
    cp_mem_free(moves);
    return status;
}

static copse_status read_trace(cp_btree_trace *t, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_count(r, "log_posterior", CP_F64, &t->samples, err));
    CP_TRY(cp_reader_finite(r, "log_posterior", t->samples, &t->log_post, err));
    return cp_reader_array(r, "leaves", CP_U32, t->samples, &t->leaves, err);
}

static copse_status read_moves(cp_btree *b, cp_reader *r, copse_error *err) {
    double *moves;
    size_t n = b->chains * CP_MOVES;
    copse_status status = COPSE_OK;
    CP_TRY(get_counts(r, "moves", 2 * n, &moves, err));
    for (size_t i = 0; i < n; i++) {
        cp_btree_trace *t = &b->trace[i / CP_MOVES];
        t->proposed[i % CP_MOVES] = (uint64_t)moves[2 * i];
        t->accepted[i % CP_MOVES] = (uint64_t)moves[2 * i + 1];
        if (moves[2 * i + 1] > moves[2 * i]) status = cp_reader_bad(r, err, "more moves accepted than there were");
    }
    cp_mem_free(moves);
    return status;
}

static copse_status read_chains(cp_btree *b, cp_reader *r, copse_error *err) {
    size_t n;
    CP_TRY(cp_reader_count(r, "moves", CP_F64, &n, err));
    n /= (size_t)2 * CP_MOVES;
    if (!n) return cp_reader_bad(r, err, "no chains");
    CP_TRY(cp_reader_claim(r, n, sizeof *b->trace, err));
    CP_TRY(CP_NEW(b->trace, n, err));
    b->chains = n;
    CP_TRY(read_moves(b, r, err));
    for (size_t i = 0; i < n; i++) {
        CP_TRY(cp_reader_push_nth(r, "chain", i, err));
        copse_status status = read_trace(&b->trace[i], r, err);
        if (!status && (!b->trace[i].samples || b->trace[i].samples != b->trace[0].samples))
            status = cp_reader_bad(r, err, "chains of different lengths");
        cp_reader_pop(r);
        if (status) return status;
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ model */

copse_status cp_btree_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                 copse_error *err) {
    const cp_btree *b = state;
    (void)p;
    (void)flags;
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)b->rows, err));
    CP_TRY(cp_writer_f64(w, "centre", b->centre, err));
    CP_TRY(cp_writer_f64(w, "scale", b->scale, err));
    CP_TRY(cp_btree_hyper_write(&b->hyper, w, err));
    CP_TRY(cp_writer_i64(w, "tuned", b->tuned, err));
    CP_TRY(cp_tree_set_file_write(&b->tree_set, w, err));
    return b->chains ? write_chains(b, w, err) : write_islands(b, w, err);
}

static const cp_number_rule number_rules[] = {
    {.name = "log_marginal", .least = -CP_NUMBER_LOG, .most = CP_NUMBER_LOG},
    {.name = "stages", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "cut_short", .least = 0, .most = 1},
    {.name = "unique", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "resamplings", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "expanded", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "worked", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "ess", .least = 0, .most = 1.01},
    {.name = "moves", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "chain.#.log_posterior", .least = -CP_NUMBER_LOG, .most = CP_NUMBER_LOG},
};

static copse_status read_model(cp_btree *b, cp_reader *r, size_t dims, copse_error *err) {
    int64_t rows, tuned;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_i64(r, "rows", 1, INT32_MAX, &rows, err));
    CP_TRY(cp_reader_i64(r, "tuned", 0, 1, &tuned, err));
    b->tuned = (int)tuned;
    b->rows = (size_t)rows;
    CP_TRY(cp_reader_f64(r, "centre", -CP_NUMBER_TARGET, CP_NUMBER_TARGET, &b->centre, err));
    CP_TRY(cp_reader_f64(r, "scale", CP_NUMBER_LEAST_SCALE, CP_NUMBER_MOST_SCALE, &b->scale, err));
    CP_TRY(cp_btree_hyper_read(r, &b->hyper, err));
    CP_TRY(cp_tree_set_file_read(r, dims, b->task == COPSE_CLASS ? b->classes : 3, &b->tree_set, err));
    CP_TRY(cp_reader_has(r, "moves") ? read_chains(b, r, err) : read_islands(b, r, err));
    CP_TRY(cp_btree_finish(b, err));
    const char *wrong = cp_btree_file_check(b);
    return wrong ? cp_fail(err, COPSE_E_MODEL, "damaged: %s", wrong) : COPSE_OK;
}

copse_status cp_btree_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                                copse_error *err) {
    cp_btree *b;
    *out_state = NULL;
    CP_TRY(CP_NEW(b, 1, err));
    *b = (cp_btree){.task = shape.task, .classes = shape.classes, .prior_only = cp_param_is(p, "prior-only", "yes")};
    copse_status status = read_model(b, r, shape.dims, err);
    if (status)
        cp_btree_free(b);
    else
        *out_state = b;
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ check */

static int is_empty(const cp_btree *b, const double *stat) {
    for (size_t k = 0; k < b->tree_set.width; k++)
        if (stat[k] != 0) return 0;
    return 1;
}

/* The mean square of standardised targets is 1, so the squares in a leaf sum to at most the number of rows. */
static int leaf_is_sound(const cp_btree *b, const double *stat) {
    double n = 0, most = (double)b->rows;
    if (b->prior_only) return is_empty(b, stat);
    if (b->task == COPSE_REGRESS)
        return stat[0] >= 1 && stat[0] <= most && stat[0] == floor(stat[0]) && fabs(stat[1]) <= 1.000001 * most &&
               stat[2] >= 0 && stat[2] <= 1.000001 * most;
    for (size_t k = 0; k < b->classes; k++) {
        if (!(stat[k] >= 0 && stat[k] == floor(stat[k]))) return 0;
        n += stat[k];
    }
    return n >= 1 && n <= most;
}

const char *cp_btree_file_check(const void *state) {
    const cp_btree *b = state;
    const char *wrong = cp_tree_set_check(&b->tree_set);
    if (wrong) return wrong;
    for (size_t k = 0; k < b->tree_set.leaves; k++)
        if (!leaf_is_sound(b, b->tree_set.stat + k * b->tree_set.width)) return "a leaf with an impossible statistic";
    for (size_t t = 0; t < b->tree_set.trees; t++)
        if (b->size[b->tree_set.root[t]].leaves > b->rows) return "a tree has more leaves than there are rows";
    if (!b->islands == !b->chains) return "neither islands nor chains, or both";
    return NULL;
}
