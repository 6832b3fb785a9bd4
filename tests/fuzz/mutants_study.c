/* Studies as an enemy would write them: mutants of small studies, the same in every run.
 *
 *     mutants_study [MUTANTS [FIRST [survey]]]
 *
 * A mutant has changed sections in its head, or changed, moved, repeated and lost records; all checksums are right.  It
 * must be refused with COPSE_E_MODEL, or be a study that goes on. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copse.h"
#include "hostile.h"
#include "hostile_models.h"
#include "hostile_study.h"

enum { MUTANTS = 600, LARGEST = 1 << 16, FRONT = 24, AROUND = 16, MOST_RECORDS = 200, LONGEST = 1024, STUDIES = 6 };

/* --------------------------------------------------------------------------------------------------- honest studies */

static const char *const levels[] = {"red", "green", "blue"};
static const copse_dim dims[] = {{.name = "x", .low = -1, .high = 2},
                                 {.name = "rate", .low = 1e-6, .high = 1, .log = 1},
                                 {.name = "n", .kind = COPSE_DIM_INTEGER, .low = 1, .high = 9},
                                 {.name = "colour", .kind = COPSE_DIM_CATEGORY, .levels = levels, .n_levels = 3}};

static void evaluate(copse_study *s, size_t trials) {
    copse_error err;
    copse_trial t;
    for (size_t i = 0; i < trials; i++) {
        hostile_demand(!copse_study_ask(s, NULL, &t, &err), "asking", err.msg);
        double value = i % 5 == 4 ? NAN : t.x[0] * t.x[0] + (double)i / 7;
        if (i % 4 != 3) hostile_demand(!copse_study_tell(s, t.id, value, NULL, &err), "telling", err.msg);
    }
}

static image study(const char *path, const copse_study_options *opt, size_t trials) {
    static const double at[] = {.5, .01, 3, 1};
    copse_error err;
    copse_study *s;
    image out = {.bytes = malloc(LARGEST)};
    hostile_demand(!copse_study_new(path, opt, NULL, &s, &err), "a new study", err.msg);
    evaluate(s, trials);
    if (opt->n_dims) hostile_demand(!copse_study_add(s, at, 3, NULL, NULL, &err), "adding", err.msg);
    copse_study_free(s);
    FILE *f = fopen(path, "rb");
    hostile_demand(f && out.bytes, "reading", path);
    out.n = fread(out.bytes, 1, LARGEST, f);
    hostile_demand(out.n < LARGEST, "reading", "too large");
    fclose(f);
    unlink(path);
    return out;
}

static void make_studies(image out[STUDIES]) {
    static const char *const acquisition[] = {"ucb", "ei", "thompson", "random"};
    char path[64];
    snprintf(path, sizeof path, "/tmp/copse-mutants-%ld.study", (long)getpid());
    copse_study_options opt = {.dims = dims, .n_dims = 4, .trees = 3, .initial = 4, .seed = 1};
    for (size_t i = 0; i < 4; i++) {
        opt.acquisition = acquisition[i];
        out[i] = study(path, &opt, 8 + i);
    }
    copse_table *grid = hostile_models_table("branin", 12, 1);
    hostile_models_add_text(grid, "kind", 3);
    opt = (copse_study_options){.grid = grid, .trees = 3, .initial = 3, .minimise = 1, .seed = 2};
    out[4] = study(path, &opt, 7);
    out[5] = study(path, &(copse_study_options){.dims = dims, .n_dims = 1, .trees = 2, .kappa = 3}, 0);
    copse_table_free(grid);
}

/* ---------------------------------------------------------------------------------------------------------- mutants */

typedef struct record {
    uint32_t kind;
    size_t n;
    unsigned char bytes[LONGEST];
} record;

typedef struct anatomy {
    part head[MAX_PARTS];
    size_t parts, records;
    record record[MOST_RECORDS + 8];
} anatomy;

static void take_apart(const image *in, anatomy *a) {
    size_t head = (size_t)hostile_get(in->bytes + 16, 8);
    a->parts = parts_take(in->bytes + FRONT, head, a->head);
    a->records = 0;
    for (size_t at = FRONT + head + 8; at + AROUND <= in->n; a->records++) {
        record *r = &a->record[a->records];
        r->n = (size_t)hostile_get(in->bytes + at, 4);
        r->kind = (uint32_t)hostile_get(in->bytes + at + 4, 4);
        hostile_demand(r->n <= LONGEST && a->records < MOST_RECORDS, "taking apart", "too large");
        memcpy(r->bytes, in->bytes + at + 8, r->n);
        at += AROUND + r->n;
    }
}

