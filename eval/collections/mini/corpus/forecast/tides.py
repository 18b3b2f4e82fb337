"""Tide prediction from harmonic constituents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timezone

EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Constituent:
    """One sine wave of the tide: M2 is the moon's, S2 the sun's."""

    name: str
    amplitude_cm: float
    degrees_per_hour: float
    phase: float


class TideModel:
    """Height of water above chart datum."""

    def __init__(self, mean_cm: float, constituents: list[Constituent]) -> None:
        self.mean_cm = mean_cm
        self.constituents = constituents

    def height(self, moment: datetime) -> float:
        hours = (moment - EPOCH).total_seconds() / 3600
        waves = (
            part.amplitude_cm
            * math.cos(math.radians(part.degrees_per_hour * hours - part.phase))
            for part in self.constituents
        )
        return self.mean_cm + sum(waves)

    def extremes(self, start: datetime, hours: int, step_minutes: int = 6):
        """Yields high and low waters by looking for a change of sign in the slope."""
        previous_slope = 0.0
        last = self.height(start)
        for index in range(1, hours * 60 // step_minutes):
            moment = datetime.fromtimestamp(start.timestamp() + index * step_minutes * 60, timezone.utc)
            height = self.height(moment)
            slope = height - last
            if previous_slope * slope < 0:
                yield ("high" if slope < 0 else "low", moment, height)
            previous_slope, last = slope, height
