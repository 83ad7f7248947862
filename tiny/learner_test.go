package tiny

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// learner returns a learner of m without warm-up and weight decay, which would blur
// comparisons.
func learner(t testing.TB, m *transformer.Model, change func(*Settings)) *Learner {
	t.Helper()
	s := Default()
	s.WarmUp, s.WeightDecay = 0, 0
	if change != nil {
		change(&s)
	}
	l, err := NewLearner(m, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// warm returns a small model that no longer gives all tokens the same probability.
func warm(t testing.TB) *transformer.Model {
	t.Helper()
	m := tinyModel(t, 16, 12)
	for i, x := range m.Params() {
		m.Params()[i] = x + 0.3*float32(math.Sin(float64(i)))
	}
	return m
}

// group returns a group as if m itself had sampled it.
func group(t testing.TB, m *transformer.Model, id string, scores ...float64) *quintain.Group {
	t.Helper()
	g := &quintain.Group{ID: id, Scores: scores}
	for i := range scores {
		tokens, masks, versions := []quintain.Token{}, []int32{}, []int32{}
		for k := range 6 + i {
			token := (7*k + 3*i + len(id)) % 16
			mask, version := int32(quintain.Untrained), int32(-1)
			if k >= 2 {
				mask, version = int32(token), 0
			}
			tokens, masks, versions = append(tokens, quintain.Token(token)), append(masks, mask), append(versions, version)
		}
		g.Tokens, g.Masks, g.Versions = append(g.Tokens, tokens), append(g.Masks, masks), append(g.Versions, versions)
	}
	for i, logProbs := range logProbsOf(t, m, g) {
		row := make([]float64, len(logProbs))
		for k, p := range logProbs {
			if row[k] = float64(p); g.Masks[i][k] == quintain.Untrained {
				row[k] = 1
			}
		}
		g.LogProbs = append(g.LogProbs, row)
	}
	return g
}

// logProbsOf returns the log-probabilities of the tokens of g under m.
func logProbsOf(t testing.TB, m *transformer.Model, g *quintain.Group) (all [][]float32) {
	t.Helper()
	pass := transformer.NewPass(m)
	for _, tokens := range g.Tokens {
		seq := make([]int32, len(tokens))
		for i, token := range tokens {
			seq[i] = int32(token)
		}
		scores, err := pass.Forward([][]int32{seq}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, slices.Clone(scores.LogProbs[0]))
	}
	return all
}

func mustStep(t testing.TB, l *Learner, groups ...*quintain.Group) Metrics {
	t.Helper()
	m, err := l.Step(groups)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGradientIsThatOfTheLoss moves the weights a little along the gradient, and checks
// that the loss changes as the gradient predicts.
func TestGradientIsThatOfTheLoss(t *testing.T) {
	t.Parallel()
	for _, objective := range Objectives {
		m, other := warm(t), tinyModel(t, 16, 12)
		groups := []*quintain.Group{group(t, m, "a", 0, 1, 0.5), group(t, m, "bb", 1, 0)}
		for _, g := range groups {
			for _, logProbs := range logProbsOf(t, other, g) {
				g.RefLogProbs = append(g.RefLogProbs, widen(logProbs))
			}
		}
		l := learner(t, m, func(s *Settings) { s.Objective, s.KL, s.Entropy, s.MicroTokens = objective, 0.3, 0.1, 12 })
		rows, _, err := l.gather(groups)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.score(l.pass, rows, func(r *row, logProbs []float32) { r.proximal = logProbs }); err != nil {
			t.Fatal(err)
		}
		loss := func() float64 {
			var found sums
			for i, scale := range l.settings.scales(rows) {
				if err := l.accumulate(minibatch{rows[i : i+1], []float64{scale}, l.settings.surrogate}, &found); err != nil {
					t.Fatal(err)
				}
			}
			return found.loss
		}
		loss()
		gradient, start := slices.Clone(l.pass.Grads()), slices.Clone(m.Params())
		square := 0.0
		for _, g := range gradient {
			square += float64(g) * float64(g)
		}
		at := func(h float64) float64 {
			for i, g := range gradient {
				m.Params()[i] = start[i] + float32(h*float64(g)/math.Sqrt(square))
			}
			return loss()
		}
		const h = 2e-3
		if got, want := (at(h)-at(-h))/(2*h), math.Sqrt(square); math.Abs(got-want) > 2e-3*want {
			t.Errorf("%s: along the gradient the loss rises by %v, want its norm %v", objective, got, want)
		}
	}
}

// widen returns s in float64.
func widen(s []float32) []float64 {
	out := make([]float64, len(s))
	for i, x := range s {
		out[i] = float64(x)
	}
	return out
}

func TestStepReportsMetrics(t *testing.T) {
	t.Parallel()
	m := warm(t)
	l := learner(t, m, nil)
	a, b := group(t, m, "a", 0, 1), group(t, m, "bb", 1, 0, 0.5)
	mustStep(t, l, a)
	b.Versions[1][2], b.Versions[1][3], b.Versions[1][4] = 1, 4, -1
	got := mustStep(t, l, a, b)
	if got.Version != 2 || l.Version() != 2 || got.Updates != 1 || got.Skipped != 0 || got.Sequences != 5 {
		t.Errorf("counts: %+v", got)
	}
	if got.Tokens != 4+5+4+5+6 || got.Read != got.Tokens+10 || got.Reward != 0.5 {
		t.Errorf("tokens and reward: %+v", got)
	}
	if want := map[int]int{1: 21, 0: 1, -3: 1}; len(got.Staleness) != len(want) || got.Staleness[1] != 21 || got.Staleness[0] != 1 || got.Staleness[-3] != 1 {
		t.Errorf("staleness %v, want %v", got.Staleness, want)
	}
	if !(got.GradNorm > 0 && got.Entropy > 0 && got.Drift > 0 && got.WeightMax > got.WeightMean && got.LearningRate == 1e-3) {
		t.Errorf("figures: %+v", got)
	}
	if _, err := json.Marshal(got); err != nil {
		t.Error(err)
	}
}

// TestFirstUpdateIsOnPolicy checks that on the policy's own samples both objectives
// give the same update, and so do both ways to get the proximal log-probabilities.
func TestFirstUpdateIsOnPolicy(t *testing.T) {
	t.Parallel()
	var first []float32
	for _, change := range []func(*Settings){
		nil,
		func(s *Settings) { s.Objective = Naive },
		func(s *Settings) { s.Minibatches = 5 }, // more than the single group
		func(s *Settings) { s.MicroTokens = 1 },
	} {
		m := warm(t)
		g := group(t, m, "a", 0, 1, 0.5)
		l := learner(t, m, change)
		got := mustStep(t, l, g)
		if got.ClipFraction != 0 || math.Abs(got.WeightMean-1) > 1e-6 || got.Drift > 1e-9 {
			t.Errorf("on policy: %+v", got)
		}
		if first == nil {
			first = m.Params()
		}
		for i, x := range m.Params() {
			if math.Abs(float64(x-first[i])) > 1e-6 {
				t.Fatalf("parameter %d is %v, was %v", i, x, first[i])
			}
		}
	}
}

// TestProximalStays checks that the proximal policy is the one at the start of the step,
// throughout its updates.
func TestProximalStays(t *testing.T) {
	t.Parallel()
	m := warm(t)
	g, other := group(t, m, "a", 0, 1), group(t, m, "bb", 0, 1)
	l := learner(t, m, func(s *Settings) { s.Epochs, s.Minibatches, s.LearningRate = 3, 2, 0.05 })
	got := mustStep(t, l, g, other)
	if got.Updates != 6 {
		t.Errorf("%d updates, want 6", got.Updates)
	}
	if got.ClipFraction == 0 {
		t.Error("nothing was clipped in six large updates: the proximal policy moves with the weights")
	}
	if math.Abs(got.WeightMax-1) > 1e-6 {
		t.Errorf("a weight of %v, want 1: the policy at the start of the step sampled the group", got.WeightMax)
	}
}

func TestAdvantages(t *testing.T) {
	t.Parallel()
	raw := func(s string) []json.RawMessage { return []json.RawMessage{json.RawMessage(s), nil} }
	for _, test := range []struct {
		why       string
		rows      [][]float64
		overrides []json.RawMessage
		want      []float64 // of the first sequence
	}{
		{"scores minus their mean", nil, nil, []float64{-0.25, -0.25, -0.25}},
		{"one for the whole sequence", [][]float64{{2}, {3}}, nil, []float64{2, 2, 2}},
		{"one for each token", [][]float64{{1, 2, 3}, {3}}, nil, []float64{1, 2, 3}},
		{"set to zero", [][]float64{{1, 2, 3}, {3}}, raw(`{"set_advantage_to_zero":true,"temperature":1}`), []float64{0, 0, 0}},
		{"not set to zero", nil, raw(`{"set_advantage_to_zero":false}`), []float64{-0.25, -0.25, -0.25}},
		{"null", nil, raw(`null`), []float64{-0.25, -0.25, -0.25}},
	} {
		g := &quintain.Group{Tokens: [][]quintain.Token{{1, 2, 3}, {4}}, Scores: []float64{0.5, 1}, Advantages: test.rows, Overrides: test.overrides}
		got, err := advantagesOf(g, 0, g.MeanScore())
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v (%v), want %v", test.why, got, err, test.want)
		}
	}
}

// TestNoAdvantageNoChange trains on sequences with zero advantages.
func TestNoAdvantageNoChange(t *testing.T) {
	t.Parallel()
	m := warm(t)
	before := slices.Clone(m.Params())
	equal, zeroed := group(t, m, "a", 1, 1), group(t, m, "bb", 0, 1)
	zero := json.RawMessage(`{"set_advantage_to_zero":true}`)
	zeroed.Overrides = []json.RawMessage{zero, zero}
	l := learner(t, m, nil)
	if got := mustStep(t, l, equal, zeroed); got.GradNorm != 0 || !slices.Equal(before, m.Params()) {
		t.Errorf("the weights changed: %+v", got)
	}
}

func TestStepRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		spoil func(*quintain.Group)
		want  string
	}{
		{"a token outside the vocabulary", func(g *quintain.Group) { g.Tokens[1][3] = 16 }, "group 1 (bb): tokens[1][3]: is 16, but the model's vocabulary has 16 tokens"},
		{"a negative token", func(g *quintain.Group) { g.Tokens[0][0] = -1 }, "group 1 (bb): tokens[0][0]: is -1"},
		{"too long", func(g *quintain.Group) {
			g.Tokens[1], g.Masks[1], g.Versions = make([]quintain.Token, 13), make([]int32, 13), nil
			g.LogProbs[1] = make([]float64, 13)
		}, "group 1 (bb): tokens[1]: has 13 tokens, but the model's context holds 12"},
		{"a mask with another token", func(g *quintain.Group) { g.Masks[1][4] = 3 }, "masks[1][4]: is 3, want -100 or the token"},
		{"empty", func(g *quintain.Group) {
			g.Tokens[0], g.Masks[0], g.LogProbs[0], g.Versions[0] = nil, nil, nil, nil
		}, "tokens[0]: is empty"},
		{"no log-probabilities", func(g *quintain.Group) { g.LogProbs = nil }, "inference_logprobs: is missing"},
		{"a positive log-probability", func(g *quintain.Group) { g.LogProbs[1][3] = 1 }, "inference_logprobs[1][3]: is 1 for a trained token"},
		{"a length that does not match", func(g *quintain.Group) { g.LogProbs[1] = g.LogProbs[1][1:] }, "inference_logprobs[1]: has 6 elements"},
		{"an override of another type", func(g *quintain.Group) {
			g.Overrides = []json.RawMessage{nil, json.RawMessage(`{"set_advantage_to_zero":"yes"}`)}
		}, "overrides[1]: "},
		{"a NaN score", func(g *quintain.Group) { g.Scores[0] = math.NaN() }, "scores[0]: is NaN"},
	} {
		m := warm(t)
		before := slices.Clone(m.Params())
		good, bad := group(t, m, "a", 0, 1), group(t, m, "bb", 0, 1)
		test.spoil(bad)
		l := learner(t, m, nil)
		_, err := l.Step([]*quintain.Group{good, bad})
		var at *GroupError
		if !errors.As(err, &at) || at.Index != 1 || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
		var field *quintain.FieldError
		if !errors.As(err, &field) {
			t.Errorf("%s: %v is not a field error", test.why, err)
		}
		if l.Version() != 0 || !slices.Equal(before, m.Params()) {
			t.Errorf("%s: something changed", test.why)
		}
	}
	l := learner(t, warm(t), nil)
	if _, err := l.Step(nil); err == nil {
		t.Error("a step without groups is accepted")
	}
}

