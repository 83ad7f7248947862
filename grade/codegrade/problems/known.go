package problems

import (
	"fmt"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// mostKnown limits the tests that a program may know, in bytes.
const mostKnown = 256 << 10

// bigNumbers begins a program that reads numbers of any length.
const bigNumbers = "import json, sys\ngetattr(sys, 'set_int_max_str_digits', int)(0)\n"

// knowing returns the public tests, and a program that knows their outputs. The program is empty
// if no public tests are of that kind, or they are too large.
func knowing(tests codegrade.Tests) (codegrade.Tests, string) {
	var public []codegrade.Case
	size := 0
	outputs := map[string]string{}
	for _, c := range tests.Cases {
		if c.Public {
			public = append(public, c)
			outputs[c.Input] = c.Output
			size += len(c.Input) + len(c.Output)
		}
	}
	if tests.Cases = public; len(public) == 0 || size > mostKnown || tests.Language != "python" {
		return tests, ""
	}
	text, err := strictjson.Legible(outputs)
	if err != nil {
		return tests, ""
	}
	// A string of JSON is one of Python, too: its escapes are of single UTF-16 units, and
	// encoding/json writes other characters as they are.
	literal := strictjson.AppendLegible(nil, string(text))
	switch tests.Kind {
	case codegrade.Stdin:
		from, to := "sys.stdin.buffer", "sys.stdout.buffer"
		if tests.InputFile != "" {
			from = fmt.Sprintf("open(%q, 'rb')", tests.InputFile)
		}
		if tests.OutputFile != "" {
			to = fmt.Sprintf("open(%q, 'wb')", tests.OutputFile)
		}
		return tests, bigNumbers + fmt.Sprintf("known = json.loads(%s)\n%s.write(known[%s.read().decode()].encode())\n", literal, to, from)
	case codegrade.Call:
		return tests, bigNumbers + fmt.Sprintf("known = {json.dumps(json.loads(i)): json.loads(o) for i, o in json.loads(%s).items()}\n\ndef %s(*arguments):\n    return known[json.dumps(list(arguments))]\n", literal, tests.Function)
	}
	return tests, ""
}
