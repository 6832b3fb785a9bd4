#include "cli_options_text.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"

/* An option of any command or method: a message may point to another command than the one that runs. */
static int is_option(const char *name, size_t n) {
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        if (cli_args_knows(command, name, n)) return 1;
    return 0;
}

/* Writes the n characters of an option, "name" or "name=value", as the user types it, and returns the end.  The option
 * may overlap the output: it begins at least one character, its backquote, behind. */
static char *spell(char *out, const char *option, size_t n) {
    static const char target[] = "target", typed[] = "-t NAME";
    if (n == sizeof target - 1 && memcmp(option, target, n) == 0) {
        memcpy(out, typed, sizeof typed - 1);
        return out + sizeof typed - 1;
    }
    memmove(out + 2, option, n);
    memcpy(out, "--", 2);
    char *value = memchr(out, '=', n + 2);
    if (value) *value = ' ';
    return out + n + 2;
}

void cli_options_text(char *text) {
    char *out = text;
    for (const char *at = text; *at;) {
        const char *end = *at == '`' ? strchr(at + 1, '`') : NULL;
        size_t name = end ? strcspn(at + 1, "=`") : 0;
        if (end && is_option(at + 1, name)) {
            out = spell(out, at + 1, (size_t)(end - at - 1));
            at = end + 1;
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
}

const char *cli_options_text_copy(const char *text, char buf[CLI_TEXT_SIZE]) {
    snprintf(buf, CLI_TEXT_SIZE, "%s", text);
    cli_options_text(buf);
    return buf;
}
