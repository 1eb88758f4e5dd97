// Makes the calls that the program makes through PQKit, by libpq alone: what a program in C takes for the same batches.
// Tests/PQBench is the same in Swift; both make the same facts out of the same numbers.
//
// usage: caller report|claim|look-up HOST PORT ROLE DATABASE TOKEN CALLS FIRST
// Prints the seconds of processor time that the calls took, and how many rows were answered.
#include <endian.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 333, CLAIMS = 256, KEYS = 64, MOST = 23 };
enum { BOOL = 16, BYTEA = 17, CHAR = 18, INT8 = 20, INT2 = 21, TEXT = 25, UUID = 2950 };
enum { BOOLS = 1000, BYTEAS = 1001, CHARS = 1002, INT2S = 1005, TEXTS = 1009, INT8S = 1016, UUIDS = 2951 };

static void fail(const char *what) {
    fprintf(stderr, "caller: %s\n", what);
    exit(1);
}

static void *memory(void *found) {
    if (!found) fail("there is no memory");
    return found;
}

// A column of facts as a program has them: numbers, or bytes with their length, -1 for NULL.
typedef struct { const char *start; int32_t length; } Piece;
typedef struct { Oid type, element; int count, width; int64_t *numbers; Piece *pieces; } Column;
typedef struct { Column columns[MOST]; int count; } Call;

// The parameters of one call in the server's binary form; its memory is used again by the next call.
typedef struct { char *start; size_t length, room; } Buffer;

static char *more(Buffer *buffer, size_t length) {
    if (buffer->length + length > buffer->room) {
        buffer->room = 2 * (buffer->length + length);
        buffer->start = memory(realloc(buffer->start, buffer->room));
    }
    buffer->length += length;
    return buffer->start + buffer->length - length;
}

static void put_number(Buffer *buffer, int width, int64_t value) {
    uint64_t big = htobe64((uint64_t)value << (8 * (8 - width)));
    memcpy(more(buffer, width), &big, width);
}

static void put_array(Buffer *buffer, const Column *column) {
    int has_null = 0;
    for (int k = 0; column->pieces && k < column->count; k++) has_null |= column->pieces[k].length < 0;
    int32_t head[] = {1, has_null, (int32_t)column->element, column->count, 1};
    for (int k = 0; k < 5; k++) put_number(buffer, 4, head[k]);
    for (int k = 0; k < column->count; k++) {
        if (column->numbers) {
            put_number(buffer, 4, column->width);
            put_number(buffer, column->width, column->numbers[k]);
        } else {
            Piece piece = column->pieces[k];
            put_number(buffer, 4, piece.length);
            if (piece.length > 0) memcpy(more(buffer, piece.length), piece.start, piece.length);
        }
    }
}

static PGresult *ask(PGconn *connection, const char *sql, const Call *call, Buffer *buffer) {
    Oid types[MOST];
    const char *values[MOST];
    int lengths[MOST], forms[MOST];
    size_t starts[MOST];
    buffer->length = 0;
    for (int k = 0; k < call->count; k++) {
        const Column *column = &call->columns[k];
        types[k] = column->type;
        forms[k] = 1;
        starts[k] = buffer->length;
        if (column->type == INT8) put_number(buffer, 8, column->numbers[0]);
        else put_array(buffer, column);
        lengths[k] = buffer->length - starts[k];
    }
    for (int k = 0; k < call->count; k++) values[k] = buffer->start + starts[k];
    PGresult *result = PQexecParams(connection, sql, call->count, types, values, lengths, forms, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) fail(PQerrorMessage(connection));
    return result;
}

// What is made of an answer: a copy of each value that outlives it.
static char *copied(PGresult *result, int row, int column) {
    if (PQgetisnull(result, row, column)) return NULL;
    int length = PQgetlength(result, row, column);
    char *copy = memory(malloc(length + 1));
    memcpy(copy, PQgetvalue(result, row, column), length);
    copy[length] = 0;
    return copy;
}

static int64_t read_rows(PGresult *result) {
    int rows = PQntuples(result), columns = PQnfields(result);
    char **kept = memory(calloc((size_t)rows * columns + 1, sizeof *kept));
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) kept[row * columns + column] = copied(result, row, column);
    for (int k = 0; k < rows * columns; k++) free(kept[k]);
    free(kept);
    return rows;
}

