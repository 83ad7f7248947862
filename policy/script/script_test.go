package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestScriptsKeepThePromisesOfPolicies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why string
		new func() quintain.Policy
	}{
		{"a fixed list", func() quintain.Policy { return script.Always("the first reply", "a second reply") }},
		{"a solver", func() quintain.Policy { return solver() }},
		{"a solver that takes time", func() quintain.Policy { s := solver(); s.Delay = 2 * time.Millisecond; return s }},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			policytest.Suite{New: func(*testing.T) quintain.Policy { return test.new() }, Deterministic: true, Calls: func(*testing.T) quintain.Policy {
				return script.Always("I add.\n<call>{\"name\": \"add\"}</call>")
			}}.Run(t)
		})
	}
}

// solver is right half the time.
func solver() *script.Solver {
	return &script.Solver{
		Answer:   func(quintain.Request) (string, error) { return "1234", nil },
		Accuracy: 0.5, Seed: 7,
	}
}

func request(n int) quintain.Request {
	return quintain.Request{Key: "p1", N: n, Messages: []quintain.Message{{Role: "user", Content: "How many?"}}}
}

// A script knows no schemas, and calls no tool on demand.
func TestScriptsRefuseSchemas(t *testing.T) {
	t.Parallel()
	for _, p := range []quintain.Policy{script.Always("{}"), solver()} {
		for _, change := range []func(*quintain.Request){
			func(r *quintain.Request) { r.Schema = json.RawMessage(`{}`) },
			func(r *quintain.Request) { r.ToolChoice = "add" },
		} {
			r := request(1)
			change(&r)
			if samples, err := p.Sample(t.Context(), r); !errors.Is(err, quintain.ErrUnguided) || !errors.Is(err, quintain.ErrFinal) || samples != nil {
				t.Errorf("%T: %d samples, error %v", p, len(samples), err)
			}
		}
	}
}

