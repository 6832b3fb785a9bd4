#include "data/schema.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "data/text.h"
#include "kernel/interleave.h"
#include "kernel/key_block.h"
#include "kernel/sort.h"

void cp_schema_free(cp_schema *s) {
    if (!s) return;
    for (size_t i = 0; s->feature && i < s->features; i++) {
        cp_mem_free(s->feature[i].name);
        cp_dict_clear(&s->feature[i].levels);
    }
    cp_dict_clear(&s->classes);
    cp_dict_clear(&s->missing);
    cp_mem_free(s->target);
    cp_mem_free(s->feature);
    cp_mem_free(s->shift);
    cp_mem_free(s->span);
    cp_mem_free(s->levels);
    cp_mem_free(s);
}

/* Is the feature one indicator column per level? */
static int indicates(const cp_schema *s, const cp_feature *f) {
    return !s->raw && f->kind == COPSE_TEXT && f->levels.n <= CP_SCHEMA_INDICATORS_MAX;
}

size_t cp_schema_width(const cp_schema *s, const cp_feature *f) {
    return indicates(s, f) ? f->levels.n : 1;
}

copse_status cp_schema_count_levels(cp_schema *s, copse_error *err) {
    size_t texts = 0;
    for (size_t i = 0; i < s->features; i++) texts += s->feature[i].kind == COPSE_TEXT;
    if (!s->raw || !texts) return COPSE_OK;
    CP_TRY(CP_NEW(s->levels, s->dims, err));
    for (size_t i = 0; i < s->features; i++) s->levels[s->feature[i].first] = (uint32_t)s->feature[i].levels.n;
    return COPSE_OK;
}

void cp_schema_set_range(cp_schema *s, const cp_feature *f, double min, double max) {
    s->shift[f->first] = min;
    s->span[f->first] = max > min ? max - min : 1;
}

static int check_feature(const cp_schema *s, const cp_feature *f, size_t first) {
    if (f->first != first || f->width != cp_schema_width(s, f) || f->width > s->dims - first) return 0;
    int text = f->kind == COPSE_TEXT && (s->raw || indicates(s, f));
    for (size_t d = first; d < first + f->width; d++) {
        if (!isfinite(s->shift[d]) || !isfinite(s->span[d]) || !(s->span[d] > 0)) return 0;
        if ((s->raw || text) && s->span[d] != 1) return 0;
        if (text && s->shift[d] != 0) return 0;
    }
    if (s->levels ? s->levels[first] != f->levels.n : s->raw && f->levels.n > 0) return 0;
    if (!isfinite(f->fill) || !f->name || !f->name[0] || strcmp(f->name, s->target) == 0) return 0;
    return f->kind == COPSE_NUMBER ? f->levels.n == 0 : f->fill >= 0 && f->fill < (double)f->levels.n;
}

int cp_schema_check(const cp_schema *s) {
    size_t dims = 0;
    if (!s->target || !s->target[0] || s->features == 0) return 0;
    for (size_t i = 0; i < s->features; i++) {
        if (!check_feature(s, &s->feature[i], dims)) return 0;
        dims += s->feature[i].width;
    }
    if (dims != s->dims) return 0;
    if (s->task == COPSE_CLASS) return s->classes.n > 0;
    return s->task == COPSE_REGRESS && s->classes.n == 0;
}

const cp_feature *cp_schema_feature_of(const cp_schema *s, size_t dim) {
    size_t low = 0, high = s->features; /* the last feature that starts at or before dim */
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (s->feature[mid].first <= dim)
            low = mid;
        else
            high = mid;
    }
    return &s->feature[low];
}

void cp_schema_dim_name(const cp_schema *s, size_t dim, char *buf, size_t n) {
    const cp_feature *f = cp_schema_feature_of(s, dim);
    if (indicates(s, f))
        snprintf(buf, n, "%s=%s", f->name, cp_dict_text(&f->levels, dim - f->first));
    else
        snprintf(buf, n, "%s", f->name);
}

/* ------------------------------------------------------------------------------------------------------- features */

/* Where a feature's values come from. */
typedef struct source {
    const cp_column *col; /* NULL: all are missing */
    int32_t *rank;        /* text: per level of the column its index in the feature's levels; NULL: look up each */
} source;

static int has_values(const cp_column *c, cp_table_rows rows) {
    if (c->kind == COPSE_TEXT) return c->levels.n > 0;
    for (size_t i = rows.first; i < rows.first + rows.n; i++)
        if (!isnan(c->number[i])) return 1;
    return 0;
}

