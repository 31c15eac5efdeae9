//! Converts rows of prices and stock.

use jiff::Timestamp;

use super::Reader;
use crate::domain::master::{PriceTier, StockEntry};
use crate::import::rows::{PriceListRow, PriceRow, PriceTierRow, StockRow};
use crate::import::{Price, Removal, Row};
use crate::values::number::Number;
use crate::wire::members::Range;

impl Reader<'_> {
    pub(super) fn price_list(&mut self, row: PriceListRow) -> Option<Row> {
        let list = self.required_key("PreisListe", row.list);
        let article = self.required_key("ArtNr", row.article);
        let prices = self.each("Preis", row.prices, |reader, row| reader.price(row));
        Some(Row::PriceList {
            list: list?,
            article: article?,
            prices,
        })
    }

    fn price(&mut self, row: PriceTierRow) -> Option<Price> {
        let currency = self.required_currency("WaehrAbk", row.currency);
        let kind = self.price_kind("Preisart", row.kind);
        let kind = self.required("Preisart", kind);
        let price = self.required_number("PreisList", row.price, Range::AMOUNT);
        let from = self
            .number("AbAnzahl", row.from, Range::AMOUNT)
            .unwrap_or_default();
        let tier = PriceTier {
            from,
            until: self.number("BisAnzahl", row.until, Range::AMOUNT),
            price: price?,
            basis: self.number("PosPreisBasis", row.basis, Range::AMOUNT),
            range: self.text("Bereich", row.range),
            changed_at: Timestamp::UNIX_EPOCH,
        };
        Some(Price {
            unit: self.key("VPEinheit", row.unit),
            currency: currency?,
            kind: kind?,
            tier,
        })
    }

    pub(super) fn price_row(&mut self, row: PriceRow) -> Option<Row> {
        let list = self.required_key("PreisListe", row.list.clone());
        let article = self.required_key("ArtNr", row.article.clone());
        if row.remove == Some(true) {
            let unit = self.key("VPEinheit", row.unit);
            let currency = self.required_currency("WaehrAbk", row.currency);
            let from = self
                .number("AbAnzahl", row.from, Range::AMOUNT)
                .unwrap_or_default();
            return Some(Row::Remove(Removal::Price(
                list?, article?, unit, currency?, from,
            )));
        }
        let price = self.price(row.into_tier())?;
        Some(Row::Price {
            list: list?,
            article: article?,
            price,
        })
    }

    pub(super) fn stock_row(&mut self, row: StockRow) -> Option<Row> {
        let article = self.required_key("ArtNr", row.article);
        let place = self.required_text("LagerOrt", row.place);
        let location = self.required("StaoNr", row.location);
        let unit = self.key("VPEinheit", row.unit);
        if row.remove == Some(true) {
            return Some(Row::Remove(Removal::Stock(
                article?, place?, location?, unit,
            )));
        }
        // Stored stock may be negative, so only its absolute value is limited.
        let size = row.quantity.map(|Number(quantity)| Number(quantity.abs()));
        let size = self.required_number("LagerBestand", size, Range::CHANGED_QUANTITY);
        let quantity = size.and(row.quantity).map(|Number(quantity)| quantity);
        let entry = StockEntry {
            place: place?,
            location: location?,
            quantity: quantity?,
            unit,
            range: self.text("Bereich", row.range),
            released: row.released.unwrap_or(true),
        };
        Some(Row::Stock {
            article: article?,
            entry,
        })
    }
}
