package tiny_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sizes returns the sizes of a small model.
func sizes(context int) transformer.Config {
	return transformer.Config{Vocab: tiny.Size, Context: context, Layers: 2, Width: 32, Heads: 2, Hidden: 32}
}

// newModel returns a model with random parameters and predictions that depend on its
// whole context. The larger stop is, the sooner it ends its replies: at 0 after about 265
// tokens.
func newModel(t testing.TB, c transformer.Config, seed uint64, stop float32) *transformer.Model {
	t.Helper()
	m, err := transformer.New(c, seed)
	if err != nil {
		t.Fatal(err)
	}
	chance := rng.New(seed, "test model")
	for _, tensor := range m.Tensors() {
		for i := range tensor.Data {
			tensor.Data[i] = float32(chance.Float()-0.5) * 0.6
		}
	}
	for i, tensor := range m.Tensors() { // column 0 of the stream is always 1
		for row := range tensor.Rows {
			if i < 2 { // embed and head
				tensor.Data[row*c.Width] = 1
			} else if tensor.Cols == c.Width { // out and down
				tensor.Data[row*c.Width] = 0
			}
		}
	}
	m.Tensors()[1].Data[int(tiny.End)*c.Width] = 1 + stop
	return m
}

// start returns a policy that runs until the test ends.
func start(t testing.TB, m *transformer.Model, o tiny.Options) *tiny.Policy {
	t.Helper()
	p, err := tiny.New(m, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	return p
}

// ask returns a request for n samples on the first turn of an episode.
func ask(key string, n int) quintain.Request {
	return quintain.Request{
		Key: key, N: n, Sampling: quintain.Sampling{Temperature: 1},
		Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "How much is " + key + "?"}},
	}
}

// follow returns the request for the next turn, after s answered r.
func follow(r quintain.Request, s quintain.Sample) quintain.Request {
	r.Messages = append(slices.Clip(r.Messages),
		quintain.Message{Role: quintain.RoleAssistant, Content: s.Text}, quintain.Message{Role: quintain.RoleTool, Content: "again"})
	r.Context = append(append(slices.Clip(r.Context), s.Read...), s.Wrote...)
	r.Fresh, r.N = len(r.Messages)-1, 1
	return r
}

// sample returns the samples of r after checking all promises. It is safe for concurrent
// use.
func sample(t testing.TB, p quintain.Policy, r quintain.Request) []quintain.Sample {
	t.Helper()
	samples, err := p.Sample(t.Context(), r)
	if err != nil {
		t.Error(err)
		return make([]quintain.Sample, r.N)
	}
	if err := policytest.Check(r, samples); err != nil {
		t.Error(err)
		return make([]quintain.Sample, r.N)
	}
	return samples
}

func TestTinyKeepsThePromisesOfPolicies(t *testing.T) {
	t.Parallel()
	c := transformer.Config{Vocab: tiny.Size, Context: 2000, Layers: 1, Width: 16, Heads: 1, Hidden: 16}
	m := newModel(t, c, 1, 0.6)
	policytest.Suite{New: func(t *testing.T) quintain.Policy { return start(t, m, tiny.Options{Seed: 3}) }, Deterministic: true}.Run(t)
}

// checkLogProbs compares the samples of r with training forward passes, by the model of
// each version.
func checkLogProbs(t *testing.T, r quintain.Request, samples []quintain.Sample, models ...*transformer.Model) {
	t.Helper()
	for k, s := range samples {
		var all []int32
		for _, list := range [][]quintain.Token{r.Context, s.Read, s.Wrote} {
			for _, token := range list {
				all = append(all, int32(token))
			}
		}
		before := len(all) - len(s.Wrote)
		scores := make([][]float32, len(models))
		for v, m := range models {
			got, err := transformer.NewPass(m).Forward([][]int32{all}, nil)
			if err != nil {
				t.Error(err)
				return
			}
			scores[v] = got.LogProbs[0][before:]
		}
		for i, p := range s.LogProbs {
			want := scores[int(s.Versions[i])%len(models)][i]
			if off := math.Abs(float64(p - want)); !(off <= 1e-4) {
				t.Errorf("sample %d, token %d of version %d: log-probability %v, but %v in training", k, i, s.Versions[i], p, want)
				return
			}
		}
	}
}

