import FilmgateCore
import Testing

@testable import FilmgateStudio

/// What is known of jobs, without any process.
@Suite struct JobTests {
    private func order(_ verb: String = "retry", exclusive: String? = nil) -> Job.Order {
        Job.Order(verb: verb, words: [], exclusive: exclusive)
    }

    @Test func aKeyBeginsOnce() throws {
        var list = JobList()
        let first = try list.begin(order(), id: "1", by: "a", key: "k", at: 0)
        let again = try list.begin(order(), id: "2", by: "a", key: "k", at: 1)
        #expect(first.isNew && !again.isNew && again.job.id == "1" && list.all.count == 1)
        #expect(try list.begin(order(), id: "3", by: "b", key: "k", at: 2).isNew, "somebody else's key is another")
        #expect(throws: JobList.Refusal.otherOrder) {
            try list.begin(order("cancel"), id: "4", by: "a", key: "k", at: 3)
        }
    }

    @Test func theSameThingIsDoneOnceAtATime() throws {
        var list = JobList()
        _ = try list.begin(order(exclusive: "x"), id: "1", by: "a", key: nil, at: 0)
        #expect(throws: JobList.Refusal.isRunning("1")) {
            try list.begin(order(exclusive: "x"), id: "2", by: "a", key: nil, at: 1)
        }
        _ = list.change("1") { $0.end(0, wasStopped: false, at: 2) }
        #expect(try list.begin(order(exclusive: "x"), id: "3", by: "a", key: nil, at: 3).isNew)
    }

    /// The names of very many files are read once, and known by their mark from then on.
    @Test func whatACommandReadsIsNotKept() throws {
        let both = JobOrders.retry(target: nil, failed: false, only: JobInput(["a", "b"]))
        let one = JobOrders.retry(target: nil, failed: false, only: JobInput(["a"]))
        #expect(both.input?.parts == [Array("a\nb\n".utf8)] && both != one)
        var list = JobList()
        let first = try list.begin(both, id: "1", by: "a", key: "k", at: 0)
        #expect(first.job.order.input?.parts == [] && first.job.order == both)
        let again = try list.begin(both, id: "2", by: "a", key: "k", at: 1)
        #expect(!again.isNew)
        #expect(throws: JobList.Refusal.isRunning("1")) { try list.begin(both, id: "3", by: "a", key: nil, at: 2) }
        #expect(try list.begin(one, id: "4", by: "a", key: nil, at: 3).isNew, "other files are no hindrance")
    }

    /// A file has one event: whoever gives it to another one meanwhile is refused, and is shown nobody else's job as his.
    @Test func onlyOneAssignmentRunsAtATime() throws {
        var list = JobList()
        let asked: [(event: String, files: [String]?)] = [
            ("smith", ["a"]), ("jones", ["a"]), ("smith", ["b"]), ("smith", nil),
        ]
        let orders = asked.map { JobOrders.assign(event: $0.event, target: nil, only: $0.files.map { JobInput($0) }) }
        _ = try list.begin(orders[0], id: "1", by: "a", key: nil, at: 0)
        for other in orders.dropFirst() {
            #expect(throws: JobList.Refusal.mustWait("1")) {
                try list.begin(other, id: "2", by: "b", key: nil, at: 1)
            }
        }
        #expect(throws: JobList.Refusal.isRunning("1")) { try list.begin(orders[0], id: "2", by: "b", key: nil, at: 1) }
        _ = list.change("1") { $0.end(0, wasStopped: false, at: 2) }
        #expect(try list.begin(orders[1], id: "3", by: "b", key: nil, at: 3).isNew)
    }

    @Test func fourRunAtOnce() throws {
        var list = JobList()
        for number in 0..<JobList.mostRunning { _ = try list.begin(order(), id: "\(number)", by: "a", key: nil, at: 0) }
        #expect(throws: JobList.Refusal.tooMany) { try list.begin(order(), id: "x", by: "a", key: nil, at: 1) }
    }

    @Test func endedOnesAreKeptForADay() throws {
        var list = JobList()
        for number in 0..<300 {
            _ = try list.begin(order(), id: "\(number)", by: "a", key: "\(number)", at: Int64(number))
            _ = list.change("\(number)") { $0.end(0, wasStopped: false, at: Int64(number)) }
        }
        #expect(list.all.count == JobList.mostKept && list.all.first?.id == "299")
        #expect(try list.begin(order(), id: "last", by: "a", key: "299", at: JobList.life + 1000).isNew)
        #expect(list.all.map(\.id) == ["last"])
    }

    @Test func whatItSaysIsBounded() {
        var job = Job(id: "1", order: order("import"), by: "a", at: 0)
        for number in 0..<10_000 {
            job.hear(
                object: Array(
                    #"{"type":"item","ending":"\#(number % 2 == 0 ? "delivered" : "setAside")","path":"\#(number)"}"#
                        .utf8))
            job.hear(words: "line \(number)")
        }
        job.hear(object: Array("no object".utf8))
        job.hear(object: Array(#"{"type":"summary","exit":3}"#.utf8))
        job.end(3, wasStopped: false, at: 9)
        #expect(job.counts == ["delivered": 5000, "setAside": 5000] && job.files == 10_000)
        #expect(job.lines.count == Job.mostLines && job.lines.last == "line 9999")
        #expect(job.objects.count == Job.mostObjects)
        #expect(job.result?["exit"]?.whole == 3 && job.exit == 3 && job.state == .ended)
    }

    /// Two commands, each for other files, are one job.
    @Test func theSummariesOfItsPartsAreAdded() {
        var input = JobInput(["a"])
        input.add(["b"])
        var job = Job(
            id: "1", order: JobOrders.retry(target: nil, failed: false, only: input), by: "a", at: 0)
        for (seen, seconds, exit) in [(2, "1", 0), (3, "0.5", 8), (1, "2", 0)] {
            let summary = #"{"type":"summary","seen":\#(seen),"seconds":\#(seconds),"exit":\#(exit)}"#
            job.hear(object: Array(summary.utf8))
        }
        #expect(job.result?["seen"]?.whole == 6 && job.result?["seconds"]?.real == 3.5)
        #expect(job.result?["exit"]?.whole == 8)
        let pairs = [(9, 0), (0, 9), (9, 9), (4, 8), (9, 3), (3, 6), (6, 3), (4, 7), (8, 5), (7, 130), (1, 6)]
        #expect(pairs.map { Job.worse($0.0, $0.1) } == [0, 0, 9, 4, 3, 6, 6, 7, 5, 130, 1])
    }

    @Test func anObjectOfAnySizeIsNoResult() {
        var job = Job(id: "1", order: order(), by: "a", at: 0)
        job.hear(object: Array(#"{"type":"error","message":"\#(String(repeating: "x", count: 100_000))"}"#.utf8))
        #expect(job.result == nil && job.objects.isEmpty)
    }

    /// As text they are very many bytes, and nobody but a proof needs them.
    @Test func onlyAProofKeepsDigests() {
        let proof = Job.Order(verb: "safe-to-format", words: [])
        var jobs = [order("import"), proof].map { Job(id: "1", order: $0, by: "a", at: 0) }
        let digests = [Rows.sha(7), Rows.sha(2), Rows.sha(7), "0" + Rows.sha(1), String(repeating: "g", count: 64)]
        for index in jobs.indices {
            for digest in digests { jobs[index].hear(object: Array(#"{"type":"item","sha256":"\#(digest)"}"#.utf8)) }
            jobs[index].end(0, wasStopped: false, at: 1)
        }
        #expect(jobs[0].digests.isEmpty && Array(jobs[1].digests) == [Rows.sha(2), Rows.sha(7)])
        jobs[1].forgetProof()
        #expect(jobs[1].digests.isEmpty && jobs[1].files == 5)
    }

    /// Of the oldest least is kept.
    @Test func allJobsTogetherAreBounded() throws {
        var list = JobList()
        let error = Array(#"{"type":"error","message":"\#(String(repeating: "x", count: 60_000))"}"#.utf8)
        for number in 0..<30 {
            _ = try list.begin(order(), id: "\(number)", by: "a", key: nil, at: Int64(number))
            _ = list.change("\(number)") { job in
                for _ in 0..<20 { job.hear(object: error) }
                for line in 0..<3 { job.hear(words: "line \(line)") }
                job.end(1, wasStopped: false, at: Int64(number))
            }
        }
        #expect(list.all.reduce(0) { $0 + $1.size } <= JobList.mostBytes)
        let oldest = try #require(list["0"]), newest = try #require(list["29"])
        #expect(oldest.objects.isEmpty && oldest.result == nil && oldest.lines == ["line 2"] && oldest.exit == 1)
        #expect(newest.objects.count == Job.mostBytes / error.count && newest.lines.count == 3)
        for job in [oldest, newest] {
            #expect(JSONValue(Array(job.object.finished.utf8))?["message"]?.string?.hasPrefix("xxx") == true)
        }
        let said = oldest.details["lines"]?.texts
        #expect(said?.count == 2 && said?.last?.contains("not kept") == true)
    }

    /// Nothing that people type can become an option.
    @Test(arguments: ["--state=/", "-rf", "--", "a b", "x\u{202E}y", "--yes", "=", "ä"]) func typedWordsAreNoOptions(
        _ beginning: String
    ) {
        let text = beginning + "typed"
        let program = JobRunner.Program(path: "/filmgate", state: "/s")
        let orders = [
            JobOrders.retry(target: text, failed: true), JobOrders.cancel(target: text, file: text),
            JobOrders.assign(event: text, target: text), JobOrders.logout(account: text, pipeline: text),
            JobOrders.retry(target: text, failed: true, only: JobInput(["a"])),
            JobOrders.assign(event: text, target: text, only: JobInput(["a"])),
            JobOrders.use(event: text, now: true), JobOrders.events(pipeline: text),
            JobOrders.take("import", card: text, pipeline: text), JobOrders.prove(card: text, pipeline: text),
            JobOrders.check(pipeline: text), JobOrders.doctor(pipeline: text),
        ]
        for order in orders {
            let words = program.words(order), end = words.firstIndex(of: "--") ?? words.endIndex
            for (index, word) in words.enumerated() where word.contains(text) && index < end {
                #expect(word.hasPrefix("--target=") || word.hasPrefix("--pipeline="), "\(words)")
            }
        }
    }
}

@Suite struct ProofStateTests {
    private func state() -> ProofState { ProofState(card: "/c", job: "j", listing: [1], at: 100) }
    private let evidence = ProofState.Evidence(card: [1], copies: [2], latestCopy: 50)
    private let minute: Int64 = 60_000_000_000

    @Test func aProofIsAYesForTenMinutes() {
        var proof = state()
        #expect(proof.verdict == .checking && proof.until == nil)
        proof.end(exit: 0, isSafe: true, evidence, at: 200)
        #expect(proof.verdict == .yes && proof.until == 200 + 10 * minute)
        proof.look(evidence, at: 200 + 10 * minute - 1)
        #expect(proof.verdict == .yes)
        proof.look(evidence, at: 200 + 10 * minute)
        #expect(proof.verdict == .withdrawn && proof.until == nil)
    }

    @Test(arguments: [
        ProofState.Evidence(card: [9], copies: [2], latestCopy: 50), .init(card: [1], copies: [9], latestCopy: 50),
        .init(card: nil, copies: [2], latestCopy: 50), .init(card: [1], copies: nil, latestCopy: 50),
    ]) func whateverChangesWithdrawsIt(_ now: ProofState.Evidence) {
        var proof = state()
        proof.end(exit: 0, isSafe: true, evidence, at: 200)
        proof.look(now, at: 300)
        #expect(proof.verdict == .withdrawn && proof.reason != nil)
        proof.look(evidence, at: 400)
        #expect(proof.verdict == .withdrawn, "it does not come back")
    }

    /// What changed while it was read, or right after.
    @Test(arguments: [
        ProofState.Evidence(card: [9], copies: [2], latestCopy: 50), .init(card: [1], copies: [2], latestCopy: 100),
        .init(card: nil, copies: [2], latestCopy: 50), .init(card: [1], copies: nil, latestCopy: 50),
    ]) func aChangeMeanwhileIsNoYes(_ found: ProofState.Evidence) {
        var proof = state()
        proof.end(exit: 0, isSafe: true, found, at: 200)
        #expect(proof.verdict == .withdrawn)
    }

    @Test func onlyTheCommandSaysYes() {
        for (exit, isSafe, verdict) in [
            (8, false, ProofState.Verdict.no), (0, false, .failed), (1, true, .failed), (130, true, .failed),
            (10, false, .failed),
        ] {
            var proof = state()
            proof.end(exit: exit, isSafe: isSafe, evidence, at: 200)
            #expect(proof.verdict == verdict, "\(exit)")
        }
    }

    /// A target's word from when it took the files is no proof made now.
    @Test func whatWasOnlyBelievedIsNoYes() throws {
        var job = Job(
            id: "1", order: Job.Order(verb: "safe-to-format", words: []), by: "a", at: 0)
        job.hear(object: Array(#"{"type":"item","proof":"proven","believed":["nas","gallery"]}"#.utf8))
        let here = try #require(job.copies.doubt(job.result, hasPipeline: false))
        let there = try #require(job.copies.doubt(job.result, hasPipeline: true))
        #expect(here.contains("gallery, nas") && here.contains("with the pipeline"))
        #expect(there.contains("gallery, nas") && there.contains("Ask again when it answers"))
        let summary = JSONValue(Array(#"{"believed":1}"#.utf8))
        #expect(NamedCopies().doubt(summary, hasPipeline: true) != nil)
        #expect(NamedCopies().doubt(JSONValue(Array(#"{"believed":0}"#.utf8)), hasPipeline: false) == nil)
        var proof = state()
        proof.end(exit: 0, isSafe: true, doubt: here, evidence, at: 200)
        #expect(proof.verdict == .no && proof.reason == here && proof.until == nil)
    }

    @Test func aYesThatNobodyLooksAfterEnds() {
        var old = state(), unseen = state()
        old.end(exit: 0, isSafe: true, evidence, at: 200)
        unseen.end(exit: 0, isSafe: true, evidence, at: 200)
        old.age(at: 200 + 10 * minute)
        unseen.goUnseen(for: .milliseconds(12_900))
        #expect(old.verdict == .withdrawn && unseen.verdict == .withdrawn)
        #expect(unseen.reason == "The copies could not be looked at for 12 s.")
        var no = state()
        no.end(exit: 8, isSafe: false, evidence, at: 200)
        no.goUnseen(for: .seconds(12))
        #expect(no.verdict == .no)
    }

    @Test func aCardThatIsGoneHasNoProof() {
        var checking = state(), yes = state()
        checking.leave()
        yes.end(exit: 0, isSafe: true, evidence, at: 200)
        yes.leave()
        #expect(checking.verdict == .failed && yes.verdict == .withdrawn)
        checking.end(exit: 0, isSafe: true, evidence, at: 300)
        #expect(checking.verdict == .failed)
    }

    @Test func aClockThatIsSetBackIsNoMoreTime() {
        var proof = state()
        proof.end(exit: 0, isSafe: true, evidence, at: 200)
        proof.look(evidence, at: 199)
        #expect(proof.verdict == .withdrawn)
    }
}
