import Glibc
import MediaKit

@_silgen_name("LLVMFuzzerRunDriver") func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM calls a module's `main` by this name.
@_cdecl("FuzzMedia_main") public func entry(
    _ count: CInt, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count, values = values
    plant(count, values)
    return drive(&count, &values) { start, size in
        let bytes = [UInt8](UnsafeBufferPointer(start: start, count: size))
        check(bytes)
        checkNote(bytes)
        checkPreviews(bytes)
        return 0
    }
}

/// Writes the seeds, one valid file per format, into the first corpus folder that was named.
func plant(_ count: CInt, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) {
    let arguments = (1..<max(1, Int(count))).compactMap { values?[$0].map { String(cString: $0) } }
    var facts = stat()
    guard let folder = arguments.first(where: { !$0.hasPrefix("-") }), stat(folder, &facts) == 0,
        facts.st_mode & S_IFMT == S_IFDIR
    else {
        return
    }
    for seed in seeds + noteSeeds {
        let descriptor = open("\(folder)/seed-\(seed.name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { continue }
        _ = write(descriptor, seed.bytes, seed.bytes.count)
        close(descriptor)
    }
}

/// Reads the bytes as a file; facts must stay within what their fields promise.
func check(_ bytes: [UInt8]) {
    guard let reading = MediaReader.read(MemorySource(bytes), name: "fuzz.jpg", makers: makers) else {
        preconditionFailure("memory cannot fail")
    }
    let facts = reading.facts
    precondition(facts.rating.map { (-1...5).contains($0) } ?? true, "rating")
    precondition(facts.orientation.map { (1...8).contains($0) } ?? true, "orientation")
    precondition(
        (facts.width == nil) == (facts.height == nil) && (facts.width ?? 1) > 0 && (facts.height ?? 1) > 0, "pixels")
    precondition(facts.duration.map { $0.isFinite && $0 >= 0 } ?? true, "duration")
    if let position = facts.position {
        precondition(
            abs(position.latitude) <= 90 && abs(position.longitude) <= 180 && position.altitude?.isFinite ?? true,
            "position")
    }
    for fraction in [facts.exposureTime, facts.fNumber, facts.focalLength] {
        precondition(fraction.map { $0.numerator > 0 && $0.denominator > 0 } ?? true, "fraction")
    }
    precondition((facts.iso ?? 1) > 0 && facts.make != "" && facts.model != "" && facts.serial != "", "empty text")
    if case .truncated(let reason) = reading.completeness { precondition(reason.hasSuffix("."), "a sentence") }
    precondition(reading.kindByContent == FileSignature.kind(of: Array(bytes.prefix(FileSignature.length))), "kind")
}

/// Every picture that the bytes name lies inside them.
func checkPreviews(_ bytes: [UInt8]) {
    guard let found = MediaReader.previews(MemorySource(bytes)) else { preconditionFailure("memory cannot fail") }
    let size = UInt64(bytes.count)
    precondition((1...8).contains(found.orientation) && found.places.count <= 32, "orientation or number")
    for place in found.places {
        precondition(place.length > 0 && place.offset <= size && place.length <= size - place.offset, "a place outside")
        precondition(place.width > 0 && place.height > 0, "a picture of nothing")
    }
}
