r"""Formulas as MathML, which browsers draw without a script: of LaTeX, what our prose has of it.

Texts that readers write are drawn by Streamlit's KaTeX; all others, on pages, phones and in files,
need none of its scripts and fonts. Whoever wrote a formula, perhaps in a link: only what is known
here is let through, and no deeper than it must be.
"""

import re
from collections.abc import Callable
from html import escape

# Possessive: what has been taken is not given back, so the time grows with a text's length alone.
_WORDS = re.compile(r"\\(?:text|mathrm|operatorname)\s*+\{([^{}]*+)\}")
_TOKEN = re.compile(rf"{_WORDS.pattern}|\\[A-Za-z]++|\\.|\d++(?:\.\d++)?|\s++|.", re.DOTALL)
_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ϵ",
    "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "varphi": "φ", "phi": "ϕ",
    "chi": "χ", "psi": "ψ", "omega": "ω", "ell": "ℓ",
}  # fmt: skip
_UPRIGHT = {
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ",
    "Omega": "Ω", "infty": "∞", "bot": "⊥", "emptyset": "∅",
}  # fmt: skip
_SIGNS = {
    "le": "≤", "ge": "≥", "ne": "≠", "sim": "∼", "approx": "≈", "to": "→", "propto": "∝",
    "times": "×", "cdot": "·", "pm": "±", "in": "∈", "preceq": "⪯", "mid": "∣", "ldots": "…",
    "dots": "…", "|": "∥", "{": "{", "}": "}", "%": "%", "colon": ":", "cup": "∪", "cap": "∩",
    "subseteq": "⊆", "setminus": "∖", "forall": "∀", "exists": "∃", "neg": "¬", "ll": "≪",
    "gg": "≫", "equiv": "≡", "mapsto": "↦", "leq": "≤", "geq": "≥", "neq": "≠", "lt": "<",
    "gt": ">", "notin": "∉", "subset": "⊂", "cdots": "⋯", "Rightarrow": "⇒", "iff": "⟺",
    "bmod": "mod",
}  # fmt: skip
_BRACKETS = {
    "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩",
    "lVert": "∥", "rVert": "∥", "lvert": "|", "rvert": "|", "{": "{", "}": "}", "|": "∥",
}  # fmt: skip
_LARGE = {"sum": "∑", "int": "∫", "prod": "∏", "bigcup": "⋃", "bigcap": "⋂"}
_BELOW = {"max", "min", "sup", "inf", "Pr", "lim"}  # what stands below them in a display
_NAMED = _BELOW | {
    *("log", "ln", "exp", "Var", "sign"),
    *("cos", "sin", "tan", "cosh", "sinh", "tanh", "arcsin", "det", "dim"),
}
_ACCENTS = {"bar": "¯", "tilde": "~", "hat": "^", "vec": "→", "overline": "¯"}
_SPACES = {",": 0.17, ";": 0.28, ":": 0.22, "!": -0.17, " ": 0.25, "quad": 1.0, "qquad": 2.0}
_THIN = _SPACES[","]  # em around the name of a function
_CLOSE = ' lspace="0" rspace="0"'  # of a sign that stands as close as a letter
_SIZES = re.compile(r"[bB]igg?[lrm]?|left|right|middle")
_DEEPEST = 20  # parts within parts


class FormulaError(ValueError):
    """A formula cannot be read; the message says where it stops being one."""


def mathml(latex: str, *, display: bool = False) -> str:
    """Return a formula as MathML. Raises `FormulaError`.

    display: whether it stands in a line of its own.
    """
    reader = _Reader(latex, display=display)
    inner = reader.row(lambda token: token is None)
    shown = ' display="block"' if display else ""
    text = escape(" ".join(latex.split()))
    return f'<math{shown} aria-label="{text}"><mrow>{inner}</mrow></math>'


