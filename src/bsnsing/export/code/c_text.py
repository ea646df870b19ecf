"""What stands in every file of C: helpers by name, and how answers follow from leaves."""

# Helpers by name; a file has those that it calls. What is volatile keeps compilers from fusing a
# product with a sum, which would change the last bit.
HELPERS = {
    "above": """
static int above(double x, double threshold, int missing) {
    return x != x ? missing : x > threshold ? YES : NO;
}
""",
    "below": """
static int below(double x, double threshold, int missing) {
    return x != x ? missing : x < threshold ? YES : NO;
}
""",
    "within": """
static int within(double x, double low, double high, int missing) {
    return x != x ? missing : low <= x && x <= high ? YES : NO;
}
""",
    "equal": """
static int equal(double x, double value, int missing) {
    return x != x ? missing : x == value ? YES : NO;
}
""",
    "level": """
static int level(int x, int wanted, int missing) {
    return x == MISSING ? missing : x == UNSEEN ? UNKNOWN : x == wanted ? YES : NO;
}
""",
    "among": """
static int among(int x, const int *group, int missing) { /* group[0] is how many follow */
    int i;
    if (x == MISSING) return missing;
    if (x == UNSEEN) return UNKNOWN;
    for (i = 1; i <= group[0]; i++)
        if (group[i] == x) return YES;
    return NO;
}
""",
    "blank": """
static int blank(double x) { return x != x ? YES : NO; }
""",
    "blank_level": """
static int blank_level(int x) { return x == MISSING ? YES : NO; }
""",
    "negate": """
static int negate(int answer) { return YES - answer; }
""",
    "either": """
static int either(int one, int other) { return one > other ? one : other; }
""",
    "both": """
static int both(int one, int other) { return one < other ? one : other; }
""",
    "odd": """
static int odd(int one, int other) {
    return one == UNKNOWN || other == UNKNOWN ? UNKNOWN : one != other ? YES : NO;
}
""",
    "defined": """
static double defined(double x) { return isfinite(x) ? x : NAN; }
""",
    "rounded": """
/* Round to twelve decimal digits of the greater part of a sum. */
static double rounded(double number, double a, double b) {
    const double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    int low = 0, high = N_BOUNDS, place;
    double up, down, result;
    if (!isfinite(number)) return NAN;
    while (low < high) { /* how many bounds are less than the size */
        const int middle = (low + high) / 2;
        if (BOUNDS[middle] < size) low = middle + 1;
        else high = middle;
    }
    place = 300 - low;
    up = POWERS[place > 0 ? place : 0];
    down = POWERS[place < 0 ? -place : 0];
    result = rint(number * up / down) / up * down;
    return isfinite(result) ? result : number;
}
""",
    "level_of_text": """
static int level_of_text(const char *cell, const text_level *levels, int n) {
    int low = 0, high = n - 1;
    if (cell == NULL) return MISSING;
    while (low <= high) {
        const int middle = (low + high) / 2;
        const int order = strcmp(cell, levels[middle].text);
        if (order == 0) return levels[middle].position;
        if (order < 0) high = middle - 1;
        else low = middle + 1;
    }
    return UNSEEN;
}
""",
    "level_of_number": """
static int level_of_number(double cell, const double *levels, int n) {
    int low = 0, high = n - 1;
    if (cell != cell) return MISSING;
    while (low <= high) {
        const int middle = (low + high) / 2;
        if (cell == levels[middle]) return middle;
        if (cell < levels[middle]) high = middle - 1;
        else low = middle + 1;
    }
    return UNSEEN;
}
""",
    "way": """
/* Whether to go the way of yes. Where the answer is unknown: first so, then not so. */
static int way(walk *w, int answer, double share) {
    if (answer != UNKNOWN) return answer == YES;
    if (w->at == w->n_open) {
        w->goes_no[w->n_open] = 0;
        w->parts[w->n_open] = w->current; /* where to ask it again */
        w->starts[w->n_open] = w->start;
        w->share[w->n_open++] = share;
    }
    return !w->goes_no[w->at++];
}
""",
}

TYPES = """
enum { NO, UNKNOWN, YES };
enum { MISSING = -1, UNSEEN = -2 };

typedef struct cells cells;
typedef struct walk walk;
/* A part of a tree: returns a leaf, or NULL and says where it goes on. */
typedef const double *(*part)(const cells *, walk *);

struct walk { /* the rules on the way that are unknown */
    int n_open, at;
    part current, next; /* where it is, and where it goes on */
    int start;          /* how many were open above */
    part parts[N_OPEN];
    int starts[N_OPEN];
    int goes_no[N_OPEN];
    double share[N_OPEN];
    double yes[N_OPEN][N_VALUES];
};
"""

