//! Bounds-checked parsing of stored bytes.

/// A cursor over stored bytes; every read returns `None` when too few bytes are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut<'a>(pub(crate) &'a [u8]);

impl<'a> Cut<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (part, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(part)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (part, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*part)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn id(&mut self) -> Option<[u8; 16]> {
        self.array()
    }

    /// A part preceded by its 32-bit length.
    pub(crate) fn counted(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(usize::try_from(length).ok()?)
    }
}

/// Writes a part preceded by its 32-bit length. The change set limits parts to some MiB.
pub(crate) fn put_counted(into: &mut Vec<u8>, part: &[u8]) {
    into.extend_from_slice(&length_of(part).to_be_bytes());
    into.extend_from_slice(part);
}

/// The length of a part; the limits keep it far below 4 GiB.
pub(crate) fn length_of(part: &[u8]) -> u32 {
    u32::try_from(part.len()).unwrap_or(u32::MAX)
}
