#include "py_model.h"

#include <stdlib.h>
#include <string.h>

#include "py_inspect.h"
#include "py_prediction.h"
#include "py_run.h"
#include "py_table.h"

typedef struct model_object {
    PyObject_HEAD copse_model *model;
} model_object;

static PyObject *type;

copse_model *cp_py_model_of(PyObject *object) {
    if (Py_TYPE(object) == (PyTypeObject *)type) return ((model_object *)object)->model;
    PyErr_SetString(PyExc_TypeError, "a Model is needed here");
    return NULL;
}

static PyObject *wrap(copse_model *model) {
    model_object *m = PyObject_New(model_object, (PyTypeObject *)type);
    if (m)
        m->model = model;
    else
        copse_model_free(model);
    return (PyObject *)m;
}

static void dealloc(PyObject *self) {
    PyTypeObject *t = Py_TYPE(self);
    copse_model_free(((model_object *)self)->model);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* Ends a call that makes a model. */
static PyObject *end_with_model(cp_py_run *r, copse_status status, copse_model *model) {
    if (!cp_py_run_end(r, status)) return wrap(model);
    copse_model_free(model);
    return NULL;
}

/* A list of (name, value) as parameters of a method. */
static copse_params *params_of(const char *method, PyObject *list) {
    copse_error err = {0};
    copse_params *p = NULL;
    copse_status status = copse_params_new(method, &p, &err);
    for (Py_ssize_t i = 0; !status && i < PyList_Size(list); i++) {
        const char *name, *value;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ss", &name, &value)) {
            copse_params_free(p);
            return NULL;
        }
        status = copse_params_set(p, name, value, &err);
    }
    if (!status) return p;
    copse_params_free(p);
    return (void *)cp_py_core_raise(&err);
}

/* fit(table, target, task, weights, classes, method, options, run): weights is the name of a column or None, classes a
 * list of labels or None, options a list of (name, value). */
static PyObject *fit(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *table, *classes, *options, *run;
    const char *target, *weights, *method, **label = NULL;
    int task;
    copse_roles roles = {.size = sizeof roles};
    if (!PyArg_ParseTuple(args, "OsizOsO!O", &table, &target, &task, &weights, &classes, &method, &PyList_Type,
                          &options, &run))
        return NULL;
    copse_table *t = cp_py_table_of(table);
    if (!t || (classes != Py_None && !(label = cp_py_core_texts(classes, &roles.n_classes)))) return NULL;
    copse_params *params = params_of(method, options);
    roles.target = target, roles.task = (copse_task)task, roles.weights = weights, roles.classes = label;
    PyObject *result = NULL;
    cp_py_run r;
    if (params && !cp_py_run_begin(&r, run)) {
        copse_model *model = NULL;
        copse_status status = copse_fit(t, &roles, params, &r.run, &model, &r.err);
        result = end_with_model(&r, status, model);
    }
    copse_params_free(params);
    PyMem_Free((void *)label);
    return result;
}

/* read(bytes, run) */
static PyObject *read_bytes(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer b;
    PyObject *run, *result = NULL;
    cp_py_run r;
    if (!PyArg_ParseTuple(args, "y*O", &b, &run)) return NULL;
    if (!cp_py_run_begin(&r, run)) {
        copse_model *model = NULL;
        copse_status status = copse_read(b.buf, (size_t)b.len, &r.run, &model, &r.err);
        result = end_with_model(&r, status, model);
    }
    PyBuffer_Release(&b);
    return result;
}

/* load(path, run) */
static PyObject *load(PyObject *module, PyObject *args) {
    (void)module;
    const char *path;
    PyObject *run;
    cp_py_run r;
    if (!PyArg_ParseTuple(args, "sO", &path, &run) || cp_py_run_begin(&r, run)) return NULL;
    copse_model *model = NULL;
    copse_status status = copse_load(path, &r.run, &model, &r.err);
    return end_with_model(&r, status, model);
}

/* save(path, frozen, run) */
static PyObject *save(PyObject *self, PyObject *args) {
    const char *path;
    int frozen;
    PyObject *run;
    cp_py_run r;
    if (!PyArg_ParseTuple(args, "spO", &path, &frozen, &run) || cp_py_run_begin(&r, run)) return NULL;
    const copse_model *m = ((model_object *)self)->model;
    if (cp_py_run_end(&r, copse_save(m, path, frozen ? COPSE_SAVE_FROZEN : 0, &r.run, &r.err))) return NULL;
    Py_RETURN_NONE;
}

typedef struct bytes {
    char *data;
    size_t n, room;
} bytes;

/* Called without the interpreter's lock. */
static copse_status append(void *arg, const char *data, size_t n) {
    bytes *b = arg;
    if (b->room - b->n < n) {
        size_t room = 2 * (b->n + n);
        char *grown = realloc(b->data, room);
        if (!grown) return COPSE_E_MEMORY;
        b->data = grown, b->room = room;
    }
    if (n) memcpy(b->data + b->n, data, n);
    b->n += n;
    return COPSE_OK;
}

/* to_bytes(frozen, run) */
static PyObject *to_bytes(PyObject *self, PyObject *args) {
    int frozen;
    PyObject *run, *result = NULL;
    cp_py_run r;
    bytes b = {0};
    if (!PyArg_ParseTuple(args, "pO", &frozen, &run) || cp_py_run_begin(&r, run)) return NULL;
    const copse_model *m = ((model_object *)self)->model;
    copse_status status = copse_write(m, frozen ? COPSE_SAVE_FROZEN : 0, &r.run, append, &b, &r.err);
    if (!cp_py_run_end(&r, status)) result = PyBytes_FromStringAndSize(b.data, (Py_ssize_t)b.n);
    free(b.data);
    return result;
}

