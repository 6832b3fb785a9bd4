/* py_row - the type Row: one row at a time, for streams and services. */
#ifndef CP_PY_ROW_H
#define CP_PY_ROW_H

#include "py_core.h"

int cp_py_row_init(PyObject *module);

#endif
