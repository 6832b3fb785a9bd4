/* recode - raw rows to unit rows, by the code of schema_encode. */
#include "data/recode.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "data/schema_encode.h"
#include "kernel/sort.h"

enum { MIN, MAX, MEDIAN, RANGE };

static double value_of(uint64_t key) {
    return (double)cp_sort_to_float((uint32_t)(key >> 32));
}

/* The least, greatest and middle value of a column of numbers; 0 if all are missing.  `keys` has room for 2 n. */
static void find_range(const cp_recode_rows *rows, size_t d, uint64_t *keys, double out[RANGE]) {
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        float v = rows->x[i * rows->dims + d];
        if (!isnan(v)) keys[n++] = (uint64_t)cp_sort_from_float(v) << 32;
    }
    out[MIN] = out[MAX] = out[MEDIAN] = 0;
    if (!n) return;
    cp_sort_wide(keys, n, keys + rows->n);
    out[MIN] = value_of(keys[0]);
    out[MAX] = value_of(keys[n - 1]);
    out[MEDIAN] = value_of(keys[n / 2]);
}

/* Gives each raw column its encoded ones, from its levels and range. */
static copse_status lay_out(cp_recode *r, const uint32_t *levels, copse_error *err) {
    cp_schema *s = &r->schema;
    for (size_t i = 0; i < s->features; i++) {
        cp_feature *f = &s->feature[i];
        f->kind = levels && levels[i] ? COPSE_TEXT : COPSE_NUMBER;
        f->levels.n = levels ? levels[i] : 0; /* the number alone: nobody asks for texts */
        f->first = s->dims;
        f->width = cp_schema_width(s, f);
        f->fill = f->kind == COPSE_TEXT ? 0 : r->range[i * RANGE + MEDIAN];
        s->dims += f->width;
    }
    CP_TRY(cp_schema_add_scale(s, err));
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        if (f->kind == COPSE_NUMBER)
            cp_schema_set_range(s, f, r->range[i * RANGE + MIN], r->range[i * RANGE + MAX]);
        else if (f->levels.n > CP_SCHEMA_INDICATORS_MAX)
            s->span[f->first] = (double)f->levels.n;
    }
    return COPSE_OK;
}

static copse_status make_room(cp_recode *r, size_t dims, copse_error *err) {
    *r = (cp_recode){.schema.features = dims};
    CP_TRY(CP_NEW(r->schema.feature, dims, err));
    return CP_NEW(r->range, dims * RANGE, err);
}

copse_status cp_recode_init(cp_recode *r, const cp_recode_rows *rows, copse_error *err) {
    uint64_t *keys = NULL;
    copse_status status = make_room(r, rows->dims, err);
    if (!status) status = CP_RAW(keys, rows->n * 2, err);
    for (size_t d = 0; !status && d < rows->dims; d++)
        if (!rows->levels || !rows->levels[d]) find_range(rows, d, keys, r->range + d * RANGE);
    if (!status) status = lay_out(r, rows->levels, err);
    cp_mem_free(keys);
    if (status) cp_recode_clear(r);
    return status;
}

void cp_recode_clear(cp_recode *r) {
    cp_mem_free(r->schema.feature);
    cp_mem_free(r->schema.shift);
    cp_mem_free(r->schema.span);
    cp_mem_free(r->range);
    *r = (cp_recode){0};
}

size_t cp_recode_dims(const cp_recode *r) {
    return r->schema.dims;
}

void cp_recode_rows_to(const cp_recode *r, const float *x, size_t n, float *out) {
    const cp_schema *s = &r->schema;
    for (size_t i = 0; i < n; i++, x += s->features, out += s->dims)
        for (size_t k = 0; k < s->features; k++)
            cp_schema_encode_value(s, &s->feature[k], (double)x[k], out + s->feature[k].first);
}

/* ------------------------------------------------------------------------------------------------------------ files */

copse_status cp_recode_write(const cp_recode *r, cp_writer *w, copse_error *err) {
    return cp_writer_array(w, "range", CP_F64, r->range, r->schema.features * RANGE, err);
}

static const cp_number_rule number_rules[] = {
    {.name = "range", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
};

static copse_status read_range(cp_recode *r, cp_reader *reader, copse_error *err) {
    size_t dims = r->schema.features;
    cp_mem_free(r->range);
    r->range = NULL;
    CP_NUMBER_RULES(reader, number_rules);
    CP_TRY(cp_reader_array(reader, "range", CP_F64, dims * RANGE, &r->range, err));
    for (const double *v = r->range; v < r->range + dims * RANGE; v += RANGE)
        if (!(v[MIN] <= v[MEDIAN] && v[MEDIAN] <= v[MAX]))
            return cp_reader_bad(reader, err, "a median is not between the least and the greatest value");
    return COPSE_OK;
}

copse_status cp_recode_read(cp_recode *r, cp_reader *reader, size_t dims, const uint32_t *levels, copse_error *err) {
    copse_status status = make_room(r, dims, err);
    if (!status) status = read_range(r, reader, err);
    if (!status) status = lay_out(r, levels, err);
    if (status) cp_recode_clear(r);
    return status;
}
