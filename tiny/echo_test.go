package tiny

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// An echo is a task for tests: the prompt is a letter, and the reward is the share of
// the next two tokens that repeat it.
type echo struct {
	t       testing.TB
	decoder *transformer.Decoder
	sampler transformer.Sampler
	src     *rand.ChaCha8
}

const (
	echoLetters = 8
	echoGroups  = 8 // groups of one batch
	echoSize    = 8 // sequences of a group
)

func newEcho(t testing.TB, m *transformer.Model, seed byte) *echo {
	t.Helper()
	d, err := transformer.NewDecoder(m, echoSize)
	if err != nil {
		t.Fatal(err)
	}
	return &echo{t: t, decoder: d, src: rand.NewChaCha8([32]byte{seed})}
}

// batch plays a batch with the decoder's weights, which have the given version.
func (e *echo) batch(version int32) (groups []*quintain.Group) {
	for range echoGroups {
		groups = append(groups, e.group(int32(e.src.Uint64()%echoLetters), version))
	}
	return groups
}

func (e *echo) group(letter, version int32) *quintain.Group {
	g := &quintain.Group{}
	for slot := range echoSize {
		e.decoder.Reset(slot)
		tokens, score := []quintain.Token{quintain.Token(letter)}, 0.0
		masks, logProbs, versions := []int32{quintain.Untrained}, []float64{1}, []int32{-1}
		for range 2 {
			logits, err := e.decoder.Append(slot, []int32{int32(tokens[len(tokens)-1])})
			if err != nil {
				e.t.Fatal(err)
			}
			draw, err := e.sampler.Sample(logits, transformer.Sampling{Temperature: 1}, e.src)
			if err != nil {
				e.t.Fatal(err)
			}
			if draw.Token == letter {
				score += 0.5
			}
			tokens, masks = append(tokens, quintain.Token(draw.Token)), append(masks, draw.Token)
			logProbs, versions = append(logProbs, float64(draw.LogProb)), append(versions, version)
		}
		g.Tokens, g.Masks, g.Scores = append(g.Tokens, tokens), append(g.Masks, masks), append(g.Scores, score)
		g.LogProbs, g.Versions = append(g.LogProbs, logProbs), append(g.Versions, versions)
	}
	return g
}

// train takes steps, each on a batch sampled by the weights of lag versions ago, and
// returns the mean reward of the last ten steps.
func (e *echo) train(l *Learner, steps, lag int) float64 {
	var waiting [][]*quintain.Group
	last := 0.0
	for step := range steps {
		if err := e.decoder.Load(l.Model()); err != nil {
			e.t.Fatal(err)
		}
		waiting = append(waiting, e.batch(int32(l.Version())))
		if len(waiting) <= lag {
			continue
		}
		m := mustStep(e.t, l, waiting[0]...)
		waiting = waiting[1:]
		if m.Staleness[min(step-lag, lag)] != m.Tokens {
			e.t.Fatalf("step %d: staleness %v, want all of %d tokens %d versions old", step, m.Staleness, m.Tokens, min(step-lag, lag))
		}
		if step >= steps-10 {
			last += m.Reward / 10
		}
	}
	return last
}

// TestRewardRises trains a new model until it echoes, on fresh and on stale samples,
// with every objective and normalisation. A short run tries every third case.
func TestRewardRises(t *testing.T) {
	t.Parallel()
	for i, test := range []struct {
		name   string
		lag    int
		change func(*Settings)
		want   float64 // at least
	}{
		{"on policy", 0, func(*Settings) {}, 0.85},
		{"with Muon", 0, func(s *Settings) { s.Muon = 3 }, 0.85},
		{"with Muon, 4 versions old", 4, func(s *Settings) { s.Muon = 3 }, 0.7},
		{"naive, on policy", 0, func(s *Settings) { s.Objective = Naive }, 0.85},
		{"naive, 4 versions old", 4, func(s *Settings) { s.Objective = Naive }, 0.7},
		{"decoupled, 4 versions old", 4, func(*Settings) {}, 0.8},
		{"decoupled, 8 versions old", 8, func(*Settings) {}, 0.7},
		{"naive, 8 versions old", 8, func(s *Settings) { s.Objective = Naive }, 0.3},
		{"filtered weights, 4 versions old", 4, func(s *Settings) { s.CapRule, s.WeightCap = Filter, 2 }, 0.8},
		{"several updates a step", 0, func(s *Settings) { s.Epochs, s.Minibatches, s.LearningRate = 2, 2, 5e-3 }, 0.85},
		{"mean over sequences", 0, func(s *Settings) { s.Normalisation = SequenceMean }, 0.85},
		{"sum over tokens by a constant", 0, func(s *Settings) { s.Normalisation, s.Length = Constant, 2 }, 0.85},
		{"entropy bonus", 0, func(s *Settings) { s.Entropy = 0.01 }, 0.85},
	} {
		if testing.Short() && i%3 != 0 {
			continue
		}
		m := tinyModel(t, echoLetters, 4)
		l := learner(t, m, func(s *Settings) {
			s.LearningRate = 1e-2
			test.change(s)
		})
		reward := newEcho(t, m, 1).train(l, 80, test.lag)
		t.Logf("%s: mean reward of the last ten steps %.3f", test.name, reward)
		if reward < test.want {
			t.Errorf("%s: mean reward of the last ten steps is %.3f, want %.2f: chance is %.3f", test.name, reward, test.want, 1.0/echoLetters)
		}
	}
}

// benchBatch returns a model of typical size, and eight groups of eight replies to a
// prompt, of 16 tokens each.
func benchBatch(b *testing.B, prompt int) (*transformer.Model, []*quintain.Group) {
	const groups, size, reply = 8, 8, 16
	m, err := transformer.New(transformer.Config{Vocab: 96, Context: 128, Layers: 2, Width: 64, Heads: 4, Hidden: 256}, 1)
	if err != nil {
		b.Fatal(err)
	}
	src := rand.NewChaCha8([32]byte{1})
	var batch []*quintain.Group
	for range groups {
		g := &quintain.Group{}
		var question []quintain.Token
		for range prompt {
			question = append(question, quintain.Token(src.Uint64()%96))
		}
		for i := range size {
			tokens := slices.Clone(question)
			masks, logProbs := slices.Repeat([]int32{quintain.Untrained}, prompt), slices.Repeat([]float64{1}, prompt)
			for range reply {
				token := quintain.Token(src.Uint64() % 96)
				tokens, masks, logProbs = append(tokens, token), append(masks, int32(token)), append(logProbs, -4.5)
			}
			g.Tokens, g.Masks, g.LogProbs = append(g.Tokens, tokens), append(g.Masks, masks), append(g.LogProbs, logProbs)
			g.Scores = append(g.Scores, float64(i%2))
		}
		batch = append(batch, g)
	}
	return m, batch
}

// BenchmarkStep counts all tokens of a step, and those of a prompt each time they occur.
func BenchmarkStep(b *testing.B) {
	for _, prompt := range []int{16, 64, 112} {
		m, batch := benchBatch(b, prompt)
		for _, updates := range []int{1, 4} {
			b.Run(fmt.Sprintf("prompt=%d/updates=%d", prompt, updates), func(b *testing.B) {
				l := learner(b, m.Clone(), func(s *Settings) { s.Minibatches = updates })
				b.ReportAllocs()
				for b.Loop() {
					mustStep(b, l, batch...)
				}
				b.ReportMetric(float64(b.N*64*(prompt+16))/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}