def parted(text: str) -> list[tuple[str, str, bool]]:
    """Return a text as pairs of words and the formula behind them, and whether that stands alone.

    A formula is "$...$" without blanks at its ends, or "$$...$$", which stands alone; the last of
    all is "". A dollar that begins none is a word like others.
    """
    found, begin, at, alone = [], 0, text.find("$"), True
    while at >= 0:
        end = text.find("$$", at + 3) if alone and text.startswith("$$", at) else -1
        if end >= 0:
            found.append((text[begin:at], text[at + 2 : end].strip(), True))
            begin = end + 2
            at = text.find("$", begin)
            continue
        if text.startswith("$$", at):
            alone = False  # nothing closes another one either
            at = text.find("$", at + 2)
            continue
        end = text.find("$", at + 1)
        inner = text[at + 1 : max(end, 0)]
        if inner and not (inner[0].isspace() or inner[-1].isspace()):
            found.append((text[begin:at], inner, False))
            begin = end + 1
            end = text.find("$", begin)
        at = end
    return [*found, (text[begin:], "", False)]


class _Reader:
    def __init__(self, latex: str, *, display: bool) -> None:
        found = (match[0] for match in _TOKEN.finditer(latex))
        self.tokens = [token for token in found if not token.isspace()]
        self.at, self.depth, self.display = 0, 0, display

    @property
    def next(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> str:
        token = self.next
        if token is None:
            raise FormulaError("The formula ends too early.")
        self.at += 1
        return token

    def row(self, ends: Callable[[str | None], bool]) -> str:
        """Return what stands until a token that ends it, which is taken."""
        parts = []
        while not ends(self.next):
            parts.append(self.scripted())
        self.at += 1
        return "".join(parts)

    def scripted(self) -> str:
        """Return the next part with what is raised and lowered at it."""
        below = self.next is not None and self.next[1:] in (_BELOW | _LARGE.keys() - {"int"})
        base = self.part()
        primes, raised, low = 0, list[str](), ""
        while self.next in ("^", "_", "'"):
            mark = self.take()
            if mark == "'":
                primes += 1
            elif mark == "^":
                raised.append(self.argument())
            else:
                low = self.argument()
        up = (f"<mo>{'′' * primes}</mo>" if primes else "") + "".join(raised)
        if not (up or low):
            return base
        up, low = (f"<mrow>{part}</mrow>" if part else "" for part in (up, low))
        if below and self.display and low:
            kind = "munderover" if up else "munder"
        else:
            kind = "msubsup" if up and low else "msup" if up else "msub"
        return f"<{kind}>{base}{low}{up}</{kind}>"

    def argument(self) -> str:
        """Return the next part; of a number without braces it is the first digit."""
        token = self.next
        if token is None or not token[0].isdigit() or len(token) == 1:
            return self.part()
        self.tokens[self.at] = token[1:]
        return self.made(token[0])

    def part(self) -> str:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise FormulaError(f"The formula has more than {_DEEPEST} parts within each other.")
        made = self.made(self.take())
        self.depth -= 1
        return made

    def made(self, token: str) -> str:
        if word := _WORDS.fullmatch(token):
            return f"<mtext>{escape(word[1].replace(' ', chr(160)))}</mtext>"
        if token == "{":
            return f"<mrow>{self.row(lambda t: t == '}')}</mrow>"
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{escape(token)}</mi>"
        if token in "}^_&#$":
            raise FormulaError(f"The formula has a {token} where none can stand.")
        if token in "()[]|":
            return f'<mo stretchy="false"{_CLOSE}>{token}</mo>'
        if token == "/":
            return f"<mo{_CLOSE}>/</mo>"
        return f"<mo>{escape({'-': '−', '*': '∗'}.get(token, token))}</mo>"

    def command(self, name: str) -> str:
        if name in _GREEK:
            return f"<mi>{_GREEK[name]}</mi>"
        if name in _UPRIGHT:
            return f'<mi mathvariant="normal">{_UPRIGHT[name]}</mi>'
        if name in _NAMED:
            after = 0 if self.next in ("(", "[", r"\left") else _THIN
            return f'<mo lspace="{_THIN}em" rspace="{after}em">{name}</mo>'
        if name in _LARGE:
            return f"<mo>{_LARGE[name]}</mo>"
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}em"></mspace>'
        if name in _BRACKETS:
            return f'<mo stretchy="false">{escape(_BRACKETS[name])}</mo>'
        if name in _SIGNS:
            return f"<mo>{escape(_SIGNS[name])}</mo>"
        if name in ("frac", "tfrac", "dfrac"):
            inner = f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
            small = 'displaystyle="false" scriptlevel="0"'
            return f"<mstyle {small}>{inner}</mstyle>" if name == "tfrac" else inner
        if name == "binom":
            over = f'<mfrac linethickness="0">{self.argument()}{self.argument()}</mfrac>'
            return f"<mrow><mo>(</mo>{over}<mo>)</mo></mrow>"
        if name == "sqrt":
            return f"<msqrt>{self.argument()}</msqrt>"
        if name in _ACCENTS:
            return f'<mover accent="true">{self.argument()}<mo>{_ACCENTS[name]}</mo></mover>'
        if name in ("mathrm", "text", "operatorname"):
            return f'<mi mathvariant="normal">{self.letters()}</mi>'
        if name in _LETTERS:
            return f"<mi>{''.join(map(_LETTERS[name], self.letters()))}</mi>"
        if name == "left":
            return self.fenced()
        if _SIZES.fullmatch(name):
            return f"<mo>{escape(self.bracket())}</mo>"
        raise FormulaError(f"The formula has \\{name}, which is not known here.")

    def letters(self) -> str:
        """Return the letters and digits of an argument as they stand."""
        braced = self.next == "{"
        self.at += braced
        found = self.take()
        while braced and self.next != "}":
            found += self.take()
        self.at += braced
        if not (found.isascii() and found.isalnum()):
            raise FormulaError("Only letters and digits have an alphabet of their own.")
        return found

    def fenced(self) -> str:
        """Return what stands between a left and a right bracket, which are as high as it."""
        begin = self.bracket()
        inner = self.row(lambda token: token == r"\right")
        end = self.bracket()
        around = (f"<mo>{escape(sign)}</mo>" if sign else "" for sign in (begin, end))
        return f"<mrow>{inner.join(around)}</mrow>"

    def bracket(self) -> str:
        token = self.take()
        if token.startswith("\\"):
            if token[1:] not in _BRACKETS:
                raise FormulaError(f"The formula has {token} where a bracket must stand.")
            return _BRACKETS[token[1:]]
        return "" if token == "." else token


def _letters(capital: int, small: int, **others: str) -> Callable[[str], str]:
    """Return what puts a letter into an alphabet, of which these are the first ones."""

    def put(letter: str) -> str:
        if letter in others:
            return others[letter]
        if "A" <= letter <= "Z":
            return chr(capital + ord(letter) - ord("A"))
        return chr(small + ord(letter) - ord("a")) if "a" <= letter <= "z" else letter

    return put


_LETTERS = {
    "mathcal": _letters(0x1D49C, 0x1D4B6, B="ℬ", E="ℰ", F="ℱ", H="ℋ", I="ℐ", L="ℒ", M="ℳ", R="ℛ"),
    "mathbb": _letters(0x1D538, 0x1D552, C="ℂ", H="ℍ", N="ℕ", P="ℙ", Q="ℚ", R="ℝ", Z="ℤ"),
    "mathbf": lambda c: chr(0x1D7CE + int(c)) if c.isdigit() else _letters(0x1D400, 0x1D41A)(c),
    "mathfrak": _letters(0x1D504, 0x1D51E, C="ℭ", H="ℌ", I="ℑ", R="ℜ", Z="ℨ"),
}
