package reasoninggym_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
)

// A Reader reads the same as Read.
func TestReaderReadsAsRead(t *testing.T) {
	r := reasoninggym.NewReader()
	for _, test := range []struct {
		entry string
		plain bool
	}{
		{`{"question":"2 + 3?","answer":"5","metadata":{"source_dataset":"chain_sum","source_index":0,"num_terms":2,"expression":"2 + 3","difficulty":{}}}`, true},
		{`{"metadata": {"z": [1, 2], "source_dataset": "ab", "a": {"b": null}}, "question": "\u00d7\n", "answer": "#A"}`, true},
		{`{"question":"","answer":null,"metadata":{"source_dataset":"ab"}}`, true},
		{`{"question":"","metadata":{"source_dataset":"game_of_life"}}`, true},
		{`{"question":"","answer":"\"<","extra":1,"metadata":{"source_dataset":"sentence_reordering"}}`, true},
		{`{"question":"","answer":"5","metadata":{"source_dataset":"ab","answer":"6"}}`, false},
		{`{"question":"","answer":"5","metadata":{"source_dataset":"x","a":1,"a":2}}`, false},
		{`{"question":"","answer":"5","metadata":{"source_dataset":"x","\u0061":1}}`, false},
		{`{"question":"","Question":"a","answer":"5","metadata":{"source_dataset":"x"}}`, false},
		{`{"question":"","answer":"5","metadata":{"source_dataset":5}}`, false},
		{`{"question":"","answer":"5","metadata":{"source_dataset":""}}`, false},
		{`{"question":"","answer":"5","metadata":{}}`, false},
		{`{"question":"","answer":"5","metadata":[]}`, false},
		{`{"question":"","answer":"5"}`, false},
		{`{"question":"","answer":5,"metadata":{"source_dataset":"x"}}`, false},
		{`{"question":5,"answer":"5","metadata":{"source_dataset":"x"}}`, false},
		{`{"question":"","answer":"5","metadata":{"source_dataset":"x"}`, false},
	} {
		if plain := sameEntry(t, r, test.entry); plain != test.plain {
			t.Errorf("%s: read %v, want %v", test.entry, plain, test.plain)
		}
	}
}

// sameEntry reads an entry in both ways and compares the results. It reports whether the
// reader accepted it.
func sameEntry(t *testing.T, r *reasoninggym.Reader, text string) (plain bool) {
	t.Helper()
	got, plain := r.Read([]byte(text))
	if !plain {
		return false
	}
	var e reasoninggym.Entry
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatalf("%s is read: %v", text, err)
	}
	want, err := reasoninggym.Read(e)
	if err != nil {
		t.Fatalf("%s is read: %v", text, err)
	}
	if !reflect.DeepEqual(decoded(t, got), decoded(t, want)) {
		t.Fatalf("%s is read as %+v, want %+v", text, got, want)
	}
	return true
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

func FuzzReader(f *testing.F) {
	f.Add(`{"question":"2 + 3?","answer":"5","metadata":{"source_dataset":"chain_sum","source_index":0,"num_terms":2,"expression":"2 + 3","difficulty":{}}}`)
	f.Add(`{"metadata": {"z": [1, 2], "source_dataset": "ab", "a": {"b": null}}, "question": "\u00d7\n", "answer": "#A"}`)
	r := reasoninggym.NewReader()
	f.Fuzz(func(t *testing.T, text string) { sameEntry(t, r, text) })
}
