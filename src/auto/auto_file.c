#include "auto/auto_file.h"

#include <math.h>
#include <string.h>

#include "auto/auto_gate.h"
#include "auto/auto_inspect.h"
#include "auto/auto_members.h"
#include "auto/auto_rows.h"
#include "base/mem.h"
#include "base/number_rule.h"

/* Numbers in the sections "pool", "blend" of a member, and "gate" of the gate. */
enum { BACKGROUND, CENTRE, WIDTH, FACTOR, POOL };
enum { MEMBER_WEIGHT, MEMBER_SCORE, MEMBER_FACTOR, BLEND };
enum { GATE_REFERENCE, GATE_FACTOR, GATE };
enum { MOST_MEMBERS = 64 };

/* ---------------------------------------------------------------------------------------------------------- writing */

/* A method, its options and its state, without what it needs to go on learning. */
static copse_status write_method(const cp_method *method, const copse_params *p, const void *state, cp_writer *w,
                                 copse_error *err) {
    CP_TRY(cp_writer_text(w, "method", method->info.name, err));
    CP_TRY(cp_param_write(p, w, err));
    CP_TRY(cp_writer_push(w, "state", err));
    copse_status status = method->write(state, p, COPSE_SAVE_FROZEN, w, err);
    cp_writer_pop(w);
    return status;
}

static copse_status write_member(const cp_auto_member *m, size_t i, cp_writer *w, copse_error *err) {
    const double blend[BLEND] = {m->weight, m->score, m->factor};
    CP_TRY(cp_writer_push_nth(w, "member", i, err));
    copse_status status = cp_writer_array(w, "blend", CP_F64, blend, BLEND, err);
    if (!status) status = write_method(m->method, m->params, m->state, w, err);
    cp_writer_pop(w);
    return status;
}

static copse_status write_gate(const cp_auto_gate *g, cp_writer *w, copse_error *err) {
    const double gate[GATE] = {g->reference, g->factor};
    if (!g->state) return COPSE_OK;
    CP_TRY(cp_writer_push(w, "gate", err));
    copse_status status = cp_writer_array(w, "gate", CP_F64, gate, GATE, err);
    if (!status) status = write_method(g->method, g->params, g->state, w, err);
    cp_writer_pop(w);
    return status;
}

static copse_status write_levels(const cp_auto *a, cp_writer *w, copse_error *err) {
    return a->levels ? cp_writer_array(w, "levels", CP_U32, a->levels, a->dims, err) : COPSE_OK;
}

copse_status cp_auto_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                copse_error *err) {
    const cp_auto *a = state;
    const double pool[POOL] = {a->background, a->centre, a->width, a->factor};
    (void)p;
    (void)flags; /* training rows are never kept */
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)a->rows, err));
    CP_TRY(cp_writer_i64(w, "scored", (int64_t)a->scored, err));
    CP_TRY(cp_writer_i64(w, "members", (int64_t)a->members, err));
    CP_TRY(cp_writer_array(w, "pool", CP_F64, pool, POOL, err));
    if (a->task == COPSE_CLASS) CP_TRY(cp_writer_array(w, "prior", CP_F64, a->prior, a->classes, err));
    CP_TRY(write_levels(a, w, err));
    CP_TRY(cp_writer_push(w, "recode", err));
    copse_status status = cp_recode_write(&a->recode, w, err);
    cp_writer_pop(w);
    for (size_t m = 0; !status && m < a->members; m++) status = write_member(&a->member[m], m, w, err);
    return status ? status : write_gate(&a->gate, w, err);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static const cp_number_rule number_rules[] = {
    {.name = "pool", .every = POOL, .at = BACKGROUND, .least = 1e-9, .most = 1},
    {.name = "pool", .every = POOL, .at = CENTRE, .least = -CP_NUMBER_TARGET, .most = CP_NUMBER_TARGET},
    {.name = "pool",
     .every = POOL,
     .at = WIDTH,
     .least = CP_NUMBER_LEAST_SCALE,
     .most = CP_NUMBER_MOST_SCALE,
     .also = CP_ALSO_ZERO},
    {.name = "pool", .every = POOL, .at = FACTOR, .least = .1, .most = 10},
    {.name = "prior", .least = 1e-30, .most = 1},
};
static const cp_number_rule member_rules[] = {
    {.name = "blend", .every = BLEND, .at = MEMBER_WEIGHT, .least = 1e-9, .most = 1},
    {.name = "blend",
     .every = BLEND,
     .at = MEMBER_SCORE,
     .least = -CP_NUMBER_LOG,
     .most = CP_NUMBER_LOG,
     .also = CP_ALSO_NAN},
    {.name = "blend", .every = BLEND, .at = MEMBER_FACTOR, .least = .1, .most = 10},
};
static const cp_number_rule gate_rules[] = {
    {.name = "gate", .every = GATE, .at = GATE_REFERENCE, .least = 0, .most = CP_NUMBER_VARIANCE},
    {.name = "gate", .every = GATE, .at = GATE_FACTOR, .least = 0, .most = 1e6},
};

/* What a nested method is read with. */
typedef struct nested {
    const cp_method *(*find)(const char *name);
    copse_task task;
} nested;

static copse_status read_name(cp_reader *r, const nested *want, const cp_method **out, copse_error *err) {
    char *name;
    CP_TRY(cp_reader_text(r, "method", &name, err));
    *out = want->find(name);
    cp_mem_free(name);
    if (!*out || !((*out)->info.tasks & (unsigned)want->task))
        return cp_reader_bad(r, err, "its method is none that this program puts there");
    return COPSE_OK;
}

