"""Every sentence that `docs/security.md` promises names the tests that prove it; its figures are the program's."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from features.enrolment.corrected_cards import CorrectionSettings
from features.enrolment.deck_file import MOST_ENTRIES
from features.moments import board_film, moment_film
from features.moments.moment_zip import MOST_FILM_BYTES
from features.notation import routes as notation_api
from tests.source_tree import ROOT, text_of
from vision.capture.decoder_process import DecoderLimits
from vision.capture.phone import PhoneSettings
from vision.capture.picture_limits import LIMITS
from webapp.commands.background_work import FILM_LIMITS, MOST_PREPARED
from webapp.json_limits import MOST_BYTES, MOST_DEPTH, MOST_LINES, MOST_VALUES
from webapp.live.timed_process import LONGEST_JUDGING_S
from webapp.match.stored_matches import MOST_AT_ONCE
from webapp.store.labelled_pictures import LabelledPictures
from webapp.web.admission import MOST_OF_ONE, REQUESTS
from webapp.web.api import LONGEST_PRESS_BYTES
from webapp.web.app_services import AppConfig
from webapp.web.downloads import DOWNLOADS
from webapp.web.pairing_limits import PlaceLimits, TryLimits
from webapp.web.serving import LONGEST_REQUEST_BYTES, MOST_UNREAD_BYTES, THREADS, ConnectionLimits
from webapp.web.stream_places import PlaceShares

LABELLED, CORRECTED = LabelledPictures(), CorrectionSettings()
TEXT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
PROMISES = " ".join(TEXT.partition("## What is promised")[2].partition("## What is not promised")[0].split())

WEB, LIVE, STORE, CAPTURE = "tests/webapp/web/", "tests/webapp/live/", "tests/webapp/store/", "tests/vision/capture/"
CALLS = "tests/webapp/commands/test_calls_out.py"
TESTS: dict[str, tuple[str, ...]] = {
    "kozyr looks up no name": (
        f"{CALLS}::test_demo_calls_nobody",
        f"{CALLS}::test_set_up_calls_nobody",
        f"{CALLS}::test_hall_calls_nobody",
        f"{CALLS}::test_read_calls_nobody",
        f"{CALLS}::test_workers_of_a_review_call_nobody",
        f"{CALLS}::test_packages_that_import_the_networks_runtimes_set_the_variable_first",
    ),
    "A camera's address and": (
        f"{CAPTURE}test_rtsp_redirect.py::test_rtsp_redirect_is_not_followed",
        "tests/features/hall/test_notification.py::test_redirect_or_invalid_answer_counts_as_failure",
    ),
    "Every request is checked in one place": (
        f"{WEB}test_roles_of_routes.py::test_only_the_described_roles_have_access",
        f"{WEB}test_roles_of_routes.py::test_path_variants_give_no_access_without_a_role",
        f"{WEB}test_http_routes.py::test_routes_that_change_something_are_for_a_referee",
    ),
    "Only the address of the connection counts": (
        f"{WEB}test_pairing.py::test_request_headers_do_not_make_a_request_local",
    ),
    "A cookie is signed": (
        f"{WEB}test_pairing.py::test_forged_cookie_is_refused",
        f"{WEB}test_pairing.py::test_referee_lists_devices_and_revokes_roles",
        f"{WEB}test_pairing.py::test_revoked_role_ends_the_live_stream",
        f"{WEB}test_stream_places.py::test_part_that_came_while_the_place_was_lost_is_not_sent",
    ),
    "Requests must name this machine": (
        f"{WEB}test_pages.py::test_unknown_host_name_is_refused",
        f"{WEB}test_pages.py::test_foreign_origin_is_refused",
        f"{WEB}test_api.py::test_press_with_a_cross_site_header_is_refused",
        f"{WEB}test_api.py::test_other_sites_may_link_and_not_embed",
        f"{WEB}test_reading_changes_nothing.py::test_no_get_changes_anything",
        "tests/browser/test_foreign_pages.py::test_page_of_another_site_embeds_nothing",
        f"{WEB}test_pages.py::test_pages_load_nothing_from_other_hosts",
        f"{WEB}test_pages.py::test_content_security_policy_forbids_other_hosts",
    ),
    "20 viewers an address": (
        f"{WEB}test_pairing.py::test_many_viewers_of_one_address_do_not_block_others",
        f"{WEB}test_pairing.py::test_places_are_reserved_for_referees_and_idle_viewers_are_replaced",
        f"{WEB}test_pairing.py::test_device_with_a_stream_is_not_idle",
        f"{WEB}test_pairing.py::test_token_is_used_up_only_on_success",
    ),
    "Five wrong codes": (
        f"{WEB}test_pairing.py::test_five_wrong_pins_block_an_address_for_a_minute",
        f"{WEB}test_pairing.py::test_wrong_pins_are_limited_over_all_addresses_and_do_not_block_tokens",
    ),
    "200 connections": (
        f"{WEB}test_connections.py::test_hundred_idle_connections_do_not_block_others",
        f"{WEB}test_connections.py::test_idle_client_is_disconnected",
        f"{WEB}test_connections.py::test_longest_idle_connection_is_closed_first",
        f"{WEB}test_connections.py::test_client_that_does_not_read_blocks_no_thread_for_long",
    ),
    "A device has eight requests": (
        f"{WEB}test_busy_devices.py::test_ninth_concurrent_request_of_a_device_is_refused",
        f"{WEB}test_busy_devices.py::test_guests_leave_threads_to_referees",
        f"{WEB}test_busy_devices.py::test_guests_of_one_address_leave_threads_to_others",
        f"{WEB}test_stream_places.py::test_guests_leave_a_fifth_to_referees_however_many_devices_they_pair",
        f"{WEB}test_stream_places.py::test_guests_of_one_address_leave_places_to_others",
    ),
    "So of 96 threads": (
        f"{WEB}test_busy_devices.py::test_all_places_together_are_fewer_than_threads",
        f"{WEB}test_stream_places.py::test_referee_gets_the_place_of_a_guest_where_all_are_taken",
    ),
    "Archives are made as they are sent": (
        f"{WEB}test_connections.py::test_62_requests_for_a_film_or_archive_that_never_read_do_not_block_pages",
        f"{WEB}test_connections.py::test_connections_whose_answers_nobody_reads_are_closed_beyond_a_limit",
    ),
    "**What others send is bounded": (
        f"{WEB}test_connections.py::test_too_long_body_is_refused",
        f"{WEB}test_api.py::test_too_long_press_is_refused",
        "tests/features/notation/test_notation_api.py::test_too_long_text_is_refused",
        "tests/features/notation/test_notation_api.py::test_stopping_a_text_ends_the_process_that_judges_it",
        "tests/features/moments/test_json_limits.py::test_error_names_the_limit",
        "tests/features/moments/test_json_limits.py::test_file_that_unpacks_to_gigabytes_is_refused_in_little_memory",
        f"{CAPTURE}test_image_files.py::test_picture_with_huge_claimed_size_is_refused_before_decoding",
        f"{CAPTURE}test_image_files.py::test_jpeg_of_108_megapixels_is_reduced_while_decoding",
        f"{CAPTURE}test_image_files.py::test_jpeg_of_too_many_scans_is_refused_before_decoding",
        f"{CAPTURE}test_image_files.py::test_jpeg_with_a_scan_for_each_component_is_not_taken_for_a_reducible_one",
        "tests/features/moments/test_moment_film.py::test_caption_that_would_grow_is_refused_in_little_memory",
        "tests/features/enrolment/test_deck_file.py::test_changed_byte_is_detected",
    ),
    "A value that can't be": (
        f"{WEB}test_damaged_matches.py::test_impossible_value_is_one_sentence_on_every_route",
        "tests/features/moments/test_moments.py::test_moment_with_impossible_values_is_one_sentence",
        "tests/webapp/test_fuzz_inputs.py::test_random_input_is_answered_or_refused_with_one_sentence",
    ),
    "Files are opened by what they are": (f"{CAPTURE}test_containers.py::test_playlist_of_other_files_is_refused",),
    "Redirects of streams": (
        f"{CAPTURE}test_containers.py::test_stream_redirect_to_another_host_is_not_followed",
        f"{CAPTURE}test_rtsp_redirect.py::test_rtsp_redirect_is_not_followed",
        "tests/features/hall/test_notification.py::test_redirect_or_invalid_answer_counts_as_failure",
    ),
    "Of a camera's address": (
        f"{LIVE}test_stream_secrets.py::test_address_is_shown_without_its_secret_everywhere",
        f"{LIVE}test_stream_secrets.py::test_address_without_a_secret_names_its_stream",
    ),
    "What a referee enters": (
        f"{LIVE}test_stream_secrets.py::test_page_shows_no_password_and_accepts_the_shown_address",
    ),
    "Whole addresses, pairing keys": (
        f"{STORE}test_database.py::test_own_store_is_readable_by_its_owner_alone",
        f"{LIVE}test_stream_secrets.py::test_file_of_last_games_has_no_password_and_is_private",
        f"{WEB}test_tls.py::test_keys_are_readable_only_by_the_owner",
        "tests/webapp/commands/test_pairing.py::test_pairing_file_is_private_and_updated_with_the_codes",
    ),
    "A line is committed before": (
        f"{STORE}test_match_writer.py::test_line_is_in_the_store_when_write_returns",
        f"{STORE}test_match_writer.py::test_lines_of_a_full_disk_survive_a_kill_in_the_room_that_was_held",
        f"{STORE}test_match_writer.py::test_page_says_which_lines_are_in_memory_alone",
        f"{STORE}test_kills.py::test_ten_kills_lose_no_line",
        f"{WEB}test_api.py::test_storage_failure_is_in_state_health_and_stream",
    ),
    "A press is answered 200": (
        "tests/webapp/commands/test_kept_presses.py::test_presses_answered_200_are_in_the_record_after_a_kill",
        f"{LIVE}test_runtime.py::test_answer_to_a_press_is_its_line_and_whether_that_is_kept",
        f"{WEB}test_api.py::test_answer_to_a_press_says_whether_its_line_is_kept",
    ),
    "A failure of a background thread": (
        f"{LIVE}test_runtime.py::test_internal_error_stops_the_referee_and_is_reported",
        f"{LIVE}test_runtime.py::test_failing_store_is_reported_while_it_fails",
        f"{LIVE}test_runtime.py::test_failing_source_is_reported_and_blocks_the_table",
    ),
    "A kept match of more than": (
        f"{WEB}test_long_matches.py::test_long_match_is_judged_once_by_a_job_and_then_shown",
        f"{WEB}test_long_matches.py::test_judging_is_cancelled_by_hand_and_begins_again_when_asked",
        f"{WEB}test_long_matches.py::test_judging_that_takes_too_long_says_its_limit",
        f"{WEB}test_long_matches.py::test_crowd_of_long_matches_is_limited",
        "tests/webapp/match/test_stored_matches.py::test_match_is_long_by_its_lines_and_their_alternatives",
        "tests/browser/test_judging_page.py::test_long_match_opens_by_itself_once_it_is_judged",
    ),
    "Its corrections are made there": (
        f"{WEB}test_long_matches.py::test_long_match_is_corrected_by_a_job_and_its_view_is_made_in_a_process",
        f"{WEB}test_long_matches.py::test_correction_of_a_long_match_can_be_stopped_and_changes_nothing_then",
    ),
    "A record or a game in notation": ("tests/features/notation/test_convert.py::test_endless_input_is_refused",),
    "HEIC and AVIF, whose decoders": (
        f"{CAPTURE}test_decoder_process.py::test_picture_that_kills_the_decoder_is_a_sentence_and_the_next_is_read",
        f"{CAPTURE}test_decoder_process.py::test_process_is_started_once_and_again_after_it_died",
        f"{CAPTURE}test_decoder_process.py::test_picture_that_takes_too_long_is_given_up",
        f"{CAPTURE}test_decoder_process.py::test_picture_that_takes_too_much_memory_is_given_up",
    ),
    "Its beginning, by which the page": (
        f"{CAPTURE}test_decoder_process.py::test_beginning_of_a_film_is_decoded_there",
        f"{CAPTURE}test_decoder_process.py::test_film_whose_decoder_dies_or_takes_too_long_is_a_sentence",
        f"{WEB}test_film_upload.py::test_film_that_kills_its_decoder_is_a_sentence_and_is_dropped",
        f"{WEB}test_film_upload.py::test_no_film_that_was_handed_in_is_decoded_by_the_program_itself",
        f"{LIVE}test_background_jobs.py::test_job_result_is_kept_and_a_failure_is_one_sentence",
        f"{LIVE}test_background_jobs.py::test_job_that_takes_too_much_memory_fails_with_one_sentence",
        f"{WEB}test_film_upload.py::test_job_of_a_film_has_a_limit_of_memory",
    ),
    "Values of the store are read": (
        f"{STORE}test_damaged_rows.py::test_damaged_value_costs_only_its_own_match",
        f"{STORE}test_damaged_rows.py::test_damaged_match_is_listed_with_what_can_be_saved",
    ),
}
"""Beginning of a sentence -> its tests."""


def sentences() -> list[str]:
    """Return the promises sentence by sentence, without the bold headings that are sentences of their own."""
    bare = re.sub(r"\*\*[^*]+\.\*\*|(?:^|(?<= ))- (?=\*\*)", "", PROMISES)
    return [sentence.strip() for sentence in re.split(r"(?<=\.) +", bare) if sentence.strip()]


@cache
def named_in(path: str) -> frozenset[str]:
    return frozenset(node.name for node in ast.parse(text_of(ROOT / path)).body if isinstance(node, ast.FunctionDef))


def test_every_promise_names_its_tests() -> None:
    unproven = [sentence for sentence in sentences() if not any(sentence.startswith(begin) for begin in TESTS)]
    assert unproven == []
    assert [begin for begin in TESTS if not any(sentence.startswith(begin) for sentence in sentences())] == []


@pytest.mark.parametrize("named", sorted({test for tests in TESTS.values() for test in tests}))
def test_named_test_exists(named: str) -> None:
    path, _, name = named.partition("::")
    assert name in named_in(path)


def test_figures_of_the_promises_are_those_of_the_program() -> None:
    places, tries, connections = PlaceLimits(), TryLimits(), ConnectionLimits()
    streams = PlaceShares.of(AppConfig().streams)
    for figure in (
        f"{places.of_one} viewers an address and {places.viewers} in all, of {places.devices} devices",
        f"{tries.of_all} in ten minutes close PIN entry",
        f"{connections.most} connections, {connections.most_of_one} of one address",
        f"silent for {connections.idle_s} s, or takes no byte of an answer for {connections.write_s} s",
        f"guests {REQUESTS.of_guests} together and {REQUESTS.of_one_address} of one address",
        f"{streams.most} streams ({streams.of_guests} of guests)",
        f"{DOWNLOADS.most} films or archives ({DOWNLOADS.of_guests} of guests)",
        f"of {THREADS} threads",
        f"{MOST_UNREAD_BYTES >> 20} MB wait for slow readers",
        f"requests {LONGEST_REQUEST_BYTES >> 20} MB (a press {LONGEST_PRESS_BYTES >> 10} kB)",
        f"notation {notation_api.MOST_BYTES >> 10} kB",
        f"moment {MOST_BYTES >> 20} MB, {MOST_LINES:,} lines, {MOST_DEPTH} brackets",
        f"picture {LIMITS.most_pixels // 10**6} megapixels (a JPEG {LIMITS.most_jpeg_pixels // 10**6}",
        f"and {LIMITS.most_scans} scans",
        f"more than {MOST_AT_ONCE:,} lines",
        f"of its own, for {LONGEST_JUDGING_S:.0f} s at most; its page",
        f"reads has {MOST_BYTES >> 20} MB at most",
        f"{DecoderLimits().memory_bytes >> 30} GB of memory and {DecoderLimits().seconds:g} s for each picture",
        f"{FILM_LIMITS.memory_bytes >> 30} GB of memory and {FILM_LIMITS.seconds:g} s as well",
        f"{FILM_LIMITS.memory_bytes >> 30} GB of memory, too",
    ):
        assert figure in PROMISES
    assert MOST_PREPARED == 4
    assert (places.idle_s, tries.of_one, tries.closed_s, tries.of_all_s, MOST_OF_ONE) == (600, 5, 60, 600, 8)


def test_figures_of_what_is_produced_are_those_of_the_program() -> None:
    table = TEXT.partition("## What is produced at most")[2].partition("\n## ")[0]
    whole = f"{LIMITS.most_pixels // 10**6} megapixels"
    for figure in (
        f"| {whole}, {LIMITS.least_side_px} px, sides 1 to {LIMITS.slimmest:g}; {LIMITS.most_bytes >> 20} MB |",
        f"| {LIMITS.most_jpeg_pixels // 10**6} megapixels |",
        f"| {whole}, {LIMITS.most_scans} scans, {LIMITS.most_segments:,} segments |",
        f"| a caption | {moment_film.MOST_PIXELS:,} px, wider than high |",
        f"| {board_film.MOST_PIXELS:,} px, {board_film.MOST_FRAMES} of them, one in memory |",
        f"| {MOST_BYTES >> 20} MB, {MOST_LINES:,} lines, {MOST_VALUES:,} values, {MOST_DEPTH} brackets |",
        f"| {MOST_FILM_BYTES:,} bytes, whatever the zip file states |",
        f"| {LABELLED.largest_bytes:,} bytes, {LABELLED.most:,} of them; {CORRECTED.most} are read,",
        f"are read, of {CORRECTED.most_px:,} px |",
    ):
        assert figure in table
    assert PhoneSettings().most_pixels == 3840 * 2160
    assert MOST_ENTRIES == 1000
