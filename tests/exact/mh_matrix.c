#include "mh_matrix.h"

const local_case local_cases[LOCAL_CASES] = {
    {"line of five", 5, 1, {0, 1, 1.5f, 4, 4.25f}, {1, -.5, .25, 2, .125}, {0}, {0}, {.95, .5}, {.25, .25, .4, .1}},
    {"ties on a line", 5, 1, {2, 0, 2, 1, 0}, {1, 0, .5, -2, .25}, {1, 2, .5, .25, 3}, {0}, {.7, 1}, {.3, .2, .3, .2}},
    {"four corners", 4, 2, {0, 0, 0, 1, 1, 0, 1, 1}, {1, -1, .5, .5}, {0}, {0}, {.95, .5}, {.25, .25, .25, .25}},
    {"grid with doubles",
     5,
     2,
     {0, 0, 0, 0, 1, 0, 1, 3, 2, 3},
     {-1, .5, .25, 2, -.5},
     {.5, 1, 1, 2, .25},
     {.8, .2},
     {.9, .7},
     {.2, .3, .4, .1}},
    {"in the plane", 4, 2, {0, 2, 1, 0, 3, 1, 4, 5}, {0, 1, -1.5, .25}, {0}, {.3, .7}, {.95, .5}, {.25, .25, .4, .1}},
    {"two by three",
     6,
     2,
     {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1},
     {0, 1, 0, 1, 1, 0},
     {0},
     {0},
     {.8, .3},
     {.2, .3, .2, .3}},
    {"nothing to split", 3, 2, {1, 2, 1, 2, 1, 2}, {0, 1, 2}, {0}, {0}, {.95, .5}, {.25, .25, .4, .1}},
    {"one row", 1, 1, {1}, {1}, {0}, {0}, {.95, .5}, {.25, .25, .4, .1}},
};

/* -------------------------------------------------------------------------------------------------------- the world */

static int by_key(const void *a, const void *b) {
    char x[REF_BTREE_KEY], y[REF_BTREE_KEY];
    ref_btree_key(a, x);
    ref_btree_key(b, y);
    return strcmp(x, y);
}

static void list_trees(local_world *w) {
    const local_case *c = w->of;
    w->ref = (ref_btree){.n = c->rows,
                         .dims = c->dims,
                         .x = c->x,
                         .alpha_split = c->prior.alpha,
                         .beta_split = c->prior.beta,
                         .y = w->lambda.shape > 0 ? w->square : c->y,
                         .lambda_shape = w->lambda.shape,
                         .lambda_rate = w->lambda.rate,
                         .leaf_var = .3,
                         .noise_var = .8,
                         .weight = c->weight[0] > 0 ? c->weight : NULL,
                         .share = c->s[0] > 0 ? c->s : NULL};
    w->all = ref_btree_all(&w->ref, REF_BTREE_CELLS);
    qsort(w->all.tree, w->all.n, sizeof *w->all.tree, by_key);
    w->pi = malloc(w->all.n * sizeof *w->pi);
    w->key = malloc(w->all.n * sizeof *w->key);
    double log_z = ref_btree_log_z(&w->all);
    for (size_t i = 0; i < w->all.n; i++) {
        w->pi[i] = exp(w->all.tree[i].log_prior + w->all.tree[i].log_likelihood - log_z);
        ref_btree_key(&w->all.tree[i], w->key[i]);
    }
}

void local_world_init(local_world *w, const local_case *c, int variance) {
    copse_error err;
    cp_bart_sampler_options opt = {0};
    *w = (local_world){.of = c, .lambda = {variance ? 1.7 : 0, .9}};
    cp_rng_init(&w->rng, seed_of("cuts"), CP_FOR_TEST, 0, 0);
    w->shape = (bart_shape){.rows = c->rows, .dims = c->dims, .prior = c->prior};
    w->shape.weighted = c->weight[0] > 0;
    w->shape.sparse = c->s[0] > 0;
    bart_world *b = &w->b;
    bart_world_data(b, &w->shape, &w->rng);
    memcpy(b->x, c->x, c->rows * c->dims * sizeof *b->x);
    for (size_t i = 0; i < c->rows; i++) {
        w->square[i] = c->y[i] * c->y[i];
        b->r[i] = (float)(variance ? w->square[i] : c->y[i]);
        b->weight[i] = (float)c->weight[i];
    }
    bart_world_view(b, &w->rng);
    if (w->shape.sparse) cp_bart_split_probs_set(&b->split_probs, c->s);
    if (variance) b->view.opt_lambda = &w->lambda;
    memcpy(opt.move_prob, c->move_prob, sizeof c->move_prob);
    must(cp_bart_mh_init(&w->moves, &b->columns, &opt, &err), err);
    must(cp_bart_tree_reserve(&b->tree, REF_BTREE_ROWS + 1, &err), err);
    list_trees(w);
}

void local_world_clear(local_world *w) {
    cp_bart_mh_clear(&w->moves);
    bart_world_clear(&w->b);
    free(w->all.tree);
    free(w->pi);
    free(w->key);
}

