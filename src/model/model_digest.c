#include "model/model_digest.h"

#include <string.h>

#include "model/model_file.h"

static int ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Does the section hold something learnt?  Members of a model have options of their own. */
static int is_learnt(const char *section) {
    if (ends_with(section, ".option_names") || ends_with(section, ".option_values")) return 0;
    static const char *const other[] = {"written_by", "option_names", "option_values", "padding"};
    static const char *const other_prefix[] = {"position.", "ids.", "columns."};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(section, other[i]) == 0) return 0;
    for (size_t i = 0; i < sizeof other_prefix / sizeof *other_prefix; i++)
        if (strncmp(section, other_prefix[i], strlen(other_prefix[i])) == 0) return 0;
    return 1;
}

copse_status cp_model_digest(const copse_model *m, char out[CP_SHA256_HEX], copse_error *err) {
    cp_writer *w;
    CP_TRY(cp_writer_new_digest(&w, err));
    cp_writer_may_stop(w);
    copse_status status = cp_model_file_write(m, 0, w, err);
    if (!status) cp_writer_digest(w, is_learnt, out);
    cp_writer_free(w);
    return status;
}
