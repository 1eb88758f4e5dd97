public import FilmgateCore
import Synchronization

/// HTTP over libcurl: a few lanes, each with a handle, a thread queue and connections of its own.
///
/// The lane used last is used first again, so that its connection is warm. Lanes are made when first needed.
public final class CurlTransport: HTTPTransport {
    private let options: TransportOptions
    private let pace: SendPace?
    private let seats: ByteBudget
    private let idle = Mutex<[CurlLane]>([])

    public init(_ options: TransportOptions = TransportOptions()) {
        self.options = options
        pace = options.bytesPerSecond.map { SendPace(bytesPerSecond: $0, clock: options.clock) }
        seats = ByteBudget(limit: UInt64(min(64, max(1, options.lanes))))
    }

    public func send(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse {
        try await seats.take(1)
        defer { seats.give(1) }
        let lane = try freeLane()
        defer { idle.withLock { $0.append(lane) } }
        let stop = StopFlag()
        let result = await withTaskCancellationHandler {
            await Result { () async throws(IngestError) in try await lane.perform(exchange, stop: stop) }
        } onCancel: {
            stop.raise()
        }
        return try result.get()
    }

    private func freeLane() throws(IngestError) -> CurlLane {
        if let warm = idle.withLock({ $0.popLast() }) { return warm }
        return try CurlLane(options, pace: pace)
    }
}
