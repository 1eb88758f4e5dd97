public import FilmgateCore
import Synchronization

/// HTTP over libcurl: a few workers, each with a handle, a thread queue and connections of its own.
///
/// The worker used last is used first again, so that its connection is warm. Lanes are made when first needed.
public final class CurlTransport: HTTPTransport {
    private let options: TransportOptions
    private let limiter: BandwidthLimiter?
    private let seats: ByteBudget
    private let idle = Mutex<[CurlWorker]>([])

    public init(_ options: TransportOptions = TransportOptions()) {
        self.options = options
        limiter = options.bytesPerSecond.map { BandwidthLimiter(bytesPerSecond: $0, clock: options.clock) }
        seats = ByteBudget(limit: UInt64(min(64, max(1, options.lanes))))
    }

    public func send(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse {
        try await seats.take(1)
        defer { seats.give(1) }
        let worker = try freeWorker()
        defer { idle.withLock { $0.append(worker) } }
        return try await StopFlag.raisedOnCancel { stop async throws(IngestError) in
            try await worker.perform(exchange, stop: stop)
        }
    }

    private func freeWorker() throws(IngestError) -> CurlWorker {
        if let warm = idle.withLock({ $0.popLast() }) { return warm }
        return try CurlWorker(options, limiter: limiter)
    }
}
