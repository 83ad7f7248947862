package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/traceparent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An echo is an episode that rewards a reply by its length, and ends after the reply "end".
type echo struct {
	index  int
	failAt int // turn at which Step fails; 0: never
	panics bool
	turn   int
	closed atomic.Bool
}

func (e *echo) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: fmt.Sprint("problem ", e.index)}}, nil
}

func (e *echo) Step(_ context.Context, reply quintain.Reply) (quintain.Step, error) {
	e.turn++
	switch {
	case e.panics:
		panic("out of cheese")
	case e.turn == e.failAt:
		return quintain.Step{Why: "it rocked", Reward: 1, Record: json.RawMessage(`{"legs":3}`)}, errors.New("the board fell off the table")
	case reply.Text == "end":
		return quintain.Step{Reward: 3, End: quintain.Terminated}, nil
	case reply.Text == "mumble":
		return quintain.Step{Malformed: true, End: quintain.Terminated}, nil
	}
	return quintain.Step{Reward: 1, Observe: []quintain.Message{{Role: quintain.RoleUser, Content: "go on"}}}, nil
}

func (e *echo) Close() error {
	if e.closed.Swap(true) {
		return errors.New("closed twice")
	}
	return nil
}

// A sampler is a policy made of a function.
type sampler func(ctx context.Context, r quintain.Request) ([]quintain.Sample, error)

func (s sampler) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	return s(ctx, r)
}

// says returns n samples with the given text.
func says(text string, n int) []quintain.Sample {
	var all []quintain.Sample
	for range n {
		s := quintain.Sample{Text: text, Finish: quintain.Stop, Vocabulary: quintain.UTF8, Read: []quintain.Token{1, 2}}
		for _, c := range []byte(text) {
			s.Wrote = append(s.Wrote, quintain.Token(c))
			s.LogProbs, s.Versions = append(s.LogProbs, -0.5), append(s.Versions, 7)
		}
		all = append(all, s)
	}
	return all
}

// A sink collects results.
type sink struct {
	mu      sync.Mutex
	results []Result
}

func (s *sink) done(_ context.Context, r Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, r)
	return nil
}

// made is a scenario whose episodes come from a function.
type made struct {
	numbered
	env func() quintain.Env
}

func (m made) Env(quintain.Problem) (quintain.Env, error) { return m.env(), nil }

// jobs returns a Next that yields n jobs of a scenario.
func jobs(s quintain.Scenario, n int) func(context.Context) (Job, error) {
	next := 0
	return func(ctx context.Context) (Job, error) {
		if ctx.Err() != nil {
			return Job{}, context.Cause(ctx)
		}
		if next == n {
			return Job{}, io.EOF
		}
		p, err := s.Problem(quintain.Draw{Index: next})
		next++
		return Job{Scenario: s, Problem: p}, err
	}
}

// A group's first replies come from one request. Each episode then continues on its
// own, with its exact tokens so far.
func TestEngineContinuesEpisodesWithTheirTokens(t *testing.T) {
	var out sink
	var requests sync.Map
	e := &Engine{
		Size: 3, Parallel: 2, Next: jobs(numbered{name: "a"}, 2), Done: out.done,
		Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
			requests.Store(fmt.Sprintf("%s %d", r.Key, len(r.Messages)), r)
			if len(r.Messages) == 5 {
				return says("end", r.N), nil
			}
			return says("more", r.N), nil
		}),
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(out.results) != 2 {
		t.Fatalf("%d results, want 2", len(out.results))
	}
	for _, result := range out.results {
		for i, tr := range result.Trajectories {
			if tr.Outcome != quintain.Scored || len(tr.Turns) != 3 || tr.Reward() != 5 || tr.End != quintain.Terminated {
				t.Errorf("trajectory %d: %+v", i, tr)
			}
			if talk := tr.Messages(); len(talk) != 6 || talk[3].Content != "more" || talk[4].Content != "go on" {
				t.Errorf("conversation %+v", talk)
			}
		}
	}
	first, _ := requests.Load("a.v0.s0.l0.0 1")
	if r, ok := first.(quintain.Request); !ok || r.N != 3 || len(r.Context) != 0 || r.Fresh != 0 {
		t.Errorf("first request %+v, want one for all three", first)
	}
	third, _ := requests.Load("a.v0.s0.l0.0#2 5")
	if r, ok := third.(quintain.Request); !ok || r.N != 1 || len(r.Context) != 12 || r.Fresh != 4 || r.Wrote != 4 {
		t.Errorf("third request %+v, want the 12 tokens of two turns, the last 4 of them the reply, and message 4 as the first fresh one", third)
	}
}

