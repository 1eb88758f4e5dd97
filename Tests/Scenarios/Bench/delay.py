"""A TCP proxy on this machine that adds time to every way: delay.py LISTEN TO MILLISECONDS. Bandwidth stays as it is."""
import asyncio
import socket
import sys


async def pass_on(reader, writer, delay):
    """Reads at once, writes `delay` later; what is on its way is kept in memory, as a long line would."""
    loop, line = asyncio.get_running_loop(), asyncio.Queue()

    async def deliver():
        while (item := await line.get()) is not None:
            due, data = item
            if (wait := due - loop.time()) > 0:
                await asyncio.sleep(wait)
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()

    delivering = asyncio.create_task(deliver())
    try:
        while data := await reader.read(1 << 18):
            line.put_nowait((loop.time() + delay, data))
    finally:
        line.put_nowait(None)
        await delivering


async def serve(listen, to, milliseconds):
    async def connected(reader, writer):
        far = None
        try:
            far_reader, far = await asyncio.open_connection("127.0.0.1", to, limit=1 << 22)
            for end in (writer, far):
                end.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            delay = milliseconds / 2000
            await asyncio.gather(pass_on(reader, far, delay), pass_on(far_reader, writer, delay))
        except OSError:
            pass
        finally:
            writer.close()
            if far:
                far.close()

    server = await asyncio.start_server(connected, "127.0.0.1", listen, limit=1 << 22)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
