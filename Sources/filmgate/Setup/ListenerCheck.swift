import FTPSource
import FileKit
import FilmgateConfig
import FilmgateCore
import FilmgateEngine
import Glibc

/// What `check` warns of where a source lets other machines in.
enum ListenerCheck {
    /// `paths`: where relative ones of the pipeline start.
    static func warnings(_ pipeline: PipelineFile, from paths: UserPath) -> [Diagnostic] {
        pipeline.sources.filter { $0.module == "ftp" }.flatMap { source in
            clear(source.node) + missing(source.node, paths) + weak(source.node) + program(source.node, paths)
        }
    }

    /// Passwords that guessing finds, where this machine has them at hand: nothing is asked for, and what is missing
    /// here is no mistake.
    private static func weak(_ node: ConfigNode) -> [Diagnostic] {
        guard case .list(let logins)? = node["logins"]?.value else { return [] }
        return logins.compactMap { login in
            guard let place = login["password"], let secret = try? Secret(node: place), isAtHand(secret),
                case .success(let password) = Result(catching: { () throws(IngestError) in
                    try SystemSecrets().resolve(secret)
                }),
                let weakness = PushPassword.weakness(of: password)
            else { return nil }
            return .warning(
                place.mark, "weak-password",
                "The password of `\(login["user"]?.text ?? "")` \(weakness): it can be guessed.",
                hint: PushPassword.advice)
        }
    }

    private static func isAtHand(_ secret: Secret) -> Bool {
        switch secret.reference {
        case .environment, .file, .credential: true
        case .none, .store, .command: false
        }
    }

    /// Passwords and pictures that anyone in the same network can read.
    private static func clear(_ node: ConfigNode) -> [Diagnostic] {
        let listen = node["listen"]?.text ?? "", tls = node["tls"]?.text ?? "none"
        guard !listen.isEmpty, !isLoopback(listen), ["none", "explicit"].contains(tls) else { return [] }
        let what = tls == "none" ? "FTP without TLS" : "FTP where TLS is left to the client"
        return [
            .warning(
                node["listen"]?.mark ?? node.mark, "clear-text",
                "\(what) at \(listen): passwords can be read by anyone in the same network.",
                hint: "Write `tls: required` with a certificate and a key, where the cameras can do it.")
        ]
    }

    private static func isLoopback(_ listen: String) -> Bool {
        let host = listen.split(separator: ":", omittingEmptySubsequences: false).dropLast().joined(separator: ":")
        return host.hasPrefix("127.") || host == "localhost" || host == "[::1]"
    }

    private static func missing(_ node: ConfigNode, _ paths: UserPath) -> [Diagnostic] {
        ["certificate", "key"].compactMap { name in
            guard let value = node[name], let path = value.text, !path.isEmpty else { return nil }
            let facts = Result { () throws(IngestError) in try FileFacts.of(paths.absolute(path)) }
            guard case .success(nil) = facts else { return nil }
            return .warning(value.mark, "missing-file", "There is no `\(path)`; the source cannot start without it.")
        }
    }

    /// The program that is asked who may push, where it cannot be started here.
    private static func program(_ node: ConfigNode, _ paths: UserPath) -> [Diagnostic] {
        guard let place = node["logins"]?["exec"] else { return [] }
        var path = place.text ?? ""
        if case .list(let words) = place.value { path = words.first?.text ?? "" }
        guard !path.isEmpty else { return [] }
        let facts = Result { () throws(IngestError) in try FileFacts.of(FileSystem.canonical(paths.absolute(path))) }
        let fault: String? =
            switch facts {
            case .success(nil): "There is no `\(path)`"
            case .success(let facts?) where facts.kind != .regular: "`\(path)` is no program"
            case .success where access(paths.absolute(path), X_OK) != 0: "`\(path)` may not be started by this user"
            case .success, .failure: nil
            }
        guard let fault else { return [] }
        return [
            .warning(
                place.mark, "missing-file", "\(fault); nobody could push.",
                hint: "Name a program that can be started here, such as after `chmod +x`.")
        ]
    }
}

extension ConfigNode {
    /// A plain value's text.
    fileprivate var text: String? {
        if case .scalar(let text, _) = value { return text }
        return nil
    }
}