/* json(): the model described; tree(i, format) */
static PyObject *json(PyObject *self, PyObject *unused) {
    (void)unused;
    bytes b = {0};
    copse_error err = {0};
    copse_status status = copse_model_write_json(((model_object *)self)->model, append, &b, &err);
    PyObject *result = status ? cp_py_core_raise(&err) : PyUnicode_DecodeUTF8(b.data, (Py_ssize_t)b.n, "replace");
    free(b.data);
    return result;
}

static PyObject *tree(PyObject *self, PyObject *args) {
    Py_ssize_t i;
    const char *format;
    bytes b = {0};
    copse_error err = {0};
    if (!PyArg_ParseTuple(args, "ns", &i, &format)) return NULL;
    copse_status status = copse_model_write_tree(((model_object *)self)->model, (size_t)i, format, append, &b, &err);
    PyObject *result = status ? cp_py_core_raise(&err) : PyUnicode_DecodeUTF8(b.data, (Py_ssize_t)b.n, "replace");
    free(b.data);
    return result;
}

/* copy(run) */
static PyObject *copy(PyObject *self, PyObject *run) {
    cp_py_run r;
    copse_model *model = NULL;
    if (cp_py_run_begin(&r, run)) return NULL;
    copse_status status = copse_model_copy(((model_object *)self)->model, &r.run, &model, &r.err);
    return end_with_model(&r, status, model);
}

/* digest(run) */
static PyObject *digest(PyObject *self, PyObject *run) {
    cp_py_run r;
    char out[COPSE_DIGEST_SIZE];
    if (cp_py_run_begin(&r, run)) return NULL;
    if (cp_py_run_end(&r, copse_model_digest(((model_object *)self)->model, &r.run, out, &r.err))) return NULL;
    return PyUnicode_FromString(out);
}

/* update(table, run) */
static PyObject *update(PyObject *self, PyObject *args) {
    PyObject *table, *run;
    cp_py_run r;
    if (!PyArg_ParseTuple(args, "OO", &table, &run)) return NULL;
    copse_table *t = cp_py_table_of(table);
    if (!t || cp_py_run_begin(&r, run)) return NULL;
    if (cp_py_run_end(&r, copse_update(((model_object *)self)->model, t, &r.run, &r.err))) return NULL;
    Py_RETURN_NONE;
}

static PyObject *end_with_prediction(cp_py_run *r, copse_status status, copse_prediction *p) {
    if (!cp_py_run_end(r, status)) return cp_py_prediction_wrap(p);
    copse_prediction_free(p);
    return NULL;
}

/* update_predict(table, run) */
static PyObject *update_predict(PyObject *self, PyObject *args) {
    PyObject *table, *run;
    cp_py_run r;
    copse_prediction *p = NULL;
    if (!PyArg_ParseTuple(args, "OO", &table, &run)) return NULL;
    copse_table *t = cp_py_table_of(table);
    if (!t || cp_py_run_begin(&r, run)) return NULL;
    copse_status status = copse_update_predict(((model_object *)self)->model, t, &r.run, &p, &r.err);
    return end_with_prediction(&r, status, p);
}

/* predict(table, first, n, of_mean, run) */
static PyObject *predict(PyObject *self, PyObject *args) {
    PyObject *table, *run;
    Py_ssize_t first, n;
    copse_predict_options options = {.size = sizeof options};
    cp_py_run r;
    copse_prediction *p = NULL;
    if (!PyArg_ParseTuple(args, "OnnpO", &table, &first, &n, &options.of_mean, &run)) return NULL;
    options.first = (size_t)first, options.n = (size_t)n;
    copse_table *t = cp_py_table_of(table);
    if (!t || cp_py_run_begin(&r, run)) return NULL;
    copse_status status = copse_predict(((model_object *)self)->model, t, &options, &r.run, &p, &r.err);
    return end_with_prediction(&r, status, p);
}

static PyMethodDef methods[] = {
    {"save", save, METH_VARARGS, NULL},
    {"to_bytes", to_bytes, METH_VARARGS, NULL},
    {"json", json, METH_NOARGS, NULL},
    {"tree", tree, METH_VARARGS, NULL},
    {"copy", copy, METH_O, NULL},
    {"digest", digest, METH_O, NULL},
    {"update", update, METH_VARARGS, NULL},
    {"update_predict", update_predict, METH_VARARGS, NULL},
    {"predict", predict, METH_VARARGS, NULL},
    {"info", cp_py_inspect_info, METH_NOARGS, NULL},
    {"figures", cp_py_inspect_figures, METH_NOARGS, NULL},
    {"diagnose", cp_py_inspect_diagnose, METH_NOARGS, NULL},
    {"importance", cp_py_inspect_importance, METH_VARARGS, NULL},
    {"permute", cp_py_inspect_permute, METH_VARARGS, NULL},
    {"effect", cp_py_inspect_effect, METH_VARARGS, NULL},
    {"score", cp_py_inspect_score, METH_VARARGS, NULL},
    {"traces", cp_py_inspect_traces, METH_NOARGS, NULL},
    {"trace_values", cp_py_inspect_trace_values, METH_VARARGS, NULL},
    {"unseen", cp_py_inspect_unseen, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef functions[] = {
    {"fit", fit, METH_VARARGS, NULL},
    {"model_read", read_bytes, METH_VARARGS, NULL},
    {"model_load", load, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int cp_py_model_init(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0, NULL}};
    type = cp_py_core_type(module, "copse._core.Model", sizeof(model_object), slots);
    return type ? PyModule_AddFunctions(module, functions) : -1;
}
