#include "greedy/greedy_holdout.h"

#include <math.h>

#include "base/mem.h"
#include "greedy/greedy_grow_serial.h"
#include "greedy/greedy_votes.h"
#include "tree/tree_walk.h"

enum {
    HELD_OUT = 2000,     /* groups of rows held out in all rounds together, about */
    FOLDS = 5,           /* one of so many groups, at most, is held out in a round */
    FOLDS_ONE_TREE = 10, /* the same for cart */
    TREES = 4,           /* trees grown in all rounds together */
    FEW_ROWS = 1000,     /* with fewer groups, trees cost nothing: */
    TREES_FEW_ROWS = 40,
    MOST_VOTES = 8,          /* trees grown in one round */
    ENOUGH_OF_CLASSES = 500, /* groups held out in all rounds together, at least, if there are so many */
    FEW_OF_CLASSES = 5000,   /* with fewer groups, twice as many trees are grown */
    LEAST_VOTES = 4,
    PILOT = 255, /* marks the rows that pilot trees see, about */
    PILOT_ROWS = 2000,
    PILOT_HELD = 1000, /* of which so many groups are held out, at most a third */
    PILOT_FEWEST = 60, /* groups */
    SUBSET_VOTES = 20  /* ssf: trees that predict a row */
};

_Static_assert(CP_GREEDY_HOLDOUT_GROUPS >= FOLDS_ONE_TREE * HELD_OUT, "the plan does not depend on more groups");

/* Each round holds out `held` groups of rows, and `votes` trees predict each of them. */
typedef struct plan {
    size_t held, rounds, votes;
} plan;

static size_t min_size(size_t a, size_t b) {
    return a < b ? a : b;
}

static plan plan_for(size_t groups, size_t trees) {
    size_t folds = trees > 1 ? FOLDS : FOLDS_ONE_TREE;
    plan p = {.held = min_size(groups / folds, HELD_OUT), .votes = 1};
    if (p.held == 0) p.held = 1;
    p.rounds = min_size((HELD_OUT + p.held - 1) / p.held, min_size(folds, groups / p.held));
    if (trees > 1) {
        size_t grown = groups < FEW_ROWS ? TREES_FEW_ROWS : TREES;
        p.votes = min_size(MOST_VOTES, grown / p.rounds);
        if (p.votes < 2) p.votes = 2;
    }
    return p;
}

/* One temperature takes fewer rows than a quantile, but more trees: of few, the mean is too noisy. */
static plan plan_for_classes(size_t groups, size_t trees) {
    size_t most = groups < FEW_OF_CLASSES ? 2 * MOST_VOTES : MOST_VOTES;
    plan p = {.held = min_size(groups / FOLDS, HELD_OUT), .votes = most * trees / 100};
    if (p.held == 0) p.held = 1;
    p.rounds = min_size((ENOUGH_OF_CLASSES + p.held - 1) / p.held, min_size(FOLDS, groups / p.held));
    p.votes = p.votes < LEAST_VOTES ? min_size(LEAST_VOTES, trees) : min_size(most, p.votes);
    return p;
}

/* ------------------------------------------------------------------------------------------------------- predicting */

/* Rows, and what trees that have not seen them predict; all arrays have n elements. */
typedef struct unseen_set {
    const cp_greedy_holdout *holdout;
    uint32_t *row, *leaf;
    cp_greedy_unseen_votes *votes; /* numbers */
    cp_greedy_unseen_row *unseen;
    cp_greedy_class_votes class_votes; /* classes */
    size_t n;
} unseen_set;

static int of_classes(const cp_greedy_holdout *h) {
    return h->g->forest.task == COPSE_CLASS;
}

static double copies(const cp_greedy_holdout *h) {
    return (double)h->groups->rows / (double)h->groups->groups;
}

static copse_status set_init(unseen_set *a, size_t n, copse_error *err) {
    a->n = n;
    CP_TRY(CP_NEW(a->row, n, err));
    CP_TRY(CP_NEW(a->leaf, n, err));
    if (of_classes(a->holdout)) return cp_greedy_votes_init(&a->class_votes, n, a->holdout->g->forest.classes, err);
    CP_TRY(CP_NEW(a->votes, n, err));
    return CP_NEW(a->unseen, n, err);
}

static void set_clear(unseen_set *a) {
    cp_mem_free(a->row);
    cp_mem_free(a->leaf);
    cp_mem_free(a->votes);
    cp_mem_free(a->unseen);
    cp_greedy_votes_clear(&a->class_votes);
}

/* Adds the prediction of a tree that has not seen rows first ... end-1. */
static void add_votes(unseen_set *a, const cp_tree *tree, size_t first, size_t end) {
    const cp_greedy_holdout *h = a->holdout;
    size_t classes = h->g->forest.classes;
    cp_tree_rows rows = {.x = h->data->rows.x, .row = a->row + first, .n = end - first};
    cp_tree_walk_rows(tree, &h->g->forest, &rows, a->leaf + first);
    for (size_t i = first; i < end; i++) {
        if (of_classes(h))
            a->class_votes.squares[i] +=
                cp_greedy_votes_add(tree, a->leaf[i], h->alpha, classes, a->class_votes.probs + i * classes);
        else
            cp_greedy_leaf_variance_add_vote(&h->g->leaf_variance, &tree->value[a->leaf[i]], &a->votes[i]);
    }
}

