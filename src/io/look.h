/* look - looks at the text of a table while it arrives, so that what cannot be one is refused before all of it is
 * unpacked: a small compressed file may hold a huge text. */
#ifndef CP_LOOK_H
#define CP_LOOK_H

#include "io/read.h"

/* Set opt, zeros elsewhere. */
typedef struct cp_look {
    const cp_read_options *opt;
    const cp_format *format; /* NULL: not known yet */
    size_t checked;          /* bytes known to be text */
    size_t next;             /* the header is looked at again when so many bytes have arrived */
    int header_is_whole;     /* it has been looked at to its end */
} cp_look;

/* A cp_source_look.  COPSE_E_DATA if the bytes are no text although the format wants it, or if the header of CSV has
 * too many columns.  The readers check all of that again. */
copse_status cp_look_at(void *look, const cp_content *arrived, int ended, copse_error *err);

#endif
