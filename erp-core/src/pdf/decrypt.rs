//! Taking the encryption off a file that opens without a password.

use super::{Limits, PdfError, PdfFile};

/// Bytes and objects of a file that is decrypted: all of it is held in memory several times.
const BYTES: usize = 64 << 20;
const OBJECTS: usize = 200_000;
/// Bytes of one decoded object stream.
const STREAM_BYTES: usize = 32 << 20;

/// The file without its encryption, for one that opens with the empty user password.
///
/// # Errors
/// [`PdfError::PasswordNeeded`]; [`PdfError::TooLarge`]; [`PdfError::Damaged`] when it cannot be read.
pub fn decrypt(data: &[u8], limits: &Limits) -> Result<Vec<u8>, PdfError> {
    if data.len() > BYTES {
        return Err(PdfError::TooLarge {
            what: "bytes of an encrypted file",
            limit: BYTES,
        });
    }
    if PdfFile::open(data, limits)?.objects()?.len() > OBJECTS {
        return Err(PdfError::TooLarge {
            what: "objects of an encrypted file",
            limit: OBJECTS,
        });
    }
    let options = lopdf::LoadOptions::with_max_decompressed_size(STREAM_BYTES);
    let loaded = lopdf::Document::load_mem_with_options(data, options);
    let mut document = match loaded {
        Ok(document) => document,
        Err(lopdf::Error::InvalidPassword | lopdf::Error::Decryption(_)) => {
            return Err(PdfError::PasswordNeeded);
        }
        Err(_) => {
            return Err(PdfError::Damaged {
                what: "the encryption cannot be read",
                at: 0,
            });
        }
    };
    if document.is_encrypted() || document.get_pages().is_empty() {
        return Err(PdfError::PasswordNeeded);
    }
    let mut out = Vec::with_capacity(data.len());
    let saved = document.save_to(&mut out);
    saved.map_err(|_| PdfError::Damaged {
        what: "the decrypted file cannot be written",
        at: 0,
    })?;
    Ok(out)
}
