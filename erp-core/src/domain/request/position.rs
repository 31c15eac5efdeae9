//! Positions in request bodies of new orders and offers.

use rust_decimal::Decimal;

use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::members::{Members, Range};
use crate::wire::{OfferPositionBody, PositionBody};

// rule: R-END-33, R-END-44
/// A requested position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionRequest {
    /// Article number (`ArtNr`).
    pub article: Text<15>,
    /// Quantity in the base unit, above 0 (`Menge`).
    pub quantity: Decimal,
    /// Description instead of the article's (`PosBez`).
    pub description: Option<Text<2048>>,
    /// Unit price set by the client, 0 or more; only in orders (`Preis`).
    pub price: Option<Decimal>,
    /// Packaging unit (`VPEinheit`).
    pub unit: Option<Text<30>>,
    /// Discount in percent, 0 to 100 (`GRabSatz`).
    pub discount_rate: Option<Decimal>,
    /// Sort key of the output (`VisPosNr`).
    pub visible_number: Option<i32>,
}

impl PositionRequest {
    pub(super) fn check(
        body: &PositionBody,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut members = Members::new(path, problems);
        let article = members.key("ArtNr", body.article_number.as_ref());
        let article = members.required("ArtNr", article);
        let quantity = members.decimal("Menge", body.quantity, Range::QUANTITY);
        let quantity = members.required("Menge", quantity);
        let description = members.text("PosBez", body.description.as_ref());
        let price = members.decimal("Preis", body.price, Range::AMOUNT);
        let unit = members.key("VPEinheit", body.packaging_unit.as_ref());
        let discount_rate = members.decimal("GRabSatz", body.discount_rate, Range::PERCENT);
        Some(Self {
            article: article?,
            quantity: quantity?,
            description,
            price,
            unit,
            discount_rate,
            visible_number: body.visible_number,
        })
    }

    /// Checks a position of an offer, which has no price of its own.
    pub(super) fn check_offered(
        body: &OfferPositionBody,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let body = PositionBody {
            article_number: body.article_number.clone(),
            quantity: body.quantity,
            description: body.description.clone(),
            price: None,
            packaging_unit: body.packaging_unit.clone(),
            discount_rate: body.discount_rate,
            visible_number: body.visible_number,
        };
        Self::check(&body, path, problems)
    }
}

/// Checks the positions of a new document: at least one. Too many are rejected earlier, while the body is read.
pub(super) fn check_positions<B, T>(
    bodies: Option<&Vec<B>>,
    problems: &mut Problems,
    mut check: impl FnMut(&B, &Path<'_>, &mut Problems) -> Option<T>,
) -> Option<Vec<T>> {
    let path = Path::ROOT.member("Positionen");
    let Some(bodies) = bodies else {
        problems.missing(&path);
        return None;
    };
    if bodies.is_empty() {
        problems.add(&path, Code::Required, "at least one position is required");
        return None;
    }
    check_each(bodies, &path, problems, &mut check)
}

/// Checks every entry of a list; `None` when any entry has a problem.
pub(super) fn check_each<B, T>(
    bodies: &[B],
    path: &Path<'_>,
    problems: &mut Problems,
    mut check: impl FnMut(&B, &Path<'_>, &mut Problems) -> Option<T>,
) -> Option<Vec<T>> {
    let entries = bodies.iter().enumerate();
    let checked: Vec<Option<T>> = entries
        .map(|(at, body)| check(body, &path.index(at), problems))
        .collect();
    checked.into_iter().collect()
}
