/// Simple service discovery (UPnP Device Architecture 1.1 §1.3), as far as cameras use it to be found.
public enum SSDP {
    /// The question to whoever is here, to be answered within so many seconds.
    public static func search(within seconds: Int) -> [UInt8] {
        let lines = [
            "M-SEARCH * HTTP/1.1", "HOST: 239.255.255.250:1900", "MAN: \"ssdp:discover\"",
            "MX: \(max(1, min(seconds, 5)))", "ST: ssdp:all", "USER-AGENT: Linux UPnP/1.1 Filmgate/1", "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// A device's words about itself.
    public struct Answer: Sendable, Hashable {
        public var service = "", location = "", name = "", server = ""
    }

    /// Nil for what is no answer to a search and no announcement.
    public static func read(_ bytes: RawSpan) -> Answer? {
        let text = bytes.withUnsafeBytes { String(decoding: $0.prefix(4096), as: UTF8.self) }
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" || $0 == "\r" }.prefix(64)
        guard let first = lines.popFirst(), first.hasPrefix("HTTP/1.1 200") || first.hasPrefix("NOTIFY ") else {
            return nil
        }
        var answer = Answer(), isLeaving = false
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            switch line[..<colon].lowercased() {
            case "st", "nt": answer.service = value
            case "location": answer.location = value
            case "usn": answer.name = value
            case "server": answer.server = value
            case "nts": isLeaving = value == "ssdp:byebye"
            default: continue
            }
        }
        return isLeaving || (answer.service.isEmpty && answer.location.isEmpty) ? nil : answer
    }
}
