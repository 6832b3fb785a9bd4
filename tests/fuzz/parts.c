#include "parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "base/mem.h"
#include "hostile.h"

image parts_finish(cp_writer *w) {
    copse_error err;
    image out;
    const unsigned char *bytes;
    hostile_demand(!cp_writer_finish(w, &bytes, &out.n, &err), "writing", err.msg);
    out.bytes = malloc(out.n);
    hostile_demand(out.bytes != NULL, "writing", "out of memory");
    memcpy(out.bytes, bytes, out.n);
    return out;
}

size_t parts_take(const unsigned char *bytes, size_t n, part *out) {
    cp_reader *r;
    copse_error err;
    size_t parts = 0;
    hostile_demand(!cp_reader_new(bytes, n, &r, &err), "taking apart", err.msg);
    hostile_demand(hostile_get(bytes + 12, 4) <= MAX_PARTS, "taking apart", "too many sections");
    for (const unsigned char *p = bytes + hostile_get(bytes + 24, 8); p < bytes + n; parts++) {
        part *s = &out[parts];
        s->type = (cp_codec_type)p[0];
        memcpy(s->name, p + 2, p[1]);
        s->name[p[1]] = '\0';
        s->count = (size_t)hostile_get(p + 2 + p[1], 8);
        p += 26 + p[1];
        hostile_demand(!cp_reader_array(r, s->name, s->type, s->count, &s->data, &err), "taking apart", err.msg);
    }
    cp_reader_free(r);
    return parts;
}

image parts_join(const part *p, size_t n) {
    cp_writer *w;
    copse_error err;
    hostile_demand(!cp_writer_new(&w, &err), "joining", err.msg);
    for (size_t i = 0; i < n; i++)
        hostile_demand(!cp_writer_array(w, p[i].name, p[i].type, p[i].data, p[i].count, &err), "joining", err.msg);
    image out = parts_finish(w);
    cp_writer_free(w);
    return out;
}

void parts_free(part *p, size_t n) {
    for (size_t i = 0; i < n; i++) cp_mem_free(p[i].data);
}

/* ----------------------------------------------------------------------------------------------------------- values */

static double saturated(double value, double least, double most) {
    return isnan(value) ? 0 : value < least ? least : value > most ? most : value;
}

void parts_set(part *s, size_t at, double value) {
    unsigned char *to = s->data + at * cp_layout_size(s->type);
    double real = value;
    float single = (float)saturated(value, -INFINITY, INFINITY);
    int64_t whole = value >= 0x1p63 ? INT64_MAX : (int64_t)saturated(value, -0x1p63, 0x1p62);
    int32_t narrow = (int32_t)saturated(value, INT32_MIN, INT32_MAX);
    uint32_t positive = (uint32_t)saturated(value, 0, UINT32_MAX);
    uint8_t byte = (uint8_t)saturated(value, 0, UINT8_MAX);
    if (isnan(value)) single = NAN;
    switch (s->type) {
        case CP_U8: memcpy(to, &byte, sizeof byte); break;
        case CP_I32: memcpy(to, &narrow, sizeof narrow); break;
        case CP_U32: memcpy(to, &positive, sizeof positive); break;
        case CP_I64: memcpy(to, &whole, sizeof whole); break;
        case CP_F32: memcpy(to, &single, sizeof single); break;
        case CP_F64: memcpy(to, &real, sizeof real); break;
    }
}

static double get(const part *s, size_t at) {
    const unsigned char *from = s->data + at * cp_layout_size(s->type);
    double real;
    float single;
    int64_t whole;
    int32_t narrow;
    uint32_t positive;
    switch (s->type) {
        case CP_I32: memcpy(&narrow, from, sizeof narrow); return narrow;
        case CP_U32: memcpy(&positive, from, sizeof positive); return positive;
        case CP_I64: memcpy(&whole, from, sizeof whole); return (double)whole;
        case CP_F32: memcpy(&single, from, sizeof single); return (double)single;
        case CP_F64: memcpy(&real, from, sizeof real); return real;
        default: return *from;
    }
}

/* Magnitudes at which something overflows, vanishes, or stops being an index. */
static double extreme(cp_rng *rng, cp_codec_type type) {
    static const double whole[] = {0, 1, 2, 3, 7, 8, 255, 256, 1e6, 0x1p30, 0x1p31, 0x1p32, 0x1p52, 0x1p63};
    static const double real[] = {0,      .5,     1,      2,       1e3,     1e6,    1e9,      1e15,  1e30,   1e37,
                                  1e38,   1e50,   1e60,   1e75,    1e100,   1e130,  1e150,    1e200, 1e300,  1e-3,
                                  1e-6,   1e-9,   1e-15,  1e-30,   1e-38,   1e-45,  1e-60,    1e-80, 1e-100, 1e-130,
                                  1e-150, 1e-200, 1e-300, DBL_MAX, DBL_MIN, 5e-324, INFINITY, NAN};
    int is_real = type == CP_F32 || type == CP_F64;
    double v = is_real ? real[cp_rng_below(rng, sizeof real / sizeof *real)]
                       : whole[cp_rng_below(rng, sizeof whole / sizeof *whole)];
    return cp_rng_below(rng, 3) ? v : -v;
}

