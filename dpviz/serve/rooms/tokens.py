"""What phones and browsers of a lecturer are known by, all of it made from the room's secret.

A phone's token says from which address it joined, by a mark, and is vouched for by a signature: so
a room knows its phones again without keeping anything of those who have gone.
"""

import secrets
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

LETTERS = "bcdfghjkmnpqrtvwxz"  # none that is read as another, and no words of them
_KEY, _WORD = 10, 8  # letters


def _sign(secret: str, text: str, purpose: str) -> bytes:
    keyed = blake2b(
        text.encode(), digest_size=12, key=secret.encode()[:64], person=purpose.encode()
    )
    return keyed.digest()


def door_key(secret: str) -> str:
    """Return the part of a room's address that a QR code has, and a typed code has not."""
    number = int.from_bytes(_sign(secret, "", "door"), "big")
    return "".join(LETTERS[number // len(LETTERS) ** place % len(LETTERS)] for place in range(_KEY))


def reading_key(secret: str) -> str:
    """Return what lets a lecturer's page read, and nothing else: links may hold it."""
    return _text(_sign(secret, "", "read"))


def speaking_key(secret: str) -> str:
    """Return what lets the speaker's view hear what the class does not see; no link holds it."""
    return _text(_sign(secret, "", "speak"))


def fresh_word() -> str:
    """Return a word to stand on the screen; a thousand guesses a second find none in a lesson."""
    return "".join(secrets.choice(LETTERS) for _ in range(_WORD))


def network_here(secret: str, network: str) -> str:
    """Return the mark that an address has in a room, and in no other."""
    return _sign(secret, network, "network")[:4].hex()


def fresh_token(secret: str, network: str, era: int) -> str:
    """Return what a phone is known by. network: a mark of its address; era: see `era_of`."""
    content = f"{secrets.token_urlsafe(9)}.{network}.{era}"
    return f"{content}.{_text(_sign(secret, content, 'phone'))}"


def is_token(secret: str, token: str) -> bool:
    """Return whether a room with this secret has given this token out."""
    content, _, signature = token[:200].rpartition(".")
    real = _text(_sign(secret, content, "phone"))
    return content.count(".") == 2 and secrets.compare_digest(signature.encode(), real.encode())


def network_of(token: str) -> str:
    """Return the mark of the address from which a phone has joined."""
    return token.split(".")[1] if token.count(".") == 3 else ""


def era_of(token: str) -> int:
    """Return how often the door had changed when a token was given out: see `Room.era`."""
    return int(token.split(".")[2])


def giving_way(phones: Iterable[str], newcomer: str) -> str | None:
    """Return which phone of a full house makes place for a newcomer: the last of the largest crowd.

    None if the newcomer's own address has as many already: nobody is shut out by one address.
    """
    listed = list(phones)
    crowds = Counter(map(network_of, listed))
    (largest, most), *_ = crowds.most_common(1)
    if crowds[network_of(newcomer)] + 1 >= most:
        return None
    return next(phone for phone in reversed(listed) if network_of(phone) == largest)


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).decode()
