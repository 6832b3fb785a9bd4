/* Model files as an enemy would write them: mutants of small models, the same in every run.
 *
 *     mutants_model [MUTANTS]
 *     mutants_model --write FOLDER       the models themselves: the corpus of fuzz_model
 *
 * A third of them are changed bytes, a third changed bytes with all checksums made right again, a third changed
 * numbers: a section's values, length, type or name, packed and signed as the library itself does.  Each must be
 * refused with COPSE_E_MODEL, or be a model that predicts, learns and is sound; within the memory that docs/format.md
 * promises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/synth.h"
#include "hostile.h"
#include "model/model_file.h"
#include "num/rng.h"
#include "sanitized.h"

enum { MUTANTS = 500, MAX_IMAGE = 1 << 20, MAX_SECTIONS = 4000, MAX_MODELS = 32 };

/* ------------------------------------------------------------------------------------------------- honest models */

typedef struct image {
    unsigned char *bytes;
    size_t n;
} image;

static copse_table *made(const char *set, size_t rows, uint64_t seed) {
    copse_table *t;
    copse_error err;
    hostile_demand(!cp_synth_new(set, &(cp_synth_options){.rows = rows, .noise = -1, .seed = seed}, &t, &err), set,
                   err.msg);
    return t;
}

/* Adds a text column, so that levels and indicators are there to be attacked. */
static void add_text(copse_table *t, const char *name, size_t levels) {
    cp_column *c;
    copse_error err;
    char level[16];
    hostile_demand(!cp_table_add(t, name, COPSE_TEXT, &c, &err), name, err.msg);
    for (size_t i = 0; i < t->rows; i++) {
        int n = snprintf(level, sizeof level, "L%d", (int)(i * i % levels));
        hostile_demand(!cp_dict_add(&c->levels, level, (size_t)n, &c->code[i], &err), name, err.msg);
    }
}

static image image_of(const copse_model *m, unsigned flags) {
    cp_writer *w;
    copse_error err;
    image out;
    const unsigned char *bytes;
    hostile_demand(!cp_writer_new(&w, &err) && !cp_model_file_write(m, flags, w, &err) &&
                       !cp_writer_finish(w, &bytes, &out.n, &err),
                   "writing", err.msg);
    hostile_demand(out.n < MAX_IMAGE, "writing", "too large");
    out.bytes = malloc(out.n);
    memcpy(out.bytes, bytes, out.n);
    cp_writer_free(w);
    return out;
}

/* options: "method name value name value". */
static image fitted(copse_table *t, const char *target, const char *options, unsigned flags) {
    copse_params *p;
    copse_model *m;
    copse_error err;
    copse_run run = {.threads = 1};
    char words[200], *next = words;
    snprintf(words, sizeof words, "%s", options);
    hostile_demand(!copse_params_new(strtok_r(next, " ", &next), &p, &err), "options", err.msg);
    for (char *name; (name = strtok_r(next, " ", &next));)
        hostile_demand(!copse_params_set(p, name, strtok_r(next, " ", &next), &err), "options", err.msg);
    hostile_demand(!copse_fit(t, &(copse_roles){.target = target}, p, &run, &m, &err), "fitting", err.msg);
    if (copse_model_can_learn(m)) hostile_demand(!copse_update(m, t, &run, &err), "updating", err.msg);
    image out = image_of(m, flags);
    copse_model_free(m);
    copse_params_free(p);
    copse_table_free(t);
    return out;
}

