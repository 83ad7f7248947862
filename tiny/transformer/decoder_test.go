package transformer

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDecoderAgreesWithTraining samples in batches of changing composition, and
// compares each log-probability with that of the training forward pass.
func TestDecoderAgreesWithTraining(t *testing.T) {
	t.Parallel()
	for i, c := range slices.Concat(small, kin) {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		m := anyModel(t, c, uint64(i))
		d, err := NewDecoder(m, 5)
		if err != nil {
			t.Fatal(err)
		}
		held, scored := make([][]int32, 5), make([][]float32, 5)
		var done [][]int32
		var want [][]float32
		var sampler Sampler
		src := rand.NewChaCha8([32]byte{1})
		for range 4 * c.Context {
			var slots []int
			var next []int32
			for s := range held {
				if len(held[s]) == c.Context || len(held[s]) > 0 && r.IntN(20) == 0 {
					done, want = append(done, held[s]), append(want, scored[s])
					held[s], scored[s] = nil, nil
					d.Reset(s)
				}
				if len(held[s]) == 0 {
					held[s] = sequences(c, r.Uint64(), 1+r.IntN(c.Context))[0]
					scored[s] = make([]float32, len(held[s]))
					if _, err := d.Append(s, held[s]); err != nil {
						t.Fatal(err)
					}
				} else if r.IntN(3) > 0 {
					draw, err := sampler.Sample(d.Logits(s), Sampling{Temperature: 1.3, TopP: 0.9}, src)
					if err != nil {
						t.Fatal(err)
					}
					held[s], scored[s] = append(held[s], draw.Token), append(scored[s], draw.LogProb)
					slots, next = append(slots, s), append(next, draw.Token)
				}
			}
			if err := d.Step(slots, next); err != nil {
				t.Fatal(err)
			}
		}
		scores, err := NewPass(m).Forward(done, nil)
		if err != nil {
			t.Fatal(err)
		}
		for s := range done {
			for j, w := range want[s] {
				if w != 0 && math.Abs(float64(w-scores.LogProbs[s][j])) > 1e-4 {
					t.Errorf("%+v: token %d: log-probability %v when sampled, %v in training", c, j, w, scores.LogProbs[s][j])
				}
			}
		}
	}
}

// TestSlotsDoNotAffectEachOther takes one sequence through batches of several kinds.
func TestSlotsDoNotAffectEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{small[1], kin[0], kin[3], kin[4]} {
		checkSlots(t, anyModel(t, c, 3))
	}
}

