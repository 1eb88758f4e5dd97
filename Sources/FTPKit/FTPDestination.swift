/// Where the files of some logins go, and who is told of them.
package struct FTPDestination: Sendable {
    package var inbox: FTPInbox
    /// Called on any thread; must be quick.
    package var tell: @Sendable (FTPServer.Event) -> Void
    /// Asked after `tell` about each file that came or was renamed, by its place, before its client is told yes; nil =
    /// yes, else why not yet.
    package var confirm: (@Sendable (String) async -> String?)?

    package init(
        inbox: FTPInbox, confirm: (@Sendable (String) async -> String?)? = nil,
        tell: @escaping @Sendable (FTPServer.Event) -> Void
    ) {
        (self.inbox, self.confirm, self.tell) = (inbox, confirm, tell)
    }
}
