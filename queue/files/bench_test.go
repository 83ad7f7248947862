package files_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// stamped returns a copy of g with the ID i.
func stamped(g *quintain.Group, i int64) *quintain.Group {
	h := *g
	h.ID = fmt.Sprintf("word_ladder.v1.s7.l2.%d", i)
	return &h
}

// fill puts n copies of g, numbered from first.
func fill(b *testing.B, q *queue.Queue, g *quintain.Group, n int) {
	b.Helper()
	const at = 100
	for i := 0; i < n; i += at {
		list := make([]*quintain.Group, 0, at)
		for j := i; j < min(i+at, n); j++ {
			list = append(list, stamped(g, int64(j)))
		}
		if _, err := q.PutAll(context.Background(), list); err != nil {
			b.Fatal(err)
		}
	}
}

// diskUse is the size of all files under dir.
func diskUse(b *testing.B, dir string) (n int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// rates reports the speed of b.N groups.
func rates(b *testing.B, q *queue.Queue, g *quintain.Group, n int) {
	body, err := groupform.NewCodec(0).Encode(g)
	if err != nil {
		b.Fatal(err)
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n)/seconds, "groups/s")
	b.ReportMetric(float64(n)*float64(len(body))/seconds/1e6, "MB/s-stored")
	b.ReportMetric(float64(n)*float64(queuetest.InMemory(g))/seconds/1e6, "MB/s-of-arrays")
}

func BenchmarkPut(b *testing.B) {
	for name, g := range queuetest.Shapes() {
		for _, workers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d", name, workers), func(b *testing.B) {
				dir := b.TempDir()
				q := openDir(b, dir, files.Options{})
				defer queuetest.Close(b, q)
				empty := diskUse(b, dir)
				var next atomic.Int64
				b.SetParallelism((workers + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
				b.ResetTimer()
				put := func() {
					if _, err := q.Put(context.Background(), stamped(g, next.Add(1))); err != nil {
						b.Error(err)
					}
				}
				if workers == 1 {
					for range b.N {
						put()
					}
				} else {
					b.RunParallel(func(pb *testing.PB) {
						for pb.Next() {
							put()
						}
					})
				}
				b.StopTimer()
				rates(b, q, g, b.N)
				b.ReportMetric(float64(diskUse(b, dir)-empty)/float64(b.N), "disk-bytes/group")
			})
		}
	}
}

