"""Twelve made tables in the formats people keep them in, and 60 questions on them that have to be computed.

What is right is computed here from the rows themselves, in plain Python, never by the product. ``write_tables`` writes the files;
``list_questions`` gives the questions, each with the figures or names an answer has to hold and the rows it may rest on.
"""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from docx import Document as Word
from openpyxl import Workbook

Row = dict[str, object]
SEED = 20260401


@dataclass(frozen=True, slots=True)
class ComputedQuestion:
    """``must``: of each inner tuple one stands in the answer. ``rows``: what the cells it rests on may be, by a text of each row;
    every row cited holds one of them, and ``fewest`` are cited at least. ``is_aside``: kept aside while the rules were written.
    """

    id: str
    kind: str
    text: str
    must: tuple[tuple[str, ...], ...]
    rows: tuple[str, ...]
    fewest: int = 1
    is_aside: bool = False


def say_number(value: float, digits: int = 2) -> tuple[str, ...]:
    """The ways to write a figure, with separators and without, at ``digits`` decimals and fewer where nothing is lost."""
    ways = {f"{value:,.{digits}f}", f"{value:.{digits}f}", f"{value:,.1f}", f"{value:.1f}"}
    if abs(value - round(value)) < 1e-9:
        ways |= {f"{value:,.0f}", f"{value:.0f}"}
    return tuple(sorted(ways))


def make_tables() -> dict[str, list[Row]]:
    """The rows of every table, by its name; the same in every run."""
    pick = random.Random(SEED)
    customers = [
        dict(zip(("Customer", "City", "Segment", "Since"), row, strict=True))
        for row in (
            ("Aldgate Books", "London", "Wholesale", 2016),
            ("Brightside Cafe", "Leeds", "Retail", 2019),
            ("Corner & Sons", "Bristol", "Retail", 2021),
            ("Dunmore Hotel", "Dublin", "Hospitality", 2015),
            ("Elm Street School", "Leeds", "Public", 2018),
            ("Foxglove Studio", "London", "Retail", 2022),
            ("Glenview Clinic", "Glasgow", "Public", 2017),
            ("Harbour Lights", "Bristol", "Hospitality", 2020),
        )
    ]
    products = {"Desk lamp": 34.9, "Floor lamp": 89.0, "Wall light": 45.5, "Pendant": 120.0, "Lantern": 27.25}
    orders: list[Row] = []
    for number in range(1, 181):
        product = pick.choice(list(products))
        orders.append(
            {
                "order_id": f"ORD-{number:04d}",
                "order_date": f"2024-{pick.randint(1, 12):02d}-{pick.randint(1, 28):02d}",
                "customer": pick.choice(customers)["Customer"],
                "product": product,
                "quantity": pick.randint(1, 24),
                "unit_price": products[product],
                "status": pick.choices(("shipped", "cancelled", "returned"), (8, 1, 1))[0],
                "gift_wrapped": pick.choice(("yes", "no", "no")),
            }
        )
    return {
        "orders": orders,
        "customers": customers,
        "staff": _make_staff(pick),
        "teams": _rows("Team | Lead | Budget | Floor", TEAMS),
        "budget": _make_budget(pick),
        "rivers": _rows("River | Country | Length (km) | Mean discharge (m3/s) | Mouth", RIVERS),
        "plants": _rows("Plant | Fuel | Capacity | Commissioned | Operator | Closed", PLANTS),
        "loans": _make_loans(pick),
        "marathon": _make_marathon(pick),
        "air": _make_air(pick),
        "invoices": _make_invoices(pick),
        "votes": _make_votes(pick),
        "stock": _rows("SKU | Item | In stock | Reorder level | Price | Supplier", STOCK),
    }


def _rows(names: str, lines: str) -> list[Row]:
    keys = names.split(" | ")
    return [dict(zip(keys, line.split(" | "), strict=True)) for line in lines.strip().split("\n")]


