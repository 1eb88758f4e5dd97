/// What ends a problem of a card's proof, so that every NO names a way out.
///
/// A problem without one is a delivery that waits, is held or was refused: its place names the way.
public enum ProofRemedy: Sendable, Hashable {
    /// No import has met it.
    case ingest
    /// A run that was to deliver it stopped before it had it.
    case finish
    /// It was misread, or set aside: it is to be read once more.
    case readAgain
    /// The pipeline wants a copy that was never ordered.
    case deliver
    /// The copy was changed.
    case deliverAnew
    /// Its target can only be asked by its pipeline, which was not named.
    case askTarget
    /// The pipeline that was named knows nothing of that target.
    case nameTarget
    /// Its target was asked, and cannot say whether it has it.
    case sayHowToAsk
    /// Its target was asked and gave no answer that counts; what its error advises.
    case hearTarget(String)
    /// Nobody knows what kind of file it is.
    case nameTheKind
    /// A copy waits until somebody picks or rates the picture.
    case mark
    /// A copy waits for its event.
    case assign
    /// All that was ordered of it was taken back or never begun, and no copy is left.
    case orderAgain
    /// A rule left it out, and the user may lift that.
    case allowFiltered
    /// The copy lies on the card's own device.
    case allowSameDevice
    /// Or fewer copies are asked for.
    case copyElsewhere
    /// The copy lies in memory: it is there as ordered, and no backup.
    case copyToDisk
    /// No folder has the file as the camera wrote it.
    case copyToFolder
    /// A picture under a name of junk.
    case nameAsPicture
    /// Nobody may look into it.
    case letLook
    /// The card does not give it.
    case readElsewhere
    /// It changed while it was looked at.
    case waitForWriters
    /// What is mounted at this path, over a part of the card, hides what lies there.
    case unmount(String)
    /// It is only a part of the card that begins there.
    case nameWhole(String)
    /// The copy is there, and cannot be read.
    case copyUnreadable
    /// What an error itself advises.
    case said(String)
}
