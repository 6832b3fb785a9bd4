/* py_prediction - the type Prediction: predictive distributions of rows, written to arrays of the caller. */
#ifndef CP_PY_PREDICTION_H
#define CP_PY_PREDICTION_H

#include "py_core.h"

int cp_py_prediction_init(PyObject *module);
/* Takes the prediction over. */
PyObject *cp_py_prediction_wrap(copse_prediction *p);
/* The prediction of a Prediction, or NULL with an exception. */
copse_prediction *cp_py_prediction_of(PyObject *object);

#endif
