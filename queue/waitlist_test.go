package queue

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The model of a waitlist is a sorted list.
func TestIndexIsASortedList(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var x waitlist
	var want, out []uint64
	next := uint64(0)
	for step := range 4000 {
		switch r.IntN(5) {
		case 0, 1: // as they are put
			for range r.IntN(8) {
				next++
				x.add(Entry{Seq: next, Tokens: int(next), EnvID: int32(next % 3)})
				want = append(want, next)
			}
		case 2: // as they are leased: mostly old ones
			var seqs []uint64
			for range min(len(want), r.IntN(9)) {
				seqs = append(seqs, want[int(float64(len(want))*r.Float64()*r.Float64())])
			}
			seqs = append(seqs, 1<<60)
			var gone []uint64
			for _, e := range x.take(seqs) {
				gone = append(gone, e.Seq)
			}
			if seqs = slices.Compact(slices.Sorted(slices.Values(seqs[:len(seqs)-1]))); !slices.Equal(gone, seqs) {
				t.Fatalf("step %d: took %v, want %v", step, gone, seqs)
			}
			want = slices.DeleteFunc(want, func(seq uint64) bool { return slices.Contains(seqs, seq) })
			out = append(out, gone...)
		case 3: // as they are released
			if len(out) > 0 {
				i := r.IntN(len(out))
				x.add(Entry{Seq: out[i], Tokens: int(out[i]), EnvID: int32(out[i] % 3)})
				x.add(Entry{Seq: out[i], Tokens: int(out[i]), EnvID: int32(out[i] % 3)}) // it is there
				at, _ := slices.BinarySearch(want, out[i])
				want = slices.Insert(want, at, out[i])
				out = slices.Delete(out, i, i+1)
			}
		case 4: // as a batch is released
			var back []Entry
			for range min(len(out), r.IntN(9)) {
				i := r.IntN(len(out))
				back = append(back, Entry{Seq: out[i], Tokens: int(out[i]), EnvID: int32(out[i] % 3)})
				want = append(want, out[i])
				out = slices.Delete(out, i, i+1)
			}
			x.add(append(back, back...)...)
			slices.Sort(want)
		}
		checkIndex(t, &x, want)
	}
	if room := cap(x.buf); room > 8*len(want)+1000 {
		t.Errorf("the list has room for %d entries, and holds %d", room, len(want))
	}
}

func checkIndex(t *testing.T, x *waitlist, want []uint64) {
	t.Helper()
	var count Count
	for i, e := range x.all() {
		if i >= len(want) || e.Seq != want[i] {
			t.Fatalf("entry %d is %d, want %v", i, e.Seq, want)
		}
		count.add(e, 1)
	}
	envs := Count{}
	for _, c := range x.envs {
		envs.Groups += c.Groups
		envs.Tokens += c.Tokens
	}
	if len(x.all()) != len(want) || count != x.count || envs != count {
		t.Fatalf("%d entries, want %d; counts %+v, %+v, want %+v", len(x.all()), len(want), x.count, envs, count)
	}
}

func BenchmarkIndex(b *testing.B) {
	for name, at := range map[string]func(n int) int{
		"oldest": func(int) int { return 0 },
		"middle": func(n int) int { return n / 2 },
		"spread": rand.IntN,
	} {
		b.Run(name+"-of-100k", func(b *testing.B) {
			var x waitlist
			for i := range 100000 {
				x.add(Entry{Seq: uint64(i + 1)})
			}
			next := uint64(100000)
			for b.Loop() {
				seqs := make([]uint64, 64)
				for i := range seqs {
					seqs[i] = x.all()[at(len(x.all())-64)+i].Seq
				}
				n := len(x.take(seqs))
				for range n {
					next++
					x.add(Entry{Seq: next})
				}
			}
		})
	}
}
