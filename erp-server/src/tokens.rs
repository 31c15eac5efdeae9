//! Bearer tokens: the client gets 256 random bits, the store only their SHA-256 hash.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use erp_core::internal::TokenHash;
use rand::TryRng as _;
use rand::rngs::SysRng;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};

/// Token length in bytes before base64url encoding.
const TOKEN_BYTES: usize = 32;

/// Hashes a token as the client sent it. The store never sees the token itself.
pub fn hash(token: &SecretString) -> TokenHash {
    TokenHash::new(Sha256::digest(token.expose_secret().as_bytes()).into())
}

/// Generates a token: 43 characters of base64url for the client, and its hash for the store.
/// Errors: when the operating system provides no random bits.
pub fn create() -> Result<(SecretString, TokenHash), rand::rngs::SysError> {
    let mut bytes = [0; TOKEN_BYTES];
    SysRng.try_fill_bytes(&mut bytes)?;
    let token = SecretString::from(URL_SAFE_NO_PAD.encode(bytes));
    let hash = hash(&token);
    Ok((token, hash))
}

/// Generates a password with about 128 random bits: 22 characters that are easy to copy.
/// Errors: when the operating system provides no random bits.
pub fn password() -> Result<SecretString, rand::rngs::SysError> {
    let (token, _) = create()?;
    let short: String = token.expose_secret().chars().take(22).collect();
    Ok(SecretString::from(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-AUT-02
    #[test]
    fn a_token_is_256_bits_and_found_by_its_hash() {
        let (token, hash) = create().unwrap();
        let text = token.expose_secret();
        assert_eq!(text.len(), 43);
        assert_eq!(URL_SAFE_NO_PAD.decode(text).unwrap().len(), 32);
        assert_eq!(super::hash(&SecretString::from(text.to_owned())), hash);
        assert_ne!(create().unwrap().1, hash);
    }

    // rule: R-AUT-02
    #[test]
    fn neither_token_nor_hash_can_be_printed() {
        let (token, hash) = create().unwrap();
        let printed = format!("{token:?} {hash:?}");
        assert!(!printed.contains(token.expose_secret()), "{printed}");
        assert!(printed.ends_with("TokenHash(..)"), "{printed}");
    }

    #[test]
    fn the_hash_is_sha256() {
        let hash = hash(&SecretString::from("abc"));
        assert_eq!(hash.as_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
    }
}
