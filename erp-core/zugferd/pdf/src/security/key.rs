//! The key of a file, from the empty user password (ISO 32000-2, 7.6.4).

use super::cipher::{cbc_decrypt, cbc_encrypt, rc4};
use crate::{Dict, Object, PdfError, PdfFile, Result};
use aes::Aes256;
use aes::cipher::KeyInit as _;
use md5::Md5;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

/// What fills a password up to 32 bytes; all of it replaces an empty one.
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];

/// The key, when the empty user password opens the file.
pub(super) fn file_key(file: &PdfFile<'_>, dict: &Dict, metadata: bool) -> Result<Vec<u8>> {
    let key = match dict.integer("R") {
        Some(revision @ 2..=4) => {
            let id = first_id(file)?;
            early_key(dict, revision, &id, metadata)
        }
        Some(revision @ 5..=6) => late_key(dict, revision),
        _ => None,
    };
    key.ok_or(PdfError::PasswordNeeded)
}

/// The first part of `/ID`; empty if it is missing.
fn first_id(file: &PdfFile<'_>) -> Result<Vec<u8>> {
    let id = file.member(file.trailer(), "ID")?;
    let first = id.as_array().and_then(<[Object]>::first);
    let first = first.map(|first| file.follow(first)).transpose()?;
    Ok(first
        .as_deref()
        .and_then(Object::as_string)
        .unwrap_or_default()
        .to_vec())
}

/// Algorithms 2, 4 and 5: MD5 and RC4.
fn early_key(dict: &Dict, revision: i64, id: &[u8], metadata: bool) -> Option<Vec<u8>> {
    let owner = dict.get("O").and_then(Object::as_string)?;
    let user = dict.get("U").and_then(Object::as_string)?;
    // Of the 32 bits; some writers store them without a sign.
    let permissions = dict.integer("P")?.to_le_bytes();
    let mut hash = Md5::new()
        .chain_update(PADDING)
        .chain_update(owner.get(..32)?)
        .chain_update(permissions.first_chunk::<4>()?)
        .chain_update(id);
    if revision >= 4 && !metadata {
        hash.update([0xFF; 4]);
    }
    let mut key = hash.finalize().to_vec();
    let length = match (revision, dict.integer("V"), dict.integer("Length")) {
        (2, ..) => 5,
        // The length that counts is that of the crypt filter, which is 128 bits for both methods.
        (_, Some(4), _) => 16,
        (.., stated) => usize::try_from(stated.unwrap_or(40))
            .ok()?
            .div_ceil(8)
            .clamp(5, 16),
    };
    key.truncate(length);
    if revision >= 3 {
        for _ in 0..50 {
            key = Md5::digest(&key).to_vec();
            key.truncate(length);
        }
    }
    let mut check = PADDING.to_vec();
    if revision == 2 {
        rc4(&key, &mut check);
        return user.starts_with(&check).then_some(key);
    }
    check = Md5::new()
        .chain_update(PADDING)
        .chain_update(id)
        .finalize()
        .to_vec();
    for round in 0..20 {
        let mixed: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
        rc4(&mixed, &mut check);
    }
    user.starts_with(&check).then_some(key)
}

/// Algorithm 2.A: SHA-2 and AES. `/U` is a hash and two salts of eight bytes. It is right when `/Perms` decrypts to
/// `/P` or the hash in `/U` matches: the hash is slow, and some writers leave `/Perms` wrong.
fn late_key(dict: &Dict, revision: i64) -> Option<Vec<u8>> {
    let string = |name| dict.get(name).and_then(Object::as_string);
    let hash = |salt: &[u8]| match revision {
        5 => Some(Sha256::digest(salt).to_vec()),
        _ => hardened_hash(salt),
    };
    let user = string("U")?;
    let aes = Aes256::new_from_slice(&hash(user.get(40..48)?)?).ok()?;
    let mut key = string("UE")?.get(..32)?.to_vec();
    cbc_decrypt(&aes, [0; 16], &mut key);
    // Either proves the key; the hash takes as long as the key itself.
    let is_right = opens_permissions(&key, dict) == Some(true)
        || hash(user.get(32..40)?)? == user.get(..32)?;
    is_right.then_some(key)
}

/// Algorithm 13: whether the permissions that are encrypted with the key are those of `/P`.
fn opens_permissions(key: &[u8], dict: &Dict) -> Option<bool> {
    let aes = Aes256::new_from_slice(key).ok()?;
    let mut permissions: [u8; 16] = *dict
        .get("Perms")
        .and_then(Object::as_string)?
        .first_chunk()?;
    cbc_decrypt(&aes, [0; 16], &mut permissions);
    let stated = dict.integer("P")?.to_le_bytes();
    Some(permissions.get(9..12)? == b"adb" && permissions.get(..4)? == stated.get(..4)?)
}

/// Algorithm 2.B for the empty password: rounds of AES and a SHA-2 that the result before chooses.
fn hardened_hash(salt: &[u8]) -> Option<Vec<u8>> {
    const REPEATED: usize = 64;
    const LEAST_ROUNDS: usize = 64;
    let mut key = Sha256::digest(salt).to_vec();
    let mut mixed = Vec::with_capacity(REPEATED * 64);
    for round in 1_usize.. {
        mixed.clear();
        for _ in 0..REPEATED {
            mixed.extend_from_slice(&key);
        }
        let (first, rest) = key.split_first_chunk::<16>()?;
        cbc_encrypt(first, *rest.first_chunk()?, &mut mixed);
        // 256 is 1 modulo 3, so the digits of the number can be added.
        let sum: u32 = mixed.iter().take(16).copied().map(u32::from).sum();
        key = match sum % 3 {
            0 => Sha256::digest(&mixed).to_vec(),
            1 => Sha384::digest(&mixed).to_vec(),
            _ => Sha512::digest(&mixed).to_vec(),
        };
        let last = usize::from(*mixed.last()?);
        if round >= LEAST_ROUNDS && last + 32 <= round {
            break;
        }
    }
    key.truncate(32);
    Some(key)
}
