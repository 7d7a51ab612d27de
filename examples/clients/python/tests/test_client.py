"""The client against a server that answers as a gateway does, and as proxies in front of one do."""

import json
import threading
import unittest
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer

from portolan_client import Missing, PartialAnswer, Portolan, Problem, to_raw


def rows(body, **headers):
    return 200, json.dumps(body) if not isinstance(body, str) else body, headers


def problem(status, kind, **headers):
    document = {"type": f"urn:portolan:problem:{kind}", "status": status, "detail": f"it is {kind}", "requestId": "abc"}
    return status, json.dumps(document), headers


@contextmanager
def served(*replies):
    """A server that gives these replies, the last one again and again; its URL and what was requested."""
    requested = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requested.append(self.path)
            status, body, headers = replies[min(len(requested), len(replies)) - 1]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", requested
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class ClientTest(unittest.TestCase):
    def test_an_answer_has_its_gaps_and_its_blocks(self):
        partial = "aave_v3/ethereum;reason=timeout, tokens/*;reason=upstream;count=3, truncated;count=12"
        reply = rows([], portolan_partial=partial, portolan_blocks="ethereum=71, polygon=47")
        with served(reply) as (url, requested):
            answer = Portolan(url).claimables("0xab", network="polygon", include=["a", "b"], worth=True)
        expected = [
            Missing("aave_v3", "ethereum", "timeout"),
            Missing("tokens", "*", "upstream", 3),
            Missing("truncated", "*", "truncated", 12),
        ]
        self.assertEqual(answer.missing, expected)
        self.assertEqual(answer.blocks, {"ethereum": 71, "polygon": 47})
        self.assertRaises(PartialAnswer, answer.whole)
        self.assertEqual(requested, ["/claimables/0xab?network=polygon&include=a%2Cb&worth=true"])

    def test_amounts_keep_all_digits(self):
        body = '[{"amount": 1.15792089237316195423570985008687907853269984665640564039457584007913129639935E+59}]'
        with served(rows(body)) as (url, _):
            (row,) = Portolan(url).balances("0xab").whole()
        self.assertEqual(to_raw(row["amount"], 18), 2**256 - 1)
        for amount, decimals, raw in [("0", 18, 0), ("0.000000000000000001", 18, 1), ("120", 0, 120), ("1E-39", 39, 1)]:
            self.assertEqual(to_raw(Decimal(amount), decimals), raw)
        self.assertRaises(ValueError, to_raw, Decimal("0.01"), 1)

    def test_a_problem_is_an_error_with_its_kind(self):
        with served(problem(400, "invalid-address")) as (url, _), self.assertRaises(Problem) as raised:
            Portolan(url).positions("0x1")
        found = raised.exception
        found = (found.status, found.kind, found.detail, found.request_id)
        self.assertEqual(found, (400, "invalid-address", "it is invalid-address", "abc"))

    def test_what_a_proxy_says_is_an_error_too(self):
        with served((502, "<html>bad gateway</html>", {})) as (url, _), self.assertRaises(Problem) as raised:
            Portolan(url).plan("0xab", "polygon")
        self.assertEqual(raised.exception.kind, "about:blank")

    def test_a_busy_gateway_is_asked_again_a_bounded_number_of_times(self):
        busy, waits = problem(503, "busy", retry_after="2"), []
        with served(busy, busy, rows([])) as (url, requested):
            self.assertEqual(Portolan(url, sleep=waits.append).claimables("0xab").whole(), [])
        self.assertEqual((len(requested), waits), (3, [2, 2]))
        with served(busy) as (url, requested), self.assertRaises(Problem):
            Portolan(url, retries=2, sleep=waits.append).claimables("0xab")
        self.assertEqual(len(requested), 3)

    def test_what_waiting_does_not_help_is_not_asked_again(self):
        too_long = problem(503, "busy", retry_after="61")
        for reply in [problem(503, "protocol-unavailable"), problem(502, "upstream"), too_long]:
            with served(reply) as (url, requested), self.assertRaises(Problem):
                Portolan(url, sleep=self.fail).claimables("0xab")
            self.assertEqual(len(requested), 1)
