/* codec - the one codec of model files: named arrays of typed elements, little endian.
 *
 * A writer collects sections in memory.  A reader holds a whole image and finds sections by name.  A reader trusts
 * nothing: a section that is absent, of another type, of another length than asked for, or with a wrong checksum is
 * COPSE_E_MODEL.  docs/format.md describes the layout and the memory bound.  This header declares types and constants;
 * writer.h and reader.h have the functions. */
#ifndef CP_CODEC_H
#define CP_CODEC_H

enum {
    CP_CODEC_VERSION = 1, /* of the format: goes up when an older program would misread a file */
    CP_CODEC_RATIO = 32,  /* a section of s stored bytes holds at most this times s bytes */
    CP_CODEC_CLAIM = 256 /* an image of s bytes permits at most this times s bytes of memory for what is made from it */
};

typedef enum cp_codec_type { CP_U8, CP_I32, CP_U32, CP_I64, CP_F32, CP_F64 } cp_codec_type;

#include "base/reader.h"
#include "base/writer.h"

#endif
