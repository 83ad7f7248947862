package rollout

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

// BenchmarkWaiting plays ten thousand episodes at once against a policy that answers after
// a second. It reports the wall time as a multiple of the ideal, and the memory of a
// waiting episode, stack included.
func BenchmarkWaiting(b *testing.B) {
	const inFlight, rounds = 10_000, 3
	for _, size := range []int{1, 8} {
		b.Run(fmt.Sprintf("groups_of_%d", size), func(b *testing.B) {
			for b.Loop() {
				before := memory()
				var waiting, asked atomic.Int64
				peak := uint64(0)
				e := &Engine{
					Size: size, Parallel: inFlight / size, Next: jobs(made{numbered{name: "a"}, openSystem}, rounds*inFlight/size),
					Done: func(context.Context, Result) error { return nil },
					Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
						timer := time.NewTimer(time.Second)
						if waiting.Add(int64(r.N)) == inFlight && asked.Add(1) == 2 {
							peak = memory()
						}
						<-timer.C
						waiting.Add(-int64(r.N))
						return says("end", r.N), nil
					}),
				}
				start := time.Now()
				if err := e.Run(b.Context()); err != nil && err != io.EOF {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(start).Seconds()/rounds, "x_ideal")
				b.ReportMetric(float64(peak-min(peak, before))/inFlight, "B/waiting")
			}
		})
	}
}

// memory returns the current size of heap and stacks, in bytes.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// talker opens with a system message and a question of typical length.
type talker struct{ echo }

func openSystem() quintain.Env { return &talker{} }

func (t *talker) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{
		{Role: quintain.RoleSystem, Content: "think"},
		{Role: quintain.RoleUser, Content: strings.Repeat("x", 500)},
	}, nil
}
