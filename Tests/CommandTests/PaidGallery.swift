import FilmgateTesting
import Foundation
import Synchronization

/// A service that is paid by credits, as far as the program meets it: how it is, what is left, addresses to send to,
/// and what became of it.
///
/// It costs a credit when the bytes have come; without one the picture is put off until `retry` or `retry-all`. It is
/// not the real service.
final class PaidGallery: Sendable {
    struct State {
        /// Nothing is worked on before so many pictures have come.
        var processesFrom = 0
        var isWell = true, credits = 100, states: [String: String] = [:], asked: [String] = []
    }
    let state = Mutex(State())

    var asked: [String] { state.withLock(\.asked) }
    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    static func start() throws -> (gallery: PaidGallery, server: FaultServer) {
        let gallery = PaidGallery()
        return (gallery, try FaultServer { seen, _ in .compute { gallery.answer($0) } })
    }

    private func answer(_ seen: FaultServer.Seen) -> FaultAct {
        let path = String(seen.target.prefix { $0 != "?" }), parts = path.split(separator: "/").map(String.init)
        return state.withLock { state in
            state.asked.append("\(seen.method) \(path)")
            if path == "/health" { return Self.json(#"{"status":"\#(state.isWell ? "ok" : "degraded")"}"#) }
            if parts.first == "bucket" {
                guard seen[header: "If-None-Match"] == "*", seen[header: "Authorization"] == nil else {
                    return .answer(403)
                }
                state.states[parts[1]] = "processing"
                return .answer(200)
            }
            guard state.isWell else { return Self.json(#"{"error":{"code":"INTERNAL_ERROR","message":"?"}}"#, 500) }
            guard seen[header: "Authorization"] == "Bearer \(Gallery.token)" else {
                return Self.json(#"{"error":{}}"#, 401)
            }
            switch path {
            case "/dashboard":
                return Self.json(#"{"data":{"credits":{"balance":\#(state.credits),"nearestExpiry":null}}}"#)
            case "/uploads/presign": return ticket("u\(state.states.count + 1)", 201, seen, &state)
            case "/uploads/status": return report(seen, &state)
            case _ where parts.last == "presign": return ticket(parts[1], 200, seen, &state)
            case _ where parts.last == "retry-all" || parts.last == "retry":
                guard state.credits > 0 else { return Self.json(#"{"error":{"code":"PAYMENT_REQUIRED"}}"#, 402) }
                let found = state.states.filter {
                    $0.value == "failed" && (parts.last == "retry-all" || parts[3] == $0.key)
                }.keys
                for id in found { state.states[id] = "processing" }
                return Self.json(
                    #"{"data":{"found":\#(found.count),"requeued":\#(found.count),"cleaned":0,"failed":0}}"#)
            default: return Self.json(#"{"data":{}}"#)
            }
        }
    }

    private func ticket(_ id: String, _ status: Int, _ seen: FaultServer.Seen, _ state: inout State) -> FaultAct {
        guard state.credits > 0 else { return Self.json(#"{"error":{"code":"PAYMENT_REQUIRED"}}"#, 402) }
        state.states[id] = "pending"
        let url = "http://\(seen[header: "Host"] ?? "")/bucket/\(id)"
        let headers = #"{"Content-Type":"image/jpeg","If-None-Match":"*"}"#
        return Self.json(#"{"data":{"uploadId":"\#(id)","putUrl":"\#(url)","requiredHeaders":\#(headers)}}"#, status)
    }

    private func report(_ seen: FaultServer.Seen, _ state: inout State) -> FaultAct {
        let items = (seen.target.split(separator: "=").last ?? "").split(separator: ",").map(String.init).compactMap {
            id -> String? in
            guard let before = state.states[id] else { return nil }
            if before == "processing", state.states.values.count(where: { $0 != "pending" }) >= state.processesFrom {
                state.states[id] = state.credits > 0 ? "completed" : "failed"
                state.credits = max(0, state.credits - 1)
            }
            let now = state.states[id] ?? ""
            return
                #"{"uploadId":"\#(id)","status":"\#(now)","errorCode":\#(now == "failed" ? #""insufficient_credits""# : "null")}"#
        }
        return Self.json("{\"data\":[\(items.joined(separator: ","))]}")
    }

    private static func json(_ body: String, _ status: Int = 200) -> FaultAct {
        .answer(status, headers: [("Content-Type", "application/json")], body: body)
    }
}
