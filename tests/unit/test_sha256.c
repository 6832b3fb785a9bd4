#include "check.h"

#include <string.h>

#include "base/sha256.h"

static const char *hash(const void *bytes, size_t n, size_t piece, char out[CP_SHA256_HEX]) {
    unsigned char raw[CP_SHA256_BYTES];
    cp_sha256 h;
    cp_sha256_init(&h);
    for (size_t done = 0; done < n; done += piece)
        cp_sha256_add(&h, (const char *)bytes + done, n - done < piece ? n - done : piece);
    cp_sha256_finish(&h, raw);
    cp_sha256_hex(raw, out);
    return out;
}

/* The examples of FIPS 180-4's own test vectors. */
static void agrees_with_the_standard(void **state) {
    (void)state;
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char out[CP_SHA256_HEX];
    assert_string_equal(hash("", 0, 1, out), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hash("abc", 3, 3, out), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(hash(two_blocks, 56, 56, out),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void pieces_do_not_matter(void **state) {
    (void)state;
    static char many[1000000];
    char out[CP_SHA256_HEX];
    memset(many, 'a', sizeof many);
    for (size_t piece = 1; piece < sizeof many; piece = piece * 7 + 1)
        assert_string_equal(hash(many, sizeof many, piece, out),
                            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_standard),
        cmocka_unit_test(pieces_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
