//! The place of the bodies: a folder or a bucket.

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::{BackoffConfig, RetryConfig};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;

use super::client::{Connector, chain};
use super::objects::Objects;

/// Retries of a request without a useful response.
const TRIES: usize = 2;

/// A request is retried within this time from its start.
const TRIED: Duration = Duration::from_secs(10);

/// A bucket and a key prefix: `s3://bucket/prefix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaStore {
    bucket: String,
    prefix: String,
}

impl FromStr for MediaStore {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "`s3://bucket` or `s3://bucket/prefix`".to_owned();
        let rest = text.strip_prefix("s3://").ok_or_else(wrong)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_matches('/');
        let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let is_name = |part: &str| !part.is_empty() && part.chars().all(is_letter);
        let is_folder = |part: &str| is_name(part) && !part.starts_with('.');
        if !is_name(bucket) || !(prefix.is_empty() || prefix.split('/').all(is_folder)) {
            return Err(wrong());
        }
        Ok(Self {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
        })
    }
}

impl fmt::Display for MediaStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix.as_str() {
            "" => write!(f, "s3://{}", self.bucket),
            prefix => write!(f, "s3://{}/{prefix}", self.bucket),
        }
    }
}

#[derive(Clone, Debug)]
pub struct MediaOptions {
    /// Data folder; its folder `media` holds the bodies, or with a bucket those that are arriving.
    pub data_dir: PathBuf,
    pub body_bytes: u64,
    /// The bucket (setting `media_store`).
    pub store: Option<MediaStore>,
    /// URL of the service of the bucket (settings `media_s3_*`); `None` for AWS.
    pub endpoint: Option<String>,
    pub region: String,
    pub access_key: Option<String>,
    pub secret_key_file: Option<PathBuf>,
}

