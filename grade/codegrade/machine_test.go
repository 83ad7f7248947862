package codegrade

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// A fake sandbox does what a test says, and remembers the jobs.
type fake struct {
	do func(n int, job sandbox.Job) (sandbox.Result, error) // n counts from 0

	mu        sync.Mutex
	jobs      []sandbox.Job
	now, most int // at the same time
}

// Probe implements [sandbox.Sandbox].
func (f *fake) Probe(context.Context) (sandbox.Strength, error) { return sandbox.Strength{}, nil }

// Run implements [sandbox.Sandbox].
func (f *fake) Run(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
	f.mu.Lock()
	n := len(f.jobs)
	f.jobs = append(f.jobs, job)
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.now--
		f.mu.Unlock()
	}()
	return f.do(n, job)
}

// isLoop reports whether a job is the busy loop that tries whether the machine is quiet.
func isLoop(job sandbox.Job) bool { return len(job.Files) == 0 }

// printed is the result of a program that printed a text in a time.
func printed(text string, cpu time.Duration) sandbox.Result {
	return sandbox.Result{End: sandbox.Exited, Stdout: []byte(text), CPU: cpu}
}

func TestFaultsOfTheMachineAreNoVerdicts(t *testing.T) {
	right := printed("1", time.Second)
	starved := sandbox.Result{End: sandbox.WallLimit, CPU: 100 * time.Millisecond}
	unmeasured := sandbox.Result{End: sandbox.WallLimit, CPU: sandbox.Unknown}
	slow := printed("1", 5500*time.Millisecond)
	killed := sandbox.Result{End: sandbox.Signalled, Code: 9}
	lost := errors.New("no room on the disk")
	for _, c := range []struct {
		why  string
		runs []sandbox.Result // of the program; the last is repeated
		loop sandbox.Result
		lost error
		want Reason
		err  error
		jobs int
	}{
		{"a right run", []sandbox.Result{right}, right, nil, "", nil, 1},
		{"starved once", []sandbox.Result{starved, right}, right, nil, "", nil, 2},
		{"starved twice", []sandbox.Result{starved, starved, right}, starved, nil, "", nil, 4},
		{"starved for ever", []sandbox.Result{starved}, starved, nil, "", ErrMachine, 5},
		{"it waits on a quiet machine", []sandbox.Result{starved}, right, nil, TimeLimit, nil, 3},
		{"it was idle", []sandbox.Result{{End: sandbox.WallLimit, Wall: 16 * time.Second, Idle: 15 * time.Second}}, right, nil, TimeLimit, nil, 1},
		{"it was idle, and had to wait a little", []sandbox.Result{{End: sandbox.WallLimit, Wall: 16 * time.Second, CPU: 4 * time.Second, Idle: 8 * time.Second}}, right, nil, TimeLimit, nil, 1},
		{"it was idle, and had to wait long", []sandbox.Result{{End: sandbox.WallLimit, Wall: 16 * time.Second, CPU: time.Second, Idle: 3 * time.Second}, right}, right, nil, "", nil, 2},
		{"it was idle for its time, and had to wait long", []sandbox.Result{{End: sandbox.WallLimit, Wall: 60 * time.Second, CPU: time.Second, Idle: 5 * time.Second}}, right, nil, TimeLimit, nil, 1},
		{"of unknown time, and the machine is busy", []sandbox.Result{unmeasured}, starved, nil, "", ErrMachine, 5},
		{"of unknown time, and the machine is quiet", []sandbox.Result{unmeasured}, right, nil, TimeLimit, nil, 3},
		{"right, of unknown time", []sandbox.Result{printed("1", sandbox.Unknown)}, right, nil, "", nil, 1},
		{"killed from outside", []sandbox.Result{killed, right}, right, nil, "", nil, 2},
		{"it kills itself", []sandbox.Result{killed}, right, nil, RuntimeError, nil, 2},
		{"a little over its time", []sandbox.Result{slow, right}, right, nil, "", nil, 2},
		{"twice over its time", []sandbox.Result{slow}, right, nil, TimeLimit, nil, 2},
		{"far over its time", []sandbox.Result{{End: sandbox.CPULimit, CPU: 6 * time.Second}}, right, nil, TimeLimit, nil, 1},
		{"all of its time on several processors", []sandbox.Result{{End: sandbox.WallLimit, CPU: 5500 * time.Millisecond}}, right, nil, TimeLimit, nil, 2},
		{"the sandbox is lost", []sandbox.Result{right}, right, lost, "", lost, 1},
		{"the job is refused", []sandbox.Result{{End: sandbox.Refused, Why: "so"}}, right, nil, "", errors.ErrUnsupported, 1},
	} {
		runs := 0
		f := &fake{}
		f.do = func(_ int, job sandbox.Job) (sandbox.Result, error) {
			if isLoop(job) {
				return c.loop, c.lost
			}
			runs++
			return c.runs[min(runs, len(c.runs))-1], c.lost
		}
		g := &Grader{Sandbox: f}
		got, err := g.Grade(t.Context(), Tests{Language: "python", Kind: Stdin, Cases: []Case{{Output: "1"}}}, "x")
		switch {
		case c.err == errors.ErrUnsupported && err == nil, c.err == nil && err != nil, c.err != nil && c.err != errors.ErrUnsupported && !errors.Is(err, c.err):
			t.Errorf("%s: error %v, want %v", c.why, err, c.err)
		case got.Reason != c.want || len(f.jobs) != c.jobs || err != nil && got.Digest != "":
			t.Errorf("%s: %+v after %d jobs, want %q after %d", c.why, got, len(f.jobs), c.want, c.jobs)
		}
	}
}

