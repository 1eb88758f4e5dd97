import ArgumentParser
import FileKit
import FilmgateCore
import Glibc
import Logging

/// Options that every verb has.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Write JSON Lines to stdout instead of text.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Keep ledger, staging and tokens in this directory. (default: $XDG_STATE_HOME/filmgate, else ~/.local/state/filmgate)",
            valueName: "dir"))
    var state: String?

    @Flag(name: .shortAndLong, help: "Say more on stderr; twice for everything.")
    var verbose: Int

    func validate() throws {
        if state?.isEmpty == true { throw ValidationError("--state needs a directory.") }
        if let state { try UserPath.refuseOthersHome(state, "--state") }
    }

    /// The state directory, absolute: `--state`, else `$XDG_STATE_HOME/filmgate`, else `~/.local/state/filmgate`.
    ///
    /// `paths`: where the folder that was named starts.
    func stateDirectory(from paths: UserPath) -> String { state.map(paths.absolute) ?? Self.usualState }

    /// The state directory of who names none.
    static var usualState: String {
        if let base = UserPath.environment("XDG_STATE_HOME"), base.hasPrefix("/") { return base + "/filmgate" }
        return UserPath.home + "/.local/state/filmgate"
    }

    /// What is logged goes to `console`.
    func logger(_ console: Console) -> Logger {
        var logger = Logger(label: "filmgate") { StderrLog(label: $0, console) }
        logger.logLevel = verbose >= 2 ? .trace : verbose == 1 ? .info : .warning
        return logger
    }
}

/// Paths as a shell user means them, who is in some folder.
struct UserPath: Sendable {
    /// Nil: the one that this process works in.
    private let folder: String?
    /// From the folder that this process works in.
    static let own = UserPath()

    init(from folder: String? = nil) { self.folder = folder }

    static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cPath: value)
        return text.isEmpty ? nil : text
    }

    /// The folder that relative paths start from.
    var working: String {
        if let folder { return folder }
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cPath: path)
    }

    static var home: String { environment("HOME") ?? "/" }

    /// Absolute, `~` expanded; `.` and `..` are left to the kernel.
    func absolute(_ path: String) -> String {
        if path == "~" { return Self.home }
        if path.hasPrefix("~/") { return Self.home + path.dropFirst() }
        if path.hasPrefix("/") { return path }
        return working + "/" + path
    }

    /// The same for a file that is read here and told of: as it was given, where that means the same in this process.
    func opened(_ path: String) -> String { folder == nil ? path : absolute(path) }

    /// A file as the ledger knows it: canonical, and the address of a camera or server as it is (`ptpip://…`).
    func recorded(_ name: String) -> String { isAddress(name) ? name : FileSystem.canonical(absolute(name)) }

    /// It is not a file here that is called so.
    func isAddress(_ name: String) -> Bool { name.contains("://") && access(absolute(name), F_OK) != 0 }

    /// `~name/x` in quotes reaches us as it is: a folder of that name here is hardly what was meant.
    static func refuseOthersHome(_ path: String, _ option: String) throws {
        guard path.hasPrefix("~"), path != "~", !path.hasPrefix("~/") else { return }
        throw ValidationError(
            "\(option) \(Describe.name(path)): only `~` and `~/` stand for a home here. Write the whole path; a folder that is called so is "
                + "./\(Describe.name(path)).")
    }

    /// A path as a pattern that matches nothing else.
    static func literal(_ path: String) -> String {
        guard path.contains(where: { "*?[".contains($0) }) else { return path }
        return path.reduce(into: "") { $0 += "*?[".contains($1) ? "[\($1)]" : String($1) }
    }
}
