package prove_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/prove"
)

// check checks a mutant.
func check(t *testing.T, kind, flaw string, job prove.Job) *prove.Report {
	t.Helper()
	process := 0
	job.Address, job.Command = flaw, "quintain prove x"
	job.Open = func(context.Context) (*prove.Subject, error) {
		process++
		return &prove.Subject{Scenario: newMutant(kind, flaw, process), Levels: []int{0, 1}}, nil
	}
	r, err := prove.Run(t.Context(), job)
	if err != nil {
		t.Fatalf("%s: %v", flaw, err)
	}
	return r
}

// failed lists the checks that failed.
func failed(r *prove.Report) (ids []string) {
	for _, c := range r.Checks {
		if c.Status == prove.Fail {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func TestCleanEnvironmentsAreProven(t *testing.T) {
	for _, kind := range []string{"sum", "choice", "word", "decimal", "tool"} {
		for seed := range uint64(3) {
			r := check(t, kind, "", prove.Job{Quick: seed > 0, Seed: seed})
			if ids := failed(r); ids != nil || r.Verdict != prove.Proven || r.Counts.Errors > 0 {
				var b bytes.Buffer
				if err := r.WriteText(&b, func(s string) string { return s }); err != nil {
					t.Fatal(err)
				}
				t.Errorf("%s is %s: %q\n%s", kind, r.Verdict, ids, b.String())
			}
		}
	}
}

func TestMutantsAreFound(t *testing.T) {
	for _, test := range []struct{ kind, flaw, want string }{ // want: the ids of which one must fail, and warn for a warning
		{"sum", "empty reply earns 1", "reward.floor"},
		{"sum", "any number", "reward.constant"},
		{"sum", "substring", "reward.precision reward.hedge"},
		{"word", "prefix", "reward.precision"},
		{"sum", "list of all", "reward.hedge"},
		{"sum", "first number", "reward.hedge"},
		{"sum", "last number", "reward.hedge"},
		{"sum", "thoughts count", "warn:reward.late reward.late"},
		{"sum", "tolerance 10 %", "reward.precision"},
		{"sum", "off by one", "reward.precision"},
		{"sum", "sign ignored", "reward.precision"},
		{"sum", "nan", "reward.constant"},
		{"sum", "infinite", "reward.oracle decl.range"},
		{"sum", "range 0 to 100 at one level", "reward.oracle"},
		{"sum", "sign flipped at one level", "reward.oracle"},
		{"sum", "verdict of the reply", "reward.canary"},
		{"sum", "a JSON verdict", "reward.canary"},
		{"sum", "reward never reached", "reward.oracle"},
		{"sum", "all equal", "reward.floor"},
		{"sum", "paid per character", "reward.oracle reward.floor"},
		{"sum", "quitting earns", "reward.floor"},
		{"guess", "pays a legal guess", "reward.oracle reward.farm reward.constant"},
		{"sum", "unsolved", "reward.oracle"},
		{"sum", "wrong label in 20 %", "reward.oracle"},
		{"sum", "wrong label at one level", "reward.oracle"},
		{"sum", "label of the previous problem", "reward.oracle"},
		{"sum", "white space refused", "reward.recall"},
		{"sum", "fences refused", "reward.recall"},
		{"decimal", "as written", "reward.recall"},
		{"sum", "counter in the prompt", "repro.same"},
		{"sum", "noise", "repro.same"},
		{"sum", "differs by process", "repro.process"},
		{"sum", "replays differ after 100 episodes", "repro.same repro.many repro.order repro.process"},
		{"sum", "state shared by episodes", "repro.order repro.same repro.many"},
		{"sum", "depends on load", "repro.many"},
		{"sum", "only with 8 at once", "repro.many"},
		{"sum", "seed ignored", "repro.seed"},
		{"sum", "seed modulo 10", "warn:repro.seed"},
		{"sum", "solution in metadata", "leak.answer"},
		{"sum", "solution told", "leak.answer"},
		{"tool", "solution in a tool", "leak.answer"},
		{"guess", "solution in an error", "leak.answer"},
		{"sum", "example answers", "leak.answer leak.example"},
		{"choice", "option C in 70 %", "reward.constant"},
		{"sum", "crash on empty", "robust.senseless"},
		{"sum", "crash on 5,000 digits", "robust.senseless"},
		{"sum", "crash on NUL", "robust.senseless"},
		{"sum", "crash on 1 MB", "robust.senseless"},
		{"sum", "panics on brackets", "robust.senseless"},
		{"sum", "crash on calls", "robust.call"},
		{"sum", "silence", "robust.senseless"},
		{"sum", "talks on", "robust.senseless"},
		{"sum", "dies at close", "robust.senseless reward.oracle start.up"},
		{"sum", "never ends", "robust.end"},
		{"sum", "never ends when right", "reward.oracle"},
		{"guess", "endless when illegal", "robust.end"},
		{"sum", "size wrong", "decl.splits"},
		{"tool", "unknown tool", "decl.tools"},
		{"tool", "remote schema", "decl.tools"},
		{"tool", "illegal name", "decl.tools"},
		{"tool", "invalid schema", "decl.tools"},
		{"sum", "control token", "text.prompt"},
		{"sum", "two system messages", "text.prompt"},
		{"sum", "the assistant's message last", "start.up"},
	} {
		wants := strings.Fields(test.want)
		only := strings.Fields(strings.ReplaceAll(test.want, "warn:", ""))
		r := check(t, test.kind, test.flaw, prove.Job{Only: only})
		found := failed(r)
		for _, c := range r.Checks {
			if c.Status == prove.Warn {
				found = append(found, "warn:"+c.ID)
			}
		}
		if !slices.ContainsFunc(wants, func(id string) bool { return slices.Contains(found, id) }) {
			t.Errorf("%s, %s: found %q, want %s", test.kind, test.flaw, found, test.want)
		}
		for _, c := range r.Checks {
			if c.Status == prove.Fail && (c.Witness == nil || !strings.Contains(c.Witness.Command, "--only "+c.ID)) {
				t.Errorf("%s: %s failed without a witness: %+v", test.flaw, c.ID, c.Witness)
			}
		}
	}
}

// The same seed gives the same report but for times.
func TestReportsRepeat(t *testing.T) {
	texts := map[string]bool{}
	for range 2 {
		r := check(t, "choice", "option C in 70 %", prove.Job{})
		r.Seconds = 0
		for _, c := range r.Checks {
			if c.Seconds = 0; c.ID == "start.cost" {
				c.Measured, c.Found = nil, ""
			}
		}
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		texts[b.String()] = true
		if n := len(r.OpenEnv); n != 46 {
			t.Errorf("%d ids of OpenEnv, want 46", n)
		}
		if read, err := prove.ReadReport(b.Bytes()); err != nil || read.Verdict != prove.Faulty {
			t.Errorf("the report is read as %+v, %v", read, err)
		}
	}
	if len(texts) != 1 {
		t.Error("two reports with one seed differ")
	}
}

func TestFailsThatTheAuthorAccepts(t *testing.T) {
	r := check(t, "sum", "any number", prove.Job{Quick: true})
	before := fmt.Sprint(r.Verdict)
	reasons := map[string]string{}
	for _, id := range failed(r) {
		reasons[id] = "It is meant so."
	}
	r.Accept(reasons)
	if before != prove.Faulty || r.Verdict != prove.Proven {
		t.Errorf("%s before, %s after", before, r.Verdict)
	}
	clean := check(t, "sum", "", prove.Job{Quick: true})
	clean.Compare(r)
	if !slices.Contains(clean.Changes, prove.Change{ID: "reward.constant", Before: prove.Fail, Now: prove.Pass}) {
		t.Errorf("changes %+v", clean.Changes)
	}
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil || !strings.Contains(b.String(), "The author accepts it: It is meant so.") || strings.Contains(b.String(), "<script") {
		t.Errorf("the page is %.3000s, %v", b.String(), err)
	}
	if _, err := prove.ReadReasons([]byte(`{"no.check": "x"}`)); err == nil {
		t.Error("a reason for no check is taken")
	}
}
