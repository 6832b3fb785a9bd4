#include "bo/study_head.h"

#include "base/mem.h"

static copse_status write_head(const copse_study *s, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_text(w, "written_by", COPSE_VERSION, err));
    CP_TRY(cp_writer_i64(w, "minimise", s->minimise, err));
    CP_TRY(cp_writer_text(w, "acquisition", cp_study_acquisition(s), err));
    CP_TRY(cp_writer_f64(w, "kappa", s->kappa, err));
    CP_TRY(cp_writer_i64(w, "trees", (int64_t)s->trees, err));
    CP_TRY(cp_writer_i64(w, "initial", (int64_t)s->initial, err));
    CP_TRY(cp_writer_i64(w, "seed", (int64_t)s->seed, err));
    CP_TRY(cp_writer_push(w, "space", err));
    copse_status status = cp_space_write(s->space, w, err);
    cp_writer_pop(w);
    return status;
}

copse_status cp_study_head_create(const copse_study *s, const char *path, copse_error *err) {
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    CP_TRY(cp_writer_new(&w, err));
    copse_status status = write_head(s, w, err);
    if (!status) status = cp_writer_finish(w, &bytes, &n, err);
    if (!status) status = cp_journal_create(path, bytes, n, err);
    cp_writer_free(w);
    return status;
}

static copse_status read_sections(copse_study *s, cp_reader *r, copse_error *err) {
    char *name = NULL;
    int64_t minimise, trees, initial, seed;
    copse_study_options opt = {0};
    CP_TRY(cp_reader_push(r, "space", err));
    copse_status status = cp_space_read(r, &s->space, err);
    cp_reader_pop(r);
    CP_TRY(status);
    CP_TRY(cp_reader_i64(r, "minimise", 0, 1, &minimise, err));
    CP_TRY(cp_reader_f64(r, "kappa", 0, 1e6, &opt.kappa, err));
    CP_TRY(cp_reader_i64(r, "trees", 1, CP_STUDY_TREES_MAX, &trees, err));
    CP_TRY(cp_reader_i64(r, "initial", 0, INT64_MAX, &initial, err));
    CP_TRY(cp_reader_i64(r, "seed", INT64_MIN, INT64_MAX, &seed, err));
    CP_TRY(cp_reader_text(r, "acquisition", &name, err));
    opt.acquisition = name;
    opt.minimise = (int)minimise;
    opt.trees = (size_t)trees;
    opt.initial = (size_t)initial;
    opt.seed = (uint64_t)seed;
    status = cp_study_set_options(s, &opt, err);
    if (status == COPSE_E_USAGE) status = cp_reader_bad(r, err, "its acquisition is none that this program has");
    cp_mem_free(name);
    return status;
}

copse_status cp_study_head_read(copse_study *s, copse_error *err) {
    cp_reader *r;
    size_t n;
    const unsigned char *head = cp_journal_head(s->journal, &n);
    CP_TRY(cp_reader_new(head, n, &r, err));
    copse_status status = read_sections(s, r, err);
    cp_reader_free(r);
    return status;
}
