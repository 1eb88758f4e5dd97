/// Where the files of some logins go, and who is told of them.
package struct FTPDestination: Sendable {
    /// Who is told of a file, and asked about it afterwards.
    package struct Receiver: Sendable {
        /// Called on any thread; must be quick.
        package var tell: @Sendable (FTPServer.Event) -> Void
        /// Asked after `tell` about each file that came or was renamed, by its place, before its client is told yes;
        /// nil = yes, else why not yet.
        package var confirm: (@Sendable (String) async -> String?)?

        package init(
            confirm: (@Sendable (String) async -> String?)? = nil, tell: @escaping @Sendable (FTPServer.Event) -> Void
        ) {
            (self.confirm, self.tell) = (confirm, tell)
        }
    }

    package var inbox: FTPInbox
    /// Who it is now; asked once for each file.
    package var receiver: @Sendable () -> Receiver

    package init(inbox: FTPInbox, receiver: @escaping @Sendable () -> Receiver) {
        (self.inbox, self.receiver) = (inbox, receiver)
    }

    package init(
        inbox: FTPInbox, confirm: (@Sendable (String) async -> String?)? = nil,
        tell: @escaping @Sendable (FTPServer.Event) -> Void
    ) {
        let receiver = Receiver(confirm: confirm, tell: tell)
        self.init(inbox: inbox) { receiver }
    }
}
