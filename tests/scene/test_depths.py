"""Every page has two depths, and every view keeps its address."""

import pytest

from dpviz.scene.codec import CARRIED, decode_address
from dpviz.scene.view import IN_SIGHT
from tests.support.declarations import SLUGS, page

# What views were called in addresses when pages had one row of tabs; none may ever go.
KNOWN = {
    "": "attackers reading",
    "promise": "play attackers odds again rows",
    "bounded_noise": "errors noise choice turned winners losses compare together",
    "adaptive_analysis": "attack queries budget",
    "user_complexity": "users constants budget own kinds representation truth learning",
    "perfect_generalization": (
        "closeness growth pairs users expected average deletions categories"
    ),
    "propose_test_release": "run search threshold outliers noise pays promise naming people",
    "clipping": "user selected threshold needed helps real people",
    "shared_darts": "board disagreement joint supply",
    "few_users": "agreement votes success models mistakes stability rich parity messages",
    "public_data": (
        "learn samples real points cost shift transfer projected noise minimiser weights rates "
        "settings net cells"
    ),
}


@pytest.mark.parametrize("slug", SLUGS)
def test_at_most_three_views_are_for_everyone(slug):
    declared = page(slug)
    assert 1 <= len(declared.for_everyone) <= 3
    assert bool(slug) or not declared.in_depth
    assert all(len(row) > 1 for view in declared.views for row in declared.rows(view))


@pytest.mark.parametrize("slug", SLUGS)
def test_every_address_of_old_gives_its_view(slug):
    declared = page(slug)
    for key in KNOWN[slug].split():
        values, notes = decode_address({"view": [key]}, declared.url_parameters)
        now = {"view": key} | declared.formerly.get(key, {})
        if len(declared.views) > 1:
            assert {name: values[name] for name in now} == now
            assert not notes


def test_a_link_of_old_may_name_what_only_a_view_of_former_times_had():
    """Addresses held all parameters of their page, those of other views as well."""
    query = {"view": ["winners"], "along": ["epsilon"], "answers": ["whole"], "queries": ["9"]}
    values, notes = decode_address(query, page("bounded_noise").url_parameters)
    assert (values["view"], values["queries"], notes) == ("compare", 9, ())
    query = {"view": ["helps"], "correlation": ["0.5"], "users": ["9"]}
    values, notes = decode_address(query, page("clipping").url_parameters)
    assert (values["view"], values["users"], notes) == ("real", 9, ())


@pytest.mark.parametrize("slug", SLUGS)
def test_at_most_three_controls_are_in_sight_as_a_view_opens(slug):
    declared = page(slug)
    for view in declared.views:
        idle = view.idle(declared.usual(view.key))
        assert len(set(view.in_sight) - set(idle)) <= IN_SIGHT, view.key
        assert set(view.in_sight) <= set(view.parameters), view.key


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug])
def test_a_bare_address_opens_the_first_view_and_a_link_of_old_without_a_view_its_own(slug):
    declared = page(slug)

    def opened(**query):
        asked = {key: [text] for key, text in query.items()}
        return decode_address(asked, declared.url_parameters)[0]["view"]

    first, old = declared.for_everyone[0].key, KNOWN[slug].split()[0]
    old = declared.formerly.get(old, {}).get("view", old)
    own = next(p.key for p in declared.parameters if p.key not in CARRIED)
    assert opened() == opened(epsilon="1", present="1") == first
    assert opened(**{own: ""}) == opened(lecture="x", scene="2") == old
