package mathverify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/mathverify"
)

// A form is an answer as a model writes it, with its label.
type form struct {
	kind, gold, answer string
	equal              bool
}

// readForms reads a file of labelled pairs. Its lines begin with "#" for a kind, "?" for a
// reference, "=" for a right answer and "!" for a wrong one. A text in double quotes is a Go
// string, and ⏎ is a line feed.
func readForms(t testing.TB, path string) (all []form) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f form
	for number, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if line == "" {
			continue
		}
		mark, text, _ := strings.Cut(line, " ")
		if strings.HasPrefix(text, `"`) {
			if text, err = strconv.Unquote(text); err != nil {
				t.Fatalf("%s:%d: %v", path, number+1, err)
			}
		}
		text = strings.ReplaceAll(text, "⏎", "\n")
		switch mark {
		case "#":
			f.kind = text
		case "?":
			f.gold = text
		case "=", "!":
			f.answer, f.equal = text, mark == "="
			all = append(all, f)
		default:
			t.Fatalf("%s:%d: begins with %q, want # ? = or !", path, number+1, mark)
		}
	}
	return all
}

// allForms reads the pairs of the folder of test data: the forms by kind, replies as models
// write them, near misses, and sentences that state a value or do not.
func allForms(t testing.TB) (all []form) {
	for _, name := range []string{"forms", "replies", "near", "values", "asserted", "stated"} {
		all = append(all, readForms(t, "testdata/"+name+".txt")...)
	}
	return all
}

// Answers in the forms that models write equal the reference; those that only look alike do
// not.
func TestForms(t *testing.T) {
	for _, f := range allForms(t) {
		v := mathverify.Verify(context.Background(), f.gold, f.answer)
		if v.Equal != f.equal {
			t.Errorf("%s: %q for %q: equal is %t, want %t: %+v", f.kind, f.answer, f.gold, v.Equal, f.equal, v)
		}
	}
}

// The pairs by which users found what a reader of replies must know have their verdicts, where the file of
// them is; asserted.txt has more of each kind.
func TestRepliesThatUsersFound(t *testing.T) {
	data, err := os.ReadFile("../../../shared/cases/math.jsonl")
	if err != nil {
		return
	}
	others := []string{"units: dimension and size", "against the page"} // of equality
	for line := range bytes.Lines(data) {
		var p struct {
			ID, Kind, Gold, Answer string
			Equal                  bool
		}
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if v := mathverify.Verify(context.Background(), p.Gold, p.Answer); v.Equal != p.Equal && !slices.Contains(others, p.Kind) {
			t.Errorf("%s, %s: %q for %q: equal is %t, want %t: %+v", p.ID, p.Kind, p.Answer, p.Gold, v.Equal, p.Equal, v)
		}
	}
}
