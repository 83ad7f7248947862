package jsonl

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// Make writes count lines to out, in order. It calls work once per core, and calls the
// returned function from one goroutine only. That function appends line n, counted from
// 0, to dst, without a line end. If a line fails, Make writes the lines before it and
// returns the error. When ctx ends, it returns the error of ctx.
func Make(ctx context.Context, out io.Writer, count int, work func() func(dst []byte, n int) ([]byte, error)) error {
	var size atomic.Int64 // lines of the next batch
	size.Store(1)
	p := pipeline{out: out}
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

// nextSize returns the number of lines of the next batch, given the time that b took:
// many enough for a cheap hand-over, few enough for lines to come soon.
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
