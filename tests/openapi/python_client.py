"""The main job of a shop and its admin, with the client that openapi-python-client generates."""

import base64
import os
from pathlib import Path

from erp_client import AuthenticatedClient, Client
from erp_client.api.administration import delete_log
from erp_client.api.adressen import change_address, find_customer, list_addresses, read_address
from erp_client.api.artikel import list_articles, read_article
from erp_client.api.artikelmedia import list_media, read_media
from erp_client.api.auftrag import convert_offer, create_order, read_order
from erp_client.api.kunden import create_customer, read_customer
from erp_client.api.offerte import change_offer, create_offer, read_offer
from erp_client.api.token import create_token, revoke_token
from erp_client.api.zugferd import process_invoice
from erp_client.models import (
    AddressBody,
    AddressPatchBody,
    ConversionBody,
    ConversionBodyHeader,
    CustomerAddressesBody,
    CustomerBody,
    CustomerBodyHeader,
    ErrorBody,
    OfferBody,
    OfferChangeBody,
    OfferPositionBody,
    OrderBody,
    OrderBodyHeader,
    PaymentBody,
    PositionBody,
    PositionChangeBody,
    ZugferdBody,
)

URL = os.environ["ERP_URL"]
FIXTURES = Path(os.environ["ERP_FIXTURES"])


def login(user: str, password: str) -> AuthenticatedClient:
    basic = base64.b64encode(f"{user}:{password}".encode()).decode()
    client = Client(URL, headers={"Authorization": f"Basic {basic}"}, raise_on_unexpected_status=True)
    token = create_token.sync(client=client)
    assert token.token_type == "Bearer" and token.expires_in == 3600
    return AuthenticatedClient(URL, token.access_token, raise_on_unexpected_status=True)


def articles(shop: AuthenticatedClient) -> None:
    page = list_articles.sync(client=shop, limit=2, offset=2, debinr="10007")
    assert len(page.data) == 2 and page.count > 2
    assert {link.rel for link in page.links} == {"next", "prev", "start"}
    article = read_article.sync("LM-3001", client=shop, adrsprache="ger").data
    assert article.art_nr == "LM-3001" and article.hat_vpe == "J" and article.waehr_abk == "CHF"
    assert article.verpackungen[0].preis[0].preis_list == 18.9
    media = list_media.sync("LM-3001", client=shop).data
    picture = next(entry for entry in media if entry.amd_bild_format == "png")
    answer = read_media.sync_detailed(picture.id_key, client=shop, type_="Bild")
    assert answer.headers["content-type"] == "image/png"
    assert answer.parsed.payload.read(4) == b"\x89PNG"


def customer(shop: AuthenticatedClient) -> str:
    address = AddressBody(
        adr_sprache="ger",
        adr_anrede=2,
        adr_vorname="Zoë",
        adr_name="Müller-Größ",
        adr_adresse_1="Bärengasse 5",
        ort_land="CH",
        ort_plz="8001",
        ort_name="zuerich",
    )
    body = CustomerBody(
        grund_daten=CustomerBodyHeader(waehr_abk="CHF", fakt_zahl_art="B"),
        adressen=CustomerAddressesBody(kontakt_adr=address),
    )
    answer = create_customer.sync_detailed(client=shop, body=body)
    assert answer.status_code == 201 and answer.headers["x-address-check"] == "KontaktAdr=corrected"
    number = answer.parsed.data.debi_nr
    assert read_customer.sync(number, client=shop).data.waehr_abk == "CHF"
    listed = list_addresses.sync(client=shop, debinr=number).data.kund_kontakt
    assert listed[0].ort_name == "Zürich"
    return number


def order(shop: AuthenticatedClient, customer_number: str) -> None:
    body = OrderBody(
        grund_daten=OrderBodyHeader(kund_nr=customer_number, auft_bez="Bestellung", auft_lief_kost=9.9),
        positionen=[
            PositionBody("BU-1002", 12),
            PositionBody("BU-1001", 10, vp_einheit="KARTON", g_rab_satz=5),
            PositionBody("LM-3001", 4, pos_bez="Kaffee für die Küche"),
        ],
        zahlung=[PaymentBody("payment_method", "R")],
    )
    numbers = [
        create_order.sync(client=shop, body=body, idempotency_key="python-1").data.auft_nr
        for _ in range(2)
    ]
    assert numbers[0] == numbers[1], "one key, one order"
    stored = read_order.sync(numbers[0], client=shop).data
    assert len(stored.positionen) == 3 and stored.positionen[2].pos_bez == "Kaffee für die Küche"
    header = stored.grund_daten
    assert header.auft_status == "N" and header.kund_nr == customer_number
    assert header.auft_netto == 203.25 and header.auft_wust == 12.1
    assert header.auft_brutto == 215.35
    assert sum(entry.pos_wust for entry in stored.mwst_rekapitulation) == header.auft_wust


