#include "py_table.h"

#include <string.h>

#include "py_run.h"

typedef struct table_object {
    PyObject_HEAD copse_table *table;
} table_object;

static PyObject *type;

copse_table *cp_py_table_of(PyObject *object) {
    if (Py_TYPE(object) == (PyTypeObject *)type) return ((table_object *)object)->table;
    PyErr_SetString(PyExc_TypeError, "a Table is needed here");
    return NULL;
}

/* Takes the table over. */
static PyObject *wrap(copse_table *table) {
    table_object *t = PyObject_New(table_object, (PyTypeObject *)type);
    if (t)
        t->table = table;
    else
        copse_table_free(table);
    return (PyObject *)t;
}

static void dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    copse_table_free(((table_object *)self)->table);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* The type of a buffer's items: its code of the struct module, and the size. */
static int type_of(const Py_buffer *b, copse_type *out) {
    static const struct {
        char code;
        int size;
        copse_type type;
    } known[] = {
        {'d', 8, COPSE_F64}, {'f', 4, COPSE_F32}, {'?', 1, COPSE_BOOL}, {'b', 1, COPSE_I8},  {'B', 1, COPSE_U8},
        {'h', 2, COPSE_I16}, {'H', 2, COPSE_U16}, {'i', 4, COPSE_I32},  {'I', 4, COPSE_U32}, {'l', 8, COPSE_I64},
        {'L', 8, COPSE_U64}, {'l', 4, COPSE_I32}, {'L', 4, COPSE_U32},  {'q', 8, COPSE_I64}, {'Q', 8, COPSE_U64},
    };
    const char *format = b->format ? b->format : "B";
    if (*format == '@' || *format == '=' || (*format == '<' && PY_LITTLE_ENDIAN)) format++;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (format[0] != known[i].code || format[1] || b->itemsize != known[i].size) continue;
        *out = known[i].type;
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "a buffer of format '%s' holds no numbers that copse knows", b->format);
    return -1;
}

/* Column `col` of a buffer of one or two dimensions as values. */
static int values_of(const Py_buffer *b, Py_ssize_t col, size_t rows, copse_values *out) {
    if (b->ndim < 1 || b->ndim > 2 || (size_t)b->shape[0] != rows) {
        PyErr_Format(PyExc_ValueError, "the table has %zu rows, the buffer does not", rows);
        return -1;
    }
    *out = (copse_values){.data = (const char *)b->buf + (b->ndim == 2 ? col * b->strides[1] : 0),
                          .stride = b->strides[0]};
    if (rows > 1 && !out->stride) {
        PyErr_SetString(PyExc_ValueError, "a buffer whose rows overlap must be copied first");
        return -1;
    }
    if (!rows) out->stride = 0;
    return type_of(b, &out->type);
}

static PyObject *finish(copse_status status, const copse_error *err) {
    if (status) return cp_py_core_raise(err);
    Py_RETURN_NONE;
}

/* add_values(name, buffer, valid=None) */
static PyObject *add_values(PyObject *self, PyObject *args) {
    copse_table *t = ((table_object *)self)->table;
    const char *name;
    PyObject *object;
    Py_buffer b;
    copse_values v;
    copse_error err = {0};
    if (!PyArg_ParseTuple(args, "sO", &name, &object)) return NULL;
    if (PyObject_GetBuffer(object, &b, PyBUF_STRIDES | PyBUF_FORMAT)) return NULL;
    PyObject *result =
        values_of(&b, 0, copse_table_rows(t), &v) ? NULL : finish(copse_table_add_values(t, name, &v, &err), &err);
    PyBuffer_Release(&b);
    return result;
}

static PyObject *add_matrix_columns(copse_table *t, PyObject *names, const Py_buffer *b) {
    if (b->ndim != 2 || !PyList_Check(names) || PyList_Size(names) != b->shape[1]) {
        PyErr_SetString(PyExc_ValueError, "a matrix and a list with a name for each of its columns are needed");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < b->shape[1]; i++) {
        const char *name;
        copse_values v;
        copse_error err = {0};
        if (cp_py_core_utf8(PyList_GetItem(names, i), &name) || values_of(b, i, copse_table_rows(t), &v)) return NULL;
        if (copse_table_add_values(t, name, &v, &err)) return cp_py_core_raise(&err);
    }
    Py_RETURN_NONE;
}

/* add_matrix(names, buffer) */
static PyObject *add_matrix(PyObject *self, PyObject *args) {
    PyObject *names, *object;
    Py_buffer b;
    if (!PyArg_ParseTuple(args, "OO", &names, &object)) return NULL;
    if (PyObject_GetBuffer(object, &b, PyBUF_STRIDES | PyBUF_FORMAT)) return NULL;
    PyObject *result = add_matrix_columns(((table_object *)self)->table, names, &b);
    PyBuffer_Release(&b);
    return result;
}