static void put(unsigned char *p, uint64_t v, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(v >> 8 * i);
}

static image put_together(const image *like, const anatomy *a) {
    image head = parts_join(a->head, a->parts), out;
    size_t at = FRONT + head.n + 8;
    out.n = at;
    for (size_t i = 0; i < a->records; i++) out.n += AROUND + a->record[i].n;
    out.bytes = calloc(out.n, 1);
    memcpy(out.bytes, like->bytes, FRONT);
    put(out.bytes + 16, head.n, 8);
    memcpy(out.bytes + FRONT, head.bytes, head.n);
    for (size_t i = 0; i < a->records; i++) {
        const record *r = &a->record[i];
        put(out.bytes + at, r->n, 4);
        put(out.bytes + at + 4, r->kind, 4);
        memcpy(out.bytes + at + 8, r->bytes, r->n);
        at += AROUND + r->n;
    }
    hostile_study_sign(out.bytes, out.n);
    free(head.bytes);
    return out;
}

/* A number of a point, a value, or the index of a trial or a row. */
static void change_number(cp_rng *rng, record *r) {
    static const double real[] = {0,      1,      -1,      .5,     1e-6, 1e60,     -1e60,     1e61, 1e300,
                                  -1e300, 1e-300, DBL_MAX, 5e-324, NAN,  INFINITY, -INFINITY, 1e9,  0x1p40};
    static const uint64_t whole[] = {0, 1, 2, 7, 100, UINT32_MAX, UINT64_MAX, (uint64_t)1 << 63};
    if (r->n < 8) return;
    size_t at = 8 * (size_t)cp_rng_below(rng, r->n / 8);
    double v = real[cp_rng_below(rng, sizeof real / sizeof *real)];
    uint64_t w = whole[cp_rng_below(rng, sizeof whole / sizeof *whole)];
    if (cp_rng_below(rng, 2))
        memcpy(r->bytes + at, &v, 8);
    else
        put(r->bytes + at, w, 8);
}

static void change_record(cp_rng *rng, anatomy *a) {
    if (!a->records) return;
    record *r = &a->record[cp_rng_below(rng, a->records)], *other = &a->record[cp_rng_below(rng, a->records)], was = *r;
    switch (cp_rng_below(rng, 9)) {
        case 0: r->kind = (uint32_t)cp_rng_below(rng, 5); break;
        case 1: r->n = (size_t)cp_rng_below(rng, r->n + 9); break;
        case 2: *r = a->record[--a->records]; break;
        case 3: a->record[a->records++] = *r; break;
        case 4:
            *r = *other;
            *other = was;
            break;
        default: change_number(rng, r);
    }
}

static int try_mutant(void *arg, long mutant) {
    static anatomy a;
    const image *from = arg;
    cp_rng rng;
    cp_rng_init(&rng, 20161119, CP_FOR_TEST, 0, (uint64_t)mutant);
    from += cp_rng_below(&rng, STUDIES);
    take_apart(from, &a);
    if (cp_rng_below(&rng, 2)) a.parts = parts_change(&rng, a.head, a.parts);
    for (uint64_t n = cp_rng_below(&rng, 4); n; n--) change_record(&rng, &a);
    image in = put_together(from, &a);
    int taken = hostile_study_try(in.bytes, in.n);
    parts_free(a.head, a.parts);
    free(in.bytes);
    return taken;
}

int main(int argc, char **argv) {
    static image from[STUDIES];
    long mutants = argc > 1 ? strtol(argv[1], NULL, 10) : MUTANTS, first = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    make_studies(from);
    for (size_t i = 0; i < STUDIES; i++)
        hostile_demand(hostile_study_try(from[i].bytes, from[i].n), "opening", "an honest study was refused");
    long taken = hostile_run(try_mutant, from, first, mutants, argc > 3);
    printf("%ld mutants of %d studies, %ld of them %s\n", mutants, STUDIES, labs(taken),
           taken < 0 ? "broke the program" : "still studies");
    for (size_t i = 0; i < STUDIES; i++) free(from[i].bytes);
    return taken < 0;
}
