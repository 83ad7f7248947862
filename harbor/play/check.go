package play

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/harbor/image"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/sandbox/box"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// A Verdict is what a check says of a task.
type Verdict string

// The verdicts.
const (
	Good     Verdict = "good"     // nothing earns less than 1, and the solution earns 1
	Vacuous  Verdict = "vacuous"  // nothing earns 1
	Broken   Verdict = "broken"   // the solution does not earn 1
	Inverted Verdict = "inverted" // nothing earns 1, and the solution less
	Untested Verdict = "untested" // the tests give no reward
	Flaky    Verdict = "flaky"    // repetitions differ
	Unknown  Verdict = "unknown"  // there is no solution
	Refused  Verdict = "refused"  // it cannot be read, or asks for what is not played
	NoImage  Verdict = "no_image"
	Failed   Verdict = "failed" // the machine did; the check asks again
)

// Verdicts lists all in the order of reports.
func Verdicts() []Verdict {
	return []Verdict{Good, Unknown, Vacuous, Broken, Inverted, Untested, Flaky, Refused, NoImage, Failed}
}

// A Row is what a check found out about a task.
type Row struct {
	Key     string        `json:"key"` // of what the verdict depends on
	Task    string        `json:"task"`
	Verdict Verdict       `json:"verdict"`
	Why     string        `json:"why,omitempty"`
	Image   string        `json:"image,omitempty"`
	Empty   []Try         `json:"empty,omitempty"`
	Oracle  []Try         `json:"oracle,omitempty"`
	Sealed  bool          `json:"pristine,omitempty"` // the solution changes no system file: harbor.system may be pristine
	Notes   []harbor.Note `json:"notes,omitempty"`

	Kept bool `json:"-"` // by an earlier check
}

// A Try is a trial of a check.
type Try struct {
	Reward  *float64 `json:"reward"` // nil: none
	Fault   string   `json:"fault,omitempty"`
	Solve   *int     `json:"solve,omitempty"`      // exit status of the solution
	Said    string   `json:"solve_said,omitempty"` // its last line, if it failed
	Seconds float64  `json:"seconds"`              // of the tests
	Changed int      `json:"changed,omitempty"`
	System  []string `json:"changed_system,omitempty"`
	Output  string   `json:"output,omitempty"` // the last lines, unless it earns 1
	Lacks   string   `json:"lacks,omitempty"`  // what the tests say that there is not: a program, or a module

	lost error
}

// A Check plays the solutions of tasks, and nothing, from cheap to dear.
type Check struct {
	How     Settings
	Workers int    // tasks at once; 0: 1
	Repeat  int    // how often each is played; 0: 1
	Results string // file of earlier results; empty: none is kept
	Log     *slog.Logger
}

// Run checks the tasks of an address, and calls each with every row, in the order in which they are done; n is their number. Tasks whose
// files, image and settings are those of an earlier result are not played again. The error is that of ctx, of each, or of the machine.
func (c *Check) Run(ctx context.Context, a guest.Address, each func(r Row, n int) error) error {
	if err := box.Probe(ctx, c.How.Scratch); err != nil {
		return err
	}
	store, err := image.Open("")
	if err != nil {
		return err
	}
	return c.on(ctx, local{store}, a, each)
}

// on is Run on any machine.
func (c *Check) on(ctx context.Context, on machine, a guest.Address, each func(r Row, n int) error) (err error) {
	if a.Query.Has("difficulty") {
		return errors.New("a check takes all difficulties: choose by select alone")
	}
	names, err := choose(a)
	if err != nil {
		return err
	}
	kept, err := openResults(c.Results)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	s := &Set{how: c.How, log: c.Log, on: on}
	if err := s.begin(a); err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	rows := make(chan Row)
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() {
		defer close(rows)
		c.all(ctx, s, kept, names, rows)
	})
	for r := range rows {
		if ctx.Err() != nil {
			continue // it was cut off
		}
		if err := errors.Join(kept.add(r), each(r, len(names))); err != nil {
			stop(err)
		}
	}
	return context.Cause(ctx)
}

