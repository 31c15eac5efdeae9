//! Converts rows of articles and of their parts.

use std::collections::BTreeSet;

use jiff::Timestamp;
use smol_str::SmolStr;

use super::Reader;
use crate::domain::master::{Article, ArticleNumber, Attributes, Declaration, PackagingUnit};
use crate::import::rows::{ArticleRow, ArticleTextRow, DeclarationRow, PackagingUnitRow};
use crate::import::{Removal, Row};
use crate::values::problem::Code;
use crate::values::text::Text;
use crate::wire;
use crate::wire::members::Range;

impl Reader<'_> {
    pub(super) fn article_row(&mut self, row: ArticleRow) -> Option<Row> {
        let number: Option<ArticleNumber> = self.required_key("ArtNr", row.number.clone());
        if row.remove == Some(true) {
            return Some(Row::Remove(Removal::Article(number?)));
        }
        let number = self.linked(number);
        let texts = self.texts("ArtBez", row.description, row.texts, |row| {
            row.article_text.clone()
        });
        let units = self.units(row.units);
        let declarations = self.each("Deklaration", row.declarations, |reader, row| {
            reader.declaration(row)
        });
        let article = Article {
            stock_managed: self.yes_or_no("AnLager", row.stock_managed)?,
            status: row.status.unwrap_or(1),
            unit: self.text("Einheit", row.unit),
            colour: self.colour(row.colour),
            tax_code: self.key("WUSTCode", row.tax_code),
            group: self.text("ArtGruppe", row.group),
            class: self.text("ArtKlasse", row.class),
            procurement: self.text("BeschaffungsArt", row.procurement),
            processing: self.processing(row.processing),
            weight: self.number("ArtGewicht", row.weight, Range::AMOUNT),
            price_basis: self.number("PosPreisBasis", row.price_basis, Range::AMOUNT),
            texts,
            attributes: self.article_attributes(row.attributes),
            units,
            declarations,
            changed_at: Timestamp::UNIX_EPOCH,
            number: number?,
        };
        Some(Row::Article(Box::new(article)))
    }

    /// A number that a link can name: `.` and `..` are steps of a path, which clients take out.
    fn linked(&mut self, number: Option<ArticleNumber>) -> Option<ArticleNumber> {
        let number = number?;
        if !matches!(number.as_str(), "." | "..") {
            return Some(number);
        }
        let message = format!("no link can lead to an article `{number}`");
        self.refuse("ArtNr", Code::Malformed, message)
    }

    fn article_attributes(&mut self, list: Option<Vec<wire::Attribute>>) -> Attributes {
        let attributes = self.attributes(list);
        let mut units = BTreeSet::new();
        for unit in attributes.list(Attributes::PACKAGING_UNITS) {
            if !units.insert(unit.to_ascii_lowercase()) {
                let message = format!("packaging unit `{unit}` is given twice in `WEBSHOPVPE`");
                let _: Option<()> = self.refuse("attributes", Code::Contradiction, message);
            }
        }
        attributes
    }

    fn colour(&mut self, value: Option<SmolStr>) -> Option<Text<12>> {
        let colour: Text<12> = self.text("Farbe", value)?;
        let digits = colour.strip_prefix('#').unwrap_or_default();
        if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(colour);
        }
        self.refuse(
            "Farbe",
            Code::Malformed,
            format!("`{colour}` is no colour `#rrggbb`"),
        )
    }

    fn processing(&mut self, value: Option<SmolStr>) -> Option<Text<1>> {
        let processing: Text<1> = self.text("VerarbeitungsArt", value)?;
        if matches!(processing.as_str(), "C" | "N") {
            return Some(processing);
        }
        let message = format!("`{processing}` is neither C (batch-managed) nor N");
        self.refuse("VerarbeitungsArt", Code::UnknownValue, message)
    }

    fn units(&mut self, rows: Option<Vec<PackagingUnitRow>>) -> Vec<PackagingUnit> {
        let mut codes = BTreeSet::new();
        self.each("Verpackungen", rows, |reader, row| {
            let unit = reader.unit(row)?;
            if !codes.insert(unit.code.clone()) {
                let message = format!("packaging unit `{}` is given twice", unit.code);
                return reader.refuse("VPEinheit", Code::Contradiction, message);
            }
            Some(unit)
        })
    }

    fn unit(&mut self, row: PackagingUnitRow) -> Option<PackagingUnit> {
        let code = self.required_key("VPEinheit", row.code);
        let factor = self.required_number("Faktor", row.factor, Range::QUANTITY);
        Some(PackagingUnit {
            ean: self.text("VPEEANNr", row.ean),
            names: self.texts("VPBezeichnung", row.name, row.texts, |row| {
                row.unit_text.clone()
            }),
            weight_factor: self.number("Gewicht", row.weight_factor, Range::AMOUNT),
            weight: self.number("VPEGewicht", row.weight, Range::AMOUNT),
            content_weight: self.number("GewichtInhalt", row.content_weight, Range::AMOUNT),
            factor: factor?,
            code: code?,
        })
    }

    pub(super) fn unit_row(&mut self, row: PackagingUnitRow) -> Option<Row> {
        let article = self.required_key("ArtNr", row.article.clone());
        if row.remove == Some(true) {
            let code = self.required_key("VPEinheit", row.code);
            return Some(Row::Remove(Removal::PackagingUnit(article?, code?)));
        }
        let unit = self.unit(row)?;
        Some(Row::PackagingUnit {
            article: article?,
            unit,
        })
    }

    pub(super) fn text_row(&mut self, row: ArticleTextRow) -> Option<Row> {
        let article = self.required_key("ArtNr", row.article);
        let language = self.required_language("AdrSprache", row.language);
        if row.remove == Some(true) {
            return Some(Row::Remove(Removal::ArticleText(article?, language?)));
        }
        let text = self.required_text("ArtBez", row.text);
        Some(Row::ArticleText {
            article: article?,
            language: language?,
            text: text?,
        })
    }

    fn declaration(&mut self, row: DeclarationRow) -> Option<Declaration> {
        let number = self.required("Nr", row.number);
        let language = self
            .language("AdrSprache", row.language)
            .or(Some(self.language));
        Some(Declaration {
            designation: self.text("Bezeichnung1", row.designation),
            designation_addition: self.text("Bezeichnung2", row.designation_addition),
            short_designation: self.text("KurzBezeichnung", row.short_designation),
            country: self.country("OrtLand", row.country),
            number: number?,
            language: language?,
        })
    }

    pub(super) fn declaration_row(&mut self, row: DeclarationRow) -> Option<Row> {
        let article = self.required_key("ArtNr", row.article.clone());
        let remove = row.remove == Some(true);
        let declaration = self.declaration(row);
        let (article, declaration) = (article?, declaration?);
        if remove {
            return Some(Row::Remove(Removal::Declaration(
                article,
                declaration.number,
                declaration.language,
            )));
        }
        Some(Row::Declaration {
            article,
            declaration,
        })
    }
}
