"""The real server on a real port: binding, serving, and releasing."""

from __future__ import annotations

import http.client
import json
import socket
import time
from typing import Any

import pytest

from tests.patience import PATIENCE_S
from webapp.errors import UnusableInputError
from webapp.live.board import SnapshotHub
from webapp.match.view import View
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import Service


def test_error_of_an_occupied_port_names_port_and_option() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(UnusableInputError, match=f"The operating system refused: port {port} .* --port {port + 1}"):
            Service.take("127.0.0.1", port)


def test_free_port_is_chosen_if_any_is_allowed() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        service = Service.take("127.0.0.1", port, or_any=True)
        assert f":{port}/" not in service.address
        service.stop()


def test_address_of_another_machine_is_one_sentence() -> None:
    with pytest.raises(UnusableInputError, match="expected --host to be an address of this machine"):
        Service.take("192.0.2.1", 0)


def test_server_on_all_interfaces_lists_reachable_addresses() -> None:
    service = Service.take("0.0.0.0", 0)
    port = service.address.rstrip("/").rpartition(":")[2]
    assert service.address == f"http://127.0.0.1:{port}/"
    elsewhere = service.addresses_elsewhere
    assert all("127.0.0.1" not in address and address.endswith(f":{port}/") for address in elsewhere)
    for address in elsewhere:
        with socket.create_connection(
            (address.removeprefix("http://").partition(":")[0], int(port)), timeout=PATIENCE_S
        ):
            pass
    service.stop()


def test_local_server_lists_no_other_addresses() -> None:
    service = Service.take("127.0.0.1", 0)
    assert service.addresses_elsewhere == ()
    service.stop()


def test_page_is_served_while_streams_are_open(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "webapp")
    board = SnapshotHub()
    service = Service.take("127.0.0.1", 0)
    service.start(create_app(AppConfig(streams=4), board))
    assert [record.getMessage() for record in caplog.records] == [f"the page is served at {service.address}"]
    host = service.address.removeprefix("http://").rstrip("/")
    try:
        streams = [http.client.HTTPConnection(host, timeout=PATIENCE_S) for _ in range(4)]
        answers: list[Any] = []
        for stream in streams:
            stream.request("GET", "/api/events?language=en")
            answers.append(stream.getresponse())
        board.publish(moves=1, view=View(seats=("A", "B")))
        for answer in answers:
            lines = iter(answer.readline, b"")
            data = next(line for line in lines if line.startswith(b"data: ") and b'"moves": 1' in line)
            assert json.loads(data[6:])["seats"] == ["A", "B"]
        page = http.client.HTTPConnection(host, timeout=PATIENCE_S)
        page.request("GET", "/health")
        assert page.getresponse().status == 200
        page.close()
        late = http.client.HTTPConnection(host, timeout=PATIENCE_S)
        late.request("GET", "/api/events")
        assert late.getresponse().status == 503
        late.close()
    finally:
        board.close()
        service.stop()
        for answer, stream in zip(answers, streams, strict=True):
            answer.close()
            stream.close()


def test_answer_that_ends_while_the_server_stops_is_harmless() -> None:
    service = Service.take("127.0.0.1", 0)
    service.start(create_app(AppConfig(), SnapshotHub()))
    trigger = service._server.trigger
    pull = trigger._physical_pull

    def pulled_by_an_answer_just_before() -> None:
        pull()
        time.sleep(0.3)
        pull()

    trigger._physical_pull = pulled_by_an_answer_just_before
    service.stop()


def test_port_is_free_after_stop() -> None:
    service = Service.take("127.0.0.1", 0)
    port = int(service.address.rstrip("/").rpartition(":")[2])
    service.start(create_app(AppConfig(), SnapshotHub()))
    service.stop()
    again = Service.take("127.0.0.1", port)
    again.stop()
