/* py_study - the type Study: Bayesian optimisation, ask and tell. */
#ifndef CP_PY_STUDY_H
#define CP_PY_STUDY_H

#include "py_core.h"

int cp_py_study_init(PyObject *module);

#endif
