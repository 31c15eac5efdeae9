//! Files that are encrypted and open without a password (ISO 32000-1 and -2, 7.6).

mod cipher;
mod key;

use super::located::Located;
use super::object::StreamData;
use super::{Dict, Object, ObjectId, PdfError, PdfFile, Result, Stream};
use cipher::Method;
use std::ops::ControlFlow;

/// Bytes and objects of a file that is decrypted: decrypted streams are held in memory.
const BYTES: usize = 64 << 20;
const OBJECTS: usize = 200_000;

impl PdfFile<'_> {
    // rule: R-ZUG-20
    /// Takes the encryption off a file that opens with the empty user password: all that is read of it from here on is
    /// plain. This is our code on the crates of the ciphers, because a PDF library is a quarter of the browser download
    /// and reads files whole.
    ///
    /// # Errors
    /// [`PdfError::PasswordNeeded`]; [`PdfError::TooLarge`]; [`PdfError::Damaged`] when the encryption is
    /// not one of the standard.
    pub fn unlock(&mut self) -> Result<()> {
        if !self.is_encrypted() {
            return Ok(());
        }
        within("bytes of an encrypted file", self.data.len(), BYTES)?;
        within(
            "objects of an encrypted file",
            self.objects()?.len(),
            OBJECTS,
        )?;
        let dict = self.encryption()?;
        let security = Security::open(self, &dict)?;
        self.security = Some(security);
        self.trailer.remove("Encrypt");
        self.forget();
        Ok(())
    }

    /// `/Encrypt` with no references in it.
    fn encryption(&self) -> Result<Dict> {
        let unreadable = PdfError::damaged("the encryption cannot be read", 0);
        let value = self.member(&self.trailer, "Encrypt")?;
        let dict = value.as_dict().ok_or_else(|| unreadable.clone())?;
        let mut plain = Dict::new();
        for (name, value) in dict.iter() {
            plain.set_bytes(name, self.follow(value)?.clone());
        }
        if plain.name("Filter") == Some(b"Standard") {
            Ok(plain)
        } else {
            Err(unreadable)
        }
    }
}

fn within(what: &'static str, number: usize, limit: usize) -> Result<()> {
    if number > limit {
        return Err(PdfError::too_large(what, limit));
    }
    Ok(())
}

/// What it takes to read an encrypted file.
pub(super) struct Security {
    key: Vec<u8>,
    /// The object with `/Encrypt`, which is of no use any more.
    own: Option<u32>,
    strings: Method,
    streams: Method,
    embedded: Method,
    /// Crypt filters that streams may name.
    named: Vec<(Vec<u8>, Method)>,
    metadata: bool,
}

impl Security {
    fn open(file: &PdfFile<'_>, dict: &Dict) -> Result<Self> {
        let metadata = !matches!(dict.get("EncryptMetadata"), Some(Object::Bool(false)));
        let version = dict.integer("V").unwrap_or(0);
        let key = key::file_key(file, dict, metadata)?;
        let mut security = Self {
            key,
            own: file.trailer.reference("Encrypt").map(|id| id.number),
            strings: Method::Rc4,
            streams: Method::Rc4,
            embedded: Method::Rc4,
            named: Vec::new(),
            metadata,
        };
        if version >= 4 {
            security.named = crypt_filters(file, dict)?;
            security.strings = security.method(dict.name("StrF"));
            security.streams = security.method(dict.name("StmF"));
            let embedded = dict.name("EFF");
            security.embedded =
                embedded.map_or(security.streams, |name| security.method(Some(name)));
        }
        Ok(security)
    }

    /// The method of a crypt filter; data without a named filter are not encrypted (table 20).
    fn method(&self, name: Option<&[u8]>) -> Method {
        let mut named = self.named.iter();
        named
            .find(|(known, _)| Some(known.as_slice()) == name)
            .map_or(Method::None, |(_, method)| *method)
    }

    /// Whether an object is the encryption itself.
    pub(super) fn is_own(&self, number: u32) -> bool {
        self.own == Some(number)
    }

