import FilmgateCore
import Glibc
import Synchronization

/// Looks up names of hosts on threads of their own: nobody can break off the system's resolver, which waits for name
/// servers that are away for as long as it likes.
///
/// One that nobody waits for any more goes on until the resolver gives up, with one thread for each name: whoever asks
/// for that name meanwhile waits for the same answer.
final class NameLookups: Sendable {
    enum Answer: Sendable, Hashable { case addresses([String]), failure(String) }

    private final class Lookup: Sendable {
        /// The writing end is closed once there is an answer.
        let reading: Descriptor, writing: Descriptor
        let answer = Mutex<Answer?>(nil)

        init(_ ends: PipeEnds) { (reading, writing) = (ends.reading, ends.writing) }
    }

    static let shared = NameLookups(NameLookups.system)
    private static let mostNames = 64, mostAddresses = 8

    private let running = Mutex<[String: Lookup]>([:])
    private let resolve: @Sendable (String) -> Answer

    init(_ resolve: @escaping @Sendable (String) -> Answer) { self.resolve = resolve }

    /// The addresses of a host, in the order in which they are to be tried; none for one that has no name to look up.
    ///
    /// Blocks until `wait` ends.
    func addresses(of host: PQAddress.Host, _ wait: PQWait) throws(PQFailure) -> [String] {
        if host.isSocket || Self.isAddress(host.name) { return [] }
        guard let lookup = begun(host.name) else {
            throw PQFailure(IngestError(.unavailable, "\(host.shown): too many names are being looked up."))
        }
        do throws(PQFailure) { try wait(lookup.reading.number, POLLIN, host.shown) } catch {
            guard error.error.code == .unavailable else { throw error }
            // An answer that came at the last moment counts.
            guard lookup.answer.withLock({ $0 != nil }) else {
                throw PQFailure(
                    IngestError(
                        .unavailable, "\(host.shown): the look-up of this name timed out.",
                        advice: "No name server answers: see to the network's names, or write an address in `url`."))
            }
        }
        switch lookup.answer.withLock(\.self) {
        case .addresses(let found)?: return found
        case .failure(let words)?:
            throw PQFailure(
                connecting: "could not translate host name \"\(host.name)\" to address: \(words)", at: host.shown)
        case nil: throw PQFailure(IngestError(.unexpected, "\(host.shown): the look-up ended without an answer."))
        }
    }

    /// The one that is under way, or a new one; nil where no more can begin.
    private func begun(_ name: String) -> Lookup? {
        running.withLock { running in
            if let earlier = running[name] { return earlier }
            guard running.count < Self.mostNames, let ends = PipeEnds() else { return nil }
            let lookup = Lookup(ends)
            running[name] = lookup
            BlockingThread.run {
                let answer = self.resolve(name)
                lookup.answer.withLock { $0 = answer }
                self.running.withLock { $0[name] = nil }
                lookup.writing.close()
            }
            return lookup
        }
    }

    // MARK: The system's resolver

    /// Written as numbers: nothing is to be looked up.
    static func isAddress(_ host: String) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return false }
        freeaddrinfo(list)
        return true
    }

    static func system(_ host: String) -> Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, nil, &hints, &list)
        guard failure == 0 else { return .failure(String(cString: gai_strerror(failure))) }
        defer { freeaddrinfo(list) }
        var found: [String] = [], next = list
        while let info = next?.pointee, found.count < mostAddresses {
            if let text = text(info), !found.contains(text) { found.append(text) }
            next = info.ai_next
        }
        return found.isEmpty ? .failure("it has no address") : .addresses(found)
    }

    private static func text(_ info: addrinfo) -> String? {
        var bytes = [CChar](repeating: 0, count: 1025)
        let length = socklen_t(bytes.count)
        guard getnameinfo(info.ai_addr, info.ai_addrlen, &bytes, length, nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
