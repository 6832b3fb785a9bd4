#include "api/api_check.h"
#include "model/model_file.h"

typedef struct copy_args {
    const copse_model *model;
    copse_model *made;
} copy_args;

static copse_status do_copy(void *arg, const copse_run *run, copse_error *err) {
    copy_args *a = arg;
    return cp_model_file_copy(a->model, run->memory_limit, &a->made, err);
}

copse_status copse_model_copy(const copse_model *model, const copse_run *run, copse_model **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(model);
    copy_args a = {.model = model};
    CP_TRY(cp_api_check_call(run, do_copy, &a, err));
    *out = a.made;
    return COPSE_OK;
}
