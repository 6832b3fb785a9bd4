#include "py_prediction.h"

#include <string.h>

#include "py_run.h"

typedef struct prediction_object {
    PyObject_HEAD copse_prediction *p;
} prediction_object;

static PyObject *type;

PyObject *cp_py_prediction_wrap(copse_prediction *p) {
    prediction_object *o = PyObject_New(prediction_object, (PyTypeObject *)type);
    if (o)
        o->p = p;
    else
        copse_prediction_free(p);
    return (PyObject *)o;
}

copse_prediction *cp_py_prediction_of(PyObject *object) {
    if (Py_TYPE(object) == (PyTypeObject *)type) return ((prediction_object *)object)->p;
    PyErr_SetString(PyExc_TypeError, "a Prediction is needed here");
    return NULL;
}

static void dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    copse_prediction_free(((prediction_object *)self)->p);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* A call that fills `out`, a number for each row, or n of them; `in` has a number for each row, or n of them. */
typedef struct fill_call {
    const copse_prediction *p;
    const double *in;
    size_t n;
    uint64_t seed;
    double *out;
} fill_call;

static copse_status fill_mean(const fill_call *c, cp_py_run *r) {
    return copse_predictions_mean(c->p, &r->run, c->out, &r->err);
}
static copse_status fill_sd(const fill_call *c, cp_py_run *r) {
    return copse_predictions_sd(c->p, &r->run, c->out, &r->err);
}
static copse_status fill_quantile(const fill_call *c, cp_py_run *r) {
    return copse_predictions_quantile(c->p, c->in, c->n, &r->run, c->out, &r->err);
}
static copse_status fill_cdf(const fill_call *c, cp_py_run *r) {
    return copse_predictions_cdf(c->p, c->in, &r->run, c->out, &r->err);
}
static copse_status fill_log_density(const fill_call *c, cp_py_run *r) {
    return copse_predictions_log_density(c->p, c->in, &r->run, c->out, &r->err);
}
static copse_status fill_crps(const fill_call *c, cp_py_run *r) {
    return copse_predictions_crps(c->p, c->in, &r->run, c->out, &r->err);
}
static copse_status fill_draws(const fill_call *c, cp_py_run *r) {
    return copse_predictions_draws(c->p, c->seed, c->n, &r->run, c->out, &r->err);
}
static copse_status fill_log_likelihood(const fill_call *c, cp_py_run *r) {
    return copse_predictions_log_likelihood(c->p, c->in, &r->run, c->out, &r->err);
}

typedef enum fill_shape { PER_ROW, PER_ROW_AT, PER_QUANTILE, PER_DRAW, PER_MODEL_DRAW } fill_shape;
static const struct fill_kind {
    const char *name;
    fill_shape shape;
    copse_status (*call)(const fill_call *c, cp_py_run *r);
} kinds[] = {
    {"mean", PER_ROW, fill_mean},    {"sd", PER_ROW, fill_sd},
    {"cdf", PER_ROW_AT, fill_cdf},   {"log_density", PER_ROW_AT, fill_log_density},
    {"crps", PER_ROW_AT, fill_crps}, {"quantile", PER_QUANTILE, fill_quantile},
    {"draws", PER_DRAW, fill_draws}, {"log_likelihood", PER_MODEL_DRAW, fill_log_likelihood},
};

static const struct fill_kind *kind_find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    PyErr_Format(PyExc_ValueError, "there is no '%s' to fill an array with", name);
    return NULL;
}

/* fill(what, out, in, n, seed, run): `in` is a buffer of doubles, or None; n and seed are those of draws. */
static PyObject *fill(PyObject *self, PyObject *args) {
    const char *what;
    PyObject *out, *in, *run;
    Py_ssize_t n;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "sOOnKO", &what, &out, &in, &n, &seed, &run)) return NULL;
    fill_call c = {.p = ((prediction_object *)self)->p, .n = (size_t)n, .seed = seed};
    const struct fill_kind *kind = kind_find(what);
    if (!kind) return NULL;
    size_t rows = copse_prediction_rows(c.p), in_size = kind->shape == PER_QUANTILE ? c.n : rows, out_size = rows;
    if (kind->shape == PER_QUANTILE || kind->shape == PER_DRAW) out_size = rows * c.n;
    if (kind->shape == PER_MODEL_DRAW) out_size = rows * copse_predictions_model_draws(c.p);
    int takes = kind->shape != PER_ROW && kind->shape != PER_DRAW, failed = 1;
    Py_buffer from, to;
    if (takes && cp_py_core_doubles(in, in_size, 0, &from)) return NULL;
    if (!cp_py_core_doubles(out, out_size, 1, &to)) {
        cp_py_run r;
        c.in = takes ? from.buf : NULL;
        c.out = to.buf;
        failed = cp_py_run_begin(&r, run);
        if (!failed) failed = cp_py_run_end(&r, kind->call(&c, &r));
        PyBuffer_Release(&to);
    }
    if (takes) PyBuffer_Release(&from);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* probs(out): rows x classes */
