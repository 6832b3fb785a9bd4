/* foreign - files of other programs, which copse does not read, and the shortest way to a table that it does read. */
#ifndef CP_FOREIGN_H
#define CP_FOREIGN_H

#include "io/read.h"

/* COPSE_E_DATA, with the way out, if the bytes begin like a file of a known kind that cannot be read. */
copse_status cp_foreign_check(const cp_content *in, copse_error *err);

#endif
