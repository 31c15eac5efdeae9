//! Positions in request bodies of new orders and offers.

use rust_decimal::Decimal;

use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::PositionBody;
use crate::wire::members::{Members, Range};

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
    /// Whether the entry has no problem. Otherwise only its article and packaging unit count, and the quantity is 1.
    pub is_complete: bool,
}

impl PositionRequest {
    /// Checks an entry; `None` without a valid article number.
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
        let is_complete = !problems.are_in(path);
        Some(Self {
            article: article?,
            quantity: quantity.filter(|_| is_complete).unwrap_or(Decimal::ONE),
            description,
            price,
            unit,
            discount_rate,
            visible_number: body.visible_number,
            is_complete,
        })
    }

    /// Checks the positions of a new document: at least one. Too many are rejected earlier, while the body is read.
    pub(super) fn check_all(
        bodies: Option<&Vec<PositionBody>>,
        problems: &mut Problems,
    ) -> Vec<(usize, Self)> {
        let path = Path::ROOT.member("Positionen");
        match bodies {
            None => problems.missing(&path),
            Some(none) if none.is_empty() => {
                problems.add(&path, Code::Required, "at least one position is required");
            }
            Some(_) => {}
        }
        let bodies = bodies.map(Vec::as_slice).unwrap_or_default();
        check_each(bodies, &path, problems, Self::check)
    }
}

/// Checks every entry of a list; returns those that can be read, with their index in the list.
pub(super) fn check_each<B, T>(
    bodies: &[B],
    path: &Path<'_>,
    problems: &mut Problems,
    check: impl Fn(&B, &Path<'_>, &mut Problems) -> Option<T>,
) -> Vec<(usize, T)> {
    let entries = bodies.iter().enumerate();
    entries
        .filter_map(|(at, body)| Some((at, check(body, &path.index(at), problems)?)))
        .collect()
}