func TestOutcomesNameTheFailure(t *testing.T) {
	for _, test := range []struct {
		why    string
		env    func() quintain.Env
		sample func(quintain.Request) ([]quintain.Sample, error)
		want   quintain.Outcome
		tells  string
	}{
		{"a reply that is judged", nil, func(r quintain.Request) ([]quintain.Sample, error) { return says("end", r.N), nil }, quintain.Scored, ""},
		{"a reply without an answer", nil, func(r quintain.Request) ([]quintain.Sample, error) { return says("mumble", r.N), nil }, quintain.ModelFailed, ""},
		{"a reply that was cut", nil, func(r quintain.Request) ([]quintain.Sample, error) {
			s := says("end", r.N)
			for i := range s {
				s[i].Finish = quintain.Length
			}
			return s, nil
		}, quintain.ModelFailed, ""},
		{"a policy that fails", nil, func(quintain.Request) ([]quintain.Sample, error) { return nil, errors.New("no server") }, quintain.InfraFailed, "no server"},
		{"a policy that returns too few samples", nil, func(quintain.Request) ([]quintain.Sample, error) { return nil, nil }, quintain.InfraFailed, "too few"},
		{"a positive log-probability", nil, func(r quintain.Request) ([]quintain.Sample, error) {
			s := says("end", r.N)
			for i := range s {
				s[i].LogProbs[1] = 0.5
			}
			return s, nil
		}, quintain.InfraFailed, "log-probability"},
		{"lengths that do not match", nil, func(r quintain.Request) ([]quintain.Sample, error) {
			s := says("end", r.N)
			for i := range s {
				s[i].Versions = s[i].Versions[1:]
			}
			return s, nil
		}, quintain.InfraFailed, "versions"},
		{"an environment that fails", func() quintain.Env { return &echo{failAt: 1} },
			func(r quintain.Request) ([]quintain.Sample, error) { return says("end", r.N), nil }, quintain.EnvFailed, "fell off"},
		{"an environment that panics", func() quintain.Env { return &echo{panics: true} },
			func(r quintain.Request) ([]quintain.Sample, error) { return says("end", r.N), nil }, quintain.EnvFailed, "out of cheese"},
	} {
		t.Run(test.why, func(t *testing.T) {
			if test.env == nil {
				test.env = func() quintain.Env { return &echo{} }
			}
			var out sink
			e := &Engine{
				Size: 2, Parallel: 1, Next: jobs(made{numbered{name: "a"}, test.env}, 1), Done: out.done,
				Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) { return test.sample(r) }),
			}
			if err := e.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, tr := range out.results[0].Trajectories {
				if tr.Outcome != test.want || !strings.Contains(tr.Error, test.tells) || tr.Outcome.Rewarded() != (tr.Error == "") {
					t.Errorf("outcome %s, error %q; want %s, %q", tr.Outcome, tr.Error, test.want, test.tells)
				}
				if last := tr.Turns; test.tells == "fell off" && (last[0].Why != "it rocked" || string(last[0].Record) != `{"legs":3}` || tr.Reward() != 0) {
					t.Errorf("the turn is %+v, want why and record of a step that failed, and no reward", last)
				}
			}
		})
	}
}

// If a policy's server rewrites the conversation, the sample says so, and the next turn
// continues from the rewritten tokens.
func TestForkReplacesTheTokens(t *testing.T) {
	var contexts []string
	var out sink
	policy := sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
		contexts = append(contexts, fmt.Sprint(r.Context))
		all := says([]string{"a", "b", "end"}[len(contexts)-1], r.N)
		if len(contexts) == 2 {
			all[0].Fork, all[0].Read = true, []quintain.Token{7, 8, 9}
		}
		return all, nil
	})
	e := &Engine{Size: 1, Parallel: 1, Next: jobs(made{numbered{name: "a"}, func() quintain.Env { return &echo{} }}, 1), Done: out.done, Policy: policy}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(contexts, " "), "[] [1 2 97] [7 8 9 98]"; got != want {
		t.Errorf("the policy is asked to continue %s, want %s", got, want)
	}
	turns := out.results[0].Trajectories[0].Turns
	if turns[0].Fork || !turns[1].Fork || turns[2].Fork {
		t.Errorf("turns %+v", turns)
	}
	if tr := out.results[0].Trajectories[0]; tr.Started.IsZero() || tr.Took <= 0 {
		t.Errorf("started %v, took %v", tr.Started, tr.Took)
	}
}

