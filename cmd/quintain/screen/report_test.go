package screen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/sandbox"
)

// trained is the report of a run that became better while the scores of its training fell,
// because the curriculum went on to harder levels.
func trained() *run.Report {
	levels := func(name string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint(name, ":", i))
		}
		return all
	}
	example := func(answer string, score float64) run.Example {
		return run.Example{
			Label: "spell_backward:3", ID: "p", Question: "reverse\nhouse \x1b[2J", Reply: "<answer>" + answer + "</answer>", Answer: answer,
			Score: score, Right: score == 1, Why: "3 of 5 letters are in their places",
		}
	}
	return &run.Report{
		Steps: 3000, Version: 3000, Seconds: 305, GroupsMade: 12000, GroupsDropped: map[rollout.Drop]int{rollout.DropEqual: 1234},
		Tokens: 3_000_000, Unit: "tokens", Staleness: map[int]int{1: 3}, Episodes: map[quintain.Outcome]int{quintain.Scored: 96000},
		ExamBefore: new(0.369), ExamAfter: new(0.515), Advice: []string{"a note of several words, which needs more than one line on a terminal of eighty columns"},
		Replay: &run.Replay{Before: example("esuhe", 0.6), After: example("esuoh", 1), VersionAfter: 3000},
		Tasks: []run.TaskReport{
			{
				Label: "palindrome_generation", Levels: levels("palindrome_generation", 6), Examined: 6, Groups: 4520, First: 0.954, Last: 0.570, Curve: []float64{0.9, 0.7, 0.6, 0.5},
				ExamBefore: new(0.072), ExamAfter: new(0.433), ExamCurve: []float64{0.072, 0.1, 0.2, 0.433}, DoneBefore: new(0), DoneAfter: new(2),
				Curriculum: &curriculum.Standing{Complexity: 0.4, Share: 0.75},
			},
			{
				Label: "spell_backward", Levels: levels("spell_backward", 11), Examined: 10, Groups: 999, First: 0.8, Last: 0.263, Curve: []float64{0.9, 0.7, 0.6, 0.5},
				ExamBefore: new(0.411), ExamAfter: new(0.523), ExamCurve: []float64{0.411, 0.4, 0.5, 0.523}, DoneBefore: new(3), DoneAfter: new(3),
				Curriculum: &curriculum.Standing{Complexity: 0.3, Share: 0.25},
			},
		},
	}
}

