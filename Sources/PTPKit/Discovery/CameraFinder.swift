import FilmgateCore
import Synchronization

/// Finds cameras on the network, once for all modules that look for theirs.
///
/// What it finds are addresses; that a camera is there shows when it answers as one.
public final class CameraFinder: Sendable {
    /// Where to look; other places in tests.
    public struct SearchScope: Sendable {
        public var networks: @Sendable () -> [LocalNetwork] = { LocalNetwork.all() }
        public var ssdp: DatagramEndpoint? = .ssdp, mdns: DatagramEndpoint? = .mdns
        /// How long announcements are waited for.
        public var patience: Duration = .seconds(2)
        /// How long what was found out counts.
        public var fresh: Duration = .seconds(10)
        public init() {}
    }
    private struct State {
        var search: (task: Task<[CameraHost], Never>, since: ContinuousClock.Instant)?
        var counters = SearchCounters()
        var failures: [String: (error: PTPError, since: ContinuousClock.Instant)] = [:]
    }
    private let scope: SearchScope
    private let directory: String?, keeps: Bool
    private let state = Mutex(State())
    private let pool = BlockingPool(width: 2)

    /// Found cameras are remembered in the state directory; without one, or if nothing is to be kept, they are not.
    public init(state directory: String?, scope: SearchScope = SearchScope(), keeps: Bool = true) {
        (self.directory, self.scope, self.keeps) = (directory, scope, keeps)
    }

    /// What became of the addresses that were asked since the last search began.
    public var counters: SearchCounters { state.withLock(\.counters) }

    /// Addresses worth asking, the likeliest first; the same for all who ask within a few seconds.
    public func candidates() async -> [CameraHost] {
        let task = state.withLock { state in
            if let search = state.search, .now - search.since < scope.fresh { return search.task }
            let task = Task { await self.search() }
            state.search = (task, .now)
            state.counters = SearchCounters()
            return task
        }
        return await task.value
    }

    /// Where cameras were found before in the networks that this computer is in now.
    ///
    /// Asks nobody.
    public func remembered() -> [CameraHost] {
        let networks = scope.networks()
        return directory.map { KnownCameras(state: $0).hosts(in: networks) } ?? []
    }

    private func search() async -> [CameraHost] {
        let networks = scope.networks()
        async let quick = announced(networks, scope.ssdp) {
            SSDP.search(within: 2)
        } read: { bytes, sender in
            SSDP.read(bytes) == nil ? [] : [CameraHost(sender.description)]
        }
        async let named = announced(networks, scope.mdns) {
            MulticastDNS.question()
        } read: { bytes, sender in
            MulticastDNS.offers(bytes).map {
                CameraHost(($0.address ?? sender).description, port: Self.unusual($0.port))
            }
        }
        // Who offers the very service is likelier than who is merely there.
        let announced = await named + quick
        let all = SearchCandidates(remembered: remembered(), announced: announced, networks: networks)
        state.withLock { ($0.counters.networks, $0.counters.announced) = (networks.count, Set(announced).count) }
        return all.hosts
    }

    private func announced(
        _ networks: [LocalNetwork], _ endpoint: DatagramEndpoint?, _ message: @Sendable () -> [UInt8],
        read: @escaping @Sendable (RawSpan, IPv4) -> [CameraHost]
    ) async -> [CameraHost] {
        guard let endpoint else { return [] }
        let (message, patience) = (message(), scope.patience)
        let found = try? await pool.run { () throws(IngestError) in
            var found: [CameraHost] = []
            Datagrams.ask(message, endpoint, from: networks, by: .after(patience)) { bytes, sender in
                for host in read(bytes, sender) where found.count < 64 && !found.contains(host) { found.append(host) }
            }
            return found
        }
        return found ?? []
    }

    private static func unusual(_ port: UInt16) -> UInt16? { port == PTPIPConnector.defaultPort ? nil : port }

    /// Why nobody answered at an address a moment ago; nil when it is worth asking (again).
    public func recentFailure(_ address: String) -> PTPError? {
        state.withLock { state in
            guard let failure = state.failures[address], .now - failure.since < scope.fresh else { return nil }
            return failure.error
        }
    }

    /// An address was asked in vain.
    public func failed(_ address: String, _ error: PTPError) {
        state.withLock { state in
            let isNew = state.failures[address].map { .now - $0.since >= scope.fresh } ?? true
            if state.failures.count > 1024 { state.failures = [:] }
            state.failures[address] = (error, .now)
            guard isNew else { return }
            state.counters.asked += 1
            state.counters.count(error)
        }
    }

    /// A camera that was searched for answered: counted, and remembered.
    public func found(_ host: CameraHost, _ label: String) {
        state.withLock { state in
            state.counters.asked += 1
            state.counters.found += 1
        }
        remember(host, label)
    }

    /// A camera was met, however its address was known: where it is, is remembered for the network that reaches it.
    ///
    /// The next search asks there first. Names of hosts are not kept: who knows one need not search.
    public func remember(_ host: CameraHost, _ label: String) {
        guard keeps, let directory, let address = IPv4(host.host) else { return }
        guard let network = scope.networks().first(where: { $0.reaches(address) }) else { return }
        var known = KnownCameras(state: directory)
        let entry = KnownCameras.Entry(network: network.key, host: host, label: label)
        guard known.entries.first != entry else { return }
        known.remember(entry)
        known.save(state: directory)
    }
}