// waiter answers after d, or when its context ends.
func waiter(d time.Duration) sampler {
	return func(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
		select {
		case <-time.After(d):
			return says("end", r.N), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// The run is stopped after 30 s and has a minute of grace: episodes of 40 s and 80 s end,
// and one of 120 s is cancelled.
func TestRunCancelsEpisodesAfterGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		e := &Engine{
			Size: 1, Parallel: 3, Grace: time.Minute, Next: jobs(numbered{name: "a"}, 3), Done: out.done,
			Policy: sampler(func(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
				var index time.Duration
				fmt.Sscanf(r.Messages[0].Content, "problem %d", &index)
				return waiter((index+1)*40*time.Second)(ctx, r)
			}),
		}
		inner := e.Next
		e.Next = func(ctx context.Context) (Job, error) { // never returns io.EOF
			if j, err := inner(ctx); !errors.Is(err, io.EOF) {
				return j, err
			}
			<-ctx.Done()
			return Job{}, context.Cause(ctx)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		start := time.Now()
		if err := e.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), 90*time.Second; got != want {
			t.Errorf("Run took %v, want %v", got, want)
		}
		got := map[string]int{}
		for _, r := range out.results {
			got[string(r.Trajectories[0].Outcome)+" "+r.Trajectories[0].Error]++
		}
		if got["scored "] != 2 || got["cancelled "+ErrGrace.Error()] != 1 {
			t.Errorf("outcomes %v", got)
		}
	})
}

// When no job is left, the groups in progress may take their time.
func TestRunWaitsForTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		e := &Engine{Size: 2, Parallel: 4, Policy: waiter(time.Hour), Next: jobs(numbered{name: "a"}, 3), Done: out.done}
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.results {
			if got := r.Trajectories[0].Outcome; got != quintain.Scored {
				t.Errorf("outcome %s", got)
			}
		}
	})
}

func TestCutEndsTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		cut := make(chan struct{})
		e := &Engine{
			Size: 2, Parallel: 1, Grace: time.Hour, Cut: cut, Policy: waiter(24 * time.Hour),
			Next: jobs(numbered{name: "a"}, 1), Done: out.done,
		}
		time.AfterFunc(5*time.Second, func() { close(cut) })
		start := time.Now()
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got != 5*time.Second || out.results[0].Trajectories[1].Error != ErrCut.Error() {
			t.Errorf("cut after %v, %+v", got, out.results[0].Trajectories[1])
		}
	})
}

func TestRunEndsWithTheFaultOfItsSink(t *testing.T) {
	full := errors.New("no space left on device")
	e := &Engine{
		Size: 1, Parallel: 4, Policy: waiter(0), Next: jobs(numbered{name: "a"}, 1000),
		Done: func(context.Context, Result) error { return full },
	}
	if err := e.Run(t.Context()); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

// A policy may end the run with its error. Episodes in progress may finish; its own is
// cancelled, so that the problem is played another time.
func TestRunEndsWithTheWordOfThePolicy(t *testing.T) {
	enough := fmt.Errorf("the template forks: %w", quintain.ErrStop)
	synctest.Test(t, func(t *testing.T) {
		var out sink
		e := &Engine{
			Size: 2, Parallel: 4, Grace: time.Minute, Replays: 2, Next: jobs(numbered{name: "a"}, 1000), Done: out.done,
			Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
				if strings.HasPrefix(r.Key, "a.v0.s0.l0.5") {
					return nil, enough
				}
				time.Sleep(time.Second)
				return says("end", r.N), nil
			}),
		}
		if err := e.Run(t.Context()); !errors.Is(err, enough) {
			t.Errorf("error %v, want %v", err, enough)
		}
		outcomes := map[quintain.Outcome]int{}
		for _, r := range out.results {
			for _, played := range r.Trajectories {
				outcomes[played.Outcome]++
				if played.Outcome == quintain.Cancelled && (played.Error != enough.Error() || played.Replays > 0 || r.Again) {
					t.Errorf("%+v", played)
				}
			}
		}
		if len(out.results) > 8 || outcomes[quintain.Cancelled] != 2 || outcomes[quintain.Scored] != 2*(len(out.results)-1) {
			t.Errorf("%d results, outcomes %v; want one group cancelled, and those in progress scored", len(out.results), outcomes)
		}
	})
}

// Every job reaches Done once, whenever the run is stopped.
func TestNothingIsLostWhenStopped(t *testing.T) {
	for after := range 20 {
		synctest.Test(t, func(t *testing.T) {
			var out sink
			next := jobs(numbered{name: "a"}, 1_000_000)
			started := 0
			e := &Engine{
				Size: 2, Parallel: 5, Grace: 3 * time.Millisecond, Policy: waiter(5 * time.Millisecond), Done: out.done,
				Next: func(ctx context.Context) (Job, error) {
					j, err := next(ctx)
					if err == nil {
						started++
					}
					return j, err
				},
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(after)*time.Millisecond)
			defer cancel()
			if err := e.Run(ctx); err != nil {
				t.Fatal(err)
			}
			if len(out.results) != started {
				t.Errorf("stopped after %d ms: %d jobs started, %d done", after, started, len(out.results))
			}
		})
	}
}

