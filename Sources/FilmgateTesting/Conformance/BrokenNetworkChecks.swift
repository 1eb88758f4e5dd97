import FilmgateCore

extension HTTPConformance {
    /// A failure of the connection; afterwards sending again must lead to exactly one copy.
    private static func broken(
        _ name: String, copies: Int = 0, patience: Duration = HTTPBench.patient, _ act: FaultAct
    ) -> Check<HTTPBench> {
        Check(name) { bench in
            let copies = bench.storesAtOnce ? copies : 0
            try await bench.scene(count: 3_000_000) { number, _, _ in
                number == 0 ? act : .relay
            } _: { scene in
                let job = scene.job.job(), first = try bench.make(scene.base, scene.auth, scene.log.logger, patience)
                let error = try await expectError(.network, .unavailable) { () async throws(IngestError) in
                    try await first.upload(job)
                }
                try expect(scene.uploads.count == 1, "It sent again without being asked.")
                try scene.expectSecret(keptBy: error)
                try await scene.expectCopies(copies)
                // As the engine does: ask, then send.
                let found = try await scene.target.find(job)
                if let found { try expect(copies == 1 && found.existed, "It finds what is not there.") }
                if found == nil { _ = try await scene.target.upload(job) }
                try await scene.expectCopies(1)
            }
        }
    }

    static let breaks: [Check<HTTPBench>] = [
        broken("reset before the first byte", .reset(afterBody: 0)),
        broken("reset in the middle", .reset(afterBody: 1_000_000)),
        broken("closed after the last byte, nothing stored", .hangUpAfterBody),
        broken("reset after the last byte, stored, the answer lost", copies: 1, .relayThenReset),
        broken("an answer cut short", .raw(Array("HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\n{\"id\":".utf8))),
        broken("a stall while sending", patience: HTTPBench.hasty, .deaf),
        broken("no answer", patience: HTTPBench.hasty, .silence),
        Check("cancelled in the middle") { bench in
            try await bench.scene(count: 30_000_000) { _, _, _ in
                .deaf
            } _: { scene in
                let target = scene.target, job = scene.job.job()
                let task = Task { await Result { () async throws(IngestError) in try await target.upload(job) } }
                await scene.proxy.arrival(of: 1)
                while scene.uploads.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
                task.cancel()
                let result = await task.value
                try await expectError(.cancelled) { () async throws(IngestError) in try result.get() }
                try await scene.expectCopies(0)
            }
        },
        Check("nobody there") { bench in
            try await bench.scene { _, _, _ in
                .relay
            } _: { scene in
                let port = scene.proxy.port
                scene.proxy.stop()
                let target = try bench.make("http://127.0.0.1:\(port)", scene.auth, scene.log.logger, HTTPBench.patient)
                let error = try await expectError(.network) { () async throws(IngestError) in
                    try await target.upload(scene.job.job())
                }
                try scene.expectSecret(keptBy: error)
                try await expectError(.network) { () async throws(IngestError) in try await target.check() }
            }
        },
    ]

    static let secrets: [Check<HTTPBench>] = [
        Check("a certificate that nobody vouches for gets nothing") { bench in
            guard TLSServer.isAvailable else { return }
            let job = try SampleJob(), tls = try await TLSServer(), auth = CanaryAuth(CanarySecrets())
            let log = LogCollector()
            let target = try bench.make("https://localhost:\(tls.port)", auth, log.logger, HTTPBench.patient)
            let error = try await expectError(.untrusted) { () async throws(IngestError) in
                try await target.upload(job.job())
            }
            try auth.secrets.expectAbsent(from: log.text + "\(error)", "The error")
            try await expectError(.untrusted) { () async throws(IngestError) in try await target.check() }
        },
        Check("a redirect to another host carries nothing there") { bench in
            let elsewhere = try FaultServer { _, _ in .answer(201) }
            let place = elsewhere.url
            defer { elsewhere.stop() }
            for (status, signed) in [301, 302, 303, 307, 308].flatMap({ [($0, true), ($0, false)] })
            where !signed || bench.isSigned != nil {
                try await bench.scene(signed: signed) { _, _, _ in
                    .answer(status, headers: [("Location", place + "/stolen")])
                } _: { scene in
                    let error = try await expectError(.untrusted) { () async throws(IngestError) in
                        try await scene.target.upload(scene.job.job())
                    }
                    try scene.expectSecret(keptBy: error)
                }
            }
            try expect(elsewhere.seen.isEmpty, "Something went to the other host.")
        },
        Check("the credential was bound to its address before anything was sent") { bench in
            try await bench.scene { _, _, _ in
                .relay
            } _: { scene in
                try expect(
                    !scene.auth.bound.isEmpty && scene.auth.bound.allSatisfy { $0.hasPrefix(scene.proxy.url) },
                    "Bound to \(scene.auth.bound).")
                try expect(scene.proxy.seen.isEmpty, "Building it sent something.")
            }
        },
        Check("nothing that succeeds logs the credential") { bench in
            try await bench.scene { _, _, _ in
                .relay
            } _: { scene in
                let receipt = try await scene.target.upload(scene.job.job())
                try scene.auth.secrets.expectAbsent(
                    from: scene.log.text + "\(receipt) \(scene.target) \(String(reflecting: scene.target))", "A print")
                for seen in scene.proxy.seen { try scene.auth.secrets.expectAbsent(from: seen.target, "The address") }
                try await scene.expectCopies(1)
            }
        },
    ]
}
