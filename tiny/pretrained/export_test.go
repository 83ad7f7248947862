package pretrained_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/internal/safetensors"
	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/pretrained"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// adapt opens a model and gives it adapters that change it.
func adapt(t *testing.T, path string, change float32) (*pretrained.Model, *transformer.Model) {
	t.Helper()
	m, err := pretrained.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	c := m.Config
	c.Rank, c.Alpha = 16, 32
	model, err := transformer.Adapt(c, 1, m.Read)
	if err != nil {
		t.Fatal(err)
	}
	for i := range model.Params() {
		model.Params()[i] += change * float32(math.Sin(float64(i)))
	}
	return m, model
}

// A merged model gives what the base gives with its adapters.
func TestMerged(t *testing.T) {
	t.Parallel()
	ids := make([]int32, 40)
	for i := range ids {
		ids[i] = int32(i * 7 % 200)
	}
	scores := func(m *transformer.Model) []float32 {
		all, err := transformer.NewPass(m).Forward([][]int32{ids}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(all.LogProbs[0])
	}
	for name, s := range shapes() {
		paths := map[string]string{"GGUF": s.writeGGUF(t, s.keys(), append(s.arrays(gguf.F32, true), s.factors()...))}
		if name == "qwen3" {
			paths["folder"] = writeFolder(t, s.folder(gguf.F32))
		}
		for kind, path := range paths {
			m, trained := adapt(t, path, 0.02)
			folder := t.TempDir()
			if err := errors.Join(m.WriteMerged(folder, trained), m.WriteAdapter(filepath.Join(folder, "adapter"), trained)); err != nil {
				t.Fatal(err)
			}
			back, merged := adapt(t, folder, 0)
			if !slices.Equal(back.Ends, m.Ends) || back.Tokenizer.Size() != m.Tokenizer.Size() {
				t.Errorf("%s, %s: ends %v and %d tokens, want %v and %d", name, kind, back.Ends, back.Tokenizer.Size(), m.Ends, m.Tokenizer.Size())
			}
			_, plain := adapt(t, path, 0)
			want, got, before := scores(trained), scores(merged), scores(plain)
			apart, moved := 0.0, 0.0
			for i := range want {
				apart, moved = max(apart, math.Abs(float64(want[i]-got[i]))), max(moved, math.Abs(float64(want[i]-before[i])))
			}
			if !(apart < 1e-3) || moved < 0.01 {
				t.Errorf("%s, %s: log-probabilities are %.2g apart, want 1e-3; the adapters change them by %.2g", name, kind, apart, moved)
			}
			file, err := os.ReadFile(filepath.Join(folder, "adapter", "adapter_model.safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			if arrays, err := safetensors.Read(bytes.NewReader(file), int64(len(file))); err != nil || len(arrays) != 2*7*2 {
				t.Errorf("%s, %s: %d arrays of adapters, want 28; error %v", name, kind, len(arrays), err)
			}
		}
	}
}
