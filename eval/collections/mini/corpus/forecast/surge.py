"""Storm surge: what wind and air pressure add to the astronomical tide."""

STANDARD_PRESSURE_HPA = 1013.25


def inverse_barometer_cm(pressure_hpa: float) -> float:
    """One hectopascal below the standard lifts the sea by about one centimetre."""
    return STANDARD_PRESSURE_HPA - pressure_hpa


def wind_setup_cm(speed: float, fetch_km: float, depth_m: float) -> float:
    """Water that wind piles up at the coast. Grows with the square of the speed."""
    if depth_m <= 0:
        raise ValueError("depth must be positive")
    return 3.2e-4 * speed**2 * fetch_km / depth_m * 100


def total_surge_cm(pressure_hpa: float, speed: float, fetch_km: float, depth_m: float) -> float:
    return inverse_barometer_cm(pressure_hpa) + wind_setup_cm(speed, fetch_km, depth_m)
