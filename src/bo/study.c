#include "bo/study.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "base/mem.h"
#include "data/schema.h"

enum { ASKED = 1, TOLD = 2, ADDED = 3 }; /* records */

static const char *const acquisitions[] = {
    [CP_ACQ_UCB] = "ucb", [CP_ACQ_EI] = "ei", [CP_ACQ_THOMPSON] = "thompson", [CP_ACQ_RANDOM] = "random"};
enum { ACQUISITIONS = sizeof acquisitions / sizeof *acquisitions };

enum { MOST_TREES = 10000, MOST_TRIALS = INT32_MAX / 2 };

const char *cp_study_acquisition(const copse_study *s) {
    return acquisitions[s->acquisition];
}

void cp_study_free(copse_study *s) {
    if (!s) return;
    cp_journal_free(s->ledger);
    cp_space_free(s->space);
    cp_grid_clear(&s->grid);
    cp_mem_free(s->trial);
    cp_mem_free(s->x);
    cp_mem_free(s->told);
    cp_mem_free(s->pending);
    cp_map_clear(&s->seen);
    cp_surrogate_clear(&s->forest);
    cp_target_transform_clear(&s->transform);
    cp_mem_free(s);
}

/* ----------------------------------------------------------------------------------------------------------- trials */

copse_status cp_study_has_room(const copse_study *s, copse_error *err) {
    if (s->n < MOST_TRIALS) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "a study holds at most %d trials", MOST_TRIALS);
}

/* Room for one more trial and one more tell, so that what is on the disk can always be taken in. */
static copse_status reserve(copse_study *s, copse_error *err) {
    CP_TRY(CP_GROW(s->trial, s->cap_trial, s->n + 1, err));
    CP_TRY(CP_GROW(s->x, s->cap_x, (s->n + 1) * s->space->dims, err));
    CP_TRY(CP_GROW(s->told, s->cap_told, s->tells + 1, err));
    CP_TRY(CP_GROW(s->pending, s->cap_pending, s->pendings + 1, err));
    return cp_map_reserve(&s->seen, err);
}

/* A new trial; room is there. */
static void note_point(copse_study *s, const double *x, int32_t point) {
    memmove(s->x + s->n * s->space->dims, x, s->space->dims * sizeof *x); /* it may stand there already */
    s->trial[s->n] = (cp_study_trial){.value = NAN, .state = COPSE_TRIAL_ASKED, .point = point};
    if (point != CP_NONE)
        cp_grid_take(&s->grid, point);
    else if (!cp_study_seen(s, x))
        CP_BUG(cp_map_add(&s->seen, cp_acq_search_hash(x, s->space->dims), (int32_t)s->n, NULL));
    s->pending[s->pendings++] = (int32_t)s->n++;
}

static void note_value(copse_study *s, size_t trial, double value) {
    cp_study_trial *t = &s->trial[trial];
    size_t at = s->pendings;
    while (at-- > 0 && s->pending[at] != (int32_t)trial) continue;
    memmove(s->pending + at, s->pending + at + 1, (--s->pendings - at) * sizeof *s->pending);
    t->state = isnan(value) ? COPSE_TRIAL_FAILED : COPSE_TRIAL_TOLD;
    t->value = value;
    if (isnan(value)) return;
    s->told[s->tells++] = (int32_t)trial;
    int32_t mark = s->restarts.mark;
    double off =
        mark == CP_NONE ? 0 : cp_space_distance(s->space, cp_study_point(s, trial), cp_study_point(s, (size_t)mark));
    if (cp_restarts_update(&s->restarts, (int32_t)trial, cp_study_worth(s, value), off, s->n, s->asked)) s->grown = 0;
}

/* ---------------------------------------------------------------------------------------------------------- records */

static void put_f64(unsigned char *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    cp_layout_put(to, bits, 8);
}

