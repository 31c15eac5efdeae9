//! Rate limits per user, per address, and for failed logins.
//!
//! Each key has a token bucket that refills evenly (generic cell rate algorithm): one timestamp per key, no timers.
//! The current time is passed as an argument.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use erp_net::client_of;
use quick_cache::sync::Cache;
use salvo::http::{HeaderName, HeaderValue};

use super::error::{ApiError, Result};
use super::options::RateLimits;
use crate::lock::lock;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Maximum number of keys per limiter. Beyond it the fullest buckets are removed, because they would soon be full
/// (that is, unused) anyway. Memory stays below a few megabytes.
const KEYS: usize = 10_000;

/// A request counts as one additional request per this many bytes written. Most orders and customers are smaller.
const BYTES_PER_REQUEST: usize = 16 * 1024;

/// Failed logins per user and address, in a minute and at once.
const FAILED_LOGINS: u32 = 10;

/// Failed logins per user from all addresses together, in a minute and at once. The limit is much higher, so that a few
/// addresses cannot lock a user out, but low enough to make guessing a password impractical.
const FAILED_LOGINS_OF_USER: (u32, u32) = (100, 1_000);

/// Token buckets of one kind, one per key.
#[derive(Debug)]
struct Limiter<K> {
    name: &'static str,
    policy: HeaderValue,
    /// Time in which a bucket gains one request.
    interval: Duration,
    /// What a bucket may lack when a request is counted.
    tolerance: Duration,
    /// Time at which each bucket will be full again; buckets without an entry are full.
    full_at: Mutex<HashMap<K, Instant>>,
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    /// A limiter with full buckets. Each gains so many requests in a minute, and holds at most a burst; 0 counts as 1.
    fn new(name: &'static str, per_minute: u32, burst: u32) -> Self {
        let policy = format!("\"{name}\";q={per_minute};w=60");
        let interval = Duration::from_secs(60) / per_minute.max(1);
        Self {
            name,
            policy: HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("none")),
            interval,
            tolerance: interval * burst.saturating_sub(1),
            full_at: Mutex::new(HashMap::new()),
        }
    }

    /// Counts a request.
    /// Errors: 429 with the seconds until the next request is allowed. Rejected requests are not counted.
    fn take(&self, key: &K, now: Instant) -> Result<RateStatus> {
        let mut buckets = lock(&self.full_at);
        self.check(&buckets, key, now)?;
        Ok(self.add(&mut buckets, key, 1, now))
    }

    fn check(&self, buckets: &HashMap<K, Instant>, key: &K, now: Instant) -> Result<()> {
        let full_at = buckets.get(key).copied().unwrap_or(now);
        let missing = full_at.saturating_duration_since(now);
        if missing > self.tolerance {
            let seconds = whole_seconds(missing - self.tolerance);
            let error = ApiError::too_many_requests(seconds);
            return Err(error.with_headers(self.status(0, seconds).headers()));
        }
        Ok(())
    }

    /// Counts additional requests for one already admitted. Never fails; the next request may have to wait.
    fn charge(&self, key: &K, requests: u32, now: Instant) -> RateStatus {
        self.add(&mut lock(&self.full_at), key, requests, now)
    }

    fn add(
        &self,
        buckets: &mut HashMap<K, Instant>,
        key: &K,
        requests: u32,
        now: Instant,
    ) -> RateStatus {
        if !buckets.contains_key(key) {
            make_room(buckets, now);
        }
        let full_at = buckets.entry(key.clone()).or_insert(now);
        let start = (*full_at).max(now);
        *full_at = start.checked_add(self.interval * requests).unwrap_or(start);
        let missing = full_at.saturating_duration_since(now);
        let left = self.tolerance.checked_sub(missing).map_or(0, |rest| {
            let times = rest.as_nanos() / self.interval.as_nanos();
            u32::try_from(times).unwrap_or(u32::MAX).saturating_add(1)
        });
        self.status(left, whole_seconds(missing))
    }

    fn status(&self, left: u32, seconds: u64) -> RateStatus {
        RateStatus {
            name: self.name,
            policy: self.policy.clone(),
            left,
            seconds,
        }
    }
}

/// Limits the map to [`KEYS`]: removes full buckets first, then the fuller half of the rest.
fn make_room<K: Hash + Eq>(buckets: &mut HashMap<K, Instant>, now: Instant) {
    if buckets.len() < KEYS {
        return;
    }
    buckets.retain(|_, full_at| *full_at > now);
    if buckets.len() < KEYS {
        return;
    }
    let mut times: Vec<Instant> = buckets.values().copied().collect();
    let (_, median, _) = times.select_nth_unstable(KEYS / 2);
    let median = *median;
    let mut surplus = buckets.len() - KEYS / 2;
    buckets.retain(|_, full_at| {
        let goes = *full_at <= median && surplus > 0;
        surplus -= usize::from(goes);
        !goes
    });
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// Remaining quota for the headers of draft-ietf-httpapi-ratelimit-headers (revisions 08 to 10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateStatus {
    name: &'static str,
    policy: HeaderValue,
    left: u32,
    seconds: u64,
}