#[derive(Debug, Error)]
pub enum PlaceError {
    #[error("`media_store` needs `{0}`")]
    Missing(&'static str),
    #[error("`media_s3_secret_key_file`: `{file}` {reason}")]
    SecretFile { file: String, reason: String },
    #[error("`{0}` is set, but `media_store` is not")]
    Useless(&'static str),
    /// The client of the object store rejects the settings.
    #[error("`media_store`: {0}")]
    Client(String),
    #[error("`media_store`: {0}")]
    Io(#[from] io::Error),
}

/// The object store of these options; `None` when bodies are in the data folder.
pub(super) fn objects_of(options: &MediaOptions) -> Result<Option<Objects>, PlaceError> {
    let Some(place) = &options.store else {
        let set = [
            ("media_s3_endpoint", options.endpoint.is_some()),
            ("media_s3_access_key", options.access_key.is_some()),
            (
                "media_s3_secret_key_file",
                options.secret_key_file.is_some(),
            ),
        ];
        let useless = set.into_iter().find(|(_, is_set)| *is_set);
        return useless.map_or(Ok(None), |(name, _)| Err(PlaceError::Useless(name)));
    };
    let store = builder_of(options, &place.bucket)?.build();
    let store = store.map_err(|error| PlaceError::Client(chain(&error)))?;
    let shown = format!("s3://{}/", place.bucket);
    Ok(Some(Objects::new(Arc::new(store), &place.prefix, shown)?))
}

fn builder_of(s3: &MediaOptions, bucket: &str) -> Result<AmazonS3Builder, PlaceError> {
    let access_key = s3.access_key.as_deref();
    let access_key = access_key.ok_or(PlaceError::Missing("media_s3_access_key"))?;
    let endpoint = s3.endpoint.as_deref();
    let allow_http = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
    let builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_region(&s3.region)
        .with_access_key_id(access_key)
        .with_secret_access_key(secret(s3)?.expose_secret())
        // AWS asks for the bucket in the host, and its certificate fits names without dots; other services may have
        // one name only.
        .with_virtual_hosted_style_request(endpoint.is_none() && !bucket.contains('.'))
        .with_allow_http(allow_http)
        .with_retry(RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: TRIES,
            retry_timeout: TRIED,
        })
        .with_http_connector(Connector {
            http_allowed: allow_http,
        });
    Ok(match endpoint {
        Some(endpoint) => builder.with_endpoint(endpoint),
        None => builder,
    })
}

fn secret(s3: &MediaOptions) -> Result<SecretString, PlaceError> {
    let file = s3.secret_key_file.as_ref();
    let file = file.ok_or(PlaceError::Missing("media_s3_secret_key_file"))?;
    let refuse = |reason: String| PlaceError::SecretFile {
        file: file.display().to_string(),
        reason,
    };
    let text = fs::read_to_string(file);
    let text = text.map_err(|error| refuse(format!("cannot be read: {error}")))?;
    match text.trim() {
        "" => Err(refuse("is empty".to_owned())),
        secret => Ok(secret.to_owned().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use object_store::aws::AmazonS3ConfigKey;
    use tempfile::NamedTempFile;

    fn options(changes: &[(&str, &str)]) -> MediaOptions {
        let mut settings = Settings::defaults().unwrap();
        for (name, value) in changes {
            settings.set(name, value, "a test").unwrap();
        }
        settings.media_options()
    }

    fn refused(changes: &[(&str, &str)]) -> String {
        objects_of(&options(changes)).unwrap_err().to_string()
    }

    const STORE: (&str, &str) = ("media_store", "s3://bucket/a/b");
    const KEY: (&str, &str) = ("media_s3_access_key", "AK");

    /// A file with a secret, and its path.
    fn secret_file(text: &str) -> (NamedTempFile, String) {
        let file = NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let path = file.path().display().to_string();
        (file, path)
    }

    fn secret_in(path: &str) -> (&str, &str) {
        ("media_s3_secret_key_file", path)
    }

    #[test]
    fn a_place_is_a_bucket_with_a_prefix() {
        for (text, shown) in [
            ("s3://bucket", "s3://bucket"),
            ("s3://bucket/", "s3://bucket"),
            ("s3://bucket/a/b/", "s3://bucket/a/b"),
        ] {
            assert_eq!(text.parse::<MediaStore>().unwrap().to_string(), shown);
        }
        for text in [
            "",
            "bucket",
            "s3://",
            "s3:///a",
            "http://bucket",
            "s3://b/a//b",
            "s3://b/../a",
            "s3://b/ä",
        ] {
            assert!(text.parse::<MediaStore>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        assert!(objects_of(&options(&[])).unwrap().is_none());
        let (_file, path) = secret_file("very secret");
        let objects = objects_of(&options(&[STORE, KEY, secret_in(&path)]))
            .unwrap()
            .unwrap();
        let shown = objects.shown(erp_core::media::BodyHash::new([0xab; 32]));
        assert_eq!(shown, format!("s3://bucket/a/b/ab/ab/{}", "ab".repeat(32)));
        assert_eq!(
            refused(&[STORE]),
            "`media_store` needs `media_s3_access_key`"
        );
        assert_eq!(
            refused(&[STORE, KEY]),
            "`media_store` needs `media_s3_secret_key_file`"
        );
        for endpoint in ["http://127.0.0.1:9000", "https://s3.example"] {
            let endpoint = ("media_s3_endpoint", endpoint);
            let options = options(&[STORE, KEY, secret_in(&path), endpoint]);
            assert!(objects_of(&options).is_ok());
        }
        assert_eq!(
            refused(&[KEY]),
            "`media_s3_access_key` is set, but `media_store` is not"
        );
        let gone = secret_in("/there/is/no/such/file");
        assert!(refused(&[STORE, KEY, gone]).contains("`/there/is/no/such/file` cannot be read"));
    }

    #[test]
    fn the_secret_comes_from_a_file_and_is_never_shown() {
        let (file, path) = secret_file("  very secret\n");
        let read = options(&[STORE, KEY, secret_in(&path)]);
        assert_eq!(secret(&read).unwrap().expose_secret(), "very secret");
        let objects = objects_of(&read).unwrap().unwrap();
        assert!(!format!("{objects:?}").contains("very secret"));
        fs::write(file.path(), "\n").unwrap();
        assert!(secret(&read).unwrap_err().to_string().ends_with("is empty"));
    }

    #[test]
    fn the_bucket_is_in_the_host_at_aws_and_in_the_path_elsewhere() {
        let (_file, path) = secret_file("very secret");
        let endpoint = ("media_s3_endpoint", "https://s3.example");
        for (changes, bucket, in_host) in [
            (vec![], "bucket", "true"),
            (vec![], "bucket.example", "false"),
            (vec![endpoint], "bucket", "false"),
        ] {
            let changes = [vec![KEY, secret_in(&path)], changes].concat();
            let builder = builder_of(&options(&changes), bucket).unwrap();
            let found = builder.get_config_value(&AmazonS3ConfigKey::VirtualHostedStyleRequest);
            assert_eq!(found.as_deref(), Some(in_host), "{bucket}");
        }
    }
}
