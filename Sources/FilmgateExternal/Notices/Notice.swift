import FilmgateCore
import Glibc
import HTTPKit

/// One thing that happened, as programs and servers are told of it.
struct Notice: Sendable {
    /// Other for each notice; the same each time one is sent again.
    let id: String
    let moment: HookMoment
    let body: [UInt8]

    init(_ moment: HookMoment, _ facts: JSONObject, id: String = Notice.newID()) {
        (self.moment, self.id) = (moment, id)
        var all = facts
        all["type"] = .string(moment.rawValue)
        all["id"] = .string(id)
        all["at"] = .text(CivilTime(unixSeconds: Self.now)?.description)
        body = Array((WireText.of(.object(all)) + "\n").utf8)
    }

    /// Seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }

    private static func newID() -> String {
        Hex.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    }
}

/// Hands notices to one program or server.
protocol HookSender: Sendable {
    /// Returns when it was taken; throws when it is given up. Ends soon when the task is cancelled.
    func deliver(_ notice: Notice) async throws(IngestError)
    /// For the log.
    var name: String { get }
}
