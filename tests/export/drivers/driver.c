/* Reads rows from rows.txt and writes what the model says of each. */
#include "model.c"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1 << 22 };
static char texts[ROOM]; /* of one row */
static size_t used;
static FILE *file;

static int next_sign(void) { /* of a token, after what separates it from the last */
    int sign = fgetc(file);
    while (sign == ' ' || sign == '\n') sign = fgetc(file);
    return sign;
}

static int hex_digit(void) { /* -1 where the token ends */
    const int sign = fgetc(file);
    if (sign >= '0' && sign <= '9') return sign - '0';
    if (sign >= 'a' && sign <= 'f') return sign - 'a' + 10;
    if (sign != EOF) ungetc(sign, file);
    return -1;
}

double read_number(void);
const char *read_text(void);

double read_number(void) {
    const int kind = next_sign();
    uint64_t bits = 0;
    double number;
    int digit;
    if (kind == '-') return NAN;
    while ((digit = hex_digit()) >= 0) bits = bits << 4 | (uint64_t)digit;
    if (kind == 'b') return (double)bits;
    memcpy(&number, &bits, sizeof number);
    return number;
}

const char *read_text(void) {
    const size_t start = used;
    int high;
    if (next_sign() == '-') return NULL;
    while ((high = hex_digit()) >= 0) texts[used++] = (char)(high << 4 | hex_digit());
    texts[used++] = '\0';
    return texts + start;
}

int64_t read_moment(void);

int64_t read_moment(void) {
    long long steps;
    if (next_sign() == '-') return INT64_MIN;
    return fscanf(file, "%lld", &steps) == 1 ? (int64_t)steps : 0;
}

int main(void) {
    int sign;
    file = fopen("rows.txt", "r");
    if (file == NULL) return 1;
    while ((sign = fgetc(file)) != '\n')
        if (sign == EOF) return 1; /* names */
    while ((sign = fgetc(file)) != EOF) {
        bsnsing_row row;
        double p[bsnsing_N_CLASSES];
        const char *label;
        int k;
        ungetc(sign, file);
        used = 0;
        memset(&row, 0, sizeof row);
        /* READERS */
        while ((sign = fgetc(file)) != '\n') {
        }
        bsnsing_predict_proba(&row, p);
        for (k = 0; k < bsnsing_N_CLASSES; k++) {
            uint64_t bits;
            memcpy(&bits, &p[k], sizeof bits);
            printf("%08lx%08lx ", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffff));
        }
        printf("t");
        for (label = bsnsing_classes[bsnsing_predict(&row)]; *label; label++)
            printf("%02x", (unsigned)(unsigned char)*label);
        printf("\n");
    }
    return 0;
}
