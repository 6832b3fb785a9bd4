/* cli_options_text - the library's messages in the command line's spelling.
 *
 * The library names an option in backquotes, without dashes: `min-leaf`, or `trunk-leaves=5` with a value.  Each front
 * end spells it for its own users.  Here it becomes --min-leaf and --trunk-leaves 5. */
#ifndef CLI_OPTIONS_TEXT_H
#define CLI_OPTIONS_TEXT_H

enum { CLI_TEXT_SIZE = 2048 };

/* Replaces every option in backquotes by its spelling, in place: no spelling is longer than its source.  Words in
 * backquotes that are no option, such as parts of a column's name, stay. */
void cli_options_text(char *text);

/* The same on a copy, for messages that cannot be changed; returns buf. */
const char *cli_options_text_copy(const char *text, char buf[CLI_TEXT_SIZE]);

#endif