// TestKLNeedsReference computes the KL term with a reference model, with the group's own
// log-probabilities under it, and with neither.
func TestKLNeedsReference(t *testing.T) {
	t.Parallel()
	settings := Default()
	settings.KL = 0.5
	var losses []float64
	for _, own := range []bool{false, true} {
		m, reference := warm(t), tinyModel(t, 16, 12)
		g := group(t, m, "a", 0, 1)
		l, err := NewLearner(m, nil, settings)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Step([]*quintain.Group{g}); err == nil || !strings.Contains(err.Error(), "ref_logprobs") {
			t.Errorf("no reference: error %v", err)
		}
		if own {
			for _, logProbs := range logProbsOf(t, reference, g) {
				g.RefLogProbs = append(g.RefLogProbs, widen(logProbs))
			}
		} else if l, err = NewLearner(m, reference, settings); err != nil {
			t.Fatal(err)
		}
		got := mustStep(t, l, g)
		if got.KL <= 0 || math.Abs(got.Loss-got.PolicyLoss-0.5*got.KL) > 1e-9 {
			t.Errorf("KL %v, loss %v, policy loss %v", got.KL, got.Loss, got.PolicyLoss)
		}
		losses = append(losses, got.Loss)
	}
	if losses[0] != losses[1] {
		t.Errorf("losses %v differ by where the reference comes from", losses)
	}
	if _, err := NewLearner(warm(t), tinyModel(t, 16, 13), settings); err == nil {
		t.Error("a reference of other sizes is accepted")
	}
}

