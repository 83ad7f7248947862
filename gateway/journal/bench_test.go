package journal

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkAppend appends records of 8 KiB from many goroutines.
func BenchmarkAppend(b *testing.B) {
	for _, goroutines := range []int{1, 32, 1000} {
		b.Run(fmt.Sprint(goroutines), func(b *testing.B) {
			_, dir := inData(b)
			j, _ := reopen(b, dir, Options{})
			r := Record{Data: make([]byte, 8<<10)}
			b.SetBytes(int64(len(r.Data)))
			b.ReportAllocs()
			work := make(chan struct{}, goroutines)
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					r := r
					r.Session = fmt.Sprint(g)
					for range work {
						if err := j.Append(b.Context(), r); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for b.Loop() {
				work <- struct{}{}
			}
			close(work)
			wg.Wait()
			b.ReportMetric(float64(b.N)/float64(j.Stats().Syncs), "appends/sync")
		})
	}
}

// BenchmarkOpen opens a journal of 10,000 sessions of 20 records of 1 KiB.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	j, _ := reopen(b, dir, Options{})
	data := make([]byte, 1<<10)
	for s := range 10_000 {
		list := make([]Record, 20)
		for i := range list {
			list[i] = Record{fmt.Sprint(s), 0, data}
		}
		add(b, j, list...)
	}
	shut(b, j)
	for b.Loop() {
		n := 0
		j, err := Open(dir, Options{}, func(Record) error { n++; return nil })
		if err != nil || n != 200_000 {
			b.Fatal(n, err)
		}
		shut(b, j)
	}
}
