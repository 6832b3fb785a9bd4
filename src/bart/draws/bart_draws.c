#include "bart/draws/bart_draws.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define NO_RUN SIZE_MAX

copse_status cp_bart_draws_init(cp_bart_draws *d, size_t dims, size_t trees, copse_error *err) {
    CP_BUG(!trees || trees > CP_BART_DRAWS_MAX_TREES);
    *d = (cp_bart_draws){.dims = dims, .trees = trees};
    CP_TRY(CP_RAW(d->last_run, trees, err));
    for (size_t m = 0; m < trees; m++) d->last_run[m] = NO_RUN;
    return COPSE_OK;
}

void cp_bart_draws_clear(cp_bart_draws *d) {
    cp_mem_free(d->rule);
    cp_mem_free(d->run);
    cp_mem_free(d->mu);
    cp_mem_free(d->end_run);
    cp_mem_free(d->end_mu);
    cp_mem_free(d->last_run);
    *d = (cp_bart_draws){0};
}

/* ----------------------------------------------------------------------------------------------------------- adding */

typedef struct amounts {
    size_t draws, runs, rules, mus;
} amounts;

/* One rule more than asked for, so that d->rule + d->rules is always valid. */
static copse_status reserve(cp_bart_draws *d, amounts more, copse_error *err) {
    CP_TRY(CP_GROW(d->end_run, d->cap_end_run, d->draws + more.draws, err));
    CP_TRY(CP_GROW(d->end_mu, d->cap_end_mu, d->draws + more.draws, err));
    CP_TRY(CP_GROW(d->run, d->cap_run, d->runs + more.runs, err));
    CP_TRY(CP_GROW(d->rule, d->cap_rule, d->rules + more.rules + 1, err));
    return CP_GROW(d->mu, d->cap_mu, d->mus + more.mus, err);
}

typedef struct visit {
    int16_t node;
    uint8_t slot;
} visit;

/* Writes the rules of a tree in preorder, and the mu by the slots of the shape; returns the number of rules. */
static size_t flatten(const cp_bart_tree *t, cp_bart_rule *rule, float *mu) {
    visit todo[CP_BART_MAX_LEAVES];
    size_t n = 0, rules = 0;
    todo[n++] = (visit){0, 0};
    while (n) {
        visit at = todo[--n];
        const cp_bart_node *node = &t->node[at.node];
        if (node->left == CP_NONE) {
            mu[at.slot] = t->mu[node->slot];
            continue;
        }
        rule[rules++] = (cp_bart_rule){.dim = node->rule.dim, .cut = node->cut, .slot = at.slot};
        todo[n++] = (visit){(int16_t)(node->left + 1), (uint8_t)rules};
        todo[n++] = (visit){node->left, at.slot};
    }
    return rules;
}

static int same_rules(const cp_bart_rule *a, const cp_bart_rule *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i].dim != b[i].dim || a[i].cut != b[i].cut || a[i].slot != b[i].slot) return 0;
    return 1;
}

/* Memory is reserved.  Writes the rules behind the last ones, and keeps them only if the shape is new. */
static void add_tree(cp_bart_draws *d, uint32_t m, const cp_bart_tree *t) {
    cp_bart_rule *rule = d->rule + d->rules;
    uint32_t rules = (uint32_t)flatten(t, rule, d->mu + d->mus);
    const cp_bart_run *now = d->last_run[m] == NO_RUN ? NULL : &d->run[d->last_run[m]];
    d->mus += rules + 1;
    if (now && now->rules == rules && same_rules(rule, d->rule + now->rule, rules)) return;
    d->last_run[m] = d->runs;
    d->run[d->runs++] = (cp_bart_run){.rule = d->rules, .tree = m, .rules = rules};
    d->rules += rules;
}

copse_status cp_bart_draws_add(cp_bart_draws *d, const cp_bart_tree *tree, copse_error *err) {
    amounts more = {.draws = 1, .runs = d->trees};
    for (size_t m = 0; m < d->trees; m++) {
        more.rules += tree[m].pairs;
        more.mus += cp_bart_tree_leaves(&tree[m]);
    }
    CP_TRY(reserve(d, more, err));
    for (size_t m = 0; m < d->trees; m++) add_tree(d, (uint32_t)m, &tree[m]);
    d->end_run[d->draws] = d->runs;
    d->end_mu[d->draws++] = d->mus;
    return COPSE_OK;
}