// errSlow is a policy's error that forbids playing the episode again.
var errSlow = fmt.Errorf("no answer in an hour: %w", quintain.ErrFinal)

// errLate is a policy's error after a reply took too long.
var errLate = fmt.Errorf("no reply within a minute: %w", quintain.ErrTimeout)

// TestFailedEpisodesArePlayedAgain makes episodes of a group of three fail in several ways.
// An episode has two turns.
func TestFailedEpisodesArePlayedAgain(t *testing.T) {
	down := errors.New("the server is down")
	for _, test := range []struct {
		why     string
		fail    func(episode string) error
		want    string // outcome and replays of each episode
		again   bool
		samples int // requested
	}{
		{"nothing fails", func(string) error { return nil }, "scored 0, scored 0, scored 0", false, 6},
		{"the first request, which is for all", fails(down, ""), "scored 1, scored 1, scored 1", false, 9},
		{"a later turn of one: the others are not played again", fails(down, "#1"), "scored 0, scored 1, scored 0", false, 8},
		{"and once more", fails(down, "#1", "#1~1"), "scored 0, scored 2, scored 0", false, 10},
		{"each time", fails(down, "#1", "#1~1", "#1~2"), "scored 0, infra_failed 2, scored 0", true, 10},
		{"it took too long: others would be shorter", fails(errSlow, "#1"), "scored 0, infra_failed 0, scored 0", false, 6},
		{"it ran into its time limit: others would be shorter", fails(errLate, "#1"), "scored 0, timed_out 0, scored 0", false, 6},
		{"one ran into it, and one is down", func(episode string) error {
			return errors.Join(fails(errLate, "#0")(episode), fails(down, "#1", "#1~1", "#1~2")(episode))
		}, "timed_out 0, infra_failed 2, scored 0", false, 10},
		{"one too long, and one is down", func(episode string) error {
			return errors.Join(fails(errSlow, "#0")(episode), fails(down, "#1", "#1~1", "#1~2")(episode))
		}, "infra_failed 0, infra_failed 2, scored 0", false, 10},
	} {
		var out sink
		var samples atomic.Int64
		id := problem(t, numbered{}, 0).ID()
		e := Engine{
			Size: 3, Parallel: 1, Replays: 2, Done: out.done,
			Next: jobs(made{env: func() quintain.Env { return new(echo) }}, 1),
			Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
				samples.Add(int64(r.N))
				if err := test.fail(strings.TrimPrefix(r.Key, id)); err != nil {
					return nil, err
				}
				if len(r.Context) > 0 {
					return says("end", r.N), nil
				}
				return says("begin", r.N), nil
			}),
		}
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, p := range out.results[0].Trajectories {
			got = append(got, fmt.Sprint(p.Outcome, " ", p.Replays))
			if want := fmt.Sprintf("#%d", i); !strings.HasSuffix(p.ID, want) || p.Outcome == quintain.Scored && len(p.Turns) != 2 {
				t.Errorf("%s: episode %s has %d turns", test.why, p.ID, len(p.Turns))
			}
		}
		if text := strings.Join(got, ", "); text != test.want || out.results[0].Again != test.again || int(samples.Load()) != test.samples {
			t.Errorf("%s: %s, again %t, %d samples; want %s, %t, %d", test.why, text, out.results[0].Again, samples.Load(), test.want, test.again, test.samples)
		}
	}
}