func TestLogProbsAreThoseOfTraining(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why string
		how quintain.Sampling
	}{
		{"the model's own distribution", quintain.Sampling{Temperature: 1, MaxTokens: 40}},
		{"at a low temperature", quintain.Sampling{Temperature: 0.3, MaxTokens: 40}},
		{"only the likeliest tokens", quintain.Sampling{Temperature: 1, TopP: 0.5, TopK: 20, MaxTokens: 40}},
		{"greedy", quintain.Sampling{MaxTokens: 40}},
	} {
		m := newModel(t, sizes(256), 2, 1.5)
		p := start(t, m, tiny.Options{Seed: 4})
		r := ask(test.why, 3)
		r.Sampling = test.how
		first := sample(t, p, r)
		checkLogProbs(t, r, first, m)
		for _, s := range first {
			next := follow(r, s)
			for range 2 {
				reply := sample(t, p, next)
				checkLogProbs(t, next, reply, m)
				next = follow(next, reply[0])
			}
		}
	}
}

// TestWeightsMayArriveAtAnyTime sets weights as fast as possible while many goroutines
// sample, until some samples have tokens of several versions.
func TestWeightsMayArriveAtAnyTime(t *testing.T) {
	t.Parallel()
	c := sizes(100)
	models := []*transformer.Model{newModel(t, c, 0, -2), newModel(t, c, 1, -2), newModel(t, c, 2, -2)}
	p := start(t, models[0], tiny.Options{MaxSequences: 12})
	var sampling, setting sync.WaitGroup
	var over atomic.Bool
	setting.Go(func() {
		for v := int32(1); !over.Load(); v++ {
			if err := p.SetWeights(models[int(v)%len(models)], v); err != nil {
				t.Error(err)
			}
		}
	})
	var mixed atomic.Int32
	for i := range 6 {
		sampling.Go(func() {
			for first := true; first || mixed.Load() == 0; first = false {
				r := ask(fmt.Sprint(i), 4)
				r.Sampling.MaxTokens = 20
				samples := sample(t, p, r)
				checkLogProbs(t, r, samples, models...)
				for _, s := range samples {
					if n := len(s.Versions); n == 0 || s.Versions[0] != s.Versions[n-1] {
						mixed.Add(1)
					}
				}
			}
		})
	}
	sampling.Wait()
	over.Store(true)
	setting.Wait()
}

// TestOtherRequestsMakeNoDifference samples requests alone, and beside others that come
// and go.
func TestOtherRequestsMakeNoDifference(t *testing.T) {
	t.Parallel()
	m := newModel(t, sizes(128), 5, 1)
	for _, temperature := range []float64{0, 1} {
		r := ask("one", 4)
		r.Sampling.Temperature, r.Sampling.MaxTokens = temperature, 25
		alone := sample(t, start(t, m, tiny.Options{Seed: 6}), r)
		if r.Sampling.Temperature == 0 && !reflect.DeepEqual(alone[0], alone[3]) {
			t.Errorf("greedy samples differ: %v and %v", alone[0], alone[3])
		}
		for _, slots := range []int{1, 3, 64} {
			p := start(t, m, tiny.Options{Seed: 6, MaxSequences: slots})
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() {
					other := ask(fmt.Sprint("other ", i), 1+i%5)
					other.Sampling.MaxTokens = 1 + 3*i
					if _, err := p.Sample(t.Context(), other); err != nil {
						t.Error(err)
					}
				})
			}
			if among := sample(t, p, r); !reflect.DeepEqual(among, alone) {
				t.Errorf("temperature %v, %d slots: %v among others, %v alone", temperature, slots, among, alone)
			}
			all.Wait()
		}
	}
}

// TestALaterTurnContinuesTheTurnBefore samples the turns of a conversation from one
// policy, which may reuse its slots, and each from a fresh policy.
func TestALaterTurnContinuesTheTurnBefore(t *testing.T) {
	t.Parallel()
	m := newModel(t, sizes(200), 16, 1.5)
	p := start(t, m, tiny.Options{MaxSequences: 4})
	r := ask("x", 2)
	r.Sampling.MaxTokens = 12
	for _, s := range sample(t, p, r) {
		next := follow(r, s)
		for range 4 {
			got := sample(t, p, next)
			if want := sample(t, start(t, m, tiny.Options{}), next); !reflect.DeepEqual(got, want) {
				t.Fatalf("turn of %d messages: %v, want %v", len(next.Messages), got, want)
			}
			checkLogProbs(t, next, got, m)
			if len(next.Messages) == 5 {
				if err := p.SetWeights(m, p.Version()); err != nil { // empties its slots
					t.Fatal(err)
				}
			}
			next = follow(next, got[0])
		}
	}
}

