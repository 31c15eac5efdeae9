"""The questions of erp-server/docs/sql.md, answered by DuckDB on an export of the demo.

Each answer is compared with one that is computed here from the lines of the export. With ERP_TEST_STORE the demo is in that
database of PostgreSQL.
"""

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "openapi"))
from server import TARGET, Server  # noqa: E402


def rows(folder: Path, kind: str) -> list[dict]:
    lines = (folder / f"{kind}.ndjson").read_text(encoding="ascii").splitlines()
    return [json.loads(line, parse_float=Decimal, parse_int=Decimal) for line in lines]


def open_states(order: dict) -> bool:
    return order["GrundDaten"]["AuftStatus"] in ("N", "O")


def sign(invoice: dict) -> int:
    return -1 if invoice["RechTyp"] == "381" else 1


def turnover(folder: Path) -> set:
    groups = {article["ArtNr"]: article.get("ArtGruppe") for article in rows(folder, "Artikel")}
    sums = defaultdict(Decimal)
    for invoice in rows(folder, "Rechnung"):
        for line in invoice["Positionen"]:
            key = (invoice["RechDatum"][:7], groups[line["ArtNr"]], invoice["WaehrAbk"])
            sums[key] += sign(invoice) * line["PosBetragNetto"]
    return {(*key, total) for key, total in sums.items()}


def open_orders(folder: Path) -> set:
    names = {customer["KundNr"]: customer.get("KundBez") for customer in rows(folder, "Kunde")}
    orders = [order["GrundDaten"] for order in rows(folder, "Auftrag") if open_states(order)]
    return {
        (o["AuftNr"], o["AuftStatus"], names[o["KundNr"]], o["AuftBestellT"][:10], o["AuftBrutto"], o["WaehrAbk"])
        for o in orders
    }


def without_orders(folder: Path) -> set:
    orders = [order["GrundDaten"] for order in rows(folder, "Auftrag")]
    ordered = {order["KundNr"] for order in orders if order["AuftStatus"] != "S"}
    customers = [customer for customer in rows(folder, "Kunde") if not customer.get("Vergessen")]
    return {(c["KundNr"], c["KundBez"]) for c in customers if c["KundNr"] not in ordered}


def stock(folder: Path) -> set:
    articles = {article["ArtNr"]: article for article in rows(folder, "Artikel")}
    kept, ordered = defaultdict(Decimal), defaultdict(Decimal)
    for place in rows(folder, "Bestand"):
        units = articles[place["ArtNr"]].get("Verpackungen") or []
        factors = {unit["VPEinheit"]: unit["Faktor"] for unit in units}
        if place["Freigegeben"]:
            kept[place["ArtNr"]] += place["LagerBestand"] * factors.get(place.get("VPEinheit"), 1)
    for order in filter(open_states, rows(folder, "Auftrag")):
        for line in order["Positionen"]:
            ordered[line["ArtNr"]] += line["PosAnzBest"]
    managed = [number for number, article in articles.items() if article["AnLager"] == "J"]
    return {(n, kept[n], ordered[n], kept[n] - ordered[n]) for n in managed}


def tax(folder: Path) -> set:
    sums = defaultdict(lambda: [Decimal(0), Decimal(0)])
    for invoice in rows(folder, "Rechnung"):
        year, month, _ = map(int, invoice["RechDatum"].split("-"))
        for entry in invoice["Steuern"]:
            key = (year, (month + 2) // 3, entry["Kategorie"], entry["WUSTSatz"], invoice["WaehrAbk"])
            sums[key][0] += sign(invoice) * entry["BetragNetto"]
            sums[key][1] += sign(invoice) * entry["BetragWUST"]
    return {(*key, *both) for key, both in sums.items()}


EXPECTED = {
    "Turnover by month and group": turnover,
    "Open orders": open_orders,
    "Customers without orders": without_orders,
    "Stock against orders": stock,
    "VAT by rate": tax,
}


def trade(server: Server) -> None:
    """Invoices of ten orders, one of them credited, an order that is canceled, a customer that is forgotten."""
    token = server.token("admin")

    def ask(method: str, path: str, body: dict | None = None) -> dict:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{server.url}{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"{}")

    orders = [order["AuftNr"] for order in ask("GET", "/admin/orders?limit=100")["data"]]
    invoices = [ask("POST", f"/admin/auftrag/{number}/rechnung")["data"]["RechNr"] for number in orders[-10:]]
    ask("POST", f"/admin/rechnung/{invoices[0]}/gutschrift")
    new = ask("GET", "/admin/orders?limit=100&status=N")["data"]
    canceled = next(order["AuftNr"] for order in new if order["AuftNr"] not in orders[-10:])
    ask("PUT", f"/admin/auftrag/{canceled}/status", {"AuftStatus": "S"})
    busy = {order["KundNr"] for order in ask("GET", "/admin/orders?limit=100")["data"]}
    customers = [customer["KundNr"] for customer in ask("GET", "/admin/customers?limit=100")["data"]]
    ask("DELETE", f"/admin/kunden/{next(number for number in customers if number not in busy)}")


def main() -> None:
    if store := os.environ.get("ERP_TEST_STORE"):
        os.environ["ERP_DATABASE"] = store
    with Server() as server:
        trade(server)
        folder = server.folder / "tables"
        password = server.folder / "password"
        password.write_text(server.passwords["admin"])
        command = ["export", "--tables", "--output", folder, "--server", server.url, "--login", "admin"]
        command += ["--user-password-file", password]
        subprocess.run([TARGET / "debug" / "erp-server", *command], check=True)
        os.chdir(folder)
        database = duckdb.connect()
        database.sql(Path("tables.sql").read_text(encoding="utf-8"))
        page = (ROOT / "erp-server" / "docs" / "sql.md").read_text(encoding="utf-8")
        asked = dict(re.findall(r"^## ([^\n]+)\n[^#]*?^```sql\n(.+?)^```$", page, re.MULTILINE | re.DOTALL))
        assert asked.keys() == EXPECTED.keys(), asked.keys()
        for question, statement in asked.items():
            answer = database.sql(statement).fetchall()
            found = {tuple(str(value) if hasattr(value, "isoformat") else value for value in row) for row in answer}
            expected = EXPECTED[question](folder)
            assert len(answer) == len(found) and len(found) > 1, (question, answer)
            assert found == expected, (question, found ^ expected)
            print(f"{question}: {len(answer)} rows")


if __name__ == "__main__":
    main()
