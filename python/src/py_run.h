/* py_run - a call of the library without the interpreter's lock, that stops when the user presses Ctrl-C. */
#ifndef CP_PY_RUN_H
#define CP_PY_RUN_H

#include "py_core.h"

typedef struct cp_py_run {
    copse_run run;
    copse_error err;
    PyThreadState *thread; /* of the caller, while the lock is released */
    PyObject *log;         /* called with (level, text), or NULL */
    PyObject *progress;    /* called with (what, done, total), or NULL */
    int raised;            /* a callback or a signal handler has set an exception */
} cp_py_run;

/* Reads `spec`, None or (threads, poll, log, progress), and releases the lock.  Returns -1 with an exception, the lock
 * being held.  Between begin and end no object of Python may be touched. */
int cp_py_run_begin(cp_py_run *r, PyObject *spec);
/* Takes the lock again.  Returns 0, or -1 with an exception if the call failed or was interrupted. */
int cp_py_run_end(cp_py_run *r, copse_status status);

#endif
