//! Users of the interface, their tokens and roles.

use std::borrow::Cow;

use erp_derive::{Say, Word, skip_serializing_none};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::attribute::{parts, selects};
use super::{Attributes, CustomerNumber};
use crate::values::problem::Problems;
use crate::values::text::{IntoText, Text, TextError, invisible_in_name};

/// What a user is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The back end of a shop.
    Shop,
    /// Someone in the office who works with orders.
    Clerk,
    /// A clerk who also maintains master data.
    Editor,
    /// Whoever runs the server.
    Admin,
}

impl Role {
    /// Whether the role has a right.
    pub fn may(self, right: Right) -> bool {
        right.roles().contains(&self)
    }
}

// rule: D-AUT-14
/// What a role may do. This is the only place that says which roles have a right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// What every user does: read articles, customers, offers and orders under `/www`, make offers and turn them into orders.
    Basic,
    /// Place orders, change offers, make and change customers as a shop does; process invoices.
    Trade,
    /// Work with the orders of all customers: lists, states, notes, sales figures, the state of the server.
    Orders,
    /// Maintain master data: import and its changes, pictures, the export of one record.
    MasterData,
    /// Everything else.
    Administration,
}

impl Right {
    /// All rights.
    pub const ALL: [Self; 5] = [
        Self::Basic,
        Self::Trade,
        Self::Orders,
        Self::MasterData,
        Self::Administration,
    ];

    /// The roles that have it.
    pub const fn roles(self) -> &'static [Role] {
        match self {
            Self::Basic => &Role::ALL,
            Self::Trade => &[Role::Shop, Role::Admin],
            Self::Orders => &[Role::Clerk, Role::Editor, Role::Admin],
            Self::MasterData => &[Role::Editor, Role::Admin],
            Self::Administration => &[Role::Admin],
        }
    }

    /// The right in words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Basic => {
                "read articles, media, customers, offers, orders and invoices; make offers and turn them into orders"
            }
            Self::Trade => "order, change offers, make and change customers, process invoices",
            Self::Orders => {
                "list, move and invoice the orders of all customers, note on them; list customers; see state and sales"
            }
            Self::MasterData => {
                "import master data without the company (`Firma`), see and put back its changes, upload pictures, export one record"
            }
            Self::Administration => "everything else",
        }
    }
}

/// A user of the interface as stored.
#[skip_serializing_none]
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Unique name.
    pub name: Text<80>,
    /// Hash of the password; created and verified outside the core.
    pub password_hash: String,
    /// What the user is.
    pub role: Role,
    /// The value that selects the user's articles (`RESTWEBSHOP`).
    pub shop: Option<Text<200>>,
    /// How many users of this name were removed before; set when the user is added. It keeps the stored responses of
    /// users of one name apart.
    pub generation: u64,
}

/// Why a text cannot be a user name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum UserNameError {
    /// It is empty, or contains a colon, which ends the name in Basic credentials (RFC 7617).
    #[say("malformed.user_name")]
    Form,
    /// It is `.` or `..`, which a path cannot have as a part.
    #[say("malformed.user_dots")]
    Dots,
    /// It is too long or contains a control character.
    #[say("malformed.name", why = field_0.say())]
    Text(TextError),
}

/// Why a text cannot be a user's `RESTWEBSHOP` value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum ShopValueError {
    /// It contains a comma, which separates list values, or `*`, which means every shop. Both are only for attributes
    /// of articles and addresses; otherwise records stored by such a user would be visible to other shops.
    #[say("malformed.one_shop")]
    List,
    /// It is too long or contains a control character.
    #[say(transparent)]
    Text(TextError),
}

impl User {
    /// A user who is not added yet.
    pub const fn new(
        name: Text<80>,
        password_hash: String,
        role: Role,
        shop: Option<Text<200>>,
    ) -> Self {
        Self {
            name,
            password_hash,
            role,
            shop,
            generation: 0,
        }
    }

