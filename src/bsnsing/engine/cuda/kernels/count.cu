// Kernels of bsnsing for graphics cards. Counts are sums of integers, so that no order of threads
// changes them. A piece is a stretch of slots of one node and one group of cases; all pieces of a
// level are worked on in one launch, blockIdx.x being the piece.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define WORD 32          // slots to a word of bits
#define NO_ROW 4294967295u
#define MOST_SHARED 2048 // codes of a column that are counted in shared memory
#define TILE 32          // questions on each side of a tile of pairs
#define STEP 32          // words of each question that a tile holds at a time

// Codes of a column have one, two or four bytes; all threads of a block ask about the same column.
__device__ inline u32 code_at(const void* column, int width, i64 slot) {
    if (width == 1) return ((const u8*)column)[slot];
    if (width == 2) return ((const u16*)column)[slot];
    return ((const u32*)column)[slot];
}

struct Questions {
    const int* column;
    const u32* low;
    const u32* high;
    const int* table;
    const u32* words;
};

__device__ inline u32 takes(const Questions& asked, int q, u32 code) {
    if (asked.table[q] < 0) return code >= asked.low[q] && code < asked.high[q];
    return asked.words[asked.table[q] + code / WORD] >> (code % WORD) & 1u;
}

// Answers of the slots of one word to a question; bits from `end` on are 0.
__device__ inline u32 answers_of(const u64* columns, const int* widths, const Questions& asked,
                                 int q, i64 first, i64 end) {
    const int c = asked.column[q];
    const void* column = (const void*)columns[c];
    const int n = end - first < WORD ? (int)(end - first) : WORD;
    u32 word = 0;
    for (int i = 0; i < n; ++i) word |= takes(asked, q, code_at(column, widths[c], first + i)) << i;
    return word;
}

// Answers to a rule: literals joined by or (0), and (1) or xor (2).
__device__ inline u32 follows(const u64* columns, const int* widths, const Questions& asked,
                              const u8* negated, const int* first_literal, const u8* joined_by,
                              int rule, i64 first, i64 end) {
    const int n = end - first < WORD ? (int)(end - first) : WORD;
    const u32 all = n < WORD ? (1u << n) - 1u : ~0u;
    const int how = joined_by[rule];
    u32 word = how == 1 ? all : 0u;
    for (int q = first_literal[rule]; q < first_literal[rule + 1]; ++q) {
        u32 own = answers_of(columns, widths, asked, q, first, end);
        if (negated[q]) own = ~own & all;
        word = how == 0 ? word | own : how == 1 ? word & own : word ^ own;
    }
    return word;
}

// Code of the row in each slot, and 0 where there is none.
extern "C" __global__ void gather(const void* codes, int width, const u32* rows, i64 n_slots,
                                  void* out) {
    const i64 stride = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n_slots; i += stride) {
        const u32 code = rows[i] == NO_ROW ? 0u : code_at(codes, width, rows[i]);
        if (width == 1) ((u8*)out)[i] = (u8)code;
        else if (width == 2) ((u16*)out)[i] = (u16)code;
        else ((u32*)out)[i] = code;
    }
}

// Cases of each code: blockIdx.y is the column.
extern "C" __global__ void count_codes(const u64* columns, const int* widths, const i64* begins,
                                       const i64* ends, const int* nodes, const int* classes,
                                       const int* shifts, const i64* first_code, int n_columns,
                                       int n_classes, u64* counts) {
    __shared__ u32 own[MOST_SHARED];
    const int p = blockIdx.x;
    const int c = blockIdx.y;
    const int n_codes = (int)(first_code[c + 1] - first_code[c]);
    u64* out = counts + ((i64)nodes[p] * n_classes + classes[p]) * first_code[n_columns] +
               first_code[c];
    const bool is_shared = n_codes <= MOST_SHARED;
    if (is_shared)
        for (int i = threadIdx.x; i < n_codes; i += blockDim.x) own[i] = 0;
    __syncthreads();
    const void* column = (const void*)columns[c];
    for (i64 i = begins[p] + threadIdx.x; i < ends[p]; i += blockDim.x) {
        const u32 code = code_at(column, widths[c], i);
        if (is_shared) atomicAdd(&own[code], 1u);
        else atomicAdd(&out[code], (u64)1 << shifts[p]);
    }
    __syncthreads();
    if (is_shared)
        for (int i = threadIdx.x; i < n_codes; i += blockDim.x)
            if (own[i] > 0) atomicAdd(&out[i], (u64)own[i] << shifts[p]);
}

