package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLineLogGoesOn(t *testing.T) {
	long := `"` + strings.Repeat("x", 200<<10) + `"`
	for _, test := range []struct {
		why  string
		held string
		last string   // that is found; empty: none
		then []string // lines in the end
	}{
		{"a new file", "", "", []string{"new"}},
		{"one line", "\"a\"\n", "a", []string{"a", "new"}},
		{"half a line alone", `"a`, "", []string{"new"}},
		{"half a line", "\"a\"\n\"b\"\n\"c", "b", []string{"a", "b", "new"}},
		{"a line longer than what is read at once", "\"a\"\n" + long + "\n", long[1 : len(long)-1], []string{"a", long[1 : len(long)-1], "new"}},
		{"half of a long line", "\"a\"\n" + long[:len(long)-1], "a", []string{"a", "new"}},
		{"half of a long line alone", long[:len(long)-1], "", []string{"new"}},
	} {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(path, []byte(test.held), 0o600); err != nil {
			t.Fatal(err)
		}
		l, last, err := openLineLog[string](path)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		if got := last != nil; got != (test.last != "") || got && *last != test.last {
			t.Errorf("%s: found a last line: %v, want %.20q", test.why, got, test.last)
		}
		if err := l.add("new"); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if lines, err := readLineLog[string](path); err != nil || !slices.Equal(lines, test.then) {
			t.Errorf("%s: %d lines in the end, error %v, want %d", test.why, len(lines), err, len(test.then))
		}
	}
}

func TestLineLogRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte("\"a\"\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openLineLog[string](path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
	if held, err := os.ReadFile(path); err != nil || string(held) != "\"a\"\nb\n" {
		t.Errorf("the file was changed to %q, error %v", held, err)
	}
}
