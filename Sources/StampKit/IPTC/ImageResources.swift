import CryptographyKit

/// The image resources that APP13 holds, each under `8BIM` and a number; all but IPTC pass through untouched.
struct ImageResources {
    struct Resource { var head: [UInt8], number: UInt16, name: [UInt8], data: [UInt8] }

    private var all: [Resource] = []

    static let iptc: UInt16 = 0x0404, iptcDigest: UInt16 = 0x0425

    init() {}

    init(_ bytes: [UInt8]) throws(StampFault) {
        var at = 0
        while at + 12 <= bytes.count {
            let name = Int(bytes[at + 6]), nameEnd = at + 7 + name + (name & 1 == 0 ? 1 : 0)
            guard bytes[at..<(at + 4)].elementsEqual("8BIM".utf8), nameEnd + 4 <= bytes.count else {
                throw StampFault("its APP13 holds what is no image resource")
            }
            let size = bytes[nameEnd..<(nameEnd + 4)].reduce(0) { $0 << 8 | Int($1) }, start = nameEnd + 4
            guard size <= bytes.count - start else { throw StampFault("its APP13 breaks off") }
            all.append(
                Resource(
                    head: Array(bytes[at..<(at + 4)]), number: UInt16(bytes[at + 4]) << 8 | UInt16(bytes[at + 5]),
                    name: Array(bytes[(at + 6)..<nameEnd]), data: Array(bytes[start..<(start + size)])))
            at = start + size + (size & 1)
        }
        guard at >= bytes.count || bytes[at...].allSatisfy({ $0 == 0 }) else {
            throw StampFault("its APP13 breaks off")
        }
    }

    var bytes: [UInt8] {
        var result: [UInt8] = []
        for resource in all {
            let size = resource.data.count
            result += resource.head + [UInt8(resource.number >> 8), UInt8(resource.number & 0xFF)] + resource.name
            result += (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + resource.data
            if size & 1 == 1 { result.append(0) }
        }
        return result
    }

    subscript(number: UInt16) -> [UInt8]? { all.first { $0.number == number }?.data }

    private mutating func set(_ number: UInt16, _ data: [UInt8]) {
        if let index = all.firstIndex(where: { $0.number == number }) {
            all[index].data = data
        } else {
            all.append(Resource(head: Array("8BIM".utf8), number: number, name: [0, 0], data: data))
        }
    }

    /// Writes the stamp into the IPTC block, and the digest by which readers see that IPTC and XMP agree.
    mutating func apply(_ stamp: Stamp) throws(StampFault) {
        var block = if let old = self[Self.iptc] { try IIMBlock(old) } else { IIMBlock() }
        block.apply(stamp)
        let bytes = block.bytes
        set(Self.iptc, bytes)
        set(Self.iptcDigest, RunningHash.digest(of: bytes, .md5))
    }
}
