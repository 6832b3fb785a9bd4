#include "py_inspect.h"

#include "py_model.h"
#include "py_run.h"
#include "py_table.h"

/* Puts a new reference into a dict, or nothing if there is none; returns -1 with an exception. */
static int put(PyObject *dict, const char *name, PyObject *value) {
    int failed = !value || PyDict_SetItemString(dict, name, value);
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

/* Appends a new reference to a list. */
static int add(PyObject *list, PyObject *value) {
    int failed = !value || PyList_Append(list, value);
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static PyObject *features(const copse_model *m) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < copse_model_features(m); i++) {
        int text = copse_model_feature_kind(m, i) == COPSE_TEXT;
        if (add(list, Py_BuildValue("(NN)", cp_py_core_text(copse_model_feature(m, i)), PyBool_FromLong(text))))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *classes(const copse_model *m) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < copse_model_classes(m); k++)
        if (add(list, cp_py_core_text(copse_model_class(m, k)))) Py_CLEAR(list);
    return list;
}

/* The options of a model by the names of the library. */
static PyObject *options(const copse_params *p) {
    PyObject *dict = PyDict_New();
    copse_option_info o;
    for (size_t i = 0; dict && copse_method_option(copse_params_method(p), i, &o); i++)
        if (put(dict, o.name, cp_py_core_text(copse_params_get(p, o.name)))) Py_CLEAR(dict);
    return dict;
}

PyObject *cp_py_inspect_info(PyObject *self, PyObject *unused) {
    (void)unused;
    const copse_model *m = cp_py_model_of(self);
    PyObject *dict = PyDict_New();
    if (!dict) return NULL;
    const copse_params *p = copse_model_params(m);
    if (put(dict, "method", cp_py_core_text(copse_params_method(p))) || put(dict, "options", options(p)) ||
        put(dict, "task", PyLong_FromLong(copse_model_task(m))) ||
        put(dict, "target", cp_py_core_text(copse_model_target(m))) || put(dict, "features", features(m)) ||
        put(dict, "classes", classes(m)) || put(dict, "rows", PyLong_FromSize_t(copse_model_rows(m))) ||
        put(dict, "trees", PyLong_FromSize_t(copse_model_trees(m))) ||
        put(dict, "draws", PyLong_FromSize_t(copse_model_draws(m))) ||
        put(dict, "can_learn", PyBool_FromLong(copse_model_can_learn(m))) ||
        put(dict, "has_draws", PyBool_FromLong(copse_model_has_draws(m))) ||
        put(dict, "has_prob_draws", PyBool_FromLong(copse_model_has_prob_draws(m))) ||
        put(dict, "block", PyLong_FromSize_t(copse_model_block(m))))
        Py_CLEAR(dict);
    return dict;
}

PyObject *cp_py_inspect_figures(PyObject *self, PyObject *unused) {
    (void)unused;
    copse_figure figure[COPSE_MAX_FIGURES];
    size_t n = copse_model_figures(cp_py_model_of(self), figure);
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < n; i++)
        if (put(dict, figure[i].name, PyFloat_FromDouble(figure[i].value))) Py_CLEAR(dict);
    return dict;
}

/* (ok, verdict, [(name, value, bound, at_least, ok, help) ...]) */
PyObject *cp_py_inspect_diagnose(PyObject *self, PyObject *unused) {
    (void)unused;
    copse_diagnosis d;
    copse_error err = {0};
    if (copse_model_diagnose(cp_py_model_of(self), &d, &err)) return cp_py_core_raise(&err);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < d.checks; i++) {
        const copse_check *c = &d.check[i];
        if (add(list, Py_BuildValue("(sddiis)", c->name, c->value, c->bound, c->at_least, c->ok, c->help)))
            Py_CLEAR(list);
    }
    return list ? Py_BuildValue("(NsN)", PyBool_FromLong(d.ok), d.verdict, list) : NULL;
}

static PyObject *importances(const copse_importance *f, size_t n) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++)
        if (add(list, Py_BuildValue("(dd)", f[i].mean, f[i].sd))) Py_CLEAR(list);
    return list;
}