/* add_codes(name, buffer, levels) */
static PyObject *add_codes(PyObject *self, PyObject *args) {
    copse_table *t = ((table_object *)self)->table;
    const char *name;
    PyObject *object, *levels;
    Py_buffer b;
    copse_values v;
    copse_error err = {0};
    size_t n;
    if (!PyArg_ParseTuple(args, "sOO", &name, &object, &levels)) return NULL;
    const char **level = cp_py_core_texts(levels, &n);
    if (!level) return NULL;
    PyObject *result = NULL;
    if (!PyObject_GetBuffer(object, &b, PyBUF_STRIDES | PyBUF_FORMAT)) {
        if (!values_of(&b, 0, copse_table_rows(t), &v))
            result = finish(copse_table_add_codes(t, name, &v, level, n, &err), &err);
        PyBuffer_Release(&b);
    }
    PyMem_Free((void *)level);
    return result;
}

/* add_text(name, list) */
static PyObject *add_text(PyObject *self, PyObject *args) {
    copse_table *t = ((table_object *)self)->table;
    const char *name;
    PyObject *list;
    copse_error err = {0};
    size_t n;
    if (!PyArg_ParseTuple(args, "sO", &name, &list)) return NULL;
    const char **text = cp_py_core_texts(list, &n);
    if (!text) return NULL;
    PyObject *result = NULL;
    if (n == copse_table_rows(t))
        result = finish(copse_table_add_text(t, name, text, &err), &err);
    else
        PyErr_Format(PyExc_ValueError, "the table has %zu rows, the list %zu", copse_table_rows(t), n);
    PyMem_Free((void *)text);
    return result;
}

static PyObject *names(PyObject *self, PyObject *unused) {
    (void)unused;
    copse_table *t = ((table_object *)self)->table;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < copse_table_cols(t); i++) {
        PyObject *name = cp_py_core_text(copse_table_name(t, i));
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* column(i): a list of numbers, or of str and None. */
static PyObject *column(PyObject *self, PyObject *args) {
    copse_table *t = ((table_object *)self)->table;
    Py_ssize_t i;
    if (!PyArg_ParseTuple(args, "n", &i)) return NULL;
    PyObject *list = PyList_New(0);
    for (size_t row = 0; list && row < copse_table_rows(t); row++) {
        PyObject *value = copse_table_kind(t, (size_t)i) == COPSE_TEXT
                              ? cp_py_core_text(copse_table_text(t, row, (size_t)i))
                              : PyFloat_FromDouble(copse_table_number(t, row, (size_t)i));
        if (!value || PyList_Append(list, value)) Py_CLEAR(list);
        Py_XDECREF(value);
    }
    return list;
}

static PyObject *is_text(PyObject *self, PyObject *args) {
    Py_ssize_t i;
    if (!PyArg_ParseTuple(args, "n", &i)) return NULL;
    return PyBool_FromLong(copse_table_kind(((table_object *)self)->table, (size_t)i) == COPSE_TEXT);
}

static PyObject *get_rows(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(copse_table_rows(((table_object *)self)->table));
}

static PyObject *table_new(PyObject *module, PyObject *args) {
    (void)module;
    Py_ssize_t rows;
    copse_error err = {0};
    copse_table *t = NULL;
    if (!PyArg_ParseTuple(args, "n", &rows)) return NULL;
    if (copse_table_new((size_t)rows, &t, &err)) return cp_py_core_raise(&err);
    return wrap(t);
}

/* table_from_arrow(capsule): takes the stream out of the capsule, as the PyCapsule interface of Arrow says. */
static PyObject *table_from_arrow(PyObject *module, PyObject *capsule) {
    (void)module;
    copse_error err = {0};
    copse_table *t = NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!stream) return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    copse_status status = copse_table_from_arrow(stream, &t, &err);
    PyEval_RestoreThread(thread);
    return status ? cp_py_core_raise(&err) : wrap(t);
}

/* table_read(path, categorical, numeric, like_nothing, run): a file in any format. */
static PyObject *table_read(PyObject *module, PyObject *args) {
    (void)module;
    const char *path, *categorical, *numeric, *na;
    PyObject *run;
    cp_py_run r;
    copse_table *t = NULL;
    if (!PyArg_ParseTuple(args, "szzzO", &path, &categorical, &numeric, &na, &run)) return NULL;
    copse_read_options options = {.size = sizeof options, .categorical = categorical, .numeric = numeric, .na = na};
    if (cp_py_run_begin(&r, run)) return NULL;
    copse_status status = copse_table_read(path, &options, &r.run, &t, &r.err);
    if (!cp_py_run_end(&r, status)) return wrap(t);
    copse_table_free(t);
    return NULL;
}

static PyMethodDef methods[] = {
    {"add_values", add_values, METH_VARARGS, NULL},
    {"add_matrix", add_matrix, METH_VARARGS, NULL},
    {"add_codes", add_codes, METH_VARARGS, NULL},
    {"add_text", add_text, METH_VARARGS, NULL},
    {"names", names, METH_NOARGS, NULL},
    {"column", column, METH_VARARGS, NULL},
    {"is_text", is_text, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef members[] = {{"rows", get_rows, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef functions[] = {
    {"table_new", table_new, METH_VARARGS, NULL},
    {"table_from_arrow", table_from_arrow, METH_O, NULL},
    {"table_read", table_read, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int cp_py_table_init(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, members}, {0, NULL}};
    type = cp_py_core_type(module, "copse._core.Table", sizeof(table_object), slots);
    return type ? PyModule_AddFunctions(module, functions) : -1;
}
