//! Access to the operators' listener: the request must name a host of the listener, and have the token if one is set.
//!
//! The paths of balancers' probes are also answered where `Host` is missing, which no browser leaves out, or is any
//! address. Invariant: both checks precede every answer; only `/healthz` and the operators' page, which holds nothing of
//! this gateway, need no token.

use std::net::IpAddr;

use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;

use crate::config::{OperatorAccess, OperatorToken};
use crate::gateway::problem::Problem;
use crate::http::allowed_hosts::AllowedHosts;

const SETTING: &str = "operators.allowed_hosts";
const BEARER: &str = "bearer ";
/// Liveness probes have no token.
const HEALTH: &str = "/healthz";
/// The operators' page. A browser loads it without a token, and the page itself sends the one that it is given.
const PAGE: &str = "/";
const FILES_OF_PAGE: &str = "/assets/";
/// The paths that balancers and orchestrators probe. Some send no `Host`, others the address of a node or a pod that is
/// translated on the way.
pub(super) const PROBES: [&str; 2] = [HEALTH, "/readyz"];

/// Checks the host and the token of a request. `local` is the address it arrived at; `None` for a Unix socket, which
/// no web page can reach.
pub(in crate::http) fn check(access: &OperatorAccess, head: &Parts, local: Option<IpAddr>) -> Result<(), Problem> {
    if let Some(local) = local {
        let takes_any_address = PROBES.contains(&head.uri.path());
        let hosts = AllowedHosts { allowed: &access.allowed_hosts, local, setting: SETTING, takes_any_address };
        hosts.check(head)?;
    }
    match &access.token {
        Some(token) if needs_token(head.uri.path()) && !has_token(head, token) => Err(Problem::Unauthorized),
        _ => Ok(()),
    }
}

/// Returns true for the path of the operators' page, and of what it loads.
pub(super) fn is_of_page(path: &str) -> bool {
    path == PAGE || path.starts_with(FILES_OF_PAGE)
}

fn needs_token(path: &str) -> bool {
    path != HEALTH && !is_of_page(path)
}

fn has_token(head: &Parts, token: &OperatorToken) -> bool {
    let given = head.headers.get(AUTHORIZATION).map(|value| value.as_bytes());
    let given = given.and_then(|value| value.split_at_checked(BEARER.len()));
    given.is_some_and(|(scheme, text)| scheme.eq_ignore_ascii_case(BEARER.as_bytes()) && token.is(text))
}

#[cfg(test)]
mod tests {
    use hyper::Request;
    use hyper::header::HOST;

    use super::*;

    fn head(target: &str, hosts: &[&str]) -> Parts {
        let request = hosts.iter().fold(Request::get(target), |request, host| request.header(HOST, *host));
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn only_hosts_that_the_listener_is_known_by_are_answered() {
        let access = OperatorAccess { allowed_hosts: vec!["monitor.example".into()], ..OperatorAccess::default() };
        let local = Some("10.1.2.3".parse().unwrap());
        for host in [
            "localhost",
            "LocalHost:9090",
            "127.0.0.1:9090",
            "127.9.9.9",
            "[::1]:9090",
            "10.1.2.3:9090",
            "monitor.example",
            "MONITOR.example:1",
        ] {
            assert_eq!(check(&access, &head("/", &[host]), local), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:9090",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.1.2.4",
            "x.monitor.example",
            "127.0.0.1@evil.example",
            "a b",
            "",
        ] {
            let refusal = check(&access, &head("/", &[host]), local);
            assert_eq!(refusal, Err(Problem::HostNotAllowed { host: host.into(), setting: SETTING }), "{host}");
            assert_eq!(check(&access, &head("/", &[host]), None), Ok(()), "a Unix socket");
        }
        for (target, hosts) in
            [("/", &[][..]), ("/", &["localhost", "evil.example"]), ("http://evil.example/", &["localhost"])]
        {
            assert!(check(&access, &head(target, hosts), local).is_err(), "{target} {hosts:?}");
        }
        assert_eq!(check(&access, &head("http://localhost/", &[]), local), Ok(()));
    }

    #[test]
    fn probes_are_answered_without_a_host_and_at_any_address_but_at_no_foreign_name() {
        let (access, local) = (OperatorAccess::default(), Some("10.1.2.3".parse().unwrap()));
        for path in PROBES {
            for hosts in [&[][..], &["192.0.2.7:30090"], &["[2001:db8::1]:9090"], &["10.1.2.3:9090"]] {
                assert_eq!(check(&access, &head(path, hosts), local), Ok(()), "{path} {hosts:?}");
            }
            for hosts in [
                &["evil.example:9090"][..],
                &["192.0.2.7", "evil.example"],
                &["192.0.2.7.evil.example"],
                &["192.0.2.7@evil.example"],
                // A browser writes addresses in their common form, and others are names.
                &["3221225991"],
                &["0xc0000207"],
                &[""],
            ] {
                assert!(check(&access, &head(path, hosts), local).is_err(), "{path} {hosts:?}");
            }
        }
        for path in ["/", "/metrics", "/plugins", "/readyz/x", "/healthz2"] {
            for hosts in [&[][..], &["192.0.2.7:30090"]] {
                assert!(check(&access, &head(path, hosts), local).is_err(), "{path} {hosts:?}");
            }
        }
    }
}
