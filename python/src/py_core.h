/* py_core - what the files of the extension share: errors, strings, buffers.
 *
 * The extension sees copse.h and CPython's limited API of 3.11, so that one build serves 3.11 and all later versions.
 * It holds no numbers of its own: arrays are buffers of the caller, filled in place. */
#ifndef CP_PY_CORE_H
#define CP_PY_CORE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "copse.h"

/* Sets the exception for an error; returns NULL. */
PyObject *cp_py_core_raise(const copse_error *err);
/* Text of the library as a str; None for NULL. */
PyObject *cp_py_core_text(const char *text);
/* The UTF-8 of a str, NULL for None.  Returns -1 with an exception for another object. */
int cp_py_core_utf8(PyObject *text, const char **out);
/* A buffer of n doubles to write to, or to read from; returns -1 with an exception. */
int cp_py_core_doubles(PyObject *object, size_t n, int writable, Py_buffer *out);
/* A list of str and None as an array of n C strings, to be freed by PyMem_Free; NULL with an exception. */
const char **cp_py_core_texts(PyObject *list, size_t *out_n);
/* A heap type with constructor-less instances: `slots` ends with {0, NULL}. */
PyObject *cp_py_core_type(PyObject *module, const char *name, int size, PyType_Slot *slots);

#define CP_PY_KEYWORDS(function) ((PyCFunction)(void (*)(void))(function))

#endif
