from datetime import datetime, timezone

from forecast.tides import Constituent, TideModel

MOON = Constituent("M2", 150.0, 28.984, 0.0)


def test_two_high_waters_a_day():
    model = TideModel(300.0, [MOON])
    start = datetime(2024, 3, 1, tzinfo=timezone.utc)
    highs = [kind for kind, _, _ in model.extremes(start, 24) if kind == "high"]
    assert len(highs) == 2


def test_mean_without_waves():
    assert TideModel(300.0, []).height(datetime.now(timezone.utc)) == 300.0
