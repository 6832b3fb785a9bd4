/* docs/format.md lists the sections. */
#include "bart/draws/bart_draws_file.h"

#include "base/mem.h"
#include "base/number_rule.h"

/* Bytes in memory besides the sections themselves: of the arrays of bart_draws.h, and of a walk (bart_walk.h). */
enum { PER_TREE = 2 * sizeof(size_t) + 64, PER_DRAW = 2 * sizeof(size_t) };

/* ---------------------------------------------------------------------------------------------------------- writing */

static copse_status write_runs(const cp_bart_draws *d, cp_writer *w, copse_error *err) {
    uint32_t *v;
    copse_status status = COPSE_OK;
    CP_TRY(CP_RAW(v, d->runs > d->draws ? d->runs : d->draws, err));
    for (size_t k = 0; k < d->draws; k++) v[k] = (uint32_t)(d->end_run[k] - cp_bart_draws_first_run(d, k));
    CP_TRY_OUT(cp_writer_array(w, "runs", CP_U32, v, d->draws, err));
    for (size_t i = 0; i < d->runs; i++) v[i] = d->run[i].tree;
    CP_TRY_OUT(cp_writer_array(w, "tree", CP_U32, v, d->runs, err));
    for (size_t i = 0; i < d->runs; i++) v[i] = d->run[i].rules;
    CP_TRY_OUT(cp_writer_array(w, "rules", CP_U32, v, d->runs, err));
out:
    cp_mem_free(v);
    return status;
}

static copse_status write_dims(const cp_bart_draws *d, cp_writer *w, copse_error *err) {
    uint32_t *v;
    CP_TRY(CP_RAW(v, d->rules, err));
    for (size_t i = 0; i < d->rules; i++) v[i] = d->rule[i].dim;
    copse_status status = cp_writer_array(w, "dim", CP_U32, v, d->rules, err);
    cp_mem_free(v);
    return status;
}

static copse_status write_cuts(const cp_bart_draws *d, cp_writer *w, copse_error *err) {
    float *v;
    CP_TRY(CP_RAW(v, d->rules, err));
    for (size_t i = 0; i < d->rules; i++) v[i] = d->rule[i].cut;
    copse_status status = cp_writer_array(w, "cut", CP_F32, v, d->rules, err);
    cp_mem_free(v);
    return status;
}

static copse_status write_slots(const cp_bart_draws *d, cp_writer *w, copse_error *err) {
    uint8_t *v;
    CP_TRY(CP_RAW(v, d->rules, err));
    for (size_t i = 0; i < d->rules; i++) v[i] = d->rule[i].slot;
    copse_status status = cp_writer_array(w, "slot", CP_U8, v, d->rules, err);
    cp_mem_free(v);
    return status;
}

copse_status cp_bart_draws_file_write(const cp_bart_draws *d, cp_writer *w, copse_error *err) {
    CP_TRY(write_runs(d, w, err));
    CP_TRY(write_dims(d, w, err));
    CP_TRY(write_cuts(d, w, err));
    CP_TRY(write_slots(d, w, err));
    CP_TRY(cp_writer_array(w, "mu", CP_F32, d->mu, d->mus, err));
    cp_writer_claim(w, d->trees, PER_TREE);
    cp_writer_claim(w, d->draws, PER_DRAW);
    cp_writer_claim(w, d->runs, sizeof *d->run);
    cp_writer_claim(w, d->rules, sizeof *d->rule);
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static const cp_number_rule number_rules[] = {
    {.name = "cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "mu", .least = -1e38, .most = 1e38},
};

static copse_status make_room(cp_bart_draws *d, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_claim(r, d->trees, PER_TREE, err));
    CP_TRY(cp_reader_claim(r, d->draws, PER_DRAW, err));
    CP_TRY(cp_reader_claim(r, d->runs, sizeof *d->run, err));
    CP_TRY(cp_reader_claim(r, d->rules, sizeof *d->rule, err));
    d->cap_end_run = d->cap_end_mu = d->draws;
    d->cap_run = d->runs;
    d->cap_rule = d->rules;
    d->cap_mu = d->mus;
    CP_TRY(CP_RAW(d->end_run, d->draws, err));
    CP_TRY(CP_RAW(d->end_mu, d->draws, err));
    CP_TRY(CP_RAW(d->run, d->runs, err));
    return CP_NEW(d->rule, d->rules, err);
}

static copse_status read_counts(cp_bart_draws *d, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_count(r, "runs", CP_U32, &d->draws, err));
    CP_TRY(cp_reader_count(r, "tree", CP_U32, &d->runs, err));
    CP_TRY(cp_reader_count(r, "dim", CP_U32, &d->rules, err));
    CP_TRY(cp_reader_count(r, "mu", CP_F32, &d->mus, err));
    return make_room(d, r, err);
}