// double is a program in Go: it prints its input twice, if a number is even.
func double(_ int, job sandbox.Job) (sandbox.Result, error) {
	var n int
	fmt.Sscan(string(job.Stdin), &n)
	if n%2 == 1 {
		return printed("odd", 0), nil
	}
	return printed(fmt.Sprint(n, n), time.Duration(n)), nil
}

func TestScores(t *testing.T) {
	cases := func(numbers ...int) (all []Case) {
		for i, n := range numbers {
			all = append(all, Case{Input: fmt.Sprint(n), Output: fmt.Sprint(n, n), Group: i % 3, Weight: float64(i % 3)})
		}
		return all
	}
	for _, c := range []struct {
		why     string
		scoring Scoring
		cases   []Case
		score   float64
		passed  int
		total   int
		reason  Reason
	}{
		{"all pass", All, cases(2, 4, 6), 1, 3, 3, ""},
		{"share of all that pass", Share, cases(2, 4, 6), 1, 3, 3, ""},
		{"share", Share, cases(2, 3, 4, 5), 0.5, 2, 4, WrongAnswer},
		{"none", Share, cases(1), 0, 0, 1, WrongAnswer},
		{"ten of twelve", FirstN, cases(2, 4, 6, 8, 10, 12, 14, 16, 18, 19, 20, 21), 0.9, 9, 10, WrongAnswer},
		{"fewer than ten", FirstN, cases(2, 4), 1, 2, 2, ""},
		{"groups of weights 1, 1 and 2", Levels, cases(2, 4, 6, 8, 3, 10), 0.75, 5, 6, WrongAnswer},
	} {
		g := &Grader{Sandbox: &fake{do: double}}
		got, err := g.Grade(t.Context(), Tests{Language: "python", Kind: Stdin, Scoring: c.scoring, Cases: c.cases}, "x")
		if err != nil || got.Score != c.score || got.Passed != c.passed || got.Total != c.total || got.Reason != c.reason || len(got.Outcomes) != c.total {
			t.Errorf("%s: %+v, error %v", c.why, got, err)
		}
	}
}

func TestTheFirstFailureDecides(t *testing.T) {
	var all []Case
	for i := range 40 {
		all = append(all, Case{Input: fmt.Sprint(2*i + i/20), Output: fmt.Sprint(2*i, 2*i)})
	}
	tests := Tests{Language: "python", Kind: Stdin, Cases: all}
	var first Verdict
	for n := range 20 {
		f := &fake{do: double}
		got, err := (&Grader{Sandbox: f, Jobs: 1 + n%5}).Grade(t.Context(), tests, "x")
		if err != nil || got.Score != 0 || got.Reason != WrongAnswer || len(f.jobs) == len(all) {
			t.Fatalf("%+v after %d jobs, error %v", got, len(f.jobs), err)
		}
		if n == 0 {
			first = got
		}
		if got.Digest != first.Digest || got.Passed != first.Passed || len(got.Outcomes) != len(first.Outcomes) {
			t.Errorf("%d jobs at a time: another verdict: %+v, want %+v", 1+n%5, got, first)
		}
	}
	other, err := (&Grader{Sandbox: &fake{do: double}}).Grade(t.Context(), tests, "y")
	if err != nil || other.Digest == first.Digest {
		t.Errorf("another program has the same digest: %v", err)
	}
}

