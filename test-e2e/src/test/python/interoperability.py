"""Drives the official rstream SDK for Python against an engine: one scenario a run, one JSON object as its answer.

usage: interoperability.py SCENARIO ENGINE CA_FILE    (the token is read from RSTREAM_AUTHENTICATION_TOKEN)

The SDK is used as it is. Only the resolver of this process is told that names under .localhost are loopback
(RFC 6761, section 6.3), which not every C library does.
"""

import asyncio
import json
import os
import socket
import sys

import rstream
from rstream.config import TLSOptions
from rstream.engine_api import ClientFilters, TunnelFilters

_system_lookup = socket.getaddrinfo


def _lookup(host, *arguments, **options):
    name = host.decode() if isinstance(host, bytes) else host
    return _system_lookup("127.0.0.1" if name and name.endswith(".localhost") else host, *arguments, **options)


socket.getaddrinfo = _lookup

ENGINE, CA_FILE = sys.argv[2], sys.argv[3]
HTTP_BODY = b"hello from python"


def client(**options):
    options.setdefault("token", os.environ.get("RSTREAM_AUTHENTICATION_TOKEN"))
    return rstream.Client(engine=ENGINE, read_config_file=False, tls=TLSOptions(ca_file=CA_FILE), **options)


async def answer_http(stream):
    """One request, one response with Connection: close."""
    async with stream:
        request = await stream.reader.readuntil(b"\r\n\r\n")
        path = request.split(b" ", 2)[1]
        body = HTTP_BODY + b" " + path
        stream.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body) + body
        )
        await stream.drain()


async def upper(stream):
    """Echoes in upper case until the peer ends."""
    async with stream:
        while data := await stream.read(65536):
            stream.write(data.upper())
            await stream.drain()


async def serve(tunnel, handler):
    async for stream in tunnel:
        asyncio.create_task(handler(stream))


async def public_get(tunnel, path):
    """Fetches through the public address with curl, which is neither ours nor the SDK's."""
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--fail", "--max-time", "20", "--cacert", CA_FILE,
        tunnel.forwarding_address + path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    output, error = await process.communicate()
    return {"exit": process.returncode, "body": output.decode(), "error": error.decode()}


async def http():
    async with client() as one, await one.connect() as control:
        tunnel = await control.create_tunnel(name="py-http", protocol="http", http_version="http/1.1", publish=True)
        server = asyncio.create_task(serve(tunnel, answer_http))
        answers = [await public_get(tunnel, path) for path in ("/", "/health", "/directory/")]
        result = {"address": tunnel.forwarding_address, "id": tunnel.id, "server_details": control.server_details is not None,
                  "answers": answers, "properties": {"type": tunnel.properties.type, "host": tunnel.properties.host,
                                                     "hostname": tunnel.properties.hostname, "port": tunnel.properties.port}}
        await tunnel.close()
        result["closed"] = await public_get(tunnel, "/")
        server.cancel()
        return result


async def http_minimal():
    """A name and nothing else must be reachable over HTTPS: the official HTTP test server does just that."""
    async with client() as one, await one.connect() as control:
        tunnel = await control.create_tunnel(name="py-minimal", type="bytestream")
        server = asyncio.create_task(serve(tunnel, answer_http))
        answer = await public_get(tunnel, "/ping")
        server.cancel()
        return {"address": tunnel.forwarding_address, "answer": answer}


async def exchange(dialer, target, payload, zero_rtt):
    async with await dialer.dial(target, zero_rtt=zero_rtt) as stream:
        stream.write(payload)
        await stream.drain()
        return (await asyncio.wait_for(stream.readexactly(len(payload)), 20)).decode()


