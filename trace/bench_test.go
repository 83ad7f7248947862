package trace

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

// BenchmarkWrite measures the cost of a Write, and its bytes per read or sampled token.
func BenchmarkWrite(b *testing.B) {
	s := newSpecimen()
	for _, shape := range []struct {
		name string
		make func(i int) *Record
		n    int
	}{{"small", s.small, 4000}, {"large", s.large, 40}} {
		var records []*Record
		tokens := 0
		for i := range shape.n {
			records = append(records, shape.make(i))
			tokens += records[i].tokens()
		}
		b.Run(shape.name, func(b *testing.B) {
			w, err := NewWriter(b.TempDir(), Head{}, Default())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			groups := 0
			for b.Loop() {
				if err := w.Write(records[groups%len(records)]); err != nil {
					b.Fatal(err)
				}
				groups++
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			size := int64(0)
			for _, f := range w.older {
				size += f.size
			}
			b.ReportMetric(float64(size)/float64(groups)/(float64(tokens)/float64(len(records))), "bytes/token")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(groups), "µs/group")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// million makes a trace of a million groups in 16 segments, with holes for blocks, because
// the benchmark needs only indexes.
func million(b *testing.B, dir string) {
	p := newPacker()
	for n := 1; n <= 16; n++ {
		var x rows
		at := int64(100)
		for k := range 62500 {
			if k%100 == 0 {
				x.blocks = append(x.blocks, [2]int64{at, 0})
				at += 40000
			}
			x.blocks[len(x.blocks)-1][1]++
			i := n*62500 + k
			score := float64(i*7%9) / 8
			x.add(Entry{
				Group: fmt.Sprintf("reasoning_gym.v1-4b973e/chain_sum_%d.v1.s1.l-bf188af3d010.%d", i%61, i/61), Task: fmt.Sprintf("chain_sum_%d", i%61),
				Scenario: "reasoning_gym.v1-4b973e", Outcomes: quintain.Outcomes[:1+i%5/4], Drop: []string{"", "", "equal_scores"}[i%3],
				Version: i / 8, Time: epoch.Add(time.Duration(i)*2500*time.Microsecond + time.Duration(i*7919%1e6)), Episodes: 8, Tokens: 200 + i%60, Score: &score, Spread: new(score * score),
			})
		}
		f, err := os.Create(segmentPath(dir, n))
		if err != nil {
			b.Fatal(err)
		}
		head, err := Head{Run: "run"}.pack(p)
		if err == nil {
			_, err = f.WriteAt(appendFrame([]byte(magic), kindHead, head), 0)
		}
		if err == nil {
			_, err = f.WriteAt(footer(&x, at, p), at)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMillion opens a trace of a million groups and finds pages of 50.
func BenchmarkMillion(b *testing.B) {
	dir := b.TempDir()
	million(b, dir)
	var r *Reader
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			r = open(b, dir)
		}
		if r.Len() != 1e6 {
			b.Fatal(r.Len())
		}
		b.StopTimer()
		var with, without runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&with)
		r = nil
		runtime.GC()
		runtime.ReadMemStats(&without)
		b.ReportMetric(float64(with.HeapAlloc-without.HeapAlloc)/1e6, "MB")
	})
	r = open(b, dir)
	middle := r.Find(Query{Limit: 500000})[499999]
	for _, q := range []struct {
		name  string
		query Query
	}{
		{"newest", Query{Newest: true}},
		{"middle", Query{After: middle.Ref}},
		{"task", Query{Task: "chain_sum_7", Drop: Kept}},
		{"group", Query{Group: middle.Group}},
		{"version", Query{MinVersion: new(62000), MaxVersion: new(62001)}},
		{"time", Query{From: middle.Time, To: middle.Time.Add(time.Second)}},
		{"level", Query{Level: new(3), Newest: true}},
		{"best", Query{By: ByScore, Newest: true}},
		{"most spread", Query{By: BySpread, Newest: true}},
		{"worst after the middle", Query{By: ByScore, After: middle.Ref}},
		{"none", Query{Outcome: quintain.InfraFailed, Newest: true}},
	} {
		b.Run(q.name, func(b *testing.B) {
			q.query.Limit = 50
			for b.Loop() {
				r.Find(q.query)
			}
		})
	}
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			r.Count(Query{})
		}
	})
}

// BenchmarkOpenGrowing opens an open segment with the most blocks, each with one small
// group, as in a slow run.
func BenchmarkOpenGrowing(b *testing.B) {
	dir, records := b.TempDir(), smalls(maxBlocks)
	w := newWriter(b, dir, Default())
	tokens := 0
	for _, r := range records {
		writeAll(b, w, r)
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		tokens += r.tokens()
	}
	for b.Loop() {
		if r := open(b, dir); r.Len() != maxBlocks {
			b.Fatal(r.Len())
		}
	}
	b.ReportMetric(float64(w.at.size)/float64(tokens), "bytes/token")
}

// BenchmarkRead reads records in order and at random.
func BenchmarkRead(b *testing.B) {
	s := newSpecimen()
	for _, shape := range []struct {
		name string
		make func(i int) *Record
		n    int
	}{{"small", s.small, 2000}, {"large", s.large, 20}} {
		dir := b.TempDir()
		w := newWriter(b, dir, Default())
		for i := range shape.n {
			writeAll(b, w, shape.make(i))
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		r := open(b, dir)
		found := r.Find(Query{})
		for _, step := range []int{1, 997} {
			b.Run(fmt.Sprintf("%s/step=%d", shape.name, step), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i += step {
					if _, err := r.Read(found[i%len(found)].Ref); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
