#include "greedy/greedy_oob.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/key_block.h"
#include "tree/tree_walk.h"

enum {
    BLOCK = 4096,   /* rows asked for at a time, */
    ROOM = 1 << 19, /* and class probabilities, */
    TRIED = 20000   /* rows that the spread is learnt from, about */
};

/* Sums over rows that some tree has not seen, weighted like the rows. */
typedef struct tally {
    double weight;
    double mean, scatter; /* of the targets: a running mean, and squares about it */
    double squares;       /* of the errors */
    double right, log_loss;
} tally;

/* A block's rows as they are asked. */
typedef struct asking {
    size_t first, n;
    uint32_t *place, *leaf; /* of the rows a tree has not seen: where in the block, which leaf */
    uint32_t *key;          /* of all rows of the block; NULL if there are none */
    cp_greedy_unseen_votes *said;
    double *probs;
} asking;

typedef struct judging {
    const cp_greedy *g;
    const cp_greedy_bag *bag;
    size_t block, words;
    tally *part;                  /* one per block */
    cp_greedy_unseen_row *unseen; /* regression: of every `every`-th row */
    size_t every;
} judging;

/* ------------------------------------------------------------------------------------------------- asking the trees */

static copse_status ask_init(asking *a, const judging *j, copse_error *err) {
    const cp_forest *f = &j->g->forest;
    CP_TRY(CP_RAW(a->place, a->n, err));
    CP_TRY(CP_RAW(a->leaf, a->n, err));
    CP_TRY(CP_NEW(a->said, a->n, err));
    if (f->task == COPSE_CLASS) CP_TRY(CP_NEW(a->probs, a->n * f->classes, err));
    if (!cp_tree_walk_takes_keys(f)) return COPSE_OK;
    CP_TRY(CP_RAW(a->key, a->n * f->dims, err));
    if (cp_key_block_best()->keys(j->bag->rows->x + a->first * f->dims, a->n * f->dims, a->key)) return COPSE_OK;
    cp_mem_free(a->key);
    a->key = NULL;
    return COPSE_OK;
}

static void ask_clear(asking *a) {
    cp_mem_free(a->place);
    cp_mem_free(a->leaf);
    cp_mem_free(a->key);
    cp_mem_free(a->said);
    cp_mem_free(a->probs);
}

/* Fills in place and leaf for the rows that tree m has not seen; returns how many. */
static size_t walk_unseen(asking *a, const judging *j, size_t m) {
    const cp_forest *f = &j->g->forest;
    const uint64_t *bits = j->bag->bit + m * j->words;
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        size_t row = a->first + i;
        a->place[n] = (uint32_t)i;
        n += !(bits[row / 64] >> row % 64 & 1);
    }
    cp_tree_rows rows = {.x = j->bag->rows->x + a->first * f->dims, .key = a->key, .row = a->place, .n = n};
    cp_tree_walk_rows(&f->tree[m], f, &rows, a->leaf);
    return n;
}

static void hear_class(double *probs, size_t classes, const cp_tree *t, uint32_t leaf, double alpha) {
    double total = alpha;
    for (uint32_t s = t->start[leaf]; s < t->start[leaf + 1]; s++) total += (double)t->share[s].weight;
    for (uint32_t s = t->start[leaf]; s < t->start[leaf + 1]; s++)
        probs[t->share[s].label] += (double)t->share[s].weight / total;
    if (alpha > 0)
        for (size_t k = 0; k < classes; k++) probs[k] += alpha / total / (double)classes;
}

static void ask_tree(asking *a, const judging *j, size_t m) {
    const cp_forest *f = &j->g->forest;
    const cp_tree *t = &f->tree[m];
    size_t n = walk_unseen(a, j, m);
    for (size_t k = 0; k < n; k++) {
        cp_greedy_unseen_votes *h = &a->said[a->place[k]];
        if (!a->probs) {
            cp_greedy_leaf_variance_add_vote(&j->g->leaf_variance, &t->value[a->leaf[k]], h);
            continue;
        }
        h->votes++;
        hear_class(a->probs + a->place[k] * f->classes, f->classes, t, a->leaf[k], j->bag->alpha);
    }
}

/* ---------------------------------------------------------------------------------------------------------- judging */

static void judge_number(const judging *j, size_t row, const cp_greedy_unseen_votes *h, double weight, tally *t) {
    double y = (j->bag->rows->y[row] - j->g->forest.centre) / j->g->forest.scale, apart = y - t->mean;
    cp_greedy_unseen_row unseen = cp_greedy_leaf_variance_evaluate(h, y, weight, j->g->forest.trees);
    t->weight += weight;
    t->mean += apart * weight / t->weight;
    t->scatter += weight * apart * (y - t->mean);
    t->squares += weight * unseen.square;
    if (row % j->every == 0) j->unseen[row / j->every] = unseen;
}

