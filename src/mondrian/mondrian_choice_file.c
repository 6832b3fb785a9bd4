#include "mondrian/mondrian_choice_file.h"

#include <math.h>

#include "mondrian/mondrian_candidates.h"
#include "mondrian/mondrian_split.h"

/* Memory of a loaded tree besides the two sections. */
enum { NODE_BYTES = sizeof(int32_t), CHOICE_BYTES = sizeof(cp_mondrian_choice) };

copse_status cp_mondrian_choice_file_write(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_writer *w,
                                           copse_error *err) {
    copse_status status = COPSE_OK;
    size_t m = s->candidates, n = 0;
    int32_t *dim = NULL;
    float *cut = NULL;
    CP_TRY_OUT(CP_RAW(dim, t->nodes / 2 * m + 1, err));
    CP_TRY_OUT(CP_RAW(cut, t->nodes / 2 * m + 1, err));
    for (size_t j = 0; j < t->nodes; j++) {
        if (t->chosen[j] == CP_NONE) continue;
        const cp_mondrian_split *candidate = t->candidate + (size_t)t->chosen[j] * m;
        for (size_t k = 0; k < m; k++, n++) {
            dim[n] = candidate[k].dim;
            cut[n] = candidate[k].cut;
        }
    }
    cp_writer_claim(w, t->nodes, NODE_BYTES);
    cp_writer_claim(w, n / m, CHOICE_BYTES);
    CP_TRY_OUT(cp_writer_array(w, "candidate_dim", CP_I32, dim, n, err));
    CP_TRY_OUT(cp_writer_array(w, "candidate_cut", CP_F32, cut, n, err));
out:
    cp_mem_free(dim);
    cp_mem_free(cut);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Numbers the splits that have candidates; returns how many they are.  `rows`: scratch for t->nodes numbers. */
static size_t number_choices(cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *order, int32_t *rows) {
    for (size_t i = t->nodes; i-- > 0;) {
        const cp_mondrian_node *n = &t->node[order[i]];
        rows[order[i]] = cp_mondrian_tree_is_leaf(n) ? n->count : rows[n->left] + rows[n->right];
    }
    t->choices = 0;
    for (size_t j = 0; j < t->nodes; j++) {
        t->chosen[j] = CP_NONE;
        if (cp_mondrian_tree_is_leaf(&t->node[j]) || (size_t)rows[j] < s->record_rows) continue;
        t->choice[t->choices] = (cp_mondrian_choice){.rows = rows[j]};
        t->chosen[j] = (int32_t)t->choices++;
    }
    return t->choices;
}

/* Candidates of node j lie inside its box, and its split is one of them. */
static copse_status check_candidates(const cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t j, cp_reader *r,
                                     float *buf, copse_error *err) {
    const cp_mondrian_node *n = &t->node[j];
    const cp_mondrian_split *c = t->candidate + (size_t)t->chosen[j] * s->candidates;
    const float *box = cp_mondrian_tree_box(t, s, n, buf);
    int found = 0;
    for (size_t k = 0; k < s->candidates; k++, c++) {
        if (c->dim < 0 || (size_t)c->dim >= s->dims || !(box[c->dim] <= c->cut) ||
            !(c->cut < box[s->dims + (size_t)c->dim]))
            return cp_reader_bad(r, err, "node %d has a candidate outside its box", j);
        found |= c->dim == n->dim && c->cut == n->cut;
    }
    return found ? COPSE_OK : cp_reader_bad(r, err, "the split of node %d is none of its candidates", j);
}

static copse_status read_candidates(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *dim = NULL;
    float *cut = NULL, *buf = NULL;
    size_t n = t->choices * s->candidates;
    CP_TRY_OUT(cp_reader_array(r, "candidate_dim", CP_I32, n, &dim, err));
    CP_TRY_OUT(cp_reader_array(r, "candidate_cut", CP_F32, n, &cut, err));
    CP_TRY_OUT(cp_mem_grow(&t->candidate, &t->cap_candidates, t->choices, s->candidates * sizeof *t->candidate, err));
    CP_TRY_OUT(CP_RAW(buf, 2 * s->dims, err));
    for (size_t i = 0; i < n; i++) t->candidate[i] = (cp_mondrian_split){dim[i], cut[i]};
    for (size_t j = 0; j < t->nodes; j++)
        if (t->chosen[j] != CP_NONE) CP_TRY_OUT(check_candidates(t, s, (int32_t)j, r, buf, err));
out:
    cp_mem_free(dim);
    cp_mem_free(cut);
    cp_mem_free(buf);
    return status;
}

/* Finds the last row that chose at each node.  Rows come down from the root in ascending order: `row` holds the rows of
 * the root, then those of its left child before those of its right child, and so on; `first` is where a node's rows
 * begin. */
static void find_voters(cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *order, int32_t *row,
                        int32_t *spare, int32_t *first) {
    for (size_t i = 0; i < t->rows; i++) row[i] = (int32_t)i;
    first[0] = 0;
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_mondrian_node *n = &t->node[order[i]];
        if (t->chosen[order[i]] == CP_NONE) continue; /* below, no node has candidates either */
        cp_mondrian_choice *c = &t->choice[t->chosen[order[i]]];
        int32_t *own = row + first[order[i]];
        c->last = own[cp_mondrian_candidates_voters(s, (size_t)c->rows) - 1];
        size_t left = cp_mondrian_split_rows(s, (cp_mondrian_split){n->dim, n->cut}, own, (size_t)c->rows, spare);
        first[n->left] = first[order[i]];
        first[n->right] = first[order[i]] + (int32_t)left;
    }
}

copse_status cp_mondrian_choice_file_read(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                          const int32_t *order, copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *first = NULL, *row = NULL, *spare = NULL;
    CP_TRY(cp_reader_claim(r, t->nodes, NODE_BYTES, err));
    CP_TRY_OUT(CP_GROW(t->chosen, t->cap_chosen, t->nodes, err));
    CP_TRY_OUT(CP_GROW(t->choice, t->cap_choices, t->nodes / 2 + 1, err));
    CP_TRY_OUT(CP_RAW(first, t->nodes, err));
    CP_TRY_OUT(cp_reader_claim(r, number_choices(t, s, order, first), CHOICE_BYTES, err));
    CP_TRY_OUT(read_candidates(t, s, r, err));
    CP_TRY_OUT(CP_RAW(row, t->rows, err));
    CP_TRY_OUT(CP_RAW(spare, t->rows, err));
    find_voters(t, s, order, row, spare, first);
out:
    cp_mem_free(first);
    cp_mem_free(row);
    cp_mem_free(spare);
    return status;
}
