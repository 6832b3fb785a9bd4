#include "boost/boost_stage.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "boost/boost_quantile.h"
#include "boost/boost_sums.h"

enum {
    LEAST_WORK = 1 << 16, /* rows x columns of a member's tree: with less, starting threads for each round costs more */
    NEW_BOUND = 8         /* rounds after which the largest slope is looked for again; between them it is bounded */
};

/* Scratch of a thread. */
typedef struct worker {
    cp_boost_grow grow;
    cp_boost_slopes slopes;
    uint8_t *use;
} worker;

typedef struct staging {
    cp_boost_stage *s;
    cp_boost_member *member;
    worker *worker;
    size_t workers, round;
    cp_thread_team *team;
} staging;

/* ------------------------------------------------------------------------------------------------------------ lists */

static size_t rows_of(const cp_boost_stage *s) {
    return s->data->rows->n;
}

/* Divides the rows of a member, and sets its scores to the start. */
static copse_status start_member(const cp_boost_stage *s, size_t m, cp_boost_member *b, copse_error *err) {
    const size_t n = rows_of(s);
    size_t fitted = 0, left_out = 0;
    for (size_t i = 0; i < n; i++) {
        fitted += s->part[i] != m && s->part[i] != CP_BOOST_NEVER;
        left_out += s->part[i] == m;
    }
    CP_TRY(CP_RAW(b->fitted.row, fitted, err));
    CP_TRY(CP_RAW(b->left_out.row, left_out, err));
    CP_TRY(CP_RAW(b->f, n * s->heads, err));
    for (size_t i = 0; i < n; i++) {
        if (s->part[i] == CP_BOOST_NEVER) continue;
        cp_boost_list *l = s->part[i] == m ? &b->left_out : &b->fitted;
        l->row[l->n++] = (uint32_t)i;
        *(l == &b->fitted ? &b->total : &b->weight) += cp_boost_stage_weight(s->data, i);
    }
    for (size_t i = 0; i < n; i++) memcpy(b->f + i * s->heads, s->start, s->heads * sizeof *b->f);
    return COPSE_OK;
}

/* The rows of the next tree, and those that fall through it. */
static void choose_rows(const cp_boost_stage *s, const cp_boost_member *b, uint32_t tree, cp_boost_grow *g) {
    const cp_boost_list *all = &b->fitted;
    cp_rng rng;
    memcpy(g->grown.row, all->row, all->n * sizeof *all->row);
    memcpy(g->rest.row, b->left_out.row, b->left_out.n * sizeof *g->rest.row);
    g->grown.n = all->n;
    g->rest.n = b->left_out.n;
    if (s->row_share >= 1) return;
    cp_rng_init(&rng, s->seed, CP_FOR_WEIGHT, tree, 0);
    g->grown.n = 0;
    for (size_t k = 0; k < all->n; k++) {
        int in = cp_rng_unit(&rng) < s->row_share || (g->grown.n == 0 && k + 1 == all->n); /* a tree needs a row */
        cp_boost_list *l = in ? &g->grown : &g->rest;
        l->row[l->n++] = all->row[k];
    }
}

static void choose_columns(const cp_boost_stage *s, uint32_t tree, uint8_t *use) {
    size_t dims = s->data->rows->dims, wanted = (size_t)ceil(s->column_share * (double)dims);
    cp_rng rng;
    cp_rng_init(&rng, s->seed, CP_FOR_GROW, tree, 0);
    for (size_t d = 0; d < dims; d++) {
        use[d] = wanted > 0 && (wanted >= dims - d || cp_rng_below(&rng, dims - d) < wanted);
        wanted -= use[d];
    }
}

/* ----------------------------------------------------------------------------------------------------------- rounds */

static double most_step(const cp_boost_stage *s, size_t head) {
    if (s->loss == CP_BOOST_SQUARED) return INFINITY;
    if (s->loss == CP_BOOST_GAUSSIAN) return head == 1 ? 1 : INFINITY;
    return s->loss == CP_BOOST_SPREAD ? 1 : 10;
}

