public import FilmgateCore

/// A stage under test.
public struct StageBench: Sendable {
    public var make: @Sendable () throws -> any Stage
    public init(_ make: @escaping @Sendable () throws -> any Stage) { self.make = make }
}

/// What every stage keeps to, whatever it judges.
public enum StageConformance {
    public static let checks: [Check<StageBench>] = [
        Check("passes a file on as the file that it was, or ends it with a reason") { bench in
            let job = try SampleJob(), asset = asset(job, "IMG_0001.JPG")
            try judged(try await verdict(try bench.make(), asset), asset)
        },
        Check("judges one file the same way each time") { bench in
            let job = try SampleJob(), asset = asset(job, "IMG_0002.JPG"), stage = try bench.make()
            let first = try await verdict(stage, asset), second = try await verdict(stage, asset)
            let fresh = try await verdict(try bench.make(), asset)
            try expect(shown(first) == shown(second) && shown(first) == shown(fresh), "It changed its mind.")
        },
        Check("takes every kind of file, and files that say nothing of themselves") { bench in
            let job = try SampleJob(), stage = try bench.make()
            for name in [
                "IMG_1.CR3", "IMG_1.JPG", "IMG_1.XMP", "MVI_2.MP4", "MEMO.WAV", "IMG_3.HIF", "notes.txt", "NO_ENDING",
            ] {
                var asset = asset(job, name)
                asset.media = MediaFacts()
                try judged(try await verdict(stage, asset), asset)
                asset.media = nil
                try judged(try await verdict(stage, asset), asset)
            }
        },
        Check("strange names harm nothing") { bench in
            let job = try SampleJob(), stage = try bench.make()
            for name in [
                "two words.JPG", "quote\"s'.JPG", "line\nbreak.JPG", "back\\slash.JPG", "Ж-é-日本.JPG", "-rf.JPG",
                "$(id).JPG", "\u{10FFE9}.JPG",
            ] {
                try judged(try await verdict(stage, asset(job, name)), asset(job, name))
            }
        },
        Check("many at once") { bench in
            let job = try SampleJob(), stage = try bench.make()
            let broken = await withTaskGroup(of: String?.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        let asset = asset(job, "IMG_\(number).JPG")
                        do {
                            try judged(try await verdict(stage, asset), asset)
                            return nil
                        } catch { return "\(error)" }
                    }
                }
                return await group.reduce(into: [String]()) { if let error = $1 { $0.append(error) } }
            }
            try expect(broken.isEmpty, "\(broken)")
        },
    ]

    private static func asset(_ job: SampleJob, _ name: String) -> Asset {
        var asset = job.job(name).asset
        asset.file = LocalFile(path: job.file, size: job.size, ownership: .source)
        var facts = MediaFacts()
        (facts.make, facts.model, facts.rating) = ("Maker", "Model", 3)
        facts.captured = CivilTime(year: 2026, month: 5, day: 1, hour: 12)
        asset.media = facts
        return asset
    }

    private static func verdict(_ stage: any Stage, _ asset: Asset) async throws(IngestError) -> Verdict {
        try await stage.process(asset, of: Shot(key: asset.shot.key, assets: [asset]))
    }

    private static func judged(_ verdict: Verdict, _ asset: Asset) throws(CheckFailure) {
        switch verdict {
        case .pass(let passed), .deliver(let passed, to: _):
            try expect(
                passed.id == asset.id && passed.digests == asset.digests && passed.file == asset.file,
                "It passed another file on.")
        case .finish(let ended, _, let reason, _):
            try expect(ended.id == asset.id, "It ended another file.")
            try expect(!reason.isEmpty, "It gave no reason.")
        }
    }

    private static func shown(_ verdict: Verdict) -> String {
        switch verdict {
        case .pass(let asset): "pass \(asset.flags.sorted()) \(String(describing: asset.media))"
        case .deliver(let asset, let targets): "deliver \(asset.flags.sorted()) \(targets)"
        case .finish(_, let ending, let reason, _): "\(ending) \(reason)"
        }
    }
}