// printed is a report on a terminal of a width; 0: in a file.
func printed(t *testing.T, r *run.Report, width int) string {
	t.Helper()
	var out strings.Builder
	on := &Terminal{Out: &out}
	if width > 0 {
		on.Columns = func() int { return width }
	}
	if err := Report(on, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The report tells what was learned, and not how the scores of training moved.
func TestReport(t *testing.T) {
	const want = `task                   held-out score  levels done  groups  share  curve
palindrome_generation   0.072 → 0.433   0 → 2 of 6   4,520   75 %  ▁▁▂▄
spell_backward          0.411 → 0.523      3 of 10     999   25 %  ▄▄▅▅
levels done: their held-out problems score two thirds or more

held out       0.369 → 0.515; it now solves 2 of 6 levels of
               palindrome_generation, at first 0
steps          3,000 in 5m5s, to version 3,000
groups kept    12,000
groups dropped 1,234 (equal_scores: 1,234)
episodes       96,000 (scored: 96,000)
tokens         3,000,000, 9,836 a second
staleness      3 (1: 3)

a held-out problem of spell_backward:3
  asked          reverse
                 house [2J
  version 0      0.60: esuhe  (3 of 5 letters are in their places)
  version 3,000  right: esuoh

note           a note of several words, which needs more than one line on a
               terminal of eighty columns
`
	if got := printed(t, trained(), 80); got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}

// What ran programs has a line.
func TestReportOfSandbox(t *testing.T) {
	setup := &sandbox.Setup{
		Backend:      "native",
		Layers:       []sandbox.Layer{{Name: "landlock", Holds: true}, {Name: "user namespace"}},
		Interpreters: []sandbox.Interpreter{{Language: "python", Version: "cpython 3.11.2"}},
	}
	const want = "sandbox        native, python cpython 3.11.2; it holds by landlock\n"
	if got := printed(t, &run.Report{Sandboxes: []*sandbox.Setup{setup}}, 0); !strings.Contains(got, want) {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
	trusting := &run.Report{Sandboxes: []*sandbox.Setup{{Backend: sandbox.Unconfined}}}
	var out strings.Builder
	if err := Report(&Terminal{Out: &out, Colors: true, Columns: func() int { return 40 }}, trusting); err != nil {
		t.Fatal(err)
	}
	if _, got, _ := strings.Cut(out.String(), "\x1b[31msandbox        none; no sandbox holds:"); strings.Count(got, "\x1b[31m") != strings.Count(got, "\n")-1 {
		t.Errorf("not all of it is red: %q", out.String())
	}
	if line := statusLine(trusting); !strings.Contains(line, "programs run without a sandbox") {
		t.Errorf("the status does not tell: %s", line)
	}
}

// Groups that were too old have a line, beside those that were trained on.
func TestReportOfStaleGroups(t *testing.T) {
	long, short := run.Cost{Groups: 1045, Episodes: 8360, Tokens: 685_520, Seconds: 60088}, run.Cost{Groups: 2, Episodes: 16, Tokens: 832, Seconds: 45.8}
	for _, test := range []struct {
		why, want string
		report    run.Report
	}{
		{"dropped", "too old        dropped as stale: 1,045 groups, mean 82 tokens an episode against 52 trained on (+58 %), 57.5 s a group against 22.9\n",
			run.Report{Stale: long, Trained: short, Kept: long}},
		{"withheld, and shorter", "too old        withheld: 2 groups, mean 52 tokens an episode against 82 trained on (-37 %), 22.9 s a group against 57.5\n",
			run.Report{Stale: short, Trained: long, GroupsDropped: map[rollout.Drop]int{rollout.DropWithheld: 2}}},
		{"nothing is trained on yet", "against 52 kept (+58 %)", run.Report{Stale: long, Kept: short}},
	} {
		test.report.Steps, test.report.Unit = 1, "tokens"
		if got := printed(t, &test.report, 0); !strings.Contains(got, test.want) {
			t.Errorf("%s: it prints\n%s\nwant\n%s", test.why, got, test.want)
		}
	}
	if got := printed(t, &run.Report{Steps: 1}, 0); strings.Contains(got, "too old") {
		t.Errorf("without such groups it prints\n%s", got)
	}
}

// The table fits any width from 40 columns. The curve stays longest.
func TestTheReportFits(t *testing.T) {
	for _, width := range []int{40, 60, 80, 120, 0} {
		text := printed(t, trained(), width)
		for line := range strings.Lines(text) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); width > 0 && n >= width {
				t.Errorf("%d columns: a line of %d: %q", width, n, line)
			}
		}
		for least, part := range map[int]string{40: "▁▁▂▄\n", 60: "0.072 → 0.433", 80: "0 → 2 of 6", 120: "75 %"} {
			if has := strings.Contains(text, part); width == 0 && !has || least <= width && !has {
				t.Errorf("%d columns: no %q in\n%s", width, part, text)
			}
		}
		if strings.ContainsAny(text, "\x1b\r") || strings.Contains(text, "0.263") {
			t.Errorf("%d columns:\n%s", width, text)
		}
	}
}

// Without evaluations the table has scores of training, and says so.
func TestReportWithoutEvaluations(t *testing.T) {
	r := trained()
	r.ExamBefore, r.ExamAfter, r.Replay = nil, nil, nil
	for i := range r.Tasks {
		task := &r.Tasks[i]
		task.ExamBefore, task.ExamAfter, task.ExamCurve, task.DoneBefore, task.DoneAfter, task.Curriculum = nil, nil, nil, nil, nil, nil
	}
	const want = `task                   training score  groups  curve
palindrome_generation           0.570   4,520  █▆▅▅
spell_backward                  0.263     999  █▆▅▅

steps`
	if got := printed(t, r, 80); !strings.HasPrefix(got, want) {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}

// A run that was stopped before anything was played has no table of zeros.
func TestReportOfNothing(t *testing.T) {
	r := &run.Report{Tasks: []run.TaskReport{{Label: "chain_sum:0"}}, Episodes: map[quintain.Outcome]int{quintain.Scored: 0}, Unit: "tokens"}
	r.ExamBefore = new(0.5)
	r.Tasks[0].ExamBefore = new(0.5)
	if got := printed(t, r, 80); got != "held out       0.500\nplayed         nothing to its end, in 0 s\n" {
		t.Errorf("it prints\n%s", got)
	}
	r.Episodes[quintain.Cancelled], r.GroupsDropped = 2, map[rollout.Drop]int{rollout.DropCancelled: 1}
	if got := printed(t, r, 80); strings.Contains(got, "chain_sum") || strings.Contains(got, "staleness") || strings.Contains(got, " 0\n") || !strings.Contains(got, "cancelled: 2") {
		t.Errorf("it prints\n%s", got)
	}
}

func TestColors(t *testing.T) {
	for _, colors := range []bool{false, true} {
		var out strings.Builder
		if err := Report(&Terminal{Out: &out, Colors: colors}, trained()); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"\x1b[1mtask ", "\x1b[32mversion 3,000\x1b[0m", "\x1b[33mversion 0"} {
			if has := strings.Contains(out.String(), part); has != colors {
				t.Errorf("colours %v: %q in it: %v\n%q", colors, part, has, out.String())
			}
		}
	}
}

// Colours are for terminals that have them, and people who want them.
func TestOn(t *testing.T) {
	for _, test := range []struct {
		is            bool
		term, noColor string
		draws, colors bool
	}{
		{true, "xterm", "", true, true}, {true, "xterm", "1", true, false}, {true, "dumb", "", false, false}, {true, "", "", false, false}, {false, "xterm", "", false, false},
	} {
		on := On(nil, test.is, func(name string) string { return map[string]string{"TERM": test.term, "NO_COLOR": test.noColor}[name] })
		if on.Draws != test.draws || on.Colors != test.colors {
			t.Errorf("%+v: draws %v, colours %v", test, on.Draws, on.Colors)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -123456: "-123,456", 1 << 30: "1,073,741,824"} {
		if got := words.Count(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestReportOfGames(t *testing.T) {
	games := exam.RegretByScenario{"nim_family": {Episodes: 1600, Regret: 0.25, Illegal: 0.031, Turns: 4.25}, "k_in_a_row": {Episodes: 8, Turns: 2}}
	got := printed(t, &run.Report{Steps: 1, Games: games}, 0)
	want := "moves          k_in_a_row: regret 0.000, 0.0 % of the moves illegal, 2.0 turns an episode, over 8 episodes\n" +
		"moves          nim_family: regret 0.250, 3.1 % of the moves illegal, 4.2 turns an episode, over 1,600 episodes\n"
	if !strings.Contains(got, want) {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}