def offer(shop: AuthenticatedClient, customer_number: str) -> None:
    body = OfferBody([OfferPositionBody("BU-1001", 3), OfferPositionBody("LM-3001", 2)])
    number = create_offer.sync(client=shop, body=body).data.offert_nr
    change = OfferChangeBody(
        positionen=[
            PositionChangeBody(10, pos_nr=1),
            PositionChangeBody(0, pos_nr=2),
            PositionChangeBody(4, art_nr="BU-1002", g_rab_satz=10),
        ]
    )
    changed = change_offer.sync(client=shop, offert_nr=number, body=change).data
    assert [position.pos_nr for position in changed.positionen] == [1, 3]
    assert changed.grund_daten.template
    answer = change_offer.sync_detailed(
        client=shop,
        offert_nr=number,
        kund_nr=customer_number,
        if_match=read_offer.sync_detailed(client=shop, offert_nr=number).headers["etag"],
        body=OfferChangeBody(),
    )
    assert answer.status_code == 200 and not answer.parsed.data.grund_daten.template
    body = ConversionBody(ConversionBodyHeader(number, kund_nr=customer_number))
    converted = convert_offer.sync(client=shop, body=body)
    assert converted.success and converted.count == 1
    stored = read_order.sync(converted.data.auft_nr, client=shop).data
    assert stored.grund_daten.auft_brutto == changed.grund_daten.auft_brutto


def addresses(shop: AuthenticatedClient) -> None:
    found = find_customer.sync(client=shop, email_adress="einkauf@elektroblitz.example.ch")
    assert found.success
    number = found.data.kund_kontakt
    body = AddressPatchBody(adr_firma_2="Einkauf", adr_tf_1="+41 31 000 00 99")
    assert change_address.sync_detailed(number, client=shop, body=body).status_code == 204
    assert read_address.sync(number, client=shop).data.adr_firma_2 == "Einkauf"


def invoices(shop: AuthenticatedClient) -> None:
    def encoded(data: bytes) -> str:
        return base64.b64encode(data).decode()

    hybrid = (FIXTURES / "hybrid-facturx-en16931.pdf").read_bytes()
    body = ZugferdBody("Extract", pdf=encoded(hybrid))
    xml = process_invoice.sync(client=shop, body=body).payload.read()
    assert b"CrossIndustryInvoice" in xml
    plain = (FIXTURES / "a3b.pdf").read_bytes()
    body = ZugferdBody("Combine", pdf=encoded(plain), xml=encoded(xml))
    answer = process_invoice.sync_detailed(client=shop, body=body)
    assert answer.headers["x-pdf-a"] == "kept"
    body = ZugferdBody("Extract", pdf=encoded(answer.parsed.payload.read()))
    assert process_invoice.sync(client=shop, body=body).payload.read() == xml
    body = ZugferdBody("Extract", pdf=encoded(plain))
    refused = process_invoice.sync(client=shop, body=body)
    assert isinstance(refused, ErrorBody) and refused.error == "endpoint"
    assert refused.info.subprocess_output


def refusals(shop: AuthenticatedClient) -> None:
    body = OrderBody(
        grund_daten=OrderBodyHeader(kund_nr="10007"), positionen=[PositionBody("NO-SUCH", -1)]
    )
    refused = create_order.sync(client=shop, body=body)
    assert isinstance(refused, ErrorBody) and refused.error == "invalid"
    assert "Positionen[0].Menge" in [problem.path for problem in refused.info.problems]
    assert isinstance(read_order.sync("99", client=shop), ErrorBody)


def main() -> None:
    shop = login("shop1", os.environ["ERP_SHOP_PASSWORD"])
    articles(shop)
    number = customer(shop)
    order(shop, number)
    offer(shop, number)
    addresses(shop)
    invoices(shop)
    refusals(shop)
    assert delete_log.sync_detailed(client=shop).status_code == 403
    admin = login("admin", os.environ["ERP_ADMIN_PASSWORD"])
    assert delete_log.sync_detailed(client=admin).status_code == 204
    assert revoke_token.sync_detailed(client=shop).status_code == 204
    assert read_article.sync_detailed("LM-3001", client=shop).status_code == 401
    print("the Python client did the main job")


if __name__ == "__main__":
    main()