    // rule: D-SEL-10
    /// Checks a `RESTWEBSHOP` value.
    ///
    /// # Errors
    /// When it is a list or a wildcard, too long, or contains a control or invisible character.
    pub fn check_shop(value: &str) -> Result<Text<200>, ShopValueError> {
        if value.contains([',', '*']) {
            return Err(ShopValueError::List);
        }
        check_line(value).map_err(ShopValueError::Text)?;
        if let Some(invisible) = invisible_in_name(value) {
            return Err(ShopValueError::Text(TextError::InvisibleCharacter(
                invisible.into(),
            )));
        }
        Text::new(value).map_err(ShopValueError::Text)
    }

    /// Checks the name of a user.
    ///
    /// # Errors
    /// When a login with it is impossible, or it is too long.
    pub fn check_name(name: &str) -> Result<Text<80>, UserNameError> {
        if name.trim().is_empty() || name.contains(':') {
            return Err(UserNameError::Form);
        }
        check_line(name).map_err(UserNameError::Text)?;
        Text::new(name).map_err(UserNameError::Text)
    }

    /// Checks the name of a new user: it must not look like another name, and be a part of a path.
    ///
    /// # Errors
    /// As [`User::check_name`], and when it contains an invisible character or is `.` or `..`.
    pub fn check_new_name(name: &str) -> Result<Text<80>, UserNameError> {
        if matches!(name, "." | "..") {
            return Err(UserNameError::Dots);
        }
        match invisible_in_name(name) {
            Some(invisible) => Err(UserNameError::Text(TextError::InvisibleCharacter(
                invisible.into(),
            ))),
            None => Self::check_name(name),
        }
    }
}

/// A text without any control character.
fn check_line(text: &str) -> Result<(), TextError> {
    let control = text.chars().find(|c| c.is_control());
    control.map_or(Ok(()), |c| Err(TextError::ControlCharacter(c.into())))
}

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User")
            .field("name", &self.name)
            .field("role", &self.role)
            .field("shop", &self.shop)
            .finish_non_exhaustive()
    }
}

/// A bearer token as stored. Its key is the hash of the secret; the secret is not stored.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// The user it belongs to.
    pub user: Text<80>,
    /// The one customer that it is for; without one it has all rights of its user.
    pub customer: Option<CustomerNumber>,
    /// Start of validity.
    pub issued_at: Timestamp,
    /// End of validity.
    pub expires_at: Timestamp,
}

/// Maximum lead of the issuer's clock over the reader's clock.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);

impl Token {
    /// Whether the token is valid at `now`. A token issued by a clock that was far ahead becomes invalid when the
    /// clock is corrected; otherwise it would be valid too long.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        now < self.expires_at && self.issued_at.duration_since(now) <= CLOCK_SKEW
    }
}

/// The user who calls an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The user's name.
    pub name: Text<80>,
    /// The user's role.
    pub role: Role,
    /// The user's `RESTWEBSHOP` value.
    pub shop: Option<Text<200>>,
    /// How many users of this name were removed before.
    pub generation: u64,
    /// The one customer that the caller acts for: nothing of any other one is visible.
    pub customer: Option<CustomerNumber>,
}

impl Caller {
    /// The first user of this name.
    pub fn new(
        name: impl IntoText<80>,
        role: Role,
        shop: Option<Text<200>>,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let caller = Self::named(problems.text("user", name), role, shop);
        problems.and(Ok(caller))
    }

    pub(crate) const fn named(name: Text<80>, role: Role, shop: Option<Text<200>>) -> Self {
        Self {
            name,
            role,
            shop,
            generation: 0,
            customer: None,
        }
    }

    // rule: D-AUT-11
    /// A user who acts for one customer, always with the rights of a shop.
    pub fn of_customer(user: User, customer: CustomerNumber) -> Self {
        Self {
            role: Role::Shop,
            customer: Some(customer),
            ..Self::from(user)
        }
    }