TEAMS = """
Design | Ines Okafor | $420,000 | 2
Engineering | Pavel Novak | $1,350,000 | 3
Support | Lucy Tran | $310,000 | 1
Sales | Omar Haddad | $610,500 | 2
Finance | Greta Lind | $275,000 | 4
"""
RIVERS = """
Amarel | Tavonia | 1,284 | 3,410 | Selk Sea
Brenta Minor | Ostrin | 174 | 71 | Lagoon of Ivar
Culver | Tavonia | 863 | 920 | Amarel
Dovra | Ostrin | 1,032 | 1,204 | Gulf of Marn
Esk Water | Hallin | 96 | 12.5 | Gulf of Marn
Fenn | Hallin | 412 | 188 | Lake Orrin
Great Sorrow | Tavonia | 2,011 | 6,875 | Selk Sea
Hollin | Hallin | 538 | 240 | Gulf of Marn
Ister Beck | Ostrin | 318 | 96 | Dovra
Jarn | Tavonia | 705 | 511 | Great Sorrow
Kelder | Ostrin | 940 | 1,010 | Gulf of Marn
"""
PLANTS = """
Ashby Point | Gas | 1,200 MW | 1998 | Northgrid | no
Barrow Flats | Wind | 310 MW | 2014 | Vento | no
Cairn Hill | Hydro | 440 MW | 1971 | Northgrid | no
Dunes Array | Wind | 655 MW | 2021 | Vento | no
East Lock | Coal | 1,980 MW | 1976 | Calder Power | yes
Fallow Field | Solar | 85 MW | 2019 | Heliora | no
Gannet Rock | Wind | 520 MW | 2018 | Northgrid | no
Hartwell | Nuclear | 1,630 MW | 1988 | Calder Power | no
Ivy Bridge | Gas | 760 MW | 2006 | Calder Power | yes
Jessop Mill | Hydro | 62 MW | 1959 | Northgrid | no
Kings Moor | Solar | 140 MW | 2022 | Heliora | no
"""
STOCK = """
A-100 | Hex bolt M8 | 1,450 | 500 | $0.12 | Fastenal Supply
A-110 | Hex bolt M10 | 320 | 400 | $0.19 | Fastenal Supply
A-200 | Wing nut | 75 | 150 | $0.08 | Bolt & Co
B-010 | Claw hammer | 42 | 20 | $18.50 | Ironside
B-020 | Rubber mallet | 9 | 12 | $14.25 | Ironside
B-030 | Tape measure 5 m | 64 | 30 | $7.99 | Ironside
C-300 | Cordless drill | 17 | 10 | $129.00 | Volta Tools
C-310 | Drill bit set | 38 | 25 | $24.75 | Volta Tools
C-400 | Angle grinder | 0 | 5 | $89.90 | Volta Tools
D-500 | Safety goggles | 210 | 100 | $5.40 | Guardwell
D-510 | Work gloves | 188 | 200 | $3.95 | Guardwell
"""
ROLES = {
    "Design": ("Head designer", "New designer (from June)", "Illustrator"),
    "Engineering": ("Staff engineer", "Engineer", "Junior engineer"),
    "Support": ("Support lead", "Support agent", "Night support agent"),
    "Sales": ("Account manager", "Sales assistant", "Field sales rep"),
    "Finance": ("Controller", "Accountant", "Payroll clerk"),
}
NAMES = (
    "Ada Brandt, Ben Castillo, Chloe Dube, Dario Esposito, Ewa Fischer, Femi Grant, Gita Hale, Hugo Ibsen, Ivy Jansen, Jonas Kerr, "
    "Kofi Lam, Lena Marsh, Milo Ngata, Nadia Orr, Otis Pavel, Priya Quist, Quinn Rossi, Rosa Sand, Samir Tuck, Tove Ulrich, "
    "Uma Voss, Viktor Wren, Wanda Xu, Yara Zane"
).split(", ")


