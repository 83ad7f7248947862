package starter

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func TestEmbeddedWeightsFit(t *testing.T) {
	c, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	sizes := DefaultSizes()
	if got := c.Model.Config(); got != sizes.Config() {
		t.Errorf("the embedded model has %+v, want %+v", got, sizes)
	}
	const most = 2 << 20
	if len(weights) > most {
		t.Errorf("the embedded file has %d bytes, want at most %d", len(weights), most)
	}
}

// The warm-up has easier problems of the same tasks, and palindromes, and weighs the tasks alike.
func TestLessons(t *testing.T) {
	weights := func(all []Choice) map[string]float64 {
		sums := map[string]float64{}
		for _, c := range all {
			sums[c.Task] += c.Weight
		}
		return sums
	}
	lessons, ladder := weights(Lessons("")), weights(Ladder(""))
	if ladder["palindrome_generation"] != 0 {
		t.Error("palindromes are in the ladder, where one question is held out")
	}
	ladder["palindrome_generation"] = 1
	if len(Lessons("")) != 33 || len(Ladder("")) != 38 || len(lessons) != len(ladder) {
		t.Errorf("%d lessons of %d tasks, %d levels of %d", len(Lessons("")), len(lessons), len(Ladder("")), len(ladder))
	}
	for task, weight := range lessons {
		if math.Abs(weight-1) > 1e-9 || math.Abs(ladder[task]-1) > 1e-9 {
			t.Errorf("%s has the weights %v and %v, want 1", task, weight, ladder[task])
		}
	}
}

// small returns a warm-up that takes almost no time.
func small() WarmUp {
	return WarmUp{
		Sizes: transformer.Config{Vocab: tiny.Size, Context: 32, Layers: 1, Width: 16, Heads: 1, Hidden: 16},
		Seed:  1, Updates: 30, Batch: 4,
	}
}

// A saying is a scenario with a single question, and its own episode.
type saying struct{}

func (saying) Info() quintain.ScenarioInfo                { return quintain.ScenarioInfo{Name: "saying"} }
func (saying) TaskInfo() quintain.Info                    { return quintain.Info{Name: "saying"} }
func (saying) Key(quintain.Problem) (quintain.Key, error) { return quintain.Key{}, nil }
func (saying) Problem(quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Prompt: "say b"}, nil
}
func (s saying) Env(quintain.Problem) (quintain.Env, error) { return s, nil }
func (saying) Step(context.Context, quintain.Reply) (quintain.Step, error) {
	return quintain.Step{}, nil
}
func (saying) Close() error { return nil }
func (saying) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: "say b"}}, nil
}

func TestExampleTrainsOnTheReplyAlone(t *testing.T) {
	s, err := Example(t.Context(), saying{}, quintain.Problem{}, "b")
	if err != nil {
		t.Fatal(err)
	}
	if got := tiny.Decode(s.Tokens); got != "say b<answer>b</answer>" {
		t.Errorf("the example reads %q", got)
	}
	trained := []quintain.Token{}
	for i, mask := range s.Masks {
		if mask != quintain.Untrained {
			trained = append(trained, s.Tokens[i])
		}
	}
	if want := []quintain.Token{tiny.Answer, 'b', tiny.EndAnswer, tiny.End}; !slices.Equal(trained, want) {
		t.Errorf("trained tokens are %v, want %v", trained, want)
	}
}

// examples returns the same example each time.
func examples(ctx context.Context) (tiny.Sequence, error) {
	return Example(ctx, saying{}, quintain.Problem{}, "b")
}

