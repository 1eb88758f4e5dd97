"""A camera's FTP client: the commands that bodies send, in the orders that they send them in."""
import ftplib
import socket
import ssl


class Client(ftplib.FTP_TLS):
    """Explicit or implicit TLS."""

    def __init__(self, is_implicit):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__(context=context, timeout=60)
        self.is_implicit = is_implicit

    @property
    def sock(self):
        return self._sock

    @sock.setter
    def sock(self, value):
        """With implicit TLS everything is wrapped from the first byte on."""
        if value is not None and self.is_implicit and not isinstance(value, ssl.SSLSocket):
            value = self.context.wrap_socket(value)
        self._sock = value


class Body:
    """Logs in as bodies do, then pushes file after file over one connection."""

    def __init__(self, host, port, is_implicit, user, password):
        self.client = Client(is_implicit)
        self.client.connect(host, port)
        if is_implicit:
            self.client.sendcmd("USER " + user)
            self.client.sendcmd("PASS " + password)
            self.client._prot_p = True
        else:
            self.client.login(user, password)  # AUTH TLS first
            self.client.prot_p()  # PBSZ 0, PROT P
        for command in ("SYST", "FEAT", "OPTS UTF8 ON", "TYPE I", "PWD"):
            self.client.sendcmd(command)

    def push(self, path, name, habit):
        """Four habits: straight; a temporary name that is renamed; in two pieces with REST; asked for its size before and after."""
        client = self.client
        with open(path, "rb") as file:
            data = file.read()
        self.enter()
        if habit == 0:
            self.store("STOR " + name, data)
        elif habit == 1:
            self.store(f"STOR {name}.tmp", data)
            client.sendcmd(f"RNFR {name}.tmp")
            client.voidcmd("RNTO " + name)
        elif habit == 2:
            self.store("STOR " + name, data[:len(data) // 2])
            have = client.size(name)
            self.store("STOR " + name, data[have:], rest=have)
        else:
            self.ask(f"SIZE {name}")
            client.sendcmd(f"ALLO {len(data)}")
            self.store("STOR " + name, data, passive="EPSV")
            if client.size(name) != len(data):
                raise ftplib.Error(f"{name} has another size there")
            for command in (f"MDTM {name}", f"SITE CHMOD 644 {name}", f"MFMT 20260501120000 {name}", "NOOP"):
                self.ask(command)

    def enter(self):
        """Most make their folders anew each time, and enter them one by one."""
        self.client.sendcmd("CWD /")
        for name in ("DCIM", "100BODY"):
            self.ask("MKD " + name)
            self.client.voidcmd("CWD " + name)
        self.client.sendcmd("TYPE I")

    def ask(self, command):
        """Whatever the answer is, a body goes on."""
        try:
            self.client.sendcmd(command)
        except (ftplib.error_perm, ftplib.error_temp):
            pass

    def store(self, command, data, rest=None, passive="PASV"):
        self.client.use_epsv_always = passive == "EPSV"
        family = self.client.af
        if passive == "EPSV":
            self.client.af = socket.AF_INET6  # makes ftplib ask with EPSV
        try:
            connection = self.client.transfercmd(command, rest)
        finally:
            self.client.af = family
        try:
            connection.sendall(data)
            if isinstance(connection, ssl.SSLSocket):
                try:
                    connection = connection.unwrap()
                except (OSError, ssl.SSLError):
                    pass  # many bodies close without a goodbye, and so do some servers
        finally:
            connection.close()
        self.client.voidresp()

    def end(self):
        try:
            self.client.quit()
        except (ftplib.Error, EOFError, OSError):
            self.client.close()