    /// Takes the encryption off an object in the file itself; those in object streams have none.
    pub(super) fn open_object(&self, number: u32, located: &mut Located, data: &[u8]) {
        let id = ObjectId {
            number,
            generation: located.generation,
        };
        match &mut located.object {
            Object::Stream(stream) if stream.dict.is_type("XRef") => {}
            Object::Stream(stream) => {
                for value in stream.dict.values_mut() {
                    self.open_strings(id, value);
                }
                self.open_stream(id, stream, data);
            }
            other => self.open_strings(id, other),
        }
    }

    fn open_strings(&self, id: ObjectId, object: &mut Object) {
        match object {
            Object::String(string) => {
                string.bytes = self.strings.decrypt(&self.key, id, &string.bytes);
            }
            Object::Array(items) => items
                .iter_mut()
                .for_each(|item| self.open_strings(id, item)),
            Object::Dict(dict) => {
                // A signature is over the file and stays as it is (7.6.2).
                let kept = dict
                    .has("ByteRange")
                    .then(|| dict.get("Contents").cloned())
                    .flatten();
                for value in dict.values_mut() {
                    self.open_strings(id, value);
                }
                if let Some(contents) = kept {
                    dict.set("Contents", contents);
                }
            }
            _ => {}
        }
    }

    fn open_stream(&self, id: ObjectId, stream: &mut Stream, data: &[u8]) {
        let method = match take_crypt_filter(&mut stream.dict) {
            ControlFlow::Break(name) => self.method(name.as_deref()),
            ControlFlow::Continue(()) if stream.dict.is_type("Metadata") && !self.metadata => {
                Method::None
            }
            ControlFlow::Continue(()) if stream.dict.is_type("EmbeddedFile") => self.embedded,
            ControlFlow::Continue(()) => self.streams,
        };
        if let (StreamData::InFile(range), false) = (&stream.data, method == Method::None) {
            let raw = data.get(range.clone()).unwrap_or_default();
            stream.data = StreamData::New(method.decrypt(&self.key, id, raw));
        }
    }
}

/// `/CF`: the methods that have names.
fn crypt_filters(file: &PdfFile<'_>, dict: &Dict) -> Result<Vec<(Vec<u8>, Method)>> {
    let mut named = Vec::new();
    let filters = file.member(dict, "CF")?;
    for (name, filter) in filters.as_dict().into_iter().flat_map(Dict::iter) {
        let filter = file.follow(filter)?;
        let method = match filter.as_dict().and_then(|filter| filter.name("CFM")) {
            Some(b"V2") => Method::Rc4,
            Some(b"AESV2") => Method::Aes128,
            Some(b"AESV3") => Method::Aes256,
            _ => Method::None,
        };
        named.push((name.to_vec(), method));
    }
    Ok(named)
}

/// Takes `/Crypt` out of the filters; `Break` with the name of the crypt filter when it was there (7.4.10).
fn take_crypt_filter(dict: &mut Dict) -> ControlFlow<Option<Vec<u8>>> {
    let is_crypt = |filter: &Object| filter.as_name() == Some(b"Crypt");
    let place = match dict.get("Filter") {
        Some(filter @ Object::Name(_)) if is_crypt(filter) => None,
        Some(Object::Array(filters)) => match filters.iter().position(is_crypt) {
            Some(place) => Some(place),
            None => return ControlFlow::Continue(()),
        },
        _ => return ControlFlow::Continue(()),
    };
    let mut take = |member: &str| match (dict.get_mut(member.as_bytes()), place) {
        (Some(Object::Array(items)), Some(place)) if place < items.len() => {
            Some(items.remove(place))
        }
        (_, Some(_)) => None,
        (_, None) => dict.remove(member),
    };
    let parameters = take("DecodeParms");
    take("Filter");
    let name = parameters
        .as_ref()
        .and_then(Object::as_dict)
        .and_then(|all| all.name("Name"));
    ControlFlow::Break(name.map(<[u8]>::to_vec))
}

#[cfg(test)]
mod tests;