// TestInfiniteLossIsSkipped gives a learner batches with an infinite loss.
func TestInfiniteLossIsSkipped(t *testing.T) {
	t.Parallel()
	m := warm(t)
	good, bad := group(t, m, "a", 0, 1), group(t, m, "bb", 0, 1)
	bad.LogProbs[0][3] = -1e5 // now more likely by e¹⁰⁰⁰⁰⁰, and a bad token
	l := learner(t, m, func(s *Settings) { s.Objective, s.MaxSkipped = Naive, 3 })
	mustStep(t, l, good)
	before := slices.Clone(m.Params())
	for want := 1; want <= 2; want++ {
		got := mustStep(t, l, bad)
		if got.Skipped != 1 || got.Updates != 0 || got.Version != 1+want || !slices.Equal(before, m.Params()) {
			t.Fatalf("not skipped: %+v", got)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Error(err)
		}
	}
	if got := mustStep(t, l, good); got.Updates != 1 || slices.Equal(before, m.Params()) {
		t.Fatalf("the next good update is skipped too: %+v", got)
	}
	for range 2 {
		mustStep(t, l, bad)
	}
	got, err := l.Step([]*quintain.Group{bad})
	if !errors.Is(err, ErrDiverged) || got.Skipped != 1 || !strings.Contains(err.Error(), "3 updates in a row were skipped: loss is +Inf") {
		t.Errorf("three in a row: %+v, %v", got, err)
	}
}

