public import FilmgateCore

/// A target under test with the place that it delivers to.
public struct TargetPlace: Sendable {
    public var target: any UploadTarget
    /// How many copies of these bytes the place holds.
    public var copies: @Sendable (_ sha256: String) async throws -> Int
    /// Ends and removes the place.
    public var close: @Sendable () async -> Void

    public init(
        _ target: any UploadTarget, copies: @escaping @Sendable (String) async throws -> Int,
        close: @escaping @Sendable () async -> Void = {}
    ) {
        (self.target, self.copies, self.close) = (target, copies, close)
    }
}

/// Makes a fresh place for each check.
public struct TargetBench: Sendable {
    public var open: @Sendable () async throws -> TargetPlace

    public init(_ open: @escaping @Sendable () async throws -> TargetPlace) { self.open = open }

    func use(_ body: (TargetPlace) async throws -> Void) async throws {
        let place = try await open()
        do { try await body(place) } catch {
            await place.close()
            throw error
        }
        await place.close()
    }
}

/// What every target keeps to, whatever it delivers to.
public enum TargetConformance {
    /// Each failure once, with how often it came.
    private static func folded(_ failures: [IngestError]) -> String {
        let texts = failures.map { "\($0)" }
        let counts = Dictionary(texts.map { ($0, 1) }, uniquingKeysWith: +)
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            $0.value == 1 ? $0.key : "\($0.value) times: \($0.key)"
        }
        .joined(separator: "; ")
    }

    public static let checks: [Check<TargetBench>] = [
        Check("gives a receipt for what it delivered") { bench in
            try await bench.use { place in
                let job = try SampleJob(), receipt = try await place.target.upload(job.job())
                try expect(receipt.state == .done && receipt.reason == nil, "The receipt says \(receipt.state).")
                try expect(
                    receipt.path != nil || receipt.url != nil || receipt.id != nil,
                    "The receipt does not say what it is called there.")
                try expect(
                    receipt.sha256 == nil || receipt.sha256 == job.digests.sha256, "The receipt is about other bytes.")
                try expect(receipt.at > 1_600_000_000_000_000_000, "The receipt has no time.")
                try expect(try await place.copies(job.digests.sha256) == 1, "The place does not hold the file.")
            }
        },
        Check("repeating is harmless") { bench in
            try await bench.use { place in
                let job = try SampleJob(), first = try await place.target.upload(job.job())
                let second = try await place.target.upload(job.job())
                try expect(first.path == second.path && first.id == second.id, "The second upload made something new.")
                try expect(try await place.copies(job.digests.sha256) == 1, "There are two copies.")
            }
        },
        Check("a file shorter than promised is refused and leaves nothing") { bench in
            try await bench.use { place in
                let job = try SampleJob()
                var promised = job.job()
                promised.file.size += 1
                try await expectError(.corruptData) { () async throws(IngestError) in
                    try await place.target.upload(promised)
                }
                try expect(try await place.copies(job.digests.sha256) == 0, "Something was delivered.")
            }
        },
        Check("a file with other bytes than promised is refused and leaves nothing") { bench in
            try await bench.use { place in
                let job = try SampleJob(), other = try SampleJob()
                var promised = job.job()
                promised.digests = other.digests
                try await expectError(.corruptData) { () async throws(IngestError) in
                    try await place.target.upload(promised)
                }
                let copies = [try await place.copies(job.digests.sha256), try await place.copies(other.digests.sha256)]
                try expect(copies == [0, 0], "Something was delivered.")
            }
        },
        Check("a file that is gone is an error about the file") { bench in
            try await bench.use { place in
                var job = try SampleJob().job()
                job.file.path += ".gone"
                try await expectError(.notFound, .unreadable, .corruptData) { () async throws(IngestError) in
                    try await place.target.upload(job)
                }
            }
        },
        Check("empty files arrive") { bench in
            try await bench.use { place in
                let job = try SampleJob(count: 0)
                _ = try await place.target.upload(job.job("EMPTY.XMP"))
                try expect(try await place.copies(job.digests.sha256) == 1, "The empty file did not arrive.")
            }
        },
        Check("what it delivered it also finds, or cannot say") { bench in
            try await bench.use { place in
                let job = try SampleJob()
                let before = try await place.target.find(job.job())
                try expect(before == nil, "It finds what nobody sent.")
                _ = try await place.target.upload(job.job())
                guard let found = try await place.target.find(job.job()) else { return }
                try expect(found.state == .done && found.existed, "What it finds must be done and have existed.")
                try expect(found.verified.isProof, "A find that proves nothing: \(found.verified).")
            }
        },
        Check("verifies what it delivered, or cannot tell") { bench in
            try await bench.use { place in
                let job = try SampleJob(), receipt = try await place.target.upload(job.job())
                let answer = try await place.target.verify(receipt, size: job.size, sha256: job.digests.sha256)
                try expect(answer == .equal || answer == .cannotTell, "It says \(answer) of an intact file.")
            }
        },
        Check("check says that all is well, and writes nothing") { bench in
            try await bench.use { place in try await place.target.check() }
        },
        Check("many at once, each exactly once") { bench in
            try await bench.use { place in
                let jobs = try (0..<24).map { _ in try SampleJob(count: 20_000) }
                let failures = await withTaskGroup(of: IngestError?.self) { group in
                    for (number, job) in jobs.enumerated() {
                        group.addTask {
                            let result = await Result { () async throws(IngestError) in
                                try await place.target.upload(job.job("IMG_\(number).JPG"))
                            }
                            if case .failure(let error) = result { return error }
                            return nil
                        }
                    }
                    return await group.reduce(into: [IngestError]()) { if let error = $1 { $0.append(error) } }
                }
                try expect(failures.isEmpty, Self.folded(failures))
                for job in jobs {
                    try expect(try await place.copies(job.digests.sha256) == 1, "A file is missing or there twice.")
                }
            }
        },
        Check("a big file passes in little memory") { bench in
            try await bench.use { place in
                // Everything in this process counts, other tests and the server too, so the best of four counts: who
                // holds a file in memory does so each time.
                var taken = Int.max
                for number in 0..<4 as Range<UInt64> where taken > 120 << 20 {
                    let job = try SampleJob(sparse: BigFile.size + number), before = try residentBytes()
                    let peak = try await peakMemory { () async throws(IngestError) in
                        _ = try await place.target.upload(job.job("BIG\(number).MOV"))
                    }
                    taken = peak - min(peak, before)
                    try expect(try await place.copies(job.digests.sha256) == 1, "The big file did not arrive.")
                }
                try expect(taken <= 120 << 20, "It took \(taken >> 20) MiB for \(BigFile.size >> 20).")
            }
        },
    ]
}
