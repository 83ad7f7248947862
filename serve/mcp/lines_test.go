package mcp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/serve/mcp"
)

func TestLines(t *testing.T) {
	s := &mcp.Server{}
	var out bytes.Buffer
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		``,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, // wants no answer
		`{"jsonrpc":`,
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`, // no line end follows
	}, "\n")
	if err := s.Lines(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{`"id":1,"result":{}`, `"code":-32700`, `"id":"a","result":{}`}
	if len(answers) != len(want) {
		t.Fatalf("%d answers, want %d: %s", len(answers), len(want), out.String())
	}
	for i, part := range want {
		if !strings.Contains(answers[i], part) {
			t.Errorf("answer %d: %s, want %s in it", i, answers[i], part)
		}
	}
	if err := s.Lines(t.Context(), strings.NewReader(strings.Repeat("x", 5<<20)), &out); err == nil {
		t.Error("a message of 5 MiB is no error")
	}
}
