import FilmgateCore
import FilmgateLedger
import TestThreads
import Testing

@testable import FilmgateStudio

@Suite(.ownThreads, .timeLimit(.minutes(10))) struct FrameListTests {
    private static func write(_ numbers: Range<Int>, _ ledger: SQLiteLedger) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 5000) {
            try await ledger.record((start..<min(start + 5000, numbers.upperBound)).map { .asset(Rows.asset($0)) })
        }
    }

    /// The names of all frames, page by page.
    private func all(
        _ bench: StudioBench, _ token: [String: String], _ query: String = "", between: () async throws -> Void = {}
    ) async throws -> [String] {
        var names: [String] = [], cursor: String? = ""
        while let at = cursor {
            let reply = try bench.client.send(
                "GET", "/api/v1/frames?limit=500\(query)\(at.isEmpty ? "" : "&cursor=\(at)")", token)
            try #require(reply.status == 200, "\(reply.body)")
            names += (reply.json?["frames"]?.items ?? []).compactMap { $0["path"]?.string }
            cursor = reply.json?["next"]?.string
            try await between()
        }
        return names
    }

    @Test func fiftyThousandFramesAreAllReached() async throws {
        let count = 50_000
        try await StudioBench.with(fill: { try await Self.write(0..<count, $0) }) { bench async throws in
            let token = try bench.token(.admin), names = try await all(bench, token)
            #expect(names.count == count && Set(names).count == count)
            #expect(names.first == "DCIM/100/IMG_\(count - 1).JPG" && names.last == "DCIM/100/IMG_0.JPG")
            for place in [0, 1, 777, 24_999, count - 1] {
                let part = try bench.client.send("GET", "/api/v1/frames?limit=1&at=\(place)", token).json
                #expect(part?.at("frames.0.path")?.string == names[place] && part?["total"]?.whole == Int64(count))
            }
            let found = try bench.client.send("GET", "/api/v1/frames?q=img_4242&limit=500", token).json
            #expect(found?["total"]?.whole == 11)
        }
    }

    /// What comes in while somebody reads neither hides a frame nor shows one twice.
    @Test func newFramesMoveNothing() async throws {
        try await StudioBench.with(fill: { try await Self.write(0..<2000, $0) }) { bench async throws in
            let token = try bench.token(.admin), ledger = try SQLiteLedger.open(directory: bench.state)
            var next = 2000
            let names = try await all(bench, token) {
                try await Self.write(next..<(next + 100), ledger)
                next += 100
            }
            ledger.close()
            #expect(
                Set(names).isSuperset(of: (0..<2000).map { "DCIM/100/IMG_\($0).JPG" })
                    && Set(names).count == names.count)
        }
    }

    /// RAW, JPEG and memo of one shot are one line where that is asked for; each file is its own line else.
    @Test func aShotIsOneLine() async throws {
        try await StudioBench.with(fill: { ledger async throws in
            try await Rows.few(ledger)
            var rows: [AssetRow] = []
            for (number, kind, ext) in [(11, MediaKind.raw, "CR3"), (12, .audio, "WAV")] {
                var row = Rows.asset(number, name: "IMG_1.\(ext)")
                (row.kind, row.shot) = (kind, Rows.asset(1).shot)
                rows.append(row)
            }
            try await ledger.record(rows.map { .asset($0) })
        }) { bench async throws in
            let token = try bench.token(.operate)
            func list(_ query: String) throws -> JSONValue? {
                try bench.client.send("GET", "/api/v1/frames?brief=1&\(query)", token).json
            }
            let files = try list("")
            #expect(files?["total"]?.whole == 5 && files?["files"]?.whole == 5)
            #expect(files?["frames"]?.items?.allSatisfy { $0["others"] == nil } == true)
            let shots = try #require(try list("group=shot"))
            #expect(shots["total"]?.whole == 3 && shots["files"]?.whole == 5, "\(shots.serialized)")
            let line = try #require(shots["frames"]?.items?.first { $0["others"]?.items?.isEmpty == false })
            let others = try #require(line["others"]?.items)
            #expect(line["path"]?.string == "DCIM/100/IMG_1.JPG" && line["lead"] == nil)
            #expect(others.map { $0["kind"]?.string } == ["raw", "audio"])
            #expect(others.allSatisfy { $0["lead"]?.string == line["id"]?.string })
            let raws = try #require(try list("group=shot&kind=raw"))
            #expect(raws["total"]?.whole == 1 && raws.at("frames.0.kind")?.string == "raw")
            #expect(raws.at("frames.0.others")?.items?.map { $0["kind"]?.string } == ["jpeg", "audio"])
            let check = SchemaCheck(schemas: try #require(ContractTests.document.at("components.schemas")))
            #expect(check.faults(shots, Shape.reference("Frames")) == [])
            let whole = try #require(try bench.client.send("GET", "/api/v1/frames?group=shot", token).json)
            #expect(check.faults(whole, Shape.reference("Frames")) == [])
            #expect(try bench.client.send("GET", "/api/v1/frames?group=other", token).status == 400)
        }
    }

    @Test func filesAreFound() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let token = try bench.token(.operate)
            for (query, count) in [
                "q=IMG_2": 1, "q=img_": 3, "q=jpg": 3, "q=\(Rows.sha(3))": 1, "q=\(Rows.sha(3).prefix(63))": 3,
                "q=aaaa": 0, "q=secret-serial": 3, "q=nothing": 0, "q=DCIM": 0, "ending=setAside": 1,
                "ending=setAside,pending": 2, "ending=unfinished": 0, "kind=raw": 0, "kind=jpeg,raw": 3,
                "event=secret-event": 3, "event=other": 0, "run=1": 3, "run=2": 0, "ending=pending&q=IMG_1": 0,
            ] {
                let reply = try bench.client.send("GET", "/api/v1/frames?\(query)", token)
                #expect(reply.json?["total"]?.whole == Int64(count), "\(query): \(reply.body)")
            }
        }
    }

    /// Stars, picks, cameras, deliveries, events and times; alone, together and beside a text.
    @Test func filesAreFoundByWhatBecameOfThem() async throws {
        try await StudioBench.with(fill: { ledger async throws in
            try await Rows.few(ledger)
            var none = Rows.asset(4)
            none.event = nil
            try await ledger.record([.asset(none)])
        }) { bench async throws in
            let marked = try bench.post("marks", MarkRouteTests.body(#"{"rating":4,"pick":"picked"}"#, [1, 2]), .pick)
            #expect(marked.status == 200, "\(marked.body)")
            for (query, count) in [
                "rating=4": 2, "rating=5": 0, "pick=picked": 2, "pick=none,rejected": 2, "pick=rejected": 0,
                "rating=1&pick=none": 0, "pick=picked&q=IMG_1": 1, "rating=1&kind=raw": 0, "camera=Model": 4,
                "camera=Make%20Model": 4, "camera=make": 4, "camera=no": 0, "camera=secret-serial": 4,
                "target=secret-target": 2,
                "target=other": 0, "state=done": 1, "target=secret-target&state=held,failed": 1,
                "rating=1&state=held&ending=pending": 1, "without=event": 1, "without=event&pick=picked": 0,
                "from=2025-10-09T08:53:20Z": 4, "from=2025-10-09T08:53:21Z": 0, "to=2025-10-09T08:53:20Z": 4,
                "to=2025-10-09T08:53:19.5Z": 0, "from=2025-10-09T10:53:20%2B02:00&to=2025-10-09T08:53:20.002Z": 2,
            ] {
                let reply = try bench.client.send("GET", "/api/v1/frames?\(query)", try bench.token(.operate))
                #expect(reply.json?["total"]?.whole == Int64(count), "\(query): \(reply.body)")
            }
            for (query, count) in ["rating=4": 2, "pick=none": 2, "camera=Model": 4, "camera=secret-serial": 0] {
                let reply = try bench.client.send("GET", "/api/v1/frames?\(query)", try bench.token(.view))
                #expect(reply.json?["total"]?.whole == Int64(count), "\(query): \(reply.body)")
            }
        }
    }

    /// What a run did with a file counts at once, as do marks that somebody else gave.
    @Test func filtersSeeWhatChanged() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let token = try bench.token(.operate)
            func total(_ query: String) throws -> Int64? {
                try bench.client.send("GET", "/api/v1/frames?\(query)", token).json?["total"]?.whole
            }
            #expect(try total("state=held") == 1 && total("state=done") == 1 && total("rating=2") == 0)
            let ledger = try SQLiteLedger.open(directory: bench.state)
            try await ledger.record([.delivery(Rows.delivery(2))])
            ledger.close()
            let order = MarkOrder(.set(rating: 2, pick: nil, colour: nil, sha256s: [Rows.sha(3)]), by: "ann")
            let made = try await SQLiteLedger.mark(order, directory: bench.state)
            // On a machine that is busy, what was read a moment ago is good enough for that moment.
            var isSeen = false
            for _ in 0..<200 where !isSeen {
                isSeen = try total("state=held") == 0 && total("state=done") == 2 && total("rating=2") == 1
                if !isSeen { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(isSeen)
            _ = try await SQLiteLedger.mark(MarkOrder(.undo(token: made.undo), by: "ann"), directory: bench.state)
            #expect(try total("rating=2") == 0)
        }
    }

    @Test func aFileTellsWhereItsCopiesAre() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let token = try bench.token(.operate)
            let frames = try bench.client.send("GET", "/api/v1/frames?q=IMG_1", token).json
            let id = try #require(frames?.at("frames.0.id")?.string)
            let file = try bench.client.send("GET", "/api/v1/frames/\(id)", token).json
            #expect(
                file?.at("deliveries.0.path")?.string == "/srv/secret-folder/IMG_1.JPG"
                    && file?.at("deliveries.0.verified")?.string == "reread")
            #expect(
                file?.at("frame.receipts.secret-target.state")?.string == "done"
                    && file?.at("notes.0.text")?.string == "secret-note")
            #expect(
                file?.at("places.0.source")?.string == "/media/secret-owner/CARD"
                    && file?.at("facts.owner")?.string == "secret-person")
        }
    }

    /// The page may be there before anything was ever taken.
    @Test func aLedgerThatComesLaterIsSeen() async throws {
        try await StudioBench.with { bench async throws in
            let token = try bench.token(.operate)
            let empty = try bench.client.send("GET", "/api/v1/frames", token).json
            let first = try #require(empty?["revision"]?.whole)
            #expect(empty?["total"]?.whole == 0)
            let ledger = try SQLiteLedger.open(directory: bench.state)
            try await Rows.few(ledger)
            let reply = try bench.client.send("GET", "/api/v1/frames", token).json
            #expect(reply?["total"]?.whole == 3 && reply?["revision"]?.whole == first + 1)
            ledger.close()
        }
    }

    @Test func whatIsNotDoneIsListedByTarget() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let token = try bench.token(.operate)
            func total(_ query: String) throws -> Int64? {
                try bench.client.send("GET", "/api/v1/deliveries?\(query)", token).json?["total"]?.whole
            }
            for (query, count) in [
                "": 1, "state=held": 1, "state=failed,pending": 0, "target=secret-target": 1, "target=other": 0,
            ] {
                #expect(try total(query) == Int64(count), "\(query)")
            }
        }
    }

    /// However many older ones wait, those without an event are counted.
    @Test func whatWaitsForAnEventIsCounted() async throws {
        try await StudioBench.with(fill: { ledger async throws in
            let changes = (1...30).map { number -> LedgerChange in
                var row = Rows.delivery(number, .held)
                row.receipt.at = Int64(number)
                row.event = number > 20 ? DeliveryRow.unassigned : "secret-event"
                return .delivery(row)
            }
            try await ledger.record(changes + [.delivery(Rows.delivery(31, .held))])
        }) { bench async throws in
            for (query, count, total) in [
                ("without=event", 5, 10), ("event=secret-event", 5, 20), ("event=other", 0, 0),
                ("state=pending&without=event", 0, 0),
                ("target=secret-target", 5, 31),
            ] {
                let reply = try bench.client.send(
                    "GET", "/api/v1/deliveries?limit=5&\(query)", try bench.token(.operate)
                ).json
                #expect(
                    reply?["deliveries"]?.items?.count == count && reply?["total"]?.whole == Int64(total), "\(query)")
            }
        }
    }

    /// At targets without names of their own, and before the event is known that its name may hold, a person knows the
    /// frame by the name that it has on its card.
    @Test(arguments: [("", nil), ("\u{F0000}/IMG_3.JPG", DeliveryRow.unassigned)] as [(String, String?)])
    func whatWaitsIsCalledAsOnItsCard(path: String, event: String?) async throws {
        try await StudioBench.with(fill: { ledger async throws in
            try await Rows.few(ledger)
            var row = Rows.delivery(3, .pending)
            (row.path, row.event) = (path, event)
            try await ledger.record([.asset(Rows.asset(3)), .delivery(row)])
        }) { bench async throws in
            let answer = try bench.client.send("GET", "/api/v1/deliveries?state=pending", try bench.token(.operate))
                .json
            #expect(answer?.at("deliveries.0.name")?.string == "IMG_3.JPG", "\(String(describing: answer))")
        }
    }
}