def _make_staff(pick: random.Random) -> list[Row]:
    rows: list[Row] = []
    for number, name in enumerate(NAMES):
        team = list(ROLES)[number % 5]
        rows.append(
            {
                "Name": name,
                "Role": ROLES[team][(number // 5) % 3],
                "Team": team,
                "Salary": pick.randrange(31_000, 98_000, 250),
                "Start date": f"{pick.randint(2014, 2024)}-{pick.randint(1, 12):02d}-{pick.randint(1, 28):02d}",
                "Remote": pick.choice(("Yes", "No")),
            }
        )
    return rows


MONTHS = "January February March April May June July August September October November December".split()


def _make_budget(pick: random.Random) -> list[Row]:
    return [
        {"Month": month, "Plan": pick.randrange(40_000, 60_000, 500), "Actual": pick.randrange(36_000, 66_000, 10)}
        for month in MONTHS
    ]


def _make_loans(pick: random.Random) -> list[Row]:
    titles = "The Glass Orchard, Salt Roads, Night Ferry, A Small Atlas, Winter Bees, The Long Field, Tin Stars".split(
        ", "
    )
    borrowers = "M. Achterberg, J. Bello, S. Cardew, T. Dimitrov, R. Eklund".split(", ")
    rows: list[Row] = []
    for number in range(26):
        month, day = pick.randint(1, 6), pick.randint(1, 27)
        rows.append(
            {
                "Loan": f"L{number + 301}",
                "Title": pick.choices(titles, (7, 2, 3, 2, 4, 2, 3))[0],
                "Borrower": pick.choice(borrowers),
                "Lent on": f"{day} {MONTHS[month - 1]} 2025",
                "Days kept": pick.randint(3, 45),
                "Fine": f"£{pick.choice((0, 0, 0, 1.5, 2.25, 4.0)):.2f}",
                "month": month,
            }
        )
    return rows


def _make_marathon(pick: random.Random) -> list[Row]:
    clubs = ("Harriers", "Road Runners", "Striders", "Unattached")
    rows: list[Row] = []
    for number in range(40):
        seconds = pick.randint(8_400, 16_500)
        rows.append(
            {
                "bib": 100 + number,
                "runner": f"{NAMES[number % 24].split()[0]} {NAMES[(number * 7 + 3) % 24].split()[1]}",
                "club": pick.choice(clubs),
                "age": pick.randint(19, 68),
                "finish_time": f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}",
                "seconds": seconds,
            }
        )
    return rows


def _make_air(pick: random.Random) -> list[Row]:
    rows: list[Row] = []
    for day in range(1, 31):
        for station in ("Old Town", "Riverside", "Airport"):
            pm25 = None if pick.random() < 0.06 else round(pick.uniform(4, 48), 1)
            rows.append(
                {
                    "date": f"2025-11-{day:02d}",
                    "station": station,
                    "pm25": pm25,
                    "temperature_c": round(pick.uniform(-4, 14), 1),
                }
            )
    return rows


def _make_invoices(pick: random.Random) -> list[Row]:
    vendors = ("Albrecht GmbH", "Bauer KG", "Conti SRL", "Dupont SARL", "Egger AG")
    rows: list[Row] = []
    for number in range(60):
        amount = round(pick.uniform(90, 9_800), 2)
        month, day = pick.randint(1, 9), pick.randint(1, 28)
        rows.append(
            {
                "Invoice": f"INV-{number + 7001}",
                "Vendor": pick.choice(vendors),
                "Issued": f"{day:02d}.{month:02d}.2025",
                "Amount (EUR)": f"{amount:,.2f}".replace(",", "#").replace(".", ",").replace("#", "."),
                "Paid": pick.choice(("yes", "yes", "no")),
                "value": amount,
                "month": month,
            }
        )
    return rows


def _make_votes(pick: random.Random) -> list[Row]:
    candidates = (("Ada Holm", "Green"), ("Bo Lindt", "Labour"), ("Cy Marsh", "Liberal"))
    rows: list[Row] = []
    for district in ("North Quay", "Mill Lane", "Castle", "Orchard", "St Olav", "Westgate"):
        turnout = round(pick.uniform(48, 79), 1)
        for candidate, party in candidates:
            rows.append(
                {
                    "District": district,
                    "Candidate": candidate,
                    "Party": party,
                    "Votes": pick.randint(420, 3_900),
                    "Turnout": f"{turnout}%",
                    "turnout": turnout,
                }
            )
    return rows


def _number(text: object) -> float:
    return float(str(text).split()[0].strip("$£").replace(",", ""))


def write_tables(folder: Path) -> None:
    """Write the twelve files, and two notes in prose that speak of the same things."""
    made = make_tables()
    folder.mkdir(parents=True, exist_ok=True)
    _write_delimited(folder / "orders-2024.csv", made["orders"], ",")
    _write_delimited(folder / "customers.tsv", made["customers"], "\t")
    invoices = [
        {key: row[key] for key in ("Invoice", "Vendor", "Issued", "Amount (EUR)", "Paid")} for row in made["invoices"]
    ]
    _write_delimited(folder / "invoices.csv", invoices, ";")
    votes = [{key: row[key] for key in ("District", "Candidate", "Party", "Votes", "Turnout")} for row in made["votes"]]
    total = {
        "District": "Total",
        "Candidate": "",
        "Party": "",
        "Votes": sum(int(str(row["Votes"])) for row in votes),
        "Turnout": "",
    }
    _write_delimited(folder / "council-election.csv", [*votes, total], ",")
    _write_books(folder, made)
    _write_marked(folder, made)
    _write_word(folder / "library-loans.docx", made["loans"])
    runners = [{key: row[key] for key in ("bib", "runner", "club", "age", "finish_time")} for row in made["marathon"]]
    (folder / "marathon.json").write_text(json.dumps(runners, indent=1), "utf-8")
    (folder / "air-quality.jsonl").write_text("\n".join(map(json.dumps, made["air"])), "utf-8")
    (folder / "notes.md").write_text(NOTES, "utf-8")


NOTES = """# Notes of the week

The longest river walk we offer follows the Fenn. Orders are packed on two floors, and the busiest month is usually the one before the
holidays. Support agents work in shifts; a night support agent starts at ten. The council meets every second Tuesday, and turnout at the
last election was discussed at length. Fines for late books are waived for children.
"""


def _write_delimited(file: Path, rows: Sequence[Row], mark: str) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), delimiter=mark)
        writer.writeheader()
        writer.writerows(rows)


