/// Reads the descriptors of a device (USB 2.0 §9.6), as the kernel shows them: the device's, then those of every
/// configuration.
///
/// They come from the device and are believed no further than their own length.
public enum Descriptors {
    private static let configuration: UInt8 = 2, interface: UInt8 = 4, endpoint: UInt8 = 5
    /// More than any real device has.
    private static let limit = 256

    /// The interfaces of configuration `active`, or of the first one when it is nil.
    ///
    /// What cannot be read is left out.
    public static func interfaces(_ bytes: [UInt8], active: UInt8?) -> [USBInterface] {
        var found: [USBInterface] = [], offset = 0, current: UInt8?, isWanted = false
        while offset + 2 <= bytes.count, found.count < limit {
            let length = Int(bytes[offset]), kind = bytes[offset + 1]
            guard length >= 2, offset + length <= bytes.count else { break }
            let body = bytes[offset..<offset + length]
            offset += length
            switch kind {
            case configuration where length >= 9:
                let value = body[body.startIndex + 5]
                isWanted = active.map { $0 == value } ?? (current == nil)
                current = value
            case interface where length >= 9 && isWanted: found.append(interface(body))
            case endpoint where length >= 7 && isWanted && !found.isEmpty:
                if found[found.count - 1].endpoints.count < 32 {
                    found[found.count - 1].endpoints += [endpoint(body)].compactMap(\.self)
                }
            default: continue
            }
        }
        return found
    }

    private static func interface(_ body: ArraySlice<UInt8>) -> USBInterface {
        let at = body.startIndex
        return USBInterface(
            number: body[at + 2], alternate: body[at + 3], kind: USBClass(body[at + 5], body[at + 6], body[at + 7]))
    }

    /// Nil when it could never carry a byte.
    private static func endpoint(_ body: ArraySlice<UInt8>) -> USBEndpoint? {
        let at = body.startIndex
        let size = (Int(body[at + 4]) | Int(body[at + 5]) << 8) & 0x7FF
        guard size > 0, let kind = USBEndpoint.Kind(rawValue: body[at + 3] & 3) else { return nil }
        return USBEndpoint(address: body[at + 2], kind: kind, packetSize: size)
    }
}
