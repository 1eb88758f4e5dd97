import FilmgateCore
import FilmgateTesting
import Glibc
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import HTTPTarget

/// YAML values, for writing options in tests.
enum Option: Sendable {
    case text(String), plain(String), list([Option]), map([String: Option])

    var node: ConfigNode {
        switch self {
        case .text(let text): ConfigNode(.scalar(text, quoted: true))
        case .plain(let text): ConfigNode(.scalar(text, quoted: false))
        case .list(let items): ConfigNode(.list(items.map(\.node)))
        case .map(let pairs):
            ConfigNode(
                .map(
                    pairs.sorted { $0.key < $1.key }.map {
                        ConfigNode.Pair(ConfigNode.Key($0.key, Mark()), $0.value.node)
                    }))
        }
    }
}

extension Option {
    func replacing(_ old: String, with new: String) -> Option {
        switch self {
        case .text(let text): .text(text.replacing(old, with: new))
        case .plain(let text): .plain(text.replacing(old, with: new))
        case .list(let items): .list(items.map { $0.replacing(old, with: new) })
        case .map(let pairs): .map(pairs.mapValues { $0.replacing(old, with: new) })
        }
    }
}

/// Raised once, from anywhere.
final class Flag: Sendable {
    private let raised = Atomic(false)
    var isRaised: Bool { raised.load(ordering: .acquiring) }
    func raise() { raised.store(true, ordering: .releasing) }
}

func decode(_ options: [String: Option]) -> (HTTPOptions, [ConfigError]) {
    var errors: [ConfigError] = []
    return (HTTPOptions.schema.decode(Option.map(options).node, errors: &errors), errors)
}

/// A clock that stands still until it is told that time has passed.
final class StopWatch: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock(\.self) }
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}

/// `state`: where it remembers what was begun; a new folder where none is given.
func make(
    _ options: [String: Option], auth: [String: any AuthProvider] = [:], event: String? = nil, state: String? = nil,
    absence: KnownAbsence? = nil
) throws -> HTTPTarget {
    let (config, errors) = decode(options)
    #expect(errors.isEmpty)
    let context = ModuleContext(
        name: "gallery", logger: Logger(label: "test"), state: state ?? Temporary.ownFolder, event: event,
        lookup: Lookup(auth: auth))
    guard let absence else { return try HTTPTarget(config, context) }
    return try HTTPTarget(config, context, transport: CurlTransport(TransportOptions()), absence: absence)
}

func code<Value>(_ body: () async throws(IngestError) -> Value) async -> IngestError.Code? {
    do throws(IngestError) {
        _ = try await body()
        return nil
    } catch {
        return error.code
    }
}

/// A file to be delivered, removed with the object.
final class JobFile {
    static let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    let file: String, bytes: [UInt8], path: String

    init(_ bytes: [UInt8], path: String = "IMG_1.JPG") throws {
        var generator = SystemRandomNumberGenerator()
        (self.bytes, self.path, file) = (bytes, path, "/tmp/filmgate-job-\(generator.next())")
        let stream = try #require(fopen(file, "wb"))
        defer { fclose(stream) }
        #expect(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
    }

    deinit { unlink(file) }

    var sha256: String { Hex.text(of: ByteDigest.sha256(bytes)) }

    var job: UploadJob {
        let size = UInt64(bytes.count)
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "DCIM/IMG_1.JPG", size: size, modified: 0)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "k", stem: "IMG_1"))
        return UploadJob(
            asset: asset, file: LocalFile(path: file, size: size, ownership: .source), digests: Digests(sha256: sha256),
            path: path,
            name: "IMG_1.JPG", values: TemplateValues(text: ["name": "IMG_1.JPG", "stem": "IMG_1", "ext": "JPG"]))
    }
}