def _write_books(folder: Path, made: dict[str, list[Row]]) -> None:
    staff = Workbook()
    sheet = staff.active
    sheet.title = "Staff"
    for name, rows in (("Staff", made["staff"]), ("Teams", made["teams"])):
        page = staff[name] if name in staff.sheetnames else staff.create_sheet(name)
        page.append(list(rows[0]))
        for row in rows:
            page.append(list(row.values()))
    staff.save(folder / "staff-list.xlsx")
    budget = Workbook()
    page = budget.active
    page.title = "Budget 2025"
    page.append(["Running costs of the workshop"])
    page.append(["Month", "Costs", None])
    page.append([None, "Plan", "Actual"])
    page.merge_cells("B2:C2")
    page.merge_cells("A2:A3")
    for row in made["budget"]:
        page.append(list(row.values()))
    page.append(["Total", *(sum(int(str(row[name])) for row in made["budget"]) for name in ("Plan", "Actual"))])
    budget.save(folder / "workshop-budget.xlsx")


def _write_marked(folder: Path, made: dict[str, list[Row]]) -> None:
    def lines(rows: Sequence[Row]) -> Iterable[str]:
        yield "| " + " | ".join(rows[0]) + " |"
        yield "|" + "---|" * len(rows[0])
        for row in rows:
            yield "| " + " | ".join(map(str, row.values())) + " |"

    head = "# Rivers of the three countries\n\nMeasured by the survey of 2019.\n\n"
    (folder / "rivers.md").write_text(head + "\n".join(lines(made["rivers"])) + "\n", "utf-8")
    (folder / "warehouse.txt").write_text("Warehouse stock\n\n" + "\n".join(lines(made["stock"])) + "\n", "utf-8")
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row.values()) + "</tr>\n" for row in made["plants"])
    names = "".join(f"<th>{name}</th>" for name in made["plants"][0])
    page = f"<html><head><title>Power plants</title></head><body><h1>Power plants</h1><p>All plants of the region.</p><table><tr>{names}</tr>\n{cells}</table></body></html>"
    (folder / "power-plants.html").write_text(page, "utf-8")