static copse_status wrong_kind(cp_table_rows rows, const cp_column *c, copse_error *err) {
    char place[300];
    if (c->kind == COPSE_NUMBER)
        return cp_fail(err, COPSE_E_DATA,
                       "column '%s' holds numbers, but the model was trained on text: read it as text "
                       "(--categorical '%s')",
                       c->name, c->name);
    size_t row = cp_table_word(rows, c);
    const char *text = c->code[row] == CP_NONE ? "text" : cp_dict_text(&c->levels, (size_t)c->code[row]);
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - rows.t->col) + 1,
                      "%s: '%.60s' in column '%s' is no number, and the model was trained on numbers: correct it, or "
                      "mark it as missing (--na '%.60s')",
                      cp_table_where(rows.t, row, place, sizeof place), text, c->name, text);
}

/* The level's index, or the number of levels for one that is not there. */
static int32_t find_rank(const cp_feature *f, const cp_dict *levels, int32_t code) {
    const char *text = cp_dict_text(levels, (size_t)code);
    int32_t rank = cp_dict_find(&f->levels, text, strlen(text));
    return rank == CP_NONE ? (int32_t)f->levels.n : rank;
}

/* Is it the name of a feature, or the target? */
static int is_ours(const void *schema, const char *name) {
    const cp_schema *s = schema;
    for (size_t i = 0; i < s->features; i++)
        if (strcmp(s->feature[i].name, name) == 0) return 1;
    return strcmp(s->target, name) == 0;
}

/* A column that has another place cannot be the one that is missing under a wrong name. */
static copse_status lacks_feature(const cp_schema *s, const copse_table *t, const char *name, copse_error *err) {
    return cp_table_match_fail(t, name, &(cp_table_match_known){is_ours, s}, COPSE_E_DATA, err);
}

static copse_status find_source(const cp_feature *f, cp_table_rows rows, source *out, copse_error *err) {
    size_t j = cp_table_find(rows.t, f->name);
    const cp_column *c = &rows.t->col[j];
    *out = (source){0};
    if (c->kind != f->kind) return has_values(c, rows) ? wrong_kind(rows, c, err) : COPSE_OK;
    out->col = c;
    /* A block of few rows of a table with many levels is cheaper without the list of all of them. */
    if (c->kind == COPSE_NUMBER || c->levels.n > rows.n) return COPSE_OK;
    CP_TRY(CP_RAW(out->rank, c->levels.n, err));
    for (size_t k = 0; k < c->levels.n; k++) out->rank[k] = find_rank(f, &c->levels, (int32_t)k);
    return COPSE_OK;
}

/* 0 if a number is infinite. */
static int encode_raw(const cp_schema *s, const cp_feature *f, const double *x, size_t n, float *out) {
    const double shift = s->shift[f->first];
    const size_t stride = s->dims;
    int fine = 1;
    for (size_t i = 0; i < n; i++) {
        double z = x[i] - shift;
        fine &= !isinf(x[i]);
        z = z > CP_SCHEMA_LIMIT ? CP_SCHEMA_LIMIT : z;
        z = z < -CP_SCHEMA_LIMIT ? -CP_SCHEMA_LIMIT : z;
        out[i * stride] = (float)z; /* NaN stays NaN */
    }
    return fine;
}

static int encode_filled(const cp_schema *s, const cp_feature *f, const double *x, size_t n, float *out) {
    const double fill = f->fill, shift = s->shift[f->first], span = s->span[f->first];
    const size_t stride = s->dims;
    int fine = 1;
    for (size_t i = 0; i < n; i++) {
        double v = isnan(x[i]) ? fill : x[i];
        fine &= fabs(v) <= DBL_MAX;
        double z = (v - shift) / span;
        z = z > CP_SCHEMA_LIMIT ? CP_SCHEMA_LIMIT : z;
        z = z < -CP_SCHEMA_LIMIT ? -CP_SCHEMA_LIMIT : z;
        out[i * stride] = (float)z;
    }
    return fine;
}

/* CP_NONE if missing. */
static int32_t rank_of(const cp_feature *f, const source *from, size_t row) {
    int32_t code = from->col ? from->col->code[row] : CP_NONE;
    if (code == CP_NONE) return CP_NONE;
    return from->rank ? from->rank[code] : find_rank(f, &from->col->levels, code);
}