static copse_status read_ends(cp_bart_draws *d, cp_reader *r, copse_error *err) {
    uint32_t *v;
    size_t end = 0;
    copse_status status = COPSE_OK;
    CP_TRY(cp_reader_array(r, "runs", CP_U32, d->draws, &v, err));
    for (size_t k = 0; !status && k < d->draws; k++) {
        if (v[k] > d->runs - end) status = cp_reader_bad(r, err, "more runs than the file has");
        d->end_run[k] = end += v[k];
    }
    cp_mem_free(v);
    return status;
}

static copse_status read_runs(cp_bart_draws *d, cp_reader *r, copse_error *err) {
    uint32_t *v = NULL, *rules = NULL;
    copse_status status = cp_reader_array(r, "tree", CP_U32, d->runs, &v, err);
    size_t used = 0;
    if (!status) status = cp_reader_array(r, "rules", CP_U32, d->runs, &rules, err);
    for (size_t i = 0; !status && i < d->runs; i++) {
        d->run[i] = (cp_bart_run){.rule = used, .tree = v[i], .rules = rules[i]};
        if (v[i] >= d->trees || rules[i] >= CP_BART_MAX_LEAVES) status = cp_reader_bad(r, err, "an impossible shape");
        used += rules[i];
    }
    cp_mem_free(v);
    cp_mem_free(rules);
    return status;
}

static copse_status read_rules(cp_bart_draws *d, cp_reader *r, copse_error *err) {
    uint32_t *dim = NULL;
    float *cut = NULL;
    uint8_t *slot = NULL;
    copse_status status = cp_reader_array(r, "dim", CP_U32, d->rules, &dim, err);
    if (!status) status = cp_reader_array(r, "cut", CP_F32, d->rules, &cut, err);
    if (!status) status = cp_reader_array(r, "slot", CP_U8, d->rules, &slot, err);
    for (size_t i = 0; !status && i < d->rules; i++)
        d->rule[i] = (cp_bart_rule){.dim = dim[i], .cut = cut[i], .slot = slot[i]};
    cp_mem_free(dim);
    cp_mem_free(cut);
    cp_mem_free(slot);
    return status;
}

/* Computes end_mu and last_run from the runs. */
static void derive(cp_bart_draws *d) {
    size_t leaves = 0, used = 0;
    for (size_t k = 0; k < d->draws; k++) {
        for (size_t i = cp_bart_draws_first_run(d, k); i < d->end_run[k]; i++) {
            size_t m = d->run[i].tree;
            if (d->last_run[m] != SIZE_MAX) leaves -= d->run[d->last_run[m]].rules + 1;
            leaves += d->run[i].rules + 1;
            d->last_run[m] = i;
        }
        d->end_mu[k] = used += leaves;
    }
}

static copse_status check(const cp_bart_draws *d, copse_error *err) {
    const char *wrong = cp_bart_draws_check(d);
    if (wrong == cp_bart_draws_no_memory) return cp_fail_memory(err);
    return wrong ? cp_fail(err, COPSE_E_MODEL, "damaged: %s", wrong) : COPSE_OK;
}

static copse_status read_draws(cp_bart_draws *d, cp_reader *r, copse_error *err) {
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(read_counts(d, r, err));
    CP_TRY(read_ends(d, r, err));
    CP_TRY(read_runs(d, r, err));
    CP_TRY(read_rules(d, r, err));
    CP_TRY(cp_reader_array(r, "mu", CP_F32, d->mus, &d->mu, err));
    derive(d);
    return check(d, err);
}

copse_status cp_bart_draws_file_read(cp_reader *r, size_t dims, size_t trees, cp_bart_draws *out, copse_error *err) {
    copse_status status = cp_bart_draws_init(out, dims, trees, err);
    if (!status) status = read_draws(out, r, err);
    if (status) cp_bart_draws_clear(out);
    return status;
}
