/* Standing threads: every item of every pass is done once, whoever does it; passes see what those before them wrote;
 * memory and threads that cannot be had. */
#include <stdatomic.h>
#include <time.h>

#include "base/mem.h"
#include "base/thread_team.h"
#include "check.h"

enum { ITEMS = 300 };

typedef struct tally {
    int done[ITEMS]; /* plain memory: two threads at one item, or a pass that ends early, would be a race */
    atomic_int portions;
    int slow; /* this item takes so long that whoever waits for it goes to sleep; -1: none */
} tally;

static void nap(void) {
    const struct timespec t = {0, 2000000};
    nanosleep(&t, NULL);
}

static void count(void *arg, size_t from, size_t to) {
    tally *t = arg;
    for (size_t i = from; i < to; i++) {
        t->done[i]++;
        if ((int)i == t->slow) nap();
    }
    atomic_fetch_add(&t->portions, 1);
}

static cp_thread_team *new_team(size_t members) {
    copse_error err;
    cp_thread_team *team = NULL;
    must(cp_thread_team_new(members, &team, &err), err);
    return team;
}

/* As many threads as cores look for work for a while, more of them sleep at once: 2 and 7 are one of each on most
 * machines. */
static void every_item_is_done_once_in_every_pass(void **state) {
    (void)state;
    for (size_t members = 1; members <= 7; members += members < 2 ? 1 : 5) {
        cp_thread_team *team = new_team(members);
        tally t = {.slow = -1};
        int due[ITEMS] = {0};
        for (size_t pass = 0; pass < 2000; pass++) {
            size_t n = pass * 37 % (ITEMS + 1);
            cp_thread_team_pass(team, n, count, &t);
            for (size_t i = 0; i < ITEMS; i++) {
                due[i] += i < n;
                assert_int_equal(t.done[i], due[i]);
            }
        }
        cp_thread_team_free(team);
    }
}

/* The last item is in a member's share, the first in the leader's: both sides get to wait. */
static void who_waits_long_sleeps_and_is_woken(void **state) {
    (void)state;
    cp_thread_team *team = new_team(2);
    for (int pass = 0; pass < 300; pass++) {
        tally t = {.slow = pass % 20 ? -1 : pass % 40 ? 0 : ITEMS - 1};
        if (pass % 50 == 7) nap(); /* members sleep */
        cp_thread_team_pass(team, ITEMS, count, &t);
        for (int i = 0; i < ITEMS; i++) assert_int_equal(t.done[i], 1);
    }
    cp_thread_team_free(team);
}

static void nobody_is_a_team_of_one(void **state) {
    (void)state;
    tally t = {.slow = -1};
    cp_thread_team_pass(NULL, ITEMS, count, &t);
    cp_thread_team_pass(NULL, 0, count, &t);
    for (int i = 0; i < ITEMS; i++) assert_int_equal(t.done[i], 1);
    assert_int_equal(atomic_load(&t.portions), 1);
    cp_thread_team_free(NULL);
    cp_thread_team_free(new_team(3)); /* that never had anything to do */
}

static void memory_may_run_out(void **state) {
    (void)state;
    size_t live = cp_mem_live();
    for (long i = 0; i < 3; i++) {
        copse_error err;
        cp_thread_team *team;
        cp_mem_fail_after(i);
        copse_status status = cp_thread_team_new(4, &team, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(team);
        assert_int_equal(cp_mem_live(), live);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_in_every_pass),
        cmocka_unit_test(who_waits_long_sleeps_and_is_woken),
        cmocka_unit_test(nobody_is_a_team_of_one),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
