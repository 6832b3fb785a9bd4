/* Moves on one tree of a sum leave its posterior as it is: on data small enough to list every tree, the transition matrix,
 * built from the moves' own targets, ratios and results, against a posterior computed from first principles.  What is drawn
 * has the probabilities that the matrix was built with.  And on trees too large to list, ratios are those of bayes/moves.h.
 *
 * Residuals and weights have few binary digits here, so that float sums of them are exact. */
#include "bart/bart_local.h"
#include "bart_world.h"
#include "bayes/moves.h"
#include "ks.h"
#include "ref/ref_btree.h"

#define EXACT 1e-12
enum { KINDS = 4, GROW_AND_PRUNE = 3, CHANGE = 4, SWAP = 8, ALL = 15 };

typedef struct tiny_case {
    const char *name;
    size_t rows, dims;
    float x[2 * REF_BTREE_ROWS];
    double y[REF_BTREE_ROWS], weight[REF_BTREE_ROWS]; /* no weights: 0 */
    double s[2];                                      /* no shares: 0 */
    cp_tree_prior prior;
    double share[KINDS];
} tiny_case;

static const tiny_case cases[] = {
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

/* ---------------------------------------------------------------------------------------------------------- the world */

typedef struct world {
    const tiny_case *of;
    bart_shape shape;
    bart_world b;
    ref_btree ref;
    ref_btree_list all;
    double *pi;
    char (*key)[REF_BTREE_KEY]; /* of each listed tree */
    cp_bart_local moves;
    cp_rng rng; /* of cuts */
} world;

static int by_key(const void *a, const void *b) {
    char x[REF_BTREE_KEY], y[REF_BTREE_KEY];
    ref_btree_key(a, x);
    ref_btree_key(b, y);
    return strcmp(x, y);
}

static void list_trees(world *w) {
    const tiny_case *c = w->of;
    w->ref = (ref_btree){.n = c->rows,
                         .dims = c->dims,
                         .x = c->x,
                         .alpha_split = c->prior.alpha,
                         .beta_split = c->prior.beta,
                         .y = c->y,
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

static void world_init(world *w, const tiny_case *c) {
    copse_error err;
    cp_bart_sampler_options opt = {0};
    *w = (world){.of = c};
    cp_rng_init(&w->rng, seed_of("cuts"), CP_FOR_TEST, 0, 0);
    w->shape = (bart_shape){.rows = c->rows, .dims = c->dims, .prior = c->prior};
    w->shape.weighted = c->weight[0] > 0;
    w->shape.sparse = c->s[0] > 0;
    bart_world *b = &w->b;
    bart_world_data(b, &w->shape, &w->rng);
    memcpy(b->x, c->x, c->rows * c->dims * sizeof *b->x);
    for (size_t i = 0; i < c->rows; i++) {
        b->r[i] = (float)c->y[i];
        b->weight[i] = (float)c->weight[i];
    }
    bart_world_view(b, &w->rng);
    if (w->shape.sparse) cp_bart_share_set(&b->share, c->s);
    memcpy(opt.share, c->share, sizeof c->share);
    must(cp_bart_local_init(&w->moves, &b->columns, &opt, &err), err);
    must(cp_bart_tree_reserve(&b->tree, REF_BTREE_ROWS + 1, &err), err);
    list_trees(w);
}

static void world_clear(world *w) {
    cp_bart_local_clear(&w->moves);
    bart_world_clear(&w->b);
    free(w->all.tree);
    free(w->pi);
    free(w->key);
}

static void plant_below(world *w, int16_t node, const ref_btree_tree *t, int from) {
    const ref_btree_node *n = &t->node[from];
    cp_bart_tree *to = &w->b.tree;
    if (n->dim < 0) return;
    cp_bart_split s = {.node = node, .rule = {(uint32_t)n->dim, n->cell}};
    assert_true(cp_bart_tree_try(to, &w->b.view, &s));
    s.cut = cp_bart_columns_cut(&w->b.columns, s.rule, &w->rng);
    cp_bart_tree_split(to, &w->b.view, &s);
    int16_t left = to->node[node].left;
    plant_below(w, left, t, n->left);
    plant_below(w, (int16_t)(left + 1), t, n->right);
}

static void plant(world *w, size_t state) {
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

static size_t state_of(const world *w) {
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

static unsigned rows_of(const world *w, int16_t node) {
    uint8_t in[CP_BART_LEAVES];
    unsigned rows = 0;
    cp_bart_tree_below(&w->b.tree, node, in);
    for (size_t i = 0; i < w->of->rows; i++)
        if (in[w->b.slot[i]]) rows |= 1U << i;
    return rows;
}

/* -------------------------------------------------------------------------------------------------------- the matrices */

typedef struct row_of {
    world *w;
    size_t state;
    double *p; /* where to */
} row_of;

static void add_move(row_of *r, const cp_bart_local_move *move, double q) {
    bart_world *b = &r->w->b;
    double ratio = cp_bart_local_log_ratio(&r->w->moves, &b->view, &b->tree, move), accepted = fmin(1, exp(ratio));
    r->p[r->state] += q * (1 - accepted);
    if (!(accepted > 0)) return;
    cp_bart_local_apply(&r->w->moves, &b->view, &b->tree, move, &r->w->rng);
    bart_world_holds(b);
    r->p[state_of(r->w)] += q * accepted;
    plant(r->w, r->state);
}

static void add_rules(row_of *r, cp_bart_local_move move, double q) {
    unsigned rows = rows_of(r->w, move.node);
    for (uint32_t d = 0; d < r->w->of->dims; d++)
        for (uint32_t cell = 0; cell + 1 < REF_BTREE_ROWS; cell++) {
            double p = ref_btree_rule_prob(&r->w->ref, rows, d, cell);
            move.rule = (cp_rule){d, cell};
            if (p > 0) add_move(r, &move, q * p);
        }
}

static void fill_row(row_of *r, cp_bart_move kind) {
    size_t n = cp_bart_local_targets(&r->w->b.tree, kind);
    if (!n) r->p[r->state] += 1;
    for (size_t i = 0; i < n; i++) {
        cp_bart_local_move move = {.kind = kind, .node = cp_bart_local_target(&r->w->b.tree, kind, i)};
        if (kind == CP_BART_GROW || kind == CP_BART_CHANGE)
            add_rules(r, move, 1 / (double)n);
        else
            add_move(r, &move, 1 / (double)n);
    }
}

/* states x states: the mixture of the kinds that are in `kinds` (bits); the others stay where they are. */
static double *matrix_of(world *w, unsigned kinds) {
    size_t states = w->all.n;
    double *p = calloc(states * states, sizeof *p), *given = calloc(states, sizeof *given);
    for (size_t s = 0; s < states; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            memset(given, 0, states * sizeof *given);
            plant(w, s);
            if (kinds >> kind & 1)
                fill_row(&(row_of){w, s, given}, (cp_bart_move)kind);
            else
                given[s] = 1;
            for (size_t t = 0; t < states; t++) p[s * states + t] += w->of->share[kind] * given[t];
        }
    free(given);
    return p;
}

/* The largest |sum over s of pi(s) P(s,t) - pi(t)|. */
static double drift_of(const world *w, const double *p) {
    size_t states = w->all.n;
    double most = 0;
    for (size_t t = 0; t < states; t++) {
        double sum = 0;
        for (size_t s = 0; s < states; s++) sum += w->pi[s] * p[s * states + t];
        most = fmax(most, fabs(sum - w->pi[t]));
    }
    return most;
}

static double imbalance_of(const world *w, const double *p) {
    size_t n = w->all.n;
    double most = 0;
    for (size_t t = 0; t < n; t++)
        for (size_t s = 0; s < t; s++) most = fmax(most, fabs(w->pi[s] * p[s * n + t] - w->pi[t] * p[t * n + s]));
    return most;
}

static void each_case(void (*test)(world *w)) {
    for (size_t i = 0; i < COUNT(cases); i++) {
        world w;
        world_init(&w, &cases[i]);
        test(&w);
        world_clear(&w);
    }
}

static void check_invariant(world *w) {
    const unsigned kinds[] = {GROW_AND_PRUNE, CHANGE, SWAP, ALL};
    print_message("%s: %zu trees\n", w->of->name, w->all.n);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        double *p = matrix_of(w, kinds[i]);
        for (size_t s = 0; s < w->all.n; s++) {
            double sum = 0;
            for (size_t t = 0; t < w->all.n; t++) sum += p[s * w->all.n + t];
            assert_near(sum, 1, EXACT);
        }
        assert_true(drift_of(w, p) < EXACT);
        assert_true(imbalance_of(w, p) < EXACT);
        free(p);
    }
}

static void the_posterior_is_invariant_and_each_move_reversible(void **state) {
    (void)state;
    each_case(check_invariant);
}

/* Another noise is not what the moves were made for; nor is grow without its opposite. */
static void check_others_drift(world *w) {
    if (w->all.n == 1) return;
    double *p = matrix_of(w, 1U << CP_BART_GROW);
    assert_true(drift_of(w, p) > 1e-6);
    free(p);
    w->b.view.noise_var *= 1.01;
    p = matrix_of(w, ALL);
    assert_true(drift_of(w, p) > 1e-6);
    free(p);
}

static void another_posterior_is_seen(void **state) {
    (void)state;
    each_case(check_others_drift);
}

static void check_sums(world *w) {
    for (size_t s = 0; s < w->all.n; s++) {
        plant(w, s);
        assert_near(cp_bart_tree_log_prior(&w->b.tree, &w->b.view, w->b.tmp), w->all.tree[s].log_prior, EXACT);
        assert_near(cp_bart_tree_log_likelihood(&w->b.tree, &w->b.view), w->all.tree[s].log_likelihood, EXACT);
    }
}

static void trees_know_their_prior_and_likelihood(void **state) {
    (void)state;
    each_case(check_sums);
}

/* ------------------------------------------------------------------------------------------------------- what is drawn */

enum { DRAWS = 100000, FEW_STATES = 4 };

/* Where a whole step leads, against the matrix. */
static void check_steps(world *w) {
    double *p = matrix_of(w, ALL);
    size_t *count = calloc(w->all.n, sizeof *count);
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of("steps"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < FEW_STATES; i++) {
        size_t s = i * (w->all.n - 1) / (FEW_STATES - 1);
        cp_bart_tally tally = {0};
        memset(count, 0, w->all.n * sizeof *count);
        plant(w, s);
        for (int draw = 0; draw < DRAWS; draw++) {
            uint64_t accepted[CP_BART_MOVES];
            memcpy(accepted, tally.accepted, sizeof accepted);
            must(cp_bart_local_sampler.step(&w->moves, &w->b.view, &w->b.tree, &rng, &tally, &err), err);
            count[state_of(w)]++;
            if (memcmp(accepted, tally.accepted, sizeof accepted)) plant(w, s);
        }
        for (size_t t = 0; t < w->all.n; t++)
            assert_true(fabs((double)count[t] / DRAWS - p[s * w->all.n + t]) < share_bound(DRAWS));
        for (int kind = 0; kind < KINDS; kind++)
            assert_true(fabs((double)tally.proposed[kind] / DRAWS - w->of->share[kind]) < share_bound(DRAWS));
    }
    free(count);
    free(p);
}

static void steps_lead_where_the_matrix_says(void **state) {
    (void)state;
    each_case(check_steps);
}

/* ------------------------------------------------------------------------------------------- trees too large to list */

typedef struct twin {
    cp_leaf leaf;
    cp_moves_model model;
    cp_moves moves;
    cp_moves_tree tree;
    int32_t of[2 * CP_BART_LEAVES]; /* the twin's number of each node */
} twin;

static void twin_init(twin *t, const bart_world *w, const double share[KINDS]) {
    copse_error err;
    const cp_leaf_residual of = {w->r, w->view.opt_weight, w->of->rows};
    cp_leaf_mean_init(&t->leaf, &of, w->view.leaf_var, w->view.noise_var);
    cp_moves_model_init(&t->model, &w->columns.ranks, &t->leaf, w->of->prior);
    must(cp_moves_init(&t->moves, &t->model, share, &err), err);
    must(cp_moves_tree_init(&t->tree, &t->model, &err), err);
}

static void twin_plant(twin *w, const cp_bart_tree *t, int16_t at) {
    copse_error err;
    must(cp_moves_reserve(&w->moves, &w->tree, w->tree.pairs + 1, &err), err);
    if (cp_bart_tree_is_leaf(t, at)) return;
    const cp_move move = {CP_MOVE_GROW, w->of[at], t->node[at].rule};
    assert_true(isfinite(cp_moves_log_ratio(&w->moves, &w->tree, &move)));
    cp_moves_apply(&w->moves, &w->tree, &move);
    int16_t left = t->node[at].left;
    w->of[left] = w->tree.node[w->of[at]].left;
    w->of[left + 1] = w->of[left] + 1;
    twin_plant(w, t, left);
    twin_plant(w, t, (int16_t)(left + 1));
}

static void round_residuals(bart_world *w) {
    for (size_t i = 0; i < w->of->rows; i++) {
        w->r[i] = roundf(w->r[i] * 64) / 64;
        w->weight[i] = (1 + roundf(w->weight[i] * 8)) / 8;
    }
    cp_bart_tree_reset(&w->tree, &w->view);
    bart_world_sum(w);
}

/* Moves are taken as often as not, whatever their ratio: trees get large and odd. */
static size_t compare_ratios(bart_world *w, cp_bart_local *k, twin *other, cp_rng *rng) {
    copse_error err;
    size_t compared = 0;
    for (int step = 0; step < 400; step++) {
        cp_bart_local_move move;
        cp_bart_move kind = (cp_bart_move)cp_rng_below(rng, KINDS);
        must(cp_bart_tree_reserve(&w->tree, cp_bart_tree_leaves(&w->tree) + 1, &err), err);
        if (!cp_bart_local_choose(k, &w->view, &w->tree, kind, rng, &move)) continue;
        cp_moves_tree_reset(&other->tree, &other->model);
        other->of[0] = 0;
        twin_plant(other, &w->tree, 0);
        const cp_move same = {(cp_move_kind)kind, other->of[move.node], move.rule};
        double ratio = cp_bart_local_log_ratio(k, &w->view, &w->tree, &move);
        assert_near(ratio, cp_moves_log_ratio(&other->moves, &other->tree, &same), 1e-9);
        bart_world_holds(w);
        compared++;
        ratio = cp_bart_local_log_ratio(k, &w->view, &w->tree, &move);
        if (ratio > -INFINITY && cp_rng_unit(rng) < (kind == CP_BART_PRUNE ? .4 : .7))
            cp_bart_local_apply(k, &w->view, &w->tree, &move, rng);
        bart_world_holds(w);
    }
    return compared;
}

static void ratios_are_those_of_bayesian_trees(void **state) {
    (void)state;
    const cp_bart_sampler_options opt = {.share = {.3, .25, .25, .2}};
    for (size_t i = 0; i < COUNT(bart_shapes); i++) {
        bart_world w;
        cp_bart_local k;
        twin other;
        cp_rng rng;
        copse_error err;
        if (bart_shapes[i].sparse || bart_shapes[i].rows > 1000) continue;
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, (uint32_t)i, 0);
        bart_world_init(&w, &bart_shapes[i], &rng);
        round_residuals(&w);
        must(cp_bart_local_init(&k, &w.columns, &opt, &err), err);
        twin_init(&other, &w, opt.share);
        size_t compared = compare_ratios(&w, &k, &other, &rng);
        assert_true(compared > 300 || w.of->rows == 1 || w.of->constant == w.of->dims);
        print_message("%zu rows: %zu ratios, %zu leaves\n", w.of->rows, compared, cp_bart_tree_leaves(&w.tree));
        cp_moves_tree_clear(&other.tree);
        cp_moves_clear(&other.moves);
        cp_bart_local_clear(&k);
        bart_world_clear(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_posterior_is_invariant_and_each_move_reversible),
        cmocka_unit_test(another_posterior_is_seen),
        cmocka_unit_test(trees_know_their_prior_and_likelihood),
        cmocka_unit_test(steps_lead_where_the_matrix_says),
        cmocka_unit_test(ratios_are_those_of_bayesian_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
