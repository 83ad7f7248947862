package tiny

import (
	"math"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// shaken returns a model with random parameters.
func shaken(t *testing.T, seed uint64) *transformer.Model {
	t.Helper()
	m, err := transformer.New(transformer.Config{Vocab: Size, Context: 64, Layers: 2, Width: 32, Heads: 2, Hidden: 32}, seed)
	if err != nil {
		t.Fatal(err)
	}
	chance := rng.New(seed, "shaken")
	for i := range m.Params() {
		m.Params()[i] = float32(chance.Float()-0.5) * 0.6
	}
	return m
}

// TestWeightsApplyFromTheNextToken runs rounds by hand: one job is in progress when
// weights arrive, a second joins together with them, and a third later.
func TestWeightsApplyFromTheNextToken(t *testing.T) {
	t.Parallel()
	models := []*transformer.Model{shaken(t, 0), shaken(t, 1), shaken(t, 2), shaken(t, 3)}
	p, err := New(models[0], 0, Options{MaxSequences: 16})
	if err != nil {
		t.Fatal(err)
	}
	b := newBatch(p)
	jobs := map[int]*job{}
	arrive := map[int][]int32{4: {1}, 9: {2, 3}} // two in one round: the first is never used
	for round := range 20 {
		if round%4 == 0 && round < 12 {
			j, err := p.newJob(quintain.Request{
				Key: "x", N: 3, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 8},
				Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "How many?"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			jobs[round] = j
			if err := p.enter(j); err != nil {
				t.Fatal(err)
			}
		}
		for _, version := range arrive[round] {
			if err := p.SetWeights(models[version], version); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.round(); err != nil {
			t.Fatal(err)
		}
	}
	for round, want := range map[int][]int32{
		0: {0, 0, 0, 0, 1, 1, 1, 1}, 4: {1, 1, 1, 1, 1, 3, 3, 3}, 8: {1, 3, 3, 3, 3, 3, 3, 3},
	} {
		<-jobs[round].done
		for k, s := range jobs[round].samples(false) {
			if n := len(s.Versions); s.Finish == quintain.Length && n != 8 || !slices.Equal(s.Versions, want[:n]) {
				t.Errorf("job of round %d, sample %d: versions %v, want %v", round, k, s.Versions, want)
			}
		}
		for k, s := range jobs[round].sequences {
			for i, p := range s.logProbs {
				scores, err := transformer.NewPass(models[s.versions[i]]).Forward([][]int32{s.tokens}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := scores.LogProbs[0][len(s.job.prompt)+i]; math.Abs(float64(p-want)) > 1e-4 {
					t.Errorf("job of round %d, sample %d, token %d: log-probability %v, but %v in training", round, k, i, p, want)
				}
			}
		}
	}
	if n := len(p.spare); n > 2 {
		t.Errorf("%d copies of weights are kept", n)
	}
}

// TestAllSlotsAreFreeInTheEnd lets jobs end in all possible ways.
func TestAllSlotsAreFreeInTheEnd(t *testing.T) {
	t.Parallel()
	p, err := New(shaken(t, 4), 0, Options{MaxSequences: 4})
	if err != nil {
		t.Fatal(err)
	}
	b := newBatch(p)
	var jobs []*job
	for i := range 12 {
		j, err := p.newJob(quintain.Request{
			Key: "x", N: 1 + i%6, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 1 + i%5},
			Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "How many?"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
		if err := p.enter(j); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 200 {
		if i := round / 3; round%3 == 0 && i < len(jobs) && i%3 == 0 {
			p.cut(jobs[i])
		}
		if err := b.round(); err != nil {
			t.Fatal(err)
		}
	}
	for i, j := range jobs {
		<-j.done
		if n := len(j.samples(false)); i%3 != 0 && (!j.whole() || n != j.request.N) {
			t.Errorf("job %d has %d samples, want %d", i, n, j.request.N)
		}
	}
	if len(b.live) > 0 || len(b.waiting) > 0 || len(b.free) != 4 {
		t.Errorf("%d live, %d waiting, %d free, want only 4 free", len(b.live), len(b.waiting), len(b.free))
	}
}

// TestOnePassForEqualSamples runs rounds by hand, with few likely tokens, and checks that
// only one of a job's equal samples passes through the model.
func TestOnePassForEqualSamples(t *testing.T) {
	t.Parallel()
	m := shaken(t, 5)
	p, err := New(m, 0, Options{MaxSequences: 16})
	if err != nil {
		t.Fatal(err)
	}
	b := newBatch(p)
	var jobs []*job
	for _, how := range []quintain.Sampling{{MaxTokens: 12}, {Temperature: 1, TopK: 2, MaxTokens: 12}} {
		j, err := p.newJob(quintain.Request{
			Key: "x", N: 8, Sampling: how, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "How many?"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
		if err := p.enter(j); err != nil {
			t.Fatal(err)
		}
	}
	shared := 0
	for round := range 12 {
		if round == 5 {
			if err := p.SetWeights(m, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.round(); err != nil {
			t.Fatal(err)
		}
		for i, s := range b.live {
			if s.lead != nil {
				shared++
				if s.lead.lead != nil || !slices.Equal(s.lead.tokens, s.tokens) || s.finish != "" {
					t.Fatalf("round %d: %+v shares the slot of %+v", round, s, s.lead)
				}
				continue
			}
			if i > 0 && b.live[i-1].job == s.job && slices.Equal(b.live[i-1].tokens, s.tokens) {
				t.Fatalf("round %d: two samples with the same tokens use separate slots", round)
			}
		}
	}
	if shared < 8*11+4 {
		t.Errorf("%d times a sample shared a slot, want more: the greedy ones always do", shared)
	}
	for k, s := range jobs[0].samples(false) {
		if len(b.held[jobs[0].sequences[k].slot]) < len(s.Wrote) || !slices.Equal(s.Wrote, jobs[0].samples(false)[0].Wrote) {
			t.Errorf("greedy sample %d wrote %v; its slot holds %v", k, s.Wrote, b.held[jobs[0].sequences[k].slot])
		}
	}
}