// Bits of each piece, question after question of its node; blockIdx.y deals out the questions.
extern "C" __global__ void answer(const u64* columns, const int* widths, const i64* begins,
                                  const i64* ends, const int* nodes, const i64* first_bits,
                                  const int* first_question, const int* column, const u32* low,
                                  const u32* high, const int* table, const u32* words, u32* bits) {
    const Questions asked = {column, low, high, table, words};
    const int p = blockIdx.x;
    const i64 n_words = (ends[p] - begins[p] + WORD - 1) / WORD;
    const int first = first_question[nodes[p]];
    const int n_questions = first_question[nodes[p] + 1] - first;
    for (int q = blockIdx.y; q < n_questions; q += gridDim.y)
        for (i64 w = threadIdx.x; w < n_words; w += blockDim.x)
            bits[first_bits[p] + q * n_words + w] =
                answers_of(columns, widths, asked, first + q, begins[p] + w * WORD, ends[p]);
}

// Cases that answer yes to both of two questions: AND and popcount, a tile of pairs to a block of
// TILE * TILE / 4 threads, each with four pairs. blockIdx.y deals out the tiles on and above the
// diagonal.
extern "C" __global__ void count_pairs(const u32* bits, const i64* begins, const i64* ends,
                                       const int* nodes, const int* classes, const int* shifts,
                                       const i64* first_bits, const int* first_question,
                                       const i64* first_pair, u64* counts) {
    __shared__ u32 left[TILE][STEP + 1];   // one more word: a column lies in different banks
    __shared__ u32 right[TILE][STEP + 1];
    const int p = blockIdx.x;
    const i64 n_words = (ends[p] - begins[p] + WORD - 1) / WORD;
    const int n = first_question[nodes[p] + 1] - first_question[nodes[p]];
    const int n_tiles = (n + TILE - 1) / TILE;
    const int half = TILE / 2;
    const int x = threadIdx.x % half;
    const int y = threadIdx.x / half;
    u64* out = counts + first_pair[nodes[p]] + (i64)classes[p] * n * n;
    for (int t = blockIdx.y; t < n_tiles * (n_tiles + 1) / 2; t += gridDim.y) {
        int row = 0;
        int col = t;
        while (col >= n_tiles - row) col -= n_tiles - row++;
        col += row;
        u32 found[2][2] = {{0, 0}, {0, 0}};
        for (i64 from = 0; from < n_words; from += STEP) {
            __syncthreads();
            for (int i = threadIdx.x; i < TILE * STEP; i += blockDim.x) {
                const int q = i / STEP;
                const i64 w = from + i % STEP;
                const i64 a = row * TILE + q;
                const i64 b = col * TILE + q;
                left[q][i % STEP] = a < n && w < n_words ? bits[first_bits[p] + a * n_words + w] : 0;
                right[q][i % STEP] = b < n && w < n_words ? bits[first_bits[p] + b * n_words + w] : 0;
            }
            __syncthreads();
            for (int w = 0; w < STEP; ++w)
                for (int i = 0; i < 2; ++i)
                    for (int j = 0; j < 2; ++j)
                        found[i][j] += __popc(left[y + i * half][w] & right[x + j * half][w]);
        }
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) {
                const i64 a = row * TILE + y + i * half;
                const i64 b = col * TILE + x + j * half;
                if (a <= b && b < n && found[i][j] > 0)
                    atomicAdd(&out[a * n + b], (u64)found[i][j] << shifts[p]);
            }
    }
}

