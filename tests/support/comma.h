/* comma - a locale that writes 0,5 for a half, as much of the world does.  Few machines that run tests have one, so it
 * is made here, in a folder of its own. */
#ifndef COMMA_H
#define COMMA_H

#include "check.h"

#include <locale.h>
#include <unistd.h>

/* From here on, until points_again; the test is skipped if the machine cannot make a locale. */
static inline void commas_for_points(void) {
    static const char *const how =
        "cd %s && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\n"
        "grouping -1\\nEND LC_NUMERIC\\n' > source && "
        "localedef -c -i source -f ANSI_X3.4-1968 ./comma >/dev/null 2>&1; test -d comma";
    char folder[] = "/tmp/copse-locale-XXXXXX", command[512];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, how, folder);
    int made = system(command) == 0;
    assert_int_equal(setenv("LOCPATH", folder, 1), 0);
    made = made && setlocale(LC_NUMERIC, "comma") && strcmp(localeconv()->decimal_point, ",") == 0;
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (!made) skip();
}

static inline void points_again(void) {
    setlocale(LC_NUMERIC, "C");
}

#endif
