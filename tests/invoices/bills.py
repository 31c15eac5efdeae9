"""Compares the QR codes of invoices, line by line, with those that the package qrbill makes of the same data.

bills.py FOLDER: the folder has `bills.jsonl`, from tests/tests/invoices/made.rs.
"""

import json
import sys
import unicodedata
from pathlib import Path

from qrbill import QRBill
from stdnum import iso7064
from stdnum.ch import esr

# What the standard (SIX, version 2.3) allows, and signs that stand for others there.
ALLOWED = {*map(chr, range(0x20, 0x7F)), *map(chr, range(0xA0, 0x180)), *"ȘșȚț€"}
SIGNS = {**dict.fromkeys("‘’‚‛′‹›", "'"), **dict.fromkeys("“”„‟″", '"'), **dict.fromkeys("‐‑‒–—―−", "-")}
LENGTHS = {"name": 70, "street": 70, "pcode": 16, "city": 35}
WORDS = {"ger": "Rechnung", "fre": "Facture", "ita": "Fattura", "eng": "Invoice"}


def spelled(text, other):
    """The text in the characters of the standard; None where it has others and nothing stands for them."""
    made = []
    for sign in text:
        plain = SIGNS.get(sign, sign)
        if plain not in ALLOWED:
            apart = unicodedata.normalize("NFKD", sign)
            plain = "".join(part for part in apart if not unicodedata.category(part).startswith("M"))
        if all(part in ALLOWED for part in plain):
            made.append(plain)
        elif other is None:
            return None
        else:
            made.append(other)
    return "".join(made).strip()


def party(given, other):
    fitted = {name: spelled(given[name], other) for name in LENGTHS}
    if not all(fitted.values()):
        return None
    cut = {name: text[: LENGTHS[name]].rstrip() for name, text in fitted.items()}
    return {**cut, "country": given["country"]}


def reference(number, is_qr):
    if is_qr:
        digits = number.zfill(26)
        return digits + esr.calc_check_digit(digits)
    check = 98 - iso7064.mod_97_10.checksum(number + "RF00")
    return f"RF{check:02}{number}"


def expected(bill):
    bank = int(bill["account"][4:9])
    return QRBill(
        account=bill["account"],
        creditor=party(bill["creditor"], "?"),
        debtor=party(bill["debtor"], None),
        amount=bill["amount"],
        currency=bill["currency"],
        reference_number=reference(bill["number"], 30000 <= bank <= 31999),
        additional_information=f"{WORDS[bill['language']]} {bill['number']}",
    )


def is_told(bill, made):
    """Whether what is cut, replaced or left out was told."""
    told = " ".join(bill["told"])
    cut = made.creditor.name != spelled(bill["creditor"]["name"], "?") or "?" in made.creditor.name
    is_silent = (made.debtor is None and "empty box" not in told) or (
        cut and "?" not in bill["creditor"]["name"] and "Verkaeufer.Name" not in told
    )
    return not is_silent


def main():
    bills = [json.loads(line) for line in (Path(sys.argv[1]) / "bills.jsonl").read_text().splitlines()]
    wrong = 0
    for bill in bills:
        made = expected(bill)
        wanted = made.qr_data().split("\r\n")
        found = bill["code"].split("\n")
        if found != wanted or not is_told(bill, made):
            wrong += 1
            print(f"invoice {bill['number']}: told {bill['told']}")
            for one, other in zip(found, wanted):
                if one != other:
                    print(f"  the code says {one!r}, qrbill {other!r}")
    kinds = [sum(kind in bill["code"] for bill in bills) for kind in ("\nQRR\n", "\nSCOR\n")]
    print(f"{len(bills)} QR-bills compared with qrbill ({kinds[0]} QRR, {kinds[1]} SCOR), {wrong} differ")
    sys.exit(1 if wrong or not all(kinds) else 0)


main()
