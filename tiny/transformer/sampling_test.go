package transformer

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSampleFollowsItsProbabilities counts draws, and compares their frequencies and
// log-probabilities with those that follow from the settings.
func TestSampleFollowsItsProbabilities(t *testing.T) {
	t.Parallel()
	logits := []float32{1, 3, 0.5, 2, -1, 2, -20}
	model := soft(wide(logits))
	hot := soft(wide([]float32{0.5, 1.5, 0.25, 1, -0.5, 1, -10}))
	only := func(p []float64, kept ...int) []float64 {
		q, sum := make([]float64, len(p)), 0.0
		for _, i := range kept {
			sum += p[i]
		}
		for _, i := range kept {
			q[i] = p[i] / sum
		}
		return q
	}
	for _, test := range []struct {
		how  Sampling
		want []float64
		why  string
	}{
		{Sampling{Temperature: 1}, model, "the model's own"},
		{Sampling{Temperature: 1, TopP: 1, TopK: 7}, model, "limits that keep all"},
		{Sampling{Temperature: 2}, hot, "hotter"},
		{Sampling{Temperature: 2, TopK: 3}, only(hot, 1, 3, 5), "the three likeliest"},
		{Sampling{Temperature: 1, TopK: 2}, only(model, 1, 3), "the lower of equals"},
		{Sampling{Temperature: 1, TopP: 0.5}, only(model, 1), "the first has more than half"},
		{Sampling{Temperature: 1, TopP: 0.69}, only(model, 1, 3), "two have 0.69 or more"},
		{Sampling{Temperature: 1, TopP: 0.8, TopK: 3}, only(model, 1, 3, 5), "top-p applies after top-k: two tokens have 0.79 of the rest"},
		{Sampling{Temperature: 1, TopP: 0.78, TopK: 3}, only(model, 1, 3), "top-p applies after top-k: two tokens are enough"},
		{Sampling{Temperature: 1e-300}, only(model, 1), "nearly greedy"},
		{Sampling{}, only(model, 1), "greedy"},
	} {
		if err := test.how.Check(); err != nil {
			t.Fatal(err)
		}
		const draws = 40_000
		count := make([]float64, len(logits))
		var s Sampler
		src := rand.NewChaCha8([32]byte{7})
		for range draws {
			d, err := s.Sample(logits, test.how, src)
			if err != nil {
				t.Fatal(err)
			}
			count[d.Token]++
			if math.Abs(float64(d.LogProb)-math.Log(model[d.Token])) > 1e-5 {
				t.Fatalf("%s: log-probability %v of token %d, want %v", test.why, d.LogProb, d.Token, math.Log(model[d.Token]))
			}
			if math.Abs(float64(d.Drawn)-math.Log(test.want[d.Token])) > 1e-5 {
				t.Fatalf("%s: drawn with log-probability %v of token %d, want %v", test.why, d.Drawn, d.Token, math.Log(test.want[d.Token]))
			}
		}
		for i, want := range test.want {
			if math.Abs(count[i]/draws-want) > 0.012 { // five standard deviations
				t.Errorf("%s: token %d has a share of %v of the draws, want %v", test.why, i, count[i]/draws, want)
			}
		}
	}
}

// wide converts numbers to float64.
func wide(x []float32) (y []float64) {
	for _, v := range x {
		y = append(y, float64(v))
	}
	return y
}

func TestSampleDoesNotChangeTheLogits(t *testing.T) {
	t.Parallel()
	logits := []float32{1, 3, 0.5}
	was := slices.Clone(logits)
	var s Sampler
	for _, how := range []Sampling{{}, {Temperature: 2}, {Temperature: 1, TopK: 1}} {
		if _, err := s.Sample(logits, how, rand.NewChaCha8([32]byte{})); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(logits, was) {
		t.Errorf("logits are now %v", logits)
	}
}

func TestSampleRefuses(t *testing.T) {
	t.Parallel()
	var s Sampler
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := s.Sample([]float32{1, float32(bad)}, Sampling{Temperature: 1}, nil); !errors.Is(err, ErrNotFinite) {
			t.Errorf("logit %v: error %v", bad, err)
		}
	}
	for _, how := range []Sampling{
		{Temperature: -1}, {Temperature: math.NaN()}, {Temperature: math.Inf(1)},
		{TopP: -0.1}, {TopP: 1.1}, {TopP: math.NaN()}, {TopK: -1},
	} {
		if how.Check() == nil {
			t.Errorf("%+v is accepted", how)
		}
	}
}

// TestTruncationKeepsTheLikeliestTokens compares with sorting all tokens, for vocabularies
// of many sizes with many equal logits, and draws often after a single Read.
func TestTruncationKeepsTheLikeliestTokens(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 6))
	var s Sampler
	src := rand.NewChaCha8([32]byte{8})
	for range 300 {
		logits := make([]float32, 2+r.IntN(100))
		for i := range logits {
			logits[i] = float32(r.IntN(12)) / 2
		}
		how := Sampling{Temperature: 1 + float64(r.IntN(2)), TopK: r.IntN(2 * len(logits)), TopP: float64(r.IntN(11)) / 10.0001}
		may := sorted(logits, how)
		if err := s.Read(logits, how); err != nil {
			t.Fatal(err)
		}
		drawn := map[int32]bool{}
		for range 100 {
			d := s.Draw(src)
			drawn[d.Token] = true
			if !slices.Contains(may, d.Token) {
				t.Fatalf("%d logits, %+v: token %d was drawn, want one of %v", len(logits), how, d.Token, may)
			}
		}
		if s.order != nil && !slices.Equal(s.order, may) || len(drawn) < min(2, len(may)) {
			t.Fatalf("%d logits, %+v: may draw %v and drew %v, want %v", len(logits), how, s.order, drawn, may)
		}
	}
}

// sorted returns the allowed tokens, the likeliest first.
func sorted(logits []float32, how Sampling) (may []int32) {
	probs := make([]float64, len(logits))
	for i, x := range logits {
		may = append(may, int32(i))
		probs[i] = math.Exp(float64(x) / how.Temperature)
	}
	slices.SortStableFunc(may, func(a, b int32) int { return cmp.Compare(probs[b], probs[a]) })
	if how.TopK > 0 && how.TopK < len(may) {
		may = may[:how.TopK]
	}
	var all, sum float64
	for _, token := range may {
		all += probs[token]
	}
	for i, token := range may {
		if sum += probs[token]; how.TopP > 0 && sum >= how.TopP*all {
			return may[:i+1]
		}
	}
	return may
}
