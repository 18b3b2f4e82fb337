"""Reads AIVDM sentences into position reports."""

from .arrivals import PositionReport


class ChecksumError(ValueError):
    """The two hexadecimal digits after the star do not fit the sentence."""


def checksum(sentence: str) -> int:
    value = 0
    for character in sentence:
        value ^= ord(character)
    return value


def sixbit(payload: str) -> list[int]:
    """Turns the armoured payload into bits."""
    bits = []
    for character in payload:
        code = ord(character) - 48
        if code > 40:
            code -= 8
        bits.extend((code >> shift) & 1 for shift in range(5, -1, -1))
    return bits


def unsigned(bits: list[int], start: int, length: int) -> int:
    value = 0
    for bit in bits[start : start + length]:
        value = value << 1 | bit
    return value


def decode(line: str) -> PositionReport:
    body, _, given = line.lstrip("!").partition("*")
    if checksum(body) != int(given[:2], 16):
        raise ChecksumError(line)
    bits = sixbit(body.split(",")[5])
    return PositionReport(
        mmsi=unsigned(bits, 8, 30),
        latitude=unsigned(bits, 89, 27) / 600_000,
        longitude=unsigned(bits, 61, 28) / 600_000,
        speed_knots=unsigned(bits, 50, 10) / 10,
    )
