/* Model files as an enemy would write them: mutants of small models, the same in every run.
 *
 *     mutants_model [MUTANTS [FIRST [survey]]]
 *     mutants_model --write FOLDER       the models themselves: the corpus of fuzz_model
 *
 * An eighth of them are changed bytes, an eighth changed bytes with all checksums made right again, the others changed
 * sections: their values, length, type or name, packed and signed as the library itself does.  Each must be refused
 * with COPSE_E_MODEL, or be a model that can be used in every way (hostile_use.h); within the memory that
 * docs/format.md promises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/table.h"
#include "hostile.h"
#include "hostile_models.h"
#include "model/model_file.h"
#include "sanitized.h"

enum { MUTANTS = 2000, MAX_IMAGE = 1 << 20 };

/* ----------------------------------------------------------------------------------------------------------- a bomb */

/* A model whose boxes are far larger than its file, for its many columns are all the same.  The library pads such a
 * file to justify them; without its padding it must be refused, before the memory is asked for. */
static void try_bomb(void) {
    enum { COLUMNS = 20000, ROWS = 40 };
    static part p[MAX_PARTS];
    copse_table *t = hostile_models_table("branin", ROWS, 1);
    for (int j = 0; j < COLUMNS; j++) {
        char name[16];
        cp_column *c;
        copse_error err;
        snprintf(name, sizeof name, "c%d", j);
        hostile_demand(!cp_table_add(t, name, COPSE_NUMBER, &c, &err), "bomb", err.msg);
        for (size_t i = 0; i < ROWS; i++) c->number[i] = 0;
    }
    image padded = hostile_models_fit(t, "target", "mondrian trees 60 min-samples-split 2 posterior fast", 0);
    copse_model *m;
    copse_error err = {0};
    hostile_demand(!cp_model_file_read(padded.bytes, padded.n, &m, &err), "bomb", err.msg);
    copse_model_free(m);
    size_t n = parts_take(padded.bytes, padded.n, p), kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(p[i].name, "padding") == 0)
            cp_mem_free(p[i].data);
        else
            p[kept++] = p[i];
    }
    hostile_demand(kept == n - 1, "bomb", "it has no padding");
    image bare = parts_join(p, kept);
    hostile_demand(cp_model_file_read(bare.bytes, bare.n, &m, &err) == COPSE_E_MODEL, "bomb", "it was read");
    hostile_demand(strstr(err.msg, "than a file of this size can justify") != NULL, "bomb", err.msg);
    parts_free(p, kept);
    free(bare.bytes);
    free(padded.bytes);
}

/* ------------------------------------------------------------------------------------------------------------- main */

static int try_changed_bytes(cp_rng *rng, const image *from, int signed_again) {
    unsigned char *bytes = malloc(from->n);
    size_t n = from->n;
    memcpy(bytes, from->bytes, n);
    parts_change_bytes(rng, bytes, &n);
    int changed = n != from->n || memcmp(bytes, from->bytes, n) != 0;
    if (signed_again) hostile_sign(bytes, n);
    int taken = hostile_try(bytes, n);
    hostile_demand(signed_again || !taken || !changed, "reading", "a damaged file was taken for a whole one");
    free(bytes);
    return taken;
}

static int try_changed_parts(cp_rng *rng, const image *from) {
    static part p[MAX_PARTS];
    size_t n = parts_change(rng, p, parts_take(from->bytes, from->n, p));
    image mutated = parts_join(p, n);
    int taken = hostile_try(mutated.bytes, mutated.n);
    parts_free(p, n);
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

typedef struct models {
    image image[MAX_MODELS];
    size_t n;
} models;

static int try_mutant(void *arg, long mutant) {
    const models *m = arg;
    cp_rng rng;
    cp_rng_init(&rng, 20160229, CP_FOR_TEST, 0, (uint64_t)mutant);
    const image *from = &m->image[cp_rng_below(&rng, m->n)];
    if (mutant % 8 > 1) return try_changed_parts(&rng, from);
    return try_changed_bytes(&rng, from, mutant % 8 == 1);
}

int main(int argc, char **argv) {
    static models m;
    size_t largest = 0;
    long mutants = argc > 1 ? strtol(argv[1], NULL, 10) : MUTANTS, first = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    m.n = hostile_models_make(m.image);
    for (size_t i = 0; i < m.n; i++) {
        hostile_demand(hostile_try(m.image[i].bytes, m.image[i].n), "reading", "an honest model was refused");
        if (m.image[i].n > largest) largest = m.image[i].n;
    }
    if (argc > 2 && strcmp(argv[1], "--write") == 0) {
        write_models(m.image, m.n, argv[2]);
        return 0;
    }
    try_bomb();
    limit_memory(2 * largest);
    long taken = hostile_run(try_mutant, &m, first, mutants, argc > 3);
    printf("%ld mutants of %zu models, %ld of them %s\n", mutants, m.n, labs(taken),
           taken < 0 ? "broke the program" : "still models");
    for (size_t i = 0; i < m.n; i++) free(m.image[i].bytes);
    return taken < 0;
}
