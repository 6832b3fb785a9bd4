#include "py_study.h"

#include "py_run.h"

typedef struct study_object {
    PyObject_HEAD copse_study *study;
} study_object;

static PyObject *type;

static void dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    copse_study_free(((study_object *)self)->study);
    PyObject_Free(self);
    Py_DECREF(t);
}

static PyObject *wrap(copse_study *study) {
    study_object *s = PyObject_New(study_object, (PyTypeObject *)type);
    if (s)
        s->study = study;
    else
        copse_study_free(study);
    return (PyObject *)s;
}

static PyObject *end_with_study(cp_py_run *r, copse_status status, copse_study *study) {
    if (!cp_py_run_end(r, status)) return wrap(study);
    copse_study_free(study);
    return NULL;
}

/* (name, kind, low, high, log, levels): levels is a list of str; the texts live in the tuple. */
static int dim_of(PyObject *tuple, copse_dim *out) {
    PyObject *levels;
    int kind;
    if (!PyArg_ParseTuple(tuple, "siddpO", &out->name, &kind, &out->low, &out->high, &out->log, &levels)) return -1;
    out->kind = (copse_dim_kind)kind;
    return (out->levels = cp_py_core_texts(levels, &out->n_levels)) ? 0 : -1;
}

static void dims_free(copse_dim *dim, Py_ssize_t n) {
    for (Py_ssize_t i = 0; dim && i < n; i++) PyMem_Free((void *)dim[i].levels);
    PyMem_Free(dim);
}

static copse_dim *dims_of(PyObject *list) {
    Py_ssize_t n = PyList_Size(list);
    copse_dim *dim = PyMem_Calloc((size_t)n + 1, sizeof *dim);
    if (!dim) return (void *)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!dim_of(PyList_GetItem(list, i), &dim[i])) continue;
        dims_free(dim, n);
        return NULL;
    }
    return dim;
}

/* study_new(path, dims, minimise, acquisition, kappa, trees, initial, seed, run) */
static PyObject *study_new(PyObject *module, PyObject *args) {
    (void)module;
    const char *path;
    PyObject *dims, *run, *result = NULL;
    Py_ssize_t trees, initial;
    unsigned long long seed;
    cp_py_run r;
    copse_study_options o = {.size = sizeof o};
    if (!PyArg_ParseTuple(args, "zO!pzdnnKO", &path, &PyList_Type, &dims, &o.minimise, &o.acquisition, &o.kappa, &trees,
                          &initial, &seed, &run))
        return NULL;
    copse_dim *dim = dims_of(dims);
    if (!dim) return NULL;
    o.dims = dim, o.n_dims = (size_t)PyList_Size(dims);
    o.trees = (size_t)trees, o.initial = (size_t)initial, o.seed = seed;
    if (!cp_py_run_begin(&r, run)) {
        copse_study *study = NULL;
        copse_status status = copse_study_new(path, &o, &r.run, &study, &r.err);
        result = end_with_study(&r, status, study);
    }
    dims_free(dim, (Py_ssize_t)o.n_dims);
    return result;
}

/* study_open(path, run) */
static PyObject *study_open(PyObject *module, PyObject *args) {
    (void)module;
    const char *path;
    PyObject *run;
    cp_py_run r;
    if (!PyArg_ParseTuple(args, "sO", &path, &run) || cp_py_run_begin(&r, run)) return NULL;
    copse_study *study = NULL;
    copse_status status = copse_study_open(path, &r.run, &study, &r.err);
    return end_with_study(&r, status, study);
}

/* A trial: (id, [x ...], state, value) */
static PyObject *trial_of(const copse_study *s, const copse_trial *t) {
    PyObject *x = PyList_New(0);
    for (size_t i = 0; x && i < copse_study_dims(s); i++) {
        PyObject *value = PyFloat_FromDouble(t->x[i]);
        if (!value || PyList_Append(x, value)) Py_CLEAR(x);
        Py_XDECREF(value);
    }
    return x ? Py_BuildValue("(nNid)", (Py_ssize_t)t->id, x, (int)t->state, t->value) : NULL;
}