func TestSamplesDependOnSeedKeyAndIndex(t *testing.T) {
	t.Parallel()
	m := newModel(t, sizes(64), 7, 0)
	base := sample(t, start(t, m, tiny.Options{Seed: 8}), ask("a", 2))
	if reflect.DeepEqual(base[0].Wrote, base[1].Wrote) {
		t.Error("two samples of a request are the same")
	}
	other := ask("a", 2)
	other.Key = "b"
	if got := sample(t, start(t, m, tiny.Options{Seed: 8}), other); reflect.DeepEqual(got, base) {
		t.Error("another key gives the same samples")
	}
	if got := sample(t, start(t, m, tiny.Options{Seed: 9}), ask("a", 2)); reflect.DeepEqual(got, base) {
		t.Error("another seed gives the same samples")
	}
}

func TestRepliesEnd(t *testing.T) {
	t.Parallel()
	p := start(t, newModel(t, sizes(64), 9, -20), tiny.Options{}) // never ends a reply by itself
	prompt, err := tiny.Read(ask("x", 1))
	if err != nil {
		t.Fatal(err)
	}
	room := 64 - len(prompt)
	long := func(n int) string { return strings.Repeat("y", n+1) } // in place of "x", makes the prompt n tokens longer
	for _, test := range []struct {
		why  string
		key  string
		most int
		want int // tokens of each sample
	}{
		{"at MaxTokens", "x", 5, 5},
		{"when the context is full", "x", 0, room},
		{"MaxTokens beyond the context", "x", room + 1, room},
		{"room for one token", long(room - 1), 0, 1},
	} {
		r := ask(test.key, 3)
		r.Sampling.MaxTokens = test.most
		for k, s := range sample(t, p, r) {
			if len(s.Wrote) != test.want || s.Finish != quintain.Length || s.LogProbs == nil {
				t.Errorf("%s: sample %d has %d tokens and finish %q, want %d and %q", test.why, k, len(s.Wrote), s.Finish, test.want, quintain.Length)
			}
		}
	}
	for _, full := range []string{long(room), long(room + 50)} {
		if samples, err := p.Sample(t.Context(), ask(full, 3)); !errors.Is(err, quintain.ErrNoRoom) || len(samples) > 0 {
			t.Errorf("a prompt of %d tokens beyond the room: %d samples, error %v", len(full)-1-room, len(samples), err)
		}
	}
	ends := start(t, newModel(t, sizes(64), 9, 20), tiny.Options{})
	s := sample(t, ends, ask("x", 1))[0]
	if !slices.Equal(s.Wrote, []quintain.Token{tiny.End}) || s.Finish != quintain.Stop || s.Text != "" || s.Vocabulary != tiny.OwnName {
		t.Errorf("a reply that ends at once is %+v", s)
	}
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	t.Parallel()
	p := start(t, newModel(t, sizes(64), 10, 0), tiny.Options{})
	for _, test := range []struct {
		why   string
		spoil func(*quintain.Request)
		want  string
	}{
		{"an unknown role", func(r *quintain.Request) { r.Messages[0].Role = "judge" }, `role "judge"`},
		{"tokens of another vocabulary", func(r *quintain.Request) {
			*r = follow(*r, quintain.Sample{Read: []quintain.Token{tiny.User, 265}})
		}, "token 1 of the conversation is 265"},
		{"a schema", func(r *quintain.Request) { r.Schema = json.RawMessage(`{}`) }, quintain.ErrUnguided.Error()},
		{"an absurd temperature", func(r *quintain.Request) { r.Sampling.Temperature = 1e7 }, "temperature"},
	} {
		r := ask("x", 1)
		test.spoil(&r)
		if samples, err := p.Sample(t.Context(), r); err == nil || !strings.Contains(err.Error(), test.want) || samples != nil {
			t.Errorf("%s: %d samples and %v, want %q", test.why, len(samples), err, test.want)
		}
	}
}

// TestACancelledRequestReturnsWhatItHas cancels a request after tokens were sampled.
func TestACancelledRequestReturnsWhatItHas(t *testing.T) {
	t.Parallel()
	m := newModel(t, sizes(4000), 11, -20)
	cause := errors.New("the episode is cut")
	for _, test := range []struct {
		why   string
		slots int
		most  int // samples at most
	}{
		{"all samples are in progress", 16, 4},
		{"some samples wait", 3, 3},
	} {
		p := start(t, m, tiny.Options{MaxSequences: test.slots})
		ctx, cancel := context.WithCancelCause(t.Context())
		r := ask("x", 4)
		var all sync.WaitGroup
		all.Go(func() {
			got, err := p.Sample(ctx, r)
			if !errors.Is(err, cause) {
				t.Errorf("%s: error %v, want the cause", test.why, err)
			}
			if err := policytest.CheckCut(r, got); err != nil || len(got) != test.most {
				t.Errorf("%s: %d samples, %v, want %d", test.why, len(got), err, test.most)
			}
			for _, s := range got {
				if len(s.Wrote) == 0 || len(s.Wrote) == 4000-len(s.Read) {
					t.Errorf("%s: %d tokens, want some but not all", test.why, len(s.Wrote))
				}
			}
		})
		for p.Sampled() == 0 { // until the request is in progress
			runtime.Gosched()
		}
		cancel(cause)
		all.Wait()
	}
}