def _write_word(file: Path, rows: Sequence[Row]) -> None:
    names = ("Loan", "Title", "Borrower", "Lent on", "Days kept", "Fine")
    word = Word()
    word.add_heading("Library loans", 1)
    word.add_paragraph("Loans of the first half of 2025, as the desk wrote them down.")
    table = word.add_table(rows=1, cols=len(names))
    for cell, name in zip(table.rows[0].cells, names, strict=True):
        cell.text = name
    for row in rows:
        for cell, name in zip(table.add_row().cells, names, strict=True):
            cell.text = str(row[name])
    word.save(str(file))


Test = Callable[[Row], bool]


class _Questions:
    """Puts the questions together; each third one is kept aside."""

    def __init__(self) -> None:
        self.made = make_tables()
        self.all: list[ComputedQuestion] = []

    def ask(self, kind: str, text: str, must: Sequence[Sequence[str]], rows: Iterable[object], fewest: int = 1) -> None:
        number = len(self.all) + 1
        made = tuple(tuple(each) for each in must)
        self.all.append(
            ComputedQuestion(f"c{number:02d}", kind, text, made, tuple(map(str, rows)), fewest, number % 3 == 0)
        )

    def where(self, table: str, test: Test = lambda _: True) -> list[Row]:
        return [row for row in self.made[table] if test(row)]

    def count(self, table: str, text: str, key: str, test: Test, kind: str = "count") -> None:
        found = self.where(table, test)
        self.ask(kind, text, [(str(len(found)),)], [row[key] for row in found], min(1, len(found)))

    def best(
        self,
        table: str,
        text: str,
        shown: str,
        by: Callable[[Row], float],
        *,
        least: bool = False,
        test: Test = lambda _: True,
        key: str = "",
        kind: str = "extreme",
    ) -> None:
        rows = self.where(table, test)
        end = (min if least else max)(map(by, rows))
        found = [row for row in rows if by(row) == end]
        self.ask(kind, text, [(str(row[shown]),) for row in found], [row[key or shown] for row in found])

    def figure(
        self, table: str, text: str, key: str, value: Callable[[list[Row]], float], test: Test, *, kind: str
    ) -> None:
        found = self.where(table, test)
        self.ask(kind, text, [say_number(value(found))], [row[key] for row in found])


def _group(
    rows: Sequence[Row], by: str, value: Callable[[Row], float], whole: Callable[[Sequence[float]], float]
) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        groups[str(row[by])].append(value(row))
    return {name: whole(values) for name, values in groups.items()}


def list_questions() -> list[ComputedQuestion]:
    """The 60 questions, in the manner of different people."""
    q = _Questions()
    _ask_orders(q)
    _ask_staff(q)
    _ask_places(q)
    _ask_people(q)
    _ask_money(q)
    return q.all