impl RateStatus {
    /// The headers `RateLimit-Policy` and `RateLimit`.
    pub fn headers(self) -> [(HeaderName, HeaderValue); 2] {
        let state = format!("\"{}\";r={};t={}", self.name, self.left, self.seconds);
        let state = HeaderValue::try_from(state).unwrap_or(HeaderValue::from_static("none"));
        [(RATE_LIMIT_POLICY, self.policy), (RATE_LIMIT, state)]
    }
}

/// User name in lower case, and the address of the login attempt.
type UserAt = (String, Option<IpAddr>);

// rule: R-LIM-04
/// Rate limits of the interface. Each server counts by itself, because a shared count costs a write per request.
#[derive(Debug)]
pub struct Throttle {
    /// `false` disables all limits.
    on: bool,
    users: Limiter<String>,
    token_requests: Limiter<IpAddr>,
    failed_logins: Limiter<UserAt>,
    failed_logins_of_user: Limiter<String>,
    /// Successful logins by user and address. They are exempt from the limit over all addresses, so that an attacker
    /// cannot lock out a known client.
    known: Cache<UserAt, ()>,
}

impl Throttle {
    pub(super) fn new(limits: RateLimits) -> Self {
        let tokens = limits.token_requests_per_minute;
        let (of_user, burst_of_user) = FAILED_LOGINS_OF_USER;
        Self {
            on: limits.enabled,
            users: Limiter::new("user", limits.requests_per_minute, limits.requests_burst),
            token_requests: Limiter::new("address", tokens, tokens),
            failed_logins: Limiter::new("login", FAILED_LOGINS, FAILED_LOGINS),
            failed_logins_of_user: Limiter::new("login", of_user, burst_of_user),
            known: Cache::new(KEYS),
        }
    }

    /// Counts a request of a user and returns the remaining quota; `None` when limits are off.
    /// Errors: 429 when the limit is exceeded.
    pub fn request(&self, user: &str, now: Instant) -> Result<Option<RateStatus>> {
        if !self.on {
            return Ok(None);
        }
        self.users.take(&user.to_owned(), now).map(Some)
    }

    /// Counts the bytes written by a user's request and returns the remaining quota; `None` when limits are off or the
    /// bytes are too few to count.
    pub fn written(&self, user: &str, bytes: usize, now: Instant) -> Option<RateStatus> {
        let requests = u32::try_from(bytes / BYTES_PER_REQUEST).unwrap_or(u32::MAX);
        (self.on && requests > 0).then(|| self.users.charge(&user.to_owned(), requests, now))
    }

    // rule: R-AUT-05
    /// Whether a password may be checked: not after too many that were wrong. Ask again when its turn comes, so that
    /// guesses sent together do not exceed the limit: more than that are checked only while others run.
    /// Errors: 429 when one of the limits is exceeded.
    pub fn may_log_in(&self, user: &str, address: Option<IpAddr>, now: Instant) -> Result<()> {
        if !self.on {
            return Ok(());
        }
        if let Some(address) = address.map(client_of) {
            let limit = &self.token_requests;
            limit.check(&lock(&limit.full_at), &address, now)?;
        }
        let (at, of_all) = (user_at(user, address), &self.failed_logins_of_user);
        let of_user = &self.failed_logins;
        of_user.check(&lock(&of_user.full_at), &at, now)?;
        match self.known.get(&at) {
            Some(()) => Ok(()),
            None => of_all.check(&lock(&of_all.full_at), &at.0, now),
        }
    }

    /// Counts a wrong password for the address, for the user at this address and for the user in total. Returns the quota
    /// closest to exhaustion; `None` when limits are off.
    pub fn login_failed(
        &self,
        user: &str,
        address: Option<IpAddr>,
        now: Instant,
    ) -> Option<RateStatus> {
        if !self.on {
            return None;
        }
        let at = user_at(user, address);
        let address = address.map(client_of);
        let of_address = address.map(|address| self.token_requests.charge(&address, 1, now));
        let of_user = self.failed_logins.charge(&at, 1, now);
        let is_known = self.known.get(&at).is_some();
        let of_all = (!is_known).then(|| self.failed_logins_of_user.charge(&at.0, 1, now));
        let nearest = [of_address, Some(of_user), of_all].into_iter().flatten();
        nearest.min_by_key(|status| status.left)
    }

    pub fn login_succeeded(&self, user: &str, address: Option<IpAddr>) {
        self.known.insert(user_at(user, address), ());
    }
}