static copse_status read_method(const cp_auto *a, cp_reader *r, const nested *want, cp_auto_member *out,
                                copse_error *err) {
    CP_TRY(read_name(r, want, &out->method, err));
    CP_TRY(cp_param_read(r, out->method, &out->params, err));
    cp_rows_shape shape = {want->task, cp_auto_rows_dims(out->method, a), want->task == COPSE_CLASS ? a->classes : 0};
    CP_TRY(cp_reader_push(r, "state", err));
    copse_status status = out->method->read(r, out->params, shape, &out->state, err);
    cp_reader_pop(r);
    return status;
}

/* A raw member's levels must be ours: they bound the categories that its trees look up. */
static int levels_fit(const cp_auto *a, const cp_auto_member *m) {
    const uint32_t *theirs = m->method->takes_raw ? m->method->levels(m->state) : NULL;
    if (!m->method->takes_raw) return 1;
    for (size_t d = 0; d < a->dims; d++)
        if ((a->levels ? a->levels[d] : 0) != (theirs ? theirs[d] : 0)) return 0;
    return 1;
}

static copse_status read_member(cp_auto *a, cp_reader *r, size_t i, copse_error *err) {
    cp_auto_member *m = &a->member[i];
    const nested want = {cp_auto_members_find, a->task};
    double *blend;
    CP_TRY(cp_reader_push_nth(r, "member", i, err));
    CP_NUMBER_RULES(r, member_rules);
    copse_status status = cp_reader_array(r, "blend", CP_F64, BLEND, &blend, err);
    if (!status) {
        m->weight = blend[MEMBER_WEIGHT], m->score = blend[MEMBER_SCORE], m->factor = blend[MEMBER_FACTOR];
        cp_mem_free(blend);
        status = read_method(a, r, &want, m, err);
    }
    if (!status && !levels_fit(a, m)) status = cp_reader_bad(r, err, "its categories do not fit the pool's");
    cp_reader_pop(r);
    return status;
}

static copse_status read_gate(cp_auto *a, cp_reader *r, copse_error *err) {
    const nested want = {cp_auto_members_find_gate, COPSE_REGRESS};
    cp_auto_member m = {0};
    double *gate;
    CP_TRY(cp_reader_push(r, "gate", err));
    if (!cp_reader_has(r, "method")) {
        cp_reader_pop(r);
        return COPSE_OK;
    }
    CP_NUMBER_RULES(r, gate_rules);
    copse_status status = cp_reader_array(r, "gate", CP_F64, GATE, &gate, err);
    if (!status) {
        a->gate.reference = gate[GATE_REFERENCE], a->gate.factor = gate[GATE_FACTOR];
        cp_mem_free(gate);
        status = read_method(a, r, &want, &m, err);
    }
    a->gate.method = m.method, a->gate.params = m.params, a->gate.state = m.state;
    cp_reader_pop(r);
    return status;
}

static copse_status read_pool(cp_auto *a, cp_reader *r, copse_error *err) {
    double *pool;
    CP_TRY(cp_reader_array(r, "pool", CP_F64, POOL, &pool, err));
    a->background = pool[BACKGROUND], a->centre = pool[CENTRE], a->width = pool[WIDTH], a->factor = pool[FACTOR];
    cp_mem_free(pool);
    if (a->task == COPSE_REGRESS && !(a->width > 0)) return cp_reader_bad(r, err, "the background has no width");
    return a->task == COPSE_CLASS ? cp_reader_array(r, "prior", CP_F64, a->classes, &a->prior, err) : COPSE_OK;
}

static copse_status read_levels(cp_auto *a, cp_reader *r, copse_error *err) {
    return cp_reader_has(r, "levels") ? cp_reader_array(r, "levels", CP_U32, a->dims, &a->levels, err) : COPSE_OK;
}

/* The recoded columns: what is made from them is bounded by the file's size. */
static copse_status read_recode(cp_auto *a, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_push(r, "recode", err));
    copse_status status = cp_recode_read(&a->recode, r, a->dims, a->levels, err);
    cp_reader_pop(r);
    return status;
}

static copse_status check_weights(const cp_auto *a, cp_reader *r, copse_error *err) {
    double sum = a->background;
    for (size_t m = 0; m < a->members; m++) sum += a->member[m].weight;
    return fabs(sum - 1) < 1e-6 ? COPSE_OK : cp_reader_bad(r, err, "the weights of its members do not sum to 1");
}

static copse_status read_all(cp_auto *a, cp_reader *r, copse_error *err) {
    int64_t rows, scored, members;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_i64(r, "rows", 1, INT32_MAX, &rows, err));
    CP_TRY(cp_reader_i64(r, "scored", 0, INT32_MAX, &scored, err));
    CP_TRY(cp_reader_i64(r, "members", 1, MOST_MEMBERS, &members, err));
    a->rows = (size_t)rows;
    a->scored = (size_t)scored;
    CP_TRY(read_pool(a, r, err));
    CP_TRY(read_levels(a, r, err));
    CP_TRY(read_recode(a, r, err));
    CP_TRY(CP_NEW(a->member, (size_t)members, err));
    a->members = (size_t)members;
    for (size_t m = 0; m < a->members; m++) CP_TRY(read_member(a, r, m, err));
    CP_TRY(check_weights(a, r, err));
    CP_TRY(read_gate(a, r, err));
    cp_auto_inspect_name(a);
    return COPSE_OK;
}

copse_status cp_auto_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                               copse_error *err) {
    cp_auto *a;
    (void)p;
    *out_state = NULL;
    CP_TRY(CP_NEW(a, 1, err));
    a->task = shape.task;
    a->dims = shape.dims;
    a->classes = shape.classes;
    copse_status status = read_all(a, r, err);
    if (status)
        cp_auto_free(a);
    else
        *out_state = a;
    return status;
}
