import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// Names at a place that did not answer while they were chosen.
@Suite(.ownThreads, .serialized) struct UnaskedNamesTests {
    /// Keeps files under names, never two under one; sometimes nobody gets through to it.
    private final class Place: Sendable {
        struct State { var isDown = true, files: [String: String] = [:], puts: [String] = [] }
        let state = Mutex(State())

        func answer(_ seen: FaultServer.Seen) -> FaultAct {
            state.withLock { state in
                if state.isDown { return .reset(afterBody: 0) }
                guard seen.method == "PUT" else {
                    return state.files[seen.target].map { .answer(200, headers: [("X-SHA256", $0)]) } ?? .answer(404)
                }
                return .compute { self.take($0) }
            }
        }

        private func take(_ seen: FaultServer.Seen) -> FaultAct {
            state.withLock { state in
                guard state.files[seen.target] == nil else { return .answer(412) }
                state.files[seen.target] = seen.fileDigest
                state.puts.append(seen.target)
                return .answer(201, headers: [("X-SHA256", seen.fileDigest)])
            }
        }
    }

    private func pipeline(_ table: Table, _ server: FaultServer) throws -> String {
        try table.write(
            "names.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [exif: {}, dedupe: {}, upload: { to: [archive, gallery] }]
            retry: { first: 10ms, most: 100ms }
            targets:
              archive: { folder: { path: "\(table.archive)", verify: size } }
              gallery: { http: { url: "\(server.url)/up/{name}", digest: { header: X-SHA256 } } }
            """)
    }

    /// What the lost network left unasked is asked when it is back: other bytes under a name are never touched.
    ///
    /// The whole shot gets a suffix; nothing is lost, nothing comes twice; also after a second import in between.
    @Test(arguments: [1, 2]) func aNameTakenMeanwhileGivesTheShotASuffix(_ imports: Int) throws {
        let table = try Table(), place = Place()
        try table.sampleCard()
        let server = try FaultServer { seen, _ in place.answer(seen) }
        defer { server.stop() }
        let file = try pipeline(table, server)
        for _ in 0..<imports {
            let down = try table.run(["import", table.card, "--pipeline", file, "--wait", "1s"])
            #expect(down.status == 8, "\(down.errors)")
            #expect(table.files(table.archive).count == 16)
        }
        let names = table.files(table.archive).keys.map { ($0 as NSString).lastPathComponent }
        let shots = Dictionary(grouping: names) { ($0 as NSString).deletingPathExtension }
        let pair = try #require(shots.filter { $0.value.count == 2 }.sorted { $0.key < $1.key }.first)
        let taken = try #require(pair.value.first { $0.hasSuffix(".JPG") })
        place.state.withLock { ($0.isDown, $0.files["/up/" + taken]) = (false, String(repeating: "0", count: 64)) }
        let retried = try table.run(["retry"])
        #expect(retried.status == 0, "\(retried.errors)\(retried.output)")
        let puts = place.state.withLock { $0.puts }
        #expect(puts.count == 16 && Set(puts).count == 16, "\(puts)")
        for name in pair.value {
            let cut = name as NSString, suffixed = "/up/\(cut.deletingPathExtension)-2.\(cut.pathExtension)"
            #expect(puts.contains(suffixed) && !puts.contains("/up/" + name), "\(puts)")
        }
        let digests = place.state.withLock { $0.files.values.filter { !$0.hasPrefix("0000") } }
        #expect(Set(digests).count == 16)
    }

    /// A server that takes the connection and says nothing keeps nothing from the archive, and is named.
    @Test func theArchiveDoesNotWaitForAServerThatSaysNothing() throws {
        let table = try Table()
        try table.sampleCard()
        let server = try FaultServer { _, _ in .silence }
        defer { server.stop() }
        let file = try pipeline(table, server)
        let run = try Background(["import", table.card, "--pipeline", file, "--wait", "5s", "--state", table.state])
        #expect(Background.within(seconds: 8) { table.files(table.archive).count == 16 })
        #expect(Background.within(seconds: 60) { !run.process.isRunning })
        let ended = run.kill(SIGTERM)
        #expect(
            ended.status == 8 && ended.errors.contains("waiting: gallery has given no answer for 2 s"),
            "\(ended.errors)")
    }

    /// Two cards with frames of the same names, held, and given to an event while the gallery is away: each frame has
    /// one name at both targets, although the gallery gets the newest first.
    @Test(arguments: [true, false]) func aFrameThatWaitedForItsEventHasOneNameEverywhere(isGivenAtOnce: Bool) throws {
        let names = try NameTable(), table = names.table
        defer { names.server.stop() }
        let held = try names.pipeline("event: { hold: true }"), text = try String(contentsOfFile: held, encoding: .utf8)
        let file = try table.write("one.yaml", text.replacing("digest: {", with: "workers: 1, digest: {"))
        names.down(true)
        var digests: [Data: String] = [:]
        for (hour, card) in ["ONE", "TWO"].enumerated() {
            for number in 1...3 {
                let path = try names.put("\(card)/DCIM/100TEST/IMG_000\(number).JPG", "\(card) \(number)")
                let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(hour) * 3600)
                try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
            }
            let taken = try names.take(card, file), files = table.files(table.path(card))
            #expect(taken.status == 8 && taken.items().count == 3, "\(taken.errors)")
            for item in taken.items() {
                guard let data = files["\(item["path"] ?? "")"] else { continue }
                digests[data] = item["sha256"] as? String
            }
            if card == "TWO" || !isGivenAtOnce {
                let assigned = try table.run(["assign", "smith", "--pipeline", file, "--wait", "6s"])
                #expect(assigned.status == 8, "\(assigned.errors)")
            }
        }
        names.down(false)
        let retried = try table.run(["retry", "--pipeline", file])
        #expect(retried.status == 0, "\(retried.errors)\(retried.output)")
        let archive = table.files(table.archive).filter { !$0.key.contains(".filmgate/") }
        #expect(archive.count == 6 && names.gallery.count == 6, "\(names.gallery)")
        for (name, data) in archive {
            #expect(names.place.names["/" + name] == digests[data], "\(name) is another frame at the gallery")
        }
    }
}
