"""Telling that a text is not in English."""

import pytest

from ascertain.language.tokens import is_foreign

FOREIGN = [
    "Die Brücke wurde 1912 von Ada Stone gebaut und ist die längste über den Fluss.",
    "Ada Stone hat die Brücke errichtet.",
    "Le pont a été construit en 1912 par Ada Stone et reste le plus long de la région.",
    "El puente fue construido en 1912 por Ada Stone y es el más largo de la región.",
    "Il ponte fu costruito nel 1912 da Ada Stone ed è il più lungo della regione.",
    "De brug werd in 1912 gebouwd door Ada Stone en is de langste van het land.",
    "A ponte foi construída em 1912 por Ada Stone e é a mais longa da região.",
    "该桥由 Ada Stone 于 1912 年建造",
    "Мост был построен в 1912 году.",
]
ENGLISH = [
    "It was built in 1912 by Ada Stone.",
    "France, Austria, Denmark | 3-5 | 9.50 € | 180 €",
    "@click.option('--count', default=1) def hello(name: str): click.echo(f'Hello {name}')",
    "Bitcoin fell to $90,735.",
    "Deutsche Börse AG and Crédit Agricole S.A. met in Den Haag.",
    ".. autoclass:: ReturnLoggerFactory `structlog.contextvars` Module",
    "1912",
    "",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_other_languages_are_foreign(text):
    assert is_foreign(text)


@pytest.mark.parametrize("text", ENGLISH)
def test_english_code_tables_and_names_are_not(text):
    assert not is_foreign(text)
