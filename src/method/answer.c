/* answer - room for predictions, and how parts of them are put together. */
#include "method/answer.h"

#include <string.h>

#include "base/mem.h"

/* Room for n elements, no more, whose contents are lost if it has to grow. */
static copse_status room_for(void *ptr_slot, size_t *cap, size_t n, size_t size, copse_error *err) {
    void *old;
    memcpy(&old, ptr_slot, sizeof old);
    if (old && n <= *cap) return COPSE_OK;
    cp_mem_free(old);
    void *room = cp_mem_raw(n, size);
    memcpy(ptr_slot, &room, sizeof room);
    *cap = room ? n : 0;
    return room ? COPSE_OK : cp_fail_memory(err);
}

copse_status cp_answer_init(cp_answer *a, copse_task task, size_t rows, size_t classes, copse_error *err) {
    *a = (cp_answer){0};
    return cp_answer_reset(a, task, rows, classes, err);
}

/* The arrays of `a`, and nothing of what they hold. */
static cp_answer empty_again(const cp_answer *a) {
    return (cp_answer){.tree = CP_NONE,
                       .probs = a->probs,
                       .start = a->start,
                       .comp = a->comp,
                       .gauss_room = a->gauss_room,
                       .drawn_room = a->drawn_room,
                       .cap_comp = a->cap_comp,
                       .cap_gauss = a->cap_gauss,
                       .cap_drawn = a->cap_drawn,
                       .cap_probs = a->cap_probs,
                       .cap_start = a->cap_start};
}

copse_status cp_answer_reset(cp_answer *a, copse_task task, size_t rows, size_t classes, copse_error *err) {
    *a = empty_again(a);
    a->task = task;
    a->rows = rows;
    if (task == COPSE_CLASS) {
        if (classes && rows > SIZE_MAX / classes) return cp_fail_memory(err);
        a->classes = classes;
        CP_TRY(room_for(&a->probs, &a->cap_probs, rows * classes, sizeof *a->probs, err));
        memset(a->probs, 0, rows * classes * sizeof *a->probs);
        return COPSE_OK;
    }
    CP_TRY(room_for(&a->start, &a->cap_start, rows + 1, sizeof *a->start, err));
    memset(a->start, 0, (rows + 1) * sizeof *a->start);
    return COPSE_OK;
}

copse_status cp_answer_add(cp_answer *a, cp_component c, copse_error *err) {
    if (a->n_comp == a->cap_comp) CP_TRY(CP_GROW(a->comp, a->cap_comp, a->n_comp + 1, err));
    a->comp[a->n_comp++] = c;
    return COPSE_OK;
}

copse_status cp_answer_reserve(cp_answer *a, size_t more, copse_error *err) {
    return CP_GROW(a->comp, a->cap_comp, a->n_comp + more, err);
}

void cp_answer_end_row(cp_answer *a) {
    size_t first = a->start[a->ended];
    CP_BUG(a->ended >= a->rows || a->n_comp == first);
    a->n_comp = first + cp_mixture_tidy(a->comp + first, a->n_comp - first);
    a->start[++a->ended] = a->n_comp;
}

copse_status cp_answer_fill(cp_answer *a, size_t per_row, double centre, double unit, copse_error *err) {
    size_t groups = (a->rows + CP_ANSWER_ROWS - 1) / CP_ANSWER_ROWS;
    CP_BUG(a->ended || a->gauss || !per_row);
    if (groups && per_row > SIZE_MAX / CP_ANSWER_ROWS / groups) return cp_fail_memory(err);
    CP_TRY(room_for(&a->gauss_room, &a->cap_gauss, groups * CP_ANSWER_ROWS * per_row, sizeof *a->gauss_room, err));
    a->gauss = a->gauss_room;
    a->per_row = per_row;
    a->centre = centre;
    a->unit = unit;
    a->ended = a->rows;
    return COPSE_OK;
}

static copse_status place_gauss(cp_answer *a, size_t first, const cp_answer *part, copse_error *err) {
    if (!a->gauss) CP_TRY(cp_answer_fill(a, part->per_row, part->centre, part->unit, err));
    a->in_order = part->in_order;
    a->of_mean = part->of_mean;
    CP_BUG(first % CP_ANSWER_ROWS || a->per_row != part->per_row);
    size_t groups = (part->rows + CP_ANSWER_ROWS - 1) / CP_ANSWER_ROWS;
    memcpy(cp_answer_gauss(a, first, 0), part->gauss, groups * CP_ANSWER_ROWS * part->per_row * sizeof *part->gauss);
    return COPSE_OK;
}

copse_status cp_answer_fill_drawn(cp_answer *a, size_t draws, copse_error *err) {
    size_t of_draw = a->rows * a->classes;
    if (of_draw && draws > SIZE_MAX / of_draw) return cp_fail_memory(err);
    a->per_row = draws;
    CP_TRY(room_for(&a->drawn_room, &a->cap_drawn, of_draw * draws, sizeof *a->drawn_room, err));
    a->drawn = a->drawn_room;
    return COPSE_OK;
}

