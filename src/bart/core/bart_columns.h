/* bart_columns - the features as BART's trees see them: 16-bit codes, and the cuts that a column allows.
 *
 * A rule is a column and a cell of it (bayes/rule.h): a cell lies between two neighbouring values of the column.  Under
 * grid and quantile cuts each value is replaced by the number of its bin.  The width of a cell is then the number of
 * cuts in it, so that "uniform by width" is uniform over cuts.
 *
 * A code has 16 bits, so a column has at most 65536 codes.  A column with more different values is binned also under
 * uniform cuts: neighbouring values go to one bin, the greatest of them stands for the bin, and the only cuts are the
 * ends of bins. */
#ifndef CP_BART_COLUMNS_H
#define CP_BART_COLUMNS_H

#include "base/fail.h"
#include "bayes/rule.h"
#include "data/ranks.h"
#include "kernel/leaf_pass.h"
#include "num/rng.h"

typedef enum cp_bart_cuts { CP_BART_CUTS_UNIFORM, CP_BART_CUTS_GRID, CP_BART_CUTS_QUANTILE } cp_bart_cuts;

typedef struct cp_bart_columns {
    cp_ranks ranks;
    uint16_t *code; /* dims x rows, column after column: the ranks in 16 bits, for passes over all rows */
    cp_bart_cuts cuts;
    float *edge;   /* the cuts of binned columns, rising, column 0 first; cut j separates bins j and j+1 */
    size_t *start; /* dims + 1: where a column's cuts begin in edge; a column that is not binned has none */
    const cp_leaf_pass *leaf_pass; /* kernels for passes over rows: plain C or AVX2 */
} cp_bart_columns;

/* Row-major; all values are finite. */
typedef struct cp_bart_matrix {
    const float *x;
    size_t rows, dims;
} cp_bart_matrix;

/* cuts_per_column: 1 ... 65535 for grid and quantile cuts; unused for uniform cuts. */
copse_status cp_bart_columns_init(cp_bart_columns *c, const cp_bart_matrix *m, cp_bart_cuts cuts,
                                  size_t cuts_per_column, const copse_run *run, copse_error *err);
void cp_bart_columns_clear(cp_bart_columns *c);

/* Draws a cut from its prior given the rule's cell.  x <= cut holds for exactly those rows whose rank is at most the
 * cell. */
float cp_bart_columns_cut(const cp_bart_columns *c, cp_rule rule, cp_rng *rng);
/* 1 if cp_bart_columns_cut can give this cut for the rule. */
int cp_bart_columns_has(const cp_bart_columns *c, cp_rule rule, float cut);

static inline const uint16_t *cp_bart_columns_code(const cp_bart_columns *c, size_t dim) {
    return c->code + dim * c->ranks.rows;
}

#endif
