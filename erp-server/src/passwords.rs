//! Password hashing with Argon2id and the parameters recommended by OWASP.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::lane::{self, Lane, LaneError};
use crate::web::ApiError;

/// 19 MiB, 2 passes, 1 lane: first choice of OWASP for Argon2id. Takes about 20 ms on one core.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Minimum length; shorter passwords are too easy to guess.
pub const SHORTEST_PASSWORD: usize = 10;

/// Maximum length; Basic credentials with longer passwords are rejected.
pub const LONGEST_PASSWORD: usize = 255;

/// Hash of an unknown password, in the same form and at the same cost as any other. It is checked for unknown user
/// names, so that response time does not reveal which users exist.
const NO_USER: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                      Pn0zdTYJpo3CQ0ahEfHbCsuL6EPbUBgrGBNVxpODc6M";

/// Reports that a hash could not be computed. No message contains anything about the password.
#[derive(Debug, Error)]
pub enum PasswordError {
    /// The system failed.
    #[error("the password could not be hashed: {0}")]
    Failed(String),
    /// The queue is full, or the job failed.
    #[error(transparent)]
    Lane(#[from] LaneError),
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Failed(_) => Self::internal(error.to_string()),
            PasswordError::Lane(error) => error.into(),
        }
    }
}

/// Reasons for rejecting a password. No message contains anything about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordRule {
    /// Too easy to guess.
    #[error("a password has at least {SHORTEST_PASSWORD} characters")]
    Short,
    /// Cannot be sent with Basic authentication.
    #[error("a password has at most {LONGEST_PASSWORD} characters")]
    Long,
    /// Cannot be sent with Basic authentication.
    #[error("a password has no control characters")]
    Control,
}

/// Validates a new password.
///
/// # Errors
/// When it is too easy to guess or cannot be used to log in (RFC 7617).
pub fn check(password: &str) -> Result<SecretString, PasswordRule> {
    let length = password.chars().count();
    if length < SHORTEST_PASSWORD {
        return Err(PasswordRule::Short);
    }
    if length > LONGEST_PASSWORD {
        return Err(PasswordRule::Long);
    }
    if password.chars().any(char::is_control) {
        return Err(PasswordRule::Control);
    }
    Ok(SecretString::from(password))
}

/// Maximum number of hashes computed concurrently, on any machine: 76 MiB in total.
const MOST_AT_ONCE: usize = 4;

/// Passwords that may wait for a server: a second or two of work.
pub const MOST_WAITING: usize = 64;

/// Refuses a password while the queue is full.
const TOO_MANY: &str = "too many passwords wait to be checked";

/// Computes password hashes, a bounded number at a time. Clones share the limits.
///
/// One hash takes 19 MiB and about 20 ms on a core, and unauthenticated clients can request one by trying to log
/// in. So at most half of the cores compute hashes, and the queue is bounded.
#[derive(Clone, Debug)]
pub struct Passwords {
    lane: Lane,
    /// The half of its places that logins of unknown clients may take.
    of_unknown: Arc<Semaphore>,
}

impl Passwords {
    /// At most `waiting` requests queue.
    #[must_use]
    pub fn new(waiting: usize) -> Self {
        let at_once = (lane::cores() / 2).clamp(1, MOST_AT_ONCE);
        let places = at_once.saturating_add(waiting);
        Self {
            lane: Lane::new(at_once, waiting, TOO_MANY),
            of_unknown: Arc::new(Semaphore::new((places / 2).max(1))),
        }
    }

    /// Computes the hash of a new password as a PHC string.
    ///
    /// # Errors
    /// When the system provides no random salt, or the queue is full.
    pub async fn hash(&self, password: SecretString) -> Result<String, PasswordError> {
        self.lane.run(move || hash(&password)).await?
    }

    /// Checks a password against a stored hash. For a user that does not exist pass `None`: the check takes the same
    /// time and returns `false`. `is_known`: the user has logged in from this address before. Others get half of the
    /// places, so that guesses from many addresses do not keep known clients out.
    ///
    /// # Errors
    /// When the check could not run, or the queue is full.
    pub async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
        is_known: bool,
    ) -> Result<bool, PasswordError> {
        let place = (!is_known).then(|| self.of_unknown.try_acquire());
        let _place = place.transpose().map_err(|_| LaneError::Full(TOO_MANY))?;
        let checked = self.lane.run(move || {
            let right = verify(&password, stored.as_deref().unwrap_or(NO_USER));
            right && stored.is_some()
        });
        Ok(checked.await?)
    }
}