// TestEpisodesHaveATimeLimit plays two episodes of three turns; the replies of the second
// take longer.
func TestEpisodesHaveATimeLimit(t *testing.T) {
	var out sink
	var mu sync.Mutex
	within := map[string][]time.Duration{}
	id := problem(t, numbered{}, 0).ID()
	turns := map[string]int{}
	e := Engine{
		Size: 2, Parallel: 1, Replays: 2, Limit: time.Minute, Done: out.done,
		Next: jobs(made{env: func() quintain.Env { return new(echo) }}, 1),
		Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
			mu.Lock()
			defer mu.Unlock()
			key := strings.TrimPrefix(r.Key, id)
			within[key] = append(within[key], r.Within)
			text := "begin"
			if turns[key]++; turns[key] == 2 {
				text = "end"
			}
			samples := says(text, r.N)
			for k := range samples {
				samples[k].Took = time.Duration(1+59*k) * time.Second
			}
			return samples, nil
		}),
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	result := out.results[0]
	if a, b := result.Trajectories[0], result.Trajectories[1]; a.Outcome != quintain.Scored || b.Outcome != quintain.TimedOut || len(b.Turns) != 1 || result.Again {
		t.Errorf("outcomes %s and %s (%s), again %t", a.Outcome, b.Outcome, b.Error, result.Again)
	}
	want := map[string][]time.Duration{"": {time.Minute}, "#0": {59 * time.Second, 58 * time.Second}}
	if !reflect.DeepEqual(within, want) {
		t.Errorf("time limits %v, want %v", within, want)
	}
	if drop := failed(result.Trajectories); drop != DropTimedOut {
		t.Errorf("the group is dropped as %q", drop)
	}
}

// problem returns a problem of a scenario.
func problem(t *testing.T, s quintain.Scenario, index int) quintain.Problem {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Index: index})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fails fails requests for the given episodes: "" is the whole group.
func fails(with error, episodes ...string) func(string) error {
	return func(episode string) error {
		if slices.Contains(episodes, episode) {
			return with
		}
		return nil
	}
}

// TestNothingIsPlayedAgainOnceStopped stops the engine while a request fails: the
// unfinished episode is cancelled.
func TestNothingIsPlayedAgainOnceStopped(t *testing.T) {
	for _, test := range []struct {
		why  string
		err  error
		told bool // the engine is stopped meanwhile
		want quintain.Outcome
	}{
		{"it would be played again", errors.New("the server is down"), true, quintain.Cancelled},
		{"it would not", errSlow, true, quintain.InfraFailed},
		{"the policy hears of it first", fmt.Errorf("it waited: %w", quintain.ErrCancelled), false, quintain.Cancelled},
	} {
		var out sink
		ctx, stop := context.WithCancel(t.Context())
		asked := 0
		e := Engine{
			Size: 1, Parallel: 1, Replays: 2, Grace: time.Hour, Done: out.done,
			Next: jobs(made{env: func() quintain.Env { return new(echo) }}, 1),
			Policy: sampler(func(context.Context, quintain.Request) ([]quintain.Sample, error) {
				asked++
				if test.told {
					stop()
				}
				return nil, test.err
			}),
		}
		if err := e.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if got := out.results[0].Trajectories[0].Outcome; got != test.want || asked != 1 {
			t.Errorf("%s: %s after %d requests, want %s after one", test.why, got, asked, test.want)
		}
	}
}

// A turn knows when its reply was asked for, came, and was judged; the policy's requests belong to
// the span of the group.
func TestTurnsKnowTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		asked := 0
		span := traceparent.Sampler(1).Of("run", "problem")
		next := jobs(made{env: func() quintain.Env { return &echo{failAt: 3} }}, 1)
		e := Engine{Size: 1, Parallel: 1, Done: out.done, Policy: sampler(func(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
			if got := traceparent.From(ctx); got != span {
				t.Errorf("a request belongs to %v, want %v", got, span)
			}
			asked++
			pause.For(ctx, time.Duration(asked)*time.Second)
			return says("more", r.N), nil
		})}
		e.Next = func(ctx context.Context) (Job, error) {
			job, err := next(ctx)
			job.Span = span
			return job, err
		}
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		turns := out.results[0].Trajectories[0].Turns
		for k, want := range []quintain.Times{{Replied: time.Second, Judged: time.Second}, {Asked: time.Second, Replied: 3 * time.Second, Judged: 3 * time.Second}, {Asked: 3 * time.Second, Replied: 6 * time.Second}} {
			if turns[k].Times != want {
				t.Errorf("turn %d: %+v, want %+v", k, turns[k].Times, want)
			}
		}
	})
}

// Nobody who traces nothing pays for it.
func TestAJobWithoutASpanCostsNothing(t *testing.T) {
	job := Job{Problem: quintain.Problem{Task: "t"}}
	if n := testing.AllocsPerRun(100, func() { job = job.Traced(0, "run") }); n != 0 || job.Span.Valid() {
		t.Errorf("%v allocations, span %v", n, job.Span)
	}
	lease := &Lease{Number: 7}
	if n := testing.AllocsPerRun(100, func() { _ = lease.Span(job.Span).String() }); n != 0 {
		t.Errorf("%v allocations of a lease", n)
	}
	if job = job.Traced(1, "run"); job.Span != traceparent.Sampler(1).Of("run", job.Problem.ID()) {
		t.Errorf("the span is %v", job.Span)
	}
}