def _ask_orders(q: _Questions) -> None:
    orders, cities = q.made["orders"], {str(row["Customer"]): row for row in q.made["customers"]}
    quantity: Callable[[Row], float] = lambda row: float(str(row["quantity"]))  # noqa: E731
    q.count("orders", "How many orders were cancelled?", "order_id", lambda r: r["status"] == "cancelled")
    q.count(
        "orders",
        "number of gift wrapped orders in march",
        "order_id",
        lambda r: r["gift_wrapped"] == "yes" and str(r["order_date"])[5:7] == "03",
    )
    q.figure(
        "orders",
        "how many lanterns did we sell altogether, counting quantity?",
        "order_id",
        lambda rows: sum(map(quantity, rows)),
        lambda r: r["product"] == "Lantern",
        kind="sum",
    )
    q.figure(
        "orders",
        "What's the total quantity ordered by Dunmore Hotel?",
        "order_id",
        lambda rows: sum(map(quantity, rows)),
        lambda r: r["customer"] == "Dunmore Hotel",
        kind="sum",
    )
    q.figure(
        "orders",
        "average quantity per order for pendants please",
        "order_id",
        lambda rows: fmean(map(quantity, rows)),
        lambda r: r["product"] == "Pendant",
        kind="mean",
    )
    by_customer = _group(orders, "customer", lambda _: 1, sum)
    top = max(by_customer, key=lambda name: by_customer[name])
    q.ask(
        "group",
        "Which customer placed the most orders?",
        [(top,)],
        [r["order_id"] for r in orders if r["customer"] == top],
    )
    by_product = _group(orders, "product", lambda _: 1, sum)
    q.ask(
        "group",
        "orders per product",
        [
            (f"{name}: {count:.0f}", f"{name} ({count:.0f})", f"{name} {count:.0f}")
            for name, count in by_product.items()
        ],
        [r["order_id"] for r in orders],
    )
    q.count("orders", "How many orders had a quantity over 20?", "order_id", lambda r: quantity(r) > 20, "filter")
    q.count(
        "orders",
        "how many orders after september 2024 were returned?",
        "order_id",
        lambda r: r["status"] == "returned" and str(r["order_date"]) >= "2024-10-01",
        "filter",
    )
    leeds = [r for r in orders if cities[str(r["customer"])]["City"] == "Leeds"]
    q.ask(
        "join",
        "How many orders came from customers in Leeds?",
        [(str(len(leeds)),)],
        [*(r["order_id"] for r in leeds), "Brightside Cafe", "Elm Street School"],
    )
    public = [r for r in orders if cities[str(r["customer"])]["Segment"] == "Public"]
    q.ask(
        "join",
        "Total quantity ordered by customers of the public segment?",
        [say_number(sum(map(quantity, public)))],
        [*(r["order_id"] for r in public), "Elm Street School", "Glenview Clinic"],
    )
    q.count("customers", "How many of our customers are in London?", "Customer", lambda r: r["City"] == "London")
    q.best(
        "customers", "who has been a customer the longest?", "Customer", lambda r: float(str(r["Since"])), least=True
    )


def _ask_staff(q: _Questions) -> None:
    salary: Callable[[Row], float] = lambda row: float(str(row["Salary"]))  # noqa: E731
    q.best("staff", "Who earns the most?", "Name", salary)
    q.figure(
        "staff",
        "what is the mean salary in engineering",
        "Name",
        lambda rows: fmean(map(salary, rows)),
        lambda r: r["Team"] == "Engineering",
        kind="mean",
    )
    q.count("staff", "How many people work remotely?", "Name", lambda r: r["Remote"] == "Yes")
    q.count(
        "staff", "How many employees started before 2018?", "Name", lambda r: str(r["Start date"]) < "2018", "filter"
    )
    q.best("staff", "Who is our newest employee?", "Name", lambda r: float(str(r["Start date"]).replace("-", "")))
    new, night = (
        q.where("staff", lambda r, role=role: r["Role"] == role)
        for role in ("New designer (from June)", "Night support agent")
    )
    q.ask(
        "attribute",
        "How much does the new designer get?",
        [say_number(salary(row)) for row in new],
        [r["Name"] for r in new],
    )
    q.ask("attribute", "how many night support agents are there?", [(str(len(night)),)], [r["Name"] for r in night])
    q.ask(
        "attribute",
        "what's the average salary of the junior engineers?",
        [say_number(fmean(salary(r) for r in q.where("staff", lambda r: r["Role"] == "Junior engineer")))],
        [r["Name"] for r in q.where("staff", lambda r: r["Role"] == "Junior engineer")],
    )
    by_team = _group(q.made["staff"], "Team", salary, fmean)
    low = min(by_team, key=lambda name: by_team[name])
    q.ask(
        "group",
        "Which team has the lowest average salary?",
        [(low,)],
        [r["Name"] for r in q.made["staff"] if r["Team"] == low],
    )
    floor2 = [r for r in q.made["staff"] if r["Team"] in ("Design", "Sales")]
    q.ask(
        "join",
        "How many people sit on floor 2?",
        [(str(len(floor2)),)],
        [*(r["Name"] for r in floor2), "Ines Okafor", "Omar Haddad"],
    )
    q.ask(
        "sum",
        "Add up the team budgets",
        [say_number(sum(_number(r["Budget"]) for r in q.made["teams"]))],
        [r["Lead"] for r in q.made["teams"]],
    )
    q.best("teams", "Which team has the biggest budget?", "Team", lambda r: _number(r["Budget"]))


