package starlark_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

var programs = flag.String("programs", "testdata/programs.jsonl", "generated programs and what CPython makes of them")

// What a program gives here, it gives in CPython. The lines are made by
// conformance/starlark_programs.py.
func TestAgainstCPython(t *testing.T) {
	raw, err := os.ReadFile(*programs)
	if err != nil {
		t.Fatal(err)
	}
	all, ran, refused := 0, 0, 0
	for line := range strings.Lines(string(raw)) {
		var p struct {
			Program string
			Value   json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		all++
		got, err := call(p.Program, "[]")
		switch {
		case err != nil && p.Value != nil:
			refused++
		case err == nil:
			ran++
			if want := asHere(t, p.Value); got != want {
				t.Errorf("got %s, CPython %s:\n%s", got, want, p.Program)
			}
		}
	}
	if ran == 0 || refused > ran/4 {
		t.Errorf("of %d programs %d ran, and %d were refused that CPython runs", all, ran, refused)
	}
	t.Logf("of %d programs %d ran, and %d were refused that CPython runs", all, ran, refused)
}

// asHere writes a value as call does; empty if there is none.
func asHere(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	if raw == nil {
		return ""
	}
	v, err := pyvalue.ParseJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	text, err := (&pyvalue.Runtime{Steps: 1 << 20, Bytes: 1 << 20}).JSON(v, pyvalue.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
