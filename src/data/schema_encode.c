#include "data/schema_encode.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/table_match.h"
#include "kernel/interleave.h"
#include "kernel/key_block.h"
#include "kernel/sort.h"

/* The column of a table that a feature's values come from. */
typedef struct source {
    const cp_column *col; /* NULL: all are missing */
    int32_t *rank;        /* text: per level of the column, its rank in the feature; NULL: look up each row's */
    const double *number; /* numbers: the values from row `origin` of the table on */
    size_t origin;
    double *derived; /* owned: `number` of a derived feature */
} source;

static const double *number_at(const source *from, size_t row) {
    return from->number + (row - from->origin);
}

/* The rank of a level: its index in the feature's levels, or their number if it is not among them. */
static int32_t find_rank(const cp_feature *f, const cp_dict *levels, int32_t code) {
    const char *text = cp_dict_text(levels, (size_t)code);
    int32_t rank = cp_dict_find(&f->levels, text, strlen(text));
    return rank == CP_NONE ? (int32_t)f->levels.n : rank;
}

/* Is it the name of a feature or of the target? */
static int is_in_schema(const void *schema, const char *name) {
    const cp_schema *s = schema;
    for (size_t i = 0; i < s->features; i++)
        if (strcmp(cp_schema_column(&s->feature[i]), name) == 0) return 1;
    return strcmp(s->target, name) == 0;
}

/* The message suggests a similar name.  Columns that the schema knows are not suggested: they cannot be the missing one
 * under a wrong name. */
static copse_status lacks_feature(const cp_schema *s, const copse_table *t, const char *name, copse_error *err) {
    return cp_table_match_fail(t, name, &(cp_table_match_known){is_in_schema, s}, COPSE_E_DATA, err);
}

static copse_status not_derived(const cp_feature *f, cp_table_rows rows, const cp_column *c, size_t row,
                                copse_error *err) {
    char place[300];
    const char *text = cp_dict_text(&c->levels, (size_t)c->code[row]);
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - rows.t->col) + 1,
                      "%s: column '%s' had %s in training, and '%.60s' is not one of them: correct it, or mark it as "
                      "missing (`na='%.60s'`)",
                      cp_table_where(rows.t, row, place, sizeof place), c->name, cp_derive_words(f->form), text, text);
}

/* Reads the rows of a derived feature from the text of its column. */
static copse_status derive(const cp_feature *f, cp_table_rows rows, const cp_column *c, source *out, copse_error *err) {
    out->origin = rows.first;
    CP_TRY(CP_RAW(out->derived, rows.n, err));
    for (size_t i = 0; i < rows.n; i++) {
        int32_t code = c->code[rows.first + i];
        out->derived[i] = NAN;
        if (code != CP_NONE &&
            !cp_derive_value(f->form, f->part, cp_dict_text(&c->levels, (size_t)code), &out->derived[i]))
            return not_derived(f, rows, c, rows.first + i, err);
    }
    out->number = out->derived;
    out->col = c;
    return COPSE_OK;
}

static copse_status find_source(const cp_feature *f, cp_table_rows rows, source *out, copse_error *err) {
    size_t j = cp_table_find(rows.t, cp_schema_column(f));
    const cp_column *c = &rows.t->col[j];
    *out = (source){0};
    if (f->column && c->kind == COPSE_TEXT) return derive(f, rows, c, out, err);
    copse_kind kind = cp_derive_is_time(f->form) ? COPSE_TEXT : f->kind;
    if (c->kind != kind) return cp_schema_check_kind(rows, c, kind, err);
    out->col = c;
    out->number = c->number;
    /* If there are fewer rows than levels, looking up each row is cheaper than a table of all ranks. */
    if (c->kind == COPSE_NUMBER || c->levels.n > rows.n) return COPSE_OK;
    CP_TRY(CP_RAW(out->rank, c->levels.n, err));
    for (size_t k = 0; k < c->levels.n; k++) out->rank[k] = find_rank(f, &c->levels, (int32_t)k);
    return COPSE_OK;
}

/* This function and encode_filled return 0 if a number is infinite. */
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
    if (!cp_schema_has_indicators(s, f)) {
        out[0] = (float)((rank - s->shift[f->first]) / s->span[f->first]);
        return;
    }
    for (size_t k = 0; k < f->width; k++) out[k] = (int32_t)k == rank;
}