func sample(t *testing.T, p quintain.Policy, r quintain.Request) []quintain.Sample {
	t.Helper()
	samples, err := p.Sample(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

func texts(samples []quintain.Sample) (all []string) {
	for _, s := range samples {
		all = append(all, s.Text)
	}
	return all
}

func TestListsSayTheirTexts(t *testing.T) {
	t.Parallel()
	later := request(3)
	later.Messages = append(later.Messages, quintain.Message{Role: "assistant", Content: "x"}, quintain.Message{Role: "user", Content: "y"})
	for _, test := range []struct {
		why  string
		say  script.Say
		r    quintain.Request
		want []string
	}{
		{"samples take turns", script.Always("a", "b"), request(3), []string{"a", "b", "a"}},
		{"every turn gets the same", script.Always("a"), later, []string{"a", "a", "a"}},
	} {
		if got := texts(sample(t, test.say, test.r)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

func TestCutsAtMaxTokens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		text   string
		finish quintain.Finish
		most   int
		wrote  []quintain.Token
		want   string
		end    quintain.Finish
	}{
		{"no limit", "hé", "", 0, []quintain.Token{'h', 0xc3, 0xa9, policy.End}, "hé", quintain.Stop},
		{"the end counts too", "hi", quintain.Stop, 2, []quintain.Token{'h', 'i'}, "hi", quintain.Length},
		{"it just fits", "hi", quintain.Stop, 3, []quintain.Token{'h', 'i', policy.End}, "hi", quintain.Stop},
		{"within a character", "hé", quintain.Stop, 2, []quintain.Token{'h', 0xc3}, "h\uFFFD", quintain.Length},
		{"an empty reply", "", quintain.Stop, 0, []quintain.Token{policy.End}, "", quintain.Stop},
		{"a reply scripted as cut has no end", "hi", quintain.Length, 0, []quintain.Token{'h', 'i'}, "hi", quintain.Length},
	} {
		r := request(1)
		r.Sampling.MaxTokens = test.most
		say := script.Say(func(quintain.Request, int) (string, quintain.Finish) { return test.text, test.finish })
		got := sample(t, say, r)[0]
		if !slices.Equal(got.Wrote, test.wrote) || got.Text != test.want || got.Finish != test.end {
			t.Errorf("%s: %v %q %q, want %v %q %q", test.why, got.Wrote, got.Text, got.Finish, test.wrote, test.want, test.end)
		}
	}
}

func TestSolverHasItsAccuracy(t *testing.T) {
	t.Parallel()
	const n = 4000
	const right = "<answer>1234</answer>"
	for _, accuracy := range []float64{0, 0.3, 1} {
		s := solver()
		s.Accuracy = accuracy
		solved := 0
		for _, text := range texts(sample(t, s, request(n))) {
			if strings.HasSuffix(text, "</think>\n"+right) {
				solved++
			} else if strings.Contains(text, right) {
				t.Fatalf("a wrong reply contains the solution: %q", text)
			}
		}
		want := accuracy * n
		if off := math.Abs(float64(solved) - want); off > 4*math.Sqrt(want*(1-accuracy))+0.5 {
			t.Errorf("accuracy %v: %d of %d right", accuracy, solved, n)
		}
	}
}

func TestSolverIsWrongInSeveralWays(t *testing.T) {
	t.Parallel()
	for _, solution := range []string{"", "7", "a", "two words", "[[1, 2], [3, 4]]", "日本"} {
		s := &script.Solver{Answer: func(quintain.Request) (string, error) { return solution, nil }}
		seen := map[string]int{}
		for _, text := range texts(sample(t, s, request(200))) {
			seen[kind(text)]++
			if strings.HasSuffix(text, "\n<answer>"+solution+"</answer>") {
				t.Errorf("solution %q: wrong reply %q is right", solution, text)
			}
		}
		for _, want := range []string{"damaged", "unknown", "untagged", "two answers"} {
			if seen[want] < 20 {
				t.Errorf("solution %q: %d of 200 replies are %s, want about 50", solution, seen[want], want)
			}
		}
	}
}

func kind(text string) string {
	switch strings.Count(text, "<answer>") {
	case 0:
		return "untagged"
	case 2:
		return "two answers"
	}
	if strings.Contains(text, "I do not know") {
		return "unknown"
	}
	return "damaged"
}

func TestSolverDependsOnSeedKeyAndTurnAlone(t *testing.T) {
	t.Parallel()
	base := strings.Join(texts(sample(t, solver(), request(8))), "|")
	for _, test := range []struct {
		why    string
		change func(*script.Solver, *quintain.Request)
		same   bool
	}{
		{"nothing changed", func(*script.Solver, *quintain.Request) {}, true},
		{"the content of messages", func(_ *script.Solver, r *quintain.Request) { r.Messages[0].Content = "other" }, true},
		{"the seed", func(s *script.Solver, _ *quintain.Request) { s.Seed++ }, false},
		{"the key", func(_ *script.Solver, r *quintain.Request) { r.Key = "p2" }, false},
		{"the turn", func(_ *script.Solver, r *quintain.Request) { r.Messages = append(r.Messages, r.Messages[0]) }, false},
	} {
		s, r := solver(), request(8)
		test.change(s, &r)
		if got := strings.Join(texts(sample(t, s, r)), "|"); (got == base) != test.same {
			t.Errorf("%s: %q, without the change %q", test.why, got, base)
		}
	}
}

func TestSolverPassesErrorsOn(t *testing.T) {
	t.Parallel()
	fault := errors.New("no such problem")
	s := &script.Solver{Answer: func(quintain.Request) (string, error) { return "", fault }}
	if samples, err := s.Sample(t.Context(), request(2)); !errors.Is(err, fault) || len(samples) != 0 {
		t.Errorf("%d samples and %v, want the error of Answer", len(samples), err)
	}
}

// TestVersionsChangeWithinAReply makes new weights arrive after 250 ms and 600 ms of a
// reply of one second.
func TestVersionsChangeWithinAReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := solver()
		s.Delay, s.Pieces = time.Second, 10
		s.Version = func() int32 {
			switch passed := time.Since(start); {
			case passed < 250*time.Millisecond:
				return 4
			case passed < 600*time.Millisecond:
				return 5
			default:
				return 3 // as after a restart of the counter: the version must not fall
			}
		}
		got := sample(t, s, request(2))
		if passed := time.Since(start); passed != time.Second {
			t.Errorf("took %v, want a second", passed)
		}
		for _, one := range got {
			n := len(one.Wrote)
			if first, last := one.Versions[0], one.Versions[n-1]; first != 4 || last != 5 {
				t.Errorf("versions from %d to %d, want 4 to 5", first, last)
			}
			if at := slices.Index(one.Versions, 5); at != n*3/10 {
				t.Errorf("version changes at token %d of %d, want %d", at, n, n*3/10)
			}
		}
	})
}

