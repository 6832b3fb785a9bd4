#include "hostile_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/synth.h"
#include "hostile.h"
#include "model/model_file.h"

copse_table *hostile_models_table(const char *set, size_t rows, uint64_t seed) {
    copse_table *t;
    copse_error err;
    hostile_demand(!cp_synth_new(set, &(cp_synth_options){.rows = rows, .noise = -1, .seed = seed}, &t, &err), set,
                   err.msg);
    return t;
}

void hostile_models_add_text(copse_table *t, const char *name, size_t levels) {
    cp_column *c;
    copse_error err;
    char level[16];
    hostile_demand(!cp_table_add(t, name, COPSE_TEXT, &c, &err), name, err.msg);
    for (size_t i = 0; i < t->rows; i++) {
        int n = snprintf(level, sizeof level, "L%d", (int)(i * i % levels));
        hostile_demand(!cp_dict_add(&c->levels, level, (size_t)n, &c->code[i], &err), name, err.msg);
    }
}

image hostile_models_image(const copse_model *m, unsigned flags) {
    cp_writer *w;
    copse_error err;
    hostile_demand(!cp_writer_new(&w, &err) && !cp_model_file_write(m, flags, w, &err), "writing", err.msg);
    image out = parts_finish(w);
    cp_writer_free(w);
    return out;
}

copse_params *hostile_models_params(const char *options) {
    copse_params *p;
    copse_error err;
    char words[200], *next = words;
    snprintf(words, sizeof words, "%s", options);
    hostile_demand(!copse_params_new(strtok_r(next, " ", &next), &p, &err), "options", err.msg);
    for (char *name; (name = strtok_r(next, " ", &next));)
        hostile_demand(!copse_params_set(p, name, strtok_r(next, " ", &next), &err), "options", err.msg);
    return p;
}

image hostile_models_fit(copse_table *t, const char *target, const char *options, unsigned flags) {
    copse_params *p = hostile_models_params(options);
    copse_model *m;
    copse_error err;
    copse_run run = {.threads = 1};
    hostile_demand(!copse_fit(t, &(copse_roles){.target = target}, p, &run, &m, &err), "fitting", err.msg);
    if (copse_model_can_learn(m)) hostile_demand(!copse_update(m, t, &run, &err), "updating", err.msg);
    image out = hostile_models_image(m, flags);
    copse_model_free(m);
    copse_params_free(p);
    copse_table_free(t);
    return out;
}

/* Numbers, few and many levels, missing values. */
static copse_table *mixed(size_t rows) {
    copse_table *t = hostile_models_table("friedman1", rows, 2);
    hostile_models_add_text(t, "few", 4);
    hostile_models_add_text(t, "many", 37);
    for (size_t i = 0; i < rows; i += 3) t->col[1].number[i] = NAN;
    return t;
}

/* "label" has so many classes. */
static copse_table *labelled(size_t rows, size_t classes) {
    copse_table *t = hostile_models_table("moons", rows, 3);
    hostile_models_add_text(t, "label", classes);
    return t;
}

static copse_table *two_classes(void) {
    return hostile_models_table("moons", 40, 1);
}

static copse_table *numbers(void) {
    return hostile_models_table("branin", 40, 1);
}

size_t hostile_models_make(image *out) {
    static const char *const greedy[] = {"cart min-leaf 2",
                                         "rf trees 3",
                                         "ert trees 3",
                                         "bf trees 3",
                                         "ssf trees 2 subsets 2",
                                         "ebf trees 3 trunk-leaves 4",
                                         "boost trees 3 min-leaf 3",
                                         "auto trees 2"};
    static const char *const frozen_too[] = {"mondrian trees 2", "mondrian trees 2 posterior fast",
                                             "dyntree particles 6", "orf trees 2 tests 3 min-samples 8"};
    static const char *const bayes[] = {"smc particles 20 islands 2", "bcart samples 20 burn-in 50 chains 2",
                                        "bart trees 4 samples 6 burn-in 20 thin 1 chains 2"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof greedy / sizeof *greedy; i++) {
        out[n++] = hostile_models_fit(two_classes(), "target", greedy[i], 0);
        out[n++] = hostile_models_fit(mixed(60), "target", greedy[i], i % 2 ? COPSE_SAVE_FROZEN : 0);
    }
    for (size_t i = 0; i < sizeof frozen_too / sizeof *frozen_too; i++)
        for (unsigned flags = 0; flags <= COPSE_SAVE_FROZEN; flags += COPSE_SAVE_FROZEN) {
            out[n++] = hostile_models_fit(two_classes(), "target", frozen_too[i], flags);
            out[n++] = hostile_models_fit(numbers(), "target", frozen_too[i], flags);
        }
    for (size_t i = 0; i < sizeof bayes / sizeof *bayes; i++) {
        out[n++] = hostile_models_fit(two_classes(), "target", bayes[i], 0);
        out[n++] = hostile_models_fit(numbers(), "target", bayes[i], 0);
    }
    out[n++] = hostile_models_fit(labelled(50, 40), "label", "mondrian trees 2 min-samples-split 8", 0);
    out[n++] = hostile_models_fit(labelled(50, 40), "label", "mondrian trees 2 min-samples-split 8", COPSE_SAVE_FROZEN);
    out[n++] = hostile_models_fit(numbers(), "target", "mondrian trees 2 hyper marginal lifetime 3", 0);
    out[n++] = hostile_models_fit(mixed(40), "target", "mondrian trees 2", 0);
    out[n++] = hostile_models_fit(numbers(), "target", "mondrian trees 2 candidates 3 posterior fast", 0);
    out[n++] = hostile_models_fit(labelled(50, 40), "label", "mondrian trees 2 candidates 3 rechoose exact", 0);
    out[n++] = hostile_models_fit(mixed(40), "target", "bart trees 3 samples 6 burn-in 20 thin 1 sparse yes", 0);
    out[n++] = hostile_models_fit(mixed(40), "target",
                                  "bart trees 3 samples 6 burn-in 20 thin 1 noise uneven noise-trees 2", 0);
    out[n++] = hostile_models_fit(labelled(50, 40), "label", "cart min-leaf 2", 0);
    out[n++] = hostile_models_fit(labelled(50, 3), "label", "bart trees 3 samples 6 burn-in 20 thin 1 sampler cgm", 0);
    out[n++] = hostile_models_fit(labelled(60, 5), "label", "orf trees 3 tests 3 min-samples 8 forget .02", 0);
    out[n++] = hostile_models_fit(labelled(50, 5), "label", "dyntree particles 6", 0);
    hostile_demand(n <= MAX_MODELS, "models", "too many");
    return n;
}