// BenchmarkPutAll puts 64 groups at once.
func BenchmarkPutAll(b *testing.B) {
	for name, g := range queuetest.Shapes() {
		b.Run(name, func(b *testing.B) {
			q := openDir(b, b.TempDir(), files.Options{})
			defer queuetest.Close(b, q)
			next := int64(0)
			b.ResetTimer()
			for range b.N {
				list := make([]*quintain.Group, 64)
				for i := range list {
					next++
					list[i] = stamped(g, next)
				}
				if _, err := q.PutAll(context.Background(), list); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			rates(b, q, g, 64*b.N)
		})
	}
}

// BenchmarkLeaseAck leases and acknowledges groups, one or 64 at a time.
func BenchmarkLeaseAck(b *testing.B) {
	for name, g := range queuetest.Shapes() {
		for _, c := range []struct{ workers, at int }{{1, 1}, {16, 1}, {1, 64}} {
			b.Run(fmt.Sprintf("%s/%dx%d", name, c.workers, c.at), func(b *testing.B) {
				q := openDir(b, b.TempDir(), files.Options{})
				defer queuetest.Close(b, q)
				fill(b, q, g, b.N*c.at)
				var worker atomic.Int64
				b.SetParallelism((c.workers + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
				b.ResetTimer()
				take := func(who string) {
					list, err := q.Lease(context.Background(), queue.Want{Consumer: who, Max: c.at})
					if err != nil {
						b.Error(err)
					}
					seqs := make([]uint64, len(list))
					for i, d := range list {
						seqs[i] = d.Seq
					}
					if err := q.Ack(context.Background(), who, seqs...); err != nil {
						b.Error(err)
					}
				}
				if c.workers == 1 {
					for range b.N {
						take("a")
					}
				} else {
					b.RunParallel(func(pb *testing.PB) {
						who := fmt.Sprint(worker.Add(1))
						for pb.Next() {
							take(who)
						}
					})
				}
				b.StopTimer()
				rates(b, q, g, b.N*c.at)
			})
		}
	}
}

// ackAll leases and acknowledges all groups, some at once.
func ackAll(b *testing.B, q *queue.Queue, at int) {
	b.Helper()
	for {
		list, err := q.Lease(context.Background(), queue.Want{Consumer: "a", Max: at, Raw: true})
		if err != nil {
			b.Fatal(err)
		}
		if len(list) == 0 {
			return
		}
		seqs := make([]uint64, len(list))
		for i, d := range list {
			seqs[i] = d.Seq
		}
		if err := q.Ack(context.Background(), "a", seqs...); err != nil {
			b.Fatal(err)
		}
	}
}

// sizeOf is the size of a file.
func sizeOf(b *testing.B, path string) int64 {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// heap is the size of the live heap.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkMemory reports the memory of a waiting group and of a known ID.
func BenchmarkMemory(b *testing.B) {
	g := queuetest.Shapes()["8x256"]
	for _, n := range []int{20000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				dir := b.TempDir()
				q := openDir(b, dir, files.Options{})
				before := heap()
				fill(b, q, g, n)
				full := heap()
				b.ReportMetric((full-before)/float64(n), "bytes/waiting-group")
				b.ReportMetric((full-before)/float64(n*g.TokenCount()), "bytes/waiting-token")
				ackAll(b, q, 1000)
				queuetest.Close(b, q)
				q = openDir(b, dir, files.Options{})
				b.ReportMetric((heap()-before)/float64(n), "bytes/known-id")
				queuetest.Close(b, q)
			}
		})
	}
}

// BenchmarkSmallGroups reports the memory of small waiting groups, when put and when read
// again, their disk space beside the bodies, and both for a known ID.
func BenchmarkSmallGroups(b *testing.B) {
	for _, at := range []int{1, 1000} {
		b.Run(fmt.Sprintf("%d at once", at), func(b *testing.B) {
			for b.Loop() {
				n := min(200000, 5000*at)
				dir := b.TempDir()
				q := openDir(b, dir, files.Options{})
				before, empty := heap(), diskUse(b, dir)
				for i := 0; i < n; i += at {
					list := make([]*quintain.Group, at)
					for j := range list {
						list[j] = tiny(i + j)
					}
					if _, err := q.PutAll(context.Background(), list); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((heap()-before)/float64(n), "bytes/group")
				bodies := q.Stats().Waiting.Bytes
				queuetest.Close(b, q)
				b.ReportMetric(float64(diskUse(b, dir)-empty-int64(bodies))/float64(n), "disk-bytes-beside/group")
				b.ReportMetric(float64(bodies)/float64(n), "body-bytes/group")
				before = heap()
				q = openDir(b, dir, files.Options{})
				b.ReportMetric((heap()-before)/float64(n), "bytes/group-reopened")
				ackAll(b, q, at)
				logged := sizeOf(b, filepath.Join(dir, "done.log"))
				queuetest.Close(b, q)
				b.ReportMetric(float64(logged)/float64(n), "log-bytes/id")
				before = heap()
				q = openDir(b, dir, files.Options{})
				b.ReportMetric((heap()-before)/float64(n), "bytes/known-id")
				queuetest.Close(b, q)
				b.ReportMetric(float64(sizeOf(b, filepath.Join(dir, "done.log")))/float64(n), "log-bytes/id-rewritten")
			}
		})
	}
}

// tiny returns a group of two sequences of two tokens.
func tiny(i int) *quintain.Group {
	tokens := [][]quintain.Token{{1, 2}, {3, 4}}
	masks := [][]int32{{1, 2}, {3, 4}}
	return &quintain.Group{ID: fmt.Sprintf("run7-env3-group-%09d", i), Tokens: tokens, Masks: masks, Scores: []float64{1, 0}}
}

// BenchmarkOpen opens an empty folder, and one with a thousand waiting groups.
func BenchmarkOpen(b *testing.B) {
	b.Run("empty", func(b *testing.B) {
		for b.Loop() {
			queuetest.Close(b, openDir(b, b.TempDir(), files.Options{}))
		}
	})
	for name, g := range queuetest.Shapes() {
		b.Run("1000x"+name, func(b *testing.B) {
			dir := b.TempDir()
			q := openDir(b, dir, files.Options{})
			fill(b, q, g, 1000)
			queuetest.Close(b, q)
			for b.Loop() {
				queuetest.Close(b, openDir(b, dir, files.Options{}))
			}
		})
	}
}
