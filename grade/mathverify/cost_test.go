package mathverify_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/grade/mathverify"
)

var pairsFile = flag.String("pairs", "", "JSON lines with gold and answer, for BenchmarkPairs; empty: the pairs of the tests")

// BenchmarkPairs measures single comparisons.
func BenchmarkPairs(b *testing.B) { percentiles(b, readPairs(b, *pairsFile)) }

// BenchmarkHostile measures single comparisons of the hostile texts.
func BenchmarkHostile(b *testing.B) {
	var all [][2]string
	for _, text := range hostile() {
		all = append(all, [2]string{"7", text}, [2]string{text, "7"}, [2]string{text, text + " "}, [2]string{"x", `\boxed{` + text + `}`})
	}
	percentiles(b, all)
}

// percentiles reports the median, percentiles and maximum of the times of pairs. The
// fastest run of each pair counts.
func percentiles(b *testing.B, all [][2]string) {
	best := make([]time.Duration, len(all))
	for b.Loop() {
		for i, p := range all {
			start := time.Now()
			mathverify.Verify(context.Background(), p[0], p[1])
			if took := time.Since(start); best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	slices.Sort(best)
	for _, share := range []struct {
		name  string
		above int // number per 10,000 that take longer
	}{{"ms-p50", 5000}, {"ms-p99", 100}, {"ms-p99.9", 10}, {"ms-worst", 0}} {
		at := len(best) - 1 - len(best)*share.above/10_000
		b.ReportMetric(float64(best[at].Microseconds())/1000, share.name)
	}
}

// readPairs reads a file of pairs.
func readPairs(b *testing.B, path string) (all [][2]string) {
	if path == "" {
		for _, p := range pairs {
			for _, answer := range slices.Concat(p.same, p.other) {
				all = append(all, [2]string{p.gold, answer})
			}
		}
		return all
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var p struct{ Gold, Answer string }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			b.Fatal(err)
		}
		all = append(all, [2]string{p.Gold, p.Answer})
	}
	if err := lines.Err(); err != nil {
		b.Fatal(err)
	}
	return all
}
