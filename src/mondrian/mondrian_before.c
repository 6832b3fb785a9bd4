#include "mondrian/mondrian_before.h"

#include "base/mem.h"
#include "mondrian/mondrian_counts.h"
#include "mondrian/mondrian_predict.h"

/* The hyperparameters follow the rows. */
static void set_hyper(const cp_mondrian_before *b, const cp_mondrian *f, const cp_rows *piece) {
    cp_mondrian_stat seen = f->moments;
    for (size_t i = 0; i < piece->n; i++) {
        b->hyper[i] =
            f->marginal ? f->hyper : cp_mondrian_gauss_heuristic(f->space.dims, seen.n, seen.mean, seen.m2 / seen.n);
        cp_mondrian_gauss_learn(&seen, piece->y[i] - f->center);
    }
}

/* As cp_mondrian_counts_base has them. */
static void set_base(const cp_mondrian_before *b, const cp_mondrian *f, const cp_rows *piece) {
    size_t classes = f->space.classes;
    double rows = (double)f->space.rows + 0.5 * (double)classes;
    cp_mondrian_counts_base(&f->tree[0], classes, b->base);
    for (size_t i = 1; i < piece->n; i++, rows += 1) {
        const double *before = b->base + (i - 1) * classes;
        for (size_t k = 0; k < classes; k++) b->base[i * classes + k] = before[k] * (rows / (rows + 1));
        b->base[i * classes + (size_t)piece->label[i - 1]] += 1 / (rows + 1);
    }
}

copse_status cp_mondrian_before_init(cp_mondrian_before *b, const cp_mondrian *f, const cp_rows *piece,
                                     copse_error *err) {
    *b = (cp_mondrian_before){.rows = f->space.rows, .moments = f->moments, .n = piece->n};
    if (f->task == COPSE_CLASS) {
        if (!f->honest.on) return COPSE_OK;
        CP_TRY(CP_RAW(b->base, piece->n * f->space.classes, err));
        set_base(b, f, piece);
        return COPSE_OK;
    }
    CP_TRY(CP_RAW(b->hyper, piece->n, err));
    set_hyper(b, f, piece);
    return f->honest.on ? CP_NEW(b->size, f->trees * piece->n, err) : COPSE_OK;
}

void cp_mondrian_before_clear(cp_mondrian_before *b) {
    cp_mem_free(b->hyper);
    cp_mem_free(b->base);
    cp_mem_free(b->size);
    *b = (cp_mondrian_before){0};
}

copse_status cp_mondrian_before_predict(const cp_mondrian_before *b, const cp_mondrian *f, cp_mondrian_before_row row,
                                        cp_answer *out, copse_error *err) {
    if (f->task == COPSE_CLASS) {
        const double *base = b->base ? b->base + row.place * f->space.classes : NULL;
        cp_mondrian_predict_tree(f, row.tree, base, row.path, out->probs + row.place * out->classes);
        return COPSE_OK;
    }
    double *size = b->size ? b->size + row.tree * b->n + row.place : NULL;
    const cp_mondrian_gauss_sink sink = {&b->hyper[row.place], f->center, 1, out, size};
    CP_TRY(cp_mondrian_gauss_predict(&f->tree[row.tree], &f->space, row.path, &sink, err));
    cp_answer_end_row(out);
    return COPSE_OK;
}

void cp_mondrian_before_finish(const cp_mondrian_before *b, const cp_mondrian *f, const cp_rows *piece, size_t first,
                               cp_answer *out) {
    cp_mondrian_stat moments = b->moments;
    for (size_t i = 0; f->honest.on && i < piece->n; i++) {
        if (f->task == COPSE_CLASS) {
            cp_mondrian_honest_classes(&f->honest, (double)(b->rows + i), b->base + i * f->space.classes,
                                       f->space.classes, out->probs + (first + i) * out->classes);
            continue;
        }
        cp_mondrian_spread x = {.rows = moments.n, .var = moments.m2 / moments.n};
        for (size_t m = 0; m < f->trees; m++) x.size += b->size[m * b->n + i] / (double)f->trees;
        size_t start = out->start[first + i];
        cp_mondrian_honest_numbers(&f->honest, x, out->comp + start, out->start[first + i + 1] - start);
        cp_mondrian_gauss_learn(&moments, piece->y[i] - f->center);
    }
}
