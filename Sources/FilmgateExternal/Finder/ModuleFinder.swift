public import FilmgateCore
import Glibc
import Synchronization

/// Finds modules that are programs: `filmgate-module-NAME` on the search path, in the installation's folders, or named
/// in a pipeline file.
///
/// Each is started once for its hello, when it is asked for; the answer is kept.
public final class ModuleFinder: OutsideModules {
    private struct State {
        var programs: [String: ModuleProgram] = [:]
        var answers: [String: Result<ModuleEntry, IngestError>] = [:]
    }
    private let folders: [String]
    private let state = Mutex(State())

    /// Looks in `folders`, in that order; those that are not absolute are left out.
    public init(folders: [String] = ModuleFinder.usual) { self.folders = folders.filter { $0.hasPrefix("/") } }

    /// `PATH`, then the user's and the system's folders for modules.
    public static var usual: [String] {
        let path = (ChildEnvironment.value("PATH") ?? "").split(separator: ":").map(String.init)
        let own = ChildEnvironment.value("HOME").map { [$0 + "/.local/lib/filmgate/modules"] } ?? []
        return path + own + ["/usr/local/lib/filmgate/modules", "/usr/lib/filmgate/modules"]
    }

    public func module(named name: String) -> Result<ModuleEntry, IngestError>? {
        guard ModuleProgram.isName(name) else { return nil }
        if let known = state.withLock({ $0.answers[name] }) { return known }
        guard let path = state.withLock({ $0.programs[name]?.path }) ?? path(of: name) else { return nil }
        let answer = Result { () throws(IngestError) in try ExternalModule.entry(try ModuleProgram(path)) }
        state.withLock { $0.answers[name] = answer }
        return answer
    }

    public func add(program path: String) throws(IngestError) {
        let program = try ModuleProgram(path)
        try state.withLock { (state) throws(IngestError) in
            if let other = state.programs[program.name], other != program {
                throw IngestError(
                    .misconfigured, "Two programs are called `\(program.name)`: \(other.path) and \(path).")
            }
            if state.programs[program.name] == nil { state.answers[program.name] = nil }
            state.programs[program.name] = program
        }
    }

    /// Every module there is, by name; starts each of them once.
    public func all() -> [(name: String, module: Result<ModuleEntry, IngestError>)] {
        var names = Set(state.withLock { Array($0.programs.keys) })
        for folder in folders { names.formUnion(Self.names(in: folder)) }
        return names.sorted().compactMap { name in module(named: name).map { (name, $0) } }
    }

    /// The first in the folders that can be run, as a shell would find it.
    private func path(of name: String) -> String? {
        folders.lazy.map { "\($0)/\(ModuleProgram.prefix)\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let file = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let name = String(file.dropFirst(ModuleProgram.prefix.count))
            if file.hasPrefix(ModuleProgram.prefix), ModuleProgram.isName(name), access("\(folder)/\(file)", X_OK) == 0
            {
                names.append(name)
            }
        }
        return names
    }
}
