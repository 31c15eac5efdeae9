//! The logo of a company.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::values::limits::LOGO_BYTES;
use crate::values::problem::Code;
use crate::values::sentence::Sentence;
use crate::wire::value::parsed;
use crate::wire::{Kind, Spelling};

/// Characters of the Base64 of [`LOGO_BYTES`], with the line ends that many programs write.
const CHARACTERS: usize = LOGO_BYTES / 2 * 3;

// rule: D-INV-10
/// The logo of a company on its invoices: a PNG or JPEG file of at most [`LOGO_BYTES`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Logo {
    /// The file in Base64, without white space.
    base64: String,
}

impl Logo {
    /// The logo with this file in Base64.
    ///
    /// # Errors
    /// What is wrong with it. With the feature `invoice-pages` a file that cannot be shown is refused too.
    pub fn parse(base64: &str) -> Result<Self, Sentence> {
        let base64: String = base64.split_ascii_whitespace().collect();
        let file = STANDARD.decode(&base64);
        let file = file.map_err(|error| sentence!("malformed.logo_base64", error))?;
        if file.len() > LOGO_BYTES {
            let length = file.len();
            let most = LOGO_BYTES;
            return Err(sentence!("malformed.logo_length", length, most));
        }
        if !file.starts_with(b"\x89PNG") && !file.starts_with(b"\xff\xd8") {
            return Err(sentence!("malformed.logo_format"));
        }
        #[cfg(feature = "invoice-pages")]
        erp_invoice_pages::check_logo(&file).map_err(|error| Sentence::Text(error.to_string()))?;
        Ok(Self { base64 })
    }

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        STANDARD.decode(&self.base64).unwrap_or_default()
    }
}

parsed! {
    Logo: Kind::Varchar(CHARACTERS), Spelling::Free, read_parsed(Code::Malformed, Self::parse);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey pixel.
    const GREY: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";

    #[test]
    fn what_is_no_logo_is_told() {
        let told = |file: &[u8]| Logo::parse(&STANDARD.encode(file)).unwrap_err().english();
        assert_eq!(told(b"GIF89a"), "the logo is neither a PNG nor a JPEG file");
        let long = told(&[0xff; LOGO_BYTES + 1]);
        assert_eq!(long, "the logo has 100001 bytes; 100000 are allowed");
        // A PNG that is cut is seen when it is drawn.
        #[cfg(feature = "invoice-pages")]
        assert!(
            Logo::parse(GREY.split_at(64).0)
                .unwrap_err()
                .english()
                .contains("cannot be read")
        );
        let told = Logo::parse("%").unwrap_err().english();
        assert!(told.starts_with("the logo is no Base64: "), "{told}");
    }

    #[test]
    fn line_ends_of_base64_are_left_out() {
        let logo = Logo::parse(GREY).unwrap();
        assert!(logo.file().starts_with(b"\x89PNG"));
        let (first, last) = GREY.split_at(76);
        assert_eq!(Logo::parse(&format!("{first}\r\n{last}\n")), Ok(logo));
    }
}