static void judge_class(const judging *j, size_t row, const double *sum, double votes, double weight, tally *t) {
    size_t best = 0, label = (size_t)j->bag->rows->label[row];
    for (size_t k = 1; k < j->g->forest.classes; k++)
        if (sum[k] > sum[best]) best = k;
    t->weight += weight;
    t->right += weight * (best == label);
    t->log_loss -= weight * log(fmax(1e-15, sum[label] / votes)); /* bounded like the metric */
}

static copse_status judge_block(void *arg, size_t b, size_t worker, copse_error *err) {
    (void)worker;
    const judging *j = arg;
    const cp_forest *f = &j->g->forest;
    size_t first = b * j->block, left = j->bag->rows->n - first;
    asking a = {.first = first, .n = left < j->block ? left : j->block};
    copse_status status = ask_init(&a, j, err);
    for (size_t m = 0; !status && m < f->trees; m++) ask_tree(&a, j, m);
    for (size_t i = 0; !status && i < a.n; i++) {
        double weight = j->bag->weight->own ? j->bag->weight->own[first + i] : 1;
        if (a.said[i].votes < 1 || weight <= 0) continue;
        if (a.probs)
            judge_class(j, first + i, a.probs + i * f->classes, a.said[i].votes, weight, &j->part[b]);
        else
            judge_number(j, first + i, &a.said[i], weight, &j->part[b]);
    }
    ask_clear(&a);
    return status;
}

/* Blocks in their order, whoever worked on them. */
static tally add_up(const tally *part, size_t blocks) {
    tally all = {0};
    for (size_t b = 0; b < blocks; b++) {
        const tally *t = &part[b];
        if (t->weight <= 0) continue;
        double apart = t->mean - all.mean, weight = all.weight + t->weight;
        all.scatter += t->scatter + apart * apart * all.weight * t->weight / weight;
        all.mean += apart * t->weight / weight;
        all.weight = weight;
        all.squares += t->squares;
        all.right += t->right;
        all.log_loss += t->log_loss;
    }
    return all;
}

static void conclude(cp_greedy *g, const tally *t) {
    if (t->weight <= 0) return; /* every tree has seen every row */
    if (g->forest.task == COPSE_CLASS) {
        g->oob[0] = t->right / t->weight;
        g->oob[1] = t->log_loss / t->weight;
        return;
    }
    g->oob[0] = g->forest.scale * sqrt(t->squares / t->weight);
    g->oob[1] = t->scatter > 0 ? 1 - t->squares / t->scatter : NAN;
}

/* About 37 of 100 trees have not seen a row. */
static copse_status learn_spread(const judging *j, cp_greedy_leaf_variance *s, copse_error *err) {
    cp_greedy_votes votes = j->g->forest.trees < 50 ? CP_GREEDY_VOTES_FEW : CP_GREEDY_VOTES_MANY;
    size_t n = (j->bag->rows->n + j->every - 1) / j->every;
    return cp_greedy_leaf_variance_fit(s, j->unseen, n, votes, err);
}

static copse_status judge_all(judging *j, cp_greedy *g, const copse_run *run, copse_error *err) {
    size_t n = j->bag->rows->n, blocks = (n + j->block - 1) / j->block;
    CP_TRY(CP_NEW(j->part, blocks, err));
    if (g->forest.task == COPSE_REGRESS) CP_TRY(CP_NEW(j->unseen, n / j->every + 1, err));
    CP_TRY(
        cp_parallel_for(run, cp_parallel_workers(run, blocks), blocks, "asking out-of-bag trees", judge_block, j, err));
    tally all = add_up(j->part, blocks);
    conclude(g, &all);
    return j->unseen ? learn_spread(j, &g->leaf_variance, err) : COPSE_OK;
}

copse_status cp_greedy_oob(cp_greedy *g, const cp_greedy_bag *bag, const copse_run *run, copse_error *err) {
    size_t n = bag->rows->n, width = g->forest.task == COPSE_CLASS ? g->forest.classes : 1;
    judging j = {.g = g, .bag = bag, .block = ROOM / width, .words = (n + 63) / 64, .every = 1 + n / TRIED};
    if (j.block > BLOCK) j.block = BLOCK;
    if (j.block < 64) j.block = 64;
    copse_status status = judge_all(&j, g, run, err);
    cp_mem_free(j.part);
    cp_mem_free(j.unseen);
    return status;
}
