package tasktest

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// flawedParams are the settings of a task with a flaw, which a check finds.
type flawedParams struct {
	Flaw string `json:"flaw"`
}

func (flawedParams) Check() error { return nil }

// A recorder is a test that records its failures.
type recorder struct {
	testing.TB
	faults []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// A wordy task asks for a sum. Its keys have a flaw, or none.
type wordyItem struct {
	Flaw     string `json:"flaw"`
	Left     int    `json:"left"`
	Right    int    `json:"right"`
	Tag      int    `json:"tag"` // irrelevant to the question
	Phrasing int    `json:"phrasing"`
}

func makeWordy(p flawedParams, r *rng.Rand) (wordyItem, error) {
	return wordyItem{p.Flaw, r.Between(0, 9), r.Between(0, 9), r.Between(0, 9), r.Between(0, 1)}, nil
}

func (w wordyItem) Prompt() string {
	text := []string{"Add ", "What is "}[w.Phrasing]
	if w.Flaw == "one wording" {
		text = "Sum: "
	}
	return fmt.Sprint(text, w.Left, " + ", w.Right)
}

func (w wordyItem) Solve() string { return strconv.Itoa(w.Left + w.Right) }

func (w wordyItem) Score(text string) quintain.Verdict { return task.Match(text, w.Solve()) }

func (w wordyItem) Short() string {
	if w.Flaw == "short of the answer" {
		return fmt.Sprint(w.Left)
	}
	return fmt.Sprint(w.Left, "+", w.Right)
}

func (w wordyItem) Check() error { return task.Within("phrasing", w.Phrasing, 0, 1) }

func (w wordyItem) Canonical() string {
	switch w.Flaw {
	case "all alike":
		return "a sum"
	case "words":
		return w.Prompt()
	case "details":
		return fmt.Sprint(w.Left, w.Right, w.Tag)
	}
	return fmt.Sprint(w.Left, w.Right)
}

// Fatalf implements [testing.TB].
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Every flaw of keys is found.
func TestKeysFindFlaws(t *testing.T) {
	for flaw, tells := range map[string]string{
		"none":                "",
		"all alike":           "have one key, and the solution of one gets",
		"words":               "has another key than a problem with the same short",
		"details":             "has another key than a problem with the same",
		"short of the answer": "has another key than a problem with the same short",
		"one wording":         "has the same prompt in two wordings",
	} {
		of := task.Spec[flawedParams, wordyItem]{Name: "wordy", Levels: []flawedParams{{flaw}}, Make: makeWordy}
		r, done := &recorder{TB: t}, make(chan bool)
		go func() {
			defer close(done)
			keys(r, of.Task())
		}()
		<-done
		all := strings.Join(r.faults, "\n")
		if tells == "" && all != "" || !strings.Contains(all, tells) {
			t.Errorf("%s: the suite reports %.2000q, want %q", flaw, all, tells)
		}
	}
}
