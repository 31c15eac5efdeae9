//! Encrypted files (ISO 32000-2, 7.6). Keys and ciphers are those of `lopdf`. It gets the dictionary of the encryption
//! and then one string or stream at a time; it loads no file.

use super::located::Located;
use super::object::StreamData;
use super::{Dict, Object, PdfError, PdfFile, Result, Stream};
use lopdf::encryption::crypt_filters::{
    Aes128CryptFilter, Aes256CryptFilter, CryptFilter, IdentityCryptFilter, Rc4CryptFilter,
};
use lopdf::encryption::{DecryptionError, PasswordAlgorithm};
use std::collections::BTreeMap;

/// Bytes and objects of a file that is decrypted: decrypted streams are held in memory.
const BYTES: usize = 64 << 20;
const OBJECTS: usize = 200_000;
const BLOCK: usize = 16;
const UNREADABLE: PdfError = PdfError::damaged("the encryption cannot be read", 0);

type Cipher = &'static dyn CryptFilter;

impl PdfFile<'_> {
    // rule: R-ZUG-20
    /// Takes the encryption off: all that is read of the file from here on is plain. Most encrypted files open with an
    /// empty password.
    ///
    /// # Errors
    /// [`PdfError::PasswordNeeded`] when it does not open with an empty one, [`PdfError::WrongPassword`] with another;
    /// [`PdfError::TooLarge`]; [`PdfError::Damaged`] when the encryption is not one of the standard;
    /// [`PdfError::Encrypted`] without the feature `decrypt`.
    pub fn unlock(&mut self, password: &str) -> Result<()> {
        if !self.is_encrypted() {
            return Ok(());
        }
        PdfError::within("bytes of an encrypted file", self.data.len(), BYTES)?;
        let objects = self.objects()?.len();
        PdfError::within("objects of an encrypted file", objects, OBJECTS)?;
        let security = match self.member(&self.trailer, "Encrypt")?.as_dict() {
            Some(dict) => Security::open(self, dict, password)?,
            None => return Err(UNREADABLE),
        };
        self.security = Some(security);
        self.trailer.remove("Encrypt");
        // What was read so far is encrypted.
        self.state.take();
        Ok(())
    }
}

/// What it takes to read an encrypted file.
pub(super) struct Security {
    key: Vec<u8>,
    /// The object with `/Encrypt`, which is of no use any more.
    own: Option<u32>,
    /// Ciphers by their names (`/CF`).
    named: BTreeMap<Vec<u8>, Cipher>,
    /// Where there is no such name.
    other: Cipher,
    strings: Vec<u8>,
    streams: Vec<u8>,
    embedded: Vec<u8>,
    metadata: bool,
}

impl Security {
    fn open(file: &PdfFile<'_>, dict: &Dict, password: &str) -> Result<Self> {
        let name = |member| file.name(&*file.member(dict, member)?);
        if name("Filter")? != b"Standard" {
            return Err(UNREADABLE);
        }
        let metadata = file.member(dict, "EncryptMetadata")?.as_bool();
        let mut security = Self {
            key: file_key(file, dict, password)?,
            own: file.trailer.reference("Encrypt").map(|id| id.number),
            named: BTreeMap::new(),
            other: &Rc4CryptFilter,
            strings: name("StrF")?,
            streams: name("StmF")?,
            embedded: name("EFF")?,
            metadata: metadata.unwrap_or(true),
        };
        if file.member(dict, "V")?.as_integer() < Some(4) {
            return Ok(security);
        }
        security.other = &IdentityCryptFilter;
        let filters = file.member(dict, "CF")?;
        for (name, filter) in filters.as_dict().into_iter().flat_map(Dict::iter) {
            let filter = file.follow(filter)?;
            let cipher: Cipher = match filter.as_dict().and_then(|filter| filter.name("CFM")) {
                Some(b"V2") => &Rc4CryptFilter,
                Some(b"AESV2") => &Aes128CryptFilter,
                Some(b"AESV3") => &Aes256CryptFilter,
                _ => &IdentityCryptFilter,
            };
            security.named.insert(name.to_vec(), cipher);
        }
        Ok(security)
    }

    /// Whether an object is the encryption itself.
    pub(super) fn is_own(&self, number: u32) -> bool {
        self.own == Some(number)
    }

    /// Takes the encryption off an object in the file itself; those in object streams have none.
    pub(super) fn opened(&self, number: u32, mut located: Located, data: &[u8]) -> Located {
        let id = (number, located.generation);
        match &mut located.object {
            Object::Stream(stream) if stream.dict.is_type("XRef") => {}
            Object::Stream(stream) => {
                self.open_dict(id, &mut stream.dict);
                self.open_stream(id, stream, data);
            }
            other => self.open_strings(id, other),
        }
        located
    }

    fn open_strings(&self, id: lopdf::ObjectId, object: &mut Object) {
        match object {
            Object::String(string) => string.bytes = self.plain(&self.strings, id, &string.bytes),
            Object::Array(items) => items
                .iter_mut()
                .for_each(|item| self.open_strings(id, item)),
            Object::Dict(dict) => self.open_dict(id, dict),
            _ => {}
        }
    }

    fn open_dict(&self, id: lopdf::ObjectId, dict: &mut Dict) {
        // A signature is over the file and stays as it is (7.6.2).
        let signature = dict.has("ByteRange").then(|| dict.get("Contents").cloned());
        for value in dict.values_mut() {
            self.open_strings(id, value);
        }
        if let Some(contents) = signature.flatten() {
            dict.set("Contents", contents);
        }
    }

