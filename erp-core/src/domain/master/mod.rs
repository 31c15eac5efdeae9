//! Master data: what the back office maintains and the interface reads.

mod article;
mod attribute;
mod check_digits;
mod company;
mod customer;
mod logo;
mod price;
mod stock;
mod tax;
mod user;

pub use article::{Article, ArticleNumber, Declaration, PackagingUnit, UnitCode};
pub use attribute::{Attribute, Attributes};
pub(crate) use check_digits::modulo_97;
pub use check_digits::{Iban, LeitwegId, QrIban};
pub use company::{Company, Issuer, PaymentCondition};
pub use customer::{Customer, CustomerAddress, CustomerNumber, ForgottenCustomer};
pub use logo::Logo;
pub use price::{
    ArticlePrices, ArticlePricesError, PriceHit, PriceListType, PriceSet, PriceTier, first_hit,
};
pub use stock::{ArticleStock, Reservation, StockEntry, available};
pub use tax::{TaxCategory, TaxClass, TaxCode, TaxCodeId, TaxRate, TaxTable};
pub use user::{Caller, Right, Role, ShopValueError, Token, User, UserNameError};

#[cfg(test)]
pub(crate) use article::tests::article as article_for_tests;