def _ask_places(q: _Questions) -> None:
    length: Callable[[Row], float] = lambda row: _number(row["Length (km)"])  # noqa: E731
    q.best("rivers", "What is the longest river?", "River", length)
    q.best(
        "rivers", "shortest river in Tavonia?", "River", length, least=True, test=lambda r: r["Country"] == "Tavonia"
    )
    q.figure(
        "rivers",
        "Combined length of the rivers of Ostrin?",
        "River",
        lambda rows: sum(map(length, rows)),
        lambda r: r["Country"] == "Ostrin",
        kind="sum",
    )
    q.count("rivers", "how many rivers are longer than 900 km", "River", lambda r: length(r) > 900, "filter")
    long = q.where("rivers", lambda r: r["Mouth"] == "Gulf of Marn")
    q.ask(
        "filter",
        "Which rivers flow into the Gulf of Marn?",
        [(str(r["River"]),) for r in long],
        [r["River"] for r in long],
        len(long),
    )
    second = sorted(q.made["rivers"], key=length)[-2]
    q.ask("extreme", "What's the second longest river in the list?", [(str(second["River"]),)], [second["River"]])
    capacity: Callable[[Row], float] = lambda row: _number(row["Capacity"])  # noqa: E731
    q.figure(
        "plants",
        "What is the total capacity of the wind plants?",
        "Plant",
        lambda rows: sum(map(capacity, rows)),
        lambda r: r["Fuel"] == "Wind",
        kind="sum",
    )
    q.count("plants", "how many power plants are closed", "Plant", lambda r: r["Closed"] == "yes")
    q.best("plants", "oldest power plant?", "Plant", lambda r: float(str(r["Commissioned"])), least=True)
    big = q.where("plants", lambda r: capacity(r) >= 1000)
    q.ask(
        "filter",
        "List the plants with a capacity of at least 1000 MW",
        [(str(r["Plant"]),) for r in big],
        [r["Plant"] for r in big],
        len(big),
    )
    operators = _group(q.made["plants"], "Operator", capacity, sum)
    first = max(operators, key=lambda name: operators[name])
    q.ask(
        "group",
        "which operator has the most capacity in total?",
        [(first,)],
        [r["Plant"] for r in q.made["plants"] if r["Operator"] == first],
    )
    q.count(
        "plants",
        "How many plants were commissioned between 2010 and 2020?",
        "Plant",
        lambda r: 2010 <= int(str(r["Commissioned"])) <= 2020,
        "filter",
    )


