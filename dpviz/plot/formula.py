r"""Formulas as browsers draw them by themselves: the LaTeX that lectures use, as MathML.

A page of the app has KaTeX; phones, reports and files have no room for it. What is known here is
what definitions and theorems of the field need: letters, fractions, roots, powers and indices,
sums with limits, sets in \mathcal and \mathbb, words in \text, brackets that grow.
"""

import re
from html import escape

_LETTERS = {
    **dict.fromkeys(("varepsilon", "epsilon"), "ε"),
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "zeta": "ζ", "eta": "η"},
    **{"theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π"},
    **{"rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ"},
    **{"omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ"},
    **{"Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ", "infty": "∞", "emptyset": "∅"},
}
_SIGNS = {
    **{"le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "lt": "<", "gt": ">"},
    **{"approx": "≈", "sim": "∼", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆"},
    **{"cup": "∪", "cap": "∩", "setminus": "∖", "to": "→", "mapsto": "↦", "times": "×"},
    **{"cdot": "⋅", "pm": "±", "forall": "∀", "exists": "∃", "mid": "∣", "colon": ":"},
    **{"ldots": "…", "dots": "…", "cdots": "⋯", "Rightarrow": "⇒", "iff": "⟺", "|": "‖"},
    **{"{": "{", "}": "}", "%": "%", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉"},
}
_LARGE = {"sum": "∑", "prod": "∏", "int": "∫", "bigcup": "⋃", "bigcap": "⋂"}
_NAMES = frozenset(("Pr", "log", "ln", "exp", "max", "min", "sup", "inf", "lim", "Var", "sign"))
_UNDER = frozenset((*_LARGE, "max", "min", "sup", "inf", "lim"))  # limits stand below and above
_SPACES = {",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.33em", "quad": "1em"}
_SPACES |= {"qquad": "2em", "!": "0em"}
_SETS = {
    "mathcal": "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵",
    "mathbb": "𝔸𝔹ℂ𝔻𝔼𝔽𝔾ℍ𝕀𝕁𝕂𝕃𝕄ℕ𝕆ℙℚℝ𝕊𝕋𝕌𝕍𝕎𝕏𝕐ℤ",
}
_ACCENTS = {"hat": "^", "tilde": "~", "bar": "¯"}
_TOKEN = re.compile(r"\\([A-Za-z]+|.)|(\d+(?:[.,]\d+)*)|(\S)")
_DEEPEST = 20  # braces within braces


class FormulaError(ValueError):
    """A formula that cannot be read; the message says where it stops being one."""


def mathml(latex: str, *, display: bool = False) -> str:
    """Return a formula as MathML, in a line of its own or within one. Raises `FormulaError`."""
    parts = _Reader(latex).rest()
    kind = ' display="block"' if display else ""
    return f"<math{kind}><mrow>{parts}</mrow></math>"


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, latex: str) -> None:
        self._tokens = [match.groups() for match in _TOKEN.finditer(latex)]
        # Words keep their spaces, which the tokens have lost.
        self._words = iter(re.findall(r"\\(?:text|mathrm|operatorname)\s*\{([^{}]*)\}", latex))
        self._at = self._depth = 0

    def rest(self) -> str:
        """Return all that is left; it has no brace that nothing opened."""
        parts = self._row("")
        if self._at < len(self._tokens):
            raise FormulaError(r"The formula closes with } what it does not open.")
        return parts

    def _next(self) -> tuple[str, str, str]:
        if self._at >= len(self._tokens):
            raise FormulaError("The formula ends too early.")
        command, number, letter = self._tokens[self._at]
        self._at += 1
        return command or "", number or "", letter or ""

    def _is(self, text: str) -> bool:
        """Return whether this sign is next, and go on if it is."""
        found = self._at < len(self._tokens) and self._tokens[self._at][2] == text
        self._at += found
        return found

    def _row(self, until: str) -> str:
        r"""Return what stands until a sign or, for ``\right``, this command: not beyond it."""
        parts = []
        while self._at < len(self._tokens):
            command, _, letter = self._tokens[self._at]
            if letter == "}" or (until and command == until):
                break
            parts.append(self._scripted())
        return "".join(parts)

    def _argument(self) -> str:
        """Return what stands in braces, or the next sign."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise FormulaError(f"The formula has more than {_DEEPEST} braces in each other.")
        if self._is("{"):
            inner = f"<mrow>{self._row('')}</mrow>"
            if not self._is("}"):
                raise FormulaError("The formula does not close with } what it opens.")
        else:
            inner, _ = self._one()
        self._depth -= 1
        return inner

    def _scripted(self) -> str:
        """Return the next part with its index and its power."""
        now = self._tokens[self._at][2]
        if now in ("^", "_"):
            base, is_large = "<mrow></mrow>", False
        elif now == "{":
            base, is_large = self._argument(), False
        else:
            base, is_large = self._one()
        below = above = ""
        while True:
            if not below and self._is("_"):
                below = self._argument()
            elif not above and self._is("^"):
                above = self._argument()
            elif not above and self._is("'"):
                above = "<mo>′</mo>"
            else:
                break
        kind = ("munder", "mover", "munderover") if is_large else ("msub", "msup", "msubsup")
        if below and above:
            return f"<{kind[2]}>{base}{below}{above}</{kind[2]}>"
        if below:
            return f"<{kind[0]}>{base}{below}</{kind[0]}>"
        return f"<{kind[1]}>{base}{above}</{kind[1]}>" if above else base

    def _one(self) -> tuple[str, bool]:
        """Return the next sign or command, and whether its limits stand below and above it."""
        command, number, letter = self._next()
        if number:
            return f"<mn>{number}</mn>", False
        if command:
            return self._command(command), command in _UNDER
        if letter in "{}^_&#$":
            raise FormulaError(f"The formula has a {letter} where none can stand.")
        tag = "mi" if letter.isalpha() else "mo"
        sign = {"-": "−", "*": "∗"}.get(letter, letter)
        # Brackets as large as what they hold come with \left and \right alone.
        fixed = ' stretchy="false"' if letter in "()[]|" else ""
        return f"<{tag}{fixed}>{escape(sign)}</{tag}>", False

    def _command(self, name: str) -> str:
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        if name in _SIGNS:
            return f"<mo>{escape(_SIGNS[name])}</mo>"
        if name in _LARGE:
            return f"<mo>{_LARGE[name]}</mo>"
        if name in _NAMES:
            return f'<mi mathvariant="normal">{name}</mi>'
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}"></mspace>'
        if name in ("frac", "tfrac", "dfrac"):
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self._argument()}</msqrt>"
        if name in _ACCENTS:
            return f"<mover>{self._argument()}<mo>{_ACCENTS[name]}</mo></mover>"
        if name in _SETS:
            return self._set(_SETS[name])
        if name in ("text", "mathrm", "operatorname"):
            return self._said()
        if name == "left":
            return self._bracketed()
        raise FormulaError(f"The formula has \\{name}, which is not known here.")

    def _set(self, alphabet: str) -> str:
        braced = self._is("{")
        letter = self._next()[2]
        if not ("A" <= letter <= "Z") or (braced and not self._is("}")):
            raise FormulaError("Only single capitals stand for sets.")
        return f'<mi mathvariant="normal">{alphabet[ord(letter) - ord("A")]}</mi>'

    def _said(self) -> str:
        words = next(self._words, None)
        if words is None or not self._is("{"):
            raise FormulaError(r"Words in a formula stand in \text{...}.")
        while not self._is("}"):
            self._next()
        return f"<mtext>{escape(words.replace(' ', chr(160)))}</mtext>"

    def _bracketed(self) -> str:
        opening, inner = self._bracket(), self._row("right")
        if self._next()[0] != "right":
            raise FormulaError(r"What \left opens, \right closes.")
        return f"<mrow>{opening}{inner}{self._bracket()}</mrow>"

    def _bracket(self) -> str:
        command, _, letter = self._next()
        sign = _SIGNS.get(command, "") if command else letter.replace(".", "")
        return f'<mo stretchy="true">{escape(sign)}</mo>' if sign else ""
