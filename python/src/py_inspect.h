/* py_inspect - methods of Model that look into a model or measure it. */
#ifndef CP_PY_INSPECT_H
#define CP_PY_INSPECT_H

#include "py_core.h"

PyObject *cp_py_inspect_info(PyObject *self, PyObject *unused);
PyObject *cp_py_inspect_figures(PyObject *self, PyObject *unused);
PyObject *cp_py_inspect_diagnose(PyObject *self, PyObject *unused);
PyObject *cp_py_inspect_importance(PyObject *self, PyObject *args);
PyObject *cp_py_inspect_permute(PyObject *self, PyObject *args);
PyObject *cp_py_inspect_effect(PyObject *self, PyObject *args);
PyObject *cp_py_inspect_score(PyObject *self, PyObject *args);
PyObject *cp_py_inspect_traces(PyObject *self, PyObject *unused);
PyObject *cp_py_inspect_trace_values(PyObject *self, PyObject *args);
PyObject *cp_py_inspect_unseen(PyObject *self, PyObject *args);

#endif
