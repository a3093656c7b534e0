"""What is known of each paper that a source may name, as BibTeX wants it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Reference:
    """One BibTeX entry: its kind, its key, and its fields with LaTeX escapes."""

    kind: str
    key: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        width = max(map(len, self.fields))
        lines = (f"  {name:<{width}} = {{{text}}}" for name, text in self.fields.items())
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}\n"


def _paper(kind: str, key: str, author: str, title: str, year: int, **others: str) -> Reference:
    return Reference(kind, key, {"author": author, "title": title, **others, "year": str(year)})


_NEURIPS = "Advances in Neural Information Processing Systems"
_PMLR = "Proceedings of Machine Learning Research"

PAPERS: Mapping[str, Reference] = MappingProxyType(
    {
        "Abowd et al. 2022": _paper(
            "misc",
            "abowd2022topdown",
            "John M. Abowd and others",
            "The 2020 {Census} Disclosure Avoidance System {TopDown} Algorithm",
            2022,
            eprint="2204.08986",
            archiveprefix="arXiv",
        ),
        "Acharya, Sun & Zhang 2021": _paper(
            "inproceedings",
            "acharya2021differentially",
            "Jayadev Acharya and Ziteng Sun and Huanyu Zhang",
            "Differentially private {A}ssouad, {F}ano, and {L}e {C}am",
            2021,
            booktitle="Algorithmic Learning Theory",
        ),
        "Aktay et al. 2020": _paper(
            "misc",
            "aktay2020google",
            "Ahmet Aktay and others",
            "Google {COVID-19} Community Mobility Reports: Anonymization process description",
            2020,
            eprint="2004.04145",
            archiveprefix="arXiv",
        ),
        "Alon, Livni, Malliaris & Moran 2019": _paper(
            "inproceedings",
            "alon2019private",
            "Noga Alon and Roi Livni and Maryanthe Malliaris and Shay Moran",
            "Private {PAC} learning implies finite {L}ittlestone dimension",
            2019,
            booktitle="Symposium on Theory of Computing",
            pages="852--860",
        ),
        "Apple 2017": _paper(
            "misc",
            "apple2017learning",
            "{Differential Privacy Team, Apple}",
            "Learning with privacy at scale",
            2017,
            howpublished="Apple Machine Learning Journal 1(8), and Differential Privacy Overview",
        ),
        "Balle & Wang 2018": _paper(
            "inproceedings",
            "balle2018improving",
            "Borja Balle and Yu-Xiang Wang",
            "Improving the {G}aussian mechanism for differential privacy: "
            "Analytical calibration and optimal denoising",
            2018,
            booktitle="International Conference on Machine Learning",
            pages="394--403",
        ),
        "Bassily, Moran & Alon 2019": _paper(
            "inproceedings",
            "bassily2019limits",
            "Raef Bassily and Shay Moran and Noga Alon",
            "Limits of private learning with access to public data",
            2019,
            booktitle=_NEURIPS,
            pages="10342--10352",
        ),
        "Bavarian et al. 2016": _paper(
            "misc",
            "bavarian2016optimality",
            "Mohammad Bavarian and Badih Ghazi and Elad Haramaty and Pritish Kamath and "
            "Ronald L. Rivest and Madhu Sudan",
            "Optimality of correlated sampling strategies",
            2016,
            note="arXiv:1612.01041",
        ),
        "Beimel, Nissim & Stemmer 2019": _paper(
            "article",
            "beimel2019characterizing",
            "Amos Beimel and Kobbi Nissim and Uri Stemmer",
            "Characterizing the sample complexity of pure private learners",
            2019,
            journal="Journal of Machine Learning Research",
            volume="20",
            pages="146:1--146:33",
        ),
        "Block et al. 2024": _paper(
            "inproceedings",
            "block2024oracle",
            "Adam Block and Mark Bun and Rathin Desai and Abhishek Shetty and Zhiwei Steven Wu",
            "Oracle-efficient differentially private learning with public data",
            2024,
            booktitle=_NEURIPS,
        ),
        "Block & Polyanskiy 2023": _paper(
            "inproceedings",
            "block2023sample",
            "Adam Block and Yury Polyanskiy",
            "The sample complexity of approximate rejection sampling "
            "with applications to smoothed online learning",
            2023,
            booktitle="Conference on Learning Theory",
            pages="228--273",
        ),
        "Bun et al. 2023": _paper(
            "inproceedings",
            "bun2023stability",
            "Mark Bun and Marco Gaboardi and Max Hopkins and Russell Impagliazzo and Rex Lei "
            "and Toniann Pitassi and Satchit Sivakumar and Jessica Sorrell",
            "Stability is stable: Connections between replicability, privacy, "
            "and adaptive generalization",
            2023,
            booktitle="Symposium on Theory of Computing",
            pages="520--527",
        ),
        "Bun, Kamath, Steinke & Wu 2019": _paper(
            "inproceedings",
            "bun2019private",
            "Mark Bun and Gautam Kamath and Thomas Steinke and Zhiwei Steven Wu",
            "Private hypothesis selection",
            2019,
            booktitle=_NEURIPS,
            pages="156--167",
        ),
        "Bun & Steinke 2016": _paper(
            "inproceedings",
            "bun2016concentrated",
            "Mark Bun and Thomas Steinke",
            "Concentrated differential privacy: Simplifications, extensions, and lower bounds",
            2016,
            booktitle="Theory of Cryptography Conference",
            pages="635--658",
        ),
        "Bun, Livni & Moran 2020": _paper(
            "inproceedings",
            "bun2020equivalence",
            "Mark Bun and Roi Livni and Shay Moran",
            "An equivalence between private classification and online prediction",
            2020,
            booktitle="Foundations of Computer Science",
            pages="389--402",
        ),
        "Canonne, Kamath & Steinke 2020": _paper(
            "inproceedings",
            "canonne2020discrete",
            "Cl{\\'e}ment L. Canonne and Gautam Kamath and Thomas Steinke",
            "The discrete {G}aussian for differential privacy",
            2020,
            booktitle=_NEURIPS,
            pages="15676--15688",
        ),
        "Chaudhuri, Monteleoni & Sarwate 2011": _paper(
            "article",
            "chaudhuri2011differentially",
            "Kamalika Chaudhuri and Claire Monteleoni and Anand D. Sarwate",
            "Differentially private empirical risk minimization",
            2011,
            journal="Journal of Machine Learning Research",
            volume="12",
            pages="1069--1109",
        ),
        "Dagan & Kur": _paper(
            "inproceedings",
            "dagan2022bounded",
            "Yuval Dagan and Gil Kur",
            "A bounded-noise mechanism for differential privacy",
            2022,
            booktitle="Conference on Learning Theory",
            series=_PMLR,
        ),
        "Dong, Roth & Su 2022": _paper(
            "article",
            "dong2022gaussian",
            "Jinshuo Dong and Aaron Roth and Weijie J. Su",
            "{G}aussian differential privacy",
            2022,
            journal="Journal of the Royal Statistical Society Series B",
            volume="84",
            number="1",
            pages="3--37",
        ),
        "Doroshenko et al. 2022": _paper(
            "article",
            "doroshenko2022connect",
            "Vadym Doroshenko and Badih Ghazi and Pritish Kamath and Ravi Kumar "
            "and Pasin Manurangsi",
            "Connect the dots: Tighter discrete approximations of privacy loss distributions",
            2022,
            journal="Proceedings on Privacy Enhancing Technologies",
            volume="2022",
            number="4",
            pages="552--570",
        ),
        "Dwork & Roth 2014": _paper(
            "article",
            "dwork2014algorithmic",
            "Cynthia Dwork and Aaron Roth",
            "The algorithmic foundations of differential privacy",
            2014,
            journal="Foundations and Trends in Theoretical Computer Science",
            volume="9",
            number="3--4",
            pages="211--407",
        ),
        "Dwork, Rothblum & Vadhan 2010": _paper(
            "inproceedings",
            "dwork2010boosting",
            "Cynthia Dwork and Guy N. Rothblum and Salil Vadhan",
            "Boosting and differential privacy",
            2010,
            booktitle="Symposium on Foundations of Computer Science",
            pages="51--60",
        ),
        "Ganesh & Zhao 2020": _paper(
            "misc",
            "ganesh2020privately",
            "Arun Ganesh and Jiazheng Zhao",
            "Privately answering counting queries with generalized {G}aussian mechanisms",
            2020,
            eprint="2010.01457",
            archiveprefix="arXiv",
        ),
        "Ghazi, Golowich, Kumar & Manurangsi 2021": _paper(
            "inproceedings",
            "ghazi2021sample",
            "Badih Ghazi and Noah Golowich and Ravi Kumar and Pasin Manurangsi",
            "Sample-efficient proper {PAC} learning with approximate differential privacy",
            2021,
            booktitle="Symposium on Theory of Computing",
            pages="183--196",
        ),
        "Ghazi, Kamath et al. 2023": _paper(
            "inproceedings",
            "ghazi2023user",
            "Badih Ghazi and Pritish Kamath and Ravi Kumar and Pasin Manurangsi "
            "and Raghu Meka and Chiyuan Zhang",
            "User-level differential privacy with few examples per user",
            2023,
            booktitle=_NEURIPS,
        ),
        "Ghazi, Kumar & Manurangsi 2021": _paper(
            "inproceedings",
            "ghazi2021user",
            "Badih Ghazi and Ravi Kumar and Pasin Manurangsi",
            "User-level private learning via correlated sampling",
            2021,
            booktitle=_NEURIPS,
            pages="20172--20184",
        ),
        "Ghosh, Roughgarden & Sundararajan 2012": _paper(
            "article",
            "ghosh2012universally",
            "Arpita Ghosh and Tim Roughgarden and Mukund Sundararajan",
            "Universally utility-maximizing privacy mechanisms",
            2012,
            journal="SIAM Journal on Computing",
            volume="41",
            number="6",
            pages="1673--1693",
        ),
        "Hoeffding 1963": _paper(
            "article",
            "hoeffding1963probability",
            "Wassily Hoeffding",
            "Probability inequalities for sums of bounded random variables",
            1963,
            journal="Journal of the American Statistical Association",
            volume="58",
            number="301",
            pages="13--30",
        ),
        "Huber 1974": _paper(
            "article",
            "huber1974fisher",
            "Peter J. Huber",
            "{F}isher information and spline interpolation",
            1974,
            journal="The Annals of Statistics",
            volume="2",
            number="5",
            pages="1029--1033",
        ),
        "Kairouz, Oh & Viswanath 2015": _paper(
            "inproceedings",
            "kairouz2015composition",
            "Peter Kairouz and Sewoong Oh and Pramod Viswanath",
            "The composition theorem for differential privacy",
            2015,
            booktitle="International Conference on Machine Learning",
            pages="1376--1385",
        ),
        "Kamath, Li, Singhal & Ullman 2019": _paper(
            "inproceedings",
            "kamath2019privately",
            "Gautam Kamath and Jerry Li and Vikrant Singhal and Jonathan Ullman",
            "Privately learning high-dimensional distributions",
            2019,
            booktitle="Conference on Learning Theory",
            pages="1853--1902",
        ),
        "Kasiviswanathan et al. 2011": _paper(
            "article",
            "kasiviswanathan2011what",
            "Shiva Prasad Kasiviswanathan and Homin K. Lee and Kobbi Nissim "
            "and Sofya Raskhodnikova and Adam Smith",
            "What can we learn privately?",
            2011,
            journal="SIAM Journal on Computing",
            volume="40",
            number="3",
            pages="793--826",
        ),
        "Littlestone 1987": _paper(
            "inproceedings",
            "littlestone1987learning",
            "Nick Littlestone",
            "Learning quickly when irrelevant attributes abound: A new linear-threshold algorithm",
            1987,
            booktitle="Foundations of Computer Science",
            pages="68--77",
        ),
        "Meiser & Mohammadi 2018": _paper(
            "inproceedings",
            "meiser2018tight",
            "Sebastian Meiser and Esfandiar Mohammadi",
            "Tight on budget? {T}ight bounds for r-fold approximate differential privacy",
            2018,
            booktitle="Conference on Computer and Communications Security",
            pages="247--264",
        ),
        "Messing et al. 2020": _paper(
            "misc",
            "messing2020facebook",
            "Solomon Messing and others",
            "Facebook privacy-protected full {URLs} data set",
            2020,
            note="Harvard Dataverse, doi:10.7910/DVN/TDOAPG",
        ),
        "Nanayakkara et al. 2023": _paper(
            "inproceedings",
            "nanayakkara2023chances",
            "Priyanka Nanayakkara and Mary Anne Smart and Rachel Cummings and Gabriel Kaptchuk "
            "and Elissa M. Redmiles",
            "What are the chances? {E}xplaining the epsilon parameter in differential privacy",
            2023,
            booktitle="USENIX Security Symposium",
            pages="1613--1630",
        ),
        "Narayanan, Mirrokni & Esfandiari 2022": _paper(
            "inproceedings",
            "narayanan2022tight",
            "Shyam Narayanan and Vahab S. Mirrokni and Hossein Esfandiari",
            "Tight and robust private mean estimation with few users",
            2022,
            booktitle="International Conference on Machine Learning",
            pages="16383--16412",
        ),
        "Rogers et al. 2020": _paper(
            "misc",
            "rogers2020linkedin",
            "Ryan Rogers and others",
            "{LinkedIn}'s Audience Engagements {API}: A privacy preserving data analytics system "
            "at scale",
            2020,
            eprint="2002.05839",
            archiveprefix="arXiv",
        ),
        "Steinke & Ullman 2016": _paper(
            "article",
            "steinke2016between",
            "Thomas Steinke and Jonathan Ullman",
            "Between pure and approximate differential privacy",
            2016,
            journal="Journal of Privacy and Confidentiality",
            volume="7",
            number="2",
            pages="3--22",
        ),
        "Wasserman & Zhou 2010": _paper(
            "article",
            "wasserman2010statistical",
            "Larry Wasserman and Shuheng Zhou",
            "A statistical framework for differential privacy",
            2010,
            journal="Journal of the American Statistical Association",
            volume="105",
            number="489",
            pages="375--389",
        ),
    }
)
"""The papers, by the names that a `Source` uses for them."""