fn user_at(user: &str, address: Option<IpAddr>) -> UserAt {
    (user.to_lowercase(), address.map(client_of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use erp_core::sentence::Locale;

    const TEN: RateLimits = RateLimits {
        enabled: true,
        requests_per_minute: 10,
        requests_burst: 10,
        token_requests_per_minute: 10,
    };

    const OFF: RateLimits = RateLimits {
        enabled: false,
        ..TEN
    };

    // rule: R-LIM-04
    #[test]
    fn ten_at_once_then_one_every_six_seconds() {
        let limiter = Limiter::<&str>::new("user", 10, 10);
        let start = Instant::now();
        for left in (0..10).rev() {
            assert_eq!(limiter.take(&"a", start).unwrap().left, left);
        }
        let refused = limiter.take(&"a", start).unwrap_err();
        assert_eq!(refused.status(), 429);
        assert!(
            String::from_utf8(refused.to_bytes(Locale::English))
                .unwrap()
                .contains("try again in 6 s")
        );
        assert!(limiter.take(&"b", start).is_ok());
        assert!(
            limiter
                .take(&"a", start + Duration::from_millis(5_999))
                .is_err()
        );
        assert!(limiter.take(&"a", start + Duration::from_secs(6)).is_ok());
        assert!(limiter.take(&"a", start + Duration::from_secs(6)).is_err());
        let later = start + Duration::from_secs(600);
        for left in (0..10).rev() {
            assert_eq!(limiter.take(&"a", later).unwrap().left, left);
        }
        assert!(limiter.take(&"a", later).is_err());
    }

    #[test]
    fn the_status_says_when_the_bucket_is_full_again() {
        let limiter = Limiter::<&str>::new("user", 10, 10);
        let start = Instant::now();
        for seconds in [6, 12, 18] {
            let taken = limiter.take(&"a", start).unwrap();
            assert_eq!(taken.seconds, seconds);
        }
    }

    // rule: R-LIM-04
    #[test]
    fn bytes_that_were_written_count_as_requests() {
        let throttle = Throttle::new(TEN);
        let now = Instant::now();
        let state = |left, seconds| {
            let state = format!("\"user\";r={left};t={seconds}");
            HeaderValue::try_from(state).unwrap()
        };
        let status = |status: RateStatus| status.headers()[1].1.clone();
        let first = throttle.request("a", now).unwrap().unwrap();
        assert_eq!(status(first), state(9, 6));
        assert_eq!(throttle.written("a", BYTES_PER_REQUEST - 1, now), None);
        let charged = throttle.written("a", 4 * BYTES_PER_REQUEST, now).unwrap();
        assert_eq!(status(charged), state(5, 30));
        let next = throttle.request("a", now).unwrap().unwrap();
        assert_eq!(status(next), state(4, 36));
        // Charges more than is left: this request succeeds, but the user must wait until the debt is paid off.
        let charged = throttle.written("a", 20 * BYTES_PER_REQUEST, now).unwrap();
        assert_eq!(status(charged), state(0, 156));
        let paid = now + Duration::from_secs(156 - 54);
        assert!(
            throttle
                .request("a", paid - Duration::from_secs(1))
                .is_err()
        );
        assert!(throttle.request("a", paid).is_ok());
        assert!(throttle.request("b", now).is_ok(), "each user pays alone");
        let off = Throttle::new(OFF);
        assert_eq!(off.written("a", 1 << 30, now), None);
    }

    #[test]
    fn memory_is_bounded_and_offenders_are_remembered() {
        let limiter = Limiter::<u32>::new("user", 10, 10);
        let now = Instant::now();
        for _ in 0..10 {
            limiter.take(&u32::MAX, now).unwrap();
        }
        for key in 0..50_000 {
            limiter.take(&key, now).unwrap();
        }
        assert!(lock(&limiter.full_at).len() <= KEYS);
        assert!(limiter.take(&u32::MAX, now).is_err());
    }

    // rule: R-AUT-05
    #[test]
    fn logins_are_slowed_per_user_and_per_address() {
        let now = Instant::now();
        let address = |last: u8| Some(IpAddr::from([192, 0, 2, last]));
        let throttle = Throttle::new(RateLimits {
            token_requests_per_minute: 100,
            ..TEN
        });
        let guess = |throttle: &Throttle, user: &str, address| {
            throttle.may_log_in(user, address, now)?;
            throttle.login_failed(user, address, now);
            Ok::<(), ApiError>(())
        };
        // Address with an earlier successful login.
        throttle.login_succeeded("shop", address(1));
        for _ in 0..10 {
            guess(&throttle, "Shop", address(2)).unwrap();
        }
        // One address has exhausted its limit, the others have not.
        assert!(guess(&throttle, "shop", address(2)).is_err());
        for last in (3..102).flat_map(|last| [last; 10]) {
            guess(&throttle, "shop", address(last)).unwrap();
        }
        // All addresses together have, but not the owner's known address.
        assert!(guess(&throttle, "shop", address(199)).is_err());
        for _ in 0..10 {
            guess(&throttle, "shop", address(1)).unwrap();
        }
        assert!(guess(&throttle, "shop", address(1)).is_err());
        // The address limit applies to all users together.
        let throttle = Throttle::new(TEN);
        for number in 0..10 {
            guess(&throttle, &number.to_string(), address(1)).unwrap();
        }
        assert!(guess(&throttle, "other", address(1)).is_err());
        assert!(guess(&throttle, "other", address(2)).is_ok());
        let off = Throttle::new(OFF);
        for _ in 0..100 {
            guess(&off, "shop", address(1)).unwrap();
            assert_eq!(off.request("shop", now).unwrap(), None);
        }
    }
}
