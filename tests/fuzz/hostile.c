#include "hostile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <xxhash.h>

#include "model/model_file.h"

enum { SECONDS = 20, HEADER = 48 };

long hostile_number = -1;

void hostile_demand(int holds, const char *what, const char *more) {
    if (holds) return;
    fprintf(stderr, "mutant %ld: %s: %s\n", hostile_number, what, more);
    abort();
}

void hostile_hurry(void) {
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = SECONDS}}, NULL);
}

/* One row that the model can read, with the target too. */
static copse_table *row_for(const cp_schema *s) {
    copse_table *t;
    cp_column *c;
    copse_error err;
    hostile_demand(!cp_table_new(1, &t, &err), "row", err.msg);
    for (size_t i = 0; i <= s->features; i++) {
        int target = i == s->features;
        copse_kind kind = !target                                         ? s->feature[i].kind
                          : s->task == COPSE_CLASS && !s->classes_numeric ? COPSE_TEXT
                                                                          : COPSE_NUMBER;
        hostile_demand(!cp_table_add(t, target ? s->target : s->feature[i].name, kind, &c, &err), "row", err.msg);
        if (kind == COPSE_NUMBER)
            c->number[0] = .5;
        else
            hostile_demand(!cp_dict_add(&c->levels, "L1", 2, &c->code[0], &err), "row", err.msg);
    }
    return t;
}

static void check_answer(const copse_model *m, const copse_prediction *p) {
    double sum = 0;
    if (copse_model_task(m) == COPSE_REGRESS) {
        hostile_demand(isfinite(copse_prediction_mean(p, 0)), "predicting", "the mean is not finite");
        hostile_demand(copse_prediction_sd(p, 0) > 0, "predicting", "the sd is not positive");
        return;
    }
    for (size_t k = 0; k < copse_prediction_classes(p); k++) sum += copse_prediction_probs(p, 0)[k];
    hostile_demand(fabs(sum - 1) < 1e-6, "predicting", "the probabilities do not add up");
}

static copse_status swallow(void *arg, const char *bytes, size_t n) {
    *(size_t *)arg += n + (n ? (unsigned char)bytes[n - 1] : 0);
    return COPSE_OK;
}

/* What people ask of a model besides its predictions. */
static void look_at_model(const copse_model *m) {
    static const char *const format[] = {"text", "dot", "json"};
    copse_error err;
    size_t seen = 0;
    copse_importance *found = calloc(copse_model_features(m), sizeof *found);
    for (size_t i = 0; i < 3; i++)
        hostile_demand(!copse_model_write_tree(m, 0, format[i], swallow, &seen, &err), "listing", err.msg);
    hostile_demand(!copse_model_write_json(m, swallow, &seen, &err), "listing", err.msg);
    copse_status status = copse_importance_impurity(m, NULL, found, &err);
    hostile_demand(!status || status == COPSE_E_USAGE, "importance", err.msg);
    free(found);
}

static void use_model(copse_model *m) {
    copse_error err;
    copse_prediction *p;
    copse_run run = {.threads = 1};
    const char *broken = m->method->check(m->state);
    hostile_demand(!broken, "checking", broken ? broken : "");
    copse_table *t = row_for(m->schema);
    hostile_demand(!copse_predict(m, t, &(copse_predict_options){.n = 1}, &run, &p, &err), "predicting", err.msg);
    check_answer(m, p);
    look_at_model(m);
    copse_prediction_free(p);
    if (copse_model_can_learn(m)) hostile_demand(!copse_update(m, t, &run, &err), "learning", err.msg);
    copse_table_free(t);
}

int hostile_try(const unsigned char *bytes, size_t n) {
    copse_model *m;
    copse_error err = {0};
    unsigned char *own = malloc(n ? n : 1); /* sanitizers see a byte beyond the end */
    if (n) memcpy(own, bytes, n);
    hostile_hurry();
    copse_status status = cp_model_file_read(own, n, &m, &err);
    free(own);
    hostile_demand(status == COPSE_OK || status == COPSE_E_MODEL, "reading", err.msg);
    hostile_demand(status ? !m && err.msg[0] : m != NULL, "reading", "neither a model nor a message");
    if (status) return 0;
    use_model(m);
    copse_model_free(m);
    return 1;
}

uint64_t hostile_get(const unsigned char *p, size_t n) {
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static void put(unsigned char *p, uint64_t v, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(v >> 8 * i);
}

void hostile_sign(unsigned char *b, size_t n) {
    if (n < HEADER) return;
    put(b + 16, n, 8);
    uint64_t directory = hostile_get(b + 24, 8), start = HEADER;
    if (directory >= HEADER && directory <= n) {
        for (size_t at = (size_t)directory; n - at >= 26 && n - at >= 26u + b[at + 1];) {
            size_t sum = at + 2 + b[at + 1] + 16;
            uint64_t stored = hostile_get(b + sum - 8, 8);
            if (stored > directory - start) break;
            put(b + sum, XXH64(b + start, (size_t)stored, 0), 8);
            start += stored;
            at = sum + 8;
        }
        put(b + 32, XXH64(b + directory, (size_t)(n - directory), 0), 8);
    }
    put(b + 40, XXH64(b, 40, 0), 8);
}
