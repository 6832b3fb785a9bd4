#include "greedy/greedy_oob.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "greedy/greedy_votes.h"
#include "kernel/key_block.h"
#include "num/math.h"
#include "tree/tree_walk.h"

enum {
    BLOCK = 4096,          /* rows predicted at a time, at most */
    BLOCK_PROBS = 1 << 19, /* class probabilities of a block, at most */
    VARIANCE_ROWS = 20000, /* rows that the leaf variance is fitted on, about */
    TAUGHT_ROWS = 4000,    /* rows that the temperature is fitted on, about, */
    TAUGHT_PROBS = 1 << 20 /* and their probabilities, at most */
};

/* Weighted sums over rows that are out of bag for some tree. */
typedef struct tally {
    double weight;
    double mean, scatter; /* of the targets: a running mean, and the sum of squares about it */
    double squares;       /* of the errors */
    double right, log_loss;
    double votes; /* weighted */
} tally;

/* The predictions for a block of rows. */
typedef struct block {
    size_t first, n;
    uint32_t *place, *leaf; /* the rows out of bag for one tree: their places in the block, and their leaves */
    uint32_t *key;          /* of all rows of the block (tree_walk.h); NULL: rows are walked by value */
    cp_greedy_unseen_votes *votes;
    double *probs; /* classification: sums over trees */
} block;

typedef struct oob {
    const cp_greedy *g;
    const cp_greedy_oob_ask *ask;
    size_t block_rows;
    tally *tally;                 /* one per block */
    cp_greedy_unseen_row *unseen; /* regression: one for each `every`-th row */
    cp_greedy_class_votes taught; /* classes: the same */
    size_t every;
} oob;

/* ------------------------------------------------------------------------------------------------------- predicting */

static copse_status block_init(block *b, const oob *o, copse_error *err) {
    const cp_forest *f = &o->g->forest;
    CP_TRY(CP_RAW(b->place, b->n, err));
    CP_TRY(CP_RAW(b->leaf, b->n, err));
    CP_TRY(CP_NEW(b->votes, b->n, err));
    if (f->task == COPSE_CLASS) CP_TRY(CP_NEW(b->probs, b->n * f->classes, err));
    if (!cp_tree_walk_takes_keys(f)) return COPSE_OK;
    CP_TRY(CP_RAW(b->key, b->n * f->dims, err));
    if (cp_key_block_best()->keys(o->ask->rows->x + b->first * f->dims, b->n * f->dims, b->key)) return COPSE_OK;
    cp_mem_free(b->key);
    b->key = NULL;
    return COPSE_OK;
}

static void block_clear(block *b) {
    cp_mem_free(b->place);
    cp_mem_free(b->leaf);
    cp_mem_free(b->key);
    cp_mem_free(b->votes);
    cp_mem_free(b->probs);
}

/* Fills in place and leaf for the rows out of bag for tree m; returns how many they are. */
static size_t walk_unseen(block *b, const oob *o, size_t m) {
    const cp_forest *f = &o->g->forest;
    const uint64_t *bits = o->ask->bag->bit + m * o->ask->bag->words;
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = b->first + i;
        b->place[n] = (uint32_t)i;
        n += !(bits[row / 64] >> row % 64 & 1);
    }
    cp_tree_rows rows = {.x = o->ask->rows->x + b->first * f->dims, .key = b->key, .row = b->place, .n = n};
    cp_tree_walk_rows(&f->tree[m], f, &rows, b->leaf);
    return n;
}

static void add_tree(block *b, const oob *o, size_t m) {
    const cp_forest *f = &o->g->forest;
    const cp_tree *t = &f->tree[m];
    size_t n = walk_unseen(b, o, m);
    for (size_t k = 0; k < n; k++) {
        cp_greedy_unseen_votes *h = &b->votes[b->place[k]];
        if (!b->probs) {
            cp_greedy_leaf_variance_add_vote(&o->g->leaf_variance, &t->value[b->leaf[k]], h);
            continue;
        }
        h->votes++;
        cp_greedy_votes_add(t, b->leaf[k], o->ask->alpha, f->classes, b->probs + b->place[k] * f->classes);
    }
}

/* ------------------------------------------------------------------------------------------------------- evaluating */

static void evaluate_number(const oob *o, size_t row, const cp_greedy_unseen_votes *h, double weight, tally *t) {
    double y = (o->ask->rows->y[row] - o->g->forest.centre) / o->g->forest.scale, apart = y - t->mean;
    cp_greedy_unseen_row unseen = cp_greedy_leaf_variance_evaluate(h, y, weight, o->g->forest.trees);
    t->weight += weight;
    t->mean += apart * weight / t->weight;
    t->scatter += weight * apart * (y - t->mean);
    t->squares += weight * unseen.square;
    if (row % o->every == 0) o->unseen[row / o->every] = unseen;
}

static void evaluate_class(const oob *o, size_t row, const double *sum, double votes, double weight, tally *t) {
    size_t best = 0, label = (size_t)o->ask->rows->label[row], classes = o->g->forest.classes;
    if (o->taught.probs && row % o->every == 0) {
        memcpy(o->taught.probs + row / o->every * classes, sum, classes * sizeof *sum);
        o->taught.weight[row / o->every * classes + label] = weight;
    }
    for (size_t k = 1; k < o->g->forest.classes; k++)
        if (sum[k] > sum[best]) best = k;
    t->weight += weight;
    t->votes += weight * votes;
    t->right += weight * (best == label);
    t->log_loss -= weight * cp_math_log(fmax(1e-15, sum[label] / votes)); /* bounded like the metric */
}

