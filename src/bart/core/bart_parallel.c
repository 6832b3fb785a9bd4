#include "bart/core/bart_parallel.h"

#include "base/mem.h"

enum { PIECE = CP_LEAF_PASS_PIECE };

typedef struct cp_bart_extent {
    size_t rows;
    uint16_t end[2];
} extent;

static size_t pieces_of(size_t rows) {
    return (rows + PIECE - 1) / PIECE;
}

copse_status cp_bart_parallel_open(cp_bart_parallel *par, size_t threads, size_t rows, copse_error *err) {
    copse_status status;
    size_t pieces = pieces_of(rows), most = rows / CP_BART_PARALLEL_ROWS;
    *par = (cp_bart_parallel){0};
    if (threads > most) threads = most;
    if (threads < 2) return COPSE_OK;
    CP_TRY_OUT(CP_RAW(par->sum, pieces * CP_LEAF_PASS_MAX, err));
    CP_TRY_OUT(CP_RAW(par->side, pieces, err));
    CP_TRY_OUT(CP_RAW(par->extent, pieces, err));
    CP_TRY_OUT(cp_thread_team_new(threads, &par->opt_team, err));
out:
    if (status) cp_bart_parallel_close(par);
    return status;
}

void cp_bart_parallel_close(cp_bart_parallel *par) {
    cp_thread_team_free(par->opt_team);
    cp_mem_free(par->sum);
    cp_mem_free(par->side);
    cp_mem_free(par->extent);
    *par = (cp_bart_parallel){0};
}

/* --------------------------------------------------------------------------------------------------- ranges of rows */

/* The rows of pieces from ... to-1, of n rows in all. */
typedef struct range {
    size_t first, n;
} range;

static range range_of(size_t from, size_t to, size_t n) {
    size_t first = from * PIECE, end = to * PIECE < n ? to * PIECE : n;
    return (range){first, end - first};
}

static const float *shifted(const float *opt_x, size_t rows) {
    return opt_x ? opt_x + rows : NULL;
}

static cp_leaf_pass_values values_in(const cp_leaf_pass_values *x, range s) {
    return (cp_leaf_pass_values){x->r + s.first, shifted(x->opt_weight, s.first), s.n};
}

static cp_leaf_pass_shift shift_in(const cp_leaf_pass_shift *x, range s) {
    return (cp_leaf_pass_shift){x->slot + s.first, x->add, x->slots};
}

/* ----------------------------------------------------------------------------------------------------------- passes */

enum { MOVE, SCALE, SUM };

typedef struct pass {
    const cp_bart_parallel *par;
    const cp_leaf_pass *k;
    const cp_leaf_pass_values *x;                 /* move, scale, sum, squares */
    const cp_leaf_pass_shift *opt_before, *shift; /* move, scale, sum */
    int kind;                                     /* MOVE, SCALE or SUM */
    cp_leaf_pass_rows rows;                       /* left, extent */
    uint8_t s;
    cp_leaf_pass_cut cut;
} pass;

static pass pass_over(const cp_bart_view *v, cp_bart_group g, cp_leaf_pass_cut cut) {
    return (pass){.par = v->opt_parallel,
                  .k = v->columns->leaf_pass,
                  .rows = {g.slot, v->r, v->opt_weight, v->columns->ranks.rows},
                  .s = g.id,
                  .cut = cut};
}

/* One of move, scale and sum over a range of rows. */
static void pass_range(const pass *p, range s, double *opt_sum) {
    const cp_leaf_pass_values x = values_in(p->x, s);
    const cp_leaf_pass_shift shift = shift_in(p->shift, s);
    const cp_leaf_pass_shift before = shift_in(p->opt_before ? p->opt_before : p->shift, s);
    if (p->kind == SUM)
        p->k->sum(&x, &shift, opt_sum);
    else
        (p->kind == SCALE ? p->k->scale : p->k->move)(&x, p->opt_before ? &before : NULL, &shift, opt_sum);
}

static void pass_rows(void *arg, size_t from, size_t to) {
    const pass *p = arg;
    pass_range(p, range_of(from, to, p->x->n), NULL);
}

static void pass_and_sum(void *arg, size_t from, size_t to) {
    const pass *p = arg;
    for (size_t i = from; i < to; i++) pass_range(p, range_of(i, i + 1, p->x->n), p->par->sum + i * p->shift->slots);
}

