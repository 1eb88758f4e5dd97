import CryptographyKit
import FileKit
public import FilmgateCore
import Glibc
import Synchronization

/// Filmgate's own secret store: one file, 0600, in the state directory, optionally sealed with a passphrase.
///
/// Everything blocks: for the disk, and while locked for the gate. Safe to use from several tasks and several processes
/// at once: changes are made under a lock on what stands there then, and replace the file whole.
public final class Vault: Sendable {
    private struct Memory { var key: SecretKey?, salt: [UInt8] = [], idle = 0, used = ContinuousClock.now }
    /// What tells one version of the store's file from the next.
    public struct Stamp: Sendable, Hashable { var inode: UInt = 0, size = 0, seconds = 0, nanoseconds = 0 }

    public let directory: String
    let gate: PassphraseSource
    private let memory = Mutex(Memory())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// `directory`: the state directory; made, 0700, when something is first stored.
    public init(
        directory: String, gate: PassphraseSource = PassphraseSource(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.directory, self.gate, self.now) = (directory, gate, now)
    }

    public var path: String { directory + "/secrets.json" }

    /// What is stored under `name`; nil when nothing is.
    ///
    /// `unauthorized` when the store is locked (`isLocked`), damaged, or open to others.
    public func value(_ name: String) throws(IngestError) -> SecretValue? {
        let file = try VaultFile.read(path)
        guard let text = file.entries[name] else { return nil }
        guard let wrap = file.wrap else { return SecretValue(text) }
        guard let plain = VaultWrap.open(text, as: name, with: try key(wrap)) else {
            throw IngestError(
                .unauthorized, "The entry `\(name)` of the secret store is damaged.", cause: VaultDamaged())
        }
        return SecretValue(plain)
    }

    /// Stores `value` under `name`, durably; nil removes.
    ///
    /// Removing needs no passphrase.
    public func set(_ name: String, _ value: SecretValue?) throws(IngestError) {
        _ = try set(name, value) { _ in true }
    }

    /// The same, but only where `fits` what is stored at that very moment; false when it did not.
    public func set(_ name: String, _ value: SecretValue?, where fits: (SecretValue?) -> Bool) throws(IngestError)
        -> Bool
    {
        // Asking for a passphrase may take long: before the lock.
        let wrap = value == nil ? nil : try VaultFile.read(path).wrap
        let key = try wrap.map { wrap throws(IngestError) in try self.key(wrap) }
        return try change { file throws(IngestError) in
            guard let value else {
                file.entries[name] = nil
                return true
            }
            guard file.wrap?.salt == wrap?.salt else {
                throw IngestError(.unavailable, "The secret store's passphrase was changed meanwhile; try again.")
            }
            let stored = file.entries[name].flatMap { text in
                key.map { VaultWrap.open(text, as: name, with: $0) } ?? text
            }
            guard fits(stored.map { SecretValue($0) }) else { return false }
            file.entries[name] =
                try key.map { key throws(IngestError) in try VaultWrap.seal(value.reveal(), as: name, with: key) }
                ?? value.reveal()
            return true
        }
    }

    public func names() throws(IngestError) -> [String] { try VaultFile.read(path).entries.keys.sorted() }

    /// A passphrase protects it.
    public func isProtected() throws(IngestError) -> Bool { try VaultFile.read(path).wrap != nil }

    /// Seals everything with `passphrase` (nil: takes the seal off); the old one must be at hand where there is one.
    ///
    /// `hook`: a program that prints the passphrase once it is content with whoever sits there. `idle`: seconds without
    /// use after which the key is forgotten.
    public func protect(with passphrase: SecretValue?, hook: [String] = [], idle: Int = 900) throws(IngestError) {
        let old = try VaultFile.read(path).wrap, oldKey = try old.map { wrap throws(IngestError) in try key(wrap) }
        var wrap = passphrase.map { _ in VaultWrap() }, newKey: SecretKey?
        if let passphrase, var fresh = wrap {
            (fresh.hook, fresh.idle) = (hook, idle)
            let key = try fresh.key(passphrase)
            fresh.check = try VaultWrap.seal("filmgate", as: "check", with: key)
            (wrap, newKey) = (fresh, key)
        }
        try change { file throws(IngestError) in
            for (name, text) in file.entries {
                guard let plain = oldKey.map({ VaultWrap.open(text, as: name, with: $0) }) ?? text else {
                    throw IngestError(
                        .unauthorized, "The entry `\(name)` of the secret store is damaged.", cause: VaultDamaged())
                }
                file.entries[name] =
                    try newKey.map { key throws(IngestError) in try VaultWrap.seal(plain, as: name, with: key) }
                    ?? plain
            }
            file.wrap = wrap
            return true
        }
        remember(newKey, wrap)
    }

    /// The file as it is now; costs one system call.
    public var stamp: Stamp {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return Stamp() }
        return Stamp(
            inode: UInt(facts.st_ino), size: Int(facts.st_size), seconds: facts.st_mtim.tv_sec,
            nanoseconds: facts.st_mtim.tv_nsec)
    }

    /// False once a store that was unlocked has been left alone for too long: what was read from it should be forgotten
    /// too.
    ///
    /// Otherwise counts as a use.
    public func isAwake() -> Bool {
        let moment = now()
        return memory.withLock { memory in
            guard !memory.salt.isEmpty else { return true }
            if memory.idle > 0, moment - memory.used > .seconds(memory.idle) { memory.key = nil }
            guard memory.key != nil else { return false }
            memory.used = moment
            return true
        }
    }

    /// Forgets the key.
    public func lock() { memory.withLock { $0.key = nil } }

    /// Writes what `body` made of the file, unless it says false.
    @discardableResult
    private func change(_ body: (inout VaultFile) throws(IngestError) -> Bool) throws(IngestError) -> Bool {
        try DurableFile.makeDirectories(directory, mode: 0o700)
        let lock = try FileLock.wait(directory + "/secrets.lock")
        defer { lock.release() }
        var file = try VaultFile.read(path)
        guard try body(&file) else { return false }
        try file.write(path)
        return true
    }

    private func key(_ wrap: VaultWrap) throws(IngestError) -> SecretKey {
        let moment = now()
        let known: SecretKey? = memory.withLock { memory in
            if wrap.idle > 0, moment - memory.used > .seconds(wrap.idle) { memory.key = nil }
            guard memory.salt == wrap.salt, let key = memory.key else { return nil }
            memory.used = moment
            return key
        }
        if let known { return known }
        guard let passphrase = try gate.passphrase(hook: wrap.hook) else {
            throw .locked("no terminal can ask for the passphrase.")
        }
        let key = try wrap.key(passphrase)
        guard VaultWrap.open(wrap.check, as: "check", with: key) == "filmgate" else {
            throw .locked("the passphrase is wrong.")
        }
        remember(key, wrap)
        return key
    }

    private func remember(_ key: SecretKey?, _ wrap: VaultWrap?) {
        let moment = now()
        memory.withLock { $0 = Memory(key: key, salt: wrap?.salt ?? [], idle: wrap?.idle ?? 0, used: moment) }
    }
}

extension Vault: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: []) }
}
