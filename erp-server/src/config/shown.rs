//! The text of a setting's value, as it could be written where settings stand.

use std::net::SocketAddr;
use std::path::PathBuf;

use rust_decimal::Decimal;
use tracing::Level;

use super::value::{AddressCheck, Requirement, word_of};
use crate::media::MediaStore;
use crate::store::postgres::DatabaseUrl;
use crate::web::{BaseUrl, Listen, LogAddresses, Proxy};

/// A value with a text; nothing is the empty text.
pub(super) trait Shown {
    fn shown(&self) -> String;
}

macro_rules! shown {
    ($text:expr; $($type:ty),+) => { $(impl Shown for $type {
        fn shown(&self) -> String {
            let text: fn(&Self) -> String = $text;
            text(self)
        }
    })+ };
}

shown! { ToString::to_string; bool, u32, u64, usize, String, Decimal, SocketAddr, Listen, BaseUrl, Proxy, MediaStore }
// Without its password.
shown! { ToString::to_string; DatabaseUrl }
shown! { |path| path.display().to_string(); PathBuf }
shown! { |level| level.as_str().to_ascii_lowercase(); Level }
shown! { word_of; AddressCheck, LogAddresses, Requirement }

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map(Shown::shown).unwrap_or_default()
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn shown(&self) -> String {
        let all: Vec<String> = self.iter().map(Shown::shown).collect();
        all.join(",")
    }
}
