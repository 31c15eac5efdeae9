//! Sends a body to a client.

use std::io::{self, SeekFrom};
use std::ops::Range;

use erp_core::media::BodyHash;
use futures_util::{Stream, stream};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use super::bodies::OpenBody;
use super::body::{PIECE, StoredBody, other_bytes};
use super::objects::ObjectStream;

/// Reads a body in pieces, as fast as the client takes them. If the whole body is read, the last piece is returned only
/// after the hash was verified, so that a client never takes a damaged file for an intact one.
pub struct BodyReader {
    source: ReaderSource,
    body: StoredBody,
    left: u64,
    sum: Option<Sha256>,
    /// First piece; read before the response starts.
    first: Option<Vec<u8>>,
}

enum ReaderSource {
    File(tokio::fs::File),
    Object(ObjectStream),
}

impl BodyReader {
    /// Reads the first piece of a range. Damage of a body with a single piece is detected here, while the response can
    /// still be an error.
    pub async fn begin(open: OpenBody, body: StoredBody, range: Range<u64>) -> io::Result<Self> {
        let left = range.end.saturating_sub(range.start);
        let source = match open {
            OpenBody::File(file) => {
                let mut file = tokio::fs::File::from_std(file);
                if range.start > 0 {
                    file.seek(SeekFrom::Start(range.start)).await?;
                }
                ReaderSource::File(file)
            }
            OpenBody::Object(object) => ReaderSource::Object(object.stream(range).await?),
        };
        let mut reader = Self {
            source,
            body,
            left,
            sum: (left == body.length).then(Sha256::new),
            first: None,
        };
        reader.first = reader.piece().await?;
        Ok(reader)
    }

    /// The next bytes; `None` at the end.
    async fn piece(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        if self.left == 0 {
            return Ok(None);
        }
        let most = usize::try_from(self.left).unwrap_or(PIECE).min(PIECE);
        let bytes = self.source.exactly(most).await?;
        self.left -= most as u64;
        if let Some(sum) = &mut self.sum {
            sum.update(&bytes);
            let whole = (self.left == 0).then(|| std::mem::take(sum));
            let found = whole.map(|sum| BodyHash::new(sum.finalize().into()));
            if found.is_some_and(|hash| hash != self.body.hash) {
                return Err(other_bytes());
            }
        }
        Ok(Some(bytes))
    }

    /// The pieces as a stream. An error closes the connection, so that no client takes a part for the whole.
    pub fn into_stream(self) -> impl Stream<Item = io::Result<Vec<u8>>> + Send {
        stream::try_unfold(self, |mut reader| async move {
            match reader.piece().await {
                Ok(piece) => Ok(piece.map(|piece| (piece, reader))),
                Err(error) => {
                    let hash = reader.body.hash.to_string();
                    tracing::error!(hash, %error, "a media body broke off");
                    Err(io::Error::other("the file broke off"))
                }
            }
        })
    }
}

impl ReaderSource {
    async fn exactly(&mut self, count: usize) -> io::Result<Vec<u8>> {
        match self {
            Self::File(file) => {
                let mut bytes = vec![0; count];
                file.read_exact(&mut bytes).await?;
                Ok(bytes)
            }
            Self::Object(object) => {
                let mut bytes = Vec::with_capacity(count);
                object.exactly(&mut bytes, count).await?;
                Ok(bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::StreamExt as _;
    use object_store::memory::InMemory;

    use crate::media::Bodies;

    use super::*;

    async fn read(bytes: &[u8], named: &[u8], range: Range<u64>) -> io::Result<(Vec<u8>, bool)> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let body = StoredBody {
            hash: BodyHash::new(Sha256::digest(named).into()),
            length: u64::try_from(named.len()).unwrap(),
        };
        let open = OpenBody::File(file.reopen().unwrap());
        taken(BodyReader::begin(open, body, range).await?).await
    }

    async fn taken(reader: BodyReader) -> io::Result<(Vec<u8>, bool)> {
        let mut pieces = Box::pin(reader.into_stream());
        let mut read = Vec::new();
        while let Some(piece) = pieces.next().await {
            match piece {
                Ok(piece) => read.extend(piece),
                Err(_) => return Ok((read, false)),
            }
        }
        Ok((read, true))
    }

    fn long() -> Vec<u8> {
        (0..PIECE * 3 + 17).map(|at| (at % 251) as u8).collect()
    }

    // rule: D-MED-10
    #[tokio::test]
    async fn whole_bodies_and_ranges_arrive() {
        let bytes = long();
        let length = bytes.len() as u64;
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(InMemory::new());
        let objects = Bodies::in_objects(store, "", folder.path(), u64::MAX).unwrap();
        let stored = objects.put(&*bytes).unwrap();
        for range in [
            0..length,
            0..1,
            5..6,
            1..length,
            65_535..65_537,
            length - 1..length,
        ] {
            let expected = bytes[range.start as usize..range.end as usize].to_vec();
            let found = read(&bytes, &bytes, range.clone()).await.unwrap();
            assert_eq!(found, (expected.clone(), true), "{range:?}");
            let open = objects.open(stored.hash, length).unwrap().unwrap();
            let reader = BodyReader::begin(open, stored, range.clone())
                .await
                .unwrap();
            let found = taken(reader).await.unwrap();
            assert_eq!(found, (expected, true), "{range:?} of an object");
        }
    }

    // rule: D-MED-01
    #[tokio::test]
    async fn a_damaged_body_never_arrives_whole() {
        let bytes = long();
        for at in [0, PIECE, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let (read, complete) = read(&damaged, &bytes, 0..bytes.len() as u64).await.unwrap();
            assert!(!complete && read.len() < bytes.len(), "{at}");
        }
        let cut = &bytes[..bytes.len() - 1];
        assert!(!read(cut, &bytes, 0..bytes.len() as u64).await.unwrap().1);
        // A single piece is verified before the response starts.
        assert!(read(b"abd", b"abc", 0..3).await.is_err());
        assert!(read(b"ab", b"abc", 0..3).await.is_err());
    }
}
