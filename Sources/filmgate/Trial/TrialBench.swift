import FileKit
import FilmgateCore
import FilmgateExternal
import FilmgateTesting
import Foundation
import Logging

/// The cases that a module of a kind has to pass, and what they need.
struct TrialBench: Sendable {
    struct Case: Sendable {
        var name: String
        /// What is wrong; nil when nothing is.
        var run: @Sendable () async -> String?
    }

    let trial: ModuleTrial
    let changes: [(key: String, value: String)]
    let secrets: TrialSecrets
    let logger: Logger

    var cases: [Case] {
        if let mistake { return [Case(name: "is given options that it takes") { mistake }] }
        let rules = trial.rules.map { rule in
            Case(name: rule.name) {
                await telling {
                    try await Self.withScratch { scratch in
                        try rule.run(options(scratch), context(scratch, secrets.over(CanarySecrets())))
                    }
                }
            }
        }
        return rules + roleCases
    }

    private var roleCases: [Case] {
        switch trial.entry.make {
        case .target(let make): targetCases { try build(make, $0, secrets.over(CanarySecrets())) }
        case .stage(let make):
            suite(StageConformance.checks) { scratch in
                StageBench { try build(make, scratch, secrets.over(CanarySecrets())) }
            }
        case .auth(let make):
            suite(AuthConformance.checks.filter { trial.hasSecret || !AuthConformance.secretOnly.contains($0.name) }) {
                scratch in
                AuthBench { try build(make, scratch, secrets.over($0)) }
            }
        case .source(let make):
            suite(SourceConformance.checks) { scratch in
                try Self.furnish(scratch)
                return SourceBench { try build(make, scratch, secrets.over(CanarySecrets())) }
            }
        case .catalog: []
        }
    }

    private func suite<Bench: Sendable>(
        _ checks: [Check<Bench>], _ bench: @escaping @Sendable (String) throws -> Bench
    ) -> [Case] {
        checks.map { check in
            Case(name: check.name) {
                await telling { try await Self.withScratch { try await check.run(try bench($0)) } }
            }
        }
    }

    private func targetCases(_ make: @escaping @Sendable (String) throws -> any UploadTarget) -> [Case] {
        let bench = TargetBench {
            let scratch = try Self.newScratch()
            return TargetPlace(
                try make(scratch), copies: { try await copies(of: $0, in: scratch) },
                close: { try? FileManager.default.removeItem(atPath: scratch) })
        }
        return (TargetConformance.checks + KilledTarget.checks).map { check in
            Case(name: check.name) { await telling { try await check.run(bench) } }
        }
    }

    // MARK: What a module is given

    private func build<Role>(
        _ make: (ConfigNode, ModuleContext, inout [ConfigError]) throws(IngestError) -> Role, _ scratch: String,
        _ secrets: any SecretResolver
    ) throws -> Role {
        var errors: [ConfigError] = []
        let role = try make(options(scratch), context(scratch, secrets), &errors)
        if let first = errors.first { throw CheckFailure(first.message) }
        return role
    }

    private func options(_ scratch: String) -> ConfigNode {
        var node = trial.options(scratch: scratch)
        for (key, value) in changes { node.set(key, value.replacingOccurrences(of: "{scratch}", with: scratch)) }
        secrets.refer(&node, trial.entry.fields)
        return node
    }

    /// What every case would stumble over; nil when the options fit.
    private var mistake: String? {
        let node = options("/tmp")
        for field in trial.entry.fields where field.kind == .secret {
            guard let value = node[field.name], (try? Secret(node: value)) == nil else { continue }
            return
                "`\(field.name)` is a secret and stands in the options themselves. Write ${env:NAME} in `test`, which gives a canary here, or "
                + "say `--secret \(field.name)=VALUE`."
        }
        let errors = trial.entry.lint(node)
        return errors.isEmpty
            ? nil
            : errors.map { [$0.message, $0.hint].compactMap { $0 }.joined(separator: " ") }.joined(separator: " ")
    }

    private func context(_ scratch: String, _ secrets: any SecretResolver) -> ModuleContext {
        ModuleContext(name: "trial", logger: logger, state: scratch + "/.state", lookup: Lookup(secrets: secrets))
    }

    private func copies(of sha256: String, in scratch: String) async throws -> Int {
        if let told = try await trial.copies(
            of: sha256, options(scratch), context(scratch, secrets.over(CanarySecrets())))
        {
            return told
        }
        let names = FileManager.default.enumerator(atPath: scratch)?.compactMap { $0 as? String } ?? []
        return try names.filter { name in
            let path = scratch + "/" + name
            guard let facts = try FileFacts.of(path), facts.kind != .directory else { return false }
            return try FileCopy.hash(path: path).digests.sha256 == sha256
        }.count
    }

    // MARK: Scratch

    private static func newScratch() throws -> String {
        let path = NSTemporaryDirectory() + "filmgate-trial-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    private static func withScratch(_ body: (String) async throws -> Void) async throws {
        let scratch = try newScratch()
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        try await body(scratch)
    }

    /// Something to take: shots of two files, a sidecar, a name in another script, an empty file.
    private static func furnish(_ scratch: String) throws {
        try FileManager.default.createDirectory(atPath: scratch + "/DCIM/100", withIntermediateDirectories: true)
        let names = [
            "IMG_1.CR3", "IMG_1.JPG", "IMG_1.XMP", "IMG_2.JPG", "two words.JPG", "Ж-日本.JPG", "quote\"s.JPG",
            "EMPTY.XMP",
        ]
        for (index, name) in names.enumerated() {
            let bytes = (0..<(name == "EMPTY.XMP" ? 0 : 70_000 + index)).map {
                UInt8(truncatingIfNeeded: $0 &* (index + 7))
            }
            try Data(bytes).write(to: URL(fileURLWithPath: scratch + "/DCIM/100/" + name))
        }
    }

    private func telling(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch { return "\(error)" }
    }
}