def _ask_people(q: _Questions) -> None:
    q.best(
        "marathon",
        "Who won the marathon, i.e. had the fastest finish time?",
        "runner",
        lambda r: float(str(r["seconds"])),
        least=True,
    )
    q.count("marathon", "how many runners are from the Striders?", "runner", lambda r: r["club"] == "Striders")
    q.figure(
        "marathon",
        "What is the average age of the Harriers?",
        "runner",
        lambda rows: fmean(float(str(r["age"])) for r in rows),
        lambda r: r["club"] == "Harriers",
        kind="mean",
    )
    q.best("marathon", "who was the oldest runner", "runner", lambda r: float(str(r["age"])))
    under = lambda r: float(str(r["seconds"])) < 3 * 3600  # noqa: E731
    q.count("marathon", "How many runners finished in under 3:00:00?", "runner", under, "filter")
    days: Callable[[Row], float] = lambda row: float(str(row["Days kept"]))  # noqa: E731
    q.best("loans", "Which loan was kept the longest?", "Loan", days)
    q.count("loans", "How often was Salt Roads lent?", "Loan", lambda r: r["Title"] == "Salt Roads")
    q.figure(
        "loans",
        "What do the fines of J. Bello add up to?",
        "Loan",
        lambda rows: sum(_number(r["Fine"]) for r in rows),
        lambda r: r["Borrower"] == "J. Bello",
        kind="sum",
    )
    q.count("loans", "How many loans were made in Mar 2025?", "Loan", lambda r: r["month"] == 3, "filter")
    titles = _group(q.made["loans"], "Title", lambda _: 1, sum)
    most = max(titles, key=lambda name: titles[name])
    q.ask(
        "group",
        "Which title was borrowed most often?",
        [(most,)],
        [r["Loan"] for r in q.made["loans"] if r["Title"] == most],
    )
    votes: Callable[[Row], float] = lambda row: float(str(row["Votes"]))  # noqa: E731
    lindt = q.where("votes", lambda r: r["Candidate"] == "Bo Lindt")
    q.ask("sum", "How many votes did Bo Lindt get in total?", [say_number(sum(map(votes, lindt)))], ["Bo Lindt"])
    castle = max(q.where("votes", lambda r: r["District"] == "Castle"), key=votes)
    q.ask(
        "extreme",
        "who got the most votes in Castle?",
        [(str(castle["Candidate"]),)],
        [f"Castle | {castle['Candidate']}"],
    )
    turnout = max(q.made["votes"], key=lambda r: float(str(r["turnout"])))
    q.ask("extreme", "Which district had the highest turnout?", [(str(turnout["District"]),)], [turnout["District"]])


def _ask_money(q: _Questions) -> None:
    amount: Callable[[Row], float] = lambda row: float(str(row["value"]))  # noqa: E731
    q.figure(
        "invoices",
        "What is the total of unpaid invoices?",
        "Invoice",
        lambda rows: sum(map(amount, rows)),
        lambda r: r["Paid"] == "no",
        kind="sum",
    )
    q.figure(
        "invoices",
        "avg invoice amount from Bauer KG",
        "Invoice",
        lambda rows: fmean(map(amount, rows)),
        lambda r: r["Vendor"] == "Bauer KG",
        kind="mean",
    )
    q.best("invoices", "Which is the largest invoice?", "Invoice", amount)
    q.count(
        "invoices",
        "count invoices issued in June 2025 that are paid",
        "Invoice",
        lambda r: r["Paid"] == "yes" and r["month"] == 6,
        "filter",
    )
    q.figure(
        "budget",
        "How much did we actually spend on workshop costs over the year?",
        "Month",
        lambda rows: sum(float(str(r["Actual"])) for r in rows),
        lambda _: True,
        kind="sum",
    )
    q.best("budget", "In which month were actual costs highest?", "Month", lambda r: float(str(r["Actual"])))
    price: Callable[[Row], float] = lambda row: _number(row["Price"])  # noqa: E731
    q.best("stock", "most expensive item in the warehouse", "Item", price)
    q.count("stock", "How many items does Ironside supply?", "Item", lambda r: r["Supplier"] == "Ironside")
    pm: Callable[[Row], float] = lambda row: float(str(row["pm25"]))  # noqa: E731
    river = q.where("air", lambda r: r["station"] == "Riverside" and r["pm25"] is not None)
    q.ask("mean", "What was the mean pm25 at Riverside?", [say_number(fmean(map(pm, river)))], ["Riverside"])
    cold = min(q.made["air"], key=lambda r: float(str(r["temperature_c"])))
    q.ask(
        "extreme",
        "when was it coldest at the stations?",
        [(str(cold["date"]), _say_day(str(cold["date"])))],
        [f"{cold['date']} | {cold['station']}"],
    )


def _say_day(date: str) -> str:
    year, month, day = date.split("-")
    return f"{int(day)} {MONTHS[int(month) - 1]} {year}"