func TestACompileErrorIsFoundOnce(t *testing.T) {
	f := &fake{do: func(int, sandbox.Job) (sandbox.Result, error) {
		return sandbox.Result{End: sandbox.Exited, Code: 1, Stderr: []byte("  File \"solution.py\", line 1\nSyntaxError: no\n")}, nil
	}}
	tests := Tests{Language: "python", Kind: Stdin, Scoring: Share, Cases: []Case{{}, {}, {}}}
	got, err := (&Grader{Sandbox: f}).Grade(t.Context(), tests, "x")
	if err != nil || got.Reason != CompileError || len(got.Outcomes) != 3 || len(f.jobs) != 1 {
		t.Errorf("%+v after %d jobs, error %v", got, len(f.jobs), err)
	}
}

func TestJobsShareSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{do: func(n int, job sandbox.Job) (sandbox.Result, error) {
			<-time.After(time.Second)
			return double(n, job)
		}}
		g := &Grader{Sandbox: f, Jobs: 3}
		tests := Tests{Language: "python", Kind: Stdin, Cases: []Case{{Input: "2", Output: "2 2"}, {Input: "4", Output: "4 4"}, {Input: "6", Output: "6 6"}}}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if got, err := g.Grade(t.Context(), tests, "x"); err != nil || got.Score != 1 {
					t.Errorf("%+v, error %v", got, err)
				}
			})
		}
		group.Wait()
		if f.most != 3 || len(f.jobs) != 12 {
			t.Errorf("%d jobs, %d at the same time", len(f.jobs), f.most)
		}
	})
}

func TestACancelledJudgementIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("nobody waits for it")
	g := &Grader{Sandbox: &fake{do: func(int, sandbox.Job) (sandbox.Result, error) {
		cancel(gone)
		return printed("1", 0), nil
	}}, Jobs: 1}
	got, err := g.Grade(ctx, Tests{Language: "python", Kind: Stdin, Cases: []Case{{Output: "1"}, {Output: "1"}}}, "x")
	if !errors.Is(err, gone) || got.Digest != "" {
		t.Errorf("%+v, error %v", got, err)
	}
}

// TestExpectedOutputsStayHere looks for them in every job in which the program is.
func TestExpectedOutputsStayHere(t *testing.T) {
	for why, tests := range map[string]Tests{
		"stdin":   {Kind: Stdin, Cases: []Case{{Input: "1", Output: gold}}},
		"checker": {Kind: Stdin, Cases: []Case{{Input: "1", Output: gold}}, Compare: Checker, Checker: "print(1)"},
		"call":    {Kind: Call, Function: "f", Cases: []Case{{Input: "[1]", Output: `"` + gold + `"`}}},
		"asserts": {Kind: Asserts, Asserts: "assert f(1) == '" + gold + "'"},
		"pytest":  {Kind: Pytest, Asserts: "def test(): assert f(1) == '" + gold + "'"},
	} {
		f := &fake{do: func(n int, job sandbox.Job) (sandbox.Result, error) {
			got := printed(`1`, 0)
			got.Fetched = map[string][]byte{resultFile: []byte(`["1"]`)}
			if job.Files["solution.py"] == nil {
				got.Fetched[resultFile] = []byte(`{"calls":["[\"f\"]"],"failed":"so","ran":1}`)
			}
			return got, nil
		}}
		tests.Language = "python"
		if got, err := (&Grader{Sandbox: f}).Grade(t.Context(), tests, "THE-PROGRAM"); err != nil || got.Digest == "" {
			t.Errorf("%s: %+v, error %v", why, got, err)
		}
		met := 0
		for _, job := range f.jobs {
			text := fmt.Sprintf("%q %s %q", job.Files, job.Stdin, job.Argv)
			if strings.Contains(text, "THE-PROGRAM") {
				met++
				if strings.Contains(text, gold) {
					t.Errorf("%s: the expected output is beside the program: %s", why, job.Stdin)
				}
			}
		}
		if met == 0 {
			t.Errorf("%s: the program did not run", why)
		}
	}
}

