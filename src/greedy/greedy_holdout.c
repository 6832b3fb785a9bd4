#include "greedy/greedy_holdout.h"

#include "base/mem.h"
#include "greedy/greedy_grow_serial.h"
#include "tree/tree_walk.h"

/* Rows, and the share of all that is held out at a time: from a forest, from one tree. */
enum { TRIED = 2000, SHARE = 5, SHARE_OF_ONE = 10 };
/* Trees grown in all rounds together; where rows are so few that trees cost nothing, more. */
enum { GROWN = 4, FEW_ROWS = 1000, GROWN_OF_FEW = 40, MOST_VOTES = 8 };
enum { VOTES_OF_PARTS = 20 };

/* How many rows are held out, how often, from how many trees. */
typedef struct plan {
    size_t held, rounds, votes;
} plan;

static size_t min_size(size_t a, size_t b) {
    return a < b ? a : b;
}

static plan plan_for(size_t rows, size_t trees) {
    size_t share = trees > 1 ? SHARE : SHARE_OF_ONE;
    plan p = {.held = min_size(rows / share, TRIED), .votes = 1};
    if (p.held == 0) p.held = 1;
    p.rounds = min_size((TRIED + p.held - 1) / p.held, min_size(share, rows / p.held));
    if (trees > 1) {
        size_t grown = rows < FEW_ROWS ? GROWN_OF_FEW : GROWN;
        p.votes = min_size(MOST_VOTES, grown / p.rounds);
        if (p.votes < 2) p.votes = 2;
    }
    return p;
}

/* ----------------------------------------------------------------------------------------------------- asking trees */

/* Rows, and what is said of them; all arrays are of n. */
typedef struct asked {
    const cp_greedy_holdout *trial;
    const cp_greedy_leaf_variance *spread; /* at c = 1 */
    uint32_t *row, *leaf;
    cp_greedy_unseen_votes *said;
    cp_greedy_unseen_row *unseen;
    size_t n;
} asked;

static copse_status asked_init(asked *a, size_t n, copse_error *err) {
    a->n = n;
    CP_TRY(CP_NEW(a->row, n, err));
    CP_TRY(CP_NEW(a->leaf, n, err));
    CP_TRY(CP_NEW(a->said, n, err));
    return CP_NEW(a->unseen, n, err);
}

static void asked_clear(asked *a) {
    cp_mem_free(a->row);
    cp_mem_free(a->leaf);
    cp_mem_free(a->said);
    cp_mem_free(a->unseen);
}

/* What a tree says of rows first ... end-1, which it has not seen. */
static void hear(asked *a, const cp_tree *tree, size_t first, size_t end) {
    cp_tree_rows rows = {.x = a->trial->data->rows.x, .row = a->row + first, .n = end - first};
    cp_tree_walk_rows(tree, a->trial->forest, &rows, a->leaf + first);
    for (size_t i = first; i < end; i++)
        cp_greedy_leaf_variance_add_vote(a->spread, &tree->value[a->leaf[i]], &a->said[i]);
}

static copse_status conclude(asked *a, cp_greedy_votes votes, cp_greedy_leaf_variance *out, copse_error *err) {
    const cp_greedy_holdout *t = a->trial;
    for (size_t i = 0; i < a->n; i++) {
        double y = (t->data->rows.y[a->row[i]] - t->data->centre) / t->data->scale;
        double weight = cp_greedy_weight_own(t->weight, a->row[i]);
        a->unseen[i] = cp_greedy_leaf_variance_evaluate(&a->said[i], y, weight, t->forest->trees);
    }
    return cp_greedy_leaf_variance_fit(out, a->unseen, a->n, votes, err);
}

/* ------------------------------------------------------------------------------------------------------ holding out */

typedef struct holding {
    const cp_greedy_holdout *trial;
    cp_greedy_regrow regrow;
    void *fit;
    plan plan;
    asked asked;    /* those of round k begin at k * plan.held */
    uint8_t *round; /* by row number: 1 + that in which it is held out, or 0 */
} holding;

static copse_status draw_rounds(holding *h, uint32_t *row, copse_error *err) {
    const cp_greedy_weight *w = h->trial->weight;
    size_t held = h->plan.held;
    for (size_t i = 0; i < w->rows; i++) row[i] = w->row[i];
    for (size_t k = 0; k < h->plan.rounds; k++) {
        cp_greedy_sample sample = {.rows = held, .seed = h->trial->seed, .part = CP_GREEDY_WEIGHT_HOLDOUT + k};
        CP_TRY(cp_greedy_weight_sample(row + k * held, w->rows - k * held, &sample, err));
    }
    for (size_t i = 0; i < h->asked.n; i++) {
        h->asked.row[i] = row[i];
        h->round[row[i]] = (uint8_t)(1 + i / held);
    }
    return COPSE_OK;
}

