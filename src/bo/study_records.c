#include "bo/study_records.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "base/mem.h"

enum { WORD = 8 }; /* bytes of a u64 or f64 */

static void put_f64(unsigned char *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    cp_layout_put(to, bits, WORD);
}

static double get_f64(const unsigned char *from) {
    uint64_t bits = cp_layout_get(from, WORD);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t point_bytes(const cp_space *s) {
    return s->points ? WORD : WORD * s->dims;
}

copse_status cp_study_records_bad(copse_error *err) {
    return cp_fail(err, COPSE_E_MODEL, "the study holds a record that cannot be");
}

/* --------------------------------------------------------------------------------------------------------- encoding */

static void put_point(const cp_space *s, const cp_study_record *r, unsigned char *to) {
    if (s->points) {
        cp_layout_put(to, (uint64_t)r->point, WORD);
        return;
    }
    for (size_t k = 0; k < s->dims; k++) put_f64(to + WORD * k, r->x[k]);
}

copse_status cp_study_records_append(cp_journal *j, const cp_space *s, const cp_study_record *r, copse_error *err) {
    unsigned char *bytes;
    size_t n = r->kind == CP_STUDY_TOLD ? WORD : point_bytes(s);
    CP_TRY(CP_RAW(bytes, n + WORD, err));
    if (r->kind == CP_STUDY_TOLD)
        cp_layout_put(bytes, r->trial, WORD);
    else
        put_point(s, r, bytes);
    if (r->kind != CP_STUDY_ASKED) {
        put_f64(bytes + n, r->value);
        n += WORD;
    }
    copse_status status = cp_journal_append(j, (uint32_t)r->kind, bytes, n, err);
    cp_mem_free(bytes);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- decoding */

static copse_status get_point(const cp_space *s, const unsigned char *from, double *x, cp_study_record *out,
                              copse_error *err) {
    if (s->points) {
        uint64_t point = cp_layout_get(from, WORD);
        if (point >= s->points) return cp_study_records_bad(err);
        out->point = (int32_t)point;
        out->x = s->point + point * s->dims;
        return COPSE_OK;
    }
    for (size_t k = 0; k < s->dims; k++) x[k] = get_f64(from + WORD * k);
    out->x = x;
    return cp_space_outside(s, x) ? cp_study_records_bad(err) : COPSE_OK;
}

copse_status cp_study_records_decode(const cp_space *s, const cp_journal_record *r, double *x, cp_study_record *out,
                                     copse_error *err) {
    size_t n = r->kind == CP_STUDY_TOLD ? WORD : point_bytes(s), value = r->kind == CP_STUDY_ASKED ? 0 : WORD;
    if (r->kind < CP_STUDY_ASKED || r->kind > CP_STUDY_ADDED || r->n != n + value) return cp_study_records_bad(err);
    *out = (cp_study_record){.kind = (cp_study_record_kind)r->kind, .point = CP_NONE, .value = NAN};
    if (value) out->value = get_f64(r->bytes + n);
    if (r->kind != CP_STUDY_TOLD) return get_point(s, r->bytes, x, out, err);
    out->trial = cp_layout_get(r->bytes, WORD);
    return COPSE_OK;
}
