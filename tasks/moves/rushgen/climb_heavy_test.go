//go:build heavy

package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"
)

// The same flags give the same boards, sorted and each once.
func TestClimb(t *testing.T) {
	var files [2]bytes.Buffer
	for i := range files {
		if err := write(&files[i], kept(climb(7, 2))); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the second file differs from the first")
	}
	z, err := gzip.NewReader(&files[0])
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	sorted := slices.IsSortedFunc(lines, func(a, b string) int { return strings.Count(a, " ") - strings.Count(b, " ") })
	slices.Sort(lines)
	if n := len(lines); n < 2 || !sorted || len(slices.Compact(lines)) != n {
		t.Errorf("there are %d lines, sorted %t, or some of them twice", n, sorted)
	}
}
