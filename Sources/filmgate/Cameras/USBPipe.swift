import FilmgateCore
import PTPKit
import USBKit

/// An open USB device as the pipes that PTP is spoken over.
final class USBPipe: BulkPipe {
    var address: String { "usb://" + connection.device.address }
    var packetSize: Int { connection.bulkIn?.packetSize ?? 512 }
    var stop: @Sendable () -> Void { connection.stop }
    private let connection: USBConnection

    init(_ connection: sending USBConnection) { self.connection = connection }

    func write(_ bytes: [UInt8], timeout: Duration) throws(PipeError) {
        do throws(USBError) { try connection.write(bytes, limit: timeout) } catch { throw PipeError(error) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, timeout: Duration) throws(PipeError) -> Int {
        do throws(USBError) { return try connection.read(into: buffer, limit: timeout) } catch {
            throw PipeError(error)
        }
    }

    func readEvent(timeout: Duration) throws(PipeError) -> [UInt8]? {
        do throws(USBError) { return try connection.readEvent(limit: timeout) } catch { throw PipeError(error) }
    }

    func clearHalt(_ direction: BulkDirection) throws(PipeError) {
        guard let endpoint = direction == .receive ? connection.bulkIn : connection.bulkOut else { return }
        do throws(USBError) { try connection.clearHalt(endpoint) } catch { throw PipeError(error) }
    }

    func control(_ request: BulkControl, sending data: [UInt8], expecting: Int, timeout: Duration) throws(PipeError)
        -> [UInt8]
    {
        do throws(USBError) {
            return try connection.classRequest(request.rawValue, sending: data, expecting: expecting, limit: timeout)
        } catch { throw PipeError(error) }
    }

    func close() { connection.close() }
}

extension PipeError {
    init(_ error: USBError) {
        switch error {
        case .stalled: self = .stalled
        case .timedOut: self = .timedOut
        case .gone: self = .gone
        case .overflow: self = .overflow
        case .busy(let holders): self = .busy(holders.map(\.description).joined(separator: ", "))
        case .denied(let why): self = .denied(why)
        case .failed(let what): self = .other(what)
        }
    }
}
