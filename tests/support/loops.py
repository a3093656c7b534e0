"""Coroutines run to their end from a thread where Playwright may keep an event loop of its own."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns, run in a thread."""
    with ThreadPoolExecutor(1) as stage:
        return stage.submit(asyncio.run, coroutine).result()
