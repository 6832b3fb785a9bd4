#include "py_run.h"

/* The callbacks run in the calling thread, which has released the interpreter's lock. */
static void call(cp_py_run *r, PyObject *function, PyObject *args) {
    PyObject *result = args ? PyObject_CallObject(function, args) : NULL;
    if (!result) r->raised = 1;
    Py_XDECREF(result);
    Py_XDECREF(args);
}

static void on_log(void *arg, copse_log_level level, const char *text) {
    cp_py_run *r = arg;
    PyEval_RestoreThread(r->thread);
    if (!r->raised) call(r, r->log, Py_BuildValue("(iN)", (int)level, cp_py_core_text(text)));
    r->thread = PyEval_SaveThread();
}

static void on_progress(void *arg, const char *what, double done, double total) {
    cp_py_run *r = arg;
    PyEval_RestoreThread(r->thread);
    if (!r->raised) call(r, r->progress, Py_BuildValue("(sdd)", what, done, total));
    r->thread = PyEval_SaveThread();
}

static int on_poll(void *arg) {
    cp_py_run *r = arg;
    PyEval_RestoreThread(r->thread);
    if (!r->raised && PyErr_CheckSignals()) r->raised = 1;
    r->thread = PyEval_SaveThread();
    return r->raised;
}

int cp_py_run_begin(cp_py_run *r, PyObject *spec) {
    int threads = 0, poll = 0;
    PyObject *log = Py_None, *progress = Py_None;
    *r = (cp_py_run){.run = {.size = sizeof r->run}};
    if (spec && spec != Py_None && !PyArg_ParseTuple(spec, "ipOO", &threads, &poll, &log, &progress)) return -1;
    r->run.threads = threads;
    r->run.arg = r;
    if (poll) r->run.poll = on_poll;
    if (log != Py_None) r->log = log, r->run.log = on_log;
    if (progress != Py_None) r->progress = progress, r->run.progress = on_progress;
    r->thread = PyEval_SaveThread();
    return 0;
}

int cp_py_run_end(cp_py_run *r, copse_status status) {
    PyEval_RestoreThread(r->thread);
    if (r->raised) return -1;
    if (!status) return 0;
    cp_py_core_raise(&r->err);
    return -1;
}
