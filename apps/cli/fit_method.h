/* fit_method - the method that fit uses where -m does not say. */
#ifndef FIT_METHOD_H
#define FIT_METHOD_H

#include "cli.h"

/* The method that -m names; else `auto` if it has all method options that were given; else the one method that has
 * them, which is said.  COPSE_E_USAGE, with their names, if several have them. */
copse_status fit_method_choose(cli *c, const char **out, copse_error *err);

#endif
