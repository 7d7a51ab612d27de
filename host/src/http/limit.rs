//! Size limits of requests. Invariant: they apply before the connection's own limits (`connection.rs`), so that the
//! client learns which part is too large.

use hyper::http::request::Parts;

use crate::gateway::problem::{HEADERS_BYTES_MAX, Problem, REQUEST_LINE_BYTES_MAX, TooLarge};

/// Checks the sizes of request line and headers, and that there is no body.
pub(super) fn check(head: &Parts, has_body: bool) -> Result<(), Problem> {
    let too_large = if request_line_bytes(head) > REQUEST_LINE_BYTES_MAX {
        TooLarge::Line
    } else if headers_bytes(head) > HEADERS_BYTES_MAX {
        TooLarge::Headers
    } else if has_body {
        TooLarge::Body
    } else {
        return Ok(());
    };
    Err(Problem::RequestTooLarge(too_large))
}

fn request_line_bytes(head: &Parts) -> usize {
    let target = head.uri.path_and_query().map_or(1, |target| target.as_str().len());
    head.method.as_str().len() + target + "  HTTP/1.1".len()
}

fn headers_bytes(head: &Parts) -> usize {
    head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len()).sum()
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn head(target_bytes: usize, header_bytes: usize) -> Parts {
        let target = format!("/{}", "a".repeat(target_bytes - 1));
        let request = Request::get(target).header("x", "b".repeat(header_bytes - "x: \r\n".len()));
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn the_last_allowed_byte_is_allowed_and_the_next_is_not() {
        let line = REQUEST_LINE_BYTES_MAX - "GET  HTTP/1.1".len();
        let cases = [
            (head(line, 10), false, None),
            (head(line + 1, 10), false, Some(TooLarge::Line)),
            (head(1, HEADERS_BYTES_MAX), false, None),
            (head(1, HEADERS_BYTES_MAX + 1), false, Some(TooLarge::Headers)),
            (head(1, 10), true, Some(TooLarge::Body)),
        ];
        for (head, has_body, expected) in cases {
            assert_eq!(check(&head, has_body).err(), expected.map(Problem::RequestTooLarge));
        }
    }
}