static void encode_level(const cp_schema *s, const cp_feature *f, int32_t rank, float *out) {
    if (s->raw) {
        out[0] = rank == CP_NONE ? NAN : (float)rank;
        return;
    }
    if (rank == CP_NONE) rank = (int32_t)f->fill;
    if (!indicates(s, f)) {
        out[0] = (float)((rank - s->shift[f->first]) / s->span[f->first]);
        return;
    }
    for (size_t k = 0; k < f->width; k++) out[k] = (int32_t)k == rank;
}

copse_status cp_schema_infinite(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: column '%s' is %s there: correct it, or mark what is written there as missing (--na, e.g. "
                      "--na inf,-inf)",
                      cp_table_where(t, row, place, sizeof place), c->name,
                      c->number[row] > 0 ? "infinite" : "minus infinity");
}

static int encode_numbers(const cp_schema *s, const cp_feature *f, const double *x, size_t n, float *out) {
    return s->raw ? encode_raw(s, f, x, n, out) : encode_filled(s, f, x, n, out);
}

/* Four features from i on at once, if they are numbers as they are.  If not, or if there is an infinite one among them,
 * 0: they are to be encoded one by one. */
static int encode_four(const cp_schema *s, const source *from, size_t i, cp_table_rows rows, float *out) {
    const double *col[4];
    double shift[4];
    if (!s->raw || i + 4 > s->features) return 0;
    for (size_t k = 0; k < 4; k++) {
        const cp_feature *f = &s->feature[i + k];
        if (f->kind == COPSE_TEXT || !from[i + k].col) return 0;
        col[k] = from[i + k].col->number + rows.first;
        shift[k] = s->shift[f->first];
    }
    return cp_interleave_best()(col, shift, CP_SCHEMA_LIMIT, rows.n, out + s->feature[i].first, s->dims);
}

static copse_status encode_block(const cp_schema *s, const source *from, cp_table_rows rows, float *out,
                                 copse_error *err) {
    static const double missing = NAN;
    size_t first = rows.first, n = rows.n;
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        float *to = out + f->first;
        if (encode_four(s, from, i, rows, out)) {
            i += 3;
        } else if (f->kind == COPSE_TEXT) {
            for (size_t k = 0; k < n; k++) encode_level(s, f, rank_of(f, &from[i], first + k), to + k * s->dims);
        } else if (!from[i].col) {
            for (size_t k = 0; k < n; k++) encode_numbers(s, f, &missing, 1, to + k * s->dims);
        } else if (!encode_numbers(s, f, from[i].col->number + first, n, to)) {
            while (!isinf(from[i].col->number[first])) first++;
            return cp_schema_infinite(rows.t, from[i].col, first, err);
        }
    }
    return COPSE_OK;
}

void cp_schema_encode_value(const cp_schema *s, const cp_feature *f, double value, float *out) {
    if (f->kind == COPSE_TEXT)
        encode_level(s, f, isnan(value) ? CP_NONE : (int32_t)value, out);
    else
        encode_numbers(s, f, &value, 1, out);
}

static int is_within(cp_table_rows rows) {
    return rows.first <= rows.t->rows && rows.n <= rows.t->rows - rows.first;
}

static copse_status find_sources(const cp_schema *s, cp_table_rows rows, source *out, copse_error *err) {
    CP_BUG(!is_within(rows));
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        if (cp_table_find(rows.t, f->name) == (size_t)-1) return lacks_feature(s, rows.t, f->name, err);
        CP_TRY(find_source(f, rows, &out[i], err));
    }
    return COPSE_OK;
}

static void free_sources(const cp_schema *s, source *from) {
    for (size_t i = 0; i < s->features; i++) cp_mem_free(from[i].rank);
    cp_mem_free(from);
}

/* Some of the rows. */
static cp_table_rows part_of(cp_table_rows rows, size_t done, size_t most) {
    return (cp_table_rows){rows.t, rows.first + done, rows.n - done < most ? rows.n - done : most};
}

copse_status cp_schema_encode(const cp_schema *s, cp_table_rows rows, float *out, copse_error *err) {
    source *from;
    copse_status status = COPSE_OK;
    CP_TRY(CP_NEW(from, s->features, err));
    CP_TRY_OUT(find_sources(s, rows, from, err));
    /* Columns are read and rows are written, in blocks whose output stays in the cache. */
    size_t step = 32768 / s->dims < 16 ? 16 : 32768 / s->dims;
    for (size_t done = 0; done < rows.n; done += step)
        CP_TRY_OUT(encode_block(s, from, part_of(rows, done, step), out + done * s->dims, err));
out:
    free_sources(s, from);
    return status;
}

