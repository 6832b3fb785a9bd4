#include "mondrian/mondrian_prefetch.h"

#include "kernel/prefetch.h"

void cp_mondrian_prefetch_tree(const cp_mondrian_tree *t, const cp_mondrian_space *s, size_t points) {
    enum { LINE = 64, NODES_PER_POINT = 16 };
    const char *node = (const char *)t->node, *box = (const char *)t->box;
    if (points <= t->nodes / NODES_PER_POINT) return;
    for (size_t i = 0; i < t->nodes * sizeof *t->node; i += LINE) cp_prefetch(node + i);
    for (size_t i = 0; i < t->boxes * 2 * s->dims * sizeof *t->box; i += LINE) cp_prefetch(box + i);
}

/* Nodes without a box are at the end of the path; the rows of the first of them include those of the others. */
void cp_mondrian_prefetch_boxes(const cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s) {
    enum { NODES = 5, LINE = 16, MOST = 4 * LINE }; /* LINE, MOST: floats */
    size_t length = 2 * s->dims < MOST ? 2 * s->dims : MOST;
    const int32_t *leaf = p->node_id + (p->n - 1) * CP_MONDRIAN_PATH_LANES;
    const int32_t *id = p->n > NODES ? leaf - (size_t)(NODES - 1) * CP_MONDRIAN_PATH_LANES : p->node_id;
    for (; id <= leaf && cp_mondrian_tree_has_box(&t->node[*id]); id += CP_MONDRIAN_PATH_LANES) {
        const float *box = cp_mondrian_tree_own_box(t, s, t->node[*id].box);
        cp_prefetch(box);
        for (size_t k = LINE; k < length; k += LINE) cp_prefetch(box + k);
        cp_prefetch(box + length - 1); /* a box need not begin a line */
    }
    if (id > leaf) return;
    int32_t row[CP_MONDRIAN_HULL_ROWS];
    size_t rows = cp_mondrian_tree_hull_rows(t, &t->node[*id], row);
    for (size_t i = 0; i < rows; i++) cp_prefetch(cp_mondrian_tree_row(s, row[i]));
}

/* An array that grows. */
typedef struct array {
    void *items;
    size_t n, cap, size;
} array;

/* Asks for the pages of a quarter more items than there are, but for no more than the rows to come will make: `rate`
 * is those rows over the rows learnt.  Does nothing until `*asked` items are in use. */
static void ask_for_pages(array a, double rate, size_t *asked) {
    enum { LEAST = 1 << 14 }; /* bytes: looks again after so many, if it expects fewer */
    if (a.n < *asked) return;
    size_t ahead = (size_t)((rate < 0.25 ? rate : 0.25) * (double)a.n);
    if (ahead > a.cap - a.n) ahead = a.cap - a.n;
    cp_mem_prefault((char *)a.items + a.n * a.size, ahead * a.size);
    *asked = a.n + (ahead * a.size < LEAST ? LEAST / a.size : ahead);
}

void cp_mondrian_prefetch_growth(cp_mondrian_prefetch_pages *pages, const cp_mondrian_tree *t,
                                 const cp_mondrian_space *s) {
    if (t->nodes < pages->nodes && t->boxes < pages->boxes) return;
    double rate = (double)(s->rows - t->rows) / (double)(t->rows + 1);
    ask_for_pages((array){t->node, t->nodes, t->cap_nodes, sizeof *t->node}, rate, &pages->nodes);
    ask_for_pages((array){t->box, t->boxes, t->cap_boxes, 2 * s->dims * sizeof *t->box}, rate, &pages->boxes);
}