func TestCancelledSolverReturnsItsTokensSoFar(t *testing.T) {
	cause := errors.New("weights are here")
	for _, test := range []struct {
		why   string
		after time.Duration
		parts int // quarters written by then
	}{
		{"before the first part is done", 249 * time.Millisecond, 0},
		{"after a quarter", 251 * time.Millisecond, 1},
		{"shortly before its end", 999 * time.Millisecond, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			start := time.Now()
			time.AfterFunc(test.after, func() { cancel(cause) })
			s := solver()
			whole := sample(t, s, request(3))
			s.Delay = time.Second
			got, err := s.Sample(ctx, request(3))
			if passed := time.Since(start); err != cause || passed != test.after {
				t.Errorf("%s: error %v after %v, want the cause after %v", test.why, err, passed, test.after)
			}
			if err := policytest.CheckCut(request(3), got); err != nil || len(got) != 3 {
				t.Fatalf("%s: %d samples, %v", test.why, len(got), err)
			}
			for k := range got {
				want := whole[k].Wrote[:len(whole[k].Wrote)*test.parts/4]
				if !slices.Equal(got[k].Wrote, want) {
					t.Errorf("%s: sample %d has %d tokens, want the first %d of the whole", test.why, k, len(got[k].Wrote), len(want))
				}
			}
		})
	}
}

// TestManyRequestsWaitCheaply keeps ten thousand requests in flight.
func TestManyRequestsWaitCheaply(t *testing.T) {
	const many, most = 10_000, 8 << 10
	synctest.Test(t, func(t *testing.T) {
		s := solver()
		s.Delay = time.Second
		before := inUse()
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() {
				r := request(1)
				r.Key = fmt.Sprint(i)
				if _, err := s.Sample(t.Context(), r); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		each := (inUse() - before) / many
		t.Logf("%d bytes for each waiting request", each)
		if each > most && !raced {
			t.Errorf("%d bytes for each waiting request, want %d at most", each, most)
		}
		all.Wait()
	})
}

// inUse returns the memory of heap and stacks, in bytes.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func BenchmarkSolver(b *testing.B) {
	s := solver()
	for b.Loop() {
		if _, err := s.Sample(b.Context(), request(8)); err != nil {
			b.Fatal(err)
		}
	}
}

// The solver makes the calls of its plan one after another, and then answers. Without tools it answers at once.
func TestTheSolverFollowsItsPlan(t *testing.T) {
	t.Parallel()
	plan := []quintain.ToolCall{{Name: "look", Arguments: `{"at": "a"}`}, {Name: "look", Arguments: `{"at": "b"}`}}
	solver := &script.Solver{
		Accuracy: 1, Answer: func(quintain.Request) (string, error) { return "42", nil },
		Plan: func(quintain.Request) ([]quintain.ToolCall, error) { return plan, nil },
	}
	r := quintain.Request{Key: "a.v1/t.v1.s1.l0.0", N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "?"}}, Tools: json.RawMessage(`[]`)}
	for turn := range 3 {
		samples, err := solver.Sample(t.Context(), r)
		if err == nil {
			err = policytest.Check(r, samples)
		}
		if err != nil {
			t.Fatal(err)
		}
		one := samples[0]
		if turn < 2 && (len(one.ToolCalls) != 1 || one.ToolCalls[0].Arguments != plan[turn].Arguments || one.ToolCalls[0].ID != fmt.Sprintf("call0000%d", turn+1)) || turn == 2 && !strings.HasSuffix(one.Text, "<answer>42</answer>") {
			t.Errorf("turn %d: %+v", turn, one)
		}
		r.Context, r.Wrote = slices.Concat(r.Context, one.Read, one.Wrote), len(one.Wrote)
		r.Messages = append(r.Messages, quintain.Message{Role: quintain.RoleAssistant, Content: one.Text, ToolCalls: one.ToolCalls})
		r.Fresh = len(r.Messages)
		r.Messages = append(r.Messages, quintain.Message{Role: quintain.RoleTool, Content: "7"})
	}
	if samples, err := solver.Sample(t.Context(), quintain.Request{Key: r.Key, N: 1, Messages: r.Messages[:1]}); err != nil || samples[0].ToolCalls != nil {
		t.Errorf("without tools: %+v, %v", samples, err)
	}
}
