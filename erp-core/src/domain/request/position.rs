//! Positions in request bodies of new orders and offers.

use erp_derive::Record;
use rust_decimal::Decimal;

use crate::values::problem::Problems;
use crate::values::text::{IntoText, Text};

// rule: R-END-33, R-END-34, R-END-44
/// An entry of `Positionen` in a new order or offer.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(
    Body = "PositionBody",
    Offer = "OfferPositionBody",
    bare(article, quantity)
)]
pub struct PositionRequest {
    /// Article number.
    #[wire("ArtNr", key, char(15), required)]
    pub article: Text<15>,
    /// Quantity in the base unit.
    #[wire("Menge", quantity, required, default = Decimal::ONE)]
    pub quantity: Decimal,
    /// Position description; default: the article's.
    #[wire("PosBez", shop_only)]
    pub description: Option<Text<2048>>,
    /// Unit price; default: determined by the business system.
    #[wire("Preis", amount, only(Body), shop_only)]
    pub price: Option<Decimal>,
    /// How many base units or packages the sent price is for; default: as the list price of this quantity, else as the
    /// article. Without a price it does not count. A package position that was read is sent back with its `VPEPreisEinzel` as `Preis`
    /// and a basis of 1.
    #[wire("PosPreisBasis", quantity, only(Body), shop_only)]
    pub price_basis: Option<Decimal>,
    /// Packaging unit.
    #[wire("VPEinheit", key)]
    pub unit: Option<Text<30>>,
    /// Discount rate in percent.
    #[wire("GRabSatz", percent, shop_only)]
    pub discount_rate: Option<Decimal>,
    /// Ordering number; default: 10, 20, 30 and so on.
    #[wire("VisPosNr")]
    pub visible_number: Option<i32>,
}

impl PositionRequest {
    /// A position with the price of the business system. `quantity` is in the base unit of the article.
    pub fn new(article: impl IntoText<15>, quantity: impl Into<Decimal>) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let article = problems.text("ArtNr", article);
        problems.and(Ok(Self::bare(article, quantity.into())))
    }
}