// Numbers that look like digests: both programs make the same ones.
static uint64_t mixed(int64_t file, int part) {
    uint64_t z = ((uint64_t)file * 8 + part + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static Piece mixed_bytes(int64_t file, int part, int words) {
    char *bytes = memory(malloc(8 * words));
    for (int k = 0; k < words; k++) {
        uint64_t big = htobe64(mixed(file, part + k));
        memcpy(bytes + 8 * k, &big, 8);
    }
    return (Piece){bytes, 8 * words};
}

static Piece sha(int64_t file) { return mixed_bytes(file, 0, 4); }
static Piece origin(int64_t file) { return mixed_bytes(file, 4, 2); }
static Piece words(const char *text) { return (Piece){text, (int32_t)strlen(text)}; }

static Piece named(const char *folder, int64_t file) {
    char *text = memory(malloc(strlen(folder) + 20));
    sprintf(text, "%s/IMG_%010lld.CR3", folder, (long long)file);
    return words(text);
}

static Column *add(Call *call, Oid type, Oid element, int count, int width) {
    Column *column = &call->columns[call->count++];
    *column = (Column){type, element, count, width, NULL, NULL};
    if (width) column->numbers = memory(calloc(count, sizeof *column->numbers));
    else column->pieces = memory(calloc(count, sizeof *column->pieces));
    return column;
}

static void add_number(Call *call, int64_t value) { add(call, INT8, 0, 1, 8)->numbers[0] = value; }

static void add_contents(Call *call, int64_t first) {
    Column *shas = add(call, BYTEAS, BYTEA, BATCH, 0), *sizes = add(call, INT8S, INT8, BATCH, 8);
    Column *captured = add(call, INT8S, INT8, BATCH, 8), *kinds = add(call, INT2S, INT2, BATCH, 2);
    for (int k = 0; k < BATCH; k++) {
        shas->pieces[k] = sha(first + k);
        sizes->numbers[k] = 12000000 + (first + k) % 9000000;
        captured->numbers[k] = 1760000000 + first + k;
        kinds->numbers[k] = 1;
    }
}

static void add_sightings(Call *call, int64_t first) {
    Column *origins = add(call, UUIDS, UUID, BATCH, 0), *volumes = add(call, INT8S, INT8, BATCH, 8);
    Column *times = add(call, INT8S, INT8, BATCH, 8), *endings = add(call, CHARS, CHAR, BATCH, 1);
    Column *shas = add(call, BYTEAS, BYTEA, BATCH, 0), *paths = add(call, TEXTS, TEXT, BATCH, 0);
    for (int k = 0; k < BATCH; k++) {
        origins->pieces[k] = origin(first + k);
        volumes->numbers[k] = 77;
        times->numbers[k] = 1760000000000000000 + first + k;
        endings->numbers[k] = 'd';
        shas->pieces[k] = sha(first + k);
        paths->pieces[k] = named("DCIM/100CANON", first + k);
    }
}

// The copy of each file in the station's own folder, then each one at the gallery.
static void add_deliveries(Call *call, int64_t first) {
    int both = 2 * BATCH;
    Column *shas = add(call, BYTEAS, BYTEA, both, 0), *besides = add(call, BYTEAS, BYTEA, both, 0);
    Column *targets = add(call, TEXTS, TEXT, both, 0), *names = add(call, TEXTS, TEXT, both, 0);
    Column *shared = add(call, BOOLS, BOOL, both, 1), *states = add(call, CHARS, CHAR, both, 1);
    Column *proofs = add(call, CHARS, CHAR, both, 1), *sizes = add(call, INT8S, INT8, both, 8);
    Column *sent = add(call, BYTEAS, BYTEA, both, 0), *receipts = add(call, TEXTS, TEXT, both, 0);
    for (int k = 0; k < both; k++) {
        int64_t file = first + k % BATCH;
        int is_gallery = k >= BATCH;
        shas->pieces[k] = sha(file);
        besides->pieces[k] = words("");
        targets->pieces[k] = words(is_gallery ? "http|https://gallery.example/api/assets|press" : "folder|/home/ann/Pictures");
        names->pieces[k] = words(is_gallery ? "gallery" : "archive");
        shared->numbers[k] = is_gallery;
        states->numbers[k] = 'd';
        proofs->numbers[k] = is_gallery ? 's' : 'r';
        sizes->numbers[k] = 12000000 + file % 9000000;
        sent->pieces[k] = (Piece){NULL, -1};
        receipts->pieces[k] = named(is_gallery ? "https://gallery.example/assets" : "/home/ann/Pictures/2026-11-21", file);
    }
}

static void add_claims(Call *call, int64_t first) {
    Column *shas = add(call, BYTEAS, BYTEA, CLAIMS, 0), *besides = add(call, BYTEAS, BYTEA, CLAIMS, 0);
    Column *targets = add(call, TEXTS, TEXT, CLAIMS, 0), *names = add(call, TEXTS, TEXT, CLAIMS, 0);
    Column *rights = add(call, INT2S, INT2, CLAIMS, 2);
    for (int k = 0; k < CLAIMS; k++) {
        shas->pieces[k] = sha(first + k);
        besides->pieces[k] = words("");
        targets->pieces[k] = words("http|https://gallery.example/api/assets|press");
        names->pieces[k] = words("gallery");
        rights->numbers[k] = 3;
    }
}

static Call made(const char *kind, int64_t token, int number, int64_t first) {
    Call call = {.count = 0};
    if (!strcmp(kind, "look-up")) {
        Column *shas = add(&call, BYTEAS, BYTEA, KEYS, 0);
        for (int k = 0; k < KEYS; k++) shas->pieces[k] = sha(first + (int64_t)number * KEYS + k);
        return call;
    }
    add_number(&call, token);
    if (!strcmp(kind, "claim")) {
        add_claims(&call, first + (int64_t)number * CLAIMS);
        return call;
    }
    add_number(&call, number);
    add_number(&call, number + 1);
    add_contents(&call, first + (int64_t)number * BATCH);
    add_sightings(&call, first + (int64_t)number * BATCH);
    add_deliveries(&call, first + (int64_t)number * BATCH);
    return call;
}

static const char *statement(const char *kind) {
    if (!strcmp(kind, "look-up"))
        return "SELECT sha, station, state, place, detail, proof, size, at, shared, beside FROM catalog.copies_v1($1)";
    if (!strcmp(kind, "claim"))
        return "SELECT verdict, holder, receipt, own, at FROM catalog.claim_v3($1, $2, $3, $4, $5, $6)";
    if (strcmp(kind, "report")) fail("no such call");
    return "SELECT catalog.report_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, "
           "$21, $22, $23)";
}

// What PQKit says to libpq.
static PGconn *connected(char **place) {
    const char *keys[] = {"host", "port", "user", "dbname", "client_encoding", "application_name", "gssencmode", "passfile",
        "target_session_attrs", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
        "sslmode", "channel_binding", "ssl_min_protocol_version", NULL};
    const char *values[] = {place[0], place[1], place[2], place[3], "UTF8", "filmgate", "disable", "/nonexistent/passwords",
        "read-write", "1", "10", "5", "3", "10000", "prefer", "prefer", "TLSv1.2", NULL};
    PGconn *connection = PQconnectdbParams(keys, values, 0);
    if (PQstatus(connection) != CONNECTION_OK) fail(PQerrorMessage(connection));
    return connection;
}

static double processor(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int count, char **words) {
    if (count != 9) fail("usage: caller report|claim|look-up HOST PORT ROLE DATABASE TOKEN CALLS FIRST");
    const char *sql = statement(words[1]);
    int64_t token = atoll(words[6]), first = atoll(words[8]), rows = 0;
    int calls = atoi(words[7]);
    PGconn *connection = connected(words + 2);
    Call *made_before = memory(calloc(calls + 1, sizeof *made_before));
    for (int number = 0; number < calls; number++) made_before[number] = made(words[1], token, number, first);
    Buffer buffer = {NULL, 0, 0};
    double before = processor();
    for (int number = 0; number < calls; number++) {
        PGresult *result = ask(connection, sql, &made_before[number], &buffer);
        rows += read_rows(result);
        PQclear(result);
    }
    printf("%.6f %lld\n", processor() - before, (long long)rows);
    PQfinish(connection);
    return 0;
}
