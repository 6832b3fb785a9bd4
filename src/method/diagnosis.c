/* diagnosis - checks, and the verdict on chains. */
#include "method/diagnosis.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

static void add(copse_diagnosis *d, copse_check c) {
    CP_BUG(d->checks == COPSE_MAX_CHECKS);
    c.ok = isnan(c.bound) || (c.at_least ? c.value >= c.bound : c.value <= c.bound); /* NaN is not ok */
    d->ok &= c.ok;
    d->check[d->checks++] = c;
}

void cp_diagnosis_at_most(copse_diagnosis *d, const char *name, double value, double bound, const char *help) {
    add(d, (copse_check){.name = name, .value = value, .bound = bound, .help = help});
}

void cp_diagnosis_at_least(copse_diagnosis *d, const char *name, double value, double bound, const char *help) {
    add(d, (copse_check){.name = name, .value = value, .bound = bound, .at_least = 1, .help = help});
}

void cp_diagnosis_to_know(copse_diagnosis *d, const char *name, double value, const char *help) {
    add(d, (copse_check){.name = name, .value = value, .bound = NAN, .help = help});
}

void cp_diagnosis_problem(copse_diagnosis *d, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->problem, sizeof d->problem, fmt, args);
    va_end(args);
}

void cp_diagnosis_say(copse_diagnosis *d, const char *fmt, ...) {
    size_t n = strlen(d->verdict);
    va_list args;
    if (n && n + 1 < sizeof d->verdict) memcpy(d->verdict + n++, " ", 2);
    va_start(args, fmt);
    vsnprintf(d->verdict + n, sizeof d->verdict - n, fmt, args);
    va_end(args);
}

/* x rounded up to two digits: an estimate has no more. */
static double round_up(double x) {
    double unit = 1;
    while (x > 100 * unit) unit *= 10;
    return unit * ceil(x / unit);
}

/* In n draws of a chain that mixes, effective draws grow as n, and R-hat^2 - 1, the variance of the chains' means over
 * that within them, falls as 1/n.  A chain that still drifts has seen only
 * part of its slowest swings: its effective draws are overestimated, and the result is too small. */
size_t cp_diagnosis_draws_needed(const cp_diagnosis_chains *c) {
    double by_ess = c->least_ess / c->ess, by_rhat = (c->rhat * c->rhat - 1) / (c->most_rhat * c->most_rhat - 1);
    double needed = (double)c->draws * fmax(1, fmax(by_ess, by_rhat));
    if (isnan(c->rhat) || isnan(c->ess) || !(needed <= (double)c->most_draws)) return 0;
    return (size_t)fmin(round_up(needed), (double)c->most_draws);
}

static void say_draws_needed(copse_diagnosis *d, const cp_diagnosis_chains *c) {
    size_t needed = cp_diagnosis_draws_needed(c);
    if (!c->draws || isnan(c->rhat) || isnan(c->ess) || (c->rhat <= c->most_rhat && c->ess >= c->least_ess)) return;
    if (needed)
        cp_diagnosis_say(d, "Expect to need `samples=%zu` at the least, and often several times as many.", needed);
    else
        cp_diagnosis_say(d, "No possible number of `samples` is likely to be enough.");
}

void cp_diagnosis_judge_chains(copse_diagnosis *d, const cp_diagnosis_chains *c) {
    int single = c->chains < 2;
    if (d->ok) {
        cp_diagnosis_say(d, "The chains have forgotten where they began and agree: the draws can be trusted.");
    } else if (isnan(c->rhat)) {
        cp_diagnosis_problem(d, "too few draws to tell whether %s converged",
                             single ? "the chain has" : "the chains have");
        cp_diagnosis_say(d, "Too few draws to tell: raise `samples`.");
    } else if (c->rhat > c->most_rhat) {
        cp_diagnosis_problem(d, single ? "the chain still drifts (R-hat %.5g)" : "the chains do not agree (R-hat %.5g)",
                             c->rhat);
        cp_diagnosis_say(d, "The chain%s not converged: %s", single ? " has" : "s have", c->if_not_converged);
    } else if (c->ess < c->least_ess) {
        cp_diagnosis_problem(d, "the draws are worth too few independent ones (%.3g of %.0f)", c->ess, c->least_ess);
        cp_diagnosis_say(d,
                         "%s, but too few of the draws are independent: fit with more `samples`, or a larger `thin`.",
                         single ? "The chain does not drift" : "The chains agree");
    } else {
        cp_diagnosis_problem(d, "one chain cannot say whether it would come to the same result again");
    }
    say_draws_needed(d, c);
    if (single)
        cp_diagnosis_say(d,
                         "One chain cannot say whether it would come to the same result again: fit with `chains=4`.");
}
