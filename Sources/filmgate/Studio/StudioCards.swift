import CardSource
import FileKit
import FilmgateCore
import FilmgateStudio
import Glibc
import Logging

/// The cards that are mounted now, as `import` and `doctor` find them.
struct StudioCards: Sendable {
    let logger: Logger

    func mounted() async throws(IngestError) -> [MountedCard] {
        let card = try CardSource(CardSource.Config(), ModuleContext(name: "card", logger: logger, state: ""))
        return try await card.places().map { place in
            let isReadable = withCPath(place.address) { access($0, R_OK | X_OK) } == 0
            return MountedCard(path: place.address, label: place.label, visit: place.visit, isReadable: isReadable)
        }
    }

    /// The file of this program.
    static var program: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        return count > 0
            ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : CommandLine.arguments[0]
    }
}