// all checks the named tasks, until ctx ends.
func (c *Check) all(ctx context.Context, s *Set, kept *results, names []string, rows chan<- Row) {
	queue := make(chan string, len(names))
	for _, name := range names {
		queue <- name
	}
	close(queue)
	var work sync.WaitGroup
	for range max(1, c.Workers) {
		work.Go(func() {
			for name := range queue {
				if ctx.Err() == nil {
					rows <- c.task(ctx, s, kept, name)
				}
			}
		})
	}
	work.Wait()
}

// task checks a task.
func (c *Check) task(ctx context.Context, s *Set, kept *results, name string) Row {
	r := Row{Task: name}
	e, err := s.ready(ctx, name)
	if err != nil {
		r.Verdict, r.Why = Refused, err.Error()
		if errors.Is(err, image.ErrNoImage) || errors.Is(err, image.ErrNotBuilt) {
			r.Verdict = NoImage
		}
		return r
	}
	r.Image, r.Notes = e.image.Digest, e.static.Notes
	r.Key = c.key(e)
	if before, has := kept.rows[r.Key]; has {
		before.Task, before.Kept = name, true
		return before
	}
	release, err := s.on.hold(e.image.Digest)
	if err != nil {
		r.Verdict, r.Why = Failed, err.Error()
		return r
	}
	defer release()
	for range max(1, c.Repeat) {
		r.Empty = append(r.Empty, s.try(ctx, e, false))
		if e.Solved {
			r.Oracle = append(r.Oracle, s.try(ctx, e, true))
		}
	}
	r.judge(e.static)
	return r
}

// version is raised when verdicts change.
const version = 2

