#!/usr/bin/env python3
"""Run programs with the client of SandboxFusion.

    REQUIREMENTS=run_code.txt conformance/python conformance/run_code.py --quintain bin/quintain

Each program must end as it would there, by the client's own summary. Then 64 are run at once, and all their answers must
be those of one alone: a machine that is busy makes no failed program.
"""
import argparse
import base64

import sandbox_fusion as sf
from serving import serving

PROGRAMS = [  # name, request, status of the answer, status of the run, standard output
    ("a sum", dict(code="print(sum(map(int, input().split())))", stdin="3 4"), "Success", "Finished", "7\n"),
    ("an error", dict(code="print(1)\nraise ValueError('x')"), "Failed", "Finished", "1\n"),
    ("an endless loop", dict(code="while True: pass", run_timeout=1), "Failed", "TimeLimitExceeded", ""),
    ("a sleeper", dict(code="import time\ntime.sleep(60)", run_timeout=1), "Failed", "TimeLimitExceeded", ""),
    ("status 3", dict(code="import sys\nsys.exit(3)"), "Failed", "Finished", ""),
    ("no network", dict(code="import socket\ntry:\n    socket.create_connection(('127.0.0.1', 80))\nexcept OSError: print('none')"), "Success", "Finished", "none\n"),
    ("a module beside it", dict(code="import helper\nprint(helper.x)", files={"helper.py": base64.b64encode(b"x = 5").decode()}), "Success", "Finished", "5\n"),
    ("half UTF-8", dict(code="import sys\nsys.stdout.buffer.write(b'\\xffa')"), "Success", "Finished", "\ufffda"),
    ("C++", dict(code='#include <iostream>\nint main() { int a; std::cin >> a; std::cout << 2 * a; }', language="cpp", stdin="21"), "Success", "Finished", "42"),
    ("C++ that does not compile", dict(code="int main( {", language="cpp"), "Failed", None, None),
]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--quintain", required=True)
    wrong = []
    with serving(p.parse_args().quintain) as url:
        sf.set_endpoint(url)

        def run(request):
            return sf.run_code(sf.RunCodeRequest(**{"language": "python", **request}), max_attempts=3, client_timeout=60)

        for name, request, status, ran, stdout in PROGRAMS:
            a = run(request)
            r = a.run_result
            got = (a.status.value, r and r.status.value, r and r.stdout)
            print(f"{name}: {got}")
            if got != (status, ran, stdout):
                wrong.append(f"{name}: {got}, want {(status, ran, stdout)}")
        fetched = run(dict(code="open('a.txt', 'w').write('b')", fetch_files=["a.txt"])).files
        if fetched != {"a.txt": base64.b64encode(b"b").decode()}:
            wrong.append(f"fetched files: {fetched}")
        try:
            run(dict(code="x", language="cobol"))
            wrong.append("a language that is not there has an answer")
        except Exception as error:
            print(f"cobol: {type(error).__name__}")
        answers = sf.run_concurrent(run, args=[[dict(code=f"print(sum(range({n} * 10_000)))")] for n in range(64)], concurrency=64)
        sums = [int(a.run_result.stdout) for a in answers]
        if sums != [sum(range(n * 10_000)) for n in range(64)]:
            wrong.append(f"64 at once print {sums}")
        print("64 at once:", {a.status.value for a in answers})
    if wrong:
        raise SystemExit("\n".join(wrong))


main()
