package tiny

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// letters is a vocabulary of so many tokens.
type letters struct{ Own }

func (letters) Vocabulary() string { return "letters" }
func (letters) Size() int          { return 16 }

// baseOf returns a random language model of so many tokens.
func baseOf(t testing.TB, tokens int, seed uint64) *Base {
	t.Helper()
	c := transformer.Config{Vocab: tokens, Context: 64, Layers: 2, Width: 64, Heads: 4, KVHeads: 2, Hidden: 64, Rank: 16, Alpha: 32, Tied: true}
	chance := rng.New(seed, "base")
	m, err := transformer.Adapt(c, 1, func(to transformer.Tensor) error {
		for i := range to.Data {
			if to.Data[i] = float32(chance.Float()-0.5) * 0.5; to.Rows == 1 {
				to.Data[i] = 1 // a gain
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Base{Vocabulary: letters{}, Model: m, Name: "random", Path: "/models/random.gguf", Digest: "digest" + string(rune('0'+seed))}
}

// TestAdaptersLearn has the adapters of a random model echo.
func TestAdaptersLearn(t *testing.T) {
	t.Parallel()
	base := baseOf(t, echoLetters, 1)
	frozen := base.Model.Clone()
	m := base.Model.Clone()
	l, err := NewLearner(m, base.Model, func() Settings {
		s := Default()
		s.LearningRate, s.WeightDecay, s.MicroTokens, s.KL = 1e-2, 0, 64, 0.001
		return s
	}())
	if err != nil {
		t.Fatal(err)
	}
	if reward := newEcho(t, m, 1).train(l, 80, 1); reward < 0.85 {
		t.Errorf("mean reward of the last ten steps is %.3f, want 0.85: chance is %.3f", reward, 1.0/echoLetters)
	}
	if !slices.Equal(base.Model.Params(), frozen.Params()) || slices.Equal(m.Params(), frozen.Params()) {
		t.Error("the adapters of the base were trained, or those of the model were not")
	}
}

// TestPromptsAreConstant checks which tokens have no gradient, and that micro-batches count the others.
func TestPromptsAreConstant(t *testing.T) {
	t.Parallel()
	base := baseOf(t, 16, 1)
	l := learner(t, base.Model, nil)
	no := int32(quintain.Untrained)
	for _, test := range []struct {
		why   string
		masks []int32
		fixed int
	}{
		{"a prompt and a reply", []int32{no, no, 5, 5}, 2},
		{"two replies", []int32{no, no, 5, no, 5}, 2},
		{"nothing to train on", []int32{no, no, no}, 3},
		{"no prompt", []int32{5, 5}, 1},
	} {
		r, err := l.sequence(Sequence{slices.Repeat([]quintain.Token{5}, len(test.masks)), test.masks}, 0)
		if err != nil || r.fixed != test.fixed {
			t.Errorf("%s: %d tokens are constant, want %d; error %v", test.why, r.fixed, test.fixed, err)
		}
		all, err := learner(t, tinyModel(t, 16, 12), nil).sequence(Sequence{slices.Repeat([]quintain.Token{5}, len(test.masks)), test.masks}, 0)
		if err != nil || all.fixed != 0 {
			t.Errorf("%s: %d tokens are constant, and all parameters are trained; error %v", test.why, all.fixed, err)
		}
	}
	if got := microBatches([]row{{tokens: make([]int32, 100), fixed: 96}, {tokens: make([]int32, 100), fixed: 96}, {tokens: make([]int32, 100), fixed: 99}}, 8); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("micro-batches end at %v, want 2 and 3", got)
	}
}

// TestReferenceIsTheBase compares with adapters that change nothing.
func TestReferenceIsTheBase(t *testing.T) {
	t.Parallel()
	base := baseOf(t, 16, 1)
	m := base.Model.Clone()
	s := Default()
	s.KL, s.WarmUp, s.LearningRate = 0.1, 0, 0.01
	l, err := NewLearner(m, base.Model, s)
	if err != nil {
		t.Fatal(err)
	}
	g := group(t, m, "a", 0, 1)
	if first := mustStep(t, l, g); math.Abs(first.KL) > 1e-6 {
		t.Errorf("the divergence is %v before the first step", first.KL)
	}
	if second := mustStep(t, l, g); second.KL < 1e-4 {
		t.Errorf("the divergence is %v after a step", second.KL)
	}
}

// TestAdaptersResumeExactly goes on from a weights file, with a rate that falls.
func TestAdaptersResumeExactly(t *testing.T) {
	t.Parallel()
	base := baseOf(t, 16, 1)
	s := Default()
	s.DecaySteps, s.WarmUp = 4, 0
	l, err := NewLearner(base.Model.Clone(), nil, s)
	if err != nil {
		t.Fatal(err)
	}
	g := group(t, base.Model, "a", 0, 1, 0.5)
	mustStep(t, l, g)
	mustStep(t, l, g)
	file, err := WriteWeights(*l.Checkpoint(), base, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadWeights(file, base)
	if err != nil {
		t.Fatal(err)
	}
	twin, err := Resume(c, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0.55, 0.325, 0.1, 0.1} {
		a, b := mustStep(t, l, g), mustStep(t, twin, g)
		if !reflect.DeepEqual(a, b) || !slices.Equal(l.Model().Params(), twin.Model().Params()) {
			t.Fatalf("%+v, but resumed %+v", a, b)
		}
		if want := share * s.LearningRate; math.Abs(a.LearningRate-want) > 1e-12 {
			t.Errorf("the learning rate of version %d is %v, want %v", a.Version, a.LearningRate, want)
		}
	}
}

func TestAdaptersOfAnotherBaseAreRefused(t *testing.T) {
	t.Parallel()
	base, other := baseOf(t, 16, 1), baseOf(t, 16, 2)
	other.Name, other.Path = "another", "/models/another.gguf"
	file, err := WriteWeights(transformer.Checkpoint{Model: base.Model}, base, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ReadWeights(file, other)
	for _, want := range []string{"random (/models/random.gguf, digest digest1)", "another (/models/another.gguf) has the digest digest2"} {
		if !errors.Is(err, transformer.ErrVocabulary) || !strings.Contains(err.Error(), want) {
			t.Errorf("another base: error %v, want %q", err, want)
		}
	}
	if _, err := ReadWeights(file, nil); !errors.Is(err, transformer.ErrVocabulary) || !strings.Contains(err.Error(), `"letters"`) {
		t.Errorf("the starter: error %v", err)
	}
	moved := *base
	moved.Path = "/elsewhere/random.gguf"
	if c, err := ReadWeights(file, &moved); err != nil || c.Notes[NotePath] != base.Path {
		t.Errorf("a base that moved: error %v", err)
	}
	s := Default()
	s.Muon = 1
	if _, err := NewLearner(base.Model, nil, s); err == nil || !strings.Contains(err.Error(), "muon: is 1") {
		t.Errorf("Muon: error %v", err)
	}
}

// TestCommonBeginningsChangeNothing compares the replies to prompts that begin alike, asked at once, with those to
// each alone.
func TestCommonBeginningsChangeNothing(t *testing.T) {
	t.Parallel()
	base := baseOf(t, Size, 1)
	request := func(i int) quintain.Request {
		return quintain.Request{
			Key: strconv.Itoa(i), N: 3, Sampling: quintain.Sampling{Temperature: 1},
			Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "As in all of the other questions: " + strconv.Itoa(i*7)}},
		}
	}
	serve := func() *Policy {
		p, err := New(base.Model, 0, Options{})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = p.Run(t.Context()) }()
		return p
	}
	replies := func(p *Policy, i int) []quintain.Sample {
		s, err := p.Sample(t.Context(), request(i))
		if err != nil {
			t.Error(err)
		}
		return s
	}
	together, all := serve(), make([][]quintain.Sample, 6)
	var asked sync.WaitGroup
	for i := range all {
		asked.Go(func() { all[i] = replies(together, i) })
	}
	asked.Wait()
	for i, got := range all {
		if want := replies(serve(), i); !reflect.DeepEqual(got, want) {
			t.Errorf("question %d: %+v at once, %+v alone", i, got, want)
		}
	}
}
