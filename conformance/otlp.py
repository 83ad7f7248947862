#!/usr/bin/env python3
"""Read the spans of a run with the protocol buffers of OpenTelemetry.

    REQUIREMENTS=otlp.txt conformance/python conformance/otlp.py --quintain bin/quintain

A collector in this script takes what a run sends, every third request only at the second try. Each request must parse as an
ExportTraceServiceRequest without an unknown field, every span must be within its trace, and the groups of two steps
must have gone from their episodes to their acknowledgement.
"""

import argparse
import base64
import collections
import http.server
import json
import re
import subprocess
import sys
import tempfile
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

WANT = {"group": None, "episode": "group", "turn": "episode", "grade": "episode", "put": "group", "batch": "group", "ack": "group", "drop": "group"}
KEY = "conformance-key"


def check(right, what):
    """End if something is wrong."""
    if not right:
        sys.exit(f"otlp: {what}")


def binary(value):
    """Turn the names of traces and spans, which OTLP writes in hexadecimal, into the base64 of protocol buffers."""
    if isinstance(value, list):
        return [binary(v) for v in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, v in value.items():
        if key in ("traceId", "spanId", "parentSpanId"):
            check(re.fullmatch("[0-9a-f]{32}" if key == "traceId" else "[0-9a-f]{16}", v), f"{key} is {v}")
            v = base64.b64encode(bytes.fromhex(v)).decode()
        out[key] = binary(v)
    return out


class Collector(http.server.BaseHTTPRequestHandler):
    """Take spans."""

    protocol_version = "HTTP/1.1"
    requests = 0
    spans = []
    resources = []

    def do_POST(self):
        """Parse a request."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Collector.requests += 1
        busy = Collector.requests % 3 == 1
        if not busy:
            right = self.path == "/v1/traces" and self.headers["Api-Key"] == KEY and self.headers["Content-Type"] == "application/json"
            request = json_format.Parse(json.dumps(binary(json.loads(body))), trace_service_pb2.ExportTraceServiceRequest())
            for resource in request.resource_spans:
                Collector.resources.append({a.key: a.value.string_value for a in resource.resource.attributes})
                for scope in resource.scope_spans:
                    Collector.spans.extend(scope.spans)
            if not right:
                Collector.resources.append({"fault": f"{self.path} {self.headers}"})
        self.send_response(503 if busy else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


def main():
    """Check it all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True)
    args = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as data:
        command = [args.quintain, "run", "--data", data, "--policy", "script", "--steps", "2", "--port", "0", "--with", f"otlp.url=http://127.0.0.1:{server.server_port}"]
        subprocess.run(command, env={"OTEL_EXPORTER_OTLP_HEADERS": f"api-key={KEY}", "HOME": data}, check=True, timeout=300, stdout=subprocess.DEVNULL)
    server.shutdown()

    check(all(r.get("service.name") == "quintain" and r.get("quintain.run.id") for r in Collector.resources), f"a request is of {Collector.resources}")
    spans = {s.span_id: s for s in Collector.spans}
    check(len(spans) == len(Collector.spans), "two spans have one name")
    count = collections.Counter(s.name for s in Collector.spans)
    for s in Collector.spans:
        above = spans.get(s.parent_span_id)
        check((above.name if above else None) == WANT[s.name], f"a span {s.name} is below {above}")
        check(above is None or above.trace_id == s.trace_id, f"a span {s.name} is in another trace than the one above it")
        check(0 < s.start_time_unix_nano <= s.end_time_unix_nano, f"a span {s.name} begins at {s.start_time_unix_nano} and ends at {s.end_time_unix_nano}")
        if s.name == "turn":
            about = {a.key: a.value for a in s.attributes}
            check(about["gen_ai.usage.output_tokens"].int_value > 0, f"a turn has {about}")
    check(count["ack"] > 0 and count["ack"] <= count["put"] <= count["group"] and set(WANT) - set(count) <= {"drop"}, f"there are {dict(count)}")
    print(f"otlp: {len(spans)} spans in {Collector.requests} requests: {dict(count)}")


if __name__ == "__main__":
    main()