static copse_status fit_variance(unseen_set *a, cp_greedy_votes votes, copse_error *err) {
    const cp_greedy_holdout *h = a->holdout;
    for (size_t i = 0; i < a->n; i++) {
        double y = (h->data->rows.y[a->row[i]] - h->data->centre) / h->data->scale;
        double weight = cp_greedy_weight_own(h->weight, a->row[i]);
        a->unseen[i] = cp_greedy_leaf_variance_evaluate(&a->votes[i], y, weight, h->g->forest.trees);
    }
    cp_greedy_unseen unseen = {.row = a->unseen, .n = a->n, .copies = copies(h), .votes = votes};
    return cp_greedy_leaf_variance_fit(&h->g->leaf_variance, &unseen, err);
}

static void add_class(unseen_set *a, size_t i, uint32_t row) {
    const cp_greedy_holdout *h = a->holdout;
    size_t label = (size_t)h->data->rows.label[row];
    a->class_votes.weight[i * a->class_votes.classes + label] += cp_greedy_weight_own(h->weight, row);
}

/* ------------------------------------------------------------------------------------------------------ holding out */

typedef struct rounds {
    const cp_greedy_holdout *holdout;
    cp_greedy_regrow regrow;
    void *fit;
    plan plan;
    unseen_set held; /* round k predicts rows start_of(k) ... start_of(k + 1) - 1 of them */
    uint8_t *round;  /* by row number: 1 + the round in which it is held out, or 0 */
    int pilot;       /* trees see the rows marked PILOT only */
} rounds;

/* Numbers: each row of a group.  Classes: one row of it, because one prediction serves all. */
static size_t start_of(const rounds *r, size_t k) {
    size_t first = k * r->plan.held;
    return of_classes(r->holdout) ? first : r->holdout->groups->start[first];
}

/* Groups are in a random order: each round takes the next ones. */
static copse_status choose_held(rounds *r, copse_error *err) {
    const cp_row_groups *g = r->holdout->groups;
    CP_TRY(set_init(&r->held, start_of(r, r->plan.rounds), err));
    CP_TRY(CP_NEW(r->round, r->holdout->data->rows.n, err));
    for (size_t group = 0; group < r->plan.rounds * r->plan.held; group++)
        for (size_t i = g->start[group]; i < g->start[group + 1]; i++) {
            r->held.row[of_classes(r->holdout) ? group : i] = g->row[i];
            r->round[g->row[i]] = (uint8_t)(1 + group / r->plan.held);
            if (of_classes(r->holdout)) add_class(&r->held, group, g->row[i]);
        }
    return COPSE_OK;
}

static copse_status grow_without(const rounds *r, size_t k, uint32_t job, cp_forest *out, copse_error *err) {
    const cp_greedy_weight *w = r->holdout->weight;
    size_t first = start_of(r, k), held = start_of(r, k + 1) - first;
    cp_greedy_regrow_job c = {.query_row = r->held.row + first, .query_rows = held, .number = job};
    CP_TRY(CP_RAW(c.row, w->rows, err));
    for (size_t i = 0; i < w->rows; i++)
        if (r->pilot ? r->round[w->row[i]] == PILOT : r->round[w->row[i]] != k + 1) c.row[c.rows++] = w->row[i];
    return r->regrow(r->fit, &c, out, err);
}

/* Grows `trees` trees of round k and adds their votes. */
static copse_status run_job(rounds *r, size_t k, uint32_t job, size_t trees, copse_error *err) {
    cp_forest few = r->holdout->g->forest;
    few.trees = trees;
    CP_TRY(CP_NEW(few.tree, few.trees, err));
    copse_status status = grow_without(r, k, job, &few, err);
    for (size_t m = 0; m < few.trees; m++) {
        if (!status) add_votes(&r->held, &few.tree[m], start_of(r, k), start_of(r, k + 1));
        cp_tree_clear(&few.tree[m]);
    }
    cp_mem_free(few.tree);
    return status;
}

/* Large trees are grown one after another, each on all threads: all together would take as much memory as the rows. */
static copse_status run_round(rounds *r, size_t k, copse_error *err) {
    size_t votes = r->plan.votes, at_once = r->holdout->weight->rows > CP_GREEDY_GROW_SERIAL_ROWS ? 1 : votes;
    for (size_t m = 0; m < votes; m += at_once)
        CP_TRY(run_job(r, k, (uint32_t)((k * votes + m) / at_once), at_once, err));
    return COPSE_OK;
}

static copse_status learn(rounds *r, copse_error *err) {
    const cp_greedy_holdout *h = r->holdout;
    if (of_classes(h)) return cp_greedy_votes_fit(&r->held.class_votes, (double)r->plan.votes, 1, h->g, err);
    return fit_variance(&r->held, h->g->forest.trees > 1 ? CP_GREEDY_VOTES_FEW : CP_GREEDY_VOTES_ONE, err);
}

