//! Who may use the interface.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Attributes;
use crate::text::{Text, TextError, invisible_in_name};

/// What a user may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Everything under `/www` except `DELETE /www/log`.
    Shop,
    /// Everything.
    Admin,
}

impl Role {
    /// The role's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shop => "shop",
            Self::Admin => "admin",
        }
    }

    /// Reads the role's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Shop, Self::Admin]
            .into_iter()
            .find(|role| role.as_str() == word)
    }
}

/// A user of the interface as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The name, unique.
    pub name: Text<80>,
    /// The password's hash; the core neither makes nor reads it.
    pub password_hash: String,
    /// What the user may do.
    pub role: Role,
    /// The value articles are selected by (`RESTWEBSHOP`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shop: Option<Text<200>>,
}

/// Why a text is no user's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UserNameError {
    /// It is empty, or holds the colon that Basic credentials end a name with (RFC 7617).
    #[error("a user's name is not empty and has no colon")]
    Form,
    /// It is too long or holds a control character.
    #[error("name: {0}")]
    Text(#[from] TextError),
}

/// Why a text is no `RESTWEBSHOP` value of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ShopValueError {
    /// It has a comma, which separates the values of a list, or `*`, which means every shop. Both are for
    /// the attributes of articles and addresses; what such a user stores would be visible to others.
    #[error("a user has one value, without `,` and `*`")]
    List,
    /// It is too long or holds a control character.
    #[error(transparent)]
    Text(#[from] TextError),
}

impl User {
    /// Checks a `RESTWEBSHOP` value.
    ///
    /// # Errors
    /// When it is a list or a wildcard, too long, or holds a control character.
    pub fn check_shop(value: &str) -> Result<Text<200>, ShopValueError> {
        if value.contains([',', '*']) {
            return Err(ShopValueError::List);
        }
        Ok(Text::new(value)?)
    }

    /// Checks the name of a user.
    ///
    /// # Errors
    /// When nobody could log in under it, or it is too long.
    pub fn check_name(name: &str) -> Result<Text<80>, UserNameError> {
        if name.trim().is_empty() || name.contains(':') {
            return Err(UserNameError::Form);
        }
        if let Some(control) = name.chars().find(|c| c.is_control()) {
            return Err(TextError::ControlCharacter(control.into()).into());
        }
        Ok(Text::new(name)?)
    }

    /// Checks the name of a user to be made: it must not look like another one.
    ///
    /// # Errors
    /// As [`User::check_name`], and when it holds a character that cannot be seen.
    pub fn check_new_name(name: &str) -> Result<Text<80>, UserNameError> {
        match invisible_in_name(name) {
            Some(invisible) => Err(TextError::InvisibleCharacter(invisible.into()).into()),
            None => Self::check_name(name),
        }
    }
}

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            role,
            shop,
            password_hash: _,
        } = self;
        f.debug_struct("User")
            .field("name", name)
            .field("role", role)
            .field("shop", shop)
            .finish_non_exhaustive()
    }
}

/// A bearer token as stored: its key is the hash of the secret, never the secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Whose it is.
    pub user: Text<80>,
    /// Since when it counts; unknown of tokens from before this was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued_at: Option<Timestamp>,
    /// Until when it counts.
    pub expires_at: Timestamp,
}

/// How far the clock that issued a token may be ahead of the one that reads it.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);

impl Token {
    /// Whether the token is valid at a time. One that was issued while a clock was far ahead ends when the clock
    /// is put right: it would be valid for as long as the clock was wrong.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        let issued = |at: Timestamp| at.duration_since(now) <= CLOCK_SKEW;
        now < self.expires_at && self.issued_at.is_none_or(issued)
    }
}

/// Who calls an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The user's name.
    pub name: Text<80>,
    /// The user's role.
    pub role: Role,
    /// The user's `RESTWEBSHOP` value.
    pub shop: Option<Text<200>>,
}

impl Caller {
    /// Whether the caller may see what carries these attributes. An admin without a value sees all;
    /// a shop user without a value sees only what is open to every shop (`*`).
    #[must_use]
    pub fn sees(&self, attributes: &Attributes) -> bool {
        match (&self.shop, self.role) {
            (None, Role::Admin) => true,
            (None, Role::Shop) => attributes
                .list(Attributes::SELECTION)
                .any(|value| value == "*"),
            (Some(shop), _) => attributes.selected_for(shop),
        }
    }
}

impl From<User> for Caller {
    fn from(user: User) -> Self {
        Self {
            name: user.name,
            role: user.role,
            shop: user.shop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let long = User::check_shop(&"x".repeat(201));
        assert!(matches!(long, Err(ShopValueError::Text(_))), "{long:?}");
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
        assert_eq!(User::check_new_name("a:b"), Err(UserNameError::Form));
        assert_eq!(User::check_new_name("Zoë").unwrap().as_str(), "Zoë");
    }
}
