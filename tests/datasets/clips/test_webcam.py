"""A webcam's slow exposure, its pictures a second, its few colours, and arms as large and as patterned as asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from datasets.clips.arms import ArmStyle, model_arm
from datasets.clips.auto_exposure import Servo, white_gains
from datasets.clips.lists import ListError, read_list
from datasets.clips.palette import Palette
from datasets.clips.recipes import drawn, light_of, looks
from datasets.clips.webcam import Webcam, WebcamStyle
from datasets.decks.library import default_art


@pytest.mark.parametrize(("overshoot", "least", "most"), [(0.0, 0.9, 1.0), (0.3, 1.25, 1.35)])
def test_a_servo_goes_too_far_by_as_much_as_was_asked(overshoot: float, least: float, most: float) -> None:
    servo = Servo(0.5, overshoot, np.zeros(1))
    way = [float(servo.follow(np.ones(1), 0.04)[0]) for _ in range(100)]
    assert least < max(way) < most
    assert abs(way[-1] - 1) < 0.02


def test_a_white_card_changes_the_colours_of_a_green_cloth() -> None:
    cloth = np.full((36, 64, 3), (90, 110, 40), np.float32)
    with_card = cloth.copy()
    with_card[10:20, 10:20] = 220
    blue, green, red = white_gains(cloth)
    assert blue < 0.8 < green == 1.0 < 1.2 < red
    assert white_gains(with_card) == pytest.approx((1, 1, 1), abs=0.01)


def test_a_slow_camera_makes_fewer_pictures_than_the_film_has_frames() -> None:
    webcam = Webcam(WebcamStyle(rate=10.0), np.random.default_rng(1))
    made = [k for k in range(300) if webcam.is_due(k / 30)]
    assert 85 < len(made) < 115
    assert len(set(np.diff(made))) > 1
    always = Webcam(WebcamStyle(), np.random.default_rng(1))
    assert all(always.is_due(k / 30) for k in range(30))


def test_a_gif_has_256_colours_and_is_still_the_same_picture() -> None:
    chance = np.random.default_rng(2)
    picture = np.clip(chance.normal(120, 40, (90, 160, 3)), 0, 255).astype(np.uint8)
    reduced = Palette().reduce(picture, 0.0)
    assert len(np.unique(reduced.reshape(-1, 3), axis=0)) <= 256 < len(np.unique(picture.reshape(-1, 3), axis=0))
    assert np.abs(reduced.astype(int) - picture).mean() < 16


def test_noise_is_as_strong_as_asked() -> None:
    grey = np.full((72, 128, 3), 120, np.uint8)
    noisy = Webcam(WebcamStyle(noise=6.0), np.random.default_rng(3)).see(grey, 0.0)
    assert 4 < float(noisy.std()) < 10


def test_the_shutter_counts_in_milliseconds_whatever_the_rate() -> None:
    slow = drawn(5, plays=["beside"], fps=10, webcam={"shutter_ms": 50.0, "rolling_ms": 20.0})
    quick = drawn(5, plays=["beside"], fps=25, webcam={"shutter_ms": 50.0, "rolling_ms": 20.0})
    assert (light_of(slow).shutter, light_of(quick).shutter) == pytest.approx((0.5, 1.25))
    assert (light_of(slow).rolling, light_of(quick).rolling) == pytest.approx((0.2, 0.5))
    assert light_of(drawn(5, plays=["beside"])) == drawn(5, plays=["beside"]).light


def test_arms_are_as_a_list_wants_them() -> None:
    usual = looks(drawn(5, plays=["beside"], seats=2), ("A", "B"))
    dark = looks(drawn(5, plays=["beside"], seats=2, arms={"shade": 0.5, "pattern": "checks"}), ("A", "B"))
    for seat, look in dark.items():
        assert look.skin == pytest.approx(tuple(0.5 * c for c in usual[seat].skin))
        assert look.pattern == "checks"


def test_fanned_fingers_leave_gaps_and_a_larger_arm_is_larger() -> None:
    usual = model_arm("pinch", ArmStyle(), (0.0, 0.0, 1.0))
    fanned = model_arm("pinch", ArmStyle(spread=0.8), (0.0, 0.0, 1.0))
    large = model_arm("pinch", ArmStyle(size=1.3), (0.0, 0.0, 1.0))
    hands = [arm.outline_mm[arm.outline_mm[:, 0] > -90] for arm in (usual, fanned)]
    assert np.ptp(hands[1][:, 1]) > 1.15 * np.ptp(hands[0][:, 1])
    assert np.ptp(large.outline_mm[:, 1]) == pytest.approx(1.3 * np.ptp(usual.outline_mm[:, 1]), rel=0.02)


def test_patterned_sleeves_differ_from_plain_ones() -> None:
    plain, striped = (model_arm("pinch", ArmStyle(pattern=name), (0.0, 0.0, 1.0)) for name in ("", "stripes"))
    assert plain.texture.shape == striped.texture.shape
    assert float(np.abs(plain.texture.astype(int) - striped.texture).mean()) > 3


def test_a_list_may_use_only_known_words_of_light_and_arms(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "list.toml"
    path.write_text('[[clip]]\nname = "a"\nseed = 1\nplays = ["beside"]\narms = { wings = 2 }\n')
    with pytest.raises(ListError, match=r"expected arms with some of .*spread.*, got wings"):
        read_list(path)


@pytest.mark.skipif(default_art() is None, reason="the photographed tables lie in art beside the checkout")
def test_the_list_of_webcams_can_be_read() -> None:
    from pathlib import Path

    clips = read_list(Path("benchmarks/photographed_webcam.toml"))
    assert len(clips) == 8
    assert all(clip.recipe.webcam is not None and clip.recipe.arms for clip in clips)
    assert replace(clips[0].recipe, arms={}) != clips[0].recipe
