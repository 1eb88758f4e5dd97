import Synchronization

/// Where one sign-in may be used, as it becomes known while a plan is built: addresses that targets bind it to, and
/// those of its own options.
///
/// A secret that a person typed in was typed in for such places; whoever looks it up compares.
public final class CredentialPlaces: Sendable {
    /// Of the sign-in that is being built now.
    @TaskLocal public static var current: CredentialPlaces?

    /// The entry's name in the pipeline file.
    public let name: String
    private let found = Mutex<Set<String>>([])

    public init(_ name: String) { self.name = name }

    public func add(_ address: String) { found.withLock { _ = $0.insert(address) } }

    /// All that is known by now; complete once every target is built.
    public var addresses: [String] { found.withLock { $0.sorted() } }
}