static size_t make_models(image *out) {
    size_t n = 0;
    copse_table *mixed = made("friedman1", 40, 2), *classes = made("moons", 50, 3), *more = made("moons", 50, 3);
    add_text(mixed, "few", 4);
    add_text(mixed, "many", 37);
    add_text(classes, "label", 40);
    add_text(more, "label", 40);
    out[n++] = fitted(made("moons", 40, 1), "target", "mondrian trees 3", 0);
    out[n++] = fitted(classes, "label", "mondrian trees 2 min-samples-split 8", 0);
    out[n++] = fitted(made("branin", 40, 1), "target", "mondrian trees 3 posterior exact", 0);
    out[n++] = fitted(made("branin", 40, 1), "target", "mondrian trees 3 posterior fast", 0);
    out[n++] =
        fitted(made("branin", 20, 1), "target", "mondrian trees 2 posterior exact hyper marginal", COPSE_SAVE_FROZEN);
    out[n++] = fitted(made("moons", 20, 1), "target", "mondrian trees 2 lifetime 3", COPSE_SAVE_FROZEN);
    out[n++] = fitted(mixed, "target", "mondrian trees 2", 0);
    out[n++] = fitted(made("branin", 20, 1), "target", "mondrian trees 2 posterior fast", COPSE_SAVE_FROZEN);
    out[n++] = fitted(more, "label", "mondrian trees 2 min-samples-split 8", COPSE_SAVE_FROZEN);
    copse_table *raw = made("friedman1", 60, 2), *kinds = made("moons", 50, 3), *trunk = made("friedman1", 80, 4);
    add_text(raw, "few", 4);
    add_text(raw, "many", 37);
    for (size_t i = 0; i < raw->rows; i += 3) raw->col[1].number[i] = NAN;
    add_text(kinds, "label", 40);
    out[n++] = fitted(raw, "target", "bf trees 3 splits exact", 0);
    out[n++] = fitted(made("moons", 50, 1), "target", "rf trees 3", 0);
    out[n++] = fitted(kinds, "label", "cart min-leaf 2", 0);
    out[n++] = fitted(trunk, "target", "ebf trees 3 trunk-leaves 4", COPSE_SAVE_FROZEN);
    out[n++] = fitted(made("moons", 40, 1), "target", "smc particles 20 islands 2", 0);
    out[n++] = fitted(made("branin", 40, 1), "target", "smc particles 20 islands 2", 0);
    out[n++] = fitted(made("moons", 40, 1), "target", "bcart samples 20 burn-in 50 chains 2", 0);
    out[n++] = fitted(made("branin", 40, 1), "target", "bcart samples 20 burn-in 50 chains 2", 0);
    out[n++] = fitted(made("moons", 40, 1), "target", "dyntree particles 8", 0);
    out[n++] = fitted(made("branin", 40, 1), "target", "dyntree particles 8", 0);
    out[n++] = fitted(made("moons", 40, 1), "target", "dyntree particles 8", COPSE_SAVE_FROZEN);
    out[n++] = fitted(made("branin", 40, 1), "target", "dyntree particles 8", COPSE_SAVE_FROZEN);
    copse_table *sums = made("moons", 40, 5);
    add_text(sums, "label", 3);
    out[n++] = fitted(made("branin", 40, 1), "target", "bart trees 5 samples 6 burn-in 20 thin 1 chains 2", 0);
    out[n++] = fitted(made("moons", 40, 1), "target", "bart trees 5 samples 6 burn-in 20 thin 1 chains 2", 0);
    out[n++] = fitted(sums, "label", "bart trees 3 samples 6 burn-in 20 thin 1 chains 2 sampler cgm", 0);
    copse_table *online = made("moons", 60, 6);
    add_text(online, "label", 5);
    out[n++] = fitted(online, "label", "orf trees 3 tests 3 min-samples 8 forget .02", 0);
    out[n++] = fitted(made("branin", 60, 1), "target", "orf trees 3 tests 3 min-samples 8", 0);
    out[n++] = fitted(made("branin", 60, 1), "target", "orf trees 2 tests 2 min-samples 8", COPSE_SAVE_FROZEN);
    out[n++] = fitted(made("moons", 60, 1), "target", "orf trees 2 tests 2 min-samples 8", COPSE_SAVE_FROZEN);
    return n;
}

/* -------------------------------------------------------------------------------------------------- changed bytes */

static void change_bytes(cp_rng *rng, unsigned char *bytes, size_t *n) {
    static const unsigned char extreme[] = {0, 1, 0x7f, 0x80, 0xff};
    for (uint64_t changes = 1 + cp_rng_below(rng, 4); changes && *n; changes--) {
        size_t at = (size_t)cp_rng_below(rng, *n);
        switch (cp_rng_below(rng, 8)) {
            case 0: *n = at; break;
            case 1: bytes[at] = extreme[cp_rng_below(rng, sizeof extreme)]; break;
            case 2: bytes[at] = (unsigned char)cp_rng_u32(rng); break;
            case 3:
                memmove(bytes + at, bytes + at + 1, *n - at - 1);
                --*n;
                break;
            default: bytes[at] ^= (unsigned char)(1u << cp_rng_below(rng, 8));
        }
    }
}

/* ------------------------------------------------------------------------------------------------ changed numbers */

typedef struct part {
    char name[256];
    cp_codec_type type;
    size_t count;
    unsigned char *data;
} part;

static const size_t size_of[] = {1, 4, 4, 8, 4, 8};

