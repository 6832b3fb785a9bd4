/* describe - a model, or one of its trees, as JSON, dot or text. */
#ifndef CP_DESCRIBE_H
#define CP_DESCRIBE_H

#include "model/model.h"

/* The method's figures, then its details; returns how many there are. */
size_t cp_describe_figures(const copse_model *m, copse_figure out[COPSE_MAX_FIGURES]);
/* The model as one JSON object. */
copse_status cp_describe_model(const copse_model *m, copse_write_fn write, void *arg, copse_error *err);
/* One tree; format is json, dot or text. */
copse_status cp_describe_tree(const copse_model *m, size_t tree, const char *format, copse_write_fn write, void *arg,
                              copse_error *err);

#endif
