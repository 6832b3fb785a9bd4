/* py_table - the type Table: columns from buffers, lists, Arrow streams and files. */
#ifndef CP_PY_TABLE_H
#define CP_PY_TABLE_H

#include "py_core.h"

int cp_py_table_init(PyObject *module);
/* The table of a Table, or NULL with an exception. */
copse_table *cp_py_table_of(PyObject *object);

#endif