/* ask(run) */
static PyObject *ask(PyObject *self, PyObject *run) {
    copse_study *s = ((study_object *)self)->study;
    cp_py_run r;
    copse_trial t;
    if (cp_py_run_begin(&r, run)) return NULL;
    return cp_py_run_end(&r, copse_study_ask(s, &r.run, &t, &r.err)) ? NULL : trial_of(s, &t);
}

/* tell(id, value, run) */
static PyObject *tell(PyObject *self, PyObject *args) {
    copse_study *s = ((study_object *)self)->study;
    Py_ssize_t id;
    double value;
    PyObject *run;
    cp_py_run r;
    if (!PyArg_ParseTuple(args, "ndO", &id, &value, &run) || cp_py_run_begin(&r, run)) return NULL;
    if (cp_py_run_end(&r, copse_study_tell(s, (size_t)id, value, &r.run, &r.err))) return NULL;
    Py_RETURN_NONE;
}

/* add(x, value, run): x is a buffer of doubles */
static PyObject *add(PyObject *self, PyObject *args) {
    copse_study *s = ((study_object *)self)->study;
    PyObject *x, *run, *result = NULL;
    double value;
    Py_buffer b;
    cp_py_run r;
    copse_trial t;
    if (!PyArg_ParseTuple(args, "OdO", &x, &value, &run)) return NULL;
    if (cp_py_core_doubles(x, copse_study_dims(s), 0, &b)) return NULL;
    if (!cp_py_run_begin(&r, run) && !cp_py_run_end(&r, copse_study_add(s, b.buf, value, &r.run, &t, &r.err)))
        result = trial_of(s, &t);
    PyBuffer_Release(&b);
    return result;
}

/* look(run) */
static PyObject *look(PyObject *self, PyObject *run) {
    cp_py_run r;
    if (cp_py_run_begin(&r, run)) return NULL;
    if (cp_py_run_end(&r, copse_study_look(((study_object *)self)->study, &r.run, &r.err))) return NULL;
    Py_RETURN_NONE;
}

static PyObject *trials(PyObject *self, PyObject *unused) {
    (void)unused;
    const copse_study *s = ((study_object *)self)->study;
    PyObject *list = PyList_New(0);
    copse_trial t;
    for (size_t id = 1; list && copse_study_trial(s, id, &t); id++) {
        PyObject *trial = trial_of(s, &t);
        if (!trial || PyList_Append(list, trial)) Py_CLEAR(list);
        Py_XDECREF(trial);
    }
    return list;
}

static PyObject *levels_of(const copse_dim *d) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && d->levels && k < d->n_levels; k++) {
        PyObject *level = cp_py_core_text(d->levels[k]);
        if (!level || PyList_Append(list, level)) Py_CLEAR(list);
        Py_XDECREF(level);
    }
    return list;
}

/* [(name, kind, low, high, log, levels) ...] */
static PyObject *dims(PyObject *self, PyObject *unused) {
    (void)unused;
    const copse_study *s = ((study_object *)self)->study;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < copse_study_dims(s); i++) {
        const copse_dim *d = copse_study_dim(s, i);
        PyObject *dim = Py_BuildValue("(siddiN)", d->name, (int)d->kind, d->low, d->high, d->log != 0, levels_of(d));
        if (!dim || PyList_Append(list, dim)) Py_CLEAR(list);
        Py_XDECREF(dim);
    }
    return list;
}

static PyObject *get_best(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(copse_study_best(((study_object *)self)->study));
}
static PyObject *get_minimise(PyObject *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(copse_study_minimises(((study_object *)self)->study));
}

static PyMethodDef methods[] = {
    {"ask", ask, METH_O, NULL},   {"tell", tell, METH_VARARGS, NULL},    {"add", add, METH_VARARGS, NULL},
    {"look", look, METH_O, NULL}, {"trials", trials, METH_NOARGS, NULL}, {"dims", dims, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef members[] = {
    {"best", get_best, NULL, NULL, NULL}, {"minimise", get_minimise, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef functions[] = {{"study_new", study_new, METH_VARARGS, NULL},
                                  {"study_open", study_open, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int cp_py_study_init(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, members}, {0, NULL}};
    type = cp_py_core_type(module, "copse._core.Study", sizeof(study_object), slots);
    return type ? PyModule_AddFunctions(module, functions) : -1;
}
