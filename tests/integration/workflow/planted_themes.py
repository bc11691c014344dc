"""A small corpus with three themes of unequal size, written for the tests: alpine railways, bees, volcanoes."""

from __future__ import annotations

from datetime import UTC, datetime

from ascertain.core.documents.documents import Document, DocumentKind

RAIL = [
    "The Rhaetian Railway runs trains from Chur over the Albula Pass to St. Moritz. Its red trains climb the Bernina Pass without a rack.",
    "The Gotthard Base Tunnel opened in 2016 and is the longest railway tunnel in the world. Trains of the Swiss Federal Railways pass it in 20 minutes.",
    "The Bernina Pass line of the Rhaetian Railway ends in Tirano in Italy. It is the highest railway that crosses the Alps in the open.",
    "The Swiss Federal Railways run trains through the Gotthard Base Tunnel every half hour. Freight trains of the railway follow at night.",
    "The Albula Pass line of the Rhaetian Railway has 55 tunnels between Thusis and St. Moritz. The railway is a world heritage site.",
    "The Glacier Express is a train from Zermatt to St. Moritz on the tracks of the Rhaetian Railway. The train needs eight hours through the Alps.",
    "The Jungfrau Railway climbs through the Eiger to the highest railway station of Europe. Trains of the railway leave from Kleine Scheidegg in the Alps.",
]
BEES = [
    "The Varroa mite weakens a colony of honey bees within two seasons. Keepers of honey bees count the mites on a board under the Langstroth hive.",
    "The Langstroth hive has hanging frames that a keeper of honey bees lifts out one by one. Lorenzo Langstroth patented the hive in 1852.",
    "Honey bees of the Buckfast strain are calm and gather much honey. Brother Adam bred the Buckfast strain in an abbey in Devon.",
    "A queen of the Buckfast strain seldom swarms, say keepers of honey bees. Brother Adam sent such queens to keepers all over Europe.",
    "Oxalic acid kills the Varroa mite in winter, when a colony of honey bees has no brood. The Langstroth hive is treated from above.",
]
LAVA = [
    "Mount Etna erupts nearly every year and is the highest volcano of Sicily. Lava of Mount Etna reached Catania in 1669.",
    "Stromboli throws up lava several times an hour, and sailors call the volcano the lighthouse of the Mediterranean. Stromboli lies north of Sicily.",
    "Vesuvius buried Pompeii under ash in the year 79. The volcano last erupted in 1944, and lava has not flowed from Vesuvius since.",
    "Volcanologists watch Mount Etna, Stromboli and Vesuvius from an observatory in Catania. Gas of the volcano tells them when lava rises.",
]
THEMES = {"rail": RAIL, "bees": BEES, "lava": LAVA}


def documents(**more: object) -> list[Document]:
    """All of them, named after their themes; dated, those of a theme in the same month of 2024."""
    return [
        Document(
            f"{theme}-{number}",
            text,
            f"{theme} {number}",
            DocumentKind.ARTICLE,
            f"{theme}/{number}.txt",
            published_at=datetime(2024, month, 1 + number, tzinfo=UTC),
            tags=(theme,),
            **more,
        )
        for month, (theme, texts) in enumerate(THEMES.items(), start=3)
        for number, text in enumerate(texts)
    ]


def themes_of(answer) -> set[str]:
    """The themes whose documents an answer quotes."""
    return {citation.document_id.split("-")[0] for citation in answer.citations}
