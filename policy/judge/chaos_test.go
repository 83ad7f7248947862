package judge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/policy/script"
)

// good is in the replies that deserve the best verdict; others deserve the worst.
const good = "It is 2"

// honest judges rightly.
func honest(r quintain.Request) string {
	if strings.Contains(r.Messages[0].Parts[1].Text, good) {
		return says("yes", "yes")
	}
	return says("no", "no")
}

// faulty judges rightly, but a share of its calls fails, in every way that servers and models do.
type faulty struct {
	share  float64
	mu     sync.Mutex
	rng    *rand.Rand
	calls  atomic.Int64
	faults atomic.Int64
}

func (f *faulty) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	f.calls.Add(1)
	f.mu.Lock()
	fails, kind := f.rng.Float64() < f.share, f.rng.IntN(len(faults))
	f.mu.Unlock()
	verdict := honest(r)
	samples, err := script.Always(verdict).Sample(ctx, r)
	if !fails || err != nil {
		return samples, err
	}
	f.faults.Add(1)
	return faults[kind](samples, verdict)
}

// faults are the ways in which a call fails.
var faults = func() []func([]quintain.Sample, string) ([]quintain.Sample, error) {
	list := []func([]quintain.Sample, string) ([]quintain.Sample, error){
		func([]quintain.Sample, string) ([]quintain.Sample, error) { return nil, nil },
		func(s []quintain.Sample, _ string) ([]quintain.Sample, error) { return append(s, s...), nil },
		func(s []quintain.Sample, _ string) ([]quintain.Sample, error) {
			s[0].Finish = quintain.Aborted
			return s, nil
		},
		func(s []quintain.Sample, _ string) ([]quintain.Sample, error) {
			s[0].Finish = quintain.Length
			return s, nil
		},
	}
	for _, kind := range []remote.Kind{
		remote.Unreachable, remote.Busy, remote.Aborted, remote.ServerFailed, remote.Refused, remote.TooLong, remote.TooSlow,
		remote.TooLarge, remote.Nonsense, remote.Unsupported, remote.Filtered, remote.UnknownModel,
	} {
		list = append(list, func([]quintain.Sample, string) ([]quintain.Sample, error) { return nil, &remote.Error{Kind: kind} })
	}
	for _, edit := range []func(string) string{
		func(string) string { return "" },
		func(string) string { return "<html>Bad gateway</html>" },
		func(string) string { return "0" },
		func(string) string { return `{"error": {"code": 500}}` },
		func(string) string { return `{"correct": 0, "concise": 0}` },
		func(string) string { return `{"correct": null, "concise": null}` },
		func(string) string { return "correct: no, concise: no" },
		func(string) string { return `{"correctness": "no"}` },
		func(string) string { return `{"correct": "no", "concise": "no", "correct": "yes", "concise": "yes"}` },
		func(v string) string { return v[:len(v)-1] },
		func(v string) string { return v[:len(v)/2] },
		func(v string) string { return strings.ReplaceAll(v, `"`, "'") },
		func(v string) string { return "<think>" + v },
		func(v string) string { return v + "</think>" },
		func(v string) string { return says("no", "no") + " " + v[:len(v)-2] },
		func(v string) string { return says("yes", "yes") + " " + v[:len(v)-2] },
	} {
		list = append(list, func(s []quintain.Sample, v string) ([]quintain.Sample, error) {
			s[0].Text = edit(v)
			return s, nil
		})
	}
	return list
}()