/* importance(run): by impurity, a list of (mean, sd) */
PyObject *cp_py_inspect_importance(PyObject *self, PyObject *args) {
    PyObject *run, *result = NULL;
    cp_py_run r;
    const copse_model *m = cp_py_model_of(self);
    if (!PyArg_ParseTuple(args, "O", &run)) return NULL;
    copse_importance *f = PyMem_Calloc(copse_model_features(m) + 1, sizeof *f);
    if (!f) return PyErr_NoMemory();
    if (!cp_py_run_begin(&r, run) && !cp_py_run_end(&r, copse_importance_impurity(m, &r.run, f, &r.err)))
        result = importances(f, copse_model_features(m));
    PyMem_Free(f);
    return result;
}

/* permute(table, repeats, seed, run): (loss, [(mean, sd) ...]) */
PyObject *cp_py_inspect_permute(PyObject *self, PyObject *args) {
    PyObject *table, *run, *result = NULL;
    Py_ssize_t repeats;
    unsigned long long seed;
    double loss;
    cp_py_run r;
    const copse_model *m = cp_py_model_of(self);
    if (!PyArg_ParseTuple(args, "OnKO", &table, &repeats, &seed, &run)) return NULL;
    copse_table *t = cp_py_table_of(table);
    copse_permute_options o = {.size = sizeof o, .repeats = (size_t)repeats, .seed = seed, .out_loss = &loss};
    copse_importance *f = t ? PyMem_Calloc(copse_model_features(m) + 1, sizeof *f) : NULL;
    if (!f) return t ? PyErr_NoMemory() : NULL;
    if (!cp_py_run_begin(&r, run) && !cp_py_run_end(&r, copse_importance_permute(m, t, &o, &r.run, f, &r.err)))
        result = Py_BuildValue("(dN)", loss, importances(f, copse_model_features(m)));
    PyMem_Free(f);
    return result;
}

/* A point: (value, [(mean, lo, hi) of each class, or of y]); the value is a number, a level, or None if missing. */
static PyObject *effect_point(const copse_effect *e, size_t i, size_t heads) {
    PyObject *value, *list = PyList_New(0);
    if (copse_effect_is_missing(e, i))
        Py_INCREF(Py_None), value = Py_None;
    else if (copse_effect_text(e, i))
        value = cp_py_core_text(copse_effect_text(e, i));
    else
        value = PyFloat_FromDouble(copse_effect_number(e, i));
    for (size_t k = 0; list && k < heads; k++)
        if (add(list,
                Py_BuildValue("(ddd)", copse_effect_mean(e, i, k), copse_effect_lo(e, i, k), copse_effect_hi(e, i, k))))
            Py_CLEAR(list);
    if (value && list) return Py_BuildValue("(NN)", value, list);
    Py_XDECREF(value);
    Py_XDECREF(list);
    return NULL;
}

/* effect(table, feature, points, rows, seed, level, run): a list of points */
PyObject *cp_py_inspect_effect(PyObject *self, PyObject *args) {
    PyObject *table, *run;
    Py_ssize_t points, rows;
    unsigned long long seed;
    cp_py_run r;
    copse_effect_options o = {.size = sizeof o};
    copse_effect *e = NULL;
    const copse_model *m = cp_py_model_of(self);
    if (!PyArg_ParseTuple(args, "OsnnKdO", &table, &o.feature, &points, &rows, &seed, &o.level, &run)) return NULL;
    o.points = (size_t)points, o.rows = (size_t)rows, o.seed = seed;
    copse_table *t = cp_py_table_of(table);
    if (!t || cp_py_run_begin(&r, run)) return NULL;
    PyObject *list = NULL;
    if (!cp_py_run_end(&r, copse_effect_new(m, t, &o, &r.run, &e, &r.err))) {
        size_t heads = copse_model_classes(m) ? copse_model_classes(m) : 1;
        list = PyList_New(0);
        for (size_t i = 0; list && i < copse_effect_points(e); i++)
            if (add(list, effect_point(e, i, heads))) Py_CLEAR(list);
    }
    copse_effect_free(e);
    return list;
}