copse_status cp_bart_draws_append(cp_bart_draws *d, const cp_bart_draws *src, copse_error *err) {
    CP_BUG(d->dims != src->dims || d->trees != src->trees);
    if (!src->draws) return COPSE_OK;
    CP_TRY(reserve(d, (amounts){src->draws, src->runs, src->rules, src->mus}, err));
    for (size_t i = 0; i < src->runs; i++) {
        d->run[d->runs + i] = src->run[i];
        d->run[d->runs + i].rule += d->rules;
    }
    for (size_t i = 0; i < src->draws; i++) {
        d->end_run[d->draws + i] = d->runs + src->end_run[i];
        d->end_mu[d->draws + i] = d->mus + src->end_mu[i];
    }
    if (src->rules) memcpy(d->rule + d->rules, src->rule, src->rules * sizeof *d->rule);
    memcpy(d->mu + d->mus, src->mu, src->mus * sizeof *d->mu);
    for (size_t m = 0; m < d->trees; m++) d->last_run[m] = d->runs + src->last_run[m];
    d->draws += src->draws;
    d->runs += src->runs;
    d->rules += src->rules;
    d->mus += src->mus;
    return COPSE_OK;
}

void cp_bart_draws_find(const cp_bart_draws *d, size_t draw, size_t *out_run) {
    for (size_t i = 0; i < d->end_run[draw]; i++) out_run[d->run[i].tree] = i;
}

/* ------------------------------------------------------------------------------------------------------------ check */

static const char *check_runs(const cp_bart_draws *d) {
    for (size_t k = 0; k < d->draws; k++) {
        size_t first = cp_bart_draws_first_run(d, k), end = d->end_run[k];
        if (end < first || end > d->runs) return "D1: a draw has an impossible number of runs";
        if (!k && end != d->trees) return "D1: the first draw does not begin a run of every tree";
        for (size_t i = first; i < end; i++)
            if (d->run[i].tree >= d->trees || (i > first && d->run[i].tree <= d->run[i - 1].tree))
                return "D1: the runs of a draw are not of rising trees";
    }
    return d->draws && d->end_run[d->draws - 1] == d->runs ? NULL : d->runs ? "D1: runs of no draw" : NULL;
}

static const char *check_rules(const cp_bart_draws *d) {
    size_t used = 0;
    for (size_t k = 0; k < d->runs; k++) {
        const cp_bart_run *run = &d->run[k];
        if (run->rule != used || run->rules >= CP_BART_MAX_LEAVES || run->rules > d->rules - used)
            return "D2: a shape has an impossible number of rules";
        for (size_t i = 0; i < run->rules; i++) {
            const cp_bart_rule *rule = &d->rule[used + i];
            if (rule->slot > i) return "D2: a rule splits a slot that does not exist";
            if (rule->dim >= d->dims || !isfinite(rule->cut)) return "D2: an impossible rule";
        }
        used += run->rules;
    }
    return used == d->rules ? NULL : "D2: rules of no shape";
}

/* Needs D1 and D2.  Keeps the current run of each tree in `now`: the leaves of a draw are those of the draw before,
 * minus those of the runs that end, plus those of the runs that begin. */
static const char *check_mu(const cp_bart_draws *d, size_t *now) {
    size_t leaves = 0, used = 0;
    for (size_t k = 0; k < d->draws; k++) {
        for (size_t i = cp_bart_draws_first_run(d, k); i < d->end_run[k]; i++) {
            if (k) leaves -= d->run[now[d->run[i].tree]].rules + 1;
            leaves += d->run[i].rules + 1;
            now[d->run[i].tree] = i;
        }
        used += leaves;
        if (d->end_mu[k] != used || used > d->mus) return "D3: a draw has more or fewer values than leaves";
    }
    for (size_t i = 0; i < d->mus; i++)
        if (!(fabsf(d->mu[i]) <= CP_BART_DRAWS_MAX_MU)) return "D3: an impossible value of a leaf";
    return used == d->mus ? NULL : "D3: values of no draw";
}

const char cp_bart_draws_no_memory[] = "no memory for a check";

const char *cp_bart_draws_check(const cp_bart_draws *d) {
    const char *bad = check_runs(d);
    if (!bad) bad = check_rules(d);
    if (bad) return bad;
    size_t *now = cp_mem_raw(d->trees, sizeof *now);
    if (!now) return cp_bart_draws_no_memory;
    bad = check_mu(d, now);
    if (!bad && d->draws && memcmp(now, d->last_run, d->trees * sizeof *now) != 0)
        bad = "D1: the last runs of the trees are wrong";
    cp_mem_free(now);
    return bad;
}
