/* Threads that predict while another learns: each prediction is that of the model before or after an update.  Run under
 * the thread sanitizer, which would see a reader inside an update. */
#include "many_methods.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/share_lock.h"

enum { READERS = 8, UPDATES = 25 };

/* ------------------------------------------------------------------------------------------------------- the lock */

typedef struct shared {
    cp_share_lock *lock;
    int a, b; /* equal, but while a writer is at work */
    atomic_int stop;
} shared;

static void *read_pairs(void *arg) {
    shared *s = arg;
    long unequal = 0;
    while (!atomic_load(&s->stop)) {
        cp_share_lock_read(s->lock);
        unequal += s->a != s->b;
        cp_share_lock_end_read(s->lock);
    }
    return unequal ? arg : NULL;
}

/* Readers that never rest do not keep the writer out: the loop ends. */
static void writers_are_alone_and_come_through(void **state) {
    copse_error err;
    shared s = {0};
    pthread_t reader[READERS];
    (void)state;
    must(cp_share_lock_new(&s.lock, &err), err);
    for (size_t i = 0; i < READERS; i++) assert_int_equal(pthread_create(&reader[i], NULL, read_pairs, &s), 0);
    for (int i = 0; i < 500; i++) {
        cp_share_lock_write(s.lock);
        s.a++;
        s.b++;
        cp_share_lock_end_write(s.lock);
    }
    atomic_store(&s.stop, 1);
    for (size_t i = 0; i < READERS; i++) {
        void *unequal;
        pthread_join(reader[i], &unequal);
        assert_null(unequal);
    }
    cp_share_lock_free(s.lock);
    cp_share_lock_free(NULL);
}

/* ------------------------------------------------------------------------------------------------------ the models */

typedef struct scene {
    const copse_model *m;
    const copse_table *row_0;
    double expected[UPDATES + 1]; /* a number of the prediction of row 0 after each update */
    atomic_int stop;
    atomic_long seen[UPDATES + 1];
} scene;

static double number_of(const copse_prediction *p) {
    return copse_prediction_classes(p) ? copse_prediction_probs(p, 0)[0] : copse_prediction_mean(p, 0);
}

/* One reader of four uses tables, the others rows.  Returns NULL if all predictions were expected ones. */
static void *predict_again_and_again(void *arg) {
    scene *s = arg;
    copse_error err;
    copse_row *row = NULL;
    void *wrong = NULL;
    if (copse_row_new(s->m, &row, &err)) return arg;
    set_mixed_row(row, 0);
    for (size_t round = 0; !atomic_load(&s->stop) && !wrong; round++) {
        const copse_prediction *p = NULL;
        copse_prediction *of_table = NULL;
        size_t k = UPDATES + 1; /* from the last on: an update may leave the number as it was */
        if (round % 4 == 0 && copse_predict(s->m, s->row_0, NULL, &(copse_run){.threads = 1}, &of_table, &err))
            wrong = arg;
        if (round % 4 && copse_row_predict(row, &p, &err)) wrong = arg;
        if (wrong) break;
        double x = number_of(of_table ? of_table : p);
        while (k > 0 && s->expected[k - 1] != x) k--;
        if (k > 0)
            atomic_fetch_add(&s->seen[k - 1], 1);
        else
            wrong = arg;
        copse_prediction_free(of_table);
    }
    copse_row_free(row);
    if (wrong) atomic_store(&s->stop, 1);
    return wrong;
}

static void learn_row(copse_row *row, copse_model *m, size_t i) {
    copse_error err;
    mixed_row r = mixed_row_at(i);
    set_mixed_row(row, i);
    if (copse_model_task(m) == COPSE_REGRESS)
        must(copse_row_learn(row, m, r.y, &err), err);
    else
        must(copse_row_learn_class(row, m, r.label, &err), err);
}

/* What row 0 will be after each update, from a copy that learns the same rows. */
static void foresee(scene *s) {
    copse_error err;
    copse_model *copy = NULL;
    copse_row *row = NULL;
    const copse_prediction *p;
    must(copse_model_copy(s->m, NULL, &copy, &err), err);
    must(copse_row_new(copy, &row, &err), err);
    for (size_t k = 0; k <= UPDATES; k++) {
        set_mixed_row(row, 0);
        must(copse_row_predict(row, &p, &err), err);
        s->expected[k] = number_of(p);
        if (k < UPDATES) learn_row(row, copy, 200 + k);
    }
    copse_row_free(row);
    copse_model_free(copy);
}

static void learn_among_readers(const copse_method_info *info, copse_task task) {
    copse_error err;
    copse_model *m = mixed_model(info, task);
    copse_row *row = NULL;
    pthread_t reader[READERS];
    if (!m) return;
    copse_table *row_0 = mixed_table(0, 1, task);
    scene s = {.m = m, .row_0 = row_0};
    foresee(&s);
    must(copse_row_new(m, &row, &err), err);
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&reader[i], NULL, predict_again_and_again, &s), 0);
    for (size_t k = 0; k < UPDATES; k++) learn_row(row, m, 200 + k);
    while (!atomic_load(&s.seen[UPDATES]) && !atomic_load(&s.stop)) sched_yield(); /* all updates are seen in the end */
    atomic_store(&s.stop, 1);
    for (size_t i = 0; i < READERS; i++) {
        void *wrong;
        pthread_join(reader[i], &wrong);
        assert_null(wrong);
    }
    copse_row_free(row);
    copse_table_free(row_0);
    copse_model_free(m);
}

static void predictions_see_whole_updates(void **state) {
    (void)state;
    for (size_t i = 0; copse_method(i); i++)
        if (copse_method(i)->online) {
            learn_among_readers(copse_method(i), COPSE_REGRESS);
            learn_among_readers(copse_method(i), COPSE_CLASS);
        }
}

static void copies_are_models_of_their_own(void **state) {
    copse_error err;
    copse_model *copy = NULL;
    copse_row *row = NULL;
    char before[COPSE_DIGEST_SIZE], after[COPSE_DIGEST_SIZE], of_copy[COPSE_DIGEST_SIZE];
    (void)state;
    for (size_t i = 0; copse_method(i); i++)
        for (copse_task task = COPSE_CLASS; task <= COPSE_REGRESS; task++) {
            copse_model *m = mixed_model(copse_method(i), task);
            if (!m) continue;
            must(copse_model_copy(m, NULL, &copy, &err), err);
            must(copse_model_digest(m, NULL, before, &err), err);
            must(copse_model_digest(copy, NULL, of_copy, &err), err);
            assert_string_equal(before, of_copy);
            if (copse_method(i)->online) {
                must(copse_row_new(copy, &row, &err), err);
                learn_row(row, copy, 300);
                copse_row_free(row);
                must(copse_model_digest(copy, NULL, of_copy, &err), err);
                assert_string_not_equal(before, of_copy);
            }
            must(copse_model_digest(m, NULL, after, &err), err);
            assert_string_equal(before, after);
            copse_model_free(m);
            copse_model_free(copy);
        }
    assert_int_equal(copse_model_copy(NULL, NULL, &copy, &err), COPSE_E_USAGE);
    assert_null(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_are_alone_and_come_through),
        cmocka_unit_test(predictions_see_whole_updates),
        cmocka_unit_test(copies_are_models_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