// key returns the key of what a verdict depends on.
func (c *Check) key(e *entry) string {
	text, _, err := c.How.id()
	if err != nil {
		panic("play: " + err.Error()) // texts and numbers
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %s %s %s %d", version, e.Hash, e.image.Digest, text, max(1, c.Repeat))))[:32]
}

// tries is how often a trial is begun that the machine loses.
const tries = 2

// try plays the solution, or nothing.
func (s *Set) try(ctx context.Context, e *entry, solution bool) (t Try) {
	for range tries {
		if t = s.once(ctx, e, solution); t.lost == nil || ctx.Err() != nil {
			break
		}
	}
	return t
}

// once is try without a second time.
func (s *Set) once(ctx context.Context, e *entry, solution bool) (t Try) {
	r := s.newRun(e)
	defer func() { t.lost = errors.Join(t.lost, r.close()) }()
	var said string
	if solution {
		got, err := r.solve(ctx)
		if err != nil {
			return Try{lost: err}
		}
		t.Solve, said = &got.Exit, string(got.Output)
		if got.TimedOut {
			said += fmt.Sprintf("\nsolve.sh was ended after %.0f s", got.Wall.Seconds())
		}
		if got.Exit != 0 {
			t.Said = lastLines(said, 1)
		}
	}
	rep, err := r.test(ctx)
	t.Reward, t.Changed, t.System = rep.Reward, rep.Changed.Files, rep.System
	if rep.Tests != nil {
		t.Seconds, said = rep.Tests.Wall, said+"\n"+rep.Tests.Output
	}
	if _, theirs := errors.AsType[*harbor.Fault](err); theirs || errors.Is(err, errPaysNothing) {
		t.Fault = err.Error()
	} else if err != nil {
		t.lost = err
	}
	if t.Reward == nil || *t.Reward < 1 {
		t.Output, t.Lacks = lastLines(said, 20), strings.TrimSpace(lacking().FindString(said))
	}
	return t
}

// lacking matches what programs say of others that are missing.
var lacking = compiled.Regexp(`No module named '[\w.]+'|Cannot find module '[^'\n]+'|[\w.+-]+: (?:command )?not found|fatal error: \S+: No such file or directory`)

// solveTime is the time of a solution whose task sets the agent no limit.
const solveTime = time.Hour

// solve runs the solution.
func (r *run) solve(ctx context.Context) (box.Result, error) {
	if err := r.open(ctx, true); err != nil {
		return box.Result{}, err
	}
	limit := r.set.scaled(r.of.Config.Agent.Timeout)
	if limit == 0 {
		limit = solveTime
	}
	got, err := r.command(ctx, box.Command{
		Args: []string{bash, "-c", "exec /solution/" + harbor.SolveScript}, Env: r.of.solve, Time: limit, Output: 16 << 10,
	})
	if errors.Is(err, box.ErrOver) {
		err = nil
	}
	return got, err
}

// lastLines returns the end of an output.
func lastLines(text string, most int) string {
	const longest = 4000
	lines := strings.Split(strings.TrimSpace(plain([]byte(text))), "\n")
	text = strings.Join(lines[max(0, len(lines)-most):], "\n")
	return strings.ToValidUTF8(text[max(0, len(text)-longest):], "")
}

// judge finds the verdict.
func (r *Row) judge(static harbor.Static) {
	for _, t := range slices.Concat(r.Empty, r.Oracle) {
		if t.lost != nil {
			r.Verdict, r.Why = Failed, t.lost.Error()
			return
		}
	}
	empty, oracle := r.Empty[0], Try{}
	if len(r.Oracle) > 0 {
		oracle = r.Oracle[0]
	}
	one := func(t Try) bool { return t.Reward != nil && *t.Reward >= 1 }
	switch {
	case differ(r.Empty) || differ(r.Oracle):
		r.Verdict, r.Why = Flaky, "repetitions differ"
	case empty.Reward == nil:
		r.Verdict, r.Why = Untested, empty.Fault
	case one(empty) && len(r.Oracle) > 0 && !one(oracle):
		r.Verdict, r.Why = Inverted, "nothing earns 1, and the solution does not"
	case one(empty):
		r.Verdict, r.Why = Vacuous, "the tests pay 1 for nothing"+why(static)
	case len(r.Oracle) == 0:
		r.Verdict, r.Why = Unknown, "there is no solution"+lacks(empty)
	case !one(oracle):
		r.Verdict, r.Why = Broken, "the solution does not earn 1"+lacks(oracle)
		if oracle.Reward == nil {
			r.Why = "with the solution: " + oracle.Fault
		}
	default:
		r.Verdict = Good
	}
	if oracle.Solve != nil && *oracle.Solve != 0 {
		r.Why = strings.TrimPrefix(fmt.Sprintf("%s; solve.sh ends with status %d: %s", r.Why, *oracle.Solve, oracle.Said), "; ")
	}
	r.Sealed = r.Verdict == Good && len(oracle.System) == 0
}

// why returns what reading the tests of a vacuous task shows.
func why(s harbor.Static) (text string) {
	if s.Untested != "" {
		text = ": none names " + s.Untested + ", which the instruction asks for"
	}
	if len(s.InImage) > 0 {
		text += "; they use " + strings.Join(s.InImage[:min(len(s.InImage), 3)], ", ") + " of the image, which the agent may edit"
	}
	return text
}

// lacks returns what is missing for a trial's tests, or perhaps on purpose.
func lacks(t Try) string {
	if t.Lacks == "" {
		return ""
	}
	return "; the tests say: " + t.Lacks
}

// differ reports whether trials earned differently.
func differ(all []Try) bool {
	return slices.ContainsFunc(all, func(t Try) bool {
		first := all[0]
		return (t.Reward == nil) != (first.Reward == nil) || t.Reward != nil && *t.Reward != *first.Reward || first.Reward == nil && t.kind() != first.kind()
	})
}

// kind returns the kind of a fault.
func (t Try) kind() string {
	kind, _, _ := strings.Cut(t.Fault, ":")
	return kind
}

// Earned writes the rewards of trials: a number, each number that differs, or the kind of a fault.
func Earned(all []Try) string {
	var words []string
	for _, t := range all {
		word := t.kind()
		if t.Reward != nil {
			word = fmt.Sprintf("%g", *t.Reward)
		} else if word == "" {
			word = "none"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "–"
	}
	return strings.Join(words, "/")
}