static void add_losses(const cp_boost_stage *s, cp_boost_member *b) {
    b->loss = 0;
    for (size_t k = 0; k < b->left_out.n; k++) {
        size_t i = b->left_out.row[k];
        cp_boost_target t = {.y = s->y ? s->y[i] : 0, .label = s->data->rows->label ? s->data->rows->label[i] : 0};
        b->loss += cp_boost_stage_weight(s->data, i) * cp_boost_loss_value(s->loss, b->f + i * s->heads, s->heads, t);
    }
}

/* A round of member m. */
static copse_status run_member(void *arg, size_t m, size_t number, copse_error *err) {
    staging *t = arg;
    cp_boost_stage *s = t->s;
    cp_boost_member *b = &t->member[m];
    worker *w = &t->worker[number];
    double step = 0;
    if (s->loss == CP_BOOST_SQUARED && t->round % NEW_BOUND == 0) b->bound = cp_boost_sums_bound(s, b);
    cp_boost_sums_find(s, b, &w->slopes);
    for (size_t h = 0; h < s->heads; h++) {
        size_t tree = (t->round * s->members + m) * s->heads + h;
        choose_rows(s, b, (uint32_t)tree, &w->grow);
        choose_columns(s, (uint32_t)tree, w->use);
        cp_boost_sums_round(s, b, &w->slopes, h, &w->grow);
        w->grow.f = b->f + h;
        w->grow.most_step = most_step(s, h);
        if (s->loss == CP_BOOST_QUANTILE) {
            w->grow.y = s->y;
            w->grow.weight = s->data->rows->weight;
            w->grow.level = cp_boost_quantile_level(h);
        }
        CP_TRY(cp_boost_grow_tree(&w->grow, &s->tree[tree], &step, err));
        b->bound += step;
    }
    if (s->patience) add_losses(s, b);
    return COPSE_OK;
}

static copse_status run_round(staging *t, copse_error *err) {
    cp_boost_stage *s = t->s;
    size_t trees = (t->round + 1) * s->heads * s->members;
    CP_TRY(CP_GROW(s->tree, s->cap_trees, trees, err));
    memset(s->tree + s->trees, 0, (trees - s->trees) * sizeof *s->tree);
    s->trees = trees;
    return cp_parallel_for(s->data->run, t->workers, s->members, NULL, run_member, t, err);
}

static double mean_loss(const staging *t) {
    double sum = 0, weight = 0;
    for (size_t m = 0; m < t->s->members; m++) {
        sum += t->member[m].loss;
        weight += t->member[m].weight;
    }
    return weight > 0 ? sum / weight : NAN;
}

static void keep_scores(const staging *t) {
    const cp_boost_stage *s = t->s;
    if (!s->score) return;
    for (size_t m = 0; m < s->members; m++) {
        const cp_boost_member *b = &t->member[m];
        for (size_t k = 0; k < b->left_out.n; k++) {
            size_t at = b->left_out.row[k] * s->heads;
            memcpy(s->score + at, b->f + at, s->heads * sizeof *s->score);
        }
    }
}

static void drop_trees(cp_boost_stage *s, size_t keep) {
    for (size_t m = keep; m < s->trees; m++) cp_tree_clear(&s->tree[m]);
    if (s->trees > keep) s->trees = keep;
}

