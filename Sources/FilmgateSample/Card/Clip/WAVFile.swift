import Glibc

/// A voice memo: mono, 16 bits, 8 kHz; two falling tones.
enum WAVFile {
    static func bytes(seconds: Int = 1, pitch: Float = 660) -> [UInt8] {
        let rate = 8000, count = seconds * rate
        var samples = ByteWriter(bigEndian: false)
        for n in 0..<count {
            let t = Float(n) / Float(rate)
            let tone = n < count / 2 ? pitch : pitch * 0.75
            samples.put(Int16(6000 * expf(-2 * t) * sinf(2 * Float.pi * tone * t)))
        }
        var out = ByteWriter(bigEndian: false)
        out.put(text: "RIFF")
        out.put(UInt32(36 + samples.count))
        out.put(text: "WAVEfmt ")
        out.put(UInt32(16))
        for value: UInt16 in [1, 1] { out.put(value) }
        for value in [UInt32(rate), UInt32(rate * 2)] { out.put(value) }
        for value: UInt16 in [2, 16] { out.put(value) }
        out.put(text: "data")
        out.put(UInt32(samples.count))
        out.put(samples.bytes)
        return out.bytes
    }
}
