@testable import MediaKit

/// Reads bytes as a file of that name.
func reading(_ bytes: [UInt8], _ name: String? = nil, completeness: Bool = true) -> MediaReading {
    MediaReader.read(MemorySource(bytes), name: name, completeness: completeness) ?? MediaReading()
}
