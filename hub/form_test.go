package hub

import (
	"testing"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// BenchmarkPick chooses a batch among 100,000 waiting groups: some fit, or none.
func BenchmarkPick(b *testing.B) {
	mixed, poison := make([]queue.Entry, 100_000), make([]queue.Entry, 100_000)
	for i := range mixed {
		mixed[i] = queue.Entry{Seq: uint64(i + 1), EnvID: int32(i % 4), Sequences: 4 << (i % 3)}
		poison[i] = queue.Entry{Seq: uint64(i + 1), EnvID: int32(i % 4), Sequences: 7}
	}
	plain := packing.Need{Least: 1024}
	bound := plain
	bound.AddMinimum(0, 0.25)
	bound.AddMinimum(1, 0.25)
	for _, bench := range []struct {
		name string
		from candidates
		need packing.Need
	}{
		{"mixed", candidates{waiting: mixed}, plain},
		{"poison", candidates{waiting: poison}, plain},
		{"minimums", candidates{waiting: mixed}, bound},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.from.pick(bench.need)
			}
		})
	}
}