// bytesOf returns the weights file of a model.
func bytesOf(t *testing.T, m *transformer.Model) string {
	t.Helper()
	data, err := tiny.WriteWeights(transformer.Checkpoint{Model: m}, nil, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWarmUpLearns(t *testing.T) {
	var losses []float64
	warm := small()
	warm.Next = examples
	warm.Told = func(update int, loss float64) {
		if losses = append(losses, loss); update != len(losses) {
			t.Errorf("update %d is reported as number %d", len(losses), update)
		}
	}
	first, err := warm.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(losses); n != 30 || losses[n-1] > losses[0]-0.5 {
		t.Errorf("losses %v", losses)
	}
	warm.Told = nil
	second, err := warm.Make(t.Context())
	if err != nil || bytesOf(t, first) != bytesOf(t, second) {
		t.Errorf("two warm-ups make different weights, error %v", err)
	}
}

// An interrupted warm-up loses nothing: the next one continues it and gets the same
// weights.
func TestWarmUpContinuesAfterAnInterruption(t *testing.T) {
	whole := small()
	whole.Next = examples
	want, err := whole.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	warm := whole
	warm.Path = filepath.Join(t.TempDir(), "unfinished")
	interrupted := errors.New("interrupted")
	ctx, stop := context.WithCancelCause(t.Context())
	made := 0
	warm.Told = func(update int, _ float64) {
		if made++; update == 12 {
			stop(interrupted)
		}
	}
	if _, err := warm.Make(ctx); !errors.Is(err, interrupted) {
		t.Fatalf("error %v", err)
	}
	got, err := warm.Make(t.Context())
	if err != nil || bytesOf(t, got) != bytesOf(t, want) || made != 30 {
		t.Errorf("after an interruption and %d updates the weights differ, error %v", made, err)
	}
	if _, err := os.Stat(warm.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished warm-up is still there: error %v", err)
	}
}

// training returns the training of a model made by a warm-up.
func training(path string) Training {
	warm := small()
	warm.Next, warm.Updates = examples, 1
	s := tiny.Default()
	return Training{Path: path, Sizes: warm.Sizes, Learn: s, Fresh: func() (*transformer.Model, error) { return warm.Make(context.Background()) }}
}

// group returns a group that a trainer can train on.
func group(t *testing.T) *quintain.Group {
	t.Helper()
	s, err := examples(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	logProbs := make([]float64, len(s.Tokens))
	for i, mask := range s.Masks {
		if logProbs[i] = 1; mask != quintain.Untrained {
			logProbs[i] = -1
		}
	}
	return &quintain.Group{
		Tokens: [][]quintain.Token{s.Tokens, s.Tokens}, Masks: [][]int32{s.Masks, s.Masks},
		LogProbs: [][]float64{logProbs, logProbs}, Scores: []float64{0, 1},
	}
}

func TestTrainerContinuesFromItsCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	first, err := OpenTrainer(training(path))
	if err != nil {
		t.Fatal(err)
	}
	if first.Last().Version != 0 || first.Context() != 32 {
		t.Errorf("begins with %+v and a context of %d", first.Last(), first.Context())
	}
	step, err := first.Step([]string{"a"}, []*quintain.Group{group(t)})
	if err != nil || step.Version != 1 || step.Batch[0] != "a" {
		t.Fatalf("step %+v, error %v", step, err)
	}
	if err := first.Publish(); err != nil {
		t.Error(err)
	}
	again, told := training(path), ""
	again.Fresh = nil // there is a checkpoint
	again.Say = func(text string) { told += text }
	second, err := OpenTrainer(again)
	if err != nil {
		t.Fatal(err)
	}
	if last := second.Last(); last.Version != 1 || last.Batch[0] != "a" || last.Seconds != step.Seconds {
		t.Errorf("continues after %+v, want %+v", last, step)
	}
	a, errA := first.Step([]string{"b"}, []*quintain.Group{group(t)})
	b, errB := second.Step([]string{"b"}, []*quintain.Group{group(t)})
	if errA != nil || errB != nil || a.Metrics.Loss != b.Metrics.Loss || a.Metrics.GradNorm != b.Metrics.GradNorm {
		t.Errorf("the next step is %+v (error %v) in one process and %+v (error %v) in another", a.Metrics, errA, b.Metrics, errB)
	}
	if told != "" {
		t.Errorf("the same processor: told %q", told)
	}
	c := first.learner.Checkpoint()
	c.Vocabulary, c.Notes[stepNote], c.Notes[bitsNote] = tiny.OwnName, `{"version":2}`, "ENIAC"
	if elsewhere, err := c.Bytes(transformer.Float32); err != nil || os.WriteFile(path, elsewhere, 0o644) != nil {
		t.Fatal(err)
	}
	if _, err := OpenTrainer(again); err != nil || !strings.Contains(told, "was trained with ENIAC kernels, and goes on with "+kernels()) {
		t.Errorf("another processor: told %q, error %v", told, err)
	}
	other := again
	other.Sizes.Width = 32
	if _, err := OpenTrainer(other); !errors.Is(err, transformer.ErrSizes) {
		t.Errorf("other sizes: error %v", err)
	}
	if err := os.WriteFile(path, []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTrainer(again); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file other than a checkpoint: error %v", err)
	}
}
