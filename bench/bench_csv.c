/* bench_csv - measures the speed of the CSV reader against a simple reader with getline and strtod, on the same files
 * in the same run, and checks that both agree bit for bit.
 *
 *     bench_csv [MEGABYTES]
 *
 * Seconds are CPU time with the file in the page cache: opening, reading, parsing, storing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/read.h"
#include "num/rng.h"

enum { ROUNDS = 5 }; /* the fastest counts: a virtual machine may first have to get new memory from its host */

/* Writes a field of column j, for each kind of file. */
typedef int (*field_writer)(char *out, size_t j, cp_rng *r);

static int write_integer(char *out, size_t j, cp_rng *r) {
    (void)j;
    return sprintf(out, "%d", (int)cp_rng_below(r, 16));
}

static int write_decimal(char *out, size_t j, cp_rng *r) {
    (void)j;
    return sprintf(out, "%.6f", 200 * cp_rng_unit(r) - 100);
}

static int write_double(char *out, size_t j, cp_rng *r) {
    (void)j;
    return sprintf(out, "%.17g", 2 * cp_rng_unit(r) - 1);
}

/* Each column has its own kind; one field in twenty is missing. */
static int write_mixed(char *out, size_t j, cp_rng *r) {
    if (cp_rng_below(r, 20) == 0) return 0;
    switch (j % 6) {
        case 0: return write_integer(out, j, r);
        case 1: return write_double(out, j, r);
        case 2: return sprintf(out, "%.3e", cp_rng_unit(r));
        case 3: return sprintf(out, "%lu", (unsigned long)cp_rng_below(r, 1000000000));
        case 4: return sprintf(out, "%.2f", 1000 * cp_rng_unit(r));
        default: return write_decimal(out, j, r);
    }
}

static const struct kind {
    const char *name;
    field_writer write;
    size_t cols;
} kinds[] = {
    {"integers", write_integer, 17}, {"decimals", write_decimal, 11}, {"doubles", write_double, 11},
    {"mixed", write_mixed, 12},      {"wide", write_integer, 785},
};

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "bench_csv: %s\n", what);
    exit(1);
}

static size_t write_file(const char *path, const struct kind *k, size_t bytes) {
    FILE *f = fopen(path, "w");
    char field[64];
    size_t n = 0;
    cp_rng r;
    cp_rng_init(&r, 1, CP_FOR_TEST, 0, 0);
    if (!f) die("cannot write the file");
    for (size_t j = 0; j < k->cols; j++) n += (size_t)fprintf(f, "x%zu%c", j + 1, j + 1 < k->cols ? ',' : '\n');
    while (n < bytes)
        for (size_t j = 0; j < k->cols; j++) {
            int length = k->write(field, j, &r);
            field[length] = j + 1 < k->cols ? ',' : '\n';
            n += fwrite(field, 1, (size_t)length + 1, f);
        }
    if (fclose(f)) die("cannot write the file");
    return n;
}

/* The simple reader: getline for a line, strtod for a field, columns that double their capacity. */
typedef struct plain {
    double **col;
    size_t rows, cols;
} plain;

static plain plain_read(const char *path) {
    plain t = {0};
    char *line = NULL;
    size_t room = 0, cap = 0;
    FILE *f = fopen(path, "r");
    if (!f || getline(&line, &room, f) < 0) die("cannot read the file");
    t.cols = 1;
    for (const char *p = line; *p; p++) t.cols += *p == ',';
    t.col = calloc(t.cols, sizeof *t.col);
    for (; getline(&line, &room, f) > 0; t.rows++) {
        char *p = line;
        if (t.rows == cap) {
            cap = cap ? 2 * cap : 1024;
            for (size_t j = 0; j < t.cols; j++) t.col[j] = realloc(t.col[j], cap * sizeof **t.col);
        }
        for (size_t j = 0; j < t.cols; j++) {
            char *end;
            t.col[j][t.rows] = strtod(p, &end);
            if (end == p) t.col[j][t.rows] = NAN;
            p = end + 1;
        }
    }
    free(line);
    fclose(f);
    return t;
}

static void plain_free(plain *t) {
    for (size_t j = 0; j < t->cols; j++) free(t->col[j]);
    free(t->col);
}

static double plain_seconds(const char *path) {
    double start = cpu_seconds();
    plain t = plain_read(path);
    double spent = cpu_seconds() - start;
    plain_free(&t);
    return spent;
}

static copse_table *our_read(const char *path) {
    copse_error err;
    copse_table *t;
    if (cp_read_file(path, NULL, &t, &err)) die(err.msg);
    return t;
}

static double our_seconds(const char *path) {
    double start = cpu_seconds();
    copse_table *t = our_read(path);
    double spent = cpu_seconds() - start;
    cp_table_free(t);
    return spent;
}

static int agree(const char *path) {
    copse_table *ours = our_read(path);
    plain theirs = plain_read(path);
    int same = ours->rows == theirs.rows && ours->cols == theirs.cols;
    for (size_t j = 0; same && j < ours->cols; j++)
        for (size_t i = 0; i < ours->rows; i++) {
            double a = ours->col[j].number[i], b = theirs.col[j][i];
            same &= (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
        }
    cp_table_free(ours);
    plain_free(&theirs);
    return same;
}

int main(int argc, char **argv) {
    size_t bytes = (size_t)(argc > 1 ? strtod(argv[1], NULL) * 1e6 : 50e6);
    char path[] = "/tmp/bench_csv_XXXXXX";
    int fd = mkstemp(path), all_agree = 1;
    if (fd < 0) die("cannot make a file");
    close(fd);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double size = (double)write_file(path, &kinds[i], bytes) / 1e6, ours = INFINITY, theirs = INFINITY;
        int same = agree(path);
        for (int round = 0; round < ROUNDS; round++) {
            ours = fmin(ours, our_seconds(path));
            theirs = fmin(theirs, plain_seconds(path));
        }
        printf(
            "{\"case\": \"csv\", \"what\": \"%s\", \"mb\": %.1f, \"copse_mb_s\": %.0f, \"strtod_mb_s\": %.0f, "
            "\"ratio\": %.1f, \"agree\": %s}\n",
            kinds[i].name, size, size / ours, size / theirs, theirs / ours, same ? "true" : "false");
        fflush(stdout);
        all_agree &= same;
    }
    unlink(path);
    return !all_agree;
}
