package pipe

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/quintain-rl/quintain"
)

const (
	problemLine = `{"problem":{"task":"chain_sum","version":1,"seed":"7","level":0,"index":3,"params":{"min_terms":2},"prompt":"2 + 3 \u00d7 1?\n","instance":{"expression":"2 + 3"}},"answer":"5"}`
	entryLine   = `{"entry":{"question":"2 + 3?","answer":"5","metadata":{"source_dataset":"chain_sum","source_index":0,"num_terms":2,"expression":"2 + 3","difficulty":{}}},"answer":"5"}`
)

// lines are valid lines written in different ways, and invalid ones.
var lines = []string{
	problemLine, entryLine,
	` { "problem" : {"instance":{},"level":-1,"scenario":"s.v1","task":"x","seed":"18446744073709551615","id":4} , "id":1, "answer" : null } `,
	`{"problem":{"task":"x"},"answer":""}`,
	`{"problem":{},"answer":"\ud83d"}`,
	"{\"problem\":{\"task\":\"\xff\"},\"answer\":\"\xff\"}",
	`{"problem":{"task":null,"instance":null,"params":null},"answer":"a"}`,
	`{"problem":{"Task":"x","SEED":"1"},"Answer":"a"}`,
	`{"problem":{"task":"x","task":"y"},"problem":{"level":2},"answer":"a","answer":"b"}`,
	`{"problem":{"t\u0061sk":"x"},"answer":"a"}`,
	`{"problem":{"seed":7},"answer":"a"}`, `{"problem":{"seed":""},"answer":"a"}`, `{"problem":{"seed":"007"},"answer":"a"}`, `{"problem":{"seed":"-1"},"answer":"a"}`, `{"problem":{"seed":"x"},"answer":"a"}`, `{"problem":{"seed":null},"answer":"a"}`,
	`{"problem":{"level":1.0},"answer":"a"}`, `{"problem":{"level":1e2},"answer":"a"}`, `{"problem":{"level":99999999999999999999},"answer":"a"}`, `{"problem":{"level":"1"},"answer":"a"}`, `{"problem":{"level":-0},"answer":"a"}`,
	`{"problem":{"prompt":5},"answer":"a"}`, `{"problem":null,"answer":"a"}`, `{"problem":[],"answer":"a"}`, `{"problem":{}}`, `{"answer":"a"}`, `{}`, `[]`, `null`, `x`, ``,
	`{"problem":{},"answer":5}`, `{"problem":{},"answer":{}}`, `{"problem":{},"answer":"a"} {}`, `{"problem":{},"answer":"a"`, `{"problem":{"instance":{"a":}},"answer":"a"}`,
	`{"entry":{"question":"","metadata":{"source_dataset":"ab"},"answer":"#A"},"answer":null}`, `{"entry":{"question":"","metadata":{"source_dataset":"ab"},"answer":5},"answer":null}`,
	`{"entry":{"question":"","metadata":{}},"answer":"a"}`, `{"entry":{"question":5},"answer":"a"}`, `{"entry":{"metadata":{"source_dataset":"x","b":1,"a":2}}}`, `{"entry":null,"answer":"a"}`,
}

// The readers return the values and errors of encoding/json.
func TestReadersReadAsEncodingJSON(t *testing.T) {
	problem, entry := newProblemReader(), newEntryReader()
	for _, line := range lines {
		sameAs(t, line, problem, decodeProblem)
		sameAs(t, line, entry, decodeEntry)
	}
}

func FuzzReaders(f *testing.F) {
	for _, line := range lines {
		f.Add(line)
	}
	problem, entry := newProblemReader(), newEntryReader()
	f.Fuzz(func(t *testing.T, line string) {
		sameAs(t, line, problem, decodeProblem)
		sameAs(t, line, entry, decodeEntry)
	})
}

// sameAs compares the results of two readers.
func sameAs(t *testing.T, line string, read, plain reader) {
	t.Helper()
	got, gotAnswer, err := read([]byte(line))
	want, wantAnswer, wantErr := plain([]byte(line))
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%s: error %v, want %v", line, err, wantErr)
	}
	if err == nil && (!reflect.DeepEqual(gotAnswer, wantAnswer) || !reflect.DeepEqual(decoded(t, got), decoded(t, want))) {
		t.Fatalf("%s: read %+v and %v, want %+v and %v", line, got, gotAnswer, want, wantAnswer)
	}
}

// decoded returns a problem as plain data.
func decoded(t *testing.T, p quintain.Problem) (v any) {
	t.Helper()
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Usual lines are read without encoding/json, which allocates far more.
func TestReadersAllocateLittle(t *testing.T) {
	for name, test := range map[string]struct {
		line string
		read reader
	}{"quintain": {problemLine, newProblemReader()}, "reasoning-gym": {entryLine, newEntryReader()}} {
		line := []byte(test.line)
		if n := testing.AllocsPerRun(100, func() {
			if _, _, err := test.read(line); err != nil {
				t.Error(err)
			}
		}); n > 8 {
			t.Errorf("%s: %v allocations for a line", name, n)
		}
	}
}
