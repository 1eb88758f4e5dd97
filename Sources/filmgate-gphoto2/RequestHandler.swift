import CGPhoto2
import GPhoto2Wire
import Glibc

/// Answers the program's questions with libgphoto2.
final class RequestHandler {
    private let channel: FrameChannel
    private let context = gp_context_new()
    private var camera: OpenCamera?

    init(_ channel: FrameChannel) { self.channel = channel }

    /// Throws only when the program is gone.
    func answer(_ request: GPhotoRequest) throws(WireError) {
        let code: Int32
        switch request {
        case .detect: code = try detect()
        case .open(let model, let port): code = try open(model, port)
        case .list: code = try list()
        case .read(let path, let offset): code = try read(path, GP_FILE_TYPE_NORMAL, from: offset)
        case .wait(let milliseconds): code = try wait(milliseconds)
        case .show(let path): code = try read(path, GP_FILE_TYPE_PREVIEW)
        }
        let text = code == GPhotoReply.noCard ? "no card" : String(cString: gp_result_as_string(code))
        try send(code >= 0 ? .done : .failed(code: code, text: text))
    }

    func leave() { camera = nil }

    private func send(_ reply: GPhotoReply) throws(WireError) { try channel.send(reply.frame) }

    private func detect() throws(WireError) -> Int32 {
        guard let list = GPList() else { return GP_ERROR_NO_MEMORY }
        let code = gp_camera_autodetect(list.raw, context)
        guard code >= 0 else { return code }
        for index in 0..<list.count {
            guard let model = list.name(index), let port = list.value(index) else { continue }
            try send(
                .camera(model: String(decoding: model, as: UTF8.self), port: String(decoding: port, as: UTF8.self)))
        }
        return GP_OK
    }

    private func open(_ model: String, _ port: String) throws(WireError) -> Int32 {
        camera = nil
        switch OpenCamera.open(model, port, context) {
        case .failure(let failure): return failure.code
        case .success(let opened):
            camera = opened
            try send(.opened(opened.body(context)))
            return GP_OK
        }
    }

    private func list() throws(WireError) -> Int32 {
        guard let camera else { return GP_ERROR_BAD_PARAMETERS }
        var walk = Walk(camera: camera, context: context), isEmpty = true
        while let step = walk.next() {
            switch step {
            case .success(let file):
                isEmpty = false
                try send(.file(file))
            case .failure(let failure): return isEmpty && camera.lacksCard(context) ? GPhotoReply.noCard : failure.code
            }
        }
        return isEmpty && camera.lacksCard(context) ? GPhotoReply.noCard : GP_OK
    }

    private func read(_ path: GPhotoPath, _ type: CameraFileType, from offset: UInt64 = 0) throws(WireError) -> Int32 {
        guard let camera else { return GP_ERROR_BAD_PARAMETERS }
        let streamer = FileStreamer(channel, skipping: offset)
        let code = streamer.pass(path, type, of: camera, context)
        if streamer.isShut { throw .ended }
        return code
    }

    private func wait(_ milliseconds: UInt32) throws(WireError) -> Int32 {
        guard let camera else { return GP_ERROR_BAD_PARAMETERS }
        var kind = GP_EVENT_UNKNOWN
        var data: UnsafeMutableRawPointer?
        let code = gp_camera_wait_for_event(camera.raw, Int32(clamping: milliseconds), &kind, &data, context)
        defer { free(data) }
        guard code >= 0 else { return code }
        guard kind == GP_EVENT_FILE_ADDED, let path = data?.assumingMemoryBound(to: CameraFilePath.self) else {
            return GP_OK
        }
        let found = GPhotoPath(folder: Text.bytes(fg_path_folder(path)), name: Text.bytes(fg_path_name(path)))
        if let file = camera.facts(found, context) { try send(.file(file)) }
        return GP_OK
    }
}

/// C text as bytes, without its end.
enum Text {
    static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
        guard let text else { return [] }
        return (0..<strnlen(text, 4096)).map { UInt8(bitPattern: text[$0]) }
    }

    /// Bytes as C text.
    static func c(_ bytes: [UInt8]) -> [CChar] { bytes.filter { $0 != 0 }.map { CChar(bitPattern: $0) } + [0] }
}
