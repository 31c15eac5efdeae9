//! RC4 and AES in CBC mode, as strings and streams have them (ISO 32000-2, 7.6.3).
//!
//! Constant time does not matter here: every key follows from the file and an empty password, so anyone who has the
//! file knows it. The crate `aes` is constant time anyway; where a processor has no instructions for AES, as in a
//! browser, that costs milliseconds for the chained blocks of revision 6.

use crate::ObjectId;
use aes::cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt as _, BlockSizeUser, KeyInit as _,
};
use aes::{Aes128, Aes256};
use md5::{Digest as _, Md5};

/// Bytes of an AES block.
const BLOCK: usize = 16;

/// How something is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    None,
    /// RC4 with a separate key for each object.
    Rc4,
    /// AES with 128 bits and a separate key for each object.
    Aes128,
    /// AES with 256 bits and the key of the file.
    Aes256,
}

impl Method {
    /// The plain bytes of a string or stream of this object.
    pub(super) fn decrypt(self, key: &[u8], id: ObjectId, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::None => bytes.to_vec(),
            Self::Rc4 => {
                let mut plain = bytes.to_vec();
                rc4(&object_key(key, id, b""), &mut plain);
                plain
            }
            Self::Aes128 => {
                let key = object_key(key, id, b"sAlT");
                Aes128::new_from_slice(&key).map_or_else(|_| Vec::new(), |aes| framed(&aes, bytes))
            }
            Self::Aes256 => {
                Aes256::new_from_slice(key).map_or_else(|_| Vec::new(), |aes| framed(&aes, bytes))
            }
        }
    }
}

/// Algorithm 1: number and generation of the object are part of its key.
fn object_key(key: &[u8], id: ObjectId, salt: &[u8]) -> Vec<u8> {
    let [n0, n1, n2, _] = id.number.to_le_bytes();
    let [g0, g1] = id.generation.to_le_bytes();
    let hash = Md5::new()
        .chain_update(key)
        .chain_update([n0, n1, n2, g0, g1])
        .chain_update(salt)
        .finalize();
    let length = (key.len() + 5).min(hash.len());
    hash.iter().take(length).copied().collect()
}

/// The first block is the initialisation vector; the last byte says how many bytes were added at the end.
fn framed<C: BlockCipherDecrypt + BlockSizeUser>(aes: &C, bytes: &[u8]) -> Vec<u8> {
    let Some((vector, rest)) = bytes.split_first_chunk::<BLOCK>() else {
        return Vec::new();
    };
    let mut plain = rest.to_vec();
    plain.truncate(rest.len() - rest.len() % BLOCK);
    cbc_decrypt(aes, *vector, &mut plain);
    let added = plain.last().copied().map_or(0, usize::from);
    if (1..=BLOCK).contains(&added) {
        plain.truncate(plain.len().saturating_sub(added));
    }
    plain
}

/// Decrypts whole blocks in place.
pub(super) fn cbc_decrypt<C: BlockCipherDecrypt + BlockSizeUser>(
    aes: &C,
    mut vector: [u8; BLOCK],
    bytes: &mut [u8],
) {
    /// Number of blocks that are decrypted together, which is faster.
    const AT_ONCE: usize = 8;
    for part in bytes.chunks_mut(BLOCK * AT_ONCE) {
        let mut before = [0; BLOCK * AT_ONCE];
        if let Some(before) = before.get_mut(..part.len()) {
            before.copy_from_slice(part);
        }
        let (blocks, _) = Array::<u8, C::BlockSize>::slice_as_chunks_mut(part);
        aes.decrypt_blocks(blocks);
        let vectors = vector.iter().chain(&before);
        for (byte, mask) in part.iter_mut().zip(vectors) {
            *byte ^= mask;
        }
        if let Some(last) = before
            .get(part.len() - BLOCK..)
            .and_then(|all| all.first_chunk())
        {
            vector = *last;
        }
    }
}

/// Encrypts whole blocks in place, with AES-128.
pub(super) fn cbc_encrypt(key: &[u8; BLOCK], mut vector: [u8; BLOCK], bytes: &mut [u8]) {
    let aes = Aes128::new(&Array::from(*key));
    let (blocks, _) = bytes.as_chunks_mut::<BLOCK>();
    for block in blocks {
        let mixed = u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(vector);
        let mut array = Array::from(mixed.to_ne_bytes());
        aes.encrypt_block(&mut array);
        vector = array.into();
        *block = vector;
    }
}

/// RC4, the same in both directions.
pub(super) fn rc4(key: &[u8], bytes: &mut [u8]) {
    if key.is_empty() {
        return;
    }
    let mut state: [u8; 256] = std::array::from_fn(|place| u8::try_from(place).unwrap_or(0));
    let at = |state: &[u8; 256], place: u8| state.get(usize::from(place)).copied().unwrap_or(0);
    let mut other = 0_u8;
    for (place, key) in (0..=u8::MAX).zip(key.iter().cycle()) {
        other = other.wrapping_add(at(&state, place)).wrapping_add(*key);
        state.swap(usize::from(place), usize::from(other));
    }
    let (mut place, mut other) = (0_u8, 0_u8);
    for byte in bytes {
        place = place.wrapping_add(1);
        other = other.wrapping_add(at(&state, place));
        state.swap(usize::from(place), usize::from(other));
        *byte ^= at(&state, at(&state, place).wrapping_add(at(&state, other)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rc4_gives_its_known_stream() {
        let mut bytes = b"Plaintext".to_vec();
        rc4(b"Key", &mut bytes);
        assert_eq!(
            bytes,
            [0xBB, 0xF3, 0x16, 0xE8, 0xD9, 0x40, 0xAF, 0x0A, 0xD3]
        );
    }

    #[test]
    fn what_cbc_encrypts_it_decrypts() {
        // NIST SP 800-38A, F.2.1: the first two blocks.
        let key = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
        let vector = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_be_bytes();
        let aes = Aes128::new_from_slice(&key).unwrap();
        let mut bytes = Vec::new();
        for block in [
            0x6bc1_bee2_2e40_9f96_e93d_7e11_7393_172a_u128,
            0xae2d_8a57_1e03_ac9c_9eb7_6fac_45af_8e51,
        ] {
            bytes.extend_from_slice(&block.to_be_bytes());
        }
        let plain = bytes.repeat(9);
        let mut bytes = plain.clone();
        cbc_encrypt(&key, vector, &mut bytes);
        let first = 0x7649_abac_8119_b246_cee9_8e9b_12e9_197d_u128.to_be_bytes();
        let second = 0x5086_cb9b_5072_19ee_95db_113a_9176_78b2_u128.to_be_bytes();
        assert_eq!(bytes.get(..32).unwrap(), [first, second].concat());
        cbc_decrypt(&aes, vector, &mut bytes);
        assert_eq!(bytes, plain);
    }
}