    fn open_stream(&self, id: lopdf::ObjectId, stream: &mut Stream, data: &[u8]) {
        let crypt = take_crypt_filter(&mut stream.dict);
        let name = match &crypt {
            Some(name) => name,
            None if stream.dict.is_type("Metadata") && !self.metadata => return,
            None if stream.dict.is_type("EmbeddedFile") && !self.embedded.is_empty() => {
                &self.embedded
            }
            None => &self.streams,
        };
        if let StreamData::InFile(range) = &stream.data {
            let raw = data.get(range.clone()).unwrap_or_default();
            stream.data = StreamData::New(self.plain(name, id, raw));
        }
    }

    /// The plain bytes of a string or stream; none where they cannot be decrypted.
    fn plain(&self, name: &[u8], id: lopdf::ObjectId, bytes: &[u8]) -> Vec<u8> {
        let cipher = *self.named.get(name).unwrap_or(&self.other);
        let plain = cipher.compute_key(&self.key, id).and_then(|key| {
            let plain = cipher.decrypt(&key, bytes);
            plain.or_else(|_| whole_blocks(cipher, &key, bytes))
        });
        plain.unwrap_or_default()
    }
}

/// The whole blocks of data that are cut off, or padded in another way than that of the standard. `lopdf` takes them with
/// a block behind them that is padding alone; the vector of that block is decrypted, too, and goes.
fn whole_blocks(cipher: Cipher, key: &[u8], bytes: &[u8]) -> Result<Vec<u8>, DecryptionError> {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let padding = cipher.encrypt(key, &[])?;
    let mut plain = cipher.decrypt(key, &[blocks.as_flattened(), &padding].concat())?;
    plain.truncate(plain.len().saturating_sub(BLOCK));
    let added = plain.last().copied().map_or(0, usize::from);
    if added <= BLOCK {
        plain.truncate(plain.len() - added);
    }
    Ok(plain)
}

/// Takes `/Crypt` out of the filters, where it is the first; the name of its cipher when it was there (7.4.10).
fn take_crypt_filter(dict: &mut Dict) -> Option<Vec<u8>> {
    let filter = dict.get("Filter")?;
    if filter.as_list().first()?.as_name() != Some(b"Crypt") {
        return None;
    }
    let mut take = |member: &str| match dict.get_mut(member.as_bytes()) {
        Some(Object::Array(items)) if !items.is_empty() => Some(items.remove(0)),
        _ => dict.remove(member),
    };
    take("Filter");
    let parameters = take("DecodeParms").unwrap_or_default();
    let name = parameters.as_dict().and_then(|all| all.name("Name"));
    Some(name.unwrap_or_default().to_vec())
}

/// The key of the file. Writers take liberties that `lopdf` refuses, so it gets the dictionary as it expects it.
fn file_key(file: &PdfFile<'_>, dict: &Dict, password: &str) -> Result<Vec<u8>> {
    let integer = |name| Ok::<_, PdfError>(file.member(dict, name)?.as_integer());
    let revision = integer("R")?.unwrap_or(0);
    let mut encrypt = lopdf::Dictionary::new();
    match integer("V")? {
        // The length that counts is that of the version.
        Some(version) if version >= 4 => encrypt.set("V", version),
        _ => {
            let bits = integer("Length")?.unwrap_or(40).clamp(40, 128);
            encrypt.set("V", 2);
            encrypt.set("Length", (bits + 7) / 8 * 8);
        }
    }
    encrypt.set("R", revision);
    encrypt.set("P", integer("P")?.unwrap_or(0));
    let metadata = file.member(dict, "EncryptMetadata")?.as_bool();
    encrypt.set("EncryptMetadata", metadata.unwrap_or(true));
    for name in ["O", "U", "OE", "UE", "Perms"] {
        let value = file.member(dict, name)?;
        let bytes = value.as_string().unwrap_or_default().iter();
        let mut bytes: Vec<u8> = bytes.copied().take(127).collect();
        if revision <= 4 {
            bytes.resize(32, 0);
        }
        encrypt.set(name, lopdf::Object::string_literal(bytes));
    }
    let ids = file.member(file.trailer(), "ID")?;
    let first = ids.as_array().and_then(<[Object]>::first);
    let first = file.follow(first.unwrap_or(&Object::Null))?;
    let first = lopdf::Object::string_literal(first.as_string().unwrap_or_default());
    let mut document = lopdf::Document::new();
    let encrypt = document.add_object(encrypt);
    document.trailer.set("Encrypt", encrypt);
    document.trailer.set("ID", vec![first]);
    key_of(&document, password)
}

fn key_of(document: &lopdf::Document, password: &str) -> Result<Vec<u8>> {
    let algorithm = PasswordAlgorithm::try_from(document).map_err(|_| UNREADABLE)?;
    let refused = match password {
        "" => PdfError::PasswordNeeded,
        _ => PdfError::WrongPassword,
    };
    let password = algorithm.sanitize_password(password);
    let password = password.map_err(|_| refused.clone())?;
    let key = algorithm
        .resolve_password_for_key_derivation(document, &password)
        .and_then(|password| algorithm.compute_file_encryption_key(document, password));
    key.map_err(|error| match error {
        DecryptionError::IncorrectPassword
            // Else `/Perms` is wrong, which `lopdf` takes for the same.
            if algorithm.authenticate_user_password(document, &password).is_err() =>
        {
            refused
        }
        _ => UNREADABLE,
    })
}

#[cfg(test)]
mod tests;