static PyObject *probs(PyObject *self, PyObject *out) {
    const copse_prediction *p = ((prediction_object *)self)->p;
    size_t n = copse_prediction_rows(p) * copse_prediction_classes(p);
    const double *from = copse_predictions_probs(p);
    Py_buffer to;
    if (cp_py_core_doubles(out, n, 1, &to)) return NULL;
    if (n && from) memcpy(to.buf, from, n * sizeof *from);
    PyBuffer_Release(&to);
    Py_RETURN_NONE;
}

/* prob_draws(out, n): rows x classes x n, for predictions of the mean */
static PyObject *prob_draws(PyObject *self, PyObject *args) {
    const copse_prediction *p = ((prediction_object *)self)->p;
    PyObject *out;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "On", &out, &n)) return NULL;
    size_t rows = copse_prediction_rows(p), classes = copse_prediction_classes(p);
    Py_buffer to;
    if (cp_py_core_doubles(out, rows * classes * (size_t)n, 1, &to)) return NULL;
    double *at = to.buf;
    PyThreadState *thread = PyEval_SaveThread();
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < classes; k++, at += n) copse_prediction_prob_draws(p, i, k, (size_t)n, at);
    PyEval_RestoreThread(thread);
    PyBuffer_Release(&to);
    Py_RETURN_NONE;
}

/* prob_sd(out): rows x classes, for predictions of the mean */
static PyObject *prob_sd(PyObject *self, PyObject *out) {
    const copse_prediction *p = ((prediction_object *)self)->p;
    size_t rows = copse_prediction_rows(p), classes = copse_prediction_classes(p);
    Py_buffer to;
    if (cp_py_core_doubles(out, rows * classes, 1, &to)) return NULL;
    double *at = to.buf;
    PyThreadState *thread = PyEval_SaveThread();
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < classes; k++) *at++ = copse_prediction_prob_sd(p, i, k);
    PyEval_RestoreThread(thread);
    PyBuffer_Release(&to);
    Py_RETURN_NONE;
}

/* prob_quantile(out, q): rows x classes, for predictions of the mean */
static PyObject *prob_quantile(PyObject *self, PyObject *args) {
    const copse_prediction *p = ((prediction_object *)self)->p;
    PyObject *out;
    double q;
    if (!PyArg_ParseTuple(args, "Od", &out, &q)) return NULL;
    size_t rows = copse_prediction_rows(p), classes = copse_prediction_classes(p);
    Py_buffer to;
    if (cp_py_core_doubles(out, rows * classes, 1, &to)) return NULL;
    double *at = to.buf;
    PyThreadState *thread = PyEval_SaveThread();
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < classes; k++) *at++ = copse_prediction_prob_quantile(p, i, k, q);
    PyEval_RestoreThread(thread);
    PyBuffer_Release(&to);
    Py_RETURN_NONE;
}

/* components(row): a list of (weight, location, scale, df) */
static PyObject *components(PyObject *self, PyObject *args) {
    const copse_prediction *p = ((prediction_object *)self)->p;
    Py_ssize_t row;
    if (!PyArg_ParseTuple(args, "n", &row)) return NULL;
    PyObject *list = PyList_New(0);
    copse_component c;
    for (size_t i = 0; list && copse_prediction_component(p, (size_t)row, i, &c); i++) {
        PyObject *item = Py_BuildValue("(dddd)", c.weight, c.location, c.scale, c.df);
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *get_rows(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(copse_prediction_rows(((prediction_object *)self)->p));
}
static PyObject *get_classes(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(copse_prediction_classes(((prediction_object *)self)->p));
}
static PyObject *get_model_draws(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(copse_predictions_model_draws(((prediction_object *)self)->p));
}

static PyMethodDef methods[] = {
    {"fill", fill, METH_VARARGS, NULL},
    {"probs", probs, METH_O, NULL},
    {"prob_draws", prob_draws, METH_VARARGS, NULL},
    {"prob_sd", prob_sd, METH_O, NULL},
    {"prob_quantile", prob_quantile, METH_VARARGS, NULL},
    {"components", components, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef members[] = {{"rows", get_rows, NULL, NULL, NULL},
                                {"classes", get_classes, NULL, NULL, NULL},
                                {"model_draws", get_model_draws, NULL, NULL, NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

int cp_py_prediction_init(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, members}, {0, NULL}};
    type = cp_py_core_type(module, "copse._core.Prediction", sizeof(prediction_object), slots);
    return type ? 0 : -1;
}
