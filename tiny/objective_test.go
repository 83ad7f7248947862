package tiny

import (
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

var casesFile = flag.String("cases", "testdata/objective.json", "batches with expected results, as conformance/learn.py writes them")

// A referenceCase is one batch of conformance/learn.py. Its rows are the sequences of
// all groups, in order.
type referenceCase struct {
	Settings  Settings          `json:"settings"`
	Version   int               `json:"version"` // version of the weights in training
	Policy    [][]float32       `json:"policy"`
	Proximal  [][]float32       `json:"proximal"`
	Entropies [][]float32       `json:"entropies"`
	Groups    []*quintain.Group `json:"groups"`
	Want      struct {
		Metrics
		ByLogProb [][]float64 `json:"by_logprob"`
		ByEntropy [][]float64 `json:"by_entropy"`
	} `json:"want"`
}

// TestObjectiveIsTheReference compares loss, metrics and derivatives with the independent
// results of conformance/learn.py.
func TestObjectiveIsTheReference(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(*casesFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases []referenceCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for i := range cases {
		holdCase(t, i, &cases[i])
	}
}

// holdCase compares case number n.
func holdCase(t *testing.T, n int, c *referenceCase) {
	l := &Learner{settings: c.Settings, model: tinyModel(t, 32, 16)}
	rows, _, err := l.gather(c.Groups)
	if err != nil {
		t.Fatalf("case %d: %v", n, err)
	}
	got := Metrics{Updates: 1, Staleness: map[int]int{}}
	var found sums
	scales := c.Settings.scales(rows)
	for i := range rows {
		rows[i].tell(&got, c.Version)
		if c.Proximal != nil {
			rows[i].proximal = c.Proximal[i]
		}
		x := readingOf(c.Policy[i], c.Entropies[i])
		c.Settings.surrogate(&rows[i], x, scales[i], &found)
		for j := range x.logProbs {
			same(t, n, "derivative by log-probability", float64(x.byLogProb[j]), c.Want.ByLogProb[i][j])
			same(t, n, "derivative by entropy", float64(x.byEntropy[j]), c.Want.ByEntropy[i][j])
		}
	}
	got.take(&found)
	want := c.Want.Metrics
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"loss", got.Loss, want.Loss},
		{"policy loss", got.PolicyLoss, want.PolicyLoss},
		{"KL", got.KL, want.KL},
		{"drift", got.Drift, want.Drift},
		{"entropy", got.Entropy, want.Entropy},
		{"clip fraction", got.ClipFraction, want.ClipFraction},
		{"cap fraction", got.CapFraction, want.CapFraction},
		{"weight mean", got.WeightMean, want.WeightMean},
		{"weight max", got.WeightMax, want.WeightMax},
		{"reward", reward(c.Groups), want.Reward},
	} {
		same(t, n, f.name, f.got, f.want)
	}
	if got.Tokens != want.Tokens || !maps.Equal(got.Staleness, want.Staleness) {
		t.Errorf("case %d: %d tokens with lags %v, want %d with %v", n, got.Tokens, got.Staleness, want.Tokens, want.Staleness)
	}
}

// same checks that two numbers are equal within 1e-5, relative for numbers above 1.
func same(t *testing.T, n int, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-5*max(1, math.Abs(want))) {
		t.Errorf("case %d: %s is %v, want %v", n, what, got, want)
	}
}

func readingOf(logProbs, entropies []float32) reading {
	return reading{logProbs, entropies, make([]float32, len(logProbs)), make([]float32, len(logProbs))}
}

// tinyModel is a new model of one small layer.
func tinyModel(t testing.TB, vocab, context int) *transformer.Model {
	t.Helper()
	m, err := transformer.New(transformer.Config{Vocab: vocab, Context: context, Layers: 1, Width: 16, Heads: 1, Hidden: 16}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSlopesAreDerivatives compares the derivative of a token's loss with differences
// of the loss, away from the corners.
func TestSlopesAreDerivatives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		logProb := rapid.Float64Range(-6, -0.01)
		s := Default()
		s.Objective = rapid.SampledFrom(Objectives).Draw(t, "objective")
		s.CapRule = rapid.SampledFrom(CapRules).Draw(t, "cap rule")
		s.WeightCap = rapid.SampledFrom([]float64{0, 1, 5}).Draw(t, "cap")
		s.KL = rapid.SampledFrom([]float64{0, 0.1, 2}).Draw(t, "kl")
		x := term{
			policy: logProb.Draw(t, "policy"), proximal: logProb.Draw(t, "proximal"), behaviour: logProb.Draw(t, "behaviour"),
			reference: logProb.Draw(t, "reference"), advantage: rapid.Float64Range(-3, 3).Draw(t, "advantage"),
		}
		if rapid.Bool().Draw(t, "near") {
			x.proximal = x.policy + rapid.Float64Range(-0.3, 0.3).Draw(t, "step")
			x.behaviour = x.proximal + rapid.Float64Range(-0.3, 0.3).Draw(t, "lag")
		}
		const h = 1e-5
		at := func(d float64) (float64, tokenLoss) {
			y := x
			y.policy += d
			v := s.token(y)
			return v.loss + s.KL*v.kl, v
		}
		_, here := at(0)
		below, low := at(-h)
		above, high := at(h)
		if low.clipped != high.clipped {
			t.Skip("a corner")
		}
		if slope := (above - below) / (2 * h); math.Abs(slope-here.slope) > 1e-5*max(1, math.Abs(slope)) {
			t.Errorf("slope %v, but differences give %v", here.slope, slope)
		}
	})
}

