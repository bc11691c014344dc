import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.documents.profiling import DocumentType
from ascertain.core.settings import IngestSettings
from ascertain.documents.ingest.preparing import Found, Ready, prepare_documents
from ascertain.documents.ingest.profiling.profile import profile_document, stratified_sample
from ascertain.documents.ingest.profiling.signs import MODEL, builtin_rules, find_traits, list_signs, normalised_heading
from ascertain.documents.ingest.profiling.structure import words_of
from ascertain.models.logistic_model import load_multinomial_model

SAMPLE = 6000


def a_document(text, title="", kind=DocumentKind.PROSE, source="file.txt", **fields):
    return Document("id", text, title, kind, source, **fields)


def type_of(text, **fields):
    return profile_document(a_document(text, **fields), SAMPLE).type.value


TYPICAL = {
    "research_paper": """Abstract
In this paper we propose a sparse attention layer for long inputs. Our experiments on three datasets show that it
outperforms strong baselines by 2.1 points.
1 Introduction
Attention grows with the square of the length [1, 2]. Our approach builds on Chen et al. [3].
2 Related Work
Earlier methods cluster the keys [4].""",
    "survey": """Abstract
This survey reviews graph partitioning. We classify existing algorithms in a taxonomy of four categories and point out open
challenges and future directions. The literature of the last ten years is covered; earlier surveys [1] stop in 2012.
Taxonomy
Open problems""",
    "thesis": """Declaration
This thesis was submitted in partial fulfillment of the requirements for the degree of Doctor of Philosophy. I thank my
supervisor and the thesis committee.
List of figures
Outline of the thesis
The dissertation has six chapters.""",
    "textbook": """Chapter 4: Forces
Learning objectives
In this chapter the reader meets Newton's laws. As we saw in chapter 2, velocity is a vector. Worked example: a block
slides down a plane.
Exercises
1. Prove the theorem for two bodies. Key terms: force, mass.
Review questions""",
    "lecture_notes": """Lecture 7: Hash tables
Last time we proved a lower bound for sorting. Today we will look at hashing. Recall from last week that a family is universal if
collisions are rare. Homework is due on the 12th; office hours as usual. The next lecture covers perfect hashing. Scribe: J. Lin""",
    "tutorial": """Build your first weather app
In this tutorial you will learn how to show a forecast, step by step.
Prerequisites
You'll need a phone.
Step 1: Create a project
Let's start with an empty folder. Now let's add a button. Try it.
Step 2: Fetch the forecast
By the end of this step you'll see rain.
Next steps""",
    "api_reference": """GET /v1/orders/{id}
Returns an object with the order. Send the API key in the header.
Parameters
id (string): required. expand (array): optional parameter.
Response
Status code 200 with a JSON body; 404 for unknown ids.
POST /v1/orders
Request body: an order as application/json. Rate limits apply to every endpoint.""",
    "manual": """Installing the printer software
Requirements
You need a computer with 2 GB of memory. By default the software is installed for all users.
Installation
Click Install. Make sure that the printer is supported.
Open the settings and select a tray.
Configuration
You can use the command line to enable or disable the option. For more information, refer to the user guide.""",
    "specification": """Frame format
1. Terminology
The key words MUST and SHOULD are to be interpreted as described in RFC 2119. A conforming implementation MUST ignore unknown fields.
2. Syntax
The length field MUST NOT exceed 255 octets. Bits 4 to 7 are reserved for future use and SHOULD be zero. Implementations must
treat other values as errors.
3. Security considerations""",
    "release_notes": """Changelog
## 2.4.0 (2026-01-12)
- Added: export to CSV
- Fixed a bug in the importer
## 2.3.1
- Improved start-up. The flag --old is now deprecated
## 2.3.0
- Breaking changes: the port has been removed""",
    "troubleshooting": """The device does not start
Symptom
The error message E-2041 appears and the logs end.
Cause
The battery is empty. This error means that the last update failed.
Solution
To fix this, restart the device and try again. If the problem persists, contact support.""",
    "source_code": """import os
from pathlib import Path

def total(paths):
    result = 0
    for path in paths:
        result += os.stat(path).st_size
    return result

class Store:
    def __init__(self, root):
        self.root = Path(root)
""",
    "report": """Housing in the valley: annual report
Executive summary
This report gives the key findings of the assessment. On average rents rose by 4 percent. Survey respondents named costs first.
Recommendations
We recommend that stakeholders review the methodology each fiscal year.""",
    "press_release": """FOR IMMEDIATE RELEASE
BERLIN, May 4, 2026 -- Lumen Bikes, a leading provider of cargo bikes, today announced a partnership with the city. "We are excited
about the launch," said the CEO.
Media contact
press@example.org""",
    "earnings": """Third quarter results
Revenue was $412 million, up 8% year over year. Gross margin improved by 120 basis points and adjusted EBITDA was $61 million. Earnings
per share were $1.10 compared to the prior year quarter's $0.94. Our guidance for the fourth quarter is unchanged. Free cash flow
covered the dividend.""",
    "minutes": """Minutes of the parish council
Present
Ms Okoro (chair), Mr Lund. Apologies for absence: Mr Dale.
The meeting was called to order at 7 pm. The minutes were approved. Motion to repair the roof, moved that it be done by June, seconded by
Mr Lund; motion carried.
Action items
The meeting adjourned at 8 pm. Next meeting: 4 June.""",
    "proposal": """A reading room for the school
Motivation
This proposal asks for requested funding of 12,000 euros. We propose to turn the old gym into a library.
Timeline
Deliverables and milestones follow each month.
Budget
The total budget covers costs of shelves. Expected outcomes: more reading.""",
    "contract": """Lease
This agreement is made between the landlord and the tenant, hereinafter the parties.
1. Definitions
The effective date is 1 May. The tenant shall pay rent.
2. Termination
Either party may terminate in case of breach. Each party shall indemnify the other.
3. Governing law
Entire agreement. In witness whereof the parties have signed.""",
    "statute": """Section 1. Short title.
This Act may be cited as the Clear Rivers Act. Be it enacted that the Secretary shall prescribe limits under this section.
Section 2. Definitions.
(a) The term "river" has the meaning given by public law.
(b) Subsection (c) is amended by striking paragraph 2 and inserting the following new paragraph.""",
    "policy": """Acceptable use of computers
Purpose
This policy applies to all employees.
Scope
Personal data and consent are covered by our procedures on privacy.
Responsibilities
Employees must report violations of this policy. Prohibited conduct leads to disciplinary action.
Enforcement""",
    "court_opinion": """Harrow v. City of Lund
Opinion of the court
The plaintiff appeals from summary judgment for the defendant. The trial court found no jurisdiction. The court held in an earlier
appeal that counsel may waive it.
Standard of review
We reverse the judgment of the district court. It is so ordered.""",
    "patent": """Apparatus for peeling fruit
Field of the invention
The present invention relates to an apparatus comprising a plurality of blades. In one embodiment, said blades turn. Prior art peelers
jam. According to a preferred embodiment the method of claim 1 is repeated.
What is claimed is
1. An apparatus wherein the blade is curved.""",
    "news_article": """Bridge closed after storm
The old bridge was closed on Tuesday after the storm, officials said. "We heard a crack," the mayor told reporters. Police said
nobody was hurt. Repairs are expected to take months, according to a spokesperson. It is expected to reopen in May.""",
    "blog_post": """Why I moved my garden indoors
I've been growing herbs for ten years, and in this post I want to share what I learned. I think basil is my favorite. Honestly, I
love it. I decided to try lamps. My plants did well. Thanks for reading, and let me know in the comments what you do.""",
    "encyclopedia": """Marlow Sound is a small island in the northern archipelago. It was founded in 1712 and is located in the
district of Var. The population was 240 in 1890. The name of the island derives from an ancient word.
History
In the 18th century it was known as Marlo.
See also""",
    "transcript": """Host: Welcome to the show. My guest is Ana Ruiz.
Ana: Thanks for having me.
Host: So, you know, how did it start?
Ana: Yeah, I mean, I guess it was sort of luck.
Host: Right, okay.
Ana: Um, really.""",
    "faq": """Frequently asked questions
How do I change my address?
Under My account.
Can I pay by invoice?
Yes, companies can.
Do I need an account?
No.
What happens if a parcel is lost?
We send another.""",
    "letter": """Dear Ms Holm,
I hope this email finds you well. I am writing to thank you for your time on Friday. Please find attached the drawings. Let me know if you
would like to schedule a call.
Kind regards,
Per""",
    "other": "blue seven ladder quiet orange stone lamp river cloud",
}


