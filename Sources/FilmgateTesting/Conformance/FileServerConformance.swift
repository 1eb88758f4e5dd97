import FilmgateCore

/// What every target on a server of files keeps to over bad networks and with servers in a bad mood.
public enum FileServerConformance {
    public static let checks: [Check<FileServerBench>] = breaks + doors

    /// A failure of the connection; afterwards sending again must lead to exactly one copy, and nothing else.
    private static func broken(
        _ name: String, copies: Int = 0, patience: Duration = HTTPBench.patient,
        _ fault: @escaping @Sendable (FileServerBench.Server, _ sha256: String) -> FaultProxy.Fault
    ) -> Check<FileServerBench> {
        Check(name) { bench in
            try await bench.scene(fault) { scene in
                let job = scene.job.job(), first = try scene.target(patience: patience)
                let result = await Result { () async throws(IngestError) in try await first.upload(job) }
                try expect(scene.proxy.isSpent, "It ended before the fault came: \(result)")
                scene.proxy.mend()
                switch result {
                case .success(let receipt):
                    try expect(
                        copies == 1 && receipt.existed && receipt.verified == .reread,
                        "It says that it is there unseen: \(receipt)")
                case .failure(let error):
                    try expect(
                        [.network, .unavailable].contains(error.code), "It failed with \(error.code.rawValue): \(error)"
                    )
                    try scene.expectSecret(keptBy: error)
                }
                try scene.expectCopies(copies)
                // As the engine does: ask, then send, then end. The same target, and one of another process.
                for target in [first, try scene.target()] {
                    try await deliver(job, to: target)
                    try await target.finishRun([])
                    try scene.expectCopies(1)
                }
                let files = try scene.server.files()
                try expect(files.count == 1, "Something else was left there: \(files)")
            }
        }
    }

    /// A target of little patience may give up on a busy server a few times more.
    private static func deliver(_ job: UploadJob, to target: any UploadTarget) async throws {
        for attempt in 1...20 {
            let found: Receipt?
            do throws(IngestError) {
                found = try await target.find(job)
                if found == nil { _ = try await target.upload(job) }
            } catch {
                guard error.code == .network, attempt < 20 else { throw error }
                continue
            }
            if let found { try expect(found.existed, "It finds what is not there.") }
            return
        }
    }

    private static let breaks: [Check<FileServerBench>] = [
        broken("reset at the door") { _, _ in .reset(afterSent: 0) },
        broken("reset in the middle") { _, _ in .reset(afterSent: 1_000_000) },
        broken("the network gone in the middle") { _, _ in .cut(afterSent: 1_000_000) },
        broken("closed in good order in the middle") { _, _ in .close(afterSent: 1_000_000) },
        broken("stored, the answer lost", copies: 1) { server, sha256 in
            .loseAnswer { (try? server.copies(sha256)) == 1 }
        },
        broken("a stall while sending", patience: HTTPBench.hasty) { _, _ in .stall(afterSent: 1_000_000) },
        broken("no answer", patience: HTTPBench.hasty) { _, _ in .mute(afterSent: 1_000_000) },
        Check("cancelled in the middle") { bench in
            try await bench.scene { _, _ in
                .stall(afterSent: 1_000_000)
            } _: { scene in
                let target = try scene.target(), job = scene.job.job()
                let task = Task { await Result { () async throws(IngestError) in try await target.upload(job) } }
                await scene.proxy.happened()
                task.cancel()
                let result = await task.value
                try await expectError(.cancelled) { () async throws(IngestError) in try result.get() }
                try scene.expectCopies(0)
                scene.proxy.mend()
                _ = try await target.upload(job)
                try scene.expectCopies(1)
            }
        },
        Check("nobody there") { bench in
            try await bench.scene { _, _ in
                nil
            } _: { scene in
                let target = try scene.target()
                scene.proxy.stop()
                let error = try await expectError(.network) { () async throws(IngestError) in
                    try await target.upload(scene.job.job())
                }
                try scene.expectSecret(keptBy: error)
                try await expectError(.network) { () async throws(IngestError) in try await target.check() }
                try await expectError(.network) { () async throws(IngestError) in
                    try await target.find(scene.job.job())
                }
            }
        },
    ]

    private static let doors: [Check<FileServerBench>] = [
        Check("turned away at the door: tried again later") { bench in
            try await bench.scene { _, _ in
                .say(bench.turnsAway)
            } _: { scene in
                let target = try scene.target()
                try await expectError(.network, .unavailable, .rateLimited) { () async throws(IngestError) in
                    try await target.upload(scene.job.job())
                }
                _ = try await target.upload(scene.job.job())
                try scene.expectCopies(1)
            }
        },
        Check("a password that is refused holds, and shows in nothing") { bench in
            guard bench.password != nil else { return }
            try await bench.scene { _, _ in
                nil
            } _: { scene in
                scene.secrets.value = "wrong-canary-51f09"
                let target = try scene.target()
                let error = try await expectError(.unauthorized) { () async throws(IngestError) in
                    try await target.upload(scene.job.job())
                }
                try scene.expectSecret(keptBy: error)
                try scene.expectCopies(0)
            }
        },
        Check("a password that was replaced is looked up again") { bench in
            guard let good = bench.password else { return }
            try await bench.scene(count: 10_000) { _, _ in
                nil
            } _: { scene in
                scene.secrets.value = "expired-canary-51f09"
                let target = try scene.target()
                try await expectError(.unauthorized) { () async throws(IngestError) in
                    try await target.upload(scene.job.job())
                }
                scene.secrets.value = good
                _ = try await target.upload(scene.job.job())
                try scene.expectCopies(1)
            }
        },
        Check("nothing that succeeds shows the password") { bench in
            guard bench.password != nil else { return }
            try await bench.scene(count: 10_000) { _, _ in
                nil
            } _: { scene in
                let target = try scene.target(), receipt = try await target.upload(scene.job.job())
                try scene.secrets.expectAbsent(
                    from: scene.log.text + "\(receipt) \(target) \(String(reflecting: target))", "A print")
                try scene.expectCopies(1)
            }
        },
    ]
}