/* One column of key blocks; 0 if something is missing or infinite. */
static int gang_feature(const cp_schema *s, const cp_feature *f, const source *from, cp_table_rows rows,
                        uint32_t *out) {
    size_t stride = s->dims * CP_KEY_BLOCK_ROWS;
    if (!from->col) return 0;
    if (f->kind == COPSE_NUMBER)
        return cp_key_block_best()->from_column(from->col->number + rows.first, s->shift[f->first], CP_SCHEMA_LIMIT,
                                                rows.n, out, stride);
    for (size_t i = 0; i < rows.n; i++) {
        int32_t rank = rank_of(f, from, rows.first + i);
        if (rank == CP_NONE) return 0;
        out[i / CP_KEY_BLOCK_ROWS * stride + i % CP_KEY_BLOCK_ROWS] = cp_sort_from_float((float)rank);
    }
    return 1;
}

copse_status cp_schema_encode_keys(const cp_schema *s, cp_table_rows rows, uint32_t *out, int *out_whole,
                                   copse_error *err) {
    enum { STEP = 1024 }; /* rows whose keys stay in the cache until all columns are there */
    source *from;
    copse_status status = COPSE_OK;
    CP_BUG(!s->raw || s->dims > CP_KEY_BLOCK_DIMS);
    *out_whole = 1;
    CP_TRY(CP_NEW(from, s->features, err));
    CP_TRY_OUT(find_sources(s, rows, from, err));
    for (size_t done = 0; done < rows.n && *out_whole; done += STEP)
        for (size_t i = 0; i < s->features && *out_whole; i++)
            *out_whole = gang_feature(s, &s->feature[i], &from[i], part_of(rows, done, STEP),
                                      out + done * s->dims + s->feature[i].first * CP_KEY_BLOCK_ROWS);
out:
    free_sources(s, from);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- weights */

static copse_status bad_weight(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    long at = (long)row + 1, col = (long)(c - t->col) + 1;
    double w = c->number[row];
    cp_table_where(t, row, place, sizeof place);
    if (isnan(w))
        return cp_fail_at(err, COPSE_E_DATA, at, col, "%s: the weight '%s' is missing: fill it in or leave the row out",
                          place, c->name);
    return cp_fail_at(err, COPSE_E_DATA, at, col,
                      "%s: the weight '%s' is %g: weights are numbers, 0 or from 1e-30 to 1e30", place, c->name, w);
}

copse_status cp_schema_weights(const copse_table *t, const char *name, double *out, copse_error *err) {
    size_t j;
    int some = 0;
    CP_TRY(cp_table_match_name(t, name, COPSE_E_USAGE, &j, err));
    const cp_column *c = &t->col[j];
    if (c->kind == COPSE_TEXT)
        return cp_fail(err, COPSE_E_DATA, "the weights '%s' are text: they must be numbers", c->name);
    for (size_t i = 0; i < t->rows; i++) {
        double w = c->number[i];
        if (!(w >= 0 && w <= CP_SCHEMA_WEIGHT_MAX) || (w > 0 && w < 1 / CP_SCHEMA_WEIGHT_MAX))
            return bad_weight(t, c, i, err);
        some |= w > 0;
        out[i] = w;
    }
    if (!some) return cp_fail(err, COPSE_E_DATA, "every weight in '%s' is 0: no row counts", c->name);
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------- targets */

static copse_status missing_target(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: the target '%s' is missing: fill it in or leave the row out",
                      cp_table_where(t, row, place, sizeof place), c->name);
}

/* To mark it as missing would only lead to the refusal above. */
static copse_status infinite_target(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: the target '%s' is infinite: correct it or leave the row out",
                      cp_table_where(t, row, place, sizeof place), c->name);
}

static copse_status too_large(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: the target '%s' is %g, too large to compute with: use another unit",
                      cp_table_where(t, row, place, sizeof place), c->name, c->number[row]);
}

static copse_status find_target(const cp_schema *s, cp_table_rows rows, const cp_column **out, copse_error *err) {
    size_t j;
    CP_BUG(!is_within(rows));
    CP_TRY(cp_table_match_name(rows.t, s->target, COPSE_E_DATA, &j, err));
    *out = &rows.t->col[j];
    return COPSE_OK;
}

