/// Where the files of some logins go, and who is told of them.
package struct FTPDestination: Sendable {
    /// Waits until it is known whether a file is safe; nil = yes, else why not yet.
    package typealias Confirmation = @Sendable () async -> String?

    /// Who is told of files.
    package struct Receiver: Sendable {
        /// Called on any thread; must be quick.
        ///
        /// What it gives for a file that came or was renamed is awaited before its client is told yes; nil = the file is
        /// safe in the inbox.
        package var tell: @Sendable (FTPServer.Event) -> Confirmation?

        package init(tell: @escaping @Sendable (FTPServer.Event) -> Confirmation?) { self.tell = tell }
    }

    package var inbox: FTPInbox
    /// Who it is now; asked once for each file.
    package var receiver: @Sendable () -> Receiver

    package init(inbox: FTPInbox, receiver: @escaping @Sendable () -> Receiver) {
        (self.inbox, self.receiver) = (inbox, receiver)
    }

    /// Whose files are safe once they are in the inbox.
    package init(inbox: FTPInbox, tell: @escaping @Sendable (FTPServer.Event) -> Void) {
        let receiver = Receiver { event in
            tell(event)
            return nil
        }
        self.init(inbox: inbox) { receiver }
    }
}
