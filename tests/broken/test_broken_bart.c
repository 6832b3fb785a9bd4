/* Sweeps of BART with bugs that others have had: the joint test (tests/dist/bart_law.h) must see each, with the options
 * it is about, and only with those.  This program has its own copy of the files, whose bugs are switched on by a
 * variable. */
typedef enum bug {
    NO_BUG,
    BROKEN_DF,        /* the noise is drawn with two degrees of freedom too many */
    BROKEN_PRUNABLE,  /* growing always counts one more pair to prune, though its sibling may have been half of one */
    BROKEN_CHANGE,    /* a changed rule is judged by its prior, though it was drawn from it */
    BROKEN_LEAVES,    /* tau counts the variance trees, and not their leaves */
    BROKEN_SIGMA,     /* variance trees see residuals that are not divided by sigma */
    BROKEN_DIRICHLET, /* shares of columns are drawn as if all columns varied in all nodes */
    BUGS
} bug;
static bug broken;
#define CP_BROKEN(bug) (broken == (bug))
#include "../../src/bart/draws/bart_dart.c"
#include "../../src/bart/draws/bart_noise.c"
#include "../../src/bart/draws/bart_variance.c"
#include "../../src/bart/mh/bart_mh.c"

#include "bart_law.h"

static const char *const names[BUGS] = {
    "no bug",           "noise has wrong df", "grow miscounts pairs",  "change forgets its proposal",
    "tau counts trees", "sigma is forgotten", "shares are a Dirichlet"};
static const bart_belief dense = {.split = {.9, .7}, .leaf_var = .5, .nu = 4, .lambda = .6},
                         sparse = {.split = {.9, .7}, .leaf_var = .5, .nu = 4, .lambda = .6, .sparse = 1},
                         uneven = {.split = {.9, .7}, .leaf_var = .5, .nu = 4, .lambda = .6, .uneven = 1};

static const bart_belief *const beliefs[] = {&dense, &sparse, &uneven};

static const struct {
    bug bug;
    int cgm, belief, seen;
} cases[] = {
    {NO_BUG, 0, 0, 0},        {NO_BUG, 1, 1, 0},        {BROKEN_DF, 0, 0, 1},        {BROKEN_PRUNABLE, 0, 0, 1},
    {BROKEN_CHANGE, 0, 0, 0}, {BROKEN_CHANGE, 1, 0, 1}, {BROKEN_DIRICHLET, 0, 0, 0}, {BROKEN_DIRICHLET, 0, 1, 1},
    {NO_BUG, 0, 2, 0},        {BROKEN_LEAVES, 0, 0, 0}, {BROKEN_LEAVES, 0, 2, 1},    {BROKEN_SIGMA, 0, 2, 1},
};

static void every_bug_is_seen_and_nothing_else(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const bart_belief *belief = beliefs[cases[i].belief];
        bart_law law = {
            .sampler = &cp_bart_mh_sampler, .sampler_opt = {.move_prob = {.5, .5}}, .runs = 20000, .sweeps = 8};
        if (cases[i].cgm) law.sampler_opt = (cp_bart_sampler_options){.move_prob = {.2, .2, .5, .1}};
        broken = cases[i].bug;
        double d = bart_law_distance(&law, belief, belief, names[broken]);
        broken = NO_BUG;
        assert_true(cases[i].seen ? d > 1 : d < 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bug_is_seen_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