static copse_status evaluate_block(void *arg, size_t k, size_t worker, copse_error *err) {
    (void)worker;
    const oob *o = arg;
    const cp_forest *f = &o->g->forest;
    size_t first = k * o->block_rows, left = o->ask->rows->n - first;
    block b = {.first = first, .n = left < o->block_rows ? left : o->block_rows};
    copse_status status = block_init(&b, o, err);
    for (size_t m = 0; !status && m < f->trees; m++) add_tree(&b, o, m);
    for (size_t i = 0; !status && i < b.n; i++) {
        double weight = o->ask->weight->own ? o->ask->weight->own[first + i] : 1;
        if (b.votes[i].votes < 1 || weight <= 0) continue;
        if (b.probs)
            evaluate_class(o, first + i, b.probs + i * f->classes, b.votes[i].votes, weight, &o->tally[k]);
        else
            evaluate_number(o, first + i, &b.votes[i], weight, &o->tally[k]);
    }
    block_clear(&b);
    return status;
}

/* Adds up the blocks in their order, so that the sums do not depend on threads. */
static tally add_up(const tally *tallies, size_t blocks) {
    tally all = {0};
    for (size_t b = 0; b < blocks; b++) {
        const tally *t = &tallies[b];
        if (t->weight <= 0) continue;
        double apart = t->mean - all.mean, weight = all.weight + t->weight;
        all.scatter += t->scatter + apart * apart * all.weight * t->weight / weight;
        all.mean += apart * t->weight / weight;
        all.weight = weight;
        all.squares += t->squares;
        all.right += t->right;
        all.votes += t->votes;
        all.log_loss += t->log_loss;
    }
    return all;
}

static void set_errors(cp_greedy *g, const tally *t) {
    if (t->weight <= 0) return; /* no row is out of bag */
    if (g->forest.task == COPSE_CLASS) {
        g->oob[0] = t->right / t->weight;
        g->oob[1] = t->log_loss / t->weight;
        return;
    }
    g->oob[0] = g->forest.scale * sqrt(t->squares / t->weight);
    g->oob[1] = t->scatter > 0 ? 1 - t->squares / t->scatter : NAN;
}

/* A row is out of bag for about 37 of 100 trees: 50 trees give many votes. */
static copse_status fit_variance(const oob *o, cp_greedy_leaf_variance *s, copse_error *err) {
    cp_greedy_votes votes = o->g->forest.trees < 50 ? CP_GREEDY_VOTES_FEW : CP_GREEDY_VOTES_MANY;
    const cp_row_groups *groups = o->ask->bag->groups;
    cp_greedy_unseen unseen = {.row = o->unseen,
                               .n = (o->ask->rows->n + o->every - 1) / o->every,
                               .copies = (double)groups->rows / (double)groups->groups,
                               .votes = votes};
    return cp_greedy_leaf_variance_fit(s, &unseen, err);
}

static copse_status learn(const oob *o, cp_greedy *g, const tally *t, copse_error *err) {
    const cp_row_groups *groups = o->ask->bag->groups;
    if (o->unseen) return fit_variance(o, &g->leaf_variance, err);
    if (t->weight <= 0) return COPSE_OK;
    return cp_greedy_votes_fit(&o->taught, t->votes / t->weight, (double)groups->rows / (double)groups->groups, g, err);
}

static copse_status evaluate_all(oob *o, cp_greedy *g, const copse_run *run, copse_error *err) {
    size_t n = o->ask->rows->n, blocks = (n + o->block_rows - 1) / o->block_rows;
    CP_TRY(CP_NEW(o->tally, blocks, err));
    if (g->forest.task == COPSE_REGRESS)
        CP_TRY(CP_NEW(o->unseen, n / o->every + 1, err));
    else if (o->ask->learns)
        CP_TRY(cp_greedy_votes_init(&o->taught, n / o->every + 1, g->forest.classes, err));
    CP_TRY(cp_parallel_for(run, cp_parallel_workers(run, blocks), blocks, "predicting out-of-bag rows", evaluate_block,
                           o, err));
    tally all = add_up(o->tally, blocks);
    set_errors(g, &all);
    return o->ask->learns ? learn(o, g, &all, err) : COPSE_OK;
}

copse_status cp_greedy_oob(cp_greedy *g, const cp_greedy_oob_ask *ask, const copse_run *run, copse_error *err) {
    size_t n = ask->rows->n, width = g->forest.task == COPSE_CLASS ? g->forest.classes : 1;
    size_t most = g->forest.task == COPSE_CLASS ? TAUGHT_PROBS / width : VARIANCE_ROWS;
    if (g->forest.task == COPSE_CLASS && most > TAUGHT_ROWS) most = TAUGHT_ROWS;
    oob o = {.g = g, .ask = ask, .block_rows = BLOCK_PROBS / width, .every = 1 + n / (most + 1)};
    if (o.block_rows > BLOCK) o.block_rows = BLOCK;
    if (o.block_rows < 64) o.block_rows = 64;
    copse_status status = evaluate_all(&o, g, run, err);
    cp_mem_free(o.tally);
    cp_mem_free(o.unseen);
    cp_greedy_votes_clear(&o.taught);
    return status;
}
