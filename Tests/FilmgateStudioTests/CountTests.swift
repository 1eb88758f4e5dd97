import FilmgateCore
import FilmgateLedger
import TestThreads
import Testing

@testable import FilmgateStudio

/// How many files have ended how, as each of those who ask is told.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct CountTests {
    /// Files that wait until somebody picks them; another run came after theirs.
    private static func fill(_ count: Int, _ ledger: SQLiteLedger) async throws {
        for start in stride(from: 1, through: count, by: 1000) {
            var changes: [LedgerChange] = []
            for number in start...min(start + 999, count) {
                var row = Rows.delivery(number, .pending)
                row.receipt.reason = MarkRule.notPicked
                row.gate = MarkGate([MarkRule(picks: .only)], sha256: Rows.sha(number), camera: nil)
                changes += [.asset(Rows.asset(number, ending: .pending)), .delivery(row)]
            }
            try await ledger.record(changes)
        }
        try await ledger.record([.asset(Rows.asset(count + 1, run: 2))])
    }

    /// Of the list, and of the board.
    private func pending(_ bench: StudioBench, _ token: [String: String]) throws -> [Int64?] {
        let list = try bench.client.send("GET", "/api/v1/frames?ending=pending&limit=1", token).json?["total"]?.whole
        return [list, try counted("pending", bench, token)]
    }

    private func counted(_ ending: String, _ bench: StudioBench, _ token: [String: String]) throws -> Int64? {
        try bench.client.send("GET", "/api/v1/board", token).json?.at("assets.\(ending)")?.whole
    }

    /// Asks for nothing but the board; at most for five seconds.
    private func counted(
        _ ending: String, _ bench: StudioBench, _ token: [String: String], becomes wanted: Int64
    ) async throws -> Int64? {
        var found = try counted(ending, bench, token)
        for _ in 0..<100 where found != wanted {
            try await Task.sleep(for: .milliseconds(50))
            found = try counted(ending, bench, token)
        }
        return found
    }

    /// Whether a board with so many pending files is told within some seconds.
    private func hears(_ reader: EventReader, pending: Int64) -> Bool {
        while let board = reader.next("board", seconds: 20) {
            if board.data.at("assets.pending")?.whole == pending { return true }
        }
        return false
    }

    /// As `filmgate mark` does, beside the page.
    private func mark(_ bench: StudioBench, _ order: MarkOrder.Order) async throws -> MarkOutcome {
        try await SQLiteLedger.mark(MarkOrder(order, by: "ann"), directory: bench.state)
    }

    private func reject(_ bench: StudioBench, _ numbers: [Int]) async throws -> MarkOutcome {
        try await mark(
            bench, .set(rating: nil, pick: .rejected, colour: nil, sha256s: numbers.map { Rows.sha($0) }))
    }

    /// A run that goes on tells of its own files alone.
    @Test(arguments: [false, true]) func whatMarksEndIsCountedAtOnce(_ isBesideRun: Bool) async throws {
        try await StudioBench.with(fill: { try await Self.fill(4, $0) }) { bench async throws in
            let token = try bench.token(.operate)
            #expect(try pending(bench, token) == [4, 4])
            if isBesideRun { bench.run.tell(.here) }
            let made = try await reject(bench, [1, 2])
            #expect(try pending(bench, token) == [2, 2])
            _ = try await mark(bench, .undo(token: made.undo))
            #expect(try pending(bench, token) == [4, 4])
            let reply = try bench.post("marks", MarkRouteTests.body(#"{"pick":"rejected"}"#, [3]), .pick)
            #expect(reply.status == 200, "\(reply.body)")
            #expect(try pending(bench, token) == [3, 3])
        }
    }

    @Test func theBoardIsToldAnewAfterAMark() async throws {
        try await StudioBench.with(fill: { try await Self.fill(4, $0) }) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(.operate))
            #expect(hears(reader, pending: 4))
            let made = try await reject(bench, [1, 2, 3])
            #expect(hears(reader, pending: 1))
            _ = try await mark(bench, .undo(token: made.undo))
            #expect(hears(reader, pending: 4))
        }
    }

    /// More than are read one by one: everything is read anew, and at once.
    @Test func marksOfVeryManyFilesAreCountedSoon() async throws {
        // Each is named for itself, and for the delivery that waits for it.
        let count = LedgerView.mostMarked / 2 + 100
        try await StudioBench.with(fill: { try await Self.fill(count, $0) }) { bench async throws in
            let token = try bench.token(.operate), reader = try EventReader(bench.client, token)
            #expect(hears(reader, pending: Int64(count)))
            let all = #"{"set":{"pick":"rejected"},"selection":{"filter":{"ending":"pending"}}}"#
            let reply = try bench.post("marks", all, .pick)
            #expect(reply.json?["pictures"]?.whole ?? 0 > Int64(LedgerView.mostMarked / 2), "\(reply.body)")
            #expect(hears(reader, pending: 0))
            #expect(try pending(bench, token) == [0, 0])
        }
    }

    /// Nobody listens, and nobody asks for the list.
    @Test func theBoardAloneIsKeptUpToDate() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let token = try bench.token(.operate)
            // Until the list was read the bench knows of no pending file.
            #expect(try await counted("pending", bench, token, becomes: 1) == 1)
            let ledger = try SQLiteLedger.open(directory: bench.state)
            try await ledger.record([.asset(Rows.asset(10)), .asset(Rows.asset(11))])
            ledger.close()
            #expect(try await counted("delivered", bench, token, becomes: 3) == 3)
        }
    }
}
