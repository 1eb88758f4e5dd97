import FilmgateCore
import HTTPKit

/// One child that has said hello, and what it has been told.
// A pool lends it to one caller at a time.
final class Worker: @unchecked Sendable {
    let channel: LineChannel
    /// Which secrets it has been given; 0 = none.
    var secrets = 0
    var isPrepared = false
    /// It has been asked and has not answered yet.
    private(set) var isBusy = false
    private var last: Int64 = 0
    /// When what it was asked has to be answered, where that moves no files.
    private var due: ContinuousClock.Instant?
    private let silence: Duration

    /// How long a child may take for its first words and for its options.
    static let greeting = Duration.seconds(15)

    init(_ channel: LineChannel, silence: Duration) { (self.channel, self.silence) = (channel, silence) }

    /// What an asker wants beside the answer.
    struct Listener {
        var side: LineChannel.Side?
        /// Called with each `entry` on the way.
        var entry: (JSONValue) throws(IngestError) -> Void = { (_) throws(IngestError) in }
    }

    func begin(_ request: Request) {
        last += 1
        isBusy = true
        due = request.isBrief ? .now + max(silence, Self.greeting) : nil
        channel.send(request.line(last))
    }

    func reply(_ answer: JSONValue) { channel.send(.object(["id": .integer(last), "answer": answer])) }

    /// Listens until the request that was begun is answered.
    ///
    /// Blocks.
    ///
    /// What `listener` throws ends the child, which would go on talking about it.
    func hear(_ stop: StopFlag, within patience: Duration? = nil, _ listener: Listener = Listener()) throws(IngestError)
        -> Answer
    {
        while true {
            let line: JSONValue
            do throws(IngestError) {
                line = try channel.receive(within: patience ?? silence, stop, beside: listener.side)
                guard line["id"]?.whole == last else {
                    throw channel.over("answered a request that was not made", patience: 0)
                }
                if let entry = line["entry"] {
                    try listener.entry(entry)
                    continue
                }
            } catch {
                channel.end(patience: 0)
                throw error
            }
            if line["progress"] != nil {
                if let due, ContinuousClock.now > due { throw channel.over("went on without an answer", patience: 0) }
                ProgressSignal.current?.note()
                continue
            }
            if let value = line["ask"] { return .question(value) }
            isBusy = false
            if let value = line["done"] { return .done(value) }
            if let value = line["failed"] { return .failed(Reported.failure(value, name: channel.name)) }
            if line["unsupported"] != nil { return .unsupported }
            throw channel.over("sent an answer that is not known", patience: 0)
        }
    }
}
