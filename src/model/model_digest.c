#include <string.h>

#include "model/model.h"

/* What was learnt: not who wrote it, with which options, where in a stream it stands or what its columns were. */
static int is_learnt(const char *name) {
    static const char *const other[] = {"written_by", "option_names", "option_values", "padding"};
    static const char *const others_begin[] = {"position.", "ids.", "columns."};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(name, other[i]) == 0) return 0;
    for (size_t i = 0; i < sizeof others_begin / sizeof *others_begin; i++)
        if (strncmp(name, others_begin[i], strlen(others_begin[i])) == 0) return 0;
    return 1;
}

copse_status cp_model_digest(const copse_model *m, char out[CP_SHA256_HEX], copse_error *err) {
    cp_writer *w;
    CP_TRY(cp_writer_new_digest(&w, err));
    copse_status status = cp_model_write(m, 0, w, err);
    if (!status) cp_writer_digest(w, is_learnt, out);
    cp_writer_free(w);
    return status;
}