async def private():
    async with client(heartbeat_interval=1.0) as owner, await owner.connect() as control, client() as dialer:
        tunnel = await control.create_tunnel(name="py-private", type="bytestream", publish=False)
        server = asyncio.create_task(serve(tunnel, upper))
        by_mode = {}
        for target in ("py-private", tunnel.id):
            for zero_rtt in (True, False):
                kind = ("name" if target == "py-private" else "id") + ("-0rtt" if zero_rtt else "")
                by_mode[kind] = await exchange(dialer, target, b"ping " + kind.encode(), zero_rtt)
        concurrent = await asyncio.gather(*(
            exchange(dialer, "py-private" if n % 2 else tunnel.id, b"caller %03d " % n * 50, n % 3 == 0) for n in range(16)))
        own = await exchange(owner, "py-private", b"own client", True)
        await asyncio.sleep(2.2)  # two heartbeats of 1 s: the channel must live through them (assertion J4 of the SDK's own suite)
        second = await control.create_tunnel(name="py-private-second", type="bytestream", publish=False)
        await second.close()
        large = os.urandom(8 * 1024 * 1024).hex().encode()
        async with await dialer.dial("py-private") as stream:
            async def write():
                stream.write(large)
                await stream.drain()
            writer = asyncio.create_task(write())
            echoed = await asyncio.wait_for(stream.readexactly(len(large)), 60)
            await writer
        server.cancel()
        return {"modes": by_mode, "concurrent": concurrent, "own": own, "large": echoed == large.upper(),
                "address": tunnel.forwarding_address}


async def tcp():
    async with client() as one, await one.connect() as control:
        tunnel = await control.create_tunnel(name="py-tcp", protocol="tcp")
        server = asyncio.create_task(serve(tunnel, upper))
        reader, writer = await asyncio.open_connection("127.0.0.1", tunnel.properties.port)
        writer.write(b"over tcp")
        await writer.drain()
        echoed = await asyncio.wait_for(reader.readexactly(8), 20)
        writer.close()
        server.cancel()
        return {"port": tunnel.properties.port, "hostname": tunnel.properties.hostname, "echo": echoed.decode(),
                "address": tunnel.forwarding_address}


async def inventory():
    async with client() as one, await one.connect() as control:
        first = await control.create_tunnel(name="py-list-a", protocol="http", labels={"suite": "inventory", "letter": "a"})
        second = await control.create_tunnel(name="py-list-b", type="bytestream", publish=False, labels={"suite": "inventory"})

        async def names(**filters):
            return sorted(item.properties.name for item in await one.list_tunnels(filters=TunnelFilters(**filters)))

        mine = [item for item in await one.list_tunnels() if item.properties.id == first.id][0]
        clients = await one.list_clients()
        owner = [item for item in clients if item.get("id") == mine.client_id]
        return {
            "all": [item.properties.name for item in await one.list_tunnels()],
            "by_label": await names(labels={"suite": "inventory"}),
            "by_label_value": await names(labels={"letter": "a"}),
            "by_label_presence": await names(labels={"letter": None}),
            "by_name": await names(name="py-list-b"),
            "by_publish": await names(publish=False, labels={"suite": "inventory"}),
            "limited": len(await one.list_tunnels(limit=1)),
            "status": mine.status, "host": mine.raw.get("host"), "second": second.id,
            "owner": owner,
            "offline": len(await one.list_clients(filters=ClientFilters(status="offline"))),
        }


async def refused():
    """What goes wrong must arrive as the engine's own error, not as a hang."""
    answers = {}

    async def attempt(name, action):
        try:
            await asyncio.wait_for(action(), 25)
            answers[name] = {"accepted": True}
        except Exception as error:  # the scenario reports every kind of failure to the test
            answers[name] = {"kind": type(error).__name__, "code": getattr(error, "engine_code", None), "text": str(error)}

    async def wrong_token():
        async with client(token="not-a-token") as one, await one.connect():
            pass

    async with client() as one, await one.connect() as control:
        await control.create_tunnel(name="py-taken", protocol="http")

        async def gate():
            await control.create_tunnel(name="py-gate", protocol="http", token_auth=True)

        async def addresses():
            await control.create_tunnel(name="py-ips", protocol="http", trusted_ips=("10.0.0.0/8",))

        async def tls():
            await control.create_tunnel(name="py-tls", protocol="tls")

        async def unknown():
            async with await one.dial("py-nobody", zero_rtt=False):
                pass

        async def foreign_hostname():
            await control.create_tunnel(name="py-foreign", protocol="http", hostname="www.example.org")

        for action in (wrong_token, gate, addresses, tls, unknown, foreign_hostname):
            await attempt(action.__name__, action)
        still = await control.create_tunnel(name="py-still-alive", type="bytestream", publish=False)
        answers["still_alive"] = bool(still.id)
    return answers


SCENARIOS = {"http": http, "http-minimal": http_minimal, "private": private, "tcp": tcp, "inventory": inventory,
             "refused": refused}

if __name__ == "__main__":
    print(json.dumps(asyncio.run(asyncio.wait_for(SCENARIOS[sys.argv[1]](), 120))))
