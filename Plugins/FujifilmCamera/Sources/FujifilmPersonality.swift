public import PTPKit
public import VirtualCamera

/// A virtual X-T4: in the app's dialect, or over USB.
public struct FujifilmPersonality: Personality {
    public var info = DeviceInfo()
    public let folder = "DCIM/100_FUJI"
    public var greeting: String { info.model }
    private let isWireless: Bool
    /// Polls for which a person has not yet confirmed.
    public var hesitation = 2
    /// What it says of its version; older bodies say all ones, and let nobody write it.
    public var version: UInt32? = 0x2000C
    /// Tells the sizes of previews although whole ones are asked for.
    public var insistsOnPreviewSizes = false
    /// Selected frames are given one after the other, each as object 1.
    public var givesOneByOne = false

    /// `isWireless`: what the body does over Wi-Fi.
    public init(isWireless: Bool = true) {
        self.isWireless = isWireless
        info.vendorExtension = 0xE
        info.vendorExtensionVersion = 100
        info.vendorDescription = "fujifilm.co.jp: 1.0; "
        let usb: Set<OperationCode> = [0x100B, 0x900C, 0x900D, 0x901D]
        info.operations = StandardPersonality.operations.subtracting([.getPartialObject64]).union(usb)
        if isWireless {
            info.operations.formUnion([
                .setDevicePropValue, .initiateOpenCapture, .terminateOpenCapture, .fujiCameraInfo,
            ])
        }
        info.events = [.objectAdded, .objectRemoved, .storeAdded, .storeRemoved, .captureComplete]
        info.imageFormats = [.exifJPEG, 0xB103]
        (info.manufacturer, info.model, info.version, info.serial) = ("FUJIFILM", "X-T4", "1.50", "593332323134")
    }

    /// Says whole sizes to clients that never ask for them.
    var isPatient = false

    /// Without the broken partial reads, for clients that rely on them.
    var reliable: FujifilmPersonality {
        var copy = self
        copy.info.operations.remove(.getPartialObject)
        return copy
    }

    public func serve(_ camera: VirtualCamera, address: String, port: UInt16) throws(PTPError) -> any CameraServer {
        isWireless
            ? try FujiResponder(camera, address: address, port: port)
            : try PTPIPResponder(camera, address: address, port: port)
    }

    public func answer(_ request: VirtualRequest, _ body: inout VirtualBody) -> Answer? {
        let operation = request.operation
        guard body.session != nil else { return nil }
        guard isWireless else {
            // Listed, and of no use: the parts are not those asked for.
            return operation.code == .getPartialObject ? .data([UInt8](repeating: 0xA5, count: 64), [64]) : nil
        }
        switch operation.code {
        case .getDevicePropValue: return value(UInt16(truncatingIfNeeded: operation.parameter(0)), &body)
        case .setDevicePropValue: return set(UInt16(truncatingIfNeeded: operation.parameter(0)), request.data, &body)
        case .initiateOpenCapture:
            // Some initiators never ask whether they have been let in. A body answers them when its owner has.
            if hesitation < .max { body[FujiBody.self].polls = max(body[FujiBody.self].polls, hesitation + 1) }
            return .ok
        case .terminateOpenCapture: return .ok
        case .fujiCameraInfo: return .data([UInt8](repeating: 0, count: 8))
        case .getObjectHandles:
            var writer = ByteWriter()
            writer.put(
                array: ObjectHandle(operation.parameter(2)).isReal ? [] : files(body).indices.map { UInt32($0 + 1) })
            return .data(writer.bytes)
        case .getObjectInfo, .getPartialObject, .getObject, .getThumb: return object(operation, &body)
        default: return nil
        }
    }

    public func announce(_ objects: [VirtualObject], folders: [VirtualObject], _ body: inout VirtualBody) {
        // Over Wi-Fi the count says it; over USB the list of handles does.
    }

    private func value(_ property: UInt16, _ body: inout VirtualBody) -> Answer {
        var writer = ByteWriter()
        switch property {
        case FujiProperty.events:
            body[FujiBody.self].polls += 1
            let changes: [(UInt16, UInt32)] = [
                (FujiProperty.state, state(body)), (FujiProperty.count, UInt32(files(body).count)),
            ]
            writer.put(UInt16(changes.count))
            for (property, value) in changes {
                writer.put(property)
                writer.put(value)
            }
        case FujiProperty.count: writer.put(UInt32(files(body).count))
        case FujiProperty.state: writer.put(UInt16(state(body)))
        case FujiProperty.version:
            guard let version else { return Answer(.devicePropNotSupported) }
            writer.put(version)
        default: writer.put(UInt16(0))
        }
        return .data(writer.bytes)
    }

    private func state(_ body: VirtualBody) -> UInt32 {
        body[FujiBody.self].polls <= hesitation ? 0 : givesOneByOne ? 1 : 2
    }

    private func set(_ property: UInt16, _ data: [UInt8], _ body: inout VirtualBody) -> Answer {
        if property == FujiProperty.version, version == nil || version == .max {
            return Answer(.devicePropNotSupported)
        }
        if property == FujiProperty.fullSizes { body[FujiBody.self].givesFullSizes = data.first == 1 }
        return .ok
    }

    private func files(_ body: VirtualBody) -> [VirtualObject] {
        Array(body.cards.flatMap(\.files).dropFirst(body[FujiBody.self].taken))
    }

    private func object(_ operation: Operation, _ body: inout VirtualBody) -> Answer {
        let (files, number) = (files(body), Int(operation.parameter(0)))
        guard state(body) != 0, number > 0, number <= files.count, !givesOneByOne || number == 1 else {
            return Answer(.invalidObjectHandle)
        }
        let file = files[number - 1]
        switch operation.code {
        case .getObjectInfo:
            var info = file.info
            info.parent = ObjectHandle(0)
            if insistsOnPreviewSizes || !body[FujiBody.self].givesFullSizes && !isPatient {
                info.size = min(info.size, 102_400)
            }
            return .data(info.encoded)
        case .getPartialObject:
            let offset = UInt64(operation.parameter(1))
            guard offset <= file.size, operation.parameter(2) <= 1 << 20 else { return Answer(.invalidParameter) }
            let count = min(UInt64(operation.parameter(2)), file.size - offset)
            if givesOneByOne, offset + count == file.size { body[FujiBody.self].taken += 1 }
            return Answer(.ok, [UInt32(count)], payload: .part(file.content, offset: offset, count: count))
        case .getObject: return Answer(.ok, payload: .part(file.content, offset: 0, count: file.size))
        default: return Answer(.noThumbnail)
        }
    }
}

struct FujiBody: HandlerMemory, Sendable {
    var polls = 0, givesFullSizes = false
    /// Frames given and gone, in the state in which they come one by one.
    var taken = 0
}