func TestARequestMayBeCancelledBeforeItBegins(t *testing.T) {
	t.Parallel()
	p, err := tiny.New(newModel(t, sizes(64), 12, 0), 0, tiny.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the episode is cut")
	ctx, cancel := context.WithCancelCause(t.Context())
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if got, err := p.Sample(ctx, ask("x", 2)); !errors.Is(err, cause) || len(got) > 0 {
				t.Errorf("%d samples and error %v, want the cause alone", len(got), err)
			}
		})
	}
	cancel(cause)
	all.Wait() // without Run
}

func TestRunAnswersAllWhenItEnds(t *testing.T) {
	t.Parallel()
	p, err := tiny.New(newModel(t, sizes(4000), 13, -20), 0, tiny.Options{MaxSequences: 3})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the run is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	var answered atomic.Int32
	var running, asking sync.WaitGroup
	for i := range 5 {
		asking.Go(func() {
			got, err := p.Sample(t.Context(), ask(fmt.Sprint(i), 4))
			if !errors.Is(err, tiny.ErrEnded) || !errors.Is(err, cause) || len(got) > 0 {
				t.Errorf("%d samples and error %v, want %v and %v", len(got), err, tiny.ErrEnded, cause)
			}
			answered.Add(1)
		})
	}
	running.Go(func() {
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for p.Sampled() == 0 {
		runtime.Gosched()
	}
	cancel(cause)
	running.Wait()
	asking.Wait()
	if _, err := p.Sample(t.Context(), ask("late", 1)); !errors.Is(err, tiny.ErrEnded) {
		t.Errorf("a late request has error %v, want %v", err, tiny.ErrEnded)
	}
	if err := p.Run(t.Context()); err == nil {
		t.Error("a second Run has no error")
	}
}

func TestSetWeightsRefuses(t *testing.T) {
	t.Parallel()
	m := newModel(t, sizes(64), 14, 0)
	p := start(t, m, tiny.Options{})
	before := sample(t, p, ask("x", 2))
	infinite, other := m.Clone(), newModel(t, sizes(65), 14, 0)
	infinite.Params()[7] = float32(math.Inf(1))
	if err := p.SetWeights(m, 5); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why     string
		m       *transformer.Model
		version int32
		want    string
	}{
		{"other sizes", other, 6, transformer.ErrSizes.Error()},
		{"an infinity", infinite, 6, transformer.ErrNotFinite.Error()},
		{"an earlier version", m, 4, "version 4 after those of 5"},
	} {
		if err := p.SetWeights(test.m, test.version); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
	after := sample(t, p, ask("x", 2))
	if after[0].Text != before[0].Text || after[0].Versions[0] != 5 || p.Version() != 5 {
		t.Errorf("after refused weights: %+v, before %+v", after[0], before[0])
	}
}

// TestInfiniteLogitsFailRequests sets finite parameters that give infinite logits:
// requests fail until the next weights arrive.
func TestInfiniteLogitsFailRequests(t *testing.T) {
	t.Parallel()
	m := newModel(t, sizes(64), 15, 0)
	p := start(t, m, tiny.Options{})
	huge := m.Clone()
	head := huge.Tensors()[1].Data
	for i := range head {
		head[i] = 3e38
	}
	if err := p.SetWeights(huge, 1); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Sample(t.Context(), ask("x", 3)); !errors.Is(err, transformer.ErrNotFinite) || len(got) > 0 {
		t.Errorf("%d samples and %v, want %v", len(got), err, transformer.ErrNotFinite)
	}
	if err := p.SetWeights(m, 2); err != nil {
		t.Fatal(err)
	}
	sample(t, p, ask("x", 3))
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	c := sizes(64)
	c.Vocab = 64
	other, err := transformer.New(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	broken := newModel(t, sizes(64), 1, 0)
	broken.Params()[0] = float32(math.NaN())
	for _, test := range []struct {
		why  string
		m    *transformer.Model
		o    tiny.Options
		want string
	}{
		{"another vocabulary", other, tiny.Options{}, "the model has 64 tokens"},
		{"a NaN weight", broken, tiny.Options{}, transformer.ErrNotFinite.Error()},
		{"no sequences", newModel(t, sizes(64), 1, 0), tiny.Options{MaxSequences: -1}, "-1"},
	} {
		if _, err := tiny.New(test.m, 0, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}
