#include "eval/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/model_fit.h"
#include "model/registry.h"

/* The draws of one kind: first ... first+n-1. */
typedef struct draw_group {
    size_t first, n;
} draw_group;

/* The sample's trunk and the draws, from which the result for users is made. */
typedef struct comparison {
    copse_model *sample, *forest;
    cp_stability_draw trunk; /* the sample's */
    cp_stability_draw *draw;
    size_t draws;
    draw_group *group; /* the draws of each kind, the most frequent first */
    size_t groups;
} comparison;

static void clear_draw(cp_stability_draw *d) {
    cp_mem_free(d->dim);
    cp_mem_free(d->cut);
    cp_mem_free(d->node);
}

static void clear_comparison(comparison *s) {
    for (size_t i = 0; s->draw && i < s->draws; i++) clear_draw(&s->draw[i]);
    clear_draw(&s->trunk);
    cp_mem_free(s->draw);
    cp_mem_free(s->group);
    cp_model_free(s->sample);
    cp_model_free(s->forest);
}

/* -------------------------------------------------------------------------------------------------------- fitting */

static copse_status default_draws(copse_params **out, copse_error *err) {
    CP_TRY(cp_param_new(cp_registry_with_role(CP_REGISTRY_TREE_POSTERIOR), out, err));
    copse_status status = cp_param_set(*out, "trees", "100", err);
    return status ? status : cp_param_set(*out, "max-leaves", "5", err);
}

/* The sample's tree has the bounds and the criterion of the draws: it takes every option that both methods have.
 * Option alpha is left out: it is about the predictions of leaves, which are not compared. */
static copse_status sample_params(const copse_params *draws, copse_params **out, copse_error *err) {
    const cp_method *method = cp_registry_with_role(CP_REGISTRY_SAMPLE_TREE);
    CP_TRY(cp_param_new(method, out, err));
    for (size_t i = 0; i < method->n_params; i++) {
        const char *value = cp_param_text(draws, method->params[i].name);
        if (value && strcmp(method->params[i].name, "alpha") != 0)
            CP_TRY(cp_param_set(*out, method->params[i].name, value, err));
    }
    return COPSE_OK;
}