MIXED = """
/* Probabilities by a tree; where a rule is unknown both ways, by what each counts. */
static void mixed(part tree, int n, const cells *c, double *p) {
    walk w;
    int k;
    w.n_open = w.at = 0;
    w.current = tree;
    for (;;) {
        const double *leaf;
        w.start = w.at;
        leaf = w.current(c, &w);
        if (leaf == NULL) { /* the tree goes on in another part */
            w.current = w.next;
            continue;
        }
        for (k = 0; k < n; k++) p[k] = leaf[k];
        while (w.n_open > 0 && w.goes_no[w.n_open - 1]) {
            w.n_open--;
            for (k = 0; k < n; k++) {
                volatile double step = w.share[w.n_open] * (w.yes[w.n_open][k] - p[k]);
                p[k] = p[k] + step;
            }
        }
        if (w.n_open == 0) return;
        for (k = 0; k < n; k++) w.yes[w.n_open - 1][k] = p[k];
        w.goes_no[w.n_open - 1] = 1;
        w.current = w.parts[w.n_open - 1];
        w.at = w.starts[w.n_open - 1];
    }
}
"""

MEMBER_OF_ONE = """
static void member(int i, const cells *c, double *p) {
    mixed(TREES[i], N_CLASSES, c, p);
}
"""

MEMBER_OF_SEVERAL = """
/* One tree per class: each tells the probability of its own. */
static void member(int i, const cells *c, double *p) {
    double total = 0;
    int k;
    for (k = 0; k < N_CLASSES; k++) {
        double own[2];
        mixed(TREES[i * N_CLASSES + k], 2, c, own);
        p[k] = own[1];
        total += own[1];
    }
    for (k = 0; k < N_CLASSES; k++) p[k] = total > 0 ? p[k] / total : 1.0 / N_CLASSES;
}
"""

ANSWERS = """
static int best(const double *p) {
    int k, first = 0;
    for (k = 1; k < N_CLASSES; k++)
        if (p[k] > p[first]) first = k;
    return first;
}

DECIDED
static void mean(const PREFIX_row *row, double *p, double *votes) {
    cells c;
    int i, k;
    read_cells(row, &c);
    for (k = 0; k < N_CLASSES; k++) p[k] = votes[k] = 0;
    for (i = 0; i < N_MEMBERS; i++) {
        double own[N_CLASSES];
        member(i, &c, own);
        for (k = 0; k < N_CLASSES; k++) p[k] = p[k] + own[k];
        votes[decided(own)] += 1;
    }
    for (k = 0; k < N_CLASSES; k++) p[k] = p[k] / N_MEMBERS;
}

void PREFIX_predict_proba(const PREFIX_row *row, double out[PREFIX_N_CLASSES]) {
    double votes[N_CLASSES];
    mean(row, out, votes);
}

int PREFIX_predict(const PREFIX_row *row) {
    double p[N_CLASSES], votes[N_CLASSES];
    int k;
    mean(row, p, votes);
    if (!IS_HARD) return decided(p);
    between_equals(p); /* members vote, and the mean decides where they do not */
    for (k = 0; k < N_CLASSES; k++) p[k] = votes[k] + p[k];
    return best(p);
}
"""

BY_PROBABILITY = """
/* The position of the most probable class. */
static int decided(const double *p) { return best(p); }

/* What decides where votes do not: less than one vote. */
static void between_equals(double *p) {
    int k;
    for (k = 0; k < N_CLASSES; k++) p[k] = p[k] / 2;
}
"""

BY_COST = """
/* Less what each class is expected to cost if it is said. */
static void saved(const double *p, double *costs) {
    int i, j;
    for (j = 0; j < N_CLASSES; j++) costs[j] = 0;
    for (i = 0; i < N_CLASSES; i++) {
        for (j = 0; j < N_CLASSES; j++) {
            volatile double cost = p[i] * COSTS[i][j];
            costs[j] = costs[j] - cost;
        }
    }
}

/* The position of the class that is expected to cost least. */
static int decided(const double *p) {
    double costs[N_CLASSES];
    saved(p, costs);
    return best(costs);
}

/* What decides where votes do not: less than one vote. */
static void between_equals(double *p) {
    double costs[N_CLASSES];
    int k;
    saved(p, costs);
    for (k = 0; k < N_CLASSES; k++) p[k] = costs[k] / (2 * DEAREST_COST);
}
"""