static int encode_numbers(const cp_schema *s, const cp_feature *f, const double *x, size_t n, float *out) {
    return s->raw ? encode_raw(s, f, x, n, out) : encode_filled(s, f, x, n, out);
}

/* Encodes the four features from i on at once if they are raw numbers.  Returns 0 if they are not, or if one of them is
 * infinite: then they must be encoded one by one. */
static int encode_four(const cp_schema *s, const source *from, size_t i, cp_table_rows rows, float *out) {
    const double *col[4];
    double shift[4];
    if (!s->raw || i + 4 > s->features) return 0;
    for (size_t k = 0; k < 4; k++) {
        const cp_feature *f = &s->feature[i + k];
        if (f->kind == COPSE_TEXT || !from[i + k].col) return 0;
        col[k] = number_at(&from[i + k], rows.first);
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
        } else if (!encode_numbers(s, f, number_at(&from[i], first), n, to)) {
            while (!isinf(*number_at(&from[i], first))) first++;
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

static copse_status find_sources(const cp_schema *s, cp_table_rows rows, source *out, copse_error *err) {
    CP_BUG(!cp_table_has_rows(rows));
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        const char *name = cp_schema_column(f);
        if (cp_table_find(rows.t, name) == (size_t)-1) return lacks_feature(s, rows.t, name, err);
        CP_TRY(find_source(f, rows, &out[i], err));
    }
    return COPSE_OK;
}

copse_status cp_schema_encode_numbers(const cp_schema *s, const cp_feature *f, cp_table_rows rows, double *out,
                                      copse_error *err) {
    source from;
    const char *name = cp_schema_column(f);
    if (cp_table_find(rows.t, name) == (size_t)-1) return lacks_feature(s, rows.t, name, err);
    copse_status status = find_source(f, rows, &from, err);
    for (size_t i = 0; i < rows.n && !status; i++) out[i] = from.col ? *number_at(&from, rows.first + i) : NAN;
    cp_mem_free(from.derived);
    return status;
}

static void free_sources(const cp_schema *s, source *from) {
    for (size_t i = 0; i < s->features; i++) {
        cp_mem_free(from[i].rank);
        cp_mem_free(from[i].derived);
    }
    cp_mem_free(from);
}

/* At most `most` of the rows, after the first `done`. */
static cp_table_rows part_of(cp_table_rows rows, size_t done, size_t most) {
    return (cp_table_rows){rows.t, rows.first + done, rows.n - done < most ? rows.n - done : most};
}

copse_status cp_schema_encode(const cp_schema *s, cp_table_rows rows, float *out, copse_error *err) {
    source *from;
    copse_status status = COPSE_OK;
    CP_TRY(CP_NEW(from, s->features, err));
    CP_TRY_OUT(find_sources(s, rows, from, err));
    /* Columns are read and rows are written: in blocks, so that the output stays in the cache. */
    size_t step = 32768 / s->dims < 16 ? 16 : 32768 / s->dims;
    for (size_t done = 0; done < rows.n; done += step)
        CP_TRY_OUT(encode_block(s, from, part_of(rows, done, step), out + done * s->dims, err));
out:
    free_sources(s, from);
    return status;
}

/* Writes one column of the key blocks; returns 0 if a value is missing or infinite. */
static int encode_key_column(const cp_schema *s, const cp_feature *f, const source *from, cp_table_rows rows,
                             uint32_t *out) {
    size_t stride = s->dims * CP_KEY_BLOCK_ROWS;
    if (!from->col) return 0;
    if (f->kind == COPSE_NUMBER)
        return cp_key_block_best()->from_column(number_at(from, rows.first), s->shift[f->first], CP_SCHEMA_LIMIT,
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
    enum { STEP = 1024 }; /* rows whose keys stay in the cache until all columns are written */
    source *from;
    copse_status status = COPSE_OK;
    CP_BUG(!s->raw || s->dims > CP_KEY_BLOCK_DIMS);
    *out_whole = 1;
    CP_TRY(CP_NEW(from, s->features, err));
    CP_TRY_OUT(find_sources(s, rows, from, err));
    for (size_t done = 0; done < rows.n && *out_whole; done += STEP)
        for (size_t i = 0; i < s->features && *out_whole; i++)
            *out_whole = encode_key_column(s, &s->feature[i], &from[i], part_of(rows, done, STEP),
                                           out + done * s->dims + s->feature[i].first * CP_KEY_BLOCK_ROWS);
out:
    free_sources(s, from);
    return status;
}