static PyObject *scores_of_classes(PyObject *dict, const copse_scores *s) {
    PyObject *bins = PyList_New(0);
    for (size_t i = 0; bins && i < COPSE_BINS; i++)
        if (add(bins, Py_BuildValue("(ddn)", s->reliability[i].confidence, s->reliability[i].accuracy,
                                    (Py_ssize_t)s->reliability[i].rows)))
            Py_CLEAR(bins);
    if (put(dict, "reliability", bins) || put(dict, "accuracy", PyFloat_FromDouble(s->accuracy)) ||
        put(dict, "log_loss", PyFloat_FromDouble(s->log_loss)) || put(dict, "brier", PyFloat_FromDouble(s->brier)) ||
        put(dict, "ece", PyFloat_FromDouble(s->ece)) || put(dict, "auc", PyFloat_FromDouble(s->auc)))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *scores_of_numbers(PyObject *dict, const copse_scores *s) {
    PyObject *coverage = PyList_New(0), *pit = PyList_New(0);
    for (size_t i = 0; coverage && i < COPSE_LEVELS; i++)
        if (add(coverage, Py_BuildValue("(dd)", s->coverage[i].level, s->coverage[i].observed))) Py_CLEAR(coverage);
    for (size_t i = 0; pit && i < COPSE_BINS; i++)
        if (add(pit, PyLong_FromSize_t(s->pit[i]))) Py_CLEAR(pit);
    int failed = put(dict, "coverage", coverage);
    failed |= put(dict, "pit", pit);
    if (failed || put(dict, "rmse", PyFloat_FromDouble(s->rmse)) || put(dict, "mae", PyFloat_FromDouble(s->mae)) ||
        put(dict, "nlpd", PyFloat_FromDouble(s->nlpd)) || put(dict, "crps", PyFloat_FromDouble(s->crps)) ||
        put(dict, "sharpness", PyFloat_FromDouble(s->sharpness)) ||
        put(dict, "interval", PyFloat_FromDouble(s->interval)) ||
        put(dict, "interval_observed", PyFloat_FromDouble(s->interval_observed)))
        Py_CLEAR(dict);
    return dict;
}

/* score(table, interval, weights, run): a dict of scores */
PyObject *cp_py_inspect_score(PyObject *self, PyObject *args) {
    PyObject *table, *run;
    cp_py_run r;
    copse_eval_options o = {.size = sizeof o};
    copse_scores s = {0};
    if (!PyArg_ParseTuple(args, "OdzO", &table, &o.interval, &o.weights, &run)) return NULL;
    copse_table *t = cp_py_table_of(table);
    if (!t || cp_py_run_begin(&r, run)) return NULL;
    if (cp_py_run_end(&r, copse_eval(cp_py_model_of(self), t, &o, &r.run, &s, &r.err))) return NULL;
    PyObject *dict = PyDict_New();
    if (!dict || put(dict, "rows", PyLong_FromSize_t(s.rows))) return NULL;
    return s.task == COPSE_CLASS ? scores_of_classes(dict, &s) : scores_of_numbers(dict, &s);
}

/* [(name, chains, draws) ...] */
PyObject *cp_py_inspect_traces(PyObject *self, PyObject *unused) {
    (void)unused;
    PyObject *list = PyList_New(0);
    copse_trace t;
    for (size_t i = 0; list && copse_model_trace(cp_py_model_of(self), i, &t); i++)
        if (add(list, Py_BuildValue("(snn)", t.name, (Py_ssize_t)t.chains, (Py_ssize_t)t.draws))) Py_CLEAR(list);
    return list;
}

/* trace_values(i, out): chains x draws numbers */
PyObject *cp_py_inspect_trace_values(PyObject *self, PyObject *args) {
    Py_ssize_t i;
    PyObject *out;
    Py_buffer b;
    copse_trace t;
    copse_error err = {0};
    if (!PyArg_ParseTuple(args, "nO", &i, &out)) return NULL;
    if (!copse_model_trace(cp_py_model_of(self), (size_t)i, &t)) {
        PyErr_Format(PyExc_IndexError, "there is no trace %zd", i);
        return NULL;
    }
    if (cp_py_core_doubles(out, t.chains * t.draws, 1, &b)) return NULL;
    copse_status status = copse_model_trace_values(cp_py_model_of(self), (size_t)i, b.buf, &err);
    PyBuffer_Release(&b);
    if (status) return cp_py_core_raise(&err);
    Py_RETURN_NONE;
}

/* unseen(table, feature): (rows with a level that training did not have, the first of them) */
PyObject *cp_py_inspect_unseen(PyObject *self, PyObject *args) {
    PyObject *table;
    Py_ssize_t i;
    if (!PyArg_ParseTuple(args, "On", &table, &i)) return NULL;
    copse_table *t = cp_py_table_of(table);
    if (!t) return NULL;
    size_t row = 0, n = copse_model_unseen(cp_py_model_of(self), t, (size_t)i, &row);
    return Py_BuildValue("(nn)", (Py_ssize_t)n, (Py_ssize_t)row);
}
