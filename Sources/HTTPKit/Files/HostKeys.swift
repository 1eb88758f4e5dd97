import FilmgateCore
import Glibc

/// What to tell where a host's key is not the one that is expected: libcurl has the same words for a new host and for
/// an impostor.
enum HostKeys {
    static func error(_ server: FileServer) -> IngestError {
        let file = server.knownHosts ?? "known_hosts", scan = "ssh-keyscan -p \(server.port) \(server.host)"
        let name = server.port == 22 ? server.host : "[\(server.host)]:\(server.port)"
        guard access(file, R_OK) == 0 else {
            return IngestError(
                .untrusted,
                "\(server.origin) cannot prove who it is: the file of known hosts, \(file), cannot be read. Nothing was sent.",
                advice: "Compare the host's key with its owner's, then make the file: \(scan) >> \(file)")
        }
        guard names(name, in: file) else {
            return IngestError(
                .untrusted, "\(server.origin) cannot prove who it is: its key is not in \(file). Nothing was sent.",
                advice: "Compare the host's key with its owner's, then add it: \(scan) >> \(file)")
        }
        return IngestError(
            .untrusted,
            "The key of \(server.origin) is another one than in \(file): the connection may be intercepted. Nothing was sent.",
            advice:
                "Only when its owner says that the key was changed: ssh-keygen -R '\(name)' -f \(file), then add the new one: "
                + "\(scan) >> \(file)")
    }

    /// Whether a line is about the host by name; one whose names are hashed is not understood here.
    private static func names(_ host: String, in file: String) -> Bool {
        guard let stream = fopen(file, "re") else { return false }
        defer { fclose(stream) }
        var line: UnsafeMutablePointer<CChar>?, room = 0
        defer { free(line) }
        while getline(&line, &room, stream) > 0, let text = line.map({ String(cString: $0) }) {
            let words = text.split(separator: " ")
            guard let first = words.first, !first.hasPrefix("#"), !first.hasPrefix("@") else { continue }
            if first.split(separator: ",").contains(where: { $0 == host }) { return true }
        }
        return false
    }
}
