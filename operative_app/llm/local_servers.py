"""Finds model servers that run on this machine, on the ports they usually take.

Only the loopback interface is looked at, each port for a few seconds at most, all of them at once; nothing is sent but
a request for the list of models. A server that is just loading a model, or a machine that is busy with it, takes its
time; a port where nothing listens refuses at once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from operative_app.core.endpoint import Endpoint
from operative_app.core.errors import ModelError
from operative_app.llm.faults import FaultError
from operative_app.llm.find_out import model_names
from operative_app.llm.transport import Transport
from operative_app.llm.waiting import Patience

CONNECT_TIMEOUT_S = 2.0
ANSWER_TIMEOUT_S = 3.0

USUAL_PORTS: Mapping[int, str] = MappingProxyType(
    {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM", 1337: "Jan", 5001: "KoboldCpp"}
)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered. `name` is what usually answers on its port."""

    name: str
    base_url: str
    models: tuple[str, ...]


async def find_local_servers(ports: Mapping[int, str] = USUAL_PORTS) -> tuple[LocalServer, ...]:
    """The model servers of this machine that list at least one model, in the order of the ports; never raises."""
    found = await asyncio.gather(*(_server(port, name) for port, name in ports.items()))
    return tuple(server for server in found if server is not None)


async def _server(port: int, name: str) -> LocalServer | None:
    if not await _is_open(port):
        return None
    base_url = f"http://localhost:{port}/v1"
    transport = Transport(Endpoint(base_url=base_url, model=""), "", Patience(connect_s=CONNECT_TIMEOUT_S))
    try:
        models = await model_names(transport, timeout_s=ANSWER_TIMEOUT_S)
    except (FaultError, ModelError):
        return None
    finally:
        await transport.close()
    return LocalServer(name, base_url, tuple(models)) if models else None


async def _is_open(port: int) -> bool:
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            _, writer = await asyncio.open_connection("localhost", port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
