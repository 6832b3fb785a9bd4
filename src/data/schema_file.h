/* schema_file - the schema's sections in a model file, "schema.*" in docs/format.md. */
#ifndef CP_SCHEMA_FILE_H
#define CP_SCHEMA_FILE_H

#include "base/codec.h"
#include "data/schema.h"

copse_status cp_schema_file_write(const cp_schema *s, cp_writer *w, copse_error *err);
copse_status cp_schema_file_read(cp_reader *r, cp_schema **out, copse_error *err);

#endif