/* Takes an honest image apart. */
static size_t take_apart(const image *from, part *out) {
    cp_reader *r;
    copse_error err;
    size_t n = 0;
    hostile_demand(!cp_reader_new(from->bytes, from->n, &r, &err), "taking apart", err.msg);
    hostile_demand(hostile_get(from->bytes + 12, 4) <= MAX_SECTIONS, "taking apart", "too many sections");
    for (const unsigned char *p = from->bytes + hostile_get(from->bytes + 24, 8); p < from->bytes + from->n; n++) {
        part *s = &out[n];
        s->type = (cp_codec_type)p[0];
        memcpy(s->name, p + 2, p[1]);
        s->name[p[1]] = '\0';
        s->count = (size_t)hostile_get(p + 2 + p[1], 8);
        p += 26 + p[1];
        hostile_demand(!cp_reader_array(r, s->name, s->type, s->count, &s->data, &err), "taking apart", err.msg);
    }
    cp_reader_free(r);
    return n;
}

static void change_value(cp_rng *rng, part *s) {
    if (!s->count) return;
    size_t size = size_of[s->type], at = (size_t)cp_rng_below(rng, s->count);
    unsigned char *to = s->data + at * size;
    static const int64_t whole[] = {0, 1, -1, 2, 3, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1000000};
    static const double real[] = {0, -1, 1, .5, 1e30, -1e30, 1e-30, NAN, INFINITY, -INFINITY, 1e300, -1e-300};
    uint64_t pick = cp_rng_below(rng, 4);
    if (pick == 0) {
        memcpy(to, s->data + (size_t)cp_rng_below(rng, s->count) * size, size); /* of a neighbour */
    } else if (pick == 1) {
        to[cp_rng_below(rng, size)] ^= (unsigned char)(1u << cp_rng_below(rng, 8));
    } else if (s->type == CP_F64) {
        double v = real[cp_rng_below(rng, sizeof real / sizeof *real)];
        memcpy(to, &v, size);
    } else if (s->type == CP_F32) {
        float v = (float)real[cp_rng_below(rng, 10)];
        memcpy(to, &v, size);
    } else {
        int64_t v = whole[cp_rng_below(rng, sizeof whole / sizeof *whole)];
        memcpy(to, &v, size); /* the low bytes: tests run on little-endian machines */
    }
}

/* Another type, as many elements as there are bytes for. */
static void change_type(cp_rng *rng, part *s) {
    size_t bytes = s->count * size_of[s->type];
    s->type = (cp_codec_type)cp_rng_below(rng, 6);
    s->count = bytes / size_of[s->type];
}

/* Longer, with values of its own and zeros. */
static void lengthen(cp_rng *rng, part *s) {
    size_t size = size_of[s->type], more = (size_t)cp_rng_below(rng, 3 * s->count + 1);
    unsigned char *grown = cp_mem_new(s->count + more, size);
    hostile_demand(grown != NULL, "lengthening", "out of memory");
    memcpy(grown, s->data, s->count * size);
    memcpy(grown + s->count * size, s->data, (more < s->count ? more : s->count) * size);
    cp_mem_free(s->data);
    s->data = grown;
    s->count += more;
}

/* Changes some of the parts; returns how many there are now. */
static size_t change_parts(cp_rng *rng, part *p, size_t n) {
    for (uint64_t changes = 1 + cp_rng_below(rng, 3); changes && n; changes--) {
        part *s = &p[cp_rng_below(rng, n)], *other = &p[cp_rng_below(rng, n)];
        switch (cp_rng_below(rng, 12)) {
            case 0: s->count = (size_t)cp_rng_below(rng, s->count + 1); break;
            case 1: change_type(rng, s); break;
            case 2: memmove(s->name, other->name, sizeof s->name); break;
            case 3:
                cp_mem_free(s->data);
                *s = p[--n];
                break;
            case 4: lengthen(rng, s); break;
            default: change_value(rng, s);
        }
    }
    return n;
}

static image put_together(const part *p, size_t n) {
    cp_writer *w;
    copse_error err;
    image out;
    const unsigned char *bytes;
    hostile_demand(!cp_writer_new(&w, &err), "putting together", err.msg);
    for (size_t i = 0; i < n; i++)
        hostile_demand(!cp_writer_array(w, p[i].name, p[i].type, p[i].data, p[i].count, &err), "putting together",
                       err.msg);
    hostile_demand(!cp_writer_finish(w, &bytes, &out.n, &err), "putting together", err.msg);
    out.bytes = malloc(out.n);
    memcpy(out.bytes, bytes, out.n);
    cp_writer_free(w);
    return out;
}

/* -------------------------------------------------------------------------------------------------------- a bomb */

/* A model whose boxes are far larger than its file, for its many columns are all the same.  The library pads such a
 * file to justify them; without its padding it must be refused, before the memory is asked for. */
