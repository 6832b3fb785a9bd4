/* The rule of docs/format.md for numbers, applied to every section of every method: each number is set to magnitudes
 * at which something overflows or vanishes, with right checksums.  The file must be refused, or be a model whose
 * answers are finite (hostile_use.h).
 *
 *     every_number [ELEMENTS [survey]]     ELEMENTS of each section, spread evenly: 1 unless given; 0: all
 *
 * Of sections that occur once per tree, sum or chain, the first is taken. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "hostile_models.h"
#include "sanitized.h"

static const double extreme[] = {0,        1,       -1,      2,        INT32_MAX, INT32_MIN, 0x1p32,    0x1p53,
                                 0x1p63,   -0x1p63, 1e-3,    1e30,     -1e30,     1e38,      1e60,      -1e60,
                                 1e61,     -1e75,   1e100,   1e130,    -1e150,    1e200,     1e300,     DBL_MAX,
                                 -DBL_MAX, 1e-30,   1e-38,   1e-45,    1e-60,     1e-100,    1e-130,    1e-150,
                                 1e-200,   1e-300,  DBL_MIN, -DBL_MIN, 5e-324,    INFINITY,  -INFINITY, NAN};
enum { EXTREMES = sizeof extreme / sizeof *extreme };

/* Unless all elements are asked for, a section gets a part of the extremes, and the next section another part. */
#ifdef SANITIZED
enum { APART = 16 };
#else
enum { APART = 4 };
#endif

/* Whole numbers fit in their type: a saturated one would be tried twice. */
static int fits(cp_codec_type type, double value) {
    if (type == CP_F32 || type == CP_F64) return 1;
    if (value != floor(value) || isinf(value)) return 0;
    double most = type == CP_U8 ? 255 : type == CP_I32 ? INT32_MAX : type == CP_U32 ? UINT32_MAX : 0x1p63;
    return value >= (type == CP_U8 || type == CP_U32 ? 0 : -most - 1) && value <= most;
}

/* Whether the name has a number in it that is not 0: another tree's. */
static int is_repeated(const char *name) {
    for (const char *p = name; *p; p++)
        if (p > name && p[-1] == '.' && isdigit((unsigned char)*p) && strtol(p, NULL, 10) > 0) return 1;
    return 0;
}

typedef struct job {
    part part[MAX_PARTS];
    size_t parts, at, element;
    long tried;
} job;

static int try_value(void *arg, long number) {
    job *j = arg;
    part *s = &j->part[j->at];
    unsigned char was[8];
    double value = extreme[number % EXTREMES];
    size_t size = s->type == CP_U8 ? 1 : s->type == CP_I64 || s->type == CP_F64 ? 8 : 4;
    memcpy(was, s->data + j->element * size, size);
    parts_set(s, j->element, value);
    image in = parts_join(j->part, j->parts);
    hostile_about("%s[%zu] = %g", s->name, j->element, value);
    int taken = hostile_try(in.bytes, in.n);
    memcpy(s->data + j->element * size, was, size);
    free(in.bytes);
    return taken;
}

static long try_section(job *j, size_t elements, int survey) {
    const part *s = &j->part[j->at];
    size_t n = elements && elements < s->count ? elements : s->count;
    long broken = 0;
    for (size_t i = 0; i < n; i++) {
        j->element = n == s->count ? i : (2 * i + 1) * s->count / (2 * n);
        for (size_t k = elements ? j->at % APART : 0; k < EXTREMES; k += elements ? APART : 1) {
            if (!fits(s->type, extreme[k])) continue;
            broken += hostile_run(try_value, j, (long)k, 1, survey) < 0;
            j->tried++;
        }
    }
    return broken;
}

int main(int argc, char **argv) {
    static image model[MAX_MODELS];
    static job j;
    size_t elements = argc > 1 ? (size_t)strtol(argv[1], NULL, 10) : 1, models = hostile_models_make(model);
    long broken = 0;
    for (size_t i = 0; i < models; i++) {
        j.parts = parts_take(model[i].bytes, model[i].n, j.part);
        for (j.at = 0; j.at < j.parts; j.at++)
            if (!is_repeated(j.part[j.at].name)) broken += try_section(&j, elements, argc > 2);
        parts_free(j.part, j.parts);
        free(model[i].bytes);
    }
    printf("%ld passed, %ld failed\n", j.tried - broken, broken);
    return broken != 0;
}