copse_status cp_schema_numbers(const cp_schema *s, cp_table_rows rows, double *out, unsigned char *opt_missing,
                               copse_error *err) {
    const cp_column *c;
    CP_TRY(find_target(s, rows, &c, err));
    if (c->kind == COPSE_TEXT && has_values(c, rows)) return wrong_kind(rows, c, err);
    for (size_t i = 0, row = rows.first; i < rows.n; i++, row++) {
        double y = c->kind == COPSE_TEXT ? NAN : c->number[row];
        if (isinf(y)) return infinite_target(rows.t, c, row, err);
        if (fabs(y) > CP_SCHEMA_TARGET_MAX) return too_large(rows.t, c, row, err);
        if (isnan(y) && !opt_missing) return missing_target(rows.t, c, row, err);
        if (opt_missing) opt_missing[i] = (unsigned char)isnan(y);
        out[i] = isnan(y) ? 0 : y;
    }
    return COPSE_OK;
}

/* The label's text, the same for all ways to write a number if the classes are numbers; NULL if missing. */
static const char *label_text(const cp_schema *s, const cp_column *c, size_t row, char buf[CP_JSON_NUMBER]) {
    double value;
    if (c->kind == COPSE_NUMBER) {
        value = c->number[row];
        if (isnan(value)) return NULL;
    } else {
        if (c->code[row] == CP_NONE) return NULL;
        const char *text = cp_dict_text(&c->levels, (size_t)c->code[row]);
        if (!s->classes_numeric || !cp_text_number(text, &value)) return text;
    }
    cp_json_format(value == 0 ? 0 : value, buf); /* -0 is 0 */
    return buf;
}

/* Labels already looked up, so that a million rows of ten classes cost ten look-ups. */
enum { MEMO = 256, UNKNOWN = -2 };
typedef struct memo {
    double number[MEMO];
    int32_t code[MEMO], label[MEMO];
} memo;

static size_t memo_slot(memo *m, const cp_column *c, size_t row, int *out_hit) {
    uint64_t bits = 0;
    if (c->kind == COPSE_TEXT)
        bits = (uint64_t)c->code[row];
    else
        memcpy(&bits, &c->number[row], sizeof bits);
    size_t at = (size_t)((bits * 0x9e3779b97f4a7c15u) >> 56);
    *out_hit = m->label[at] != UNKNOWN &&
               (c->kind == COPSE_TEXT ? m->code[at] == c->code[row] : m->number[at] == c->number[row]);
    if (c->kind == COPSE_TEXT)
        m->code[at] = c->code[row];
    else
        m->number[at] = c->number[row];
    return at;
}

copse_status cp_schema_find_labels(const cp_schema *s, cp_table_rows rows, int32_t *out, unsigned char *opt_missing,
                                   copse_error *err) {
    const cp_column *c;
    memo m;
    char buf[CP_JSON_NUMBER];
    CP_TRY(find_target(s, rows, &c, err));
    for (size_t i = 0; i < MEMO; i++) m.label[i] = UNKNOWN;
    for (size_t i = 0, row = rows.first; i < rows.n; i++, row++) {
        int missing = cp_column_missing(c, row), hit;
        if (missing && !opt_missing) return missing_target(rows.t, c, row, err);
        if (opt_missing) opt_missing[i] = (unsigned char)missing;
        out[i] = CP_NONE;
        if (missing) continue;
        size_t at = memo_slot(&m, c, row, &hit);
        if (!hit) {
            const char *text = label_text(s, c, row, buf);
            m.label[at] = cp_dict_find(&s->classes, text, strlen(text));
        }
        out[i] = m.label[at];
    }
    return COPSE_OK;
}

copse_status cp_schema_labels(cp_schema *s, cp_table_rows rows, int grow, int32_t *out, unsigned char *opt_missing,
                              copse_error *err) {
    const cp_column *c;
    char buf[CP_JSON_NUMBER];
    size_t before = s->classes.n;
    CP_TRY(cp_schema_find_labels(s, rows, out, opt_missing, err));
    CP_TRY(find_target(s, rows, &c, err));
    for (size_t i = 0; grow && i < rows.n; i++) {
        const char *text = out[i] == CP_NONE ? label_text(s, c, rows.first + i, buf) : NULL;
        if (!text) continue;
        copse_status status = cp_dict_add(&s->classes, text, strlen(text), &out[i], err);
        if (!status) continue;
        cp_schema_forget(s, before);
        return status;
    }
    return COPSE_OK;
}

void cp_schema_forget(cp_schema *s, size_t n) {
    cp_dict_shrink(&s->classes, n);
}
