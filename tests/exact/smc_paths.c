#include "smc_paths.h"

#include "btree/btree_stage.h"
#include "scripted.h"

/* Places at which the sampler is tried before the search for breaks: none is missed that has others this far away. */
enum { TRIES = 16 };

typedef struct listing {
    const island_problem *p;
    const cp_btree_smc_options *opt;
    smc_paths *out;
} listing;

static void begin_script(const listing *l, size_t given) {
    script.given = given;
    script.asked = 0;
    l->out->runs++;
}

/* ----------------------------------------------------------------------------------------------- what a number does */

static uint64_t mix(uint64_t h, const void *bytes, size_t n) {
    const unsigned char *c = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ c[i]) * 1099511628211u;
    return h;
}

/* All that a particle has decided so far. */
static uint64_t mix_decisions(uint64_t h, const cp_btree_states *t, int32_t state) {
    for (int32_t i = state; t->state[i].parent != CP_NONE; i = t->state[i].parent) {
        const cp_btree_gap none = {0}, *gap = t->state[i].split < 0 ? &none : &t->blocks.split[t->state[i].split].gap;
        h = mix(h, gap, sizeof *gap);
    }
    return mix(h, "", 1);
}

static uint64_t mix_particles(uint64_t h, const cp_btree_smc *s, const int32_t *particle) {
    for (size_t i = 0; i < s->opt.particles; i++) h = mix_decisions(h, &s->states, particle[i]);
    return h;
}

/* One stage, and who did what in it, before and after resampling. */
static uint64_t mix_stage(uint64_t h, cp_btree_smc *s) {
    copse_error err;
    size_t n, m;
    must(cp_btree_stage_begin(s, &n, &err), err);
    for (;;) {
        must(cp_btree_stage_gather(s, &n, &err), err);
        if (!n) break;
        for (size_t i = 0; i < n; i += m) {
            for (m = 1; i + m < n && s->key[i + m] >> 32 == s->key[i] >> 32;) m++;
            cp_btree_stage_decide(s, s->key + i, m);
        }
        for (size_t i = 0; i < n; i++) must(cp_btree_stage_take(s, (uint32_t)s->key[i], &err), err);
    }
    h = mix_particles(h, s, s->next.particle);
    must(cp_btree_stage_end(s, NULL, &err), err);
    return mix_particles(h, s, s->particle);
}

/* The effect of number `at` being u: what particles do in the stage that asks for it.  Later numbers of the stage are
 * the same for all u, and how many there are is part of the effect. */
static uint64_t effect_of(const listing *l, size_t at, double u) {
    copse_error err;
    cp_btree_smc *s;
    uint64_t h = 1469598103934665603u;
    script.value[at] = u;
    begin_script(l, at + 1);
    must(cp_btree_smc_new(&l->p->b, l->opt, 0, &s, &err), err);
    while (script.asked <= at) h = mix_stage(h, s);
    cp_btree_smc_free(s);
    return mix(h, script.below, script.asked * sizeof *script.below);
}

/* ------------------------------------------------------------------------------------------------- all that happens */

static void explore(const listing *l, size_t at, double probability);

/* Stretches of (0,1) on which number `at` has one effect are explored from the left as their ends are found. */
typedef struct stretch {
    const listing *l;
    size_t at;
    double probability, begin, last; /* where it began; a place in it */
    uint64_t effect;
} stretch;

static void end_stretch(stretch *s, double end) {
    script.value[s->at] = s->last;
    explore(s->l, s->at + 1, s->probability * (end - s->begin));
    s->begin = end;
}

/* Between two places with different effects lies an end, or several. */
static void find_ends(stretch *s, double low, double high, uint64_t at_high) {
    if (s->effect == at_high) {
        s->last = high;
        return;
    }
    double middle = low + 0.5 * (high - low);
    if (high - low < 0x1p-50 || middle <= low || middle >= high) {
        end_stretch(s, middle);
        s->last = high;
        s->effect = at_high;
        return;
    }
    find_ends(s, low, middle, effect_of(s->l, s->at, middle));
    find_ends(s, middle, high, at_high);
}

/* The i-th place to try, the first and the last hard at the ends. */
static double try_at(size_t i) {
    return i == 0 ? 0x1p-45 : i == TRIES ? 1 - 0x1p-45 : (double)i / TRIES;
}

static void explore_unit(const listing *l, size_t at, double probability) {
    stretch s = {.l = l, .at = at, .probability = probability, .last = try_at(0)};
    s.effect = effect_of(l, at, s.last);
    for (size_t i = 1; i <= TRIES; i++) find_ends(&s, try_at(i - 1), try_at(i), effect_of(l, at, try_at(i)));
    end_stretch(&s, 1);
}

static void explore(const listing *l, size_t at, double probability) {
    begin_script(l, at);
    island_result r = island_run(l->p, l->opt, 0);
    if (script.asked == at) {
        double z = probability * exp(r.log_z);
        l->out->paths++;
        l->out->probability += probability;
        l->out->z += z;
        l->out->resamplings += probability * (double)r.resamplings;
        for (size_t k = 0; k < TINY_PLACES; k++) l->out->z_predicted[k] += z * r.predicted[k];
        return;
    }
    uint64_t below = script.below[at];
    if (!below) {
        explore_unit(l, at, probability);
        return;
    }
    for (uint64_t v = 0; v < below; v++) {
        script.value[at] = (double)v;
        explore(l, at + 1, probability / (double)below);
    }
}

smc_paths smc_paths_all(const island_problem *p, const cp_btree_smc_options *opt) {
    smc_paths out = {0};
    explore(&(listing){p, opt, &out}, 0, 1);
    return out;
}

double smc_paths_error(const island_problem *p, const smc_paths *all) {
    double z = exp(p->log_z), most = fabs(all->z / z - 1);
    for (size_t k = 0; k < TINY_PLACES; k++) most = fmax(most, fabs(all->z_predicted[k] / (z * p->predicted[k]) - 1));
    return most;
}
