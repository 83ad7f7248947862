//go:build heavy

package main

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkTimers reports the lateness of ten thousand idle timers, each firing five times
// a second: how late a fake server without other work would send the tokens of ten thousand
// streams on this machine.
func BenchmarkTimers(b *testing.B) {
	const streams, each, every = 10_000, 100, 200 * time.Millisecond
	var late []time.Duration
	for b.Loop() {
		var mu sync.Mutex
		var all sync.WaitGroup
		start := time.Now()
		for i := range streams {
			all.Go(func() {
				begin := start.Add(time.Duration(i) * 4 * time.Second / streams)
				mine, timer := make([]time.Duration, each), time.NewTimer(0)
				<-timer.C
				for k := range mine {
					due := begin.Add(time.Duration(k) * every)
					timer.Reset(time.Until(due))
					<-timer.C
					mine[k] = time.Since(due)
				}
				mu.Lock()
				defer mu.Unlock()
				late = append(late, mine...)
			})
		}
		all.Wait()
	}
	slices.Sort(late)
	b.ReportMetric(0, "ns/op")
	for name, q := range map[string]int{"p50-ms": 50, "p99-ms": 99} {
		b.ReportMetric(late[len(late)*q/100].Seconds()*1000, name)
	}
}
