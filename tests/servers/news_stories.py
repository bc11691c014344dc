"""News of the days before a leap day."""

from datetime import UTC, datetime

from news_service import Story

NOW = datetime(2024, 2, 29, tzinfo=UTC)
MOON = Story(
    "Orbital Foundry lands its first cargo on the Moon",
    "https://ledger.example/moon",
    "Orbital Foundry landed a cargo craft near the lunar south pole on Tuesday. The craft, named Heron, carried 310 kilograms "
    "of instruments and supplies. Engineers in Porto cheered as the first pictures arrived at the control room.\n\n"
    "The landing cost 92 million euros, said the chief executive, Ines Carvalho. A second craft will follow in September.",
    datetime(2024, 2, 27, 14, tzinfo=UTC),
)
DRILL = Story(
    "What Heron will do at the lunar south pole",
    "https://planet.example/heron",
    "The Heron lander carries a drill that can reach two metres below the surface of the Moon. Scientists hope to find water "
    "ice in the shadowed craters. The drill was built by the University of Aveiro.",
    datetime(2024, 2, 28, 8, tzinfo=UTC),
)
OLIVES = Story(
    "Harvest of olives halves in Andalusia",
    "https://ledger.example/olives",
    "Growers in Andalusia brought in half as many olives as the year before. A drought of three years is to blame. The price "
    "of olive oil rose by 38 per cent to 9 euros a litre. The government promised 120 million euros of aid.",
    datetime(2024, 2, 20, tzinfo=UTC),
)
OLD = Story(
    "Orbital Foundry founded in Porto",
    "https://ledger.example/founded",
    "Orbital Foundry was founded in Porto by four engineers who want to bring cargo to the Moon.",
    datetime(2019, 5, 2, tzinfo=UTC),
)