    /// The name in the log, the audit trail and rate limits: `shop1`, or `shop1:10001` for one customer. No name of a
    /// user has a colon.
    pub fn signature(&self) -> Cow<'_, str> {
        match &self.customer {
            None => Cow::Borrowed(&self.name),
            Some(customer) => Cow::Owned(format!("{}:{customer}", self.name)),
        }
    }

    // rule: R-ART-01
    /// Whether the caller may see a record with these attributes. Without a shop value the office sees everything, and a
    /// shop only records for every shop (`*`).
    pub fn sees(&self, attributes: &Attributes) -> bool {
        self.sees_selection(attributes.get(Attributes::SELECTION).unwrap_or_default())
    }

    /// The same for a record whose attribute `RESTWEBSHOP` has these contents.
    pub(crate) fn sees_selection(&self, selection: &str) -> bool {
        match &self.shop {
            Some(shop) => selects(selection, shop),
            None => self.sees_all() || parts(selection).any(|value| value == "*"),
        }
    }

    /// What decides which records the caller sees. `None`: all; `Some(None)`: only those open to everyone.
    pub(crate) fn selection(&self) -> Option<Option<SmolStr>> {
        (!self.sees_all()).then(|| {
            let shop = self.shop.as_ref();
            shop.map(|shop| shop.to_lowercase().into())
        })
    }

    /// Whether nothing is hidden from the caller by a selection: in the office, without a shop value.
    pub(crate) const fn sees_all(&self) -> bool {
        !matches!(self.role, Role::Shop) && self.shop.is_none()
    }
}

impl From<User> for Caller {
    fn from(user: User) -> Self {
        Self {
            name: user.name,
            role: user.role,
            shop: user.shop,
            generation: user.generation,
            customer: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: D-AUT-14
    #[test]
    fn each_right_has_roles_and_a_role_is_stored_as_its_word() {
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
        for right in Right::ALL {
            assert!(Role::Admin.may(right), "{right:?}");
        }
        assert!(Role::ALL.iter().all(|role| role.may(Right::Basic)));
        // Whoever maintains master data also does what a clerk does.
        assert!(
            Role::ALL
                .iter()
                .all(|role| !role.may(Right::MasterData) || role.may(Right::Orders))
        );
    }

    // rule: D-SEL-10
    #[test]
    fn a_shop_value_is_one_value() {
        for value in ["SHOP1", "Laden Ö/1", &"x".repeat(200)] {
            assert_eq!(User::check_shop(value).unwrap().as_str(), value);
        }
        for value in ["*", "SHOP1,SHOP2", "SHOP1,", "SHOP*"] {
            assert_eq!(
                User::check_shop(value),
                Err(ShopValueError::List),
                "{value}"
            );
        }
        for value in [&"x".repeat(201), "SHOP\u{202e}1", "SHOP\u{200b}", "SHOP\t1"] {
            let refused = User::check_shop(value);
            assert!(matches!(refused, Err(ShopValueError::Text(_))), "{value:?}");
        }
    }

    #[test]
    fn a_name_can_be_sent_as_basic_credentials() {
        for name in ["anna", "Chef Ö", "a/b", &"x".repeat(80)] {
            assert_eq!(User::check_name(name).unwrap().as_str(), name);
        }
        for name in ["", " ", "a:b", ":"] {
            assert_eq!(User::check_name(name), Err(UserNameError::Form), "{name}");
        }
        for name in ["a\tb", "a\n", "\0", &"x".repeat(81)] {
            let refused = User::check_name(name).unwrap_err();
            assert!(matches!(refused, UserNameError::Text(_)), "{name:?}");
        }
    }

    #[test]
    fn a_new_name_does_not_look_like_another_one() {
        for name in ["admin\u{202e}", "ad\u{200b}min", "\u{feff}admin"] {
            let refused = User::check_new_name(name).unwrap_err();
            assert!(matches!(refused, UserNameError::Text(_)), "{name:?}");
            assert!(
                User::check_name(name).is_ok(),
                "one from before can be removed"
            );
        }
        for name in [".", ".."] {
            assert_eq!(User::check_new_name(name), Err(UserNameError::Dots));
            assert!(User::check_name(name).is_ok(), "it can be removed");
        }
        assert_eq!(User::check_new_name("...").unwrap().as_str(), "...");
        assert_eq!(User::check_new_name("a:b"), Err(UserNameError::Form));
        assert_eq!(User::check_new_name("Zoë").unwrap().as_str(), "Zoë");
    }
}