static void plant_below(local_world *w, int16_t node, const ref_btree_tree *t, int from) {
    const ref_btree_node *n = &t->node[from];
    cp_bart_tree *to = &w->b.tree;
    if (n->dim < 0) return;
    cp_bart_split s = {.node = node, .rule = {(uint32_t)n->dim, n->cell}};
    assert_true(cp_bart_tree_try_split(to, &w->b.view, &s));
    s.cut = cp_bart_columns_cut(&w->b.columns, s.rule, &w->rng);
    cp_bart_tree_split(to, &w->b.view, &s);
    int16_t left = to->node[node].left;
    plant_below(w, left, t, n->left);
    plant_below(w, (int16_t)(left + 1), t, n->right);
}

void local_world_plant(local_world *w, size_t state) {
    cp_bart_tree_reset(&w->b.tree, &w->b.view);
    bart_world_sum(&w->b);
    plant_below(w, 0, &w->all.tree[state], 0);
}

static size_t write_key(const cp_bart_tree *t, int16_t at, char *out, size_t used) {
    const cp_bart_node *n = &t->node[at];
    const char *blank = used ? " " : "";
    if (n->left == CP_NONE) return used + (size_t)snprintf(out + used, REF_BTREE_KEY - used, "%s.", blank);
    used += (size_t)snprintf(out + used, REF_BTREE_KEY - used, "%s%u:%u", blank, n->rule.dim, n->rule.cell);
    used = write_key(t, n->left, out, used);
    return write_key(t, (int16_t)(n->left + 1), out, used);
}

size_t local_world_state(const local_world *w) {
    char key[REF_BTREE_KEY];
    size_t low = 0, high = w->all.n;
    write_key(&w->b.tree, 0, key, 0);
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (strcmp(w->key[middle], key) <= 0)
            low = middle;
        else
            high = middle;
    }
    assert_string_equal(w->key[low], key);
    return low;
}

static unsigned rows_of(const local_world *w, int16_t node) {
    uint8_t in[CP_BART_MAX_LEAVES];
    unsigned rows = 0;
    cp_bart_tree_below(&w->b.tree, node, in);
    for (size_t i = 0; i < w->of->rows; i++)
        if (in[w->b.slot[i]]) rows |= 1U << i;
    return rows;
}

/* ----------------------------------------------------------------------------------------------------- the matrices */

typedef struct row_of {
    local_world *w;
    size_t state;
    double *p; /* where to */
} row_of;

static void add_move(row_of *r, const cp_bart_mh_move *move, double q) {
    bart_world *b = &r->w->b;
    double ratio = cp_bart_mh_log_ratio(&r->w->moves, &b->view, &b->tree, move), accepted = fmin(1, exp(ratio));
    r->p[r->state] += q * (1 - accepted);
    if (!(accepted > 0)) return;
    cp_bart_mh_apply(&r->w->moves, &b->view, &b->tree, move, &r->w->rng);
    bart_world_holds(b);
    r->p[local_world_state(r->w)] += q * accepted;
    local_world_plant(r->w, r->state);
}

static void add_rules(row_of *r, cp_bart_mh_move move, double q) {
    unsigned rows = rows_of(r->w, move.node);
    for (uint32_t d = 0; d < r->w->of->dims; d++)
        for (uint32_t cell = 0; cell + 1 < REF_BTREE_ROWS; cell++) {
            double p = ref_btree_rule_prob(&r->w->ref, rows, d, cell);
            move.rule = (cp_rule){d, cell};
            if (p > 0) add_move(r, &move, q * p);
        }
}

static void fill_row(row_of *r, cp_bart_move kind) {
    size_t n = cp_bart_mh_targets(&r->w->b.tree, kind);
    if (!n) r->p[r->state] += 1;
    for (size_t i = 0; i < n; i++) {
        cp_bart_mh_move move = {.kind = kind, .node = cp_bart_mh_target(&r->w->b.tree, kind, i)};
        if (kind == CP_BART_GROW || kind == CP_BART_CHANGE)
            add_rules(r, move, 1 / (double)n);
        else
            add_move(r, &move, 1 / (double)n);
    }
}

double *local_matrix(local_world *w, unsigned kinds) {
    size_t states = w->all.n;
    double *p = calloc(states * states, sizeof *p), *given = calloc(states, sizeof *given);
    for (size_t s = 0; s < states; s++)
        for (int kind = 0; kind < LOCAL_KINDS; kind++) {
            memset(given, 0, states * sizeof *given);
            local_world_plant(w, s);
            double share = cp_bart_mh_move_prob(&w->moves, (cp_bart_move)kind, cp_bart_tree_leaves(&w->b.tree));
            if (kinds >> kind & 1)
                fill_row(&(row_of){w, s, given}, (cp_bart_move)kind);
            else
                given[s] = 1;
            for (size_t t = 0; t < states; t++) p[s * states + t] += share * given[t];
        }
    free(given);
    return p;
}

double local_drift(const local_world *w, const double *p) {
    size_t states = w->all.n;
    double most = 0;
    for (size_t t = 0; t < states; t++) {
        double sum = 0;
        for (size_t s = 0; s < states; s++) sum += w->pi[s] * p[s * states + t];
        most = fmax(most, fabs(sum - w->pi[t]));
    }
    return most;
}

double local_imbalance(const local_world *w, const double *p) {
    size_t n = w->all.n;
    double most = 0;
    for (size_t t = 0; t < n; t++)
        for (size_t s = 0; s < t; s++) most = fmax(most, fabs(w->pi[s] * p[s * n + t] - w->pi[t] * p[t * n + s]));
    return most;
}
