package transformer

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestNewIsPinned: the same sizes and seed give the same weights permanently, on every
// machine.
func TestNewIsPinned(t *testing.T) {
	t.Parallel()
	m, err := New(small[1], 5)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tensor := range m.Tensors() {
		got = append(got, fmt.Sprint(tensor.Name, math.Float32bits(tensor.Data[0]), math.Float32bits(tensor.Data[len(tensor.Data)-1])))
	}
	want := []string{
		"embed1056981611 1066612429", "head0 0",
		"layers.0.qkv3178375361 3192320034", "layers.0.out0 0", "layers.0.up3163356396 1032068945", "layers.0.down0 0", "layers.0.shift0 0",
		"layers.1.qkv1024708192 3139850190", "layers.1.out0 0", "layers.1.up3188808830 1039919030", "layers.1.down0 0", "layers.1.shift0 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("weights begin and end %q, want %q", got, want)
	}
	other, err := New(small[1], 6)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(m.Params(), other.Params()) {
		t.Error("another seed gives the same weights")
	}
}

func TestNewHasTheDeclaredSpread(t *testing.T) {
	t.Parallel()
	m, err := New(Config{Vocab: 200, Context: 8, Layers: 1, Width: 64, Heads: 2, Hidden: 256}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range m.Tensors() {
		got := norm(tensor.Data) / math.Sqrt(float64(len(tensor.Data)))
		if want := float64(tensor.spread); math.Abs(got-want) > 0.03*want {
			t.Errorf("%s: spread %v, want %v", tensor.Name, got, want)
		}
	}
}

func TestConfigCheck(t *testing.T) {
	t.Parallel()
	good := Config{Vocab: 10, Context: 10, Layers: 1, Width: 64, Heads: 2, Hidden: 64}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		spoil func(c *Config)
		want  string
	}{
		{func(c *Config) { c.Vocab = 1 }, "vocab is 1, want 2 to"},
		{func(c *Config) { c.Context = 1 }, "context is 1"},
		{func(c *Config) { c.Layers = 0 }, "layers is 0"},
		{func(c *Config) { c.Layers = 129 }, "layers is 129"},
		{func(c *Config) { c.Heads = 0 }, "heads is 0"},
		{func(c *Config) { c.Width = 0 }, "width is 0"},
		{func(c *Config) { c.Width = 72 }, "width is 72, want a multiple of 16"},
		{func(c *Config) { c.Width = 48 }, "head_width is 24, want a multiple of 16"},
		{func(c *Config) { c.Heads = 3 }, "head_width is 21"},
		{func(c *Config) { c.Tied = true }, "rank is 0"},
		{func(c *Config) { c.Hidden = 100 }, "hidden is 100, want a multiple of 16"},
		{func(c *Config) { c.Hidden = 1 << 20 }, "hidden is 1048576"},
		{func(c *Config) { c.Width, c.Hidden, c.Layers = 4096, 16384, 64 }, "parameters, at most"},
	} {
		c := good
		test.spoil(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", c, err, test.want)
		}
		if _, err := New(c, 1); err == nil {
			t.Errorf("%+v: New accepts it", c)
		}
	}
}

func TestParamsCountsTheTensors(t *testing.T) {
	t.Parallel()
	for _, c := range small {
		m := shaken(c, 1)
		n := 0
		for _, tensor := range m.Tensors() {
			n += len(tensor.Data)
			if len(tensor.Data) != tensor.Rows*tensor.Cols {
				t.Errorf("%s has %d numbers", tensor.Name, len(tensor.Data))
			}
		}
		if n != c.Params() || n != len(m.Params()) {
			t.Errorf("%+v: %d parameters in tensors, %d declared, %d held", c, n, c.Params(), len(m.Params()))
		}
	}
}

func TestCloneAndCopy(t *testing.T) {
	t.Parallel()
	m := shaken(small[1], 1)
	clone := m.Clone()
	m.Params()[3]++
	if clone.Params()[3] == m.Params()[3] {
		t.Error("a clone shares its parameters")
	}
	if err := clone.CopyFrom(m); err != nil || !slices.Equal(clone.Params(), m.Params()) {
		t.Errorf("copied: %v", err)
	}
	if err := clone.CopyFrom(shaken(small[0], 1)); !errors.Is(err, ErrSizes) {
		t.Errorf("from other sizes: error %v", err)
	}
}

func TestCheckFinite(t *testing.T) {
	t.Parallel()
	m := shaken(small[1], 1)
	if err := m.CheckFinite(); err != nil {
		t.Error(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := shaken(small[1], 1)
		up := m.layer(1)[tensorUp]
		up.Data[2*up.Cols+5] = float32(bad)
		if err := m.CheckFinite(); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "layers.1.up[2,5]") {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

// TestStepsMakeNoGarbage checks that steps reuse memory. In any round a goroutine may get
// a larger share of the work than before and allocate for it, so the best of several
// rounds counts.
func TestStepsMakeNoGarbage(t *testing.T) {
	m := shaken(small[1], 1)
	p := NewPass(m)
	o, err := NewAdamW(m, AdamSettings{Muon: 5})
	if err != nil {
		t.Fatal(err)
	}
	batch := sequences(m.Config(), 1, 40, 40, 20, 39, 40)
	d, _ := likelihood(batch)
	learnOnce := func() {
		clear(p.Grads())
		run(t, p, batch, d)
		if _, err := o.Step(m, p.Grads()); err != nil {
			t.Fatal(err)
		}
	}
	learnOnce()
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 10 {
			learnOnce()
		}
		runtime.ReadMemStats(&after)
		least = min(least, (after.TotalAlloc-before.TotalAlloc)/10)
	}
	if least > 1<<14 {
		t.Errorf("%d bytes allocated in a step", least)
	}
}