func checkSlots(t *testing.T, m *Model) {
	t.Helper()
	c := m.Config()
	mine := sequences(c, 4, 30)[0]
	alone, err := NewDecoder(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := alone.Append(0, mine)
	if err != nil {
		t.Fatal(err)
	}
	for _, others := range []int{0, 1, 2, 3, 6, 9} {
		d, err := NewDecoder(m, others+1)
		if err != nil {
			t.Fatal(err)
		}
		at := others / 2
		for i, token := range mine {
			var slots []int
			var tokens []int32
			for s := range others + 1 {
				if s == at || (i+s)%3 > 0 {
					slots, tokens = append(slots, s), append(tokens, int32((i*s)%c.Vocab))
				}
				if s == at {
					tokens[len(tokens)-1] = token
				}
			}
			if err := d.Step(slots, tokens); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(d.Logits(at), want) {
			t.Errorf("the logits with %d other slots, token by token, differ from those of the sequence alone in one call", others)
		}
	}
}

func TestLoadTakesNewWeights(t *testing.T) {
	t.Parallel()
	c := small[1]
	prompt := sequences(c, 4, 30)[0]
	first, second := shaken(c, 1), shaken(c, 2)
	d, err := NewDecoder(first, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Append(0, prompt); err != nil {
		t.Fatal(err)
	}
	if err := d.Load(second); err != nil {
		t.Fatal(err)
	}
	if d.Len(0) != 0 {
		t.Errorf("slot 0 holds %d tokens after Load", d.Len(0))
	}
	if err := d.Extend(Feed{1, prompt[:9]}, Feed{0, prompt}); err != nil {
		t.Fatal(err)
	}
	fresh, err := NewDecoder(second, 1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fresh.Append(0, prompt)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Logits(0), want) {
		t.Error("logits after Load are not those of the new weights")
	}
	if err := d.Load(shaken(small[0], 1)); err == nil {
		t.Error("weights of other sizes are accepted")
	}
}

func TestDecoderRefuses(t *testing.T) {
	t.Parallel()
	c := small[0]
	d, err := NewDecoder(shaken(c, 1), 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Append(0, make([]int32, c.Context-1)); err != nil {
		t.Fatal(err)
	}
	for _, feeds := range [][]Feed{
		{{1, []int32{1}}, {0, []int32{1, 1}}},
		{{1, []int32{1}}, {1, []int32{1}}},
		{{1, []int32{1}}, {2, []int32{1}}},
		{{1, []int32{1}}, {-1, []int32{1}}},
		{{1, []int32{1}}, {0, nil}},
		{{1, []int32{1}}, {0, []int32{7}}},
	} {
		if err := d.Extend(feeds...); err == nil {
			t.Errorf("%v is accepted", feeds)
		}
		if d.Len(0) != c.Context-1 || d.Len(1) != 0 {
			t.Errorf("%v changed the slots to %d and %d tokens", feeds, d.Len(0), d.Len(1))
		}
	}
	if _, err := d.Append(0, []int32{1, 1}); !errors.Is(err, ErrContext) {
		t.Errorf("error %v, want ErrContext", err)
	}
	if err := d.Step([]int{0, 1}, []int32{1}); err == nil {
		t.Error("two slots and one token are accepted")
	}
	if err := d.Step([]int{0, 1}, []int32{1, 9}); err == nil {
		t.Error("a token outside the vocabulary is accepted")
	}
	if err := d.Step([]int{0, 1}, []int32{1, 1}); err != nil {
		t.Errorf("after errors: %v", err)
	}
}

// A copy continues like its original, and independently of it.
func TestDecoderCopy(t *testing.T) {
	t.Parallel()
	m, err := New(Config{Vocab: 32, Context: 16, Layers: 2, Width: 32, Heads: 2, Hidden: 64}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Params() { // a new model gives every token the same probability
		m.Params()[i] += float32(i%7-3) / 50
	}
	d, err := NewDecoder(m, 3)
	if err != nil {
		t.Fatal(err)
	}
	prompt := []int32{1, 5, 9}
	if _, err := d.Append(0, prompt); err != nil {
		t.Fatal(err)
	}
	d.Copy(1, 0)
	if d.Len(1) != len(prompt) || !slices.Equal(d.Logits(0), d.Logits(1)) {
		t.Fatalf("the copy holds %d tokens, or has other logits", d.Len(1))
	}
	if err := d.Step([]int{0, 1}, []int32{7, 8}); err != nil {
		t.Fatal(err)
	}
	for slot, last := range []int32{7, 8} {
		d.Reset(2)
		want, err := d.Append(2, append(slices.Clone(prompt), last))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Logits(slot), want) {
			t.Errorf("slot %d continues as another sequence", slot)
		}
	}
}

// TestPagesAreShared copies, extends and empties slots at random. Each slot then continues
// as if it alone had its tokens, and no page leaks or becomes free too early.
func TestPagesAreShared(t *testing.T) {
	t.Parallel()
	c := small[2]
	m := shaken(c, 1)
	d, err := NewDecoder(m, 6)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := NewDecoder(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 8))
	held := make([][]int32, d.Slots())
	shared := 0
	for range 400 {
		s := r.IntN(len(held))
		switch from := r.IntN(len(held)); {
		case r.IntN(3) == 0 && len(held[from]) > 0:
			d.Copy(s, from)
			held[s] = slices.Clone(held[from])
		case r.IntN(8) == 0 || len(held[s]) > c.Context-20:
			d.Reset(s)
			held[s] = nil
		default:
			more := sequences(c, r.Uint64(), 1+r.IntN(20))[0]
			if _, err := d.Append(s, more); err != nil {
				t.Fatal(err)
			}
			held[s] = append(held[s], more...)
		}
		pages := map[*page]int{}
		for i, tokens := range held {
			if d.Len(i) != len(tokens) || len(d.slots[i].pages) != (len(tokens)+lanes-1)/lanes {
				t.Fatalf("slot %d has %d tokens in %d pages, want %d", i, d.Len(i), len(d.slots[i].pages), len(tokens))
			}
			for _, p := range d.slots[i].pages {
				pages[p]++
			}
		}
		for p, n := range pages {
			if p.refs != n || slices.Contains(d.free, p) {
				t.Fatalf("a page held by %d slots counts %d, free %v", n, p.refs, slices.Contains(d.free, p))
			}
			shared += n - 1
		}
		if len(held[s]) > 0 {
			alone.Reset(0)
			want, err := alone.Append(0, held[s])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(d.Logits(s), want) {
				t.Fatalf("slot %d with %d tokens continues as another sequence", s, len(held[s]))
			}
		}
	}
	if shared == 0 {
		t.Error("no page was ever shared")
	}
}

// TestBegin continues beginnings of a sequence, of all lengths around those of pages.
func TestBegin(t *testing.T) {
	t.Parallel()
	m := anyModel(t, kin[0], 1)
	d, err := NewDecoder(m, 3)
	if err != nil {
		t.Fatal(err)
	}
	tokens, other := sequences(kin[0], 1, 40)[0], sequences(kin[0], 2, 9)[0]
	if _, err := d.Append(0, tokens); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 15, 16, 17, 32, 40} {
		d.Begin(1, 0, n)
		d.Reset(2)
		want, err := d.Append(2, slices.Concat(tokens[:n], other))
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Append(1, other)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %d tokens of another slot: logits %v, want %v", n, got[:3], want[:3])
		}
		if d.Begin(1, 1, n); d.Len(1) != n {
			t.Errorf("a slot of which %d tokens stay has %d", n, d.Len(1))
		}
	}
}