static void try_bomb(void) {
    enum { COLUMNS = 20000, ROWS = 40 };
    static part p[MAX_SECTIONS];
    copse_table *t = made("branin", ROWS, 1);
    for (int j = 0; j < COLUMNS; j++) {
        char name[16];
        cp_column *c;
        copse_error err;
        snprintf(name, sizeof name, "c%d", j);
        hostile_demand(!cp_table_add(t, name, COPSE_NUMBER, &c, &err), "bomb", err.msg);
        for (size_t i = 0; i < ROWS; i++) c->number[i] = 0;
    }
    image padded = fitted(t, "target", "mondrian trees 60 min-samples-split 2 posterior fast", 0);
    hostile_demand(hostile_try(padded.bytes, padded.n), "bomb", "an honest model was refused");
    size_t n = take_apart(&padded, p), kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(p[i].name, "padding") == 0)
            cp_mem_free(p[i].data);
        else
            p[kept++] = p[i];
    }
    hostile_demand(kept == n - 1, "bomb", "it has no padding");
    image bare = put_together(p, kept);
    copse_model *m;
    copse_error err;
    hostile_demand(cp_model_file_read(bare.bytes, bare.n, &m, &err) == COPSE_E_MODEL, "bomb", "it was read");
    hostile_demand(strstr(err.msg, "than a file of this size can justify") != NULL, "bomb", err.msg);
    for (size_t i = 0; i < kept; i++) cp_mem_free(p[i].data);
    free(bare.bytes);
    free(padded.bytes);
}

/* ----------------------------------------------------------------------------------------------------------- main */

static int try_changed_bytes(cp_rng *rng, const image *from, int signed_again) {
    unsigned char *bytes = malloc(from->n);
    size_t n = from->n;
    memcpy(bytes, from->bytes, n);
    change_bytes(rng, bytes, &n);
    int changed = n != from->n || memcmp(bytes, from->bytes, n) != 0;
    if (signed_again) hostile_sign(bytes, n);
    int taken = hostile_try(bytes, n);
    hostile_demand(signed_again || !taken || !changed, "reading", "a damaged file was taken for a whole one");
    free(bytes);
    return taken;
}

static int try_changed_parts(cp_rng *rng, const image *from) {
    static part p[MAX_SECTIONS];
    size_t n = change_parts(rng, p, take_apart(from, p));
    image mutated = put_together(p, n);
    int taken = hostile_try(mutated.bytes, mutated.n);
    for (size_t i = 0; i < n; i++) cp_mem_free(p[i].data);
    free(mutated.bytes);
    return taken;
}

/* From here on the process gets no more than the bound of docs/format.md for the largest image allows. */
static void limit_memory(size_t largest) {
#ifndef SANITIZED
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    hostile_demand(f && fscanf(f, "%ld", &pages) == 1, "limit", "no /proc");
    fclose(f);
    size_t bytes = (size_t)pages * (size_t)sysconf(_SC_PAGESIZE) + 512 * largest + (16 << 20);
    hostile_demand(setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) == 0, "limit", "setrlimit");
#else
    (void)largest;
#endif
}

static void write_models(const image *model, size_t models, const char *folder) {
    for (size_t i = 0; i < models; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/model%zu", folder, i);
        FILE *f = fopen(path, "wb");
        hostile_demand(f && fwrite(model[i].bytes, 1, model[i].n, f) == model[i].n, "writing", path);
        fclose(f);
    }
}

int main(int argc, char **argv) {
    image model[MAX_MODELS];
    size_t models = make_models(model), largest = 0;
    long mutants = argc > 1 ? strtol(argv[1], NULL, 10) : MUTANTS, taken = 0;
    for (size_t i = 0; i < models; i++) {
        hostile_demand(hostile_try(model[i].bytes, model[i].n), "reading", "an honest model was refused");
        if (model[i].n > largest) largest = model[i].n;
    }
    if (argc > 2 && strcmp(argv[1], "--write") == 0) {
        write_models(model, models, argv[2]);
        return 0;
    }
    try_bomb();
    limit_memory(2 * largest);
    for (long mutant = 0; hostile_number = mutant, mutant < mutants; mutant++) {
        cp_rng rng;
        cp_rng_init(&rng, 20160229, CP_FOR_TEST, 0, (uint64_t)mutant);
        const image *from = &model[cp_rng_below(&rng, models)];
        if (mutant % 3 == 2)
            taken += try_changed_parts(&rng, from);
        else
            taken += try_changed_bytes(&rng, from, mutant % 3 == 1);
    }
    printf("%ld mutants of %zu models, %ld of them still models\n", mutants, models, taken);
    for (size_t i = 0; i < models; i++) free(model[i].bytes);
    return 0;
}