// Cases that answer yes to each rule of a piece's node; blockIdx.y deals out the rules.
extern "C" __global__ void count_rules(const u64* columns, const int* widths, const i64* begins,
                                       const i64* ends, const int* nodes, const int* classes,
                                       const int* shifts, const int* first_rule,
                                       const int* first_literal, const u8* negated,
                                       const u8* joined_by, const int* column, const u32* low,
                                       const u32* high, const int* table, const u32* words,
                                       int n_classes, u64* counts) {
    __shared__ u32 found;
    const Questions asked = {column, low, high, table, words};
    const int p = blockIdx.x;
    for (int r = first_rule[nodes[p]] + blockIdx.y; r < first_rule[nodes[p] + 1]; r += gridDim.y) {
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
        u32 own = 0;
        for (i64 at = begins[p] + (i64)threadIdx.x * WORD; at < ends[p]; at += (i64)blockDim.x * WORD)
            own += __popc(follows(columns, widths, asked, negated, first_literal, joined_by, r, at,
                                  ends[p]));
        if (own > 0) atomicAdd(&found, own);
        __syncthreads();
        if (threadIdx.x == 0 && found > 0)
            atomicAdd(&counts[(i64)r * n_classes + classes[p]], (u64)found << shifts[p]);
        __syncthreads();
    }
}

// Bits of each piece by the only rule of its node, and how many of them are 1.
extern "C" __global__ void follow(const u64* columns, const int* widths, const i64* begins,
                                  const i64* ends, const int* nodes, const i64* first_bits,
                                  const int* first_rule, const int* first_literal,
                                  const u8* negated, const u8* joined_by, const int* column,
                                  const u32* low, const u32* high, const int* table,
                                  const u32* words, u32* bits, u64* n_yes) {
    __shared__ u32 found;
    const Questions asked = {column, low, high, table, words};
    const int p = blockIdx.x;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    const i64 n_words = (ends[p] - begins[p] + WORD - 1) / WORD;
    u32 own = 0;
    for (i64 w = threadIdx.x; w < n_words; w += blockDim.x) {
        const u32 word = follows(columns, widths, asked, negated, first_literal, joined_by,
                                 first_rule[nodes[p]], begins[p] + w * WORD, ends[p]);
        bits[first_bits[p] + w] = word;
        own += __popc(word);
    }
    if (own > 0) atomicAdd(&found, own);
    __syncthreads();
    if (threadIdx.x == 0) n_yes[p] = found;
}

// New slot of each case: a thread has a word of its piece, of at most blockDim.x words.
extern "C" __global__ void find_slots(const u32* bits, const i64* begins, const i64* ends,
                                      const i64* first_bits, const i64* yes, const i64* no,
                                      u32* to) {
    __shared__ u32 before[1024];
    const int p = blockIdx.x;
    const int t = threadIdx.x;
    const i64 n_words = (ends[p] - begins[p] + WORD - 1) / WORD;
    const u32 word = t < n_words ? bits[first_bits[p] + t] : 0u;
    before[t] = __popc(word);
    __syncthreads();
    for (int d = 1; d < (int)blockDim.x; d *= 2) {  // sums of this word and those before it
        const u32 more = t >= d ? before[t - d] : 0u;
        __syncthreads();
        before[t] += more;
        __syncthreads();
    }
    if (t >= n_words) return;
    u32 n_yes = before[t] - __popc(word);
    const i64 first = begins[p] + (i64)t * WORD;
    for (i64 slot = first; slot < ends[p] && slot < first + WORD; ++slot) {
        const bool is_yes = word >> (slot - first) & 1u;
        const i64 n_no = slot - begins[p] - n_yes;
        to[slot] = (u32)(is_yes ? yes[p] + n_yes : no[p] + n_no);
        n_yes += is_yes;
    }
}

// Moves the codes of columns, and the rows as one more column; blockIdx.y is the column.
extern "C" __global__ void move(const u64* columns, const int* widths, const i64* begins,
                                const i64* ends, const u32* to, const u64* moved) {
    const int p = blockIdx.x;
    const int c = blockIdx.y;
    const void* from = (const void*)columns[c];
    void* out = (void*)moved[c];
    for (i64 i = begins[p] + threadIdx.x; i < ends[p]; i += blockDim.x) {
        const u32 code = code_at(from, widths[c], i);
        if (widths[c] == 1) ((u8*)out)[to[i]] = (u8)code;
        else if (widths[c] == 2) ((u16*)out)[to[i]] = (u16)code;
        else ((u32*)out)[to[i]] = code;
    }
}