static copse_status choose_held(holding *h, copse_error *err) {
    uint32_t *row;
    CP_TRY(asked_init(&h->asked, h->plan.held * h->plan.rounds, err));
    CP_TRY(CP_NEW(h->round, h->trial->data->rows.n, err));
    CP_TRY(CP_RAW(row, h->trial->weight->rows, err));
    copse_status status = draw_rounds(h, row, err);
    cp_mem_free(row);
    return status;
}

static copse_status grow_without(const holding *h, size_t k, uint32_t call, cp_forest *out, copse_error *err) {
    const cp_greedy_weight *w = h->trial->weight;
    cp_greedy_regrow_job c = {.query_row = h->asked.row + k * h->plan.held, .query_rows = h->plan.held, .number = call};
    CP_TRY(CP_RAW(c.row, w->rows - h->plan.held, err));
    for (size_t i = 0; i < w->rows; i++)
        if (h->round[w->row[i]] != k + 1) c.row[c.rows++] = w->row[i];
    return h->regrow(h->fit, &c, out, err);
}

/* Of round k, the trees that the call is for. */
static copse_status try_trees(holding *h, size_t k, uint32_t call, size_t trees, copse_error *err) {
    cp_forest few = *h->trial->forest;
    size_t first = k * h->plan.held;
    few.trees = trees;
    CP_TRY(CP_NEW(few.tree, few.trees, err));
    copse_status status = grow_without(h, k, call, &few, err);
    for (size_t m = 0; m < few.trees; m++) {
        if (!status) hear(&h->asked, &few.tree[m], first, first + h->plan.held);
        cp_tree_clear(&few.tree[m]);
    }
    cp_mem_free(few.tree);
    return status;
}

/* Large trees one after another, each on all threads: together they would be as large as the rows. */
static copse_status try_round(holding *h, size_t k, copse_error *err) {
    size_t votes = h->plan.votes, at_once = h->trial->weight->rows > CP_GREEDY_GROW_SERIAL_ROWS ? 1 : votes;
    for (size_t m = 0; m < votes; m += at_once)
        CP_TRY(try_trees(h, k, (uint32_t)((k * votes + m) / at_once), at_once, err));
    return COPSE_OK;
}

copse_status cp_greedy_holdout_run(const cp_greedy_holdout *t, cp_greedy_regrow regrow, void *fit,
                                   cp_greedy_leaf_variance *s, copse_error *err) {
    holding h = {.trial = t, .regrow = regrow, .fit = fit, .asked = {.trial = t, .spread = s}};
    cp_greedy_votes votes = t->forest->trees > 1 ? CP_GREEDY_VOTES_FEW : CP_GREEDY_VOTES_ONE;
    if (t->weight->rows < 2) return COPSE_OK;
    h.plan = plan_for(t->weight->rows, t->forest->trees);
    copse_status status = choose_held(&h, err);
    for (size_t k = 0; !status && k < h.plan.rounds; k++) status = try_round(&h, k, err);
    if (!status) status = conclude(&h.asked, votes, s, err);
    asked_clear(&h.asked);
    cp_mem_free(h.round);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ other parts */

/* Rows first ... end-1 of part k, asked of trees of the other parts in turn. */
static void ask_others(asked *a, size_t k, size_t parts, size_t first, size_t end) {
    const cp_forest *f = a->trial->forest;
    size_t each = f->trees / parts, others = parts - 1, votes = min_size(VOTES_OF_PARTS, each * others);
    for (size_t v = 0; v < votes; v++) {
        size_t other = (k + 1 + v % others) % parts;
        hear(a, &f->tree[other * each + v / others], first, end);
    }
}

copse_status cp_greedy_holdout_subsets(const cp_greedy_holdout *t, const size_t *start, size_t parts,
                                       cp_greedy_leaf_variance *s, copse_error *err) {
    size_t rows = t->weight->rows, n = min_size(TRIED, rows);
    int many = t->forest->trees / parts * (parts - 1) >= VOTES_OF_PARTS;
    asked a = {.trial = t, .spread = s};
    copse_status status = asked_init(&a, n, err);
    for (size_t k = 0, i = 0; !status && k < parts; k++) {
        size_t first = i; /* evenly over the parts, and over each in its order */
        for (; i < n && rows * i / n < start[k + 1]; i++) a.row[i] = t->weight->row[rows * i / n];
        ask_others(&a, k, parts, first, i);
    }
    if (!status) status = conclude(&a, many ? CP_GREEDY_VOTES_MANY : CP_GREEDY_VOTES_FEW, s, err);
    asked_clear(&a);
    return status;
}
