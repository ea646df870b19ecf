"""What stands in every class of Java: helpers by name, and how answers follow from leaves."""

CONSTANTS = """
    private static final int NO = 0, UNKNOWN = 1, YES = 2;
    private static final int MISSING = -1, UNSEEN = -2; // positions of levels begin with 0

    private interface Grown {
        double[] leaf(Cells c, Walk w);
    }

    private static final class Open { // a rule that is unknown
        double share;
        boolean goesNo;
        double[] yes;
        Grown part; // where to ask it again, and how many are open above that
        int at;
    }

    private static final class Walk {
        final ArrayList<Open> open = new ArrayList<>();
        int at;
        Grown part; // where it is, and how many are open above that
        int start;
        Grown next; // where it goes on
    }
"""

HELPERS = {
    "cellOf": """
    private static Object cellOf(Map<String, ?> row, String name) {
        Object cell = row.get(name);
        if (cell == null && !row.containsKey(name)) {
            throw new IllegalArgumentException("The row lacks the column '" + name + "'.");
        }
        return cell;
    }
""",
    "number": """
    private static double number(Map<String, ?> row, String name) {
        Object cell = cellOf(row, name);
        if (cell == null) {
            return Double.NaN;
        }
        if (cell instanceof Boolean) {
            return (Boolean) cell ? 1 : 0;
        }
        if (cell instanceof Number) {
            return ((Number) cell).doubleValue();
        }
        throw new IllegalArgumentException("Column '" + name + "' holds numbers. Got: " + cell);
    }
""",
    "wholeOf": """
    // A large number with all its digits, or null where it has none.
    private static java.math.BigInteger wholeOf(Number cell) {
        double number = cell.doubleValue();
        if (Double.isInfinite(number)) {
            return null;
        }
        if (cell instanceof Double || cell instanceof Float) {
            return new java.math.BigDecimal(number).toBigInteger();
        }
        try {
            return new java.math.BigDecimal(cell.toString()).toBigInteger();
        } catch (NumberFormatException error) {
            return null;
        }
    }
""",
    "levelOf": """
    private static int levelOf(Map<String, ?> row, String name, Map<Object, Integer> levels) {
        Object cell = cellOf(row, name);
        if (cell instanceof Boolean) {
            cell = (Boolean) cell ? 1.0 : 0.0;
        } else if (cell instanceof Number) {
            double number = ((Number) cell).doubleValue();
            if (number != number) {
                return MISSING;
            }
            cell = Math.abs(number) < 0x1p53 ? (Object) (number + 0.0) : wholeOf((Number) cell);
            if (cell == null) {
                return UNSEEN;
            }
        }
        if (cell == null) {
            return MISSING;
        }
        return levels.getOrDefault(cell, UNSEEN);
    }
""",
    "above": """
    private static int above(double x, double threshold, int missing) {
        return x != x ? missing : x > threshold ? YES : NO;
    }
""",
    "below": """
    private static int below(double x, double threshold, int missing) {
        return x != x ? missing : x < threshold ? YES : NO;
    }
""",
    "within": """
    private static int within(double x, double low, double high, int missing) {
        return x != x ? missing : low <= x && x <= high ? YES : NO;
    }
""",
    "equal": """
    private static int equal(double x, double value, int missing) {
        return x != x ? missing : x == value ? YES : NO;
    }
""",
    "level": """
    private static int level(int x, int wanted, int missing) {
        return x == MISSING ? missing : x == UNSEEN ? UNKNOWN : x == wanted ? YES : NO;
    }
""",
    "among": """
    private static int among(int x, BitSet group, int missing) {
        return x == MISSING ? missing : x == UNSEEN ? UNKNOWN : group.get(x) ? YES : NO;
    }
""",
    "blank": """
    private static int blank(double x) {
        return x != x ? YES : NO;
    }
""",
    "blank_level": """
    private static int blank_level(int x) {
        return x == MISSING ? YES : NO;
    }
""",
    "negate": """
    private static int negate(int answer) {
        return YES - answer;
    }
""",
    "either": """
    private static int either(int one, int other) {
        return Math.max(one, other);
    }
""",
    "both": """
    private static int both(int one, int other) {
        return Math.min(one, other);
    }
""",
    "odd": """
    private static int odd(int one, int other) {
        return one == UNKNOWN || other == UNKNOWN ? UNKNOWN : one != other ? YES : NO;
    }
""",
    "defined": """
    private static double defined(double x) {
        return Double.isFinite(x) ? x : Double.NaN;
    }
""",
    "rounded": """
    // To twelve decimal digits of the greater part of a sum.
    private static double rounded(double x, double a, double b) {
        if (!Double.isFinite(x)) {
            return Double.NaN;
        }
        double size = Math.max(Math.abs(a), Math.abs(b));
        int low = 0;
        int high = BOUNDS.length;
        while (low < high) { // how many bounds are less than the size
            int middle = (low + high) / 2;
            if (BOUNDS[middle] < size) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        int place = 300 - low;
        double up = POWERS[Math.max(place, 0)];
        double down = POWERS[Math.max(-place, 0)];
        double result = Math.rint(x * up / down) / up * down;
        return Double.isFinite(result) ? result : x;
    }
""",
    "way": """
    // Whether to go the way of yes. Where the answer is unknown: first so, then not so.
    private static boolean way(Walk w, int answer, double share) {
        if (answer != UNKNOWN) {
            return answer == YES;
        }
        if (w.at == w.open.size()) {
            Open met = new Open();
            met.share = share;
            met.part = w.part;
            met.at = w.start;
            w.open.add(met);
        }
        return !w.open.get(w.at++).goesNo;
    }
""",
}

