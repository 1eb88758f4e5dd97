import FilmgateCore
import FilmgateLedger
import Foundation
import TestThreads
import Testing

@testable import FilmgateStudio

/// What the page asks for is done by the commands.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct CommandRouteTests {
    @Test func eachVerbIsACommand() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let common = ["--json", "--state=\(bench.state)"], pipeline = bench.folder + "/wedding.yaml"
            let asked: [(path: String, body: String, words: [String])] = [
                ("retry", "{}", ["retry"] + common),
                ("retry", #"{"target":"a b","failed":"yes"}"#, ["retry"] + common + ["--target=a b", "--failed"]),
                (
                    "cancel", #"{"target":"--yes","file":"-x"}"#,
                    ["cancel"] + common + ["--yes", "--target=--yes", "--", "-x"]
                ),
                ("assign", #"{"event":"--state=/"}"#, ["assign"] + common + ["--", "--state=/"]),
                ("events/use", #"{"event":"Ä <b>"}"#, ["events", "use"] + common + ["--", "Ä <b>"]),
                (
                    "events/use", #"{"event":"--none","now":"yes"}"#,
                    ["events", "use"] + common + ["--now", "--", "--none"]
                ),
                ("events/refresh", "{}", ["events", "list"] + common + ["--refresh", "--", pipeline]),
                ("doctor", "{}", ["doctor"] + common + ["--pipeline=\(pipeline)"]),
                ("pipeline/check", "{}", ["check"] + common + ["--", pipeline]),
                ("accounts", "{}", ["whoami"] + common + ["--pipeline=\(pipeline)"]),
                (
                    "accounts/login", #"{"account":"--protect"}"#,
                    ["login"] + common + ["--no-browser", "--pipeline=\(pipeline)", "--", "--protect"]
                ),
                (
                    "accounts/logout", #"{"account":"studio"}"#,
                    ["logout"] + common + ["--pipeline=\(pipeline)", "--", "studio"]
                ),
            ]
            for (path, body, words) in asked {
                let reply = try bench.post(path, body), job = try await bench.ended(reply)
                #expect(reply.status == 202 && job?["exit"]?.whole == 0, "\(path): \(reply.body)")
                #expect(try bench.words().last == words)
            }
        }
    }

    /// Files go to the command as a list of digests: those that are named, or what waits of all that a filter finds.
    @Test func aSelectionIsReadByTheCommand() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            try bench.then("cat > '\(bench.folder)/input'; echo '{\"type\":\"summary\"}'")
            let common = ["--json", "--state=\(bench.state)"]
            let asked: [(path: String, body: String, words: [String], read: [Int])] = [
                (
                    "retry",
                    #"{"target":"a","failed":"yes","selection":{"sha256":["\#(Rows.sha(2))","\#(Rows.sha(1))"]}}"#,
                    ["retry"] + common + ["--target=a", "--failed", "--", "-"], [2, 1]
                ),
                (
                    "assign", #"{"event":"-","selection":{"filter":{"kind":"jpeg"}}}"#,
                    ["assign"] + common + ["--", "-", "-"], [2]
                ),
            ]
            for (path, body, words, read) in asked {
                let reply = try bench.post(path, body), job = try await bench.ended(reply)
                #expect(reply.status == 202 && job?["exit"]?.whole == 0, "\(reply.body)")
                #expect(try bench.words().last == words)
                let text = try String(contentsOfFile: bench.folder + "/input", encoding: .utf8)
                #expect(text == read.map { Rows.sha($0) + "\n" }.joined())
            }
        }
    }

    /// More than one command takes: one request and one job, whose commands follow one another.
    @Test func aLargeSelectionIsReadPartByPart() async throws {
        let count = FrameSelection.mostGiven + 10
        try await StudioBench.with(fill: { ledger in
            try await ledger.record((1...count).map { .asset(Rows.asset($0, ending: .pending)) })
            try await ledger.record((1...count).map { .delivery(Rows.delivery($0, .held)) })
        }) { bench async throws in
            let input = bench.folder + "/input"
            try bench.then("cat >> '\(input)'; echo '{\"type\":\"summary\",\"seen\":5}'")
            let reply = try bench.post("assign", #"{"event":"a","selection":{"filter":{"kind":"jpeg"}}}"#)
            let job = try #require(try await bench.ended(reply))
            #expect(job["exit"]?.whole == 0 && job.at("result.seen")?.whole == 10, "\(job)")
            #expect(try bench.words().map(\.first) == ["assign", "assign"])
            let lines = try String(contentsOfFile: input, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == count && Set(lines).count == count)
            // What the first one could not even begin the next one cannot.
            try bench.then("cat > '\(input)'; exit 10")
            let other = try bench.post("retry", #"{"selection":{"filter":{"kind":"jpeg"}}}"#)
            let ended = try #require(try await bench.ended(other))
            #expect(ended["exit"]?.whole == 10)
            #expect(ended["lines"]?.texts == ["1 of 2 parts were begun; ask again for the rest."])
            #expect(try bench.words().count == 3)
            // One full folder is no hindrance for the others.
            try bench.then(
                "cat >> '\(input)'; exit $(test -e '\(input).full' && echo 3 || echo 7; touch '\(input).full')")
            let third = try bench.post("retry", #"{"selection":{"filter":{"kind":"jpeg"}}}"#)
            #expect(try await bench.ended(third)?["exit"]?.whole == 7)
            #expect(try bench.words().count == 5)
        }
    }

    /// Somebody said yes to two files, and the filter finds three by now.
    @Test func aFilterThatFindsMoreThanWasAskedAboutBeginsNothing() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            for (most, except, status) in [(2, "", 409), (3, "", 202), (2, #","except":["\#(Rows.sha(1))"]"#, 202)] {
                let selection = #"{"filter":{},"most":\#(most)\#(except)}"#
                let reply = try bench.post("assign", #"{"event":"a","selection":\#(selection)}"#)
                #expect(reply.status == status, "\(reply.body)")
                if status == 202 { _ = try await bench.ended(reply) } else { #expect(reply.code == "changed") }
            }
            for selection in [#"{"filter":{},"most":-1}"#, #"{"sha256":["\#(Rows.sha(2))"],"most":1}"#] {
                #expect(try bench.post("retry", #"{"selection":\#(selection)}"#).status == 400)
            }
        }
    }

    /// The same sidecar lies beside three pictures, and the third of them is not meant.
    @Test func aSidecarIsNamedWithItsPicture() {
        let sidecars = [2, 3, 4].map { ContentKey(sha256: Rows.sha(1), beside: Rows.sha($0)) }
        let pictures = [2, 3].map { ContentKey(sha256: Rows.sha($0)) }
        #expect(FrameSelection.names(pictures + sidecars.prefix(2)) == [Rows.sha(2), Rows.sha(3), Rows.sha(1)])
        #expect(FrameSelection.names([sidecars[2], pictures[0]]) == ["\(Rows.sha(1)):\(Rows.sha(4))", Rows.sha(2)])
    }

    @Test(arguments: [
        (#"{"filter":{"kind":"jpeg"},"except":["\#(Rows.sha(2))"]}"#, Role.operate, 404),
        (#"{"sha256":["\#(Rows.sha(99))"]}"#, .operate, 404), (#"{"sha256":["\#(Rows.sha(2))"]}"#, .pick, 403),
    ]) func aSelectionOfNothingBeginsNothing(_ selection: String, _ role: Role, _ status: Int) async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            for (path, event) in [("retry", ""), ("assign", #""event":"a","#)] {
                let reply = try bench.post(path, #"{\#(event)"selection":\#(selection)}"#, role)
                #expect(reply.status == status, "\(reply.body)")
            }
            #expect(try bench.words().isEmpty)
        }
    }

    /// The rest of a long list is for nobody where the command ends without reading it.
    @Test func aCommandNeedNotReadItsList() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reply = try bench.post("retry", #"{"selection":{"sha256":["\#(Rows.sha(2))"]}}"#)
            #expect(try await bench.ended(reply)?["exit"]?.whole == 0)
        }
        let words = ["/bin/true"], list = [UInt8](repeating: 0x61, count: 4 << 20)
        let started = try JobReader.start(words, list)
        started.reader.read { _ in }
        #expect(started.child.wait().code == 0)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 78]) func exitCodesAreTheCommands(_ code: Int) async throws {
        try await StudioBench.with { bench async throws in
            try bench.then(
                #"""
                echo '{"type":"error","code":"unauthorized","message":"Sign in.","advice":"Do."}'
                echo '{"type":"summary","seen":2}'
                echo "in plain words" >&2
                exit \#(code)
                """#)
            let job = try #require(try await bench.ended(try bench.post("retry", "{}")))
            #expect(job["exit"]?.whole == Int64(code) && job["state"]?.string == "ended")
            #expect(job.at("result.seen")?.whole == 2 && job.at("lines.0")?.string == "in plain words")
            #expect(job.at("objects.0.code")?.string == "unauthorized" && job["message"]?.string == "Sign in.")
        }
    }

    @Test func aRequestThatIsSentTwiceIsDoneOnce() async throws {
        try await StudioBench.with { bench async throws in
            // A session, since a key belongs to whoever sent it.
            let (cookie, key) = try bench.session(.operate)
            var headers = ["Cookie": cookie, "X-Filmgate-Key": key].merging(StudioBench.own) { $1 }
            headers["Idempotency-Key"] = "one"
            let first = try bench.client.send("POST", "/api/v1/retry", headers, body: "{}")
            _ = try await bench.ended(first)
            let again = try bench.client.send("POST", "/api/v1/retry", headers, body: "{}")
            #expect(again.status == 202 && again.json?["id"] == first.json?["id"])
            #expect(try bench.words().count == 1)
            let other = try bench.client.send("POST", "/api/v1/retry", headers, body: #"{"failed":"yes"}"#)
            #expect(other.status == 409 && other.code == "otherRequest")
        }
    }

    @Test func aJobCanBeStopped() async throws {
        try await StudioBench.with { bench async throws in
            try bench.then("trap 'exit 130' INT; echo '{\"type\":\"status\"}'; while :; do sleep 0.05; done")
            let reply = try bench.post("retry", "{}"), id = try #require(reply.json?["id"]?.string)
            #expect(try bench.post("retry", "{}").status == 409, "the same is being done")
            while try bench.client.send("GET", "/api/v1/jobs/\(id)", try bench.token(.operate)).json?.at("objects.0")
                == nil
            {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try bench.client.send("DELETE", "/api/v1/jobs/\(id)", try bench.token(.operate)).status == 202)
            let job = try #require(try await bench.ended(reply))
            #expect(job["state"]?.string == "stopped" && job["exit"]?.whole == 130)
            #expect(try bench.client.send("DELETE", "/api/v1/jobs/\(id)", try bench.token(.operate)).status == 409)
        }
    }

    /// Told in words what is in its way, not that the same is being done.
    @Test func anAssignmentWaitsForAnother() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            try bench.then("trap 'exit 130' INT; while :; do sleep 0.05; done")
            let first = try bench.post("assign", #"{"event":"smith"}"#), id = try #require(first.json?["id"]?.string)
            #expect(try bench.post("assign", #"{"event":"smith"}"#).code == "busy")
            let other = try bench.post("assign", #"{"event":"jones","selection":{"sha256":["\#(Rows.sha(2))"]}}"#)
            #expect(other.status == 409 && other.code == "otherJob", "\(other.body)")
            #expect(other.body.contains("`assign smith` is under way") && other.body.contains(id), "\(other.body)")
            #expect(try bench.client.send("DELETE", "/api/v1/jobs/\(id)", try bench.token(.operate)).status == 202)
            _ = try await bench.ended(first)
        }
    }

    @Test func theStreamTellsOfJobsToThoseWhoMayKnow() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let operate = try EventReader(bench.client, try bench.token(.operate))
            let view = try EventReader(bench.client, try bench.token(.view))
            #expect(operate.next("hello") != nil && view.next("hello") != nil)
            _ = try await bench.ended(try bench.post("retry", #"{"target":"secret-target"}"#))
            var last = operate.next("job")
            while last?.data["state"]?.string == "running" { last = operate.next("job") }
            #expect(last?.data["exit"]?.whole == 0)
            #expect(view.next("job", seconds: 1.5) == nil)
        }
    }

    @Test(arguments: [
        ("retry", #"{"target":"a\nb"}"#), ("assign", #"{"event":"a\u0000b"}"#), ("assign", #"{"event":"  "}"#),
        ("assign", "{}"), ("events/use", #"{"event":""}"#), ("cancel", "{}"), ("retry", #"{"other":"x"}"#),
        ("retry", #"{"target":5}"#), ("retry", "[]"), ("retry", #"{"failed":"maybe"}"#),
        ("accounts/login", #"{"account":"/etc/a.yaml"}"#), ("accounts/login", "{}"), ("doctor", "x"),
        ("doctor", #"{"a":"b"}"#), ("retry", #"{"selection":{}}"#), ("retry", #"{"selection":{"sha256":["a"]}}"#),
        ("assign", #"{"event":"a","selection":[]}"#), ("cancel", #"{"target":"a","selection":{"filter":{}}}"#),
    ]) func badWordsStartNothing(_ path: String, _ body: String) async throws {
        try await StudioBench.with { bench async throws in
            let reply = try bench.post(path, body)
            #expect(reply.status == 400, "\(reply.body)")
            #expect(try bench.words().isEmpty)
        }
    }

    @Test func anotherPageStartsNothing() async throws {
        try await StudioBench.with { bench async throws in
            let (cookie, key) = try bench.session(.operate), json = ["Content-Type": "application/json"]
            for headers in [
                ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"],
                ["Cookie": cookie, "X-Filmgate-Key": key, "Sec-Fetch-Site": "same-site"],
                ["Cookie": cookie, "X-Filmgate-Key": key],
            ] {
                let status = try bench.client.send("POST", "/api/v1/retry", headers.merging(json) { $1 }, body: "{}")
                    .status
                #expect(status == 401 || status == 403)
            }
            #expect(try bench.words().isEmpty)
        }
    }

    @Test func aProgramThatIsNotThereIsTold() async throws {
        try await StudioBench.with { bench async throws in
            try FileManager.default.removeItem(atPath: bench.folder + "/program")
            let job = try await bench.ended(try bench.post("retry", "{}"))
            #expect(job?["exit"]?.whole == 1 && job?["message"]?.string?.contains("could not be started") == true)
        }
    }

    /// The card of the bench, as the list has it now.
    private func mounted(_ bench: StudioBench) throws -> JSONValue? {
        try bench.client.send("GET", "/api/v1/cards", try bench.token(.operate)).json?.at("mounted.0")
    }

    private func verdict(_ bench: StudioBench, _ wanted: String) async throws -> JSONValue? {
        for _ in 0..<200 {
            if let proof = try mounted(bench)?["proof"], proof["verdict"]?.string == wanted { return proof }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    /// `more`: of the file on the card, as JSON members; `first`: what happens while it is read.
    private func prove(
        _ bench: StudioBench, code: Int = 0, believed: Int = 0, more: String = "", first: String = ":"
    ) throws {
        let safe = code == 0 ? "true" : "false"
        try bench.then(
            "\(first)\necho '{\"type\":\"item\",\"proof\":\"proven\",\"sha256\":\"\(Rows.sha(1))\"\(more)}'\n"
                + "echo '{\"type\":\"summary\",\"safe\":\(safe),\"believed\":\(believed)}'\nexit \(code)")
        let id = try #require(try mounted(bench)?["id"]?.string), reply = try bench.post("cards/\(id)/prove", "{}")
        #expect(reply.status == 202, "\(reply.body)")
    }

    @Test func aProofIsWithdrawnWhenTheCardChanges() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            #expect(try mounted(bench)?["proof"] == .null)
            try prove(bench)
            let yes = try #require(try await verdict(bench, "YES"))
            #expect(yes["until"]?.string != nil && yes["at"]?.string != nil)
            #expect(
                try bench.words().last == [
                    "safe-to-format", "--json", "--state=\(bench.state)", "--pipeline=\(bench.folder)/wedding.yaml",
                    "--", bench.folder + "/CARD",
                ])
            try Data("x".utf8).write(to: URL(fileURLWithPath: bench.folder + "/CARD/DCIM/new.jpg"))
            let gone = try #require(try await verdict(bench, "WITHDRAWN"))
            #expect(gone["reason"]?.string == "The card changed." && gone["until"] == .null)
        }
    }

    @Test func aProofIsWithdrawnWhenACopyIsTakenBack() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            try prove(bench)
            #expect(try await verdict(bench, "YES") != nil)
            let ledger = try SQLiteLedger.open(directory: bench.state)
            try await ledger.record([.delivery(Rows.delivery(1, .held))])
            ledger.close()
            #expect(try await verdict(bench, "WITHDRAWN")?["reason"]?.string == "A copy or a target changed.")
        }
    }

    /// A copy of its own for the first file of the ledger.
    private func copy(_ bench: StudioBench, _ name: String, beside: String? = nil) async throws -> String {
        let path = bench.folder + "/" + name, ledger = try SQLiteLedger.open(directory: bench.state)
        try Data("copy".utf8).write(to: URL(fileURLWithPath: path))
        var row = Rows.delivery(1)
        row.content = ContentKey(sha256: Rows.sha(1), beside: beside)
        row.receipt.path = path
        try await ledger.record([.delivery(row)])
        ledger.close()
        return path
    }

    /// The copy of a sidecar stands in the ledger beside its picture.
    @Test func aProofIsWithdrawnWhenTheCopyOfASidecarChanges() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let path = try await copy(bench, "a.xmp", beside: Rows.sha(2))
            for change in ["changed", nil] {
                try prove(bench, more: ",\"copies\":[\"\(path)\"]")
                #expect(try await verdict(bench, "YES") != nil)
                if let change {
                    try Data(change.utf8).write(to: URL(fileURLWithPath: path))
                } else {
                    try FileManager.default.removeItem(atPath: path)
                }
                #expect(try await verdict(bench, "WITHDRAWN")?["reason"]?.string == "A copy or a target changed.")
            }
        }
    }

    /// Nothing of it stands in the ledger of this station.
    @Test func aProofIsWithdrawnWhenTheCopyOfAnotherStationChanges() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let path = bench.folder + "/shared.jpg"
            try Data("copy".utf8).write(to: URL(fileURLWithPath: path))
            try prove(bench, more: ",\"stations\":[\"desk-3\"],\"copies\":[\"\(path)\"]")
            #expect(try await verdict(bench, "YES") != nil)
            try FileManager.default.removeItem(atPath: path)
            #expect(try await verdict(bench, "WITHDRAWN")?["reason"]?.string == "A copy or a target changed.")
        }
    }

    /// The ledger of the bench has a copy that is gone since long: that one, which no proof names, is no reason.
    @Test func aCopyThatGoesWhileItIsProvenIsNoYes() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let path = try await copy(bench, "a.jpg")
            let named = ",\"copies\":[\"\(path)\"]"
            try prove(bench, more: named, first: "rm '\(path)'")
            let reason = try await verdict(bench, "WITHDRAWN")?["reason"]?.string
            #expect(reason == "A copy was changed while it was proven.")
            try prove(bench)
            #expect(try await verdict(bench, "YES") != nil)
        }
    }

    @Test func aTargetThatWasNotAskedIsNoYes() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            try prove(bench, believed: 1, more: ",\"believed\":[\"gallery\"]")
            let no = try #require(try await verdict(bench, "NO"))
            #expect(no["reason"]?.string?.contains("No answer now from gallery.") == true && no["until"] == .null)
        }
    }

    @Test func aNoStaysANo() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            try prove(bench, code: 8)
            #expect(try await verdict(bench, "NO") != nil)
            try FileManager.default.removeItem(atPath: bench.folder + "/CARD")
            let id = "0123456789abcdef"
            for verb in ["prove", "plan", "import"] {
                #expect(try bench.post("cards/\(id)/\(verb)", "{}").status == 404)
            }
        }
    }
}
