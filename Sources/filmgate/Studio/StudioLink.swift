import ArgumentParser
import FilmgateCore
import FilmgateStudio

/// What lets somebody in, as it is asked for and told.
enum StudioLink {
    /// The code stands behind `#`: browsers keep that to themselves.
    ///
    /// `start`: the page's address, as `https://192.168.1.20:8484`.
    static func address(_ start: String, _ code: String) -> String { "\(start)/#k=\(code)" }

    /// The command that makes a link into the page of the run that keeps `state`, as somebody types it.
    static func command(_ state: String) -> String {
        "filmgate studio link" + (state == CommonOptions.usualState ? "" : " --state \(ShellWord.quoted(state))")
    }

    /// A host and a port, as `option` takes them; the host of `[::1]:8484` without its brackets.
    static func place(_ text: String, _ option: String) throws -> ListenAddress {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ValidationError("\(option) takes an address and a port, such as 127.0.0.1:8484.")
        }
        // The name may lead elsewhere; what is meant never does.
        var host = text[..<colon] == "localhost" ? "127.0.0.1" : text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return ListenAddress(host: String(host), port: port)
    }

    static func role(_ word: String) throws -> Role {
        guard let role = Role(rawValue: word) else { throw ValidationError("--role is view, pick, operate or admin.") }
        return role
    }

    /// From a minute to ten years.
    static func seconds(_ text: String) throws -> Int64 {
        guard let duration = Duration(text: text), (60...315_360_000).contains(duration.components.seconds) else {
            throw ValidationError("--for takes a duration from a minute to ten years, such as 8h.")
        }
        return duration.components.seconds
    }

    /// `isServed`: whether the page is, where the link leads; nil where nobody can tell.
    static func tell(
        _ grant: Grant, secret: (kind: String, text: String), link: String?, isServed: Bool?, json: Bool,
        _ console: Console
    ) {
        guard json else { return console.out(link ?? secret.text) }
        var line = grant.object
        line.add(secret.kind, secret.text)
        line.add("link", link)
        if let isServed { line.add("served", isServed) }
        console.out(line.finished)
    }
}