copse_status cp_greedy_holdout_run(const cp_greedy_holdout *h, cp_greedy_regrow regrow, void *fit, copse_error *err) {
    rounds r = {.holdout = h, .regrow = regrow, .fit = fit, .held = {.holdout = h}};
    size_t groups = h->groups->groups, trees = h->g->forest.trees;
    if (groups < 2) return COPSE_OK;
    r.plan = of_classes(h) ? plan_for_classes(groups, trees) : plan_for(groups, trees);
    copse_status status = choose_held(&r, err);
    for (size_t k = 0; !status && k < r.plan.rounds; k++) status = run_round(&r, k, err);
    if (!status) status = learn(&r, err);
    set_clear(&r.held);
    cp_mem_free(r.round);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- pilots */

/* The rows of the groups after the held-out ones, until there are enough. */
static void mark_pilot_rows(rounds *r) {
    const cp_row_groups *g = r->holdout->groups;
    size_t first = g->start[r->plan.held];
    for (size_t i = first; i < g->rows && i < first + PILOT_ROWS; i++) r->round[g->row[i]] = PILOT;
    r->pilot = 1;
}

/* The mean squared error, or Brier score, of as many trees as the model has: by that of T trees and their variance. */
static double score_of(const unseen_set *a, size_t votes) {
    const cp_greedy_holdout *h = a->holdout;
    double sum = 0, total = 0, t = (double)votes, fewer = 1 / t - 1 / (double)h->g->forest.trees;
    for (size_t i = 0; i < a->n; i++) {
        if (of_classes(h)) {
            sum += cp_greedy_votes_brier(&a->class_votes, i, t, fewer, &total);
            continue;
        }
        double y = (h->data->rows.y[a->row[i]] - h->data->centre) / h->data->scale;
        double weight = cp_greedy_weight_own(h->weight, a->row[i]), mean = a->votes[i].mean / t;
        double between = (a->votes[i].square - t * mean * mean) / (t - 1);
        sum += weight * ((y - mean) * (y - mean) - fewer * between);
        total += weight;
    }
    return sum / total;
}

copse_status cp_greedy_holdout_pilot(const cp_greedy_holdout *h, cp_greedy_regrow regrow, void *fit, double *out_score,
                                     copse_error *err) {
    rounds r = {.holdout = h, .regrow = regrow, .fit = fit, .held = {.holdout = h}};
    *out_score = NAN;
    if (h->groups->groups < PILOT_FEWEST) return COPSE_OK;
    r.plan = (plan){.held = min_size(h->groups->groups / 3, PILOT_HELD), .rounds = 1, .votes = MOST_VOTES};
    copse_status status = choose_held(&r, err);
    if (!status) {
        mark_pilot_rows(&r);
        status = run_job(&r, 0, 0, r.plan.votes, err);
    }
    if (!status) *out_score = score_of(&r.held, r.plan.votes);
    set_clear(&r.held);
    cp_mem_free(r.round);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- other subsets */

/* Rows first ... end-1 are of subset k: trees of the other subsets, in turn, predict them. */
static void vote_by_others(unseen_set *a, size_t k, size_t subsets, size_t first, size_t end) {
    const cp_forest *f = &a->holdout->g->forest;
    size_t each = f->trees / subsets, others = subsets - 1, votes = min_size(SUBSET_VOTES, each * others);
    for (size_t v = 0; v < votes; v++) {
        size_t other = (k + 1 + v % others) % subsets;
        add_votes(a, &f->tree[other * each + v / others], first, end);
    }
}

static copse_status learn_by_others(unseen_set *a, size_t subsets, copse_error *err) {
    const cp_greedy_holdout *h = a->holdout;
    size_t others = h->g->forest.trees / subsets * (subsets - 1);
    if (!of_classes(h))
        return fit_variance(a, others >= SUBSET_VOTES ? CP_GREEDY_VOTES_MANY : CP_GREEDY_VOTES_FEW, err);
    for (size_t i = 0; i < a->n; i++) add_class(a, i, a->row[i]);
    return cp_greedy_votes_fit(&a->class_votes, (double)min_size(SUBSET_VOTES, others), copies(h), h->g, err);
}

copse_status cp_greedy_holdout_subsets(const cp_greedy_holdout *h, const size_t *start, size_t subsets,
                                       copse_error *err) {
    size_t rows = h->weight->rows, n = min_size(HELD_OUT, rows);
    unseen_set a = {.holdout = h};
    copse_status status = set_init(&a, n, err);
    for (size_t k = 0, i = 0; !status && k < subsets; k++) {
        size_t first = i; /* the n rows are spaced evenly over all */
        for (; i < n && rows * i / n < start[k + 1]; i++) a.row[i] = h->weight->row[rows * i / n];
        vote_by_others(&a, k, subsets, first, i);
    }
    if (!status) status = learn_by_others(&a, subsets, err);
    set_clear(&a);
    return status;
}
