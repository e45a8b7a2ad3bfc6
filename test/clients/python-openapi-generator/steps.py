"""What the journey needs besides its client: the settings of the run, and a line for each step."""

import os
import time
from pathlib import Path
from typing import TypeVar

API_URL = os.environ["API_URL"]
API_KEY = os.environ["API_KEY"]
COLLEAGUE_ID = os.environ["COLLEAGUE_ID"]
COLLEAGUE_KEY = os.environ["COLLEAGUE_KEY"]
VIDEO = Path(os.environ["VIDEO"])
TARGET = "https://www.example.com/slates/order/5531"

T = TypeVar("T")
U = TypeVar("U")


def passed(step: int, detail: str) -> None:
    """Prints the line that run.ts counts."""
    print(f"ok {step} {detail}", flush=True)


def note(text: str) -> None:
    """Says what the client cannot express, for the table in openapi/CLIENTS.md."""
    print(f"note {text}", flush=True)


def check(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)


def present(value: T | None, what: str) -> T:
    if value is None:
        raise AssertionError(f"{what} is missing")
    return value


def a(kind: type[U], value: object) -> U:
    """The value, if it is of the one type that the journey expects here."""
    if not isinstance(value, kind):
        raise AssertionError(f"not a {kind.__name__}: {value}")
    return value


def pause(retry_after: str | int | None) -> None:
    """Waits as long as `Retry-After` asks; a job that is already finished carries none."""
    time.sleep(float(retry_after or 1))
