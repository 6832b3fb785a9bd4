#include "btree/btree_report.h"

#include "btree/btree.h"

static void json_island(const cp_btree_island *s, cp_json *j) {
    cp_json_object(j, NULL);
    cp_json_number(j, "log_marginal", s->log_marginal);
    cp_json_integer(j, "stages", (int64_t)s->stages);
    cp_json_bool(j, "cut_short", s->cut_short != 0);
    cp_json_integer(j, "unique", (int64_t)s->unique);
    cp_json_integer(j, "resamplings", (int64_t)s->resamplings);
    cp_json_integer(j, "expanded", (int64_t)s->expanded);
    cp_json_integer(j, "worked", (int64_t)s->worked);
    cp_json_array(j, "ess");
    for (size_t k = 0; k < s->stages; k++) cp_json_number(j, NULL, (double)s->ess[k]);
    cp_json_close_array(j);
    cp_json_close_object(j);
}

static void json_moves(const char *key, const uint64_t count[CP_MOVES], cp_json *j) {
    cp_json_object(j, key);
    for (int m = 0; m < CP_MOVES; m++) cp_json_integer(j, cp_moves_name[m], (int64_t)count[m]);
    cp_json_close_object(j);
}

static void json_chain(const cp_btree_trace *t, cp_json *j) {
    cp_json_object(j, NULL);
    json_moves("proposed", t->proposed, j);
    json_moves("accepted", t->accepted, j);
    cp_json_array(j, "log_posterior");
    for (size_t k = 0; k < t->samples; k++) cp_json_number(j, NULL, t->log_post[k]);
    cp_json_close_array(j);
    cp_json_array(j, "leaves");
    for (size_t k = 0; k < t->samples; k++) cp_json_integer(j, NULL, t->leaves[k]);
    cp_json_close_array(j);
    cp_json_close_object(j);
}

void cp_btree_report(const void *state, cp_json *j) {
    const cp_btree *b = state;
    cp_json_array(j, b->chains ? "chains" : "islands");
    for (size_t i = 0; i < b->islands; i++) json_island(&b->island[i], j);
    for (size_t i = 0; i < b->chains; i++) json_chain(&b->trace[i], j);
    cp_json_close_array(j);
}