static void run_pass(const pass *p, double *opt_sum) {
    cp_thread_team *team = cp_bart_parallel_team(p->par);
    size_t pieces = pieces_of(p->x->n), slots = p->shift->slots;
    if (!team) {
        pass_range(p, (range){0, p->x->n}, opt_sum);
        return;
    }
    cp_thread_team_pass(team, pieces, opt_sum ? pass_and_sum : pass_rows, (void *)(uintptr_t)p);
    for (size_t g = 0; opt_sum && g < slots; g++) opt_sum[g] = 0;
    for (size_t i = 0; opt_sum && i < pieces; i++)
        for (size_t g = 0; g < slots; g++) opt_sum[g] += p->par->sum[i * slots + g];
}

void cp_bart_parallel_move(const cp_bart_parallel *opt_parallel, const cp_leaf_pass *k, const cp_leaf_pass_values *x,
                           const cp_leaf_pass_shift *opt_before, const cp_leaf_pass_shift *shift, double *opt_sum) {
    run_pass(&(pass){.par = opt_parallel, .k = k, .x = x, .opt_before = opt_before, .shift = shift}, opt_sum);
}

void cp_bart_parallel_scale(const cp_bart_parallel *opt_parallel, const cp_leaf_pass *k, const cp_leaf_pass_values *x,
                            const cp_leaf_pass_shift *opt_before, const cp_leaf_pass_shift *shift, double *opt_sum) {
    run_pass(&(pass){.par = opt_parallel, .k = k, .x = x, .opt_before = opt_before, .shift = shift, .kind = SCALE},
             opt_sum);
}

void cp_bart_parallel_sums(const cp_bart_parallel *opt_parallel, const cp_leaf_pass *k, const cp_leaf_pass_values *x,
                           const cp_leaf_pass_shift *groups, double *sum) {
    run_pass(&(pass){.par = opt_parallel, .k = k, .x = x, .shift = groups, .kind = SUM}, sum);
}

static void sum_squares(void *arg, size_t from, size_t to) {
    const pass *p = arg;
    for (size_t i = from; i < to; i++) {
        const cp_leaf_pass_values x = values_in(p->x, range_of(i, i + 1, p->x->n));
        p->par->sum[i] = p->k->squares(&x);
    }
}

double cp_bart_parallel_squares(const cp_bart_parallel *opt_parallel, const cp_leaf_pass *k,
                                const cp_leaf_pass_values *x) {
    cp_thread_team *team = cp_bart_parallel_team(opt_parallel);
    pass p = {.par = opt_parallel, .k = k, .x = x};
    double sum = 0;
    if (!team) return k->squares(x);
    cp_thread_team_pass(team, pieces_of(x->n), sum_squares, &p);
    for (size_t i = 0; i < pieces_of(x->n); i++) sum += opt_parallel->sum[i];
    return sum;
}

static void sum_left(void *arg, size_t from, size_t to) {
    const pass *p = arg;
    for (size_t i = from; i < to; i++) {
        const range s = range_of(i, i + 1, p->rows.n);
        const cp_leaf_pass_rows rows = {p->rows.slot + s.first, shifted(p->rows.opt_r, s.first),
                                        shifted(p->rows.opt_weight, s.first), s.n};
        p->par->side[i] = p->k->left(&rows, p->s, (cp_leaf_pass_cut){p->cut.code + s.first, p->cut.cell});
    }
}

cp_leaf_pass_side cp_bart_parallel_left(const cp_bart_view *v, cp_bart_group rows, cp_leaf_pass_cut cut) {
    cp_thread_team *team = cp_bart_parallel_team(v->opt_parallel);
    pass p = pass_over(v, rows, cut);
    size_t pieces = pieces_of(p.rows.n);
    cp_leaf_pass_side sum = {0};
    if (!team) return p.k->left(&p.rows, p.s, cut);
    cp_thread_team_pass(team, pieces, sum_left, &p);
    for (size_t i = 0; i < pieces; i++) {
        sum.rows += p.par->side[i].rows;
        sum.sum_w += p.par->side[i].sum_w;
        sum.sum_wr += p.par->side[i].sum_wr;
    }
    return sum;
}

/* The extent of the rows of pieces from ... to-1 is stored at piece `from`; the other pieces get an empty extent. */
static void find_extent(void *arg, size_t from, size_t to) {
    const pass *p = arg;
    const range s = range_of(from, to, p->rows.n);
    extent *e = p->par->extent + from;
    e->rows = p->k->extent(p->rows.slot + s.first, p->s, p->cut.code + s.first, s.n, e->end);
    for (size_t i = from + 1; i < to; i++) p->par->extent[i] = (extent){0, {UINT16_MAX, 0}};
}

