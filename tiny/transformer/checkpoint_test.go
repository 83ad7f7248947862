package transformer

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// saved returns a checkpoint with every field set, after a few steps.
func saved(t testing.TB) *Checkpoint {
	t.Helper()
	m := shaken(small[1], 1)
	o, err := NewAdamW(m, AdamSettings{Rate: 0.01, WarmUp: 3, Clip: 1, WeightDecay: 0.01, Muon: 2})
	if err != nil {
		t.Fatal(err)
	}
	learn(t, m, o, 2)
	return &Checkpoint{m, o, "letters", map[string]string{"seed": "7"}}
}

// learn takes steps on data that depends only on the number of previous steps.
func learn(t testing.TB, m *Model, o *AdamW, steps int) {
	t.Helper()
	p := NewPass(m)
	for range steps {
		batch := sequences(m.Config(), uint64(o.Steps()), 20, 11)
		d, _ := likelihood(batch)
		clear(p.Grads())
		run(t, p, batch, d)
		if _, err := o.Step(m, p.Grads()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTrainingResumesAsIfNeverSaved compares a saved and restored run with an uninterrupted
// one.
func TestTrainingResumesAsIfNeverSaved(t *testing.T) {
	t.Parallel()
	c := saved(t)
	data, err := c.Bytes(Float32)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadCheckpoint(data, "letters")
	if err != nil {
		t.Fatal(err)
	}
	was, ok := c.Optimizer, back.Optimizer
	if back.Vocabulary != "letters" || back.Notes["seed"] != "7" || ok.Settings != was.Settings || ok.Steps() != was.Steps() ||
		!slices.Equal(ok.first, was.first) || !slices.Equal(ok.second, was.second) {
		t.Errorf("read %+v", back)
	}
	learn(t, c.Model, c.Optimizer, 4)
	learn(t, back.Model, back.Optimizer, 4)
	if !slices.Equal(c.Model.Params(), back.Model.Params()) {
		t.Error("the parameters differ four steps later")
	}
}

func TestFloat16IsSmall(t *testing.T) {
	t.Parallel()
	c := saved(t)
	c.Optimizer = nil
	full, err := c.Bytes(Float32)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.Bytes(Float16)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(c.Model.Params()); len(full)-len(data) != want {
		t.Errorf("%d bytes less than in full, want %d", len(full)-len(data), want)
	}
	back, err := ReadCheckpoint(data, "")
	if err != nil {
		t.Fatal(err)
	}
	if back.Optimizer != nil {
		t.Error("read an optimiser out of nowhere")
	}
	for i, want := range c.Model.Params() {
		got := back.Model.Params()[i]
		if math.Abs(float64(got-want)) > math.Abs(float64(want))/(1<<11)+1.0/(1<<25) {
			t.Fatalf("parameter %d is %v, want %v", i, got, want)
		}
	}
	again, err := back.Bytes(Float16)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("written again, the file differs (%v)", err)
	}
}

func TestBytesRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		spoil func(c *Checkpoint)
		as    Encoding
		want  string
	}{
		{"unknown encoding", func(*Checkpoint) {}, "int3", "unknown encoding"},
		{"too large for half", func(c *Checkpoint) { c.Model.Params()[5] = 65520 }, Float16, "embed[5]: 65520 is too large"},
		{"NaN", func(c *Checkpoint) { c.Model.Params()[5] = float32(math.NaN()) }, Float32, "embed[5]: not a finite"},
		{"NaN in the optimiser", func(c *Checkpoint) { c.Optimizer.second[5] = float32(math.NaN()) }, Float32, "second mean[5]: not a finite"},
		{"optimiser of another model", func(c *Checkpoint) { c.Model = shaken(small[0], 1) }, Float32, "other sizes"},
		{"endless notes", func(c *Checkpoint) { c.Notes["x"] = strings.Repeat("x", maxHeader) }, Float32, "header of"},
	} {
		c := saved(t)
		test.spoil(c)
		if _, err := c.Bytes(test.as); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

// sealed appends the right checksum to a file with changed content.
func sealed(data []byte) []byte {
	end := len(data) - sha256.Size
	sum := sha256.Sum256(data[:end])
	return append(data[:end:end], sum[:]...)
}

// replaced replaces a part of the header, and seals the file.
func replaced(data []byte, was, is string) []byte {
	n := binary.LittleEndian.Uint32(data[12:])
	text := bytes.Replace(data[16:16+n], []byte(was), []byte(is), 1)
	changed := binary.LittleEndian.AppendUint32(slices.Clone(data[:12]), uint32(len(text)))
	return sealed(slices.Concat(changed, text, data[16+n:]))
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	whole, err := saved(t).Bytes(Float32)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int, b byte) []byte {
		data := slices.Clone(whole)
		data[i] = b
		return data
	}
	body := 16 + int(binary.LittleEndian.Uint32(whole[12:]))
	nan := binary.LittleEndian.AppendUint32(slices.Clone(whole[:body]), math.Float32bits(float32(math.NaN())))
	for _, test := range []struct {
		why  string
		data []byte
		want error
	}{
		{"nothing", nil, ErrForeign},
		{"text", []byte("hello, world, this is not a weights file"), ErrForeign},
		{"line ends changed", bytes.Replace(whole, []byte("\r\n"), []byte("\n"), 1), ErrForeign},
		{"first byte only", whole[:1], ErrTruncated},
		{"within the prefix", whole[:13], ErrTruncated},
		{"within the header", whole[:200], ErrTruncated},
		{"within the data", whole[:len(whole)/2], ErrTruncated},
		{"last byte missing", whole[:len(whole)-1], ErrTruncated},
		{"one byte too many", append(slices.Clone(whole), 0), ErrCorrupt},
		{"version 2", sealed(at(8, 2)), ErrVersion},
		{"bit in the version", at(8, 2), ErrCorrupt},
		{"header without end", at(15, 255), ErrCorrupt},
		{"header longer than the file", at(14, 8), ErrTruncated},
		{"header is not JSON", at(16, '['), ErrCorrupt},
		{"bit in the data", at(body+9, whole[body+9]^1), ErrCorrupt},
		{"bit in the checksum", at(len(whole)-1, whole[len(whole)-1]^1), ErrCorrupt},
		{"NaN in the data", sealed(append(nan, whole[body+4:]...)), ErrNotFinite},
		{"unknown field", replaced(whole, `"vocabulary"`, `"vokabulary"`), ErrCorrupt},
		{"unknown encoding", replaced(whole, `"float32"`, `"float8"`), ErrCorrupt},
		{"no layers", replaced(whole, `"layers":2`, `"layers":0`), ErrCorrupt},
		{"more layers", replaced(whole, `"layers":2`, `"layers":3`), ErrTruncated},
		{"fewer layers", replaced(whole, `"layers":2`, `"layers":1`), ErrCorrupt},
		{"huge", replaced(whole, `"width":32`, `"width":2048`), ErrTruncated},
		{"another tensor", replaced(whole, `"embed"`, `"embad"`), ErrCorrupt},
		{"optimiser not declared", replaced(whole, `"optimizer":{`, `"notes":{`), ErrCorrupt},
		{"negative steps", replaced(whole, `"steps":2`, `"steps":-2`), ErrCorrupt},
		{"negative rate", replaced(whole, `"rate":0.01`, `"rate":-1`), ErrCorrupt},
		{"another vocabulary", replaced(whole, `"letters"`, `"bytes"`), ErrVocabulary},
	} {
		if _, err := ReadCheckpoint(test.data, "letters"); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.why, err, test.want)
		}
	}
	if _, err := ReadCheckpoint(whole, "letters"); err != nil {
		t.Errorf("whole: %v", err)
	}
}

