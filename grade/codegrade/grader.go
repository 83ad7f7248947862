package codegrade

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
)

// ErrMachine says that the machine is too busy to judge a program. It is no verdict.
var ErrMachine = errors.New("the machine is overloaded")

// ErrTests says that the tests themselves are broken. It is no verdict.
var ErrTests = errors.New("the tests are broken")

// A Grader judges programs. Only Sandbox must be set. Many goroutines may use it.
type Grader struct {
	Sandbox sandbox.Sandbox
	Jobs    int // at the same time, of all judgements together; 0: the number of processors

	once  sync.Once
	seats chan struct{} // full: as many judgements are under way as jobs can be; more would all be late
	slots chan struct{} // full: all jobs are under way
	alone chan struct{} // full: a job has all slots, or waits for them

	recorded recordings
	speed    atomic.Uint64 // bits of what Speed found last
}

// maxCode bounds a program, in bytes.
const maxCode = 1 << 20

// Grade judges a program. An error is a fault of the machine, of the tests, or of the caller, and
// says nothing about the program.
func (g *Grader) Grade(ctx context.Context, tests Tests, code string) (Verdict, error) {
	if err := tests.Check(); err != nil {
		return Verdict{}, fmt.Errorf("%w: %w", ErrTests, err)
	}
	j, err := g.newJudgement(tests, code)
	if err != nil {
		return Verdict{}, err
	}
	var outcomes []Outcome
	switch {
	case strings.TrimSpace(code) == "":
		outcomes = j.same(NoCode, "")
	case len(code) > maxCode:
		outcomes = j.same(CompileError, fmt.Sprintf("the program has %d bytes, at most %d are allowed", len(code), maxCode))
	default:
		if err = take(ctx, g.seats); err == nil {
			outcomes, err = j.judge(ctx)
			<-g.seats
		}
	}
	if err != nil {
		return Verdict{}, err
	}
	return j.verdict(outcomes), nil
}

// open makes the slots.
func (g *Grader) open() {
	g.once.Do(func() {
		jobs := g.Jobs
		if jobs <= 0 {
			jobs = runtime.NumCPU()
		}
		g.seats, g.slots, g.alone = make(chan struct{}, jobs), make(chan struct{}, jobs), make(chan struct{}, 1)
	})
}

// A judgement is a program under its tests.
type judgement struct {
	grader   *Grader
	language language
	tests    Tests
	code     string
	files    map[string][]byte // of each job: the program
	limits   sandbox.Limits
	order    []int    // of the cases
	hash     [32]byte // of tests and program
	seed     uint64   // of the tests
}

// newJudgement prepares a judgement.
func (g *Grader) newJudgement(tests Tests, code string) (*judgement, error) {
	g.open()
	form, err := strictjson.Canonical(tests)
	if err != nil {
		return nil, err
	}
	problem := sha256.Sum256(form)
	j := &judgement{grader: g, tests: tests, limits: tests.Limits}
	j.seed = binary.BigEndian.Uint64(problem[:])
	j.hash = sha256.Sum256(append(problem[:], code...))
	j.language, _ = languageOf(tests.Language)
	if j.limits.Processes == 0 {
		j.limits.Processes = j.language.processes
	}
	j.order = tests.order(problem)
	j.code = code
	if tests.Prelude != "" && tests.Kind != Call { // the driver runs that of calls
		j.code = tests.Prelude + "\n" + code
	}
	j.files = map[string][]byte{j.language.file: []byte(j.code)}
	return j, nil
}

// firstN is the number of cases of FirstN.
const firstN = 10

// count is the number of cases that are judged.
func (t Tests) count() int {
	if t.Scoring == FirstN {
		return min(max(1, len(t.Cases)), firstN)
	}
	return max(1, len(t.Cases))
}

// order returns the cases in the order in which they run: those with short inputs first, and by a
// hash of the problem among inputs of a size.
func (t Tests) order(problem [32]byte) []int {
	type place struct {
		size int
		hash [32]byte
	}
	places := make([]place, t.count())
	order := make([]int, len(places))
	for i := range places {
		order[i] = i
		places[i].hash = sha256.Sum256(binary.BigEndian.AppendUint64(problem[:], uint64(i)))
		if len(t.Cases) > 0 {
			places[i].size = bits.Len(uint(len(t.Cases[i].Input)) >> 10)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if d := places[a].size - places[b].size; d != 0 {
			return d
		}
		return slices.Compare(places[a].hash[:], places[b].hash[:])
	})
	return order
}

