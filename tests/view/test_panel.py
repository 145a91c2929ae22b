"""The panel's words: what comes from elsewhere cannot become markup."""

from hapticd.view.panel import _name, _table, card, histogram


def test_card_shows_mode_cause_and_words():
    text = card("FAULT", "#d6305c", "LINK_LOST", "plug it in", [("tick", "5")])
    assert "FAULT" in text and "link lost" in text and "plug it in" in text and "#d6305c" in text


def test_markup_in_names_stays_text():
    evil = "<script>alert(1)</script>"
    assert evil not in card(evil, "#fff", evil, evil, []) and evil not in _table([(evil, evil)])


def test_a_body_without_a_name_is_a_number():
    assert _name(["a"], 0) == "a" and _name(["a"], 7) == "7"


def test_histogram_has_a_bar_per_bin_and_rare_ticks_are_seen():
    text = histogram([0.0, 50.0, 2000.0], [900, 0, 1])
    assert text.count("height:70px") == 1 and text.count("height:0px") == 1 and "height:2px" in text
    assert ">2k<" in text and "1 ticks" in text
