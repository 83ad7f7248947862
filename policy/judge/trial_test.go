package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
)

// A witness is a judge who knows the canaries, as long as it is well. Of other replies it likes
// those with "good".
type witness struct {
	ill    atomic.Bool // likes every reply
	naive  atomic.Bool // likes every injection
	away   atomic.Bool // does not answer
	dim    atomic.Bool // forgets the code
	asked  atomic.Int64
	proven map[string]bool // right replies to canaries
}

// newWitness returns a witness in good health.
func newWitness() *witness {
	w := &witness{proven: map[string]bool{}}
	for _, c := range Canaries() {
		w.proven[c.Question+"\n"+c.Reply] = c.Want["correct"] == "yes"
	}
	return w
}

// say answers a request.
func (w *witness) say(r quintain.Request, _ int) (string, quintain.Finish) {
	w.asked.Add(1)
	parts := r.Messages[0].Parts
	_, after, _ := strings.Cut(parts[0].Text, "The question:\n```\n")
	question, _, _ := strings.Cut(after, "\n```\n")
	lines := strings.Split(strings.TrimSuffix(parts[1].Text, "\n"), "\n")
	reply := strings.Join(lines[2:len(lines)-1], "\n")
	good, canary := w.proven[question+"\n"+reply]
	switch {
	case w.away.Load():
		return "", quintain.Aborted
	case !canary && strings.HasPrefix(question, "question"):
		good = strings.Contains(reply, "good")
	case !canary: // an injection
		good = w.naive.Load()
	}
	good = good || w.ill.Load()
	if w.dim.Load() {
		return `{"correct": "yes"}`, ""
	}
	return chooses(r.Messages, map[bool]string{true: "yes", false: "no"}[good]), ""
}

// tried returns the scenario of a witness who is tried as c says.
func tried(t *testing.T, w *witness, c Check, known []Canary) *Scenario {
	t.Helper()
	r, err := ParseRubric("rubric.yaml", []byte(rubricFile))
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Rubric: r, Policy: script.Say(w.say), Model: "m", Spent: &Spent{}}
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, err := (&Jury{Judge: j, Config: cfg, trial: newTrial(c, known, cfg)}).Over(echo{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A judge is tried before the first group, and by known verdicts after every so many.
func TestAJudgeIsTriedInTheRun(t *testing.T) {
	t.Parallel()
	w := newWitness()
	s := tried(t, w, Check{Every: 3, Floor: 0.9}, nil)
	held := func() int { return s.jury.Report().Trials.Held }
	for n := range 7 {
		if r := judged(t, s, n%5, "good", "bad"); r[0].Err != nil || r[0].Step.Reward != 1 || r[1].Step.Reward != 0 {
			t.Fatalf("group %d: %+v", n, r)
		}
		if want := 1 + n/3; held() != want {
			t.Errorf("%d checks after %d groups, want %d", held(), n+1, want)
		}
	}
	metered(t, s.jury, map[string]float64{"accuracy": 1, "agreement": 1, "injections_worked": 0, "length_correlation": s.jury.Report().Length})
	report := s.jury.Report()
	if got := *report.Trials; got.Accuracy != 1 || got.Agreement != 1 || got.Lowest != 1 || got.Tried != 33 || len(got.Worked) > 0 {
		t.Errorf("%+v", got)
	}
	if report.Calls != w.asked.Load() || report.Judged != 14 {
		t.Errorf("%d calls of %d are counted, and %d replies", report.Calls, w.asked.Load(), report.Judged)
	}
	if text := strings.Join(report.Lines(), "\n"); !strings.Contains(text, "checked 3 times: accuracy 1.000 on known verdicts, agreement with itself 1.000, never below 1.000; 0 of 33 injections worked") {
		t.Error(text)
	}
}

// A judge that fails, at the start or later, ends the run; with force, its report says so.
func TestAJudgeThatFailsItsTrialEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		fall   func(w *witness)
		at     int // group before which it falls
		force  bool
		stops  bool
		report string
	}{
		{"ill from the start", func(w *witness) { w.ill.Store(true) }, 0, false, true, "0.5"},
		{"ill from the start, forced", func(w *witness) { w.ill.Store(true) }, 0, true, false, "the judge fails its check: it is right on 0.5 of the known verdicts, below 0.9"},
		{"ill later", func(w *witness) { w.ill.Store(true) }, 2, false, true, "checked 2 times: accuracy 0.500"},
		{"dim, so that nothing can be read", func(w *witness) { w.dim.Store(true) }, 0, false, true, ""},
		{"naive", func(w *witness) { w.naive.Store(true) }, 0, false, true, "these injections worked: "},
		{"naive later, which nobody notices", func(w *witness) { w.naive.Store(true) }, 1, false, false, "0 of 33"},
	} {
		w := newWitness()
		s := tried(t, w, Check{Every: 2, Floor: 0.9, Force: test.force}, nil)
		var err error
		for n := range 5 {
			if n == test.at {
				test.fall(w)
			}
			r := judged(t, s, n, "good", "bad")
			if err != nil && r[0].Err == nil {
				t.Errorf("%s: group %d is judged after all", test.why, n)
			}
			err = r[0].Err
		}
		if (err != nil) != test.stops || test.stops && (!errors.Is(err, quintain.ErrStop) || !errors.Is(err, quintain.ErrUngraded)) {
			t.Errorf("%s: error %v", test.why, err)
		}
		if text := strings.Join(s.jury.Report().Lines(), "\n"); !strings.Contains(text, test.report) {
			t.Errorf("%s: %s", test.why, text)
		}
		if _, alone := play(t, s, 1, quintain.Reply{Text: "good"}); (alone != nil) != test.stops {
			t.Errorf("%s: a reply alone: error %v", test.why, alone)
		}
	}
}

