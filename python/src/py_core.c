/* The module copse._core: types over the objects of copse.h, functions that list methods and options. */
#include "py_core.h"

#include <string.h>

#include "py_model.h"
#include "py_prediction.h"
#include "py_row.h"
#include "py_study.h"
#include "py_table.h"

/* A Python function that makes an exception of (code, what, name, row, col, message); set once by the package. */
static PyObject *make_error;

PyObject *cp_py_core_text(const char *text) {
    if (!text) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *cp_py_core_raise(const copse_error *err) {
    if (err->code == COPSE_E_MEMORY) return PyErr_NoMemory();
    PyObject *name = cp_py_core_text(err->name), *msg = cp_py_core_text(err->msg), *error = NULL;
    if (name && msg && make_error)
        error =
            PyObject_CallFunction(make_error, "iiOllO", (int)err->code, (int)err->what, name, err->row, err->col, msg);
    else if (msg && !make_error)
        PyErr_SetObject(PyExc_RuntimeError, msg);
    Py_XDECREF(name);
    Py_XDECREF(msg);
    if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return NULL;
}

int cp_py_core_utf8(PyObject *text, const char **out) {
    *out = NULL;
    if (!text || text == Py_None) return 0;
    Py_ssize_t n;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a str is needed here");
        return -1;
    }
    if (!(*out = PyUnicode_AsUTF8AndSize(text, &n))) return -1;
    if (strlen(*out) == (size_t)n) return 0;
    PyErr_SetString(PyExc_ValueError, "text with a NUL character cannot be used");
    return -1;
}

int cp_py_core_doubles(PyObject *object, size_t n, int writable, Py_buffer *out) {
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, out, flags)) return -1;
    if (out->itemsize == sizeof(double) && out->format && !strcmp(out->format, "d") &&
        (size_t)out->len == n * sizeof(double))
        return 0;
    PyErr_Format(PyExc_ValueError, "a buffer of %zu doubles is needed, not of %zd bytes of format '%s'", n, out->len,
                 out->format ? out->format : "B");
    PyBuffer_Release(out);
    return -1;
}

const char **cp_py_core_texts(PyObject *list, size_t *out_n) {
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "a list of str and None is needed here");
        return NULL;
    }
    Py_ssize_t n = PyList_Size(list);
    const char **text = PyMem_Calloc(n ? (size_t)n : 1, sizeof *text);
    if (!text) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (cp_py_core_utf8(PyList_GetItem(list, i), &text[i])) {
            PyMem_Free((void *)text);
            return NULL;
        }
    }
    *out_n = (size_t)n;
    return text;
}

PyObject *cp_py_core_type(PyObject *module, const char *name, int size, PyType_Slot *slots) {
    PyType_Spec spec = {.name = name,
                        .basicsize = size,
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        .slots = slots};
    PyObject *type = PyType_FromSpec(&spec);
    if (!type || PyModule_AddObjectRef(module, strrchr(name, '.') + 1, type)) {
        Py_XDECREF(type);
        return NULL;
    }
    return type;
}

static PyObject *set_error_maker(PyObject *module, PyObject *function) {
    (void)module;
    PyObject *old = make_error;
    Py_INCREF(function);
    make_error = function;
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static PyObject *method_as_dict(const copse_method_info *m) {
    return Py_BuildValue("{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i}", "name", m->name, "summary", m->summary, "tasks",
                         (int)m->tasks, "online", m->online, "samples", m->samples, "takes_weights", m->takes_weights,
                         "takes_missing", m->takes_missing, "takes_categories", m->takes_categories);
}

static PyObject *list_methods(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    const copse_method_info *m;
    for (size_t i = 0; list && (m = copse_method(i)); i++) {
        PyObject *info = method_as_dict(m);
        if (!info || PyList_Append(list, info)) Py_CLEAR(list);
        Py_XDECREF(info);
    }
    return list;
}

static PyObject *check_option(PyObject *module, PyObject *args) {
    (void)module;
    const char *method, *name, *value;
    copse_error err = {0};
    copse_params *p = NULL;
    if (!PyArg_ParseTuple(args, "sss", &method, &name, &value)) return NULL;
    copse_status status = copse_params_new(method, &p, &err);
    if (!status) status = copse_params_set(p, name, value, &err);
    copse_params_free(p);
    if (status) return cp_py_core_raise(&err);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"set_error_maker", set_error_maker, METH_O, "The function that makes exceptions of the library's errors."},
    {"methods", list_methods, METH_NOARGS, "A dict for each method of the library."},
    {"check_option", check_option, METH_VARARGS, "check_option(method, name, value): raises if it is not possible."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "copse._core", .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (cp_py_table_init(module) || cp_py_model_init(module) || cp_py_prediction_init(module) ||
        cp_py_row_init(module) || cp_py_study_init(module) ||
        PyModule_AddStringConstant(module, "version", copse_version())) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
