#include "pg_paths.h"

#include "bart/core/bart_tree_check.h"
#include "bart/pg/bart_pg.h"
#include "bart/pg/bart_pg_pick.h"

/* ------------------------------------------------------------------------------------------------- choices as told */

enum { MOST_CHOICES = 128, MOST_OPTIONS = 32 };

typedef struct choice {
    size_t options, taken;
    double p[MOST_OPTIONS];
} choice;

static struct {
    choice choice[MOST_CHOICES];
    size_t given, asked;
    double probability;
} script;

static size_t next_possible(const choice *c, size_t from) {
    while (from < c->options && !(c->p[from] > 0)) from++;
    return from;
}

/* As told, or the first that is possible. */
static size_t choose(const double *w, size_t n, double sum) {
    size_t at = script.asked++;
    if (at >= MOST_CHOICES || n > MOST_OPTIONS) abort();
    choice *c = &script.choice[at];
    c->options = n;
    for (size_t i = 0; i < n; i++) c->p[i] = w[i] / sum;
    if (at >= script.given) c->taken = next_possible(c, 0);
    script.probability *= c->p[c->taken];
    return c->taken;
}

/* The last choice that has another possibility takes it, and those after it begin again. */
static int next_path(void) {
    for (size_t at = script.asked; at-- > 0;) {
        choice *c = &script.choice[at];
        size_t other = next_possible(c, c->taken + 1);
        if (other == c->options) continue;
        c->taken = other;
        script.given = at + 1;
        return 1;
    }
    return 0;
}

size_t cp_bart_pg_pick(const double *w, size_t n, double sum, cp_rng *rng) {
    (void)rng;
    return choose(w, n, sum);
}

size_t cp_bart_pg_pick_below(size_t n, cp_rng *rng) {
    double w[MOST_OPTIONS];
    (void)rng;
    for (size_t i = 0; i < n && i < MOST_OPTIONS; i++) w[i] = 1;
    return choose(w, n, (double)n);
}

uint32_t cp_bart_pg_pick_cell(const cp_ranks *r, size_t dim, cp_extent e, cp_rng *rng) {
    double w[MOST_OPTIONS];
    (void)rng;
    for (uint32_t c = e.low; c < e.high && c - e.low < MOST_OPTIONS; c++)
        w[c - e.low] = cp_ranks_width(r, dim, c, c + 1);
    return e.low + (uint32_t)choose(w, e.high - e.low, cp_ranks_width(r, dim, e.low, e.high));
}

/* ------------------------------------------------------------------------------------------------------- the kernel */

/* One way from tree `from`; returns where it ends.  mistold: the tally says something else. */
static size_t run(bart_tiny *w, void *sampler, size_t from, size_t *mistold) {
    copse_error err;
    cp_bart_tree tree;
    cp_bart_tally tally = {0};
    cp_rng rng;
    cp_rng_init(&rng, from, CP_FOR_TEST, 1, 0);
    script.asked = 0;
    script.probability = 1;
    must(cp_bart_tree_init(&tree, &w->view, w->slot, &err), err);
    bart_tiny_plant(w, from, &tree);
    must(cp_bart_pg_sampler.step(sampler, &w->view, &tree, &rng, &tally, &err), err);
    const char *fault = cp_bart_tree_check(&tree, &w->view);
    if (fault) fail_msg("%s", fault);
    size_t to = bart_tiny_find(w, &tree);
    *mistold += tally.accepted[CP_BART_REGROW] != (to != from);
    cp_bart_tree_clear(&tree);
    return to;
}

pg_kernel pg_kernel_of(bart_tiny *w, const cp_bart_sampler_options *opt) {
    copse_error err;
    void *sampler;
    pg_kernel k = {.states = w->all.n, .p = calloc(w->all.n * w->all.n, sizeof *k.p)};
    must(cp_bart_pg_sampler.make(&w->columns, opt, &sampler, &err), err);
    for (size_t from = 0; from < k.states; from++) {
        script.given = 0;
        do {
            size_t to = run(w, sampler, from, &k.mistold);
            k.p[from * k.states + to] += script.probability;
            k.paths++;
        } while (next_path());
    }
    cp_bart_pg_sampler.free(sampler);
    return k;
}

void pg_kernel_clear(pg_kernel *k) {
    free(k->p);
}

double pg_kernel_loss(const pg_kernel *k) {
    double most = 0;
    for (size_t s = 0; s < k->states; s++) {
        double sum = 0;
        for (size_t t = 0; t < k->states; t++) sum += k->p[s * k->states + t];
        most = fmax(most, fabs(sum - 1));
    }
    return most;
}

double pg_kernel_drift(const pg_kernel *k, const double *pi) {
    double most = 0;
    for (size_t t = 0; t < k->states; t++) {
        double sum = 0;
        for (size_t s = 0; s < k->states; s++) sum += pi[s] * k->p[s * k->states + t];
        most = fmax(most, fabs(sum - pi[t]));
    }
    return most;
}
