import FilmgateCore
import GPhoto2Wire

/// A way to libgphoto2: its process, or a script in a test.
///
/// Blocks; used by one thread at a time, except `end`.
protocol GPhotoLink: AnyObject, Sendable {
    /// Asks, and passes on every answer until the last; `silence` is how long it may be quiet.
    ///
    /// Throws what libgphoto2 says, and `deviceGone` when its process ended or hung: the link is then of no more use.
    func ask(_ request: GPhotoRequest, silence: Duration, _ each: (GPhotoReply) throws(IngestError) -> Void)
        throws(IngestError)
    /// True when it can be asked nothing more.
    var isOver: Bool { get }
    /// Lets the camera go. Safe to call twice, and from any thread: whoever is asking fails.
    func end()
}

typealias GPhotoConnect = @Sendable () throws(IngestError) -> any GPhotoLink

extension IngestError {
    /// libgphoto2's numbers, as the engine understands them.
    init(gphoto code: Int32, _ text: String) {
        if code == GPhotoReply.noCard {
            self.init(
                .notFound, "It has no card, or does not show it: no files could be seen.",
                advice: "Put a card in, close its door and switch the camera on.")
            return
        }
        let (kind, advice): (Code, String?) =
            switch code {
            case -53, -60, -110:
                (
                    .deviceBusy,
                    "Close other programs that use the camera; the desktop's: systemctl --user mask --now gvfs-gphoto2-volume-monitor"
                )
            case -7, -10, -31, -34, -35, -51, -52, -113:
                (.deviceGone, "Check the cable, and that the camera is switched on.")
            case -105, -5: (.notFound, nil)
            case -107, -108: (.notFound, nil)
            case -102: (.corruptData, nil)
            case -112: (.cancelled, nil)
            case -6: (.unreadable, nil)
            default: (.unreadable, nil)
            }
        self.init(kind, "libgphoto2: \(text) (\(code)).", advice: advice)
    }
}
