/* grove_file - a grove in sections and back; docs/format.md lists them. */
#ifndef CP_GROVE_FILE_H
#define CP_GROVE_FILE_H

#include "base/bytes.h"
#include "tree/grove.h"

/* The grove is finished. */
copse_status cp_grove_write(const cp_grove *g, cp_writer *w, copse_error *err);
/* After a failure `out` holds nothing.  Whoever lists a tree node by node, or walks down it, takes no longer than the
 * size of the file justifies. */
copse_status cp_grove_read(cp_reader *r, size_t dims, size_t width, cp_grove *out, copse_error *err);

#endif