func TestLossOfAToken(t *testing.T) {
	t.Parallel()
	decoupled, naive := Default(), Default()
	naive.Objective = Naive
	filter := Default()
	filter.CapRule = Filter
	ln := math.Log
	for _, test := range []struct {
		why      string
		settings Settings
		in       term
		want     tokenLoss // kl, drift and entropy are not compared
	}{
		{
			"a rise beyond the clip earns no more", decoupled,
			term{policy: ln(0.5), proximal: ln(0.4), behaviour: ln(0.4), advantage: 2},
			tokenLoss{loss: -2.4, slope: 0, weight: 1, clipped: true},
		}, {
			"a fall beyond the clip may be undone", decoupled,
			term{policy: ln(0.2), proximal: ln(0.4), behaviour: ln(0.4), advantage: 2},
			tokenLoss{loss: -1, slope: -1, weight: 1},
		}, {
			"a bad token that rose is punished in full, beyond the clip", decoupled,
			term{policy: ln(0.8), proximal: ln(0.4), behaviour: ln(0.4), advantage: -1},
			tokenLoss{loss: 2, slope: 2, weight: 1},
		}, {
			"a bad token that fell far enough is left alone", decoupled,
			term{policy: ln(0.2), proximal: ln(0.4), behaviour: ln(0.4), advantage: -1},
			tokenLoss{loss: 0.8, slope: 0, weight: 1, clipped: true},
		}, {
			"stale tokens are clipped against the start of the step, and weighted", decoupled,
			term{policy: ln(0.4), proximal: ln(0.4), behaviour: ln(0.2), advantage: 1},
			tokenLoss{loss: -2, slope: -2, weight: 2},
		}, {
			"naive PPO does not learn from stale tokens", naive,
			term{policy: ln(0.4), proximal: ln(0.4), behaviour: ln(0.2), advantage: 1},
			tokenLoss{loss: -1.2, slope: 0, weight: 2, clipped: true},
		}, {
			"weights are truncated at the cap", decoupled,
			term{policy: ln(0.8), proximal: ln(0.8), behaviour: ln(0.1), advantage: 1},
			tokenLoss{loss: -5, slope: -5, weight: 8, capped: true},
		}, {
			"or filtered out beyond it", filter,
			term{policy: ln(0.8), proximal: ln(0.8), behaviour: ln(0.1), advantage: 1},
			tokenLoss{loss: 0, slope: 0, weight: 8, capped: true},
		}, {
			"absurd weights stay finite", decoupled,
			term{policy: -1, proximal: -1, behaviour: -1e5, advantage: 1},
			tokenLoss{loss: -5, slope: -5, weight: math.Exp(20), capped: true},
		},
	} {
		test.in.reference = test.in.policy
		got := test.settings.token(test.in)
		close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }
		if !close(got.loss, test.want.loss) || !close(got.slope, test.want.slope) || !close(got.weight, test.want.weight) ||
			got.clipped != test.want.clipped || got.capped != test.want.capped {
			t.Errorf("%s: %+v, want %+v", test.why, got, test.want)
		}
	}
}

func TestScalesSumToOne(t *testing.T) {
	t.Parallel()
	rows := []row{{count: 3}, {count: 0}, {count: 5}}
	for _, n := range Normalisations {
		s := Default()
		s.Normalisation, s.Length = n, 4 // the mean length
		sum := 0.0
		for i, scale := range s.scales(rows) {
			sum += scale * float64(rows[i].count)
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: a loss of 1 for every token becomes %v", n, sum)
		}
	}
}
