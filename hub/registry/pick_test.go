package registry

import (
	"testing"

	"github.com/quintain-rl/quintain/queue"
)

// BenchmarkPick chooses a batch among 100,000 waiting groups: they add up, or do not.
func BenchmarkPick(b *testing.B) {
	mixed, odd := make([]queue.Entry, 100_000), make([]queue.Entry, 100_000)
	for i := range mixed {
		mixed[i] = queue.Entry{Seq: uint64(i + 1), EnvID: int32(i % 4), Sequences: 4 << (i % 3)}
		odd[i] = queue.Entry{Seq: uint64(i + 1), EnvID: int32(i % 4), Sequences: 7}
	}
	quarter := 0.25
	bound := []*Env{{ID: 0, Minimum: &quarter}, {ID: 1, Minimum: &quarter}}
	for _, bench := range []struct {
		name    string
		waiting []queue.Entry
		envs    []*Env
	}{
		{"mixed", mixed, nil},
		{"odd", odd, nil},
		{"minimums", mixed, bound},
	} {
		b.Run(bench.name, func(b *testing.B) {
			alive := make([]bool, len(bench.envs))
			for i := range alive {
				alive[i] = true
			}
			who := newRoster(Registration{Registered: true, BatchSize: 1024}, bench.envs, alive)
			b.ReportAllocs()
			for b.Loop() {
				who.Pick(bench.waiting, func(*queue.Entry) bool { return false })
			}
		})
	}
}