@pytest.mark.parametrize("expected", sorted(TYPICAL))
def test_a_typical_text_of_each_type_is_recognised(expected):
    assert type_of(TYPICAL[expected]) == expected


def test_there_is_a_typical_text_of_every_type():
    assert set(TYPICAL) == {kind.value for kind in DocumentType}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (DocumentKind.PAPER, "research_paper"),
        (DocumentKind.ARTICLE, "news_article"),
        (DocumentKind.TRANSCRIPT, "transcript"),
    ],
)
def test_the_way_a_document_was_read_decides_where_its_text_does_not(kind, expected):
    assert type_of(TYPICAL["other"], kind=kind) == expected


def test_the_title_counts():
    text = "The hose is in the left box. The pump belongs to the school."
    assert type_of(text) == "other"
    assert type_of(f"{text} By default it is off.", title="User manual") == "manual"


def test_speaker_turns_of_a_recording_tell():
    said = ("The pump is back.", "Since when?", "Since Monday, with a seal that holds.", "Then we fill the pond.")
    text = "\n".join(said)
    starts = [text.index(line) for line in said]
    turns = tuple(Block(BlockKind.TURN, Span(start, start + 4), Place(speaker="A")) for start in starts)
    assert type_of(text) != "transcript"
    assert type_of(text, blocks=turns) == "transcript"


