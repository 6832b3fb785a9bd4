/* inspect - a split of a tree as JSON. */
#include "method/inspect.h"

void cp_inspect_node_json(const cp_inspect_node *v, uint32_t levels, int takes_missing, cp_json *j) {
    cp_json_integer(j, "feature", (int64_t)v->dim);
    if (v->set) {
        cp_json_array(j, "levels");
        for (uint32_t k = 0; k < levels; k++)
            if (v->set[k / 32] >> k % 32 & 1) cp_json_integer(j, NULL, k);
        cp_json_close_array(j);
    } else {
        cp_json_number(j, "cut", v->cut);
    }
    if (takes_missing) cp_json_text(j, "missing", v->missing_left ? "left" : "right");
}
