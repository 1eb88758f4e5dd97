import FilmgateCore
import FilmgateLedger
import TestThreads
import Testing

@testable import FilmgateStudio

/// Marks from several browsers: what they say, who may, and what the others see of it.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct MarkRouteTests {
    static func body(_ words: String, _ numbers: [Int]) -> String {
        #"{"set":\#(words),"selection":{"sha256":[\#(numbers.map { "\"\(Rows.sha($0))\"" }.joined(separator: ","))]}}"#
    }

    private func frame(_ bench: StudioBench, _ number: Int, _ role: Role = .operate) throws -> JSONValue {
        let frames = try bench.client.send("GET", "/api/v1/frames", try bench.token(role)).json?["frames"]?.items ?? []
        return try #require(frames.first { $0["sha256"]?.string == Rows.sha(number) })
    }

    @Test func whatIsSaidIsShownAndTakenBack() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let first = try bench.post("marks", Self.body(#"{"rating":4,"pick":"picked"}"#, [1, 2]), .pick)
            #expect(first.status == 200 && first.json?["pictures"]?.whole == 2, "\(first.body)")
            let second = try bench.post("marks", Self.body(#"{"colour":3,"rating":2}"#, [2]), .operate)
            let revisions = [first, second].compactMap { $0.json?["revision"]?.whole }
            #expect(revisions.count == 2 && revisions[0] < revisions[1])
            let one = try frame(bench, 1), two = try frame(bench, 2)
            #expect(one["rating"]?.whole == 4 && one["pick"]?.string == "picked" && one["colour"]?.whole == 0)
            #expect(two["rating"]?.whole == 2 && two["pick"]?.string == "picked" && two["colour"]?.whole == 3)
            #expect(one["marked_by"]?.string == "test" && one["marked_at"]?.string != nil)
            let viewed = try frame(bench, 1, .view)
            #expect(viewed["rating"]?.whole == 4 && viewed["marked_by"] == .null, "a viewer is told of nobody")
            let undone = try bench.post("marks/undo", #"{"token":"\#(first.json?["undo"]?.string ?? "")"}"#, .pick)
            #expect(undone.status == 200)
            // What somebody said since stays.
            #expect(try frame(bench, 1)["rating"] == .null && frame(bench, 2)["rating"]?.whole == 2)
            #expect(try frame(bench, 2)["pick"]?.string == "none")
            #expect(try bench.post("marks/undo", #"{"token":"nothing"}"#, .pick).status == 404)
        }
    }

    @Test func allOfAFilterIsOneRequest() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let all = try bench.post(
                "marks", #"{"set":{"pick":"picked"},"selection":{"filter":{"kind":"jpeg"}}}"#, .pick)
            #expect(all.json?["pictures"]?.whole == 3, "\(all.body)")
            let filter =
                #"{"set":{"rating":1},"selection":{"filter":{"ending":"pending,setAside"},"except":["\#(Rows.sha(3))"]}}"#
            #expect(try bench.post("marks", filter, .pick).json?["pictures"]?.whole == 1)
            #expect(try frame(bench, 2)["rating"]?.whole == 1 && frame(bench, 3)["rating"] == .null)
            // What names events and runs is nobody's to ask below operate.
            let event = #"{"set":{"rating":1},"selection":{"filter":{"event":"secret-event"}}}"#
            #expect(try bench.post("marks", event, .pick).status == 403)
            #expect(try bench.post("marks", event, .operate).json?["pictures"]?.whole == 3)
            let run = #"{"set":{"rating":1},"selection":{"filter":{"run":"1"}}}"#
            #expect(try bench.post("marks", run, .operate).json?["pictures"]?.whole == 3)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"set":{"rating":1}}"#, #"{"set":{},"selection":{"filter":{}}}"#,
        #"{"set":{"rating":6},"selection":{"filter":{}}}"#,
        #"{"set":{"rating":"3"},"selection":{"filter":{}}}"#, #"{"set":{"rating":1.5},"selection":{"filter":{}}}"#,
        #"{"set":{"pick":"maybe"},"selection":{"filter":{}}}"#, #"{"set":{"colour":-1},"selection":{"filter":{}}}"#,
        #"{"set":{"stars":1},"selection":{"filter":{}}}"#, #"{"set":{"rating":1},"selection":{}}"#,
        #"{"set":{"rating":1},"selection":{"sha256":[]}}"#, #"{"set":{"rating":1},"selection":{"sha256":["abc"]}}"#,
        #"{"set":{"rating":1},"selection":{"sha256":[1]}}"#,
        #"{"set":{"rating":1},"selection":{"filter":{"limit":"5"}}}"#,
        #"{"set":{"rating":1},"selection":{"filter":{"kind":"poem"}}}"#,
        #"{"set":{"rating":1},"selection":{"filter":{"q":3}}}"#,
        #"{"set":{"rating":1},"selection":{"filter":{"run":1}}}"#,
        #"{"set":{"rating":1},"selection":{"filter":{},"sha256":["a"]}}"#,
        #"{"set":{"rating":1},"selection":{"filter":{}},"more":1}"#, #"{"set":{"rating":1},"selection":{"filter":[]}}"#,
    ]) func mistakesAreNamed(_ body: String) async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reply = try bench.post("marks", body, .pick)
            #expect(reply.status == 400 && reply.json?["message"]?.string?.isEmpty == false, "\(reply.body)")
            #expect(try frame(bench, 1)["pick"]?.string == "none")
        }
    }

    @Test func whatIsNotKnownIsNotThere() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            #expect(try bench.post("marks", Self.body(#"{"rating":3}"#, [1, 99]), .pick).status == 404)
            #expect(try frame(bench, 1)["rating"] == .null, "nothing is half done")
        }
        try await StudioBench.with { bench async throws in
            #expect(try bench.post("marks", Self.body(#"{"rating":3}"#, [1]), .pick).status == 404)
        }
    }

    /// Two browsers mark at once, a third one looks on; what it hears in the end is what the ledger has.
    ///
    /// How soon, `make studio-bench` measures: here it waits for what else goes on on the machine.
    @Test func everybodyHearsOfIt() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(.view))
            #expect(reader.next("frames") != nil)
            _ = try bench.post("marks", Self.body(#"{"rating":5}"#, [1]), .pick)
            let told = try #require(reader.next("frames"))
            #expect(
                told.data.at("frames.0.rating")?.whole == 5 && told.data["frames"]?.items?.count == 1,
                "\(told.data.serialized)")
            #expect(!told.data.serialized.contains("secret"))
            for rating in 0...4 {
                _ = try bench.post(
                    "marks", Self.body(#"{"rating":\#(rating)}"#, [1, 2]), rating % 2 == 0 ? .pick : .admin)
            }
            var last: Int64?
            while let next = reader.next("frames", seconds: 30) {
                for one in next.data["frames"]?.items ?? [] where one["sha256"]?.string == Rows.sha(2) {
                    last = one["rating"]?.whole
                }
                if last == 4 { break }
            }
            #expect(last == 4)
        }
    }
}