size_t cp_bart_parallel_extent(const cp_bart_view *v, cp_bart_group rows, size_t dim, uint16_t out[2]) {
    cp_thread_team *team = cp_bart_parallel_team(v->opt_parallel);
    pass p = pass_over(v, rows, (cp_leaf_pass_cut){cp_bart_columns_code(v->columns, dim), 0});
    size_t pieces = pieces_of(p.rows.n), n = 0;
    if (!team) return p.k->extent(p.rows.slot, p.s, p.cut.code, p.rows.n, out);
    cp_thread_team_pass(team, pieces, find_extent, &p);
    out[0] = UINT16_MAX;
    out[1] = 0;
    for (size_t i = 0; i < pieces; i++) {
        const extent *e = &p.par->extent[i];
        n += e->rows;
        out[0] = e->end[0] < out[0] ? e->end[0] : out[0];
        out[1] = e->end[1] > out[1] ? e->end[1] : out[1];
    }
    return n;
}

/* ------------------------------------------------------------------------------------------------------------- each */

typedef struct each_pass {
    cp_bart_parallel_job job;
    void *arg;
    size_t rows;
} each_pass;

static void run_range(void *arg, size_t from, size_t to) {
    const each_pass *p = arg;
    const range s = range_of(from, to, p->rows);
    p->job(p->arg, s.first, s.first + s.n);
}

void cp_bart_parallel_each(const cp_bart_parallel *opt_parallel, size_t rows, cp_bart_parallel_job job, void *arg) {
    each_pass p = {job, arg, rows};
    cp_thread_team_pass(cp_bart_parallel_team(opt_parallel), pieces_of(rows), run_range, &p);
}

typedef struct sum_pass {
    cp_bart_parallel_term of;
    void *arg;
    size_t rows;
    double *out; /* of each block */
} sum_pass;

static double term(const sum_pass *p, size_t i) {
    size_t from = i * CP_BART_PARALLEL_BLOCK,
           end = p->rows - from < CP_BART_PARALLEL_BLOCK ? p->rows : from + CP_BART_PARALLEL_BLOCK;
    return p->of(p->arg, from, end);
}

static void find_terms(void *arg, size_t from, size_t to) {
    const sum_pass *p = arg;
    for (size_t i = from; i < to; i++) p->out[i] = term(p, i);
}

double cp_bart_parallel_sum(const cp_bart_parallel *opt_parallel, size_t rows, cp_bart_parallel_term of, void *arg) {
    cp_thread_team *team = cp_bart_parallel_team(opt_parallel);
    size_t blocks = (rows + CP_BART_PARALLEL_BLOCK - 1) / CP_BART_PARALLEL_BLOCK;
    sum_pass p = {of, arg, rows, team ? opt_parallel->sum : NULL};
    double sum = 0;
    if (team) cp_thread_team_pass(team, blocks, find_terms, &p);
    for (size_t i = 0; i < blocks; i++) sum += team ? p.out[i] : term(&p, i);
    return sum;
}

/* Slot `from` becomes `to`: for all its rows (rename), or for those that do not go left (split). */
typedef struct slot_pass {
    const cp_leaf_pass *k;
    uint8_t *slot;
    uint8_t from, to;
    cp_leaf_pass_cut cut;
} slot_pass;

static void split(void *arg, size_t from, size_t to) {
    const slot_pass *p = arg;
    p->k->split(p->slot + from, p->from, (cp_leaf_pass_cut){p->cut.code + from, p->cut.cell}, p->to, to - from);
}

void cp_bart_parallel_split(const cp_bart_view *v, uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, uint8_t to) {
    slot_pass p = {v->columns->leaf_pass, slot, s, to, cut};
    cp_bart_parallel_each(v->opt_parallel, v->columns->ranks.rows, split, &p);
}

static void rename_slots(void *arg, size_t from, size_t to) {
    const slot_pass *p = arg;
    p->k->rename(p->slot + from, p->from, p->to, to - from);
}

void cp_bart_parallel_rename(const cp_bart_view *v, uint8_t *slot, uint8_t from, uint8_t to) {
    slot_pass p = {.k = v->columns->leaf_pass, .slot = slot, .from = from, .to = to};
    cp_bart_parallel_each(v->opt_parallel, v->columns->ranks.rows, rename_slots, &p);
}