// A judge whose calls fail in every way gives no wrong verdict: neither a wrong zero nor a wrong
// one.
func TestFaultsAreNeverScores(t *testing.T) {
	t.Parallel()
	const want = faultyCalls
	store, err := OpenStore(t.TempDir(), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	f := &faulty{share: 0.2, rng: rand.New(rand.NewPCG(1, 2))}
	judges := map[string]*Judge{
		"one vote":    newJudge(t, rubric(nil), f, func(c *Config) { c.Cache = store }),
		"three votes": newJudge(t, rubric(func(r *Rubric) { r.Votes, r.Each = 3, 1 }), f, nil),
		"pairs":       newJudge(t, rubric(func(r *Rubric) { r.Mode = Pairs }), pairing{f}, nil),
	}
	var zeros, ones, ungraded, graded atomic.Int64
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for n := 0; f.calls.Load() < int64(want); n++ {
				for name, j := range judges {
					items := []Item{
						{Key: "k", Question: "1 + 1?", Reply: fmt.Sprint(good, n, worker)},
						{Key: "k", Question: "1 + 1?", Reply: fmt.Sprint("It is 3", n, worker)},
					}
					for i, r := range j.Group(t.Context(), items) {
						switch {
						case errors.Is(r.Err, quintain.ErrUngraded):
							ungraded.Add(1)
						case r.Err != nil:
							t.Errorf("%s: %v", name, r.Err)
						case i == 0 && r.Verdict.Score != 1:
							zeros.Add(1)
						case i == 1 && r.Verdict.Score != 0:
							ones.Add(1)
						default:
							graded.Add(1)
						}
					}
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d calls, %d of them with faults: %d verdicts, %d replies without one", f.calls.Load(), f.faults.Load(), graded.Load(), ungraded.Load())
	if zeros.Load() > 0 || ones.Load() > 0 {
		t.Errorf("%d wrong zeros and %d wrong ones", zeros.Load(), ones.Load())
	}
	if share := float64(f.faults.Load()) / float64(f.calls.Load()); share < 0.18 || graded.Load() == 0 || ungraded.Load() == 0 {
		t.Errorf("a share of %v with faults, %d verdicts, %d replies without one", share, graded.Load(), ungraded.Load())
	}
}

// pairing judges pairs rightly, with the faults of another judge.
type pairing struct{ *faulty }

func (p pairing) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	samples, err := p.faulty.Sample(ctx, r)
	if err != nil {
		return nil, err
	}
	winner := first
	if strings.Contains(r.Messages[0].Parts[2].Text, good) {
		winner = second
	}
	loser := map[string]string{first: second, second: first}[winner]
	for i := range samples {
		fresh := strings.NewReplacer(`"yes"`, fmt.Sprintf("%q", winner), `"no"`, fmt.Sprintf("%q", loser))
		if strings.Contains(r.Messages[0].Parts[1].Text, good) {
			samples[i].Text = fresh.Replace(samples[i].Text)
		} else {
			samples[i].Text = strings.NewReplacer(`"no"`, fmt.Sprintf("%q", winner), `"yes"`, fmt.Sprintf("%q", loser)).Replace(samples[i].Text)
		}
	}
	return samples, nil
}

// BenchmarkGrade measures what a verdict costs beside the judge's model.
func BenchmarkGrade(b *testing.B) {
	verdict := []quintain.Sample{{Text: says("yes", "no"), Finish: quintain.Stop}}
	j := newJudge(b, rubric(nil), instant{verdict}, nil)
	it := Item{Key: "k", Question: strings.Repeat("What is it? ", 50), Reply: strings.Repeat("It is 2. ", 500)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := j.Grade(b.Context(), it); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCachedGroup measures the verdicts on a group of 16 that the cache has.
func BenchmarkCachedGroup(b *testing.B) {
	store, err := OpenStore(b.TempDir(), 1000)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	verdict := []quintain.Sample{{Text: says("yes", "no"), Finish: quintain.Stop}}
	j := newJudge(b, rubric(nil), instant{verdict}, func(c *Config) { c.Cache = store })
	items := make([]Item, 16)
	for i := range items {
		items[i] = Item{Question: "1 + 1?", Reply: fmt.Sprint(strings.Repeat("It is 2. ", 100), i)}
	}
	j.Group(b.Context(), items)
	start, n := time.Now(), 0
	for b.Loop() {
		for _, r := range j.Group(b.Context(), items) {
			if r.Err != nil || r.Verdict.Cached != 1 {
				b.Fatal(r)
			}
		}
		n++
	}
	b.ReportMetric(float64(time.Since(start).Microseconds())/float64(n*len(items)), "µs/verdict")
}

// instant returns the same samples at once.
type instant struct{ samples []quintain.Sample }

func (i instant) Sample(context.Context, quintain.Request) ([]quintain.Sample, error) {
	return i.samples, nil
}
