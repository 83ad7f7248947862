package tiny_test

import (
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func TestWeightsFileKeepsThePolicy(t *testing.T) {
	t.Parallel()
	m := newModel(t, sizes(64), 20, 0)
	data, err := tiny.WriteWeights(transformer.Checkpoint{Model: m, Vocabulary: "any", Notes: map[string]string{"step": "7"}}, nil, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tiny.ReadWeights(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Model.Params(), m.Params()) || c.Vocabulary != tiny.OwnName || c.Notes["step"] != "7" {
		t.Errorf("read %v, %q, %v", c.Model.Config(), c.Vocabulary, c.Notes)
	}
	p := start(t, c.Model, tiny.Options{})
	if got, want := sample(t, p, ask("x", 1)), sample(t, start(t, m, tiny.Options{}), ask("x", 1)); got[0].Text != want[0].Text {
		t.Errorf("the weights read back reply %q, want %q", got[0].Text, want[0].Text)
	}
}

func TestUnusableWeightsFilesAreRefused(t *testing.T) {
	t.Parallel()
	small := sizes(64)
	small.Vocab = 64
	other, err := transformer.New(small, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := func(m *transformer.Model, vocabulary string) []byte {
		data, err := (&transformer.Checkpoint{Model: m, Vocabulary: vocabulary}).Bytes(transformer.Float16)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	m := newModel(t, sizes(64), 21, 0)
	good := file(m, tiny.OwnName)
	if _, err := tiny.ReadWeights(good, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why  string
		data []byte
		want error
	}{
		{"another vocabulary", file(m, "quintain-tiny-2"), transformer.ErrVocabulary},
		{"fewer tokens than in the vocabulary", file(other, tiny.OwnName), transformer.ErrSizes},
		{"cut", good[:len(good)-1], transformer.ErrTruncated},
		{"damaged", append(slices.Clone(good[:len(good)-1]), good[len(good)-1]^1), transformer.ErrCorrupt},
		{"not a weights file", []byte("<html>"), transformer.ErrForeign},
		{"nothing", nil, transformer.ErrForeign},
	} {
		if _, err := tiny.ReadWeights(test.data, nil); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.why, err, test.want)
		}
	}
	broken := m.Clone()
	broken.Params()[3] = float32(math.NaN())
	for _, test := range []struct {
		why  string
		m    *transformer.Model
		want error
	}{
		{"another vocabulary", other, transformer.ErrSizes},
		{"a NaN parameter", broken, transformer.ErrNotFinite},
	} {
		if _, err := tiny.WriteWeights(transformer.Checkpoint{Model: test.m}, nil, transformer.Float32); !errors.Is(err, test.want) {
			t.Errorf("%s: writing has error %v, want %v", test.why, err, test.want)
		}
	}
}

func TestAVersionIsWrittenWithItsWeights(t *testing.T) {
	t.Parallel()
	m := newModel(t, sizes(64), 22, 0)
	data, err := tiny.WriteVersion(m, nil, 41)
	if err != nil {
		t.Fatal(err)
	}
	back, version, err := tiny.ReadVersion(data, nil)
	if err != nil || version != 41 || !slices.Equal(back.Params(), m.Params()) {
		t.Errorf("version %d, error %v, or other weights", version, err)
	}
	for _, note := range []string{"", "x", "-1", "4294967296", "1.5"} {
		data, err := tiny.WriteWeights(transformer.Checkpoint{Model: m, Notes: map[string]string{"version": note}}, nil, transformer.Float32)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := tiny.ReadVersion(data, nil); !errors.Is(err, transformer.ErrForeign) {
			t.Errorf("version %q: error %v", note, err)
		}
	}
}

// FuzzReadVersion reads what a network brings: files that end with their checksum, so that what is
// within is read too.
func FuzzReadVersion(f *testing.F) {
	m, err := transformer.New(transformer.Config{Vocab: tiny.Size, Context: 2, Layers: 1, Width: 16, Heads: 1, Hidden: 16}, 1)
	if err != nil {
		f.Fatal(err)
	}
	data, err := tiny.WriteVersion(m, nil, 7)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:200])
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := len(data) - sha256.Size; n > 0 {
			sum := sha256.Sum256(data[:n])
			data = append(data[:n:n], sum[:]...)
		}
		m, version, err := tiny.ReadVersion(data, nil)
		if err != nil {
			return
		}
		if version < 0 || m.CheckFinite() != nil || m.Config().Vocab != tiny.Size {
			t.Errorf("version %d of a model of %+v", version, m.Config())
		}
		again, err := tiny.WriteVersion(m, nil, version)
		if err != nil {
			t.Fatal(err)
		}
		if back, of, err := tiny.ReadVersion(again, nil); err != nil || of != version || !slices.Equal(back.Params(), m.Params()) {
			t.Errorf("written again it has version %d, want %d, error %v, or other weights", of, version, err)
		}
	})
}