// FuzzReadCheckpoint checks that any readable file survives writing and reading again.
func FuzzReadCheckpoint(f *testing.F) {
	c := &Checkpoint{Model: shaken(Config{Vocab: 2, Context: 2, Layers: 1, Width: 16, Heads: 1, Hidden: 16}, 1)}
	for _, e := range []Encoding{Float16, Float32} {
		data, err := c.Bytes(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:100])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > sha256.Size {
			data = sealed(data)
		}
		c, err := ReadCheckpoint(data, "")
		if err != nil {
			return
		}
		again, err := c.Bytes(Float32)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadCheckpoint(again, c.Vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, c) {
			t.Error("the checkpoint differs after writing and reading it again")
		}
	})
}

func TestHalfRoundsToTheNearest(t *testing.T) {
	t.Parallel()
	for h := range uint16(halfInf) { // every finite number, and the neighbourhood of the midpoint to the next
		x := fromHalf(h)
		if back := toHalf(x); back != h {
			t.Fatalf("%#x converts to %v and back to %#x", h, x, back)
		}
		if back := toHalf(-x); back != h|0x8000 {
			t.Fatalf("-%#x converts to %v and back to %#x", h, -x, back)
		}
		if h+1 == halfInf {
			break
		}
		next := fromHalf(h + 1)
		middle := (x + next) / 2
		even := h + h&1
		if got := toHalf(middle); got != even {
			t.Fatalf("halfway between %#x and the next: %#x, want the even one %#x", h, got, even)
		}
		if got := toHalf(math.Nextafter32(middle, 0)); got != h {
			t.Fatalf("just below the middle after %#x: %#x", h, got)
		}
		if got := toHalf(math.Nextafter32(middle, next)); got != h+1 {
			t.Fatalf("just above the middle after %#x: %#x", h, got)
		}
	}
	for _, x := range []float32{65520, 1e9, math.MaxFloat32} {
		if got := toHalf(x); got != halfInf {
			t.Errorf("%v is %#x, want infinity", x, got)
		}
	}
	if x := fromHalf(0x7e00); x == x {
		t.Errorf("NaN is %v", x)
	}
}
