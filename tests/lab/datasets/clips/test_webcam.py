"""Simulated webcam: exposure, frame rate, palette, noise; and arms of requested size and pattern."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from datasets.clips.arms import ArmStyle, model_arm
from datasets.clips.auto_exposure import Servo, white_gains
from datasets.clips.lists import ListError, read_list
from datasets.clips.palette import Palette
from datasets.clips.recipes import arm_styles, drawn, light_of
from datasets.clips.webcam import Webcam, WebcamStyle
from datasets.decks.library import default_art


@pytest.mark.parametrize(("overshoot", "least", "most"), [(0.0, 0.9, 1.0), (0.3, 1.25, 1.35)])
def test_servo_overshoots_by_the_requested_share(overshoot: float, least: float, most: float) -> None:
    servo = Servo(0.5, overshoot, np.zeros(1))
    way = [float(servo.follow(np.ones(1), 0.04)[0]) for _ in range(100)]
    assert least < max(way) < most
    assert abs(way[-1] - 1) < 0.02


def test_white_card_changes_the_white_balance_of_a_green_cloth() -> None:
    cloth = np.full((36, 64, 3), (90, 110, 40), np.float32)
    with_card = cloth.copy()
    with_card[10:20, 10:20] = 220
    blue, green, red = white_gains(cloth)
    assert blue < 0.8 < green == 1.0 < 1.2 < red
    assert white_gains(with_card) == pytest.approx((1, 1, 1), abs=0.01)


def test_slow_camera_makes_fewer_pictures_at_irregular_intervals() -> None:
    webcam = Webcam(WebcamStyle(rate=10.0), np.random.default_rng(1))
    made = [k for k in range(300) if webcam.is_due(k / 30)]
    assert 85 < len(made) < 115
    assert len(set(np.diff(made))) > 1
    always = Webcam(WebcamStyle(), np.random.default_rng(1))
    assert all(always.is_due(k / 30) for k in range(30))


def test_gif_palette_has_256_colours_close_to_the_picture() -> None:
    chance = np.random.default_rng(2)
    picture = np.clip(chance.normal(120, 40, (90, 160, 3)), 0, 255).astype(np.uint8)
    reduced = Palette().reduce(picture, 0.0)
    assert len(np.unique(reduced.reshape(-1, 3), axis=0)) <= 256 < len(np.unique(picture.reshape(-1, 3), axis=0))
    assert np.abs(reduced.astype(int) - picture).mean() < 16


def test_noise_has_the_requested_strength() -> None:
    grey = np.full((72, 128, 3), 120, np.uint8)
    noisy = Webcam(WebcamStyle(noise=6.0), np.random.default_rng(3)).see(grey, 0.0)
    assert 4 < float(noisy.std()) < 10


def test_shutter_time_is_independent_of_the_frame_rate() -> None:
    slow = drawn(5, plays=["beside"], fps=10, webcam={"shutter_ms": 50.0, "rolling_ms": 20.0})
    quick = drawn(5, plays=["beside"], fps=25, webcam={"shutter_ms": 50.0, "rolling_ms": 20.0})
    assert (light_of(slow).shutter, light_of(quick).shutter) == pytest.approx((0.5, 1.25))
    assert (light_of(slow).rolling, light_of(quick).rolling) == pytest.approx((0.2, 0.5))
    assert light_of(drawn(5, plays=["beside"])) == drawn(5, plays=["beside"]).light


def test_arms_have_the_requested_shade_and_pattern() -> None:
    usual = arm_styles(drawn(5, plays=["beside"], seats=2), ("A", "B"))
    dark = arm_styles(drawn(5, plays=["beside"], seats=2, arms={"shade": 0.5, "pattern": "checks"}), ("A", "B"))
    for seat, appearance in dark.items():
        assert appearance.skin == pytest.approx(tuple(0.5 * c for c in usual[seat].skin))
        assert appearance.pattern == "checks"


def test_spread_fingers_leave_gaps_and_arm_size_is_scaled() -> None:
    usual = model_arm("pinch", ArmStyle(), (0.0, 0.0, 1.0))
    fanned = model_arm("pinch", ArmStyle(spread=0.8), (0.0, 0.0, 1.0))
    large = model_arm("pinch", ArmStyle(size=1.3), (0.0, 0.0, 1.0))
    hands = [arm.outline_mm[arm.outline_mm[:, 0] > -90] for arm in (usual, fanned)]
    assert np.ptp(hands[1][:, 1]) > 1.15 * np.ptp(hands[0][:, 1])
    assert np.ptp(large.outline_mm[:, 1]) == pytest.approx(1.3 * np.ptp(usual.outline_mm[:, 1]), rel=0.02)


def test_patterned_and_plain_sleeves_differ() -> None:
    plain, striped = (model_arm("pinch", ArmStyle(pattern=name), (0.0, 0.0, 1.0)) for name in ("", "stripes"))
    assert plain.texture.shape == striped.texture.shape
    assert float(np.abs(plain.texture.astype(int) - striped.texture).mean()) > 3


def test_list_with_unknown_keys_of_light_or_arms_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "list.toml"
    path.write_text('[[clip]]\nname = "a"\nseed = 1\nplays = ["beside"]\narms = { wings = 2 }\n')
    with pytest.raises(ListError, match=r"expected arms with some of .*spread.*, got wings"):
        read_list(path)


@pytest.mark.skipif(default_art() is None, reason="the photographed tables lie in art beside the checkout")
def test_list_of_webcams_is_valid() -> None:
    from pathlib import Path

    clips = read_list(Path("benchmarks/photographed_webcam.toml"))
    assert len(clips) == 8
    assert all(clip.recipe.webcam is not None and clip.recipe.arms for clip in clips)
    assert replace(clips[0].recipe, arms={}) != clips[0].recipe
