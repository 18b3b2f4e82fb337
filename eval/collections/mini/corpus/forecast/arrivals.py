"""Estimated times of arrival from position reports."""

from dataclasses import dataclass
from math import asin, cos, radians, sin, sqrt

EARTH_RADIUS_NM = 3440.065


@dataclass
class PositionReport:
    """One AIS message."""

    mmsi: int
    latitude: float
    longitude: float
    speed_knots: float


def distance_nm(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Great-circle distance in nautical miles (haversine)."""
    lat1, lon1, lat2, lon2 = map(radians, (*a, *b))
    h = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_NM * asin(sqrt(h))


def smooth_speed(reports: list[PositionReport], keep: float = 0.7) -> float:
    """Exponential moving average, so that one bad report does not move the ETA by hours."""
    speed = reports[0].speed_knots
    for report in reports[1:]:
        speed = keep * speed + (1 - keep) * report.speed_knots
    return speed


def hours_to_go(reports: list[PositionReport], pilot_station: tuple[float, float]) -> float | None:
    """Hours until the pilot boards; None for a vessel that does not move."""
    speed = smooth_speed(reports)
    if speed < 0.5:
        return None
    last = reports[-1]
    return distance_nm((last.latitude, last.longitude), pilot_station) / speed
