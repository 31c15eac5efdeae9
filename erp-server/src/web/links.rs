//! Public base URL of the server for `links`, and the address of the client.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use erp_core::Links;
use salvo::http::HeaderMap;
use salvo::http::header::HOST;
use salvo::http::uri::{Scheme, Uri};

use super::error::{ApiError, Result};

/// Where a proxy connects from: a network like `10.0.0.0/8` or `::1`, or the unix socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxy {
    /// Addresses whose first bits are these.
    Network(IpAddr, u8),
    Unix,
}

impl Proxy {
    /// Whether it includes a peer; one over a unix socket has no address. IPv4-mapped IPv6 addresses are treated as IPv4.
    pub fn includes(&self, peer: Option<IpAddr>) -> bool {
        let (Self::Network(address, length), Some(peer)) = (*self, peer) else {
            return *self == Self::Unix && peer.is_none();
        };
        let peer = peer.to_canonical();
        let bits = |address| match address {
            IpAddr::V4(v4) => u128::from(v4.to_bits()) << 96,
            IpAddr::V6(v6) => v6.to_bits(),
        };
        let same = (bits(address) ^ bits(peer)).leading_zeros();
        address.is_ipv4() == peer.is_ipv4() && same >= u32::from(length)
    }
}

impl FromStr for Proxy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "unix" {
            return Ok(Self::Unix);
        }
        let wrong = || "an address or network like `10.0.0.0/8`, or `unix`".to_owned();
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.trim().parse().map_err(|_| wrong()))?;
        if bits > most {
            return Err(wrong());
        }
        Ok(Self::Network(address, bits))
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(address, bits) => write!(f, "{address}/{bits}"),
            Self::Unix => f.write_str("unix"),
        }
    }
}

/// Base URL with scheme, host and optional path, without a trailing slash: `https://shop.example`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn links(&self) -> Links<'_> {
        Links::new(&self.0)
    }
}

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || "an address like `https://shop.example` or `https://host/erp`".to_owned();
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let scheme = uri.scheme_str().unwrap_or_default();
        let host = uri.authority().is_some_and(|host| is_host(host.as_str()));
        // `Uri` drops a fragment and takes any byte in a path.
        let is_plain = text.is_ascii() && !text.contains('#');
        if !matches!(scheme, "http" | "https") || !host || uri.query().is_some() || !is_plain {
            return Err(wrong());
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Request data from which base URL and client address are derived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival<'a> {
    pub(super) uri: &'a Uri,
    pub(super) headers: &'a HeaderMap,
    pub(super) scheme: &'a Scheme,
    pub(super) peer: Option<IpAddr>,
    pub(super) trusted: &'a [Proxy],
}

impl Arrival<'_> {
    fn by_proxy(&self) -> bool {
        is_in(self.trusted, self.peer)
    }

    pub(super) fn base(&self) -> Result<BaseUrl> {
        let forwarded = |name| last_of(self.headers, name).filter(|_| self.by_proxy());
        let scheme = match forwarded("x-forwarded-proto") {
            Some(scheme) if scheme.eq_ignore_ascii_case("https") => "https",
            Some(scheme) if scheme.eq_ignore_ascii_case("http") => "http",
            _ => self.scheme.as_str(),
        };
        let own = || self.headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = forwarded("x-forwarded-host")
            .or_else(|| self.uri.authority().map(|authority| authority.as_str()))
            .or_else(own)
            .filter(|host| is_host(host));
        let host = host.ok_or_else(|| ApiError::malformed(sentence!("header.host")))?;
        Ok(BaseUrl(format!("{scheme}://{host}")))
    }

    /// Client address: the peer, or the address forwarded by the nearest trusted proxies.
    pub(super) fn client(&self) -> Option<IpAddr> {
        let peer = self.peer.map(|peer| peer.to_canonical());
        if !self.by_proxy() {
            return peer;
        }
        let listed = self.headers.get_all("x-forwarded-for").iter().rev();
        let listed = listed
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.rsplit(','));
        let mut nearest = peer;
        for entry in listed {
            let Some(address) = forwarded_address(entry.trim()) else {
                break;
            };
            let address = address.to_canonical();
            nearest = Some(address);
            if !is_in(self.trusted, Some(address)) {
                break;
            }
        }
        nearest
    }
}

/// Parses an entry of `X-Forwarded-For`: an address, an address with port, or IPv6 in brackets.
fn forwarded_address(entry: &str) -> Option<IpAddr> {
    let bracketed = || {
        let inner = entry.strip_prefix('[')?.strip_suffix(']')?;
        inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
    };
    let with_port = || entry.parse::<SocketAddr>().ok().map(|socket| socket.ip());
    entry.parse().ok().or_else(with_port).or_else(bracketed)
}

pub(super) fn is_in(proxies: &[Proxy], peer: Option<IpAddr>) -> bool {
    proxies.iter().any(|proxy| proxy.includes(peer))
}

/// Last entry of a list header: the one written by the nearest proxy.
fn last_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let line = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    line.rsplit(',').next().map(str::trim)
}

