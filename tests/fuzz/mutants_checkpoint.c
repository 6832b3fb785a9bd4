/* Checkpoints as an enemy would write them: mutants of interrupted fits, the same in every run.
 *
 *     mutants_checkpoint [MUTANTS [FIRST [survey]]]
 *
 * A fit that resumes from a mutant must refuse it, or end with a model that can be used in every way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"
#include "hostile_models.h"
#include "hostile_use.h"

enum { MUTANTS = 400, LARGEST = 1 << 20 };

static const struct {
    const char *set, *options;
} fit[] = {
    {"moons", "smc particles 12 islands 2"},
    {"branin", "smc particles 12 islands 2"},
    {"moons", "bcart samples 8 burn-in 20 chains 2"},
    {"branin", "bcart samples 8 burn-in 20 chains 2"},
    {"moons", "bart trees 4 samples 4 burn-in 8 thin 1 chains 2"},
    {"branin", "bart trees 4 samples 4 burn-in 8 thin 1 chains 2"},
    {"branin", "bart trees 3 samples 4 burn-in 8 thin 1 sparse yes sampler pg"},
    {"branin", "bart trees 3 samples 4 burn-in 8 thin 1 sampler cgm"},
    {"branin", "bart trees 3 samples 4 burn-in 8 thin 1 noise uneven noise-trees 2"},
};
enum { FITS = sizeof fit / sizeof *fit };

typedef struct work {
    image checkpoint[FITS];
    copse_table *table[FITS];
    char path[64];
} work;

typedef struct stopper {
    copse_flag stop;
    int calls;
} stopper;

static void on_progress(void *arg, const char *what, double done, double total) {
    stopper *s = arg;
    (void)what;
    (void)done;
    (void)total;
    if (--s->calls == 0) s->stop = 1;
}

static copse_status run_fit(const work *w, size_t i, const copse_run *run, copse_model **out, copse_error *err) {
    copse_params *p = hostile_models_params(fit[i].options);
    copse_status status = copse_fit(w->table[i], &(copse_roles){.target = "target"}, p, run, out, err);
    copse_params_free(p);
    return status;
}

static image read_file(const char *path) {
    image in = {.bytes = malloc(LARGEST)};
    FILE *f = fopen(path, "rb");
    hostile_demand(f && in.bytes, "reading", path);
    in.n = fread(in.bytes, 1, LARGEST, f);
    hostile_demand(in.n < LARGEST, "reading", "too large");
    fclose(f);
    return in;
}

static void write_file(const char *path, const image *in) {
    FILE *f = fopen(path, "wb");
    hostile_demand(f && fwrite(in->bytes, 1, in->n, f) == in->n, "writing", path);
    fclose(f);
}

/* Interrupted half way if it can be, else finished. */
static void interrupt(work *w, size_t i) {
    copse_error err = {0};
    copse_model *m = NULL;
    stopper s = {.calls = 6};
    copse_run run = {.threads = 1, .progress = on_progress, .arg = &s, .stop = &s.stop, .checkpoint = w->path};
    w->table[i] = hostile_models_table(fit[i].set, 30, 1);
    copse_status status = run_fit(w, i, &run, &m, &err);
    hostile_demand(!status || status == COPSE_E_STOPPED, fit[i].options, err.msg);
    copse_model_free(m);
    w->checkpoint[i] = read_file(w->path);
    unlink(w->path);
}

static int resume(const work *w, size_t i, const image *from) {
    copse_error err = {0};
    copse_model *m = NULL;
    copse_run run = {.threads = 1, .resume = w->path};
    write_file(w->path, from);
    hostile_hurry();
    hostile_about("%s", fit[i].options);
    copse_status status = run_fit(w, i, &run, &m, &err);
    hostile_demand(!status || status == COPSE_E_MODEL || status == COPSE_E_USAGE || status == COPSE_E_DATA, "resuming",
                   err.msg);
    hostile_demand(status ? !m && err.msg[0] : m != NULL, "resuming", "neither a model nor a message");
    if (m) hostile_use_model(m);
    copse_model_free(m);
    return !status;
}

static int try_mutant(void *arg, long mutant) {
    static part p[MAX_PARTS];
    const work *w = arg;
    cp_rng rng;
    cp_rng_init(&rng, 20161118, CP_FOR_TEST, 0, (uint64_t)mutant);
    size_t i = (size_t)cp_rng_below(&rng, FITS), n = parts_take(w->checkpoint[i].bytes, w->checkpoint[i].n, p);
    n = parts_change(&rng, p, n);
    image mutated = parts_join(p, n);
    int taken = resume(w, i, &mutated);
    parts_free(p, n);
    free(mutated.bytes);
    return taken;
}

int main(int argc, char **argv) {
    static work w;
    long mutants = argc > 1 ? strtol(argv[1], NULL, 10) : MUTANTS, first = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    snprintf(w.path, sizeof w.path, "/tmp/copse-mutants-%ld.checkpoint", (long)getpid());
    for (size_t i = 0; i < FITS; i++) {
        interrupt(&w, i);
        hostile_demand(resume(&w, i, &w.checkpoint[i]), fit[i].options, "an honest checkpoint was refused");
    }
    long taken = hostile_run(try_mutant, &w, first, mutants, argc > 3);
    printf("%ld mutants of %d checkpoints, %ld of them %s\n", mutants, FITS, labs(taken),
           taken < 0 ? "broke the program" : "still fits");
    for (size_t i = 0; i < FITS; i++) {
        copse_table_free(w.table[i]);
        free(w.checkpoint[i].bytes);
    }
    unlink(w.path);
    return taken < 0;
}
