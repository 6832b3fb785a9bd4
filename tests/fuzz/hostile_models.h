/* hostile_models - small honest models of every method, of both tasks, frozen and not: what mutants are made of. */
#ifndef HOSTILE_MODELS_H
#define HOSTILE_MODELS_H

#include "copse.h"
#include "parts.h"

enum { MAX_MODELS = 64 };

copse_table *hostile_models_table(const char *set, size_t rows, uint64_t seed);
/* Adds a text column, so that there are levels and indicators to attack. */
void hostile_models_add_text(copse_table *t, const char *name, size_t levels);
/* options: "method name value name value". */
copse_params *hostile_models_params(const char *options);
/* Frees the table. */
image hostile_models_fit(copse_table *t, const char *target, const char *options, unsigned flags);
image hostile_models_image(const copse_model *m, unsigned flags);

/* At most MAX_MODELS; returns how many. */
size_t hostile_models_make(image *out);

#endif