static double get_f64(const unsigned char *from) {
    uint64_t bits = cp_layout_get(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Of a box the values, of a list the number of the point. */
static size_t point_bytes(const copse_study *s) {
    return s->space->points ? 8 : 8 * s->space->dims;
}

static void put_point(const copse_study *s, unsigned char *to, const double *x, int32_t point) {
    if (s->space->points) {
        cp_layout_put(to, (uint64_t)point, 8);
        return;
    }
    for (size_t k = 0; k < s->space->dims; k++) put_f64(to + 8 * k, x[k]);
}

static copse_status bad_record(copse_error *err) {
    return cp_fail(err, COPSE_E_MODEL, "the study holds a record that cannot be");
}

static int value_is_fine(double value) {
    return isnan(value) || fabs(value) <= CP_SCHEMA_TARGET_MAX;
}

static copse_status take_point(copse_study *s, const unsigned char *from, copse_error *err) {
    if (s->n >= MOST_TRIALS) return bad_record(err);
    if (s->space->points) {
        uint64_t point = cp_layout_get(from, 8);
        if (point >= s->space->points) return bad_record(err);
        note_point(s, s->space->point + point * s->space->dims, (int32_t)point);
        return COPSE_OK;
    }
    double *x = s->x + s->n * s->space->dims;
    for (size_t k = 0; k < s->space->dims; k++) x[k] = get_f64(from + 8 * k);
    if (cp_space_outside(s->space, x)) return bad_record(err);
    note_point(s, x, CP_NONE);
    return COPSE_OK;
}

/* Nothing in a file is trusted, though the checksums held. */
static copse_status take_record(copse_study *s, const cp_journal_record *r, copse_error *err) {
    size_t point = point_bytes(s);
    if (r->kind == TOLD && r->n == 16) {
        uint64_t trial = cp_layout_get(r->bytes, 8);
        double value = get_f64(r->bytes + 8);
        if (trial >= s->n || s->trial[trial].state != COPSE_TRIAL_ASKED || !value_is_fine(value))
            return bad_record(err);
        note_value(s, (size_t)trial, value);
        return COPSE_OK;
    }
    if (r->kind == ASKED && r->n == point) {
        s->asked++;
        return take_point(s, r->bytes, err);
    }
    if (r->kind != ADDED || r->n != point + 8 || !value_is_fine(get_f64(r->bytes + point))) return bad_record(err);
    CP_TRY(take_point(s, r->bytes, err));
    note_value(s, s->n - 1, get_f64(r->bytes + point));
    return COPSE_OK;
}

static copse_status catch_up(copse_study *s, copse_error *err) {
    cp_journal_record r;
    int got = 0;
    do {
        CP_TRY(reserve(s, err));
        CP_TRY(cp_journal_next(s->ledger, &r, &got, err));
        if (got) CP_TRY(take_record(s, &r, err));
    } while (got);
    return COPSE_OK;
}

/* Between enter and leave the file is ours, and all that is in it is known.  If enter fails there is nothing to
 * leave. */
static copse_status enter(copse_study *s, copse_error *err) {
    if (!s->ledger) return reserve(s, err);
    CP_TRY(cp_journal_lock(s->ledger, err));
    copse_status status = catch_up(s, err);
    if (status) cp_journal_unlock(s->ledger);
    return status;
}

static void leave(copse_study *s) {
    if (s->ledger) cp_journal_unlock(s->ledger);
}

static copse_status append(copse_study *s, uint32_t kind, const unsigned char *bytes, size_t n, copse_error *err) {
    return s->ledger ? cp_journal_append(s->ledger, kind, bytes, n, err) : COPSE_OK;
}

/* A record of a point, and a value if there is one. */
static copse_status append_point(copse_study *s, uint32_t kind, const double *x, int32_t point, const double *opt_value,
                                 copse_error *err) {
    size_t n = point_bytes(s);
    unsigned char *bytes;
    CP_TRY(CP_RAW(bytes, n + 8, err));
    put_point(s, bytes, x, point);
    if (opt_value) put_f64(bytes + n, *opt_value);
    copse_status status = append(s, kind, bytes, opt_value ? n + 8 : n, err);
    cp_mem_free(bytes);
    return status;
}

copse_status cp_study_look(copse_study *s, copse_error *err) {
    CP_TRY(enter(s, err));
    leave(s);
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------- making, opening */

static copse_status read_options(copse_study *s, const copse_study_options *opt, copse_error *err) {
    const char *name = opt->acquisition ? opt->acquisition : "ucb";
    size_t kind = 0;
    while (kind < ACQUISITIONS && strcmp(acquisitions[kind], name) != 0) kind++;
    if (kind == ACQUISITIONS)
        return cp_fail(err, COPSE_E_USAGE, "'%.40s' is not an acquisition: ucb, ei, thompson or random", name);
    if (opt->trees > MOST_TREES) return cp_fail(err, COPSE_E_USAGE, "more than %d trees", MOST_TREES);
    if (!(opt->kappa >= 0 && opt->kappa <= 1e6)) return cp_fail(err, COPSE_E_USAGE, "kappa is 0 to 1000000");
    s->acquisition = (cp_acquisition)kind;
    s->minimise = !!opt->minimise;
    s->kappa = opt->kappa > 0 ? opt->kappa : 1;
    s->trees = opt->trees ? opt->trees : 10;
    s->initial = opt->initial ? opt->initial : cp_study_first_points(s->space);
    s->seed = opt->seed;
    return COPSE_OK;
}

/* What follows from the space and the options. */
static copse_status prepare(copse_study *s, copse_error *err) {
    if (s->space->points) CP_TRY(cp_grid_init(&s->grid, s->space, err));
    cp_restarts_init(&s->restarts, s->space->dims);
    return cp_surrogate_init(&s->forest, s->space->cols, s->trees, s->seed, err);
}

static copse_status write_head(const copse_study *s, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_text(w, "written_by", COPSE_VERSION, err));
    CP_TRY(cp_writer_i64(w, "minimise", s->minimise, err));
    CP_TRY(cp_writer_text(w, "acquisition", acquisitions[s->acquisition], err));
    CP_TRY(cp_writer_f64(w, "kappa", s->kappa, err));
    CP_TRY(cp_writer_i64(w, "trees", (int64_t)s->trees, err));
    CP_TRY(cp_writer_i64(w, "initial", (int64_t)s->initial, err));
    CP_TRY(cp_writer_i64(w, "seed", (int64_t)s->seed, err));
    CP_TRY(cp_writer_push(w, "space", err));
    copse_status status = cp_space_write(s->space, w, err);
    cp_writer_pop(w);
    return status;
}

static copse_status create(const copse_study *s, const char *path, copse_error *err) {
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    CP_TRY(cp_writer_new(&w, err));
    copse_status status = write_head(s, w, err);
    if (!status) status = cp_writer_finish(w, &bytes, &n, err);
    if (!status) status = cp_journal_create(path, bytes, n, err);
    cp_writer_free(w);
    return status;
}

copse_status cp_study_new(const char *opt_path, const copse_study_options *opt, copse_study **out, copse_error *err) {
    copse_study *s;
    *out = NULL;
    if (!!opt->grid == !!opt->n_dims)
        return cp_fail(err, COPSE_E_USAGE, "a study is of dimensions or of a grid: give one of them");
    CP_TRY(CP_NEW(s, 1, err));
    copse_status status = COPSE_OK;
    CP_TRY_OUT(opt->grid ? cp_space_of_table(opt->grid, opt->grid_drop, opt->grid_log, &s->space, err)
                         : cp_space_new(opt->dims, opt->n_dims, &s->space, err));
    CP_TRY_OUT(read_options(s, opt, err));
    CP_TRY_OUT(prepare(s, err));
    if (opt_path) {
        CP_TRY_OUT(create(s, opt_path, err));
        CP_TRY_OUT(cp_journal_open(opt_path, &s->ledger, err));
    }
out:
    if (status)
        cp_study_free(s);
    else
        *out = s;
    return status;
}

static copse_status read_sections(copse_study *s, cp_reader *r, copse_error *err) {
    char *name = NULL;
    int64_t minimise, trees, initial, seed;
    copse_study_options opt = {0};
    CP_TRY(cp_reader_push(r, "space", err));
    copse_status status = cp_space_read(r, &s->space, err);
    cp_reader_pop(r);
    CP_TRY(status);
    CP_TRY(cp_reader_i64(r, "minimise", 0, 1, &minimise, err));
    CP_TRY(cp_reader_f64(r, "kappa", 0, 1e6, &opt.kappa, err));
    CP_TRY(cp_reader_i64(r, "trees", 1, MOST_TREES, &trees, err));
    CP_TRY(cp_reader_i64(r, "initial", 0, INT64_MAX, &initial, err));
    CP_TRY(cp_reader_i64(r, "seed", INT64_MIN, INT64_MAX, &seed, err));
    CP_TRY(cp_reader_text(r, "acquisition", &name, err));
    opt.acquisition = name;
    opt.minimise = (int)minimise;
    opt.trees = (size_t)trees;
    opt.initial = (size_t)initial;
    opt.seed = (uint64_t)seed;
    status = read_options(s, &opt, err);
    if (status == COPSE_E_USAGE) status = cp_reader_bad(r, err, "its acquisition is none that this program has");
    cp_mem_free(name);
    return status;
}

static copse_status read_head(copse_study *s, copse_error *err) {
    cp_reader *r;
    size_t n;
    const unsigned char *head = cp_journal_head(s->ledger, &n);
    CP_TRY(cp_reader_new(head, n, &r, err));
    copse_status status = read_sections(s, r, err);
    cp_reader_free(r);
    return status;
}

copse_status cp_study_open(const char *path, copse_study **out, copse_error *err) {
    copse_study *s;
    *out = NULL;
    CP_TRY(CP_NEW(s, 1, err));
    copse_status status = COPSE_OK;
    CP_TRY_OUT(cp_journal_open(path, &s->ledger, err));
    CP_TRY_OUT(read_head(s, err));
    CP_TRY_OUT(prepare(s, err));
    CP_TRY_OUT(cp_study_look(s, err));
out:
    if (status)
        cp_study_free(s);
    else
        *out = s;
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- tell */

static copse_status check_value(double value, copse_error *err) {
    if (value_is_fine(value)) return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA,
                   "%g is no value to learn from; tell a number up to %g in size, or that the evaluation failed", value,
                   CP_SCHEMA_TARGET_MAX);
}

static copse_status tell(copse_study *s, size_t trial, double value, copse_error *err) {
    unsigned char bytes[16];
    if (trial >= s->n) return cp_fail(err, COPSE_E_USAGE, "there is no trial %zu; the last is %zu", trial + 1, s->n);
    if (s->trial[trial].state != COPSE_TRIAL_ASKED)
        return s->trial[trial].state == COPSE_TRIAL_FAILED
                   ? cp_fail(err, COPSE_E_USAGE, "trial %zu was told already: it has failed", trial + 1)
                   : cp_fail(err, COPSE_E_USAGE, "trial %zu was told already: %g", trial + 1, s->trial[trial].value);
    cp_layout_put(bytes, trial, 8);
    put_f64(bytes + 8, value);
    CP_TRY(append(s, TOLD, bytes, sizeof bytes, err));
    note_value(s, trial, value);
    return COPSE_OK;
}

copse_status cp_study_tell(copse_study *s, size_t trial, double value, copse_error *err) {
    CP_TRY(check_value(value, err));
    CP_TRY(enter(s, err));
    copse_status status = tell(s, trial, value, err);
    leave(s);
    return status;
}

/* The point of the list with exactly these values. */
static copse_status find_point(const copse_study *s, const double *x, int32_t *out, copse_error *err) {
    const cp_space *space = s->space;
    *out = CP_NONE;
    if (!space->points) return COPSE_OK;
    for (size_t i = 0; i < space->points; i++) {
        size_t k = 0;
        while (k < space->dims && space->point[i * space->dims + k] == x[k]) k++;
        if (k < space->dims) continue;
        *out = (int32_t)i;
        if (!s->grid.taken[i]) return COPSE_OK; /* of equal ones, one that was not taken */
    }
    return *out == CP_NONE ? cp_fail(err, COPSE_E_USAGE, "this point is not in the study's grid") : COPSE_OK;
}

static copse_status add(copse_study *s, const double *x, double value, copse_error *err) {
    int32_t point;
    CP_TRY(cp_study_has_room(s, err));
    CP_TRY(find_point(s, x, &point, err));
    CP_TRY(append_point(s, ADDED, x, point, &value, err));
    note_point(s, x, point);
    note_value(s, s->n - 1, value);
    return COPSE_OK;
}

copse_status cp_study_add(copse_study *s, const double *x, double value, size_t *out_trial, copse_error *err) {
    const cp_space_dim *d = cp_space_outside(s->space, x);
    if (d)
        return cp_fail(err, COPSE_E_USAGE, "%g is not in dimension '%.100s', %s%g to %g", x[d - s->space->dim],
                       d->info.name, d->info.kind == COPSE_DIM_REAL ? "" : "whole numbers from ", d->info.low,
                       d->info.high);
    CP_TRY(check_value(value, err));
    CP_TRY(enter(s, err));
    copse_status status = add(s, x, value, err);
    *out_trial = s->n - 1;
    leave(s);
    return status;
}

/* -------------------------------------------------------------------------------------------------------------- ask */

static copse_status ask(copse_study *s, copse_error *err) {
    double *x;
    int32_t point;
    CP_TRY(CP_RAW(x, s->space->dims, err));
    copse_status status = cp_study_choose(s, x, &point, err);
    if (!status) status = append_point(s, ASKED, x, point, NULL, err);
    if (!status) {
        s->asked++;
        note_point(s, x, point);
    }
    cp_mem_free(x);
    return status;
}

copse_status cp_study_ask(copse_study *s, size_t *out_trial, copse_error *err) {
    CP_TRY(enter(s, err));
    copse_status status = ask(s, err);
    *out_trial = s->n - 1;
    leave(s);
    return status;
}
