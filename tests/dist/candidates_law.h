/* candidates_law - how far trees whose splits the labels choose are from their law, grown in one of several ways.
 * Distances are multiples of the bound of ks.h: above 1 the law is broken. */
#ifndef CANDIDATES_LAW_H
#define CANDIDATES_LAW_H

#include "forest.h"
#include "ks.h"

/* How a forest comes to have its rows. */
typedef enum law_way { LAW_BATCH, LAW_ONLINE, LAW_REVERSED, LAW_SHUFFLED, LAW_SORTED, LAW_MINIBATCH, LAW_WAYS } law_way;

/* Few rows on a line: shapes of trees against their exact probabilities, which are listed; waiting times and candidates
 * against their closed forms. */
double candidates_law_listed(size_t classes, int candidates, law_way way, const char **out_what);
/* Up to 24 rows: features of trees grown so against those of trees grown from all rows at once. */
double candidates_law_compared(size_t rows, size_t classes, int steps, const char *options, law_way way,
                               const char **out_what);

#endif
