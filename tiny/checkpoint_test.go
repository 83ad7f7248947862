package tiny

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// reread writes a learner's checkpoint and reads it back.
func reread(t *testing.T, l *Learner) *transformer.Checkpoint {
	t.Helper()
	c := l.Checkpoint()
	c.Vocabulary = "letters"
	data, err := c.Bytes(transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	c, err = transformer.ReadCheckpoint(data, "letters")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestResumeIsExact resumes a learner in the middle of its warm-up and after skipped
// updates, and checks that both learners continue identically, to the bit.
func TestResumeIsExact(t *testing.T) {
	t.Parallel()
	m := warm(t)
	good, bad := group(t, m, "a", 0, 1, 0.5), group(t, m, "bb", 0, 1)
	bad.LogProbs[0][3] = -1e5 // an infinite loss
	settings := Default()
	settings.Objective, settings.Epochs, settings.MaxSkipped = Naive, 2, 5
	l, err := NewLearner(m, nil, settings)
	if err != nil {
		t.Fatal(err)
	}
	mustStep(t, l, good)
	if _, err := l.Imitate([]Sequence{{good.Tokens[0], good.Masks[0]}}); err != nil {
		t.Fatal(err)
	}
	mustStep(t, l, bad) // two skipped
	twin, err := Resume(reread(t, l), nil, settings)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		a, b := mustStep(t, l, good), mustStep(t, twin, good)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v, but resumed %+v", a, b)
		}
		if !slices.Equal(l.Model().Params(), twin.Model().Params()) {
			t.Fatalf("weights of version %d differ", a.Version)
		}
	}
	if twin.Version() != 5 {
		t.Errorf("version %d, want 5", twin.Version())
	}

	mustStep(t, l, bad)
	mustStep(t, l, bad)
	twin, err = Resume(reread(t, l), nil, settings)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := twin.Step([]*quintain.Group{bad}); !errors.Is(err, ErrDiverged) || got.Skipped != 1 {
		t.Errorf("the fifth update in a row: %+v, %v", got, err)
	}
}

// TestStepsAreReproducible takes the same steps twice.
func TestStepsAreReproducible(t *testing.T) {
	t.Parallel()
	var first []float32
	for range 2 {
		m := tinyModel(t, echoLetters, 4)
		l := learner(t, m, func(s *Settings) { s.Epochs, s.Minibatches, s.MicroTokens = 2, 2, 30 })
		newEcho(t, m, 1).train(l, 5, 1)
		if first != nil && !slices.Equal(first, m.Params()) {
			t.Error("the weights differ")
		}
		first = m.Params()
	}
}

// TestResumeAppliesNewSettings resumes with another learning rate.
func TestResumeAppliesNewSettings(t *testing.T) {
	t.Parallel()
	m := warm(t)
	g := group(t, m, "a", 0, 1)
	l := learner(t, m, nil)
	mustStep(t, l, g)
	settings := Default()
	settings.LearningRate, settings.WarmUp = 0.5, 0
	l, err := Resume(reread(t, l), nil, settings)
	if err != nil {
		t.Fatal(err)
	}
	if got := mustStep(t, l, g); got.LearningRate != 0.5 || got.Version != 2 {
		t.Errorf("learning rate %v at version %d, want 0.5 at 2", got.LearningRate, got.Version)
	}
}

func TestResumeRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		spoil func(*transformer.Checkpoint, *Settings)
		want  string
	}{
		{"weights alone", func(c *transformer.Checkpoint, _ *Settings) { c.Optimizer = nil }, "no optimiser"},
		{"not from a learner", func(c *transformer.Checkpoint, _ *Settings) { c.Notes = nil }, "learn.version"},
		{"an invalid count", func(c *transformer.Checkpoint, _ *Settings) { c.Notes[noteSkipped] = "-1" }, "learn.skipped"},
		{"settings", func(_ *transformer.Checkpoint, s *Settings) { s.Clip = 2 }, "clip: is 2"},
	} {
		c, s := learner(t, warm(t), nil).Checkpoint(), Default()
		c.Notes = maps.Clone(c.Notes)
		test.spoil(c, &s)
		if _, err := Resume(c, nil, s); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}
