//! The encodings that browsers and node bring with them. Elsewhere there are none but UTF-8 and UTF-16.

use super::Charset;
use std::borrow::Cow;

#[cfg(target_arch = "wasm32")]
pub(crate) use browser::{Table, decode, other};

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use nothing::{Table, decode, other};

#[cfg(not(target_arch = "wasm32"))]
mod nothing {
    use super::{Charset, Cow};

    #[derive(Debug)]
    pub(crate) enum Table {}

    impl Table {
        const fn named(_label: &str) -> Option<Self> {
            None
        }
    }

    pub(crate) fn other(label: &str) -> Option<Charset> {
        Table::named(label).map(Charset::Other)
    }

    pub(crate) fn decode<'b>(table: &Table, _bytes: &'b [u8]) -> Cow<'b, str> {
        match *table {}
    }
}

#[cfg(target_arch = "wasm32")]
mod browser {
    use super::{Charset, Cow};
    use wasm_bindgen::JsValue;
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[derive(Debug)]
        #[wasm_bindgen(js_name = TextDecoder)]
        pub(crate) type Table;
        #[wasm_bindgen(constructor, catch, js_class = "TextDecoder")]
        fn new(label: &str) -> Result<Table, JsValue>;
        #[wasm_bindgen(method, getter, js_class = "TextDecoder")]
        fn encoding(this: &Table) -> String;
        #[wasm_bindgen(method, catch, js_class = "TextDecoder", js_name = decode)]
        fn text(this: &Table, bytes: &[u8]) -> Result<String, JsValue>;
    }

    /// Names that are known and stand for nothing that may be decoded; `TextDecoder` refuses them.
    const REPLACEMENT: [&str; 6] = [
        "replacement",
        "iso-2022-kr",
        "csiso2022kr",
        "hz-gb-2312",
        "iso-2022-cn",
        "iso-2022-cn-ext",
    ];

    pub(crate) fn other(label: &str) -> Option<Charset> {
        if REPLACEMENT
            .iter()
            .any(|name| label.eq_ignore_ascii_case(name))
        {
            return Some(Charset::Utf8);
        }
        let table = Table::new(label).ok()?;
        Some(if table.encoding().starts_with("utf-") {
            Charset::Utf8
        } else {
            Charset::Other(table)
        })
    }

    pub(crate) fn decode<'b>(table: &Table, bytes: &'b [u8]) -> Cow<'b, str> {
        Cow::Owned(table.text(bytes).unwrap_or_default())
    }
}
