import ClusterTesting
import FilmgateCore
import Testing

@testable import PQKit

/// One server for all tests that leave it as it is.
enum SharedCluster {
    private static let making = Task { try await Cluster.made() }
    static func get() async throws -> Cluster { try await making.value }
}

extension PQOptions {
    init(_ text: String) throws { self.init(try PQAddress(node: ConfigNode(.scalar(text, quoted: true)))) }
}

@Suite(.enabled(if: Cluster.isInstalled)) struct ValueTests {
    let connection: PQConnection
    init() async throws { connection = PQConnection(try PQOptions(try await SharedCluster.get().address())) }

    private func one<Value: Sendable>(
        _ sql: String, _ value: PQValue, _ read: @escaping @Sendable (borrowing PQRow) throws(IngestError) -> Value
    ) async throws -> Value { try #require(try await connection.rows(sql, [value], read).first) }

    @Test(arguments: [nil, 0, 1, -1, Int64.max, Int64.min]) func numbersComeBack(_ value: Int64?) async throws {
        #expect(
            try await one("SELECT $1::int8", .int8(value)) { row throws(IngestError) in try row.intOrNil(0) } == value)
        let small = value.map { Int32(truncatingIfNeeded: $0) }, tiny = value.map { Int16(truncatingIfNeeded: $0) }
        #expect(
            try await one("SELECT $1::int4", .int4(small)) { row throws(IngestError) in try row.intOrNil(0) }
                == small.map { Int64($0) })
        #expect(
            try await one("SELECT $1::int2", .int2(tiny)) { row throws(IngestError) in try row.intOrNil(0) }
                == tiny.map { Int64($0) })
    }

    @Test func plainTypesComeBack() async throws {
        #expect(try await one("SELECT $1", .bool(true)) { row throws(IngestError) in try row.bool(0) })
        #expect(try await one("SELECT $1", .float8(-0.25)) { row throws(IngestError) in try row.double(0) } == -0.25)
        #expect(
            try await one("SELECT $1", .json(#"{"a": 1}"#)) { row throws(IngestError) in try row.text(0) }
                == #"{"a": 1}"#)
        #expect(
            try await one("SELECT $1", .char(UInt8(ascii: "d"))) { row throws(IngestError) in try row.text(0) } == "d")
        let uuid = (1...16).map { UInt8($0) }
        #expect(try await one("SELECT $1", .uuid(uuid)) { row throws(IngestError) in try row.bytes(0) } == uuid)
        let now = WallClock.nanoseconds / 1000 * 1000
        #expect(try await one("SELECT $1", .time(now)) { row throws(IngestError) in try row.time(0) } == now)
        let text = try await one("SELECT extract(epoch FROM $1)::int8", .time(1_700_000_000_000_000_000)) {
            row throws(IngestError) in
            try row.int(0)
        }
        #expect(text == 1_700_000_000)
    }

    @Test(arguments: [nil, "", "a", "Ålesund – 東京", "a\0b", String(repeating: "x", count: 100_000)])
    func textComesBack(_ value: String?) async throws {
        let back = try await one("SELECT $1", .text(value)) { row throws(IngestError) in try row.textOrNil(0) }
        #expect(back == value.map { String($0.map { $0 == "\0" ? "\u{FFFD}" : $0 }) })
    }

    @Test(arguments: [nil, [], [0, 255, 0], Array(repeating: 7, count: 70_000)]) func bytesComeBack(
        _ value: [UInt8]?
    ) async throws {
        #expect(try await one("SELECT $1", .bytes(value)) { row throws(IngestError) in try row.bytesOrNil(0) } == value)
    }

    @Test func arraysComeBack() async throws {
        let numbers: [Int64?] = [1, nil, -5, .max]
        #expect(try await one("SELECT $1", .int8s(numbers)) { row throws(IngestError) in try row.ints(0) } == numbers)
        #expect(try await one("SELECT $1", .int8s([])) { row throws(IngestError) in try row.ints(0) } == [])
        #expect(
            try await one("SELECT $1", .int4s([3, nil])) { row throws(IngestError) in try row.ints(0) } == [3, nil])
        #expect(
            try await one("SELECT $1", .int2s([3, nil])) { row throws(IngestError) in try row.ints(0) } == [3, nil])
        let texts: [String?] = ["a", nil, "", "{\"x\",NULL}"]
        #expect(try await one("SELECT $1", .texts(texts)) { row throws(IngestError) in try row.texts(0) } == texts)
        let blobs: [[UInt8]?] = [[1, 2], nil, [], Array(repeating: 9, count: 5000)]
        #expect(try await one("SELECT $1", .bytes(blobs)) { row throws(IngestError) in try row.byteArrays(0) } == blobs)
        let uuids: [[UInt8]?] = [(1...16).map { UInt8($0) }, nil]
        #expect(try await one("SELECT $1", .uuids(uuids)) { row throws(IngestError) in try row.byteArrays(0) } == uuids)
        #expect(
            try await one("SELECT $1", .chars([0x64, nil])) { row throws(IngestError) in try row.byteArrays(0) } == [
                [0x64], nil,
            ])
        #expect(
            try await one("SELECT $1", .bools([true, nil])) { row throws(IngestError) in try row.byteArrays(0) } == [
                [1], nil,
            ])
    }

    @Test func aThousandRandomBatchesComeBack() async throws {
        var numbers = SeededNumbers(seed: 20)
        for _ in 0..<100 {
            let values = (0..<Int.random(in: 0...40, using: &numbers)).map { _ -> [UInt8]? in
                Bool.random(using: &numbers)
                    ? nil
                    : (0..<Int.random(in: 0...80, using: &numbers)).map { _ in
                        UInt8.random(in: 0...255, using: &numbers)
                    }
            }
            let back = try await connection.rows(
                "SELECT v, n FROM unnest($1::bytea[]) WITH ORDINALITY AS u (v, n) ORDER BY n", [.bytes(values)]
            ) { row throws(IngestError) in try row.bytesOrNil(0) }
            #expect(back == values)
        }
    }

    /// A column of another type than is asked for is never read as something else.
    @Test(arguments: [
        "'text'", "NULL::int8", "ARRAY[[1,2],[3,4]]", "1.5::float4", "row(1,2)", "'infinity'::timestamptz", "''::bytea",
    ])
    func whatWasNotAskedForIsRefused(_ expression: String) async throws {
        await expect(.protocolViolation) {
            try await connection.rows("SELECT \(expression)") { row throws(IngestError) in try row.int(0) }
        }
        await expect(.protocolViolation) {
            try await connection.rows("SELECT \(expression)") { row throws(IngestError) in try row.ints(0) }
        }
        await expect(.protocolViolation) {
            try await connection.rows("SELECT \(expression)") { row throws(IngestError) in try row.time(0) }
        }
        await expect(.protocolViolation) {
            try await connection.rows("SELECT \(expression)") { row throws(IngestError) in try row.int(7) }
        }
        // What follows is not disturbed by it.
        #expect(try await connection.rows("SELECT 1::int8") { row throws(IngestError) in try row.int(0) } == [1])
    }
}

/// The same numbers in each run.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Records an issue unless `body` throws an error with that code; returns it.
@discardableResult
func expect(
    _ code: IngestError.Code, _ body: () async throws -> some Any, at place: SourceLocation = #_sourceLocation
) async -> IngestError? {
    do {
        _ = try await body()
        Issue.record("Nothing was thrown; \(code) was expected.", sourceLocation: place)
    } catch let error as IngestError {
        #expect(error.code == code, "\(error)", sourceLocation: place)
        return error
    } catch { Issue.record("\(error)", sourceLocation: place) }
    return nil
}