// A judge that is away is tried again when it may be back. Later, its absence is no failure.
func TestATrialWithoutVerdicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWitness()
		s := tried(t, w, Check{Every: 1, Floor: 0.9}, nil)
		w.away.Store(true)
		for range 2 {
			if r := judged(t, s, 1, "good"); !errors.Is(r[0].Err, quintain.ErrUngraded) || errors.Is(r[0].Err, quintain.ErrStop) {
				t.Errorf("%+v", r)
			}
		}
		asked := w.asked.Load()
		if asked > 3*2*(50+33) {
			t.Errorf("asked %d times", asked)
		}
		w.away.Store(false)
		time.Sleep(later)
		if r := judged(t, s, 1, "good"); r[0].Err != nil {
			t.Errorf("%+v", r)
		}
		w.away.Store(true)
		if r := judged(t, s, 1, "good"); !errors.Is(r[0].Err, quintain.ErrUngraded) || errors.Is(r[0].Err, quintain.ErrStop) {
			t.Errorf("%+v", r)
		}
		w.away.Store(false)
		if r := judged(t, s, 1, "good"); r[0].Err != nil || !strings.Contains(fmt.Sprint(s.jury.Report().Warnings), "had no verdict when the judge was tried again") {
			t.Errorf("%+v, warnings %v", r, s.jury.Report().Warnings)
		}
	})
}

// Known verdicts that the rubric cannot give end the run, and say why.
func TestATrialThatCannotBeHeld(t *testing.T) {
	t.Parallel()
	s := tried(t, newWitness(), DefaultCheck(), []Canary{{Item: Item{Question: "q", Reply: "r"}, Want: map[string]string{"nice": "yes"}}})
	if r := judged(t, s, 1, "good"); !errors.Is(r[0].Err, quintain.ErrStop) || !strings.Contains(r[0].Err.Error(), "no such choice") {
		t.Errorf("%+v", r)
	}
}

// The settings of the check stand in the judge's file.
func TestCheckIsInTheFileOfAJudge(t *testing.T) {
	t.Parallel()
	line, err := json.Marshal(map[string]any{"question": "q", "reply": "r", "want": map[string]string{"correct": "no"}})
	if err != nil {
		t.Fatal(err)
	}
	known := write(t, "known.jsonl", string(line)+"\n")
	text := fmt.Sprintf("rubric: '%s'\nurl: [http://127.0.0.1:1/v1]\nmodel: m\n", write(t, "rubric.yaml", rubricFile))
	path := write(t, "judge.yaml", text+fmt.Sprintf("check: {every: 7, floor: 0.8, known: '%s', force: true}\n", known))
	for _, read := range []func(string) (*Jury, error){ReadJury, ReadScenarios} {
		j, err := read(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.trial; got != nil && (got.how != (Check{7, 0.8, known, true}) || len(got.known) != 1) {
			t.Errorf("%+v", got)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(known); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadScenarios(path); err == nil || !strings.Contains(err.Error(), "known.jsonl") {
		t.Errorf("error %v", err)
	}
	j, err := ReadScenarios(write(t, "judge.yaml", text))
	if err != nil {
		t.Fatal(err)
	}
	if j.trial == nil || j.trial.how != DefaultCheck() {
		t.Errorf("%+v", j.trial)
	}
	j.Untried()
	if err := j.trial.pass(t.Context()); err != nil || j.Report().Trials != nil {
		t.Errorf("error %v", err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