// same gives all cases the same outcome.
func (j *judgement) same(reason Reason, why string) []Outcome {
	all := make([]Outcome, len(j.order))
	for i, n := range j.order {
		all[i] = Outcome{Case: n, Reason: reason, Error: why}
	}
	return all
}

// judge runs the cases. The outcomes are in the order of the judgement; with All, the first
// failure is the last.
func (j *judgement) judge(ctx context.Context) ([]Outcome, error) {
	if why, err := j.compile(ctx); err != nil {
		return nil, err
	} else if why != "" {
		return j.same(CompileError, why), nil
	}
	first, err := j.try(ctx, j.order[0])
	if err != nil {
		return nil, err
	}
	if first.Reason == CompileError {
		return j.same(CompileError, first.Error), nil
	}
	outcomes := make([]Outcome, len(j.order))
	outcomes[0] = first
	if j.stops() && first.Reason != "" {
		return outcomes[:1], nil
	}
	n, err := j.rest(ctx, outcomes)
	return outcomes[:n], err
}

// stops reports whether the first failure decides.
func (j *judgement) stops() bool { return j.tests.Scoring == "" || j.tests.Scoring == All }

// rest runs all cases but the first, several at a time. It returns how many outcomes count.
func (j *judgement) rest(ctx context.Context, outcomes []Outcome) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, last atomic.Int64
	last.Store(int64(len(outcomes) - 1))
	work := func() {
		for {
			n := next.Add(1)
			if n > last.Load() {
				return
			}
			one, err := j.try(ctx, j.order[n])
			if err != nil {
				cancel(err)
				return
			}
			outcomes[n] = one
			for before := last.Load(); j.stops() && one.Reason != "" && n < before; before = last.Load() {
				last.CompareAndSwap(before, n)
			}
		}
	}
	var group sync.WaitGroup
	for range min(cap(j.grader.slots), len(outcomes)-1) {
		group.Go(work)
	}
	group.Wait()
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return int(last.Load()) + 1, nil
}

// try judges one case.
func (j *judgement) try(ctx context.Context, n int) (Outcome, error) {
	var outcome Outcome
	var err error
	switch j.tests.Kind {
	case Stdin:
		outcome, err = j.stdin(ctx, j.tests.Cases[n])
	case Call:
		outcome, err = j.call(ctx, j.tests.Cases[n])
	case Asserts, Unittest, Pytest:
		outcome, err = j.asserts(ctx, n)
	}
	outcome.Case = n
	if len(j.tests.Cases) == 0 || !j.tests.Cases[n].Public {
		outcome.Output = ""
	}
	return outcome, err
}

// verdict makes the verdict of the outcomes.
func (j *judgement) verdict(outcomes []Outcome) Verdict {
	v := Verdict{Total: len(j.order), Outcomes: outcomes}
	hash := sha256.New()
	hash.Write(j.hash[:])
	for _, one := range outcomes {
		fmt.Fprintf(hash, "%d %s\n", one.Case, one.Reason)
		if one.Reason == "" {
			v.Passed++
		} else if v.Reason == "" {
			v.Reason = one.Reason
		}
	}
	v.Digest = hex.EncodeToString(hash.Sum(nil)[:16])
	switch {
	case j.stops():
		if v.Passed == v.Total {
			v.Score = 1
		}
	case j.tests.Scoring == Levels:
		v.Score = j.levels(outcomes)
	default:
		v.Score = float64(v.Passed) / float64(v.Total)
	}
	slices.SortFunc(outcomes, func(a, b Outcome) int { return a.Case - b.Case })
	return v
}

// levels returns the share of the weights of the groups all of whose cases pass.
func (j *judgement) levels(outcomes []Outcome) float64 {
	failed := map[int]bool{}
	for _, one := range outcomes {
		if one.Reason != "" && len(j.tests.Cases) > 0 {
			failed[j.tests.Cases[one.Case].Group] = true
		} else if one.Reason != "" {
			failed[0] = true
		}
	}
	cases := j.tests.Cases
	if len(cases) == 0 {
		cases = []Case{{}}
	}
	seen := map[int]bool{}
	var won, sum float64
	for _, c := range cases {
		if seen[c.Group] {
			continue
		}
		seen[c.Group] = true
		weight := c.Weight
		if weight == 0 {
			weight = 1
		}
		sum += weight
		if !failed[c.Group] {
			won += weight
		}
	}
	return won / sum
}