def test_labels_at_the_start_of_lines_are_not_speakers():
    text = "Note: keep it dry.\nExample: a box.\nWarning: hot.\nTip: wait a day.\nResult: it holds."
    assert type_of(text) != "transcript"


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("The server logs of the API show that the database and its docker container need more memory.", "software"),
        ("The clinical trial gave patients the vaccine; symptoms of the disease and mortality fell.", "medicine"),
        ("The senator and the president fought the election; voters in parliament and congress disagreed.", "politics"),
        ("The river runs from the mountains through the valley to the coast of the island province.", "geography"),
    ],
)
def test_subjects_are_named(text, subject):
    assert profile_document(a_document(text), SAMPLE).domains[0] == subject


def test_small_talk_has_no_subject():
    assert profile_document(a_document("Well, that was a nice evening, was it not?"), SAMPLE).domains == ()


def test_technical_text_is_denser_than_talk():
    technical = "Set `max_connections` to 200 in postgresql.conf; the TCP listener accepts TLS 1.3 and SHA256 only."
    news = "The mayor opened the new bridge on Monday. Many people came with their children to see it."
    densities = [profile_document(a_document(text), SAMPLE).technical_density for text in (technical, news)]
    assert densities[0] > 0.7
    assert densities[1] < 0.2


ANY_TEXT = st.text(max_size=400) | st.lists(
    st.sampled_from(["\n", " ", "a", "Ann: ", "1.", "`x`", "[1]", "§", "é", "語", "İ", "\u2028", "\ud800", "'", "?"])
).map("".join)


@given(text=ANY_TEXT, title=ANY_TEXT, kind=st.sampled_from(DocumentKind))
def test_any_text_has_a_profile_within_bounds(text, title, kind):
    document = a_document(text, title, kind)
    profile = profile_document(document, SAMPLE)
    assert 0 <= profile.technical_density <= 1
    assert 0 <= profile.type_confidence <= 1
    assert len(profile.domains) <= builtin_rules().subjects.most
    assert profile == profile_document(document, SAMPLE)


