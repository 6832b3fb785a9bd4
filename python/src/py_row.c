#include "py_row.h"

#include "py_model.h"

/* A row of a model.  Values come as a dict by name, or as a sequence in the order of the features.  `busy` keeps two
 * threads from using the row at once: the lock of the interpreter is released while the library waits for a model's. */
typedef struct row_object {
    PyObject_HEAD PyObject *model; /* a Model */
    PyObject *names;               /* a tuple of str */
    copse_model *of;
    copse_row *row;
    size_t n;
    int busy;
} row_object;

static PyObject *type;

static void dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    row_object *r = (row_object *)self;
    copse_row_free(r->row);
    Py_XDECREF(r->model);
    Py_XDECREF(r->names);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* Sets a feature to a Python value: a number, a str, or None for missing. */
static int set_value(row_object *r, size_t i, PyObject *value) {
    copse_error err = {0};
    copse_status status;
    if (!value || value == Py_None) {
        status = copse_row_set_missing(r->row, i, &err);
    } else if (PyUnicode_Check(value)) {
        const char *text;
        if (cp_py_core_utf8(value, &text)) return -1;
        status = copse_row_set_text(r->row, i, text, &err);
    } else {
        double number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred()) return -1;
        status = copse_row_set_number(r->row, i, number, &err);
    }
    if (!status) return 0;
    cp_py_core_raise(&err);
    return -1;
}

static int set_all(row_object *r, PyObject *values) {
    if (PyDict_Check(values)) {
        for (size_t i = 0; i < r->n; i++)
            if (set_value(r, i, PyDict_GetItem(values, PyTuple_GetItem(r->names, (Py_ssize_t)i)))) return -1;
        return 0;
    }
    Py_ssize_t n = PySequence_Size(values);
    if (n < 0) return -1;
    if ((size_t)n != r->n) {
        PyErr_Format(PyExc_ValueError, "the row has %zd values, the model %zu features", n, r->n);
        return -1;
    }
    for (size_t i = 0; i < r->n; i++) {
        PyObject *value = PySequence_GetItem(values, (Py_ssize_t)i);
        int failed = !value || set_value(r, i, value);
        Py_XDECREF(value);
        if (failed) return -1;
    }
    return 0;
}

static int enter(row_object *r, PyObject *values) {
    if (r->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread uses this row; make a row for each thread");
        return -1;
    }
    r->busy = 1;
    if (!set_all(r, values)) return 0;
    r->busy = 0;
    return -1;
}

static PyObject *answer(const copse_prediction *p) {
    size_t classes = copse_prediction_classes(p);
    if (!classes) return PyFloat_FromDouble(copse_prediction_mean(p, 0));
    const double *probs = copse_prediction_probs(p, 0);
    PyObject *tuple = PyTuple_New((Py_ssize_t)classes);
    for (size_t k = 0; tuple && k < classes; k++) PyTuple_SetItem(tuple, (Py_ssize_t)k, PyFloat_FromDouble(probs[k]));
    return tuple;
}

/* Predicts; *out belongs to the row and is valid until r->busy is cleared. */
static int predict_row(row_object *r, PyObject *values, const copse_prediction **out) {
    copse_error err = {0};
    if (enter(r, values)) return -1;
    PyThreadState *thread = PyEval_SaveThread();
    copse_status status = copse_row_predict(r->row, out, &err);
    PyEval_RestoreThread(thread);
    if (!status) return 0;
    r->busy = 0;
    cp_py_core_raise(&err);
    return -1;
}

/* predict(values): the mean, or a tuple of the probabilities of the classes */
static PyObject *predict(PyObject *self, PyObject *values) {
    row_object *r = (row_object *)self;
    const copse_prediction *p;
    if (predict_row(r, values, &p)) return NULL;
    PyObject *result = answer(p);
    r->busy = 0;
    return result;
}

/* describe(values, quantiles): regression; (mean, sd, [quantile ...]) */
static PyObject *describe(PyObject *self, PyObject *args) {
    row_object *r = (row_object *)self;
    const copse_prediction *p;
    PyObject *values, *quantiles;
    if (!PyArg_ParseTuple(args, "OO!", &values, &PyTuple_Type, &quantiles)) return NULL;
    if (predict_row(r, values, &p)) return NULL;
    PyObject *list = PyList_New(0);
    for (Py_ssize_t i = 0; list && i < PyTuple_Size(quantiles); i++) {
        double q = PyFloat_AsDouble(PyTuple_GetItem(quantiles, i));
        PyObject *value = PyErr_Occurred() ? NULL : PyFloat_FromDouble(copse_prediction_quantile(p, 0, q));
        if (!value || PyList_Append(list, value)) Py_CLEAR(list);
        Py_XDECREF(value);
    }
    PyObject *result =
        list ? Py_BuildValue("(ddN)", copse_prediction_mean(p, 0), copse_prediction_sd(p, 0), list) : NULL;
    r->busy = 0;
    return result;
}

/* learn(values, target): target is a number, or a str for a class */
static PyObject *learn(PyObject *self, PyObject *args) {
    row_object *r = (row_object *)self;
    PyObject *values, *target;
    const char *label = NULL;
    double number = 0;
    copse_error err = {0};
    if (!PyArg_ParseTuple(args, "OO", &values, &target)) return NULL;
    if (PyUnicode_Check(target)) {
        if (cp_py_core_utf8(target, &label)) return NULL;
    } else if ((number = PyFloat_AsDouble(target)) == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (enter(r, values)) return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    copse_status status =
        label ? copse_row_learn_class(r->row, r->of, label, &err) : copse_row_learn(r->row, r->of, number, &err);
    PyEval_RestoreThread(thread);
    r->busy = 0;
    if (status) return cp_py_core_raise(&err);
    Py_RETURN_NONE;
}

static int fill_names(row_object *r) {
    r->names = PyTuple_New((Py_ssize_t)r->n);
    for (size_t i = 0; r->names && i < r->n; i++) {
        PyObject *name = cp_py_core_text(copse_model_feature(r->of, i));
        if (!name) return -1;
        PyUnicode_InternInPlace(&name);
        if (PyTuple_SetItem(r->names, (Py_ssize_t)i, name)) return -1;
    }
    return r->names ? 0 : -1;
}

/* row_new(model) */
static PyObject *row_new(PyObject *module, PyObject *model) {
    (void)module;
    copse_error err = {0};
    copse_model *m = cp_py_model_of(model);
    row_object *r = m ? PyObject_New(row_object, (PyTypeObject *)type) : NULL;
    if (!r) return NULL;
    Py_INCREF(model);
    r->model = model, r->of = m, r->row = NULL, r->names = NULL, r->busy = 0;
    r->n = copse_model_features(m);
    copse_status status = copse_row_new(m, &r->row, &err);
    if (status) cp_py_core_raise(&err);
    if (!status && !fill_names(r)) return (PyObject *)r;
    Py_DECREF(r);
    return NULL;
}

static PyMethodDef methods[] = {
    {"predict", predict, METH_O, NULL},
    {"describe", describe, METH_VARARGS, NULL},
    {"learn", learn, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef functions[] = {{"row_new", row_new, METH_O, NULL}, {NULL, NULL, 0, NULL}};

int cp_py_row_init(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0, NULL}};
    type = cp_py_core_type(module, "copse._core.Row", sizeof(row_object), slots);
    return type ? PyModule_AddFunctions(module, functions) : -1;
}
