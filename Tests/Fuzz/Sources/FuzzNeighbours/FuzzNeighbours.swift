import GPhoto2Wire
import PTPKit
import USBKit

@_silgen_name("LLVMFuzzerRunDriver") func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM calls a module's `main` by this name.
@_cdecl("FuzzNeighbours_main") public func entry(
    _ count: CInt, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count, values = values
    return drive(&count, &values) { start, size in
        check(Array(UnsafeRawBufferPointer(start: start, count: size)))
        return 0
    }
}

/// What comes from the neighbourhood before any camera is open: descriptors, announcements, libgphoto2's process,
/// recordings.
///
/// The first byte says what the rest is.
func check(_ bytes: [UInt8]) {
    guard let kind = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch kind % 6 {
    case 0:
        let interfaces = Descriptors.interfaces(rest, active: rest.first)
        precondition(
            interfaces.count <= 256 && interfaces.allSatisfy { $0.endpoints.count <= 32 }, "unbounded descriptors")
    case 1:
        for offer in MulticastDNS.offers(rest.span.bytes) { precondition(offer.port > 0, "an offer without a port") }
    case 2: _ = SSDP.read(rest.span.bytes)
    case 3:
        guard let kind = rest.first else { return }
        let frame = Frame(kind, Array(rest.dropFirst()))
        if let reply = try? GPhotoReply(frame) {
            precondition((try? GPhotoReply(reply.frame)) == reply, "a reply changes on its way")
        }
        if let request = try? GPhotoRequest(frame) {
            precondition((try? GPhotoRequest(request.frame)) == request, "a request changes")
        }
    case 4:
        guard let recording = try? Recording(text: String(decoding: rest, as: UTF8.self)) else { return }
        precondition((try? Recording(text: recording.text)) == recording, "a recording changes when it is written")
    default:
        let scrubbed = Scrubber(["SECRETXY"]).scrubbed(rest)
        precondition(scrubbed.count == rest.count, "scrubbing changes lengths")
        precondition(!String(decoding: scrubbed, as: UTF8.self).contains("SECRETXY"), "a secret is left")
    }
}
