/* summary_file - summaries of columns as sections of a model file, docs/format.md, "Columns". */
#ifndef CP_SUMMARY_FILE_H
#define CP_SUMMARY_FILE_H

#include "base/codec.h"
#include "data/summary.h"

/* Writes nothing if u is NULL. */
copse_status cp_summary_file_write(const cp_summary *u, const cp_schema *s, cp_writer *w, copse_error *err);
/* *out is NULL if the file has no summary. */
copse_status cp_summary_file_read(cp_reader *r, const cp_schema *s, cp_summary **out, copse_error *err);

#endif