// TestSpoiledWeightsAreNamed trains a model with one weight that is NaN.
func TestSpoiledWeightsAreNamed(t *testing.T) {
	t.Parallel()
	m := warm(t)
	g := group(t, m, "a", 0, 1)
	m.Tensors()[2].Data[5] = float32(math.NaN())
	l := learner(t, m, func(s *Settings) { s.MaxSkipped = 1 })
	_, err := l.Step([]*quintain.Group{g})
	if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "weights: layers.0.qkv[0,5]") {
		t.Errorf("error %v", err)
	}
	if _, err := l.Imitate([]Sequence{{g.Tokens[0], g.Masks[0]}}); !errors.Is(err, ErrDiverged) {
		t.Errorf("imitation: error %v", err)
	}
}

// TestImitate trains only the last tokens of a sequence.
func TestImitate(t *testing.T) {
	t.Parallel()
	m := tinyModel(t, 16, 12)
	l := learner(t, m, func(s *Settings) { s.LearningRate, s.Normalisation = 0.02, Constant })
	tokens := []quintain.Token{1, 5, 9, 2, 11}
	u := int32(quintain.Untrained)
	batch := []Sequence{{tokens, []int32{u, u, 9, 2, 11}}, {tokens[:2], []int32{u, u}}}
	first, err := l.Imitate(batch)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(first.Loss-math.Log(16)) > 1e-5 || math.Abs(first.Entropy-math.Log(16)) > 1e-5 || first.Tokens != 3 || first.Read != 7 {
		t.Errorf("a new model is not uniform: %+v", first)
	}
	last := first
	for range 60 {
		if last, err = l.Imitate(batch); err != nil {
			t.Fatal(err)
		}
	}
	if last.Loss > 0.05 || last.Version != 0 {
		t.Errorf("after 60 updates: %+v", last)
	}
	logProbs := logProbsOf(t, m, &quintain.Group{Tokens: [][]quintain.Token{tokens}})[0]
	if logProbs[1] > -2 {
		t.Errorf("the untrained token has log-probability %v", logProbs[1])
	}
	for _, bad := range []Sequence{{tokens, nil}, {nil, nil}, {[]quintain.Token{1, 16}, []int32{u, 16}}, {[]quintain.Token{1, 2}, []int32{u, u}}} {
		if _, err := l.Imitate([]Sequence{bad}); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

func TestSettingsCheck(t *testing.T) {
	t.Parallel()
	s := Default()
	if err := settings.Check(&s); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		spoil func(*Settings)
		want  string
	}{
		{func(s *Settings) { s.Objective = "ppo" }, `objective: is ppo, want decoupled or naive`},
		{func(s *Settings) { s.Clip = 1 }, "clip: is 1"},
		{func(s *Settings) { s.Clip = math.NaN() }, "clip: is NaN"},
		{func(s *Settings) { s.WeightCap = 0.5 }, "weight_cap: is 0.5"},
		{func(s *Settings) { s.CapRule = "" }, "cap_rule: is "},
		{func(s *Settings) { s.KL = -1 }, "kl: is -1"},
		{func(s *Settings) { s.Entropy = math.Inf(1) }, "entropy: is +Inf"},
		{func(s *Settings) { s.Normalisation = "mean" }, "normalisation: is mean"},
		{func(s *Settings) { s.Normalisation, s.Length = Constant, 0 }, "length: is 0"},
		{func(s *Settings) { s.Epochs = 0 }, "epochs: is 0"},
		{func(s *Settings) { s.Minibatches = 0 }, "minibatches: is 0"},
		{func(s *Settings) { s.MicroTokens = 0 }, "micro_tokens: is 0"},
		{func(s *Settings) { s.LearningRate = 0 }, "learning_rate: is 0"},
		{func(s *Settings) { s.WarmUp = -1 }, "warm_up: is -1"},
		{func(s *Settings) { s.Muon = -1 }, "muon: is -1"},
		{func(s *Settings) { s.WeightDecay = -1 }, "weight_decay: is -1"},
		{func(s *Settings) { s.ClipNorm = -1 }, "clip_norm: is -1"},
		{func(s *Settings) { s.MaxSkipped = 0 }, "max_skipped: is 0"},
	} {
		s := Default()
		test.spoil(&s)
		if _, err := NewLearner(tinyModel(t, 4, 4), nil, s); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestMicroBatches(t *testing.T) {
	t.Parallel()
	of := func(lengths ...int) (rows []row) {
		for _, n := range lengths {
			rows = append(rows, row{tokens: make([]int32, n)})
		}
		return rows
	}
	for _, test := range []struct {
		rows  []row
		limit int
		want  []int
	}{
		{of(3, 3, 3), 6, []int{2, 3}},
		{of(3, 3, 3), 9, []int{3}},
		{of(9, 1, 9), 4, []int{1, 2, 3}},
		{of(1), 1, []int{1}},
	} {
		if got := microBatches(test.rows, test.limit); !slices.Equal(got, test.want) {
			t.Errorf("limit %d: %v, want %v", test.limit, got, test.want)
		}
	}
	s := Default()
	for _, test := range []struct {
		parts      int
		ends, want []int
	}{
		{1, []int{4, 8, 12}, []int{12}},
		{2, []int{4, 8, 12}, []int{4, 12}},
		{3, []int{4, 8, 12}, []int{4, 8, 12}},
		{9, []int{4, 8, 12}, []int{4, 8, 12}},
	} {
		s.Minibatches = test.parts
		if got := s.minibatches(test.ends); !slices.Equal(got, test.want) {
			t.Errorf("%d parts: %v, want %v", test.parts, got, test.want)
		}
	}
}
