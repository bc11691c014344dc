"""A small corpus about two islands and their ferry, written for the tests, and questions with what a right answer holds."""

from __future__ import annotations

from model_role import Expected

from ascertain.core.asking.requests import Turn
from ascertain.core.documents.documents import Document, DocumentKind

TEXTS = {
    "Ferry": "The ferry Marlinda sails between Ostrand and Hollem since 1998. It carries 320 passengers and 45 cars. "
    "The crossing takes 70 minutes in calm weather. The captain of the Marlinda is Ines Karlow.",
    "Fares": "A single crossing costs 12 euros for adults and 5 euros for children. Bicycles travel free of charge. "
    "A car costs 38 euros, whatever its length. Tickets are sold at the pier and by telephone, never on board.",
    "Timetable": "From May to September the ferry leaves Ostrand at 7:30, 12:00 and 17:45. In winter there is one "
    "crossing a day, at noon. Crossings are cancelled when the wind is stronger than 20 metres a second.",
    "Lighthouse": "The lighthouse of Hollem was built in 1887 by the engineer Tobias Renn. It is 34 metres high and "
    "its light is seen from 19 nautical miles. The keeper moved out in 1974, when the light was automated.",
    "Water": "Ostrand draws its drinking water from two wells near the church. A pipe under the sea brings 900 cubic "
    "metres of water a day to Hollem. The pipe was laid in 2011 and cost 4.2 million euros.",
    "School": "The school of Hollem has 23 pupils and three teachers. Older children take the ferry to the secondary "
    "school in Ostrand. The head of the school is Marta Osk.",
    "Birds": "About 4,000 pairs of puffins breed on the cliffs of Hollem. Walkers must keep to the marked path from "
    "April to July. Dogs are not allowed on the cliffs during the breeding season.",
    "Power": "Three wind turbines give Hollem two thirds of its electricity. A cable from Ostrand brings the rest. "
    "The turbines were put up in 2015 by a cooperative of 140 islanders.",
}
"""The text of each document by its title."""


def documents() -> list[Document]:
    return [Document(t.lower(), text, t, DocumentKind.PROSE, f"{t.lower()}.md") for t, text in TEXTS.items()]


def _answered(question: str, *must: str, title: str) -> Expected:
    return Expected(question, [[one] for one in must], titles=frozenset({title}))


ANSWERED = (
    _answered("How many passengers does the ferry Marlinda carry?", "320", title="Ferry"),
    _answered("Who built the lighthouse of Hollem?", "Tobias Renn", title="Lighthouse"),
    _answered("How much did the water pipe to Hollem cost?", "4.2 million", title="Water"),
    _answered("Are dogs allowed on the cliffs of Hollem during the breeding season?", "not allowed", title="Birds"),
    _answered("Who is head of the school?", "Marta Osk", title="School"),
    _answered("How much water goes through the pipe each day?", "900 cubic metres", title="Water"),
)
"""Offline all are answered right; the last two with medium confidence."""
FOLLOW_UP = _answered("How high is it?", "34 metres", title="Lighthouse")
HISTORY = (
    Turn("user", "Who built the lighthouse of Hollem?"),
    Turn("assistant", "The lighthouse of Hollem was built in 1887 by the engineer Tobias Renn."),
)
"""What was said before the follow-up."""
DECLINED = (
    Expected("What is the capital of Mongolia?"),
    Expected("Who painted the ceiling of the opera house in Vienna?"),
)
"""Nothing of it stands in the documents; offline both are declined."""
NEAR_MISS = Expected("What is the email address of Ines Karlow?")
"""The documents speak of her, and do not say it; offline this is answered all the same."""