/* Runs all rounds; with patience, until so many rounds have not lowered the loss of the left-out rows. */
static copse_status run_rounds(staging *t, copse_error *err) {
    cp_boost_stage *s = t->s;
    double least = INFINITY;
    s->best = s->rounds;
    s->held_loss = NAN;
    if (s->patience) {
        for (size_t m = 0; m < s->members; m++) add_losses(s, &t->member[m]);
        least = mean_loss(t);
        s->best = 0;
        keep_scores(t);
    }
    for (t->round = 0; t->round < s->rounds; t->round++) {
        CP_TRY(run_round(t, err));
        cp_log_progress(s->data->run, "rounds", (double)(t->round + 1), (double)s->rounds);
        if (!s->patience) continue;
        double loss = mean_loss(t);
        if (loss < least) {
            least = loss;
            s->best = t->round + 1;
            keep_scores(t);
        }
        if (t->round + 1 >= s->best + s->patience) break;
    }
    if (s->patience)
        s->held_loss = least;
    else if (s->score)
        memcpy(s->score, t->member[0].f, rows_of(s) * s->heads * sizeof *s->score);
    if (!s->best && s->loss != CP_BOOST_SPREAD) s->best = 1; /* a model has a tree */
    drop_trees(s, s->best * s->heads * s->members);
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- set-up */

static copse_status start_worker(const staging *t, worker *w, copse_error *err) {
    const cp_boost_stage *s = t->s;
    const size_t n = rows_of(s), all = n * s->heads;
    cp_boost_grow *g = &w->grow;
    double total = 0;
    for (size_t m = 0; m < s->members; m++) total = fmax(total, t->member[m].total);
    cp_arena_init(&g->arena);
    CP_TRY(CP_RAW(w->use, s->data->rows->dims, err));
    CP_TRY(CP_RAW(g->grown.row, n, err));
    CP_TRY(CP_RAW(g->rest.row, n, err));
    CP_TRY(CP_RAW(g->spare, n, err));
    if (!cp_boost_sums_direct(s->loss)) {
        CP_TRY(CP_RAW(w->slopes.slope, all, err));
        CP_TRY(CP_RAW(w->slopes.curve, all, err));
    }
    w->slopes.team = t->team;
    g->hist = (cp_boost_hist){.bins = &s->data->bins, .use = w->use, .team = t->team};
    g->hist.narrow = cp_boost_sums_narrow(s);
    g->hist.shift = cp_boost_sums_shift(s, total);
    g->hist.sum = cp_mem_aligned(n, g->hist.narrow ? sizeof(uint64_t) : sizeof(cp_sum));
    if (!g->hist.sum) return cp_fail_memory(err);
    g->column = s->data->column;
    g->levels = s->data->rows->levels;
    g->rule = &s->rule;
    g->stride = s->heads;
    return COPSE_OK;
}

static copse_status start(staging *t, copse_error *err) {
    cp_boost_stage *s = t->s;
    const cp_rows *r = s->data->rows;
    size_t threads = cp_parallel_workers(s->data->run, r->n / 4096 + 1);
    t->workers = s->members > 1 && r->n * r->dims >= LEAST_WORK ? cp_parallel_workers(s->data->run, s->members) : 1;
    CP_TRY(CP_NEW(t->member, s->members, err));
    CP_TRY(CP_NEW(t->worker, t->workers, err));
    for (size_t m = 0; m < s->members; m++) CP_TRY(start_member(s, m, &t->member[m], err));
    if (s->members == 1 && threads > 1) CP_TRY(cp_thread_team_new(threads, &t->team, err));
    for (size_t w = 0; w < t->workers; w++) CP_TRY(start_worker(t, &t->worker[w], err));
    return COPSE_OK;
}

static void clear(staging *t) {
    for (size_t m = 0; t->member && m < t->s->members; m++) {
        cp_mem_free(t->member[m].fitted.row);
        cp_mem_free(t->member[m].left_out.row);
        cp_mem_free(t->member[m].f);
    }
    for (size_t i = 0; t->worker && i < t->workers; i++) {
        worker *w = &t->worker[i];
        void *const all[] = {w->use,           w->slopes.slope,   w->slopes.curve, w->grow.spare,
                             w->grow.hist.sum, w->grow.grown.row, w->grow.rest.row};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) cp_mem_free(all[k]);
        cp_arena_clear(&w->grow.arena);
    }
    cp_mem_free(t->member);
    cp_mem_free(t->worker);
    if (t->team) cp_thread_team_free(t->team);
}

copse_status cp_boost_stage_run(cp_boost_stage *s, copse_error *err) {
    staging t = {.s = s};
    copse_status status = start(&t, err);
    if (!status) status = run_rounds(&t, err);
    clear(&t);
    return status;
}

void cp_boost_stage_clear(cp_boost_stage *s) {
    drop_trees(s, 0);
    cp_mem_free(s->tree);
    cp_mem_free(s->score);
    s->tree = NULL;
    s->score = NULL;
    s->trees = s->cap_trees = 0;
}
