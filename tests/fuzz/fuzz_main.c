/* The driver of a fuzz target where there is no libFuzzer: it gives the target every file of a folder, then mutants of
 * them that are the same in every run.
 *
 *     fuzz_csv corpus/csv [mutants]
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_SEEDS = 1000, LONGEST = 1 << 20, MUTANTS = 2000 };

typedef struct seed {
    char *name;
    uint8_t *data;
    size_t n;
} seed;

static uint64_t state = 0x9e3779b97f4a7c15u;

static size_t below(size_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

static void die(const char *what, const char *name) {
    fprintf(stderr, "fuzz: %s %s\n", what, name);
    exit(2);
}

static void *must_have(void *p) {
    if (!p) die("out of", "memory");
    return p;
}

/* Each input in a block of its own size, so that the address sanitizer sees a read behind it. */
static void try_input(const uint8_t *data, size_t n) {
    uint8_t *copy = must_have(malloc(n ? n : 1));
    if (n) memcpy(copy, data, n);
    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const seed *)a)->name, ((const seed *)b)->name);
}

static size_t read_seed(const char *dir, const char *name, seed *out) {
    char path[4096];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return 0;
    FILE *f = fopen(path, "rb");
    if (!f) die("cannot open", path);
    out->data = must_have(malloc(LONGEST));
    out->n = fread(out->data, 1, LONGEST, f);
    fclose(f);
    out->name = must_have(malloc(strlen(name) + 1));
    strcpy(out->name, name);
    return 1;
}

/* Sorted, so that the mutants do not depend on the file system's order. */
static size_t read_seeds(const char *dir, seed *out) {
    DIR *d = opendir(dir);
    size_t n = 0;
    if (!d) die("cannot open", dir);
    for (struct dirent *e; n < MAX_SEEDS && (e = readdir(d));) n += read_seed(dir, e->d_name, &out[n]);
    closedir(d);
    qsort(out, n, sizeof *out, by_name);
    return n;
}

/* One change: a flipped bit, a new byte, an interesting byte, a piece left out, doubled, or taken from another seed. */
static size_t mutate(uint8_t *data, size_t n, const seed *other) {
    static const char interesting[] = "\0\xff\x7f\x80\n\r\t \",;:|0129.-+e{}[]\\#'()";
    size_t at = n ? below(n) : 0, piece = n ? 1 + below(n - at < 64 ? n - at : 64) : 0;
    switch (below(n ? 7 : 1)) {
        case 0:
            if (!other->n) return n;
            at = below(other->n);
            piece = other->n - at < LONGEST - n ? other->n - at : LONGEST - n;
            memcpy(data + n, other->data + at, piece);
            return n + piece;
        case 1: data[at] ^= (uint8_t)(1u << below(8)); return n;
        case 2: data[at] = (uint8_t)below(256); return n;
        case 3: data[at] = (uint8_t)interesting[below(sizeof interesting - 1)]; return n;
        case 4: memmove(data + at, data + at + piece, n - at - piece); return n - piece;
        case 5:
            if (n + piece > LONGEST) return n;
            memmove(data + at + piece, data + at, n - at);
            return n + piece;
        default: return at;
    }
}

static void try_mutants(const seed *seeds, size_t n_seeds, long mutants) {
    uint8_t *data = must_have(malloc(LONGEST));
    for (long i = 0; i < mutants; i++) {
        const seed *s = &seeds[below(n_seeds)];
        size_t n = s->n;
        memcpy(data, s->data, n);
        for (size_t changes = 1 + below(8); changes; changes--) n = mutate(data, n, &seeds[below(n_seeds)]);
        try_input(data, n);
    }
    free(data);
}

int main(int argc, char **argv) {
    static seed seeds[MAX_SEEDS];
    if (argc < 2) die("usage:", "TARGET FOLDER [MUTANTS]");
    long mutants = argc > 2 ? strtol(argv[2], NULL, 10) : MUTANTS;
    size_t n = read_seeds(argv[1], seeds);
    if (!n) die("no files in", argv[1]);
    for (size_t i = 0; i < n; i++) try_input(seeds[i].data, seeds[i].n);
    try_mutants(seeds, n, mutants);
    for (size_t i = 0; i < n; i++) {
        free(seeds[i].data);
        free(seeds[i].name);
    }
    printf("%zu files, %ld mutants\n", n, mutants);
    return 0;
}
