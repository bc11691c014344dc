"""Word lists of the rules: what tells an organisation from a place and a verb from a noun. All folded,
singular unless said.

They are data (``language/data``), which says of each where it comes from; each is a cue, not a dictionary.
"""

from __future__ import annotations

from ascertain.language.word_lists import load_phrases, load_word_set

ORGANISATION_HEADS = load_word_set("name_kinds", "organisation_heads")
"""Last words, or words before "of", of what acts as one."""
PLACE_HEADS = load_word_set("name_kinds", "place_heads")
PLACE_OPENERS = load_word_set("name_kinds", "place_openers")
"""First words of places."""
EVENT_HEADS = load_word_set("name_kinds", "event_heads")
PRODUCT_HEADS = load_word_set("name_kinds", "product_heads")
ORGANISATION_NOUNS = load_word_set("name_kinds", "organisation_nouns")
PLACE_NOUNS = load_word_set("name_kinds", "place_nouns")
PRODUCT_NOUNS = load_word_set("name_kinds", "product_nouns")
"""Nouns that a definition ends in: "is a 1990 film", "is a peer-reviewed journal"."""
PERSON_VERBS = load_word_set("name_kinds", "person_verbs")
ORGANISATION_VERBS = load_word_set("name_kinds", "organisation_verbs")
PRODUCT_VERBS = load_word_set("name_kinds", "product_verbs")
PLACE_PREPOSITIONS = load_word_set("name_kinds", "place_prepositions")

PERSON_TITLES = load_word_set("names", "titles")
"""Words before or at the start of a name of a person."""
TITLES_TO_DROP = load_word_set("names", "titles_to_drop")
"""What stands before a name and is no part of it: honorifics always, the others before a given name."""
PERSON_ROLES = load_word_set("names", "roles")
"""What a person is called before or after the name."""
GIVEN_NAMES = load_word_set("names", "given_names")

COUNTRY_NAMES = frozenset(load_phrases("places", "of_several_words"))
"""Keys of places whose words are no cue."""
REGIONS = load_word_set("places", "countries") | load_word_set("places", "states") | COUNTRY_NAMES
"""What a smaller place is in: "Nashville, Tennessee"."""
PLACES = REGIONS | load_word_set("places", "cities")
NATIONAL = load_word_set("places", "national")
"""Adjectives of nations and faiths: alone they name nothing that a walk should pass through, so many texts
have them."""

PRACTICE_HEADS = load_word_set("term_kinds", "practice")
OUTCOME_HEADS = load_word_set("term_kinds", "outcome")
METHOD_HEADS = load_word_set("term_kinds", "method")
DATASET_HEADS = load_word_set("term_kinds", "dataset")
METRIC_HEADS = load_word_set("term_kinds", "metric")
TASK_HEADS = load_word_set("term_kinds", "task")
COMPONENT_HEADS = load_word_set("term_kinds", "component")

VERBS = load_word_set("noun_phrases", "verbs")
"""Verbs that end a noun phrase, in the forms that are met; those that are nouns as often are left out."""
VAGUE = load_word_set("noun_phrases", "vague")
"""Words that name nothing by themselves and stand in no term."""
RELATION_VERBS = load_word_set("relations", "verbs")
"""Verbs that relate two names: past and present forms, participles."""

MONTHS = load_word_set("months_and_days", "months")
CALENDAR = MONTHS.union(
    *(
        load_word_set("months_and_days", name)
        for name in ("month_abbreviations", "weekdays", "weekday_abbreviations", "beside_dates")
    )
)
"""Words of dates; a name has others besides."""
OPENERS = load_word_set("openers", "openers")
"""Common first words of sentences that are no names; lower case."""
SECTIONS = load_word_set("openers", "sections")
"""Headings of parts of any text."""
