"""Pairing: codes, roles and devices, and attacks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from itsdangerous import URLSafeSerializer

from tests.webapp.services import FakeTable
from webapp.live.board import SnapshotHub
from webapp.web.app import create_app
from webapp.web.app_services import Addresses, AppConfig
from webapp.web.pairing import Ask, Codes, Pairing, PairingLimits, RefusedError
from webapp.web.pairing_limits import PlaceLimits, TryLimits
from webapp.web.stored_devices import Role, StoredDevices

ADDRESS = "http://192.168.1.5:8036/"


class Clock:
    """Clock that the test advances."""

    def __init__(self) -> None:
        self.at_s = 1000.0

    def __call__(self) -> float:
        return self.at_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pairing(clock: Clock) -> Pairing:
    return Pairing(clock)


@pytest.fixture
def presses() -> list[Any]:
    return []


@pytest.fixture
def visit(board: SnapshotHub, pairing: Pairing, presses: list[Any]) -> Callable[..., FlaskClient]:
    """Return a function that opens a client on another device (or this machine), each with its own cookies."""
    services = AppConfig(
        FakeTable(on_press=lambda press: presses.append(press) is None),
        pairing=pairing,
        addresses=Addresses(elsewhere=(ADDRESS,)),
        streams=2,
    )
    app = create_app(services, board)

    def opened(address: str = "192.168.1.7") -> FlaskClient:
        client = app.test_client()
        client.environ_base["REMOTE_ADDR"] = address
        return client

    return opened


def join(client: FlaskClient, **form: str) -> int:
    return client.post("/pair", data=form).status_code


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/", "/pair"),
        ("/?language=he", "/pair?language=he"),
        ("/notation?x=1&language=he&y=2", "/pair?to=/notation?x%3D1%26y%3D2&language=he"),
        ("/show", "/pair?to=/show"),
        ("/matches/x", "/pair?to=/matches/x"),
        ("/nowhere", "/pair?to=/nowhere"),
    ],
)
def test_unpaired_page_request_redirects_to_pairing(visit: Any, path: str, to: str) -> None:
    answer = visit().get(path)
    assert (answer.status_code, answer.headers["Location"]) == (303, to)


@pytest.mark.parametrize(
    ("asked", "to"),
    [
        ("/show?language=he", "/show?language=he"),
        ("/matches", "/matches"),
        ("/setup", "/setup"),  # a watcher sees how the game was set up
        ("/camera", "/"),  # not a watcher's
        ("/api/state", "/"),  # no page
        ("/nowhere", "/"),
        ("//evil.example/show", "/"),
        ("https://evil.example/show", "/"),
        ("/\\evil.example", "/"),
        ("//[", "/"),
        ("show", "/"),
        ("/show?x=1\r\nSet-Cookie: a=b", "/show?x=1Set-Cookie:%20a=b"),
    ],
)
def test_pin_leads_to_the_page_asked_for(visit: Any, pairing: Pairing, asked: str, to: str) -> None:
    answer = visit().post("/pair", query_string={"to": asked}, data={"pin": pairing.codes.pin})
    assert (answer.status_code, answer.headers["Location"]) == (303, to)


def test_page_and_language_are_kept_after_a_wrong_pin(visit: Any) -> None:
    client = visit()
    at = client.get("/show?language=fr", follow_redirects=True).text
    assert 'action="/pair?to=/show"' in at
    assert 'href="/pair?to=%2Fshow&amp;language=ru"' in at, "another language leads to the same page"
    again = client.post("/pair?to=/show&language=ru", data={"pin": "000 000"}).text
    assert 'action="/pair?to=/show"' in again
    assert 'lang="ru"' in again


def test_phone_that_asks_for_the_camera_page_is_sent_to_its_code(visit: Any) -> None:
    assert "make this phone the camera" in visit().get("/camera", follow_redirects=True).text
    assert "make this phone the camera" not in visit().get("/show", follow_redirects=True).text


@pytest.mark.parametrize(
    "path",
    [
        *(f"/api/{name}" for name in ("state", "events", "picture.jpg", "matches", "zones", "setup")),
        *(f"/static/{name}" for name in ("table.css", "table.js", "icon.svg", "pair.css/../table.css")),
        "/metrics",
    ],
)
def test_unpaired_device_gets_no_data(visit: Any, path: str) -> None:
    answer = visit().get(path)
    assert answer.status_code == 401
    assert set(answer.get_json()) == {"error", "text"}


@pytest.mark.parametrize("path", ["/api/press", "/api/zones", "/api/setup", "/api/correct", "/pair/codes", "/x"])
def test_unpaired_device_cannot_change_anything(visit: Any, presses: list[Any], path: str) -> None:
    assert visit().post(path, json={"button": "done"}).status_code == 401
    assert presses == []


def test_unpaired_device_gets_only_ok_as_health(visit: Any) -> None:
    assert visit().get("/health").get_json() == {"ok": True}
    assert visit().get("/pair").status_code == 200
    with visit().get("/static/pair.css") as style:
        assert style.status_code == 200


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1"])
def test_local_browser_is_referee(visit: Any, presses: list[Any], address: str) -> None:
    client = visit(address)
    assert client.get("/").status_code == 200
    assert client.post("/api/press", json={"button": "done"}).status_code == 200
    assert len(presses) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"X-Real-IP": "127.0.0.1"},
        {"Host": "127.0.0.1:8036"},
        {"Host": "localhost"},
    ],
)
def test_request_headers_do_not_make_a_request_local(visit: Any, headers: dict[str, str]) -> None:
    assert visit().get("/api/state", headers=headers).status_code == 401


def test_unknown_host_name_is_refused_before_roles(visit: Any) -> None:
    assert visit("127.0.0.1").get("/", headers={"Host": "evil.example"}).status_code == 403


def test_pin_gives_the_role_of_a_viewer(visit: Any, pairing: Pairing, presses: list[Any]) -> None:
    for _ in range(2):  # any number of times
        client = visit()
        assert join(client, pin=pairing.codes.pin) == 303
        assert client.get("/").status_code == 200
        assert client.get("/api/state").status_code == 200
        answer = client.post("/api/press", json={"button": "done"})
        assert answer.status_code == 403
        assert "referee" in answer.get_json()["error"]
        for path in ("/api/zones", "/api/correct", "/api/setup", "/api/matches/x/correct", "/pair/codes"):
            assert client.post(path, json={}).status_code == 403
    assert presses == []


def test_pin_may_contain_spaces(visit: Any, pairing: Pairing) -> None:
    pin = pairing.codes.pin
    assert join(visit(), pin=f"{pin[:3]} {pin[3:]} ") == 303


def test_token_gives_the_role_of_the_referee_once(visit: Any, pairing: Pairing, presses: list[Any]) -> None:
    token = pairing.codes.token or ""
    client, copied = visit(), visit()
    assert client.get(f"/pair?token={token}").status_code == 200  # opening the page does not use up the token
    assert join(client, token=token) == 303
    assert client.post("/api/press", json={"button": "done"}).status_code == 200
    assert join(copied, token=token) == 403
    assert copied.get("/api/state").status_code == 401


def test_token_expires_after_ten_minutes(visit: Any, pairing: Pairing, clock: Clock) -> None:
    token = pairing.codes.token or ""
    clock.at_s += 600.1
    assert join(visit(), token=token) == 403
    assert "ten minutes" in visit().post("/pair", data={"token": token}).text


def test_expired_token_is_replaced_once(pairing: Pairing) -> None:
    published_codes: list[Codes] = []
    pairing.on_codes = published_codes.append
    old = pairing.codes.token or ""
    pairing.join_with_token(old, "192.168.1.7", "iPad")
    for _ in range(3):
        with pytest.raises(RefusedError, match="used"):
            pairing.join_with_token(old, "192.168.1.8", "iPad")
    assert len(published_codes) == 1
    assert published_codes[0].token not in (None, old)
    assert pairing.join_with_token(published_codes[0].token or "", "192.168.1.8", "iPad")


def test_five_wrong_pins_block_an_address_for_a_minute(visit: Any, pairing: Pairing, clock: Clock) -> None:
    pin = pairing.codes.pin
    wrong = f"{(int(pin) + 1) % 1_000_000:06}"
    guesser, other = visit(), visit("192.168.1.8")
    assert [join(guesser, pin=wrong) for _ in range(5)] == [403] * 5
    answer = guesser.post("/pair", data={"pin": pin})
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "60"
    assert join(visit(), pin=pin) == 429, "new cookies do not help"
    assert join(other, pin=pin) == 303, "other addresses are not blocked"
    clock.at_s += 60
    assert join(guesser, pin=pin) == 303


@pytest.mark.parametrize("pin", ["", "12345", "1234567", "абвгде", "０" * 6, "\x00", "None", "000000 OR 1"])
def test_malformed_pin_counts_as_wrong(visit: Any, pin: str) -> None:
    assert join(visit(), pin=pin) == 403


def test_ipv6_network_counts_as_one_address() -> None:
    pairing = Pairing(Clock(), limits=PairingLimits(tries=TryLimits(of_one=2)))
    for number in range(2):
        with pytest.raises(RefusedError, match="wrong"):
            pairing.join_with_pin("no", f"fd00::{number}", "?")
    with pytest.raises(RefusedError, match="closed"):
        pairing.join_with_pin(pairing.codes.pin, "fd00::9", "?")


def test_forged_cookie_is_refused(visit: Any, pairing: Pairing) -> None:
    client = visit()
    assert join(client, pin=pairing.codes.pin) == 303
    key = pairing.devices()[0].key
    name = "kozyr-device-80"
    own = client.get_cookie(name)
    assert own is not None
    assert own.http_only
    assert own.same_site == "Lax"
    forged = URLSafeSerializer(b"guessed", salt="kozyr-device").dumps(key)
    for value in (key, forged, own.value[:-2], f"{own.value}x", "", "x" * 3000, '["' + key + '"]', "eyJ9.e.x"):
        stranger = visit()
        stranger.set_cookie(name, value)
        assert stranger.get("/api/state").status_code == 401, value
    elsewhere = visit()
    elsewhere.set_cookie(name, own.value)
    assert elsewhere.get("/api/state").status_code == 200, "the cookie identifies the device"


def test_viewer_cannot_become_referee(visit: Any, pairing: Pairing) -> None:
    client = visit()
    join(client, pin=pairing.codes.pin)
    assert join(client, pin=pairing.codes.pin, role="referee") == 303
    assert pairing.devices()[0].role is Role.VIEWER
    assert "pin" in client.get("/pair").text
    assert pairing.codes.pin not in client.get("/pair").text


def test_referee_keeps_the_role_after_entering_the_pin(pairing: Pairing) -> None:
    cookie = pairing.join_with_token(pairing.codes.token or "", "192.168.1.7", "iPad")
    pairing.join_with_pin(pairing.codes.pin, "192.168.1.7", "iPad", cookie)
    assert [device.role for device in pairing.devices()] == [Role.REFEREE]


def test_referee_lists_devices_and_revokes_roles(visit: Any, pairing: Pairing) -> None:
    owner, tablet = visit("127.0.0.1"), visit()
    tablet.post("/pair", data={"pin": pairing.codes.pin}, headers={"User-Agent": "Mozilla/5.0 (iPad; CPU OS 17)"})
    page = owner.get("/pair").text
    assert "iPad" in page
    assert "192.168.1.7" in page
    assert "<svg" in page
    assert f"{pairing.codes.pin[:3]} {pairing.codes.pin[3:]}" in page
    before = pairing.codes
    assert owner.post("/pair/codes").status_code == 303
    after = pairing.codes
    assert before.token != after.token
    assert before.pin != after.pin
    assert join(visit(), token=before.token or "") == 403
    assert join(visit("192.168.1.9"), pin=before.pin) == 403
    assert tablet.get("/api/state").status_code == 200, "paired devices keep access"
    (take_back,) = re.findall(r'action="(/pair/devices/[^"]+)"', page)
    assert tablet.post(take_back).status_code == 403
    assert owner.post(take_back).status_code == 303
    assert tablet.get("/api/state").status_code == 401
    assert owner.post(take_back).status_code == 303, "it is as wanted"


def test_revoked_role_ends_the_live_stream(visit: Any, pairing: Pairing, board: SnapshotHub) -> None:
    tablet = visit()
    join(tablet, pin=pairing.codes.pin)
    answer = tablet.get("/api/events", buffered=False)
    stream = iter(answer.response)
    next(stream), next(stream)
    visit("127.0.0.1").post(f"/pair/devices/{pairing.devices()[0].key}/take-back")
    board.publish(moves=1)
    assert list(stream) == []
    answer.close()


def test_device_with_all_streams_loses_one_to_another_device(visit: Any, pairing: Pairing, board: SnapshotHub) -> None:
    greedy, other = visit(), visit("192.168.1.8")
    for client in (greedy, other):
        join(client, pin=pairing.codes.pin)
    held = [greedy.get("/api/events", buffered=False) for _ in range(2)]
    assert greedy.get("/api/events").status_code == 503
    answer = other.get("/api/events", buffered=False)
    assert answer.status_code == 200
    for response in (*held, answer):
        response.close()


def test_form_from_another_origin_is_refused(visit: Any, pairing: Pairing) -> None:
    before = pairing.codes
    answer = visit("127.0.0.1").post("/pair/codes", headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert pairing.codes == before


def test_pairing_always_includes_this_machine(clock: Clock, board: SnapshotHub) -> None:
    pairing = Pairing(clock, Ask.ALWAYS)
    client = create_app(AppConfig(pairing=pairing), board).test_client()
    assert client.get("/").status_code == 303
    assert join(client, token=pairing.codes.token or "") == 303
    assert client.get("/").status_code == 200


@pytest.mark.parametrize(("ask", "offers"), [(Ask.ELSEWHERE, True), (Ask.ALWAYS, False)])
def test_devices_are_let_in_only_where_that_works(clock: Clock, board: SnapshotHub, ask: Ask, offers: bool) -> None:
    pairing = Pairing(clock, ask)
    client = create_app(AppConfig(pairing=pairing, addresses=Addresses(is_local=True)), board).test_client()
    join(client, token=pairing.codes.token or "")
    page = client.get("/pair").text
    assert ("/pair/open" in page) is offers
    assert "reach this table yet" in page
    assert (client.post("/pair/open").status_code == 403) is not offers


def test_unpaired_requests_do_not_fill_memory() -> None:
    pairing = Pairing(Clock(), limits=PairingLimits(600.0, TryLimits(addresses=3, of_one=1), PlaceLimits(devices=2)))
    for number in range(5):
        with pytest.raises(RefusedError, match="wrong"):
            pairing.join_with_pin("no", f"10.0.0.{number}", "?")
    assert len(pairing._tries._closed_until_s) == 3
    for number in range(2):
        pairing.join_with_pin(pairing.codes.pin, f"10.0.1.{number}", "?")
    with pytest.raises(RefusedError, match="full"):
        pairing.join_with_pin(pairing.codes.pin, "10.0.1.3", "?")


def test_pairing_pages_use_only_files_served_before_pairing(visit: Any) -> None:
    for page in (visit().get("/pair").text, visit().get("/pair?token=abc").text):
        assert re.findall(r'(?:src|href)="(/[^"?]+)', page.replace('href="/pair', "")) == ["/static/pair.css"]
        assert re.search(r"<script|\sstyle=|\son\w+=", page) is None


def test_devices_and_revocations_survive_a_restart(tmp_path: Path) -> None:
    place = tmp_path / "devices" / "8036.json"
    before = Pairing(Clock(), stored=StoredDevices(place))
    referee = before.join_with_token(before.codes.token or "", "192.168.1.7", "iPad")
    viewer = before.join_with_pin(before.codes.pin, "192.168.1.8", "iPhone")
    gone = before.join_with_pin(before.codes.pin, "192.168.1.9", "Linux")
    assert before.take_back(before.device(gone).key)  # type: ignore[union-attr]
    after = Pairing(Clock(), stored=StoredDevices(place))
    assert [after.role(cookie, is_this_machine=False) for cookie in (referee, viewer, gone)] == [
        Role.REFEREE,
        Role.VIEWER,
        None,
    ]
    assert [device.kind for device in after.devices()] == ["iPad", "iPhone"]
    assert after.codes.pin != before.codes.pin or after.codes.token != before.codes.token
    with pytest.raises(RefusedError, match="wrong"):
        after.join_with_token(before.codes.token or "old", "192.168.1.9", "?")
    assert place.stat().st_mode & 0o777 == 0o600 or os.name != "posix"


@pytest.mark.parametrize("content", ["", "[]", '{"secret": "00", "devices": []}', '{"secret": "zz", "devices": [{}]}'])
def test_damaged_devices_file_gives_no_access(tmp_path: Path, content: str) -> None:
    place = tmp_path / "8036.json"
    before = Pairing(Clock(), stored=StoredDevices(place))
    cookie = before.join_with_pin(before.codes.pin, "192.168.1.8", "?")
    place.write_text(content)
    after = Pairing(Clock(), stored=StoredDevices(place))
    assert (after.devices(), after.role(cookie, is_this_machine=False)) == ((), None)
    after.join_with_pin(after.codes.pin, "192.168.1.8", "?")
    assert len(StoredDevices(place).devices) == 1


def test_unwritable_devices_file_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "devices").write_text("a file")
    pairing = Pairing(Clock(), stored=StoredDevices(tmp_path / "devices" / "8036.json"))
    assert pairing.join_with_pin(pairing.codes.pin, "192.168.1.8", "?")
    assert "can't be kept there" in caplog.text


def test_unused_device_is_replaced_by_a_new_one(tmp_path: Path) -> None:
    place, limits = tmp_path / "8036.json", PairingLimits(places=PlaceLimits(devices=2))
    before = Pairing(Clock(), limits=limits, stored=StoredDevices(place))
    faithful, away = (before.join_with_pin(before.codes.pin, f"10.0.0.{number}", "?") for number in range(2))
    after = Pairing(Clock(), limits=limits, stored=StoredDevices(place))
    assert after.device(faithful) is not None
    after.join_with_pin(after.codes.pin, "10.0.0.3", "?")
    assert (after.device(faithful) is None, after.device(away) is None) == (False, True)
    with pytest.raises(RefusedError, match="full"):
        after.join_with_pin(after.codes.pin, "10.0.0.4", "?")


def test_many_viewers_of_one_address_do_not_block_others(visit: Any, pairing: Pairing, presses: list[Any]) -> None:
    guest = visit("192.168.1.9")
    join(guest, pin=pairing.codes.pin)
    for _ in range(98):
        assert join(visit(), pin=pairing.codes.pin) == 303
    assert len(pairing.devices()) == 21
    assert guest.get("/api/state").status_code == 200
    referee = visit("192.168.1.8")
    assert join(referee, token=pairing.codes.token or "") == 303
    assert referee.post("/api/press", json={"button": "done"}).status_code == 200


def test_places_are_reserved_for_referees_and_idle_viewers_are_replaced(pairing: Pairing, clock: Clock) -> None:
    viewers = [pairing.join_with_pin(pairing.codes.pin, f"10.0.0.{number}", "?") for number in range(80)]
    with pytest.raises(RefusedError, match="full"):
        pairing.join_with_pin(pairing.codes.pin, "10.0.1.1", "?")
    assert pairing.join_with_token(pairing.codes.token or "", "10.0.1.2", "iPad")
    gone: list[str] = []
    pairing.on_gone = gone.append
    clock.at_s += 601
    for viewer in viewers[1:]:
        pairing.device(viewer)
    idle = pairing.devices()[0].key
    assert pairing.join_with_pin(pairing.codes.pin, "10.0.1.1", "?")
    assert gone == [idle]


def test_device_with_a_stream_is_not_idle(pairing: Pairing, clock: Clock) -> None:
    for number in range(80):
        pairing.join_with_pin(pairing.codes.pin, f"10.0.0.{number}", "?")
    clock.at_s += 601
    for device in pairing.devices():
        pairing.record_contact(device.key)
    with pytest.raises(RefusedError, match="full"):
        pairing.join_with_pin(pairing.codes.pin, "10.0.1.1", "?")


def test_token_is_used_up_only_on_success(clock: Clock) -> None:
    pairing = Pairing(clock, limits=PairingLimits(places=PlaceLimits(devices=1)))
    first = pairing.join_with_token(pairing.codes.token or "", "10.0.0.1", "iPad")
    token = pairing.renew().token or ""
    with pytest.raises(RefusedError, match="full"):
        pairing.join_with_token(token, "10.0.0.2", "iPad")
    camera = pairing.camera_token()
    with pytest.raises(RefusedError, match="full"):
        pairing.join_with_token(camera, "10.0.0.2", "iPhone")
    assert pairing.is_for_camera(camera)
    assert pairing.take_back(pairing.device(first).key)  # type: ignore[union-attr]
    assert pairing.join_with_token(token, "10.0.0.2", "iPad")


def test_referee_replaces_a_viewer_if_all_places_are_taken(clock: Clock) -> None:
    pairing = Pairing(clock, limits=PairingLimits(places=PlaceLimits(devices=2, viewers=2)))
    viewers = [pairing.join_with_pin(pairing.codes.pin, f"10.0.0.{number}", "?") for number in range(2)]
    pairing.join_with_token(pairing.codes.token or "", "10.0.0.9", "iPad")
    assert [pairing.device(viewer) is None for viewer in viewers] == [True, False]


def test_wrong_pins_are_limited_over_all_addresses_and_do_not_block_tokens(pairing: Pairing, clock: Clock) -> None:
    for number in range(30):
        with pytest.raises(RefusedError, match="wrong"):
            pairing.join_with_pin("no", f"10.0.0.{number}", "?")
    with pytest.raises(RefusedError, match="closed") as refused:
        pairing.join_with_pin(pairing.codes.pin, "10.0.1.1", "?")
    assert refused.value.wait_s == 600.0
    with pytest.raises(RefusedError, match="closed"):
        pairing.join_with_token("guessed", "10.0.1.1", "?")
    assert pairing.join_with_token(pairing.codes.token or "", "10.0.1.1", "iPad")
    clock.at_s += 600.0
    assert pairing.join_with_pin(pairing.codes.pin, "10.0.1.1", "?")
