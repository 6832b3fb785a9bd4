#include "greedy/greedy_trial.h"

#include "base/mem.h"
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

/* One row at a time: they are few, and scattered. */
static void hear(const cp_greedy_trial *t, const cp_greedy_spread *s, const cp_tree *tree, uint32_t row,
                 cp_greedy_hearsay *h) {
    const cp_rows *rows = &t->data->rows;
    uint32_t leaf;
    cp_tree_walk(tree, t->forest, rows->x + (size_t)row * rows->dims, 1, &leaf);
    cp_greedy_spread_hear(s, &tree->value[leaf], h);
}

static cp_greedy_unseen judge(const cp_greedy_trial *t, const cp_greedy_hearsay *h, uint32_t row) {
    double y = (t->data->rows.y[row] - t->data->centre) / t->data->scale;
    return cp_greedy_spread_judge(h, y, cp_greedy_weight_own(t->weight, row), t->forest->trees);
}

/* --------------------------------------------------------------------------------------------------------- holding out */

typedef struct holding {
    const cp_greedy_trial *trial;
    const cp_greedy_spread *spread;
    cp_greedy_regrow regrow;
    void *fit;
    plan plan;
    uint32_t *held; /* those of round k begin at k * plan.held */
    uint8_t *round; /* by row number: 1 + that in which it is held out, or 0 */
    cp_greedy_hearsay *said;
    cp_greedy_unseen *unseen;
} holding;

static copse_status choose_held(holding *h, uint64_t seed, copse_error *err) {
    const cp_greedy_weight *w = h->trial->weight;
    const plan *p = &h->plan;
    CP_TRY(CP_RAW(h->held, w->rows, err));
    CP_TRY(CP_NEW(h->round, h->trial->data->rows.n, err));
    CP_TRY(CP_RAW(h->said, p->held, err));
    CP_TRY(CP_RAW(h->unseen, p->held * p->rounds, err));
    for (size_t i = 0; i < w->rows; i++) h->held[i] = w->row[i];
    for (size_t k = 0; k < p->rounds; k++) {
        uint32_t *from = h->held + k * p->held;
        cp_greedy_sample sample = {.rows = p->held, .seed = seed, .part = CP_GREEDY_HELD + k};
        CP_TRY(cp_greedy_weight_sample(from, w->rows - k * p->held, &sample, err));
        for (size_t i = 0; i < p->held; i++) h->round[from[i]] = (uint8_t)(k + 1);
    }
    return COPSE_OK;
}

static copse_status grow_without(const holding *h, size_t k, cp_forest *out, copse_error *err) {
    const cp_greedy_weight *w = h->trial->weight;
    uint32_t *row;
    size_t n = 0;
    CP_TRY(CP_RAW(row, w->rows - h->plan.held, err));
    for (size_t i = 0; i < w->rows; i++)
        if (h->round[w->row[i]] != k + 1) row[n++] = w->row[i];
    return h->regrow(h->fit, row, n, (uint32_t)k, out, err);
}

static copse_status try_round(holding *h, size_t k, copse_error *err) {
    const cp_forest *like = h->trial->forest;
    const uint32_t *row = h->held + k * h->plan.held;
    cp_forest few = *like;
    few.trees = h->plan.votes;
    CP_TRY(CP_NEW(few.tree, few.trees, err));
    copse_status status = grow_without(h, k, &few, err);
    for (size_t i = 0; !status && i < h->plan.held; i++) h->said[i] = (cp_greedy_hearsay){0};
    for (size_t m = 0; !status && m < few.trees; m++)
        for (size_t i = 0; i < h->plan.held; i++) hear(h->trial, h->spread, &few.tree[m], row[i], &h->said[i]);
    for (size_t i = 0; !status && i < h->plan.held; i++)
        h->unseen[k * h->plan.held + i] = judge(h->trial, &h->said[i], row[i]);
    for (size_t m = 0; m < few.trees; m++) cp_tree_clear(&few.tree[m]);
    cp_mem_free(few.tree);
    return status;
}

copse_status cp_greedy_trial_hold_out(const cp_greedy_trial *t, cp_greedy_regrow regrow, void *fit, cp_greedy_spread *s,
                                      copse_error *err) {
    holding h = {.trial = t, .spread = s, .regrow = regrow, .fit = fit};
    if (t->weight->rows < 2) return COPSE_OK;
    h.plan = plan_for(t->weight->rows, t->forest->trees);
    copse_status status = choose_held(&h, t->seed, err);
    for (size_t k = 0; !status && k < h.plan.rounds; k++) status = try_round(&h, k, err);
    if (!status)
        status = cp_greedy_spread_fit(s, h.unseen, h.plan.held * h.plan.rounds,
                                      t->forest->trees > 1 ? CP_GREEDY_FEW : CP_GREEDY_ONE, err);
    cp_mem_free(h.held);
    cp_mem_free(h.round);
    cp_mem_free(h.said);
    cp_mem_free(h.unseen);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- other parts */

static cp_greedy_unseen ask_others(const cp_greedy_trial *t, const cp_greedy_spread *s, uint32_t row, size_t part,
                                   size_t parts) {
    size_t each = t->forest->trees / parts, others = parts - 1, votes = min_size(VOTES_OF_PARTS, each * others);
    cp_greedy_hearsay h = {0};
    for (size_t v = 0; v < votes; v++) {
        size_t other = (part + 1 + v % others) % parts;
        hear(t, s, &t->forest->tree[other * each + v / others], row, &h);
    }
    return judge(t, &h, row);
}

copse_status cp_greedy_trial_parts(const cp_greedy_trial *t, const size_t *start, size_t parts, cp_greedy_spread *s,
                                   copse_error *err) {
    size_t n = min_size(TRIED, t->weight->rows), part = 0;
    cp_greedy_unseen *unseen;
    CP_TRY(CP_RAW(unseen, n, err));
    for (size_t i = 0; i < n; i++) {
        size_t at = t->weight->rows * i / n; /* evenly over the parts, and over each in its order */
        while (at >= start[part + 1]) part++;
        unseen[i] = ask_others(t, s, t->weight->row[at], part, parts);
    }
    int many = t->forest->trees / parts * (parts - 1) >= VOTES_OF_PARTS;
    copse_status status = cp_greedy_spread_fit(s, unseen, n, many ? CP_GREEDY_MANY : CP_GREEDY_FEW, err);
    cp_mem_free(unseen);
    return status;
}