fn argon2id() -> Result<Argon2<'static>, PasswordError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None);
    let params = params.map_err(|error| PasswordError::Failed(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Computes the hash of a new password on the calling thread, for the command line.
///
/// # Errors
/// When the system provides no random salt.
pub fn hash(password: &SecretString) -> Result<String, PasswordError> {
    let hash = argon2id()?.hash_password(password.expose_secret().as_bytes());
    let hash = hash.map_err(|error| PasswordError::Failed(error.to_string()))?;
    Ok(hash.to_string())
}

/// Checks a password against a stored hash on the calling thread, for the command line.
pub fn verify(password: &SecretString, stored: &str) -> bool {
    let Ok(hash) = PasswordHash::new(stored) else {
        return false;
    };
    // Parameters come from the stored hash, so that hashes made with older parameters stay valid.
    let checked = Argon2::default().verify_password(password.expose_secret().as_bytes(), &hash);
    checked.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;

    // rule: R-AUT-03
    #[tokio::test]
    async fn the_right_password_and_no_other() {
        let passwords = Passwords::new(8);
        let hash = passwords.hash("schlüssel".into()).await.unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        let verify = |password: &str, stored: Option<&str>| {
            passwords.verify(password.into(), stored.map(str::to_owned), false)
        };
        assert!(verify("schlüssel", Some(&hash)).await.unwrap());
        assert!(!verify("Schlüssel", Some(&hash)).await.unwrap());
        assert!(!verify("schlüssel", None).await.unwrap());
        assert!(!verify("schlüssel", Some("no hash")).await.unwrap());
        assert!(!hash.contains("schl"));
    }

    #[tokio::test]
    async fn more_than_may_wait_are_refused_at_once() {
        let passwords = Passwords::new(2);
        let most = (lane::cores() / 2).clamp(1, MOST_AT_ONCE) + 2;
        let verify = |_| passwords.verify("wrong".into(), None, true);
        let mut checked = join_all((0..=most).map(verify)).await;
        let refused = checked.pop().unwrap().unwrap_err();
        assert_eq!(refused.to_string(), TOO_MANY);
        assert_eq!(ApiError::from(refused).status().as_u16(), 503);
        assert!(checked.into_iter().all(|right| !right.unwrap()));
        assert!(!verify(0).await.unwrap());
    }

    #[tokio::test]
    async fn unknown_clients_leave_half_of_the_places_to_known_ones() {
        let passwords = Passwords::new(6);
        let places = passwords.of_unknown.available_permits();
        let most = (lane::cores() / 2).clamp(1, MOST_AT_ONCE) + 6;
        assert_eq!(places, most / 2);
        let verify = |is_known| passwords.verify("wrong".into(), None, is_known);
        let unknown = join_all((0..=places).map(|_| verify(false)));
        let (unknown, known) = tokio::join!(unknown, verify(true));
        assert!(matches!(
            unknown.last(),
            Some(Err(PasswordError::Lane(LaneError::Full(_))))
        ));
        assert!(!known.unwrap());
    }

    #[test]
    fn a_password_can_be_sent_and_is_not_short() {
        for (text, rule) in [
            ("kurz", Some(PasswordRule::Short)),
            ("äöüäöüäöü", Some(PasswordRule::Short)),
            ("äöüäöüäöüä", None),
            (&"x".repeat(255), None),
            (&"x".repeat(256), Some(PasswordRule::Long)),
            ("lang genug\t", Some(PasswordRule::Control)),
        ] {
            assert_eq!(check(text).err(), rule, "{text}");
        }
        assert!(!PasswordRule::Short.to_string().contains("kurz"));
    }

    // rule: R-AUT-05
    #[test]
    fn an_unknown_user_costs_as_much_as_a_known_one() {
        let no_user = PasswordHash::new(NO_USER).unwrap();
        let known = hash(&"x".into()).unwrap();
        let known = PasswordHash::new(&known).unwrap();
        assert_eq!(no_user.algorithm, known.algorithm);
        assert_eq!(no_user.version, known.version);
        assert_eq!(no_user.params, known.params);
        assert_eq!(no_user.salt.map(|s| s.len()), known.salt.map(|s| s.len()));
        assert_eq!(no_user.hash.map(|h| h.len()), known.hash.map(|h| h.len()));
    }
}