static double another(cp_rng *rng, const part *s, double was) {
    switch (cp_rng_below(rng, 5)) {
        case 0: return get(s, (size_t)cp_rng_below(rng, s->count));
        case 1: return was + (cp_rng_below(rng, 2) ? 1 : -1);
        case 2: return was * pow(10, (double)cp_rng_below(rng, 300) - 150);
        default: return extreme(rng, s->type);
    }
}

/* One element, or every k-th from it on, or all. */
static void change_value(cp_rng *rng, part *s) {
    if (!s->count) return;
    size_t size = cp_layout_size(s->type), at = (size_t)cp_rng_below(rng, s->count), step = s->count;
    if (cp_rng_below(rng, 8) == 0) {
        s->data[at * size + cp_rng_below(rng, size)] ^= (unsigned char)(1u << cp_rng_below(rng, 8));
        return;
    }
    if (cp_rng_below(rng, 4) == 0) {
        step = 1 + (size_t)cp_rng_below(rng, 6);
        at %= step;
    }
    double value = another(rng, s, get(s, at < s->count ? at : 0));
    for (size_t i = at; i < s->count; i += step) parts_set(s, i, value);
}

/* ------------------------------------------------------------------------------------------------------------ shape */

/* Another type, as many elements as there are bytes for. */
static void change_type(cp_rng *rng, part *s) {
    size_t bytes = s->count * cp_layout_size(s->type);
    s->type = (cp_codec_type)cp_rng_below(rng, 6);
    s->count = bytes / cp_layout_size(s->type);
}

/* Longer, with values of its own and zeros. */
static void lengthen(cp_rng *rng, part *s) {
    size_t size = cp_layout_size(s->type), more = (size_t)cp_rng_below(rng, 3 * s->count + 2);
    unsigned char *grown = cp_mem_new(s->count + more + 1, size);
    hostile_demand(grown != NULL, "lengthening", "out of memory");
    memcpy(grown, s->data, s->count * size);
    memcpy(grown + s->count * size, s->data, (more < s->count ? more : s->count) * size);
    cp_mem_free(s->data);
    s->data = grown;
    s->count += more;
}

/* The contents of another part under its own name. */
static void change_places(part *s, part *other) {
    char name[sizeof s->name];
    part was = *s;
    memcpy(name, s->name, sizeof name);
    *s = *other;
    memcpy(s->name, name, sizeof name);
    memcpy(name, other->name, sizeof name);
    *other = was;
    memcpy(other->name, name, sizeof name);
}

size_t parts_change(cp_rng *rng, part *p, size_t n) {
    for (uint64_t changes = 1 + cp_rng_below(rng, 3); changes && n; changes--) {
        part *s = &p[cp_rng_below(rng, n)], *other = &p[cp_rng_below(rng, n)];
        switch (cp_rng_below(rng, 20)) {
            case 0: s->count = (size_t)cp_rng_below(rng, s->count + 1); break;
            case 1: change_type(rng, s); break;
            case 2: memmove(s->name, other->name, sizeof s->name); break;
            case 3:
                cp_mem_free(s->data);
                *s = p[--n];
                break;
            case 4: lengthen(rng, s); break;
            case 5: change_places(s, other); break;
            default: change_value(rng, s);
        }
    }
    return n;
}

void parts_change_bytes(cp_rng *rng, unsigned char *bytes, size_t *n) {
    static const unsigned char edge[] = {0, 1, 0x7f, 0x80, 0xff};
    for (uint64_t changes = 1 + cp_rng_below(rng, 4); changes && *n; changes--) {
        size_t at = (size_t)cp_rng_below(rng, *n);
        switch (cp_rng_below(rng, 8)) {
            case 0: *n = at; break;
            case 1: bytes[at] = edge[cp_rng_below(rng, sizeof edge)]; break;
            case 2: bytes[at] = (unsigned char)cp_rng_u32(rng); break;
            case 3:
                memmove(bytes + at, bytes + at + 1, *n - at - 1);
                --*n;
                break;
            default: bytes[at] ^= (unsigned char)(1u << cp_rng_below(rng, 8));
        }
    }
}