/// Whether a text is exactly `host` or `host:port`. Other characters must be rejected, because the host is sent to
/// clients in links.
pub(super) fn is_host(text: &str) -> bool {
    let (is_name, port) = if let Some(rest) = text.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else {
            return false;
        };
        (address.parse::<Ipv6Addr>().is_ok(), port)
    } else {
        let (name, port) = text.split_at(text.find(':').unwrap_or(text.len()));
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
        (
            (1..=255).contains(&name.len()) && name.bytes().all(is_plain),
            port,
        )
    };
    let is_port = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()) && digits.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    is_name && is_port
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in list {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    fn base(list: &[(&'static str, &'static str)], peer: &str) -> Result<String, u16> {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let arrival = Arrival {
            uri: &Uri::from_static("/www/artikel"),
            headers: &headers(list),
            scheme: &Scheme::HTTP,
            peer: Some(peer.parse().unwrap()),
            trusted: &trusted,
        };
        arrival
            .base()
            .map(|base| base.0)
            .map_err(|error| error.status().as_u16())
    }

    // rule: R-CON-05
    #[test]
    fn forwarded_headers_count_from_trusted_proxies_only() {
        let list = [
            ("host", "inside:8080"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "evil.example, shop.example"),
        ];
        assert_eq!(base(&list, "10.1.2.3"), Ok("https://shop.example".into()));
        assert_eq!(
            base(&list, "::ffff:10.1.2.3"),
            Ok("https://shop.example".into())
        );
        assert_eq!(base(&list, "192.0.2.1"), Ok("http://inside:8080".into()));
    }

    #[test]
    fn a_host_holds_only_what_a_host_may_hold() {
        for good in ["shop.example", "[::1]:80", "127.0.0.1:8080", "a_b-c~"] {
            assert!(is_host(good), "{good}");
        }
        for bad in [
            "", ":80", "a b", "a/b", "a<b", "a:b", "a:99999", "a:+1", "[::1", "[x]", "u@h", "a\"b",
        ] {
            assert!(!is_host(bad), "{bad}");
        }
        assert_eq!(base(&[("host", "a<script>")], "192.0.2.1"), Err(400));
        assert_eq!(base(&[], "192.0.2.1"), Err(400));
    }

    #[test]
    fn the_client_is_the_first_untrusted_address_from_the_right() {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let client = |list: &[(&'static str, &'static str)], peer: &str| {
            let arrival = Arrival {
                uri: &Uri::from_static("/"),
                headers: &headers(list),
                scheme: &Scheme::HTTP,
                peer: Some(peer.parse().unwrap()),
                trusted: &trusted,
            };
            arrival.client().unwrap().to_string()
        };
        let list = [
            ("x-forwarded-for", "203.0.113.9, 198.51.100.7"),
            ("x-forwarded-for", "10.9.9.9"),
        ];
        assert_eq!(client(&list, "10.0.0.1"), "198.51.100.7");
        assert_eq!(client(&list, "198.51.100.1"), "198.51.100.1");
        assert_eq!(client(&[], "fd00::1"), "fd00::1");
        for (entry, address) in [
            ("198.51.100.7:4711", "198.51.100.7"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[::ffff:198.51.100.7]:4711", "198.51.100.7"),
            ("198.51.100.7, 10.9.9.9:80, [fd00::2]:80", "198.51.100.7"),
        ] {
            assert_eq!(client(&[("x-forwarded-for", entry)], "10.0.0.1"), address);
        }
        for nonsense in [
            "[198.51.100.7]",
            "[2001:db8::1",
            "198.51.100.7:port",
            "198.51.100.7:",
            "",
        ] {
            assert_eq!(
                client(&[("x-forwarded-for", nonsense)], "10.0.0.1"),
                "10.0.0.1"
            );
        }
        assert_eq!(
            client(&[("x-forwarded-for", "nonsense")], "10.0.0.1"),
            "10.0.0.1"
        );
    }

    #[test]
    fn a_unix_socket_has_addresses_only_through_a_trusted_proxy() {
        let headers = headers(&[
            ("host", "localhost"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-for", "198.51.100.7"),
        ]);
        let uri = Uri::from_static("/");
        let arrival = |trusted| Arrival {
            uri: &uri,
            headers: &headers,
            scheme: &Scheme::HTTP,
            peer: None,
            trusted,
        };
        let everywhere: Vec<Proxy> = ["0.0.0.0/0", "::/0"].map(|all| all.parse().unwrap()).into();
        assert_eq!(arrival(&everywhere).client(), None);
        assert_eq!(arrival(&everywhere).base().unwrap().0, "http://localhost");
        let unix = ["unix".parse().unwrap()];
        assert_eq!(
            arrival(&unix).client(),
            Some("198.51.100.7".parse().unwrap())
        );
        assert_eq!(arrival(&unix).base().unwrap().0, "https://localhost");
    }

    #[test]
    fn networks_and_base_urls_are_checked() {
        let includes = |proxy: &str, peer: &str| {
            let proxy: Proxy = proxy.parse().unwrap();
            proxy.includes(Some(peer.parse().unwrap()))
        };
        assert!(includes("0.0.0.0/0", "203.0.113.1"));
        assert!(includes("::/0", "2001:db8::1"));
        assert!(!includes("0.0.0.0/0", "::1"));
        assert!(!includes("unix", "127.0.0.1"));
        for bad in ["", "10.0.0.0/33", "x", "10.0.0.0/x"] {
            assert!(bad.parse::<Proxy>().is_err(), "{bad}");
        }
        assert_eq!(
            "https://h/erp/".parse::<BaseUrl>().unwrap().as_str(),
            "https://h/erp"
        );
        for bad in [
            "",
            "shop.example",
            "ftp://h",
            "https://h/?x",
            "/www",
            "https://u@h",
            "https://h/#shop",
            "https://h/bücher",
        ] {
            assert!(bad.parse::<BaseUrl>().is_err(), "{bad}");
        }
    }
}
