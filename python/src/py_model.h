/* py_model - the type Model: fit, learn, predict, save. */
#ifndef CP_PY_MODEL_H
#define CP_PY_MODEL_H

#include "py_core.h"

int cp_py_model_init(PyObject *module);
/* The model of a Model, or NULL with an exception. */
copse_model *cp_py_model_of(PyObject *object);

#endif