POWERS = """
    // Powers of ten: of the sizes that are rounded alike, and what numbers are scaled by.
    private static final double[] BOUNDS = powersOfTen(-288, 309);
    private static final double[] POWERS = powersOfTen(0, 301);

    private static double[] powersOfTen(int first, int end) {
        double[] all = new double[end - first];
        for (int n = first; n < end; n++) {
            all[n - first] = Double.parseDouble("1e" + n);
        }
        return all;
    }
"""

ANSWERS = """
    // Probabilities by a tree; where a rule is unknown both ways, by what each counts.
    private static double[] mixed(Grown tree, Cells c) {
        Walk w = new Walk();
        w.part = tree;
        for (;;) {
            w.start = w.at;
            double[] p = w.part.leaf(c, w);
            if (p == null) {
                w.part = w.next;
                continue;
            }
            while (!w.open.isEmpty() && w.open.get(w.open.size() - 1).goesNo) {
                Open last = w.open.remove(w.open.size() - 1);
                for (int k = 0; k < p.length; k++) {
                    p[k] = p[k] + last.share * (last.yes[k] - p[k]);
                }
            }
            if (w.open.isEmpty()) {
                return p;
            }
            Open last = w.open.get(w.open.size() - 1);
            last.yes = p;
            last.goesNo = true;
            w.part = last.part;
            w.at = last.at;
        }
    }

    // The probabilities that each member of the model gives.
    private static double[][] membersOf(Map<String, ?> row) {
        Cells c = new Cells(row);
        double[][] members = new double[MEMBERS.length][];
        for (int i = 0; i < MEMBERS.length; i++) {
            Grown[] trees = MEMBERS[i];
            if (trees.length == 1) {
                members[i] = mixed(trees[0], c);
                continue;
            }
            double[] scores = new double[trees.length]; // one tree per class
            double total = 0;
            for (int k = 0; k < trees.length; k++) {
                scores[k] = mixed(trees[k], c)[1];
                total += scores[k];
            }
            for (int k = 0; k < trees.length; k++) {
                scores[k] = total > 0 ? scores[k] / total : 1.0 / trees.length;
            }
            members[i] = scores;
        }
        return members;
    }

    private static double[] meanOf(double[][] members) {
        double[] mean = members[0].clone();
        for (int i = 1; i < members.length; i++) {
            for (int k = 0; k < mean.length; k++) {
                mean[k] = mean[k] + members[i][k];
            }
        }
        for (int k = 0; k < mean.length; k++) {
            mean[k] = mean[k] / members.length;
        }
        return mean;
    }

    private static int best(double[] scores) {
        int first = 0;
        for (int k = 1; k < scores.length; k++) {
            if (scores[k] > scores[first]) {
                first = k;
            }
        }
        return first;
    }

    /** The probability of each of CLASSES. A row has cells by column. */
    public static double[] predictProba(Map<String, ?> row) {
        return meanOf(membersOf(row));
    }

    /** The class decided for; of equals the first. */
    public static Object predict(Map<String, ?> row) {
        double[][] members = membersOf(row);
        double[] mean = meanOf(members);
        if (!IS_HARD) {
            return CLASSES.get(decided(mean));
        }
        double[] votes = new double[mean.length];
        for (double[] member : members) {
            votes[decided(member)] += 1;
        }
        double[] other = betweenEquals(mean);
        for (int k = 0; k < votes.length; k++) {
            votes[k] = votes[k] + other[k];
        }
        return CLASSES.get(best(votes));
    }
}
"""

BY_PROBABILITY = """
    // The position of the most probable class.
    private static int decided(double[] p) {
        return best(p);
    }

    // What decides where votes do not: less than one vote.
    private static double[] betweenEquals(double[] p) {
        double[] halves = new double[p.length];
        for (int k = 0; k < p.length; k++) {
            halves[k] = p[k] / 2;
        }
        return halves;
    }
"""

BY_COST = """
    // Less what each class is expected to cost if it is said.
    private static double[] saved(double[] p) {
        double[] costs = new double[p.length];
        for (int i = 0; i < p.length; i++) {
            double[] own = Costs.ALL.get(i);
            for (int j = 0; j < p.length; j++) {
                costs[j] = costs[j] - p[i] * own[j];
            }
        }
        return costs;
    }

    // The position of the class that is expected to cost least.
    private static int decided(double[] p) {
        return best(saved(p));
    }

    // What decides where votes do not: less than one vote.
    private static double[] betweenEquals(double[] p) {
        double[] other = saved(p);
        for (int k = 0; k < p.length; k++) {
            other[k] = other[k] / (2 * DEAREST_COST);
        }
        return other;
    }
"""
