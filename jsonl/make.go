package jsonl

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// Make writes count lines to out, in order. Work is called once for each core, and what
// it returns is called by one goroutine: it appends line n, from 0 on, to dst, without a
// line end. A line that cannot be made ends it: those before it are written, and its error
// is returned. So is the error of ctx when that ends.
func Make(ctx context.Context, out io.Writer, count int, work func() func(dst []byte, n int) ([]byte, error)) error {
	var size atomic.Int64 // lines of the next batch
	size.Store(1)
	p := press{out: out}
	p.source = func(send func(fill func(*batch)) bool) error {
		for first := 0; first < count; {
			n := min(int(size.Load()), count-first)
			if !send(func(b *batch) { b.first, b.count = first, n }) {
				return nil
			}
			first += n
		}
		return nil
	}
	p.worker = func() func(*batch) {
		do := work()
		return func(b *batch) {
			began := time.Now()
			b.make(do)
			size.Store(int64(nextSize(b, time.Since(began))))
		}
	}
	p.after = func(b *batch) error { return b.err }
	return p.run(ctx)
}

// nextSize is how many lines the next batch should have after b, which took so long:
// enough that handing it over costs little, few enough that nobody waits for it.
func nextSize(b *batch, took time.Duration) int {
	const (
		long  = 10 * time.Millisecond
		large = 64 << 10 // bytes
	)
	switch {
	case took > long || len(b.out) > large:
		return max(1, b.count/2)
	case took < long/4 && len(b.out) < large/4:
		return b.count * 2
	}
	return b.count
}

// make makes the lines of b.
func (b *batch) make(work func(dst []byte, n int) ([]byte, error)) {
	for i := range b.count {
		out, err := work(b.out, b.first+i)
		if err != nil {
			b.err = err
			return
		}
		b.out = out
		b.out = append(b.out, '\n')
	}
}
