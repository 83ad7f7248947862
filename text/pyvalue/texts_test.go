package pyvalue

import (
	"strings"
	"testing"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	const text = `{"a": ["b", 1, null, {"c": true}], "d": {}, "e": 1.50}`
	v, err := ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	AnyText(v, func(text string) bool {
		seen.WriteString(text)
		return false
	})
	if seen.String() != "abcde" || !AnyText(v, func(text string) bool { return text == "c" }) {
		t.Errorf("the texts are %q", seen.String())
	}
	run := newRuntime()
	before, after := show(t, run, v), show(t, run, Texts(v, strings.ToUpper))
	if want := "{'A': ['B', 1, None, {'C': True}], 'D': {}, 'E': 1.5}"; after != want || show(t, run, v) != before {
		t.Errorf("changed it is %s, want %s; the value was %s and is %s", after, want, before, show(t, run, v))
	}
}

func show(t *testing.T, run *Runtime, v Value) string {
	t.Helper()
	text, err := run.Str(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