static copse_status place_drawn(cp_answer *a, size_t first, const cp_answer *part, copse_error *err) {
    if (!a->drawn) CP_TRY(cp_answer_fill_drawn(a, part->per_row, err));
    a->of_mean = part->of_mean;
    CP_BUG(a->classes != part->classes || a->per_row != part->per_row);
    memcpy(cp_answer_drawn(a, first, 0), part->drawn, part->rows * part->classes * part->per_row * sizeof *part->drawn);
    return COPSE_OK;
}

copse_status cp_answer_place(cp_answer *a, size_t first, const cp_answer *part, copse_error *err) {
    if (part->drawn) CP_TRY(place_drawn(a, first, part, err));
    if (a->task == COPSE_CLASS) {
        for (size_t i = 0; i < part->rows; i++)
            for (size_t k = 0; k < part->classes; k++)
                a->probs[(first + i) * a->classes + k] = part->probs[i * part->classes + k];
        return COPSE_OK;
    }
    if (part->gauss) return place_gauss(a, first, part, err);
    CP_BUG(first != a->ended);
    CP_TRY(CP_GROW(a->comp, a->cap_comp, a->n_comp + part->n_comp, err));
    for (size_t i = 0; i < part->n_comp; i++) a->comp[a->n_comp + i] = part->comp[i];
    for (size_t i = 0; i < part->rows; i++) a->start[++a->ended] = a->n_comp + part->start[i + 1];
    a->n_comp += part->n_comp;
    return COPSE_OK;
}

copse_status cp_answer_new_each(size_t trees, copse_task task, size_t rows, size_t classes, cp_answer **out,
                                copse_error *err) {
    copse_status status = COPSE_OK;
    CP_TRY(CP_NEW(*out, trees, err));
    for (size_t m = 0; !status && m < trees; m++) status = cp_answer_init(&(*out)[m], task, rows, classes, err);
    if (status) {
        cp_answer_free_each(*out, trees);
        *out = NULL;
    }
    return status;
}

void cp_answer_free_each(cp_answer *each, size_t trees) {
    for (size_t m = 0; each && m < trees; m++) cp_answer_clear(&each[m]);
    cp_mem_free(each);
}

size_t cp_answer_piece(size_t trees, copse_task task, size_t classes, size_t per_row) {
    size_t bytes = task == COPSE_CLASS ? classes * sizeof(double) : per_row * sizeof(cp_component);
    size_t room = ((size_t)32 << 20) / (bytes * trees);
    return room < 1 ? 1 : room > 1024 ? 1024 : room;
}

static void merge_probs(double *to, const cp_answer *each, size_t trees, size_t row, double weight) {
    for (size_t m = 0; m < trees; m++)
        for (size_t k = 0; k < each[m].classes; k++) to[k] += weight * each[m].probs[row * each[m].classes + k];
}

static copse_status merge_components(cp_answer *a, const cp_answer *each, size_t trees, size_t row, double weight,
                                     copse_error *err) {
    for (size_t m = 0; m < trees; m++)
        for (size_t c = each[m].start[row]; c < each[m].start[row + 1]; c++) {
            cp_component part = each[m].comp[c];
            part.weight *= weight;
            CP_TRY(cp_answer_add(a, part, err));
        }
    cp_answer_end_row(a);
    return COPSE_OK;
}

copse_status cp_answer_merge(cp_answer *a, size_t first, const cp_answer *each, size_t trees, double weight,
                             copse_error *err) {
    CP_BUG(a->task == COPSE_REGRESS && first != a->ended);
    for (size_t i = 0; i < each->rows; i++) {
        if (a->task == COPSE_CLASS)
            merge_probs(a->probs + (first + i) * a->classes, each, trees, i, weight);
        else
            CP_TRY(merge_components(a, each, trees, i, weight, err));
    }
    return COPSE_OK;
}

void cp_answer_raise(cp_answer *a, double least) {
    for (size_t i = 0; a->probs && i < a->rows; i++) {
        double *p = a->probs + i * a->classes, sum = 0;
        int low = 0;
        for (size_t k = 0; k < a->classes; k++) low |= p[k] < least;
        for (size_t k = 0; low && k < a->classes; k++) sum += p[k] = p[k] < least ? least : p[k];
        for (size_t k = 0; low && k < a->classes; k++) p[k] /= sum;
    }
}

cp_mixture cp_answer_mixture(const cp_answer *a, size_t row) {
    if (!a->gauss) return (cp_mixture){.c = a->comp + a->start[row], .n = a->start[row + 1] - a->start[row]};
    return (cp_mixture){.n = a->per_row,
                        .g = cp_answer_gauss(a, row, 0),
                        .stride = CP_ANSWER_ROWS,
                        .centre = a->centre,
                        .unit = a->unit};
}

size_t cp_answer_label(const cp_answer *a, size_t row) {
    const double *p = a->probs + row * a->classes;
    size_t best = 0;
    for (size_t k = 1; k < a->classes; k++)
        if (p[k] > p[best]) best = k;
    return best;
}

void cp_answer_clear(cp_answer *a) {
    cp_mem_free(a->probs);
    cp_mem_free(a->start);
    cp_mem_free(a->comp);
    cp_mem_free(a->gauss_room);
    cp_mem_free(a->drawn_room);
    *a = (cp_answer){0};
}