def test_an_empty_document_is_nothing_in_particular():
    profile = profile_document(a_document(""), SAMPLE)
    assert (profile.type, profile.technical_density, profile.domains) == (DocumentType.OTHER, 0.0, ())


class TestSampling:
    def test_a_short_text_is_taken_whole(self):
        assert stratified_sample("all of it", 9) == ("all of it",)

    def test_a_long_text_gives_beginning_middle_and_end(self):
        text = " ".join(f"word{number}" for number in range(10_000))
        parts = stratified_sample(text, 2000)
        places = [text.index(part) / len(text) for part in parts]
        assert len(parts) == 5
        assert places[0] == 0
        assert parts[-1].endswith("word9999")
        assert places[1:4] == pytest.approx([1 / 6, 1 / 2, 5 / 6], abs=0.03)

    @given(
        st.lists(st.text("abcdefgh語é", min_size=1, max_size=12), min_size=1, max_size=400).map(" ".join),
        st.integers(100, 2000),
    )
    def test_parts_are_whole_words_in_order_within_the_size(self, text, size):
        parts = stratified_sample(text, size)
        assert sum(map(len, parts)) <= max(size, min(size, len(text)))
        position = 0
        for part in parts:
            # the first place where it stands as whole words: its letters may stand inside a longer one before
            found = re.compile(rf"(?<!\S){re.escape(part)}(?!\S)").search(text, position)
            assert found is not None
            position = found.end()

    @given(st.integers(2001, 20_000))
    def test_a_text_without_spaces_is_sampled_too(self, length):
        parts = stratified_sample("語" * length, 2000)
        assert 1990 <= sum(map(len, parts)) <= 2000

    def test_what_only_the_end_says_is_seen(self):
        filler = "stone lamp river cloud ladder\n" * 3000
        ending = "\nReferences\nSmith et al. [12] in this paper our results related work state of the art baselines"
        assert type_of(filler) == "other"
        assert type_of(filler + ending) == "research_paper"


class TestRules:
    def test_every_type_has_words_of_its_own(self):
        assert set(builtin_rules().types) == set(DocumentType)

    def test_the_model_weighs_every_type_and_no_sign_that_is_not_there(self):
        document = a_document(TYPICAL["contract"])
        signs = list_signs(find_traits(document, document.text), document)
        assert set(load_multinomial_model(MODEL, tuple(signs)).classes) == set(DocumentType)

    def test_everything_that_is_looked_for_can_be_found(self):
        for name, each in builtin_rules().types.items():
            for phrase in (*each.phrases, *each.titles):
                assert " ".join(words_of(phrase)) == phrase, name
            headings = [heading.replace("#", "12") for heading in each.headings]
            assert all(words_of(word) == [word] for word in each.words), name
            assert {*map(normalised_heading, headings)} == each.headings, name

    def test_technical_subjects_exist(self):
        rules = builtin_rules()
        assert rules.subjects.technical <= set(rules.domains)


class TestIngest:
    def prepared(self, document):
        [item] = prepare_documents([Found(document, 1)], {}, IngestSettings())
        assert isinstance(item, Ready)
        return item

    def test_a_document_and_all_its_chunks_carry_the_profile(self):
        item = self.prepared(a_document(TYPICAL["contract"] * 10))
        assert item.document.document_profile.type is DocumentType.CONTRACT
        pieces = [*item.chunks, *item.parents]
        assert len(pieces) > 2
        assert {piece.document_profile for piece in pieces} == {item.document.document_profile}

    def test_a_profile_given_by_the_caller_is_kept(self):
        given_profile = profile_document(a_document(TYPICAL["faq"]), SAMPLE)
        item = self.prepared(a_document(TYPICAL["contract"], document_profile=given_profile))
        assert item.document.document_profile == given_profile

    def test_the_profile_is_no_reason_to_ingest_again(self):
        document = a_document(TYPICAL["letter"], published_at=datetime(2026, 1, 1, tzinfo=UTC))
        item = self.prepared(document)
        assert item.document.content_hash == document.content_hash
        assert replace(item.document, document_profile=None) == document
