/// How a command was called: on the command line of this process, or as a job that another process handed to its run.
///
/// Made once for each command, and given to all that it does: nothing else says who hears it and whose folder is meant.
struct Invocation: Sendable {
    /// Where its words go.
    var console = Console()
    /// Where its relative paths start.
    var paths = UserPath.own
    /// The lines of its standard input, where they were read or came with the job.
    var input: [String]?
    /// What a run lends to it; nil on a command line.
    var job: HostedJob?

    /// False where nobody asked for it: a run does such jobs by itself.
    var isAskedFor: Bool { job?.isAskedFor ?? true }
}