static copse_status fit_both(comparison *s, const copse_table *data, const copse_roles *roles,
                             const copse_params *draws, const copse_run *run, copse_error *err) {
    if (!draws->method->takes_raw)
        return cp_fail(
            err, COPSE_E_USAGE,
            "method %s splits encoded columns, which cannot be compared with those of the sample's tree: take a "
            "method that takes categories as they are",
            draws->method->info.name);
    copse_params *one_tree = NULL;
    copse_run quiet = run ? *run : (copse_run){0};
    quiet.log = NULL; /* both fits would log the same about the table */
    copse_status status = sample_params(draws, &one_tree, err);
    if (!status) status = cp_model_fit(data, roles, one_tree, run, &s->sample, err);
    if (!status) status = cp_model_fit(data, roles, draws, &quiet, &s->forest, err);
    cp_param_free(one_tree);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- reading */

static copse_status grow_draw(cp_stability_draw *d, size_t need, copse_error *err) {
    CP_TRY(CP_GROW(d->dim, d->cap_dim, need, err));
    CP_TRY(CP_GROW(d->cut, d->cap_cut, need, err));
    return CP_GROW(d->node, d->cap_node, need, err);
}

/* Copies a tree of the model, breadth first. */
static copse_status read_tree(const copse_model *m, size_t tree, cp_stability_draw *out, copse_error *err) {
    const cp_schema *s = m->schema;
    CP_TRY(grow_draw(out, 1, err));
    out->node[0] = 0;
    out->nodes = 1;
    for (size_t i = 0; i < out->nodes; i++) {
        cp_inspect_node v;
        m->method->inspect.tree_node(m->state, tree, out->node[i], &v);
        out->dim[i] = v.left == CP_NONE ? CP_NONE : (int32_t)v.dim;
        out->cut[i] = v.left == CP_NONE || v.set ? NAN : s->shift[v.dim] + v.cut * s->span[v.dim];
        if (v.left == CP_NONE) continue;
        CP_TRY(grow_draw(out, out->nodes + 2, err));
        out->node[out->nodes++] = v.left;
        out->node[out->nodes++] = v.right;
    }
    return COPSE_OK;
}

static copse_status read_trunks(comparison *s, copse_error *err) {
    CP_TRY(read_tree(s->sample, 0, &s->trunk, err));
    size_t leaves = (s->trunk.nodes + 1) / 2;
    if (leaves > CP_STABILITY_LEAVES)
        return cp_fail(
            err, COPSE_E_USAGE,
            "the sample's tree has %zu leaves, a trunk at most %d: bound it (`trunk-leaves=5`, or `min-leaf` "
            "with a good part of the rows)",
            leaves, CP_STABILITY_LEAVES);
    size_t draws = s->forest->method->trees(s->forest->state);
    CP_TRY(CP_NEW(s->draw, draws, err));
    s->draws = draws;
    for (size_t i = 0; i < draws; i++) CP_TRY(read_tree(s->forest, i, &s->draw[i], err));
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- kinds */

static int compare_kind(const cp_stability_draw *a, const cp_stability_draw *b) {
    if (a->nodes != b->nodes) return a->nodes < b->nodes ? -1 : 1;
    for (size_t i = 0; i < a->nodes; i++)
        if (a->dim[i] != b->dim[i]) return a->dim[i] < b->dim[i] ? -1 : 1;
    return 0;
}

static int by_kind(const void *a, const void *b) {
    return compare_kind(a, b);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b) {
    const draw_group *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the draws by kind, and makes a group of each kind. */
static copse_status group_draws(comparison *s, copse_error *err) {
    qsort(s->draw, s->draws, sizeof *s->draw, by_kind);
    CP_TRY(CP_NEW(s->group, s->draws, err));
    for (size_t i = 0; i < s->draws; i++) {
        if (i == 0 || compare_kind(&s->draw[i - 1], &s->draw[i])) s->group[s->groups++].first = i;
        s->group[s->groups - 1].n++;
    }
    qsort(s->group, s->groups, sizeof *s->group, by_number);
    return COPSE_OK;
}

/* The median cut of a node over the draws of one kind. */
static double median_cut(const cp_stability_draw *draw, size_t n, size_t node, double *scratch) {
    for (size_t i = 0; i < n; i++) scratch[i] = draw[i].cut[node];
    if (isnan(scratch[0])) return NAN;
    qsort(scratch, n, sizeof *scratch, by_value);
    return n % 2 ? scratch[n / 2] : .5 * (scratch[n / 2 - 1] + scratch[n / 2]);
}

/* Adds a kind to the result.  The caller fills in the cuts. */
static copse_status add_kind(copse_trunks *t, const cp_stability_draw *d, size_t draws, copse_trunk_node **out,
                             copse_error *err) {
    copse_trunk_node *node;
    CP_TRY(CP_NEW(node, d->nodes, err));
    for (size_t i = 0, splits = 0; i < d->nodes; i++) {
        node[i] = (copse_trunk_node){.left = -1, .right = -1, .cut = NAN};
        if (d->dim[i] == CP_NONE) continue;
        node[i].left = (int)(2 * splits + 1);
        node[i].right = (int)(2 * splits + 2);
        node[i].feature = t->name[d->dim[i]];
        splits++;
    }
    t->node[t->kinds] = node;
    t->kind[t->kinds++] = (copse_trunk){.draws = draws, .nodes = d->nodes, .node = node};
    *out = node;
    return COPSE_OK;
}

static copse_status copy_sample(const comparison *s, copse_trunks *t, copse_error *err) {
    copse_trunk_node *node;
    CP_TRY(add_kind(t, &s->trunk, 0, &node, err));
    for (size_t i = 0; i < s->trunk.nodes; i++) {
        cp_inspect_node v;
        node[i].cut = s->trunk.cut[i];
        if (node[i].feature) continue;
        s->sample->method->inspect.tree_node(s->sample->state, 0, s->trunk.node[i], &v);
        node[i].rows = v.rows;
        const char *label = v.label != CP_NONE ? cp_dict_text(&s->sample->schema->classes, (size_t)v.label) : v.note;
        snprintf(node[i].note, sizeof node[i].note, "%.95s", label);
    }
    return COPSE_OK;
}

static copse_status copy_kinds(const comparison *s, copse_trunks *t, copse_error *err) {
    double *scratch = NULL;
    copse_status status;
    CP_TRY_OUT(CP_RAW(scratch, s->draws, err));
    CP_TRY_OUT(CP_NEW(t->kind, s->groups + 1, err));
    CP_TRY_OUT(CP_NEW(t->node, s->groups + 1, err));
    CP_TRY_OUT(copy_sample(s, t, err));
    for (size_t g = 0; g < s->groups; g++) {
        const cp_stability_draw *draw = &s->draw[s->group[g].first];
        copse_trunk_node *node;
        if (!compare_kind(draw, &s->trunk)) {
            t->kind[0].draws = s->group[g].n;
            continue;
        }
        CP_TRY_OUT(add_kind(t, draw, s->group[g].n, &node, err));
        for (size_t i = 0; i < draw->nodes; i++) node[i].cut = median_cut(draw, s->group[g].n, i, scratch);
    }
out:
    cp_mem_free(scratch);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- splits */

/* Counts one draw at each split of the sample's trunk.  It walks down both trees together as long as their columns
 * agree: at[i] is the draw's node in the place of the sample's node i, or CP_NONE where a column above differs. */
static void match_draw(copse_trunks *t, const cp_stability_draw *sample, const cp_stability_draw *d, int32_t *at) {
    int all_same = 1; /* at every split up to here */
    for (size_t i = 0; i < sample->nodes; i++) at[i] = CP_NONE;
    at[0] = 0;
    for (size_t k = 0; k < t->splits; k++) {
        copse_trunk_split *split = &t->split[k];
        int32_t here = at[split->node];
        int same = here != CP_NONE && d->dim[here] == sample->dim[split->node];
        all_same &= same;
        split->first += (size_t)all_same;
        if (!same) continue;
        t->cuts[k * t->draws + split->here++] = d->cut[here];
        int32_t before = 0; /* splits before `here`: their number determines where its children are */
        for (int32_t i = 0; i < here; i++) before += d->dim[i] != CP_NONE;
        at[2 * k + 1] = 2 * before + 1;
        at[2 * k + 2] = 2 * before + 2;
    }
}

static copse_status match_draws(const comparison *s, copse_trunks *t, copse_error *err) {
    int32_t *at = NULL;
    copse_status status;
    t->draws = s->draws;
    t->splits = s->trunk.nodes / 2;
    CP_TRY_OUT(CP_NEW(t->split, t->splits, err));
    CP_TRY_OUT(CP_RAW(t->cuts, t->splits * t->draws, err));
    CP_TRY_OUT(CP_RAW(at, s->trunk.nodes, err));
    for (size_t i = 0, k = 0; i < s->trunk.nodes; i++)
        if (s->trunk.dim[i] != CP_NONE) t->split[k++].node = (int)i;
    for (size_t b = 0; b < t->draws; b++) match_draw(t, &s->trunk, &s->draw[b], at);
    for (size_t k = 0; k < t->splits; k++) {
        double *cuts = &t->cuts[k * t->draws];
        if (isnan(s->trunk.cut[t->split[k].node])) continue;
        qsort(cuts, t->split[k].here, sizeof *cuts, by_value);
        t->split[k].cuts = cuts;
    }
out:
    cp_mem_free(at);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- result */

static copse_status copy_names(const cp_schema *s, copse_trunks *t, copse_error *err) {
    char name[256];
    CP_TRY(CP_NEW(t->name, s->dims, err));
    for (; t->names < s->dims; t->names++) {
        cp_schema_dim_name(s, t->names, name, sizeof name);
        t->name[t->names] = cp_mem_strdup(name);
        if (!t->name[t->names]) return cp_fail_memory(err);
    }
    return COPSE_OK;
}

void cp_stability_free(copse_trunks *t) {
    if (!t) return;
    for (size_t i = 0; i < t->kinds; i++) cp_mem_free(t->node[i]);
    for (size_t i = 0; i < t->names; i++) cp_mem_free(t->name[i]);
    cp_mem_free(t->node);
    cp_mem_free(t->name);
    cp_mem_free(t->kind);
    cp_mem_free(t->split);
    cp_mem_free(t->cuts);
    cp_mem_free(t);
}

static copse_status compare(comparison *s, copse_trunks *t, copse_error *err) {
    CP_TRY(read_trunks(s, err));
    CP_TRY(group_draws(s, err));
    CP_TRY(copy_names(s->sample->schema, t, err));
    CP_TRY(copy_kinds(s, t, err));
    return match_draws(s, t, err);
}

copse_status cp_stability_run(const copse_table *data, const copse_roles *roles, const copse_params *opt_params,
                              const copse_run *run, copse_trunks **out, copse_error *err) {
    comparison s = {0};
    copse_params *own = NULL;
    copse_trunks *t = NULL;
    copse_status status;
    *out = NULL;
    CP_TRY_OUT(CP_NEW(t, 1, err));
    if (!opt_params) CP_TRY_OUT(default_draws(&own, err));
    CP_TRY_OUT(fit_both(&s, data, roles, opt_params ? opt_params : own, run, err));
    CP_TRY_OUT(compare(&s, t, err));
    *out = t;
    t = NULL;
out:
    cp_stability_free(t);
    cp_param_free(own);
    clear_comparison(&s);
    return status;
}