func TestTestsAreChecked(t *testing.T) {
	one := []Case{{Input: "[1]", Output: "1"}}
	for _, c := range []struct {
		why   string
		tests Tests
		want  string // part of the error; empty: none
	}{
		{"fine", Tests{Language: "python", Kind: Call, Function: "f", Cases: one}, ""},
		{"no language", Tests{Kind: Stdin, Cases: one}, "language"},
		{"a language that is not there", Tests{Language: "cobol", Kind: Stdin, Cases: one}, "language"},
		{"a second name of a language", Tests{Language: "py", Kind: Stdin, Cases: one}, "language"},
		{"no kind", Tests{Language: "python", Cases: one}, "kind"},
		{"no cases", Tests{Language: "python", Kind: Stdin}, "cases"},
		{"no function", Tests{Language: "python", Kind: Call, Cases: one}, "function"},
		{"arguments that are no array", Tests{Language: "python", Kind: Call, Function: "f", Cases: []Case{{Input: "1", Output: "1"}}}, "cases[0].input"},
		{"arguments that are no JSON", Tests{Language: "python", Kind: Call, Function: "f", Cases: []Case{{Input: "[1", Output: "1"}}}, "cases[0].input"},
		{"an output that is no JSON", Tests{Language: "python", Kind: Call, Function: "f", Cases: []Case{{Input: "[1]", Output: "NaN"}}}, "cases[0].output"},
		{"another way to compare", Tests{Language: "python", Kind: Stdin, Cases: one, Compare: "near"}, "compare"},
		{"files of input and output", Tests{Language: "python", Kind: Stdin, Cases: one, InputFile: "input.txt", OutputFile: "output.txt"}, ""},
		{"an input above the folder", Tests{Language: "python", Kind: Stdin, Cases: one, InputFile: ".."}, "input_file"},
		{"an input in another folder", Tests{Language: "python", Kind: Stdin, Cases: one, InputFile: "../x"}, "input_file"},
		{"an output over the program", Tests{Language: "python", Kind: Stdin, Cases: one, OutputFile: "solution.py"}, "output_file"},
		{"a checker is missing", Tests{Language: "python", Kind: Stdin, Cases: one, Compare: Checker}, "checker"},
		{"a checker too much", Tests{Language: "python", Kind: Stdin, Cases: one, Checker: "print(1)"}, `set compare to "checker"`},
		{"a file of unit tests", Tests{Language: "python", Kind: Unittest, Asserts: "import unittest", Module: "main"}, ""},
		{"no unit tests", Tests{Language: "python", Kind: Pytest}, "asserts"},
		{"unit tests with cases", Tests{Language: "python", Kind: Pytest, Asserts: "def test(): pass", Cases: one}, "cases"},
		{"a module that is none", Tests{Language: "python", Kind: Unittest, Asserts: "import unittest", Module: "os.path"}, "module"},
		{"a module without unit tests", Tests{Language: "python", Kind: Asserts, Asserts: "assert True", Module: "main"}, "module"},
		{"no assertions", Tests{Language: "python", Kind: Asserts}, "asserts"},
		{"another scoring", Tests{Language: "python", Kind: Stdin, Cases: one, Scoring: "some"}, "scoring"},
		{"a weight below zero", Tests{Language: "python", Kind: Stdin, Cases: []Case{{Weight: -1}}}, "weight"},
		{"a limit below zero", Tests{Language: "python", Kind: Stdin, Cases: one, Limits: sandbox.Limits{CPU: -1}}, "cpu"},
	} {
		err := c.tests.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.why, err, c.want)
		}
		if c.want == "" {
			continue
		}
		if _, err := (&Grader{Sandbox: &fake{}}).Grade(t.Context(), c.tests, "x"); !errors.Is(err, ErrTests) {
			t.Errorf("%s: judged: error %v", c.why, err)
		}
	}
}

func TestACompiledProgramThatCannotStartHasFailed(t *testing.T) {
	f := &fake{do: func(n int, _ sandbox.Job) (sandbox.Result, error) {
		if n == 0 {
			return sandbox.Result{End: sandbox.Exited, Fetched: map[string][]byte{program: []byte("#!/none")}}, nil
		}
		return sandbox.Result{End: sandbox.Refused, Why: "no such file"}, nil
	}}
	got, err := (&Grader{Sandbox: f}).Grade(t.Context(), Tests{Language: "c", Kind: Stdin, Cases: []Case{{}}}, "x")
	if err != nil || got.Reason != RuntimeError || len(f.jobs) != 2 || string(f.jobs[1].Files[program]) != "#!/none" {
		t.Errorf("%+v after %d jobs, error %v", got, len(f.jobs), err)
	}
}
