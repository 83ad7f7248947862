package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// rough is a small fleet with many faults, whose gate closes now and then.
func rough() Config {
	c := DefaultFleet()
	c.Workers, c.MaxLag, c.Time = 100, 3, time.Hour
	c.DeathEvery, c.FreezeEvery, c.OutageEvery = 30*time.Minute, 30*time.Minute, 5*time.Minute
	return c
}

func TestFleetUsesAllThatWholeGroupsCan(t *testing.T) {
	c := DefaultFleet()
	c.Workers, c.Time = 50, time.Hour
	r, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Violations != (Violations{}) {
		t.Errorf("violations %+v", r.Violations)
	}
	for _, figure := range []struct {
		name           string
		got, want, tol float64
	}{
		{"slots in use", r.SlotsInUse, 0.891, 0.02},
		{"trainer busy", r.TrainerBusy, 0.92, 0.03},
		{"episodes of ideal", r.Episodes / r.Ideal, 0.97, 0.03},
		{"lost work", r.Lost, 0.012, 0.006},
		{"wait", r.Wait, 16, 2},
		{"length", r.Length, 1, 0.01},
		{"requests of a group", r.Requests * float64(c.GroupSize) / r.Episodes, 2, 0.1},
	} {
		if math.Abs(figure.got-figure.want) > figure.tol {
			t.Errorf("%s: %.4f, want %.3f ± %.3f", figure.name, figure.got, figure.want, figure.tol)
		}
	}
}

// With episodes of ten minutes and a death an hour, a third of the work is lost, and long episodes are
// too seldom: unless workers tell what they have played.
func TestAJournalSavesTheWorkOfTheDead(t *testing.T) {
	for _, test := range []struct {
		journal      time.Duration
		lost, length float64
	}{{0, 0.304, 0.952}, {time.Minute, 0.009, 1.002}} {
		c := DefaultFleet()
		c.Workers, c.Median, c.DeathEvery, c.Time, c.Journal = 100, 10*time.Minute, time.Hour, 12*time.Hour, test.journal
		r, err := Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Violations != (Violations{}) || math.Abs(r.Lost-test.lost) > 0.005+0.05*test.lost || math.Abs(r.Length-test.length) > 0.01 {
			t.Errorf("journal %v: lost work %.3f, want %.3f; length %.3f, want %.3f; violations %+v", test.journal, r.Lost, test.lost, r.Length, test.length, r.Violations)
		}
	}
}

func TestFaultsHappen(t *testing.T) {
	r, err := Run(context.Background(), rough())
	if err != nil {
		t.Fatal(err)
	}
	if r.Violations != (Violations{}) {
		t.Errorf("violations %+v", r.Violations)
	}
	if r.Expired == 0 || r.Refused == 0 || r.Repeated == 0 || r.Stale == 0 || r.Lost == 0 || r.Fenced == 0 {
		t.Errorf("a kind of fault never happened: %+v", r)
	}
}

// TestBrokenRulesAreNoticed breaks each rule in turn: the audit must say so.
func TestBrokenRulesAreNoticed(t *testing.T) {
	for _, test := range []struct {
		name   string
		rule   rule
		counts func(Violations) int
	}{
		{"the first finish wins: draws finished and granted", firstFinishWins, func(v Violations) int { return v.Held }},
		{"the first finish wins: episodes that the gate does not know", firstFinishWins, func(v Violations) int { return v.Gate }},
		{"repeats count", repeatsCount, func(v Violations) int { return v.Twice }},
		{"nothing expires", nothingExpires, func(v Violations) int { return v.Lost }},
		{"the gate stays open", gateStaysOpen, func(v Violations) int { return v.Gate }},
		{"stale groups are trained on", staleIsTrained, func(v Violations) int { return v.TooOld }},
	} {
		c := rough()
		c.MaxLag = 1
		r, err := runWith(context.Background(), c, test.rule)
		if err != nil {
			t.Fatal(err)
		}
		if test.counts(r.Violations) == 0 {
			t.Errorf("%s: not noticed: %+v", test.name, r.Violations)
		}
	}
}

// TestInvariantsHold simulates fleets of all sorts. Each is simulated twice, and must give
// the same report.
func TestInvariantsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		seconds := func(name string, of ...int) time.Duration {
			return time.Duration(rapid.SampledFrom(of).Draw(t, name)) * time.Second
		}
		c := Config{
			Workers: number("workers", 1, 20), GroupSize: number("group size", 1, 8), Prefetch: number("prefetch", 0, 4), MaxLag: number("max lag", 0, 8),
			Median: seconds("median", 1, 40, 600), Sigma: rapid.Float64Range(0, 2).Draw(t, "sigma"), Load: rapid.Float64Range(0.1, 3).Draw(t, "load"),
			Sync: seconds("sync", 0, 5, 60), Beat: seconds("beat", 1, 5, 15), DeathEvery: seconds("deaths", 0, 60, 600), ReplaceAfter: seconds("replace", 0, 120),
			FreezeEvery: seconds("freezes", 0, 60, 600), FreezeTime: seconds("frozen", 0, 5, 90),
			OutageEvery: seconds("outages", 0, 60, 600), OutageTime: seconds("outage", 0, 8, 60),
			Time: 20 * time.Minute, Seed: rapid.Uint64().Draw(t, "seed"),
		}
		c.Slots = c.GroupSize + number("more slots", 0, 32)
		c.Journal = seconds("journal", 0, 1, 60)
		c.LeaseTime = c.Beat * time.Duration(number("beats", 1, 40))
		c.Batch = c.GroupSize * number("batch", 0, 20)
		r, err := Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Violations != (Violations{}) {
			t.Errorf("violations %+v", r.Violations)
		}
		again, err := Run(context.Background(), c)
		if err != nil || again != r {
			t.Errorf("again: %+v, %v, want %+v", again, err, r)
		}
	})
}

func TestSimulationStopsWithItsContext(t *testing.T) {
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	if _, err := Run(ctx, DefaultFleet()); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
}

func TestInvalidConfigIsRefused(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(*Config)
	}{
		{"workers: is 0", func(c *Config) { c.Workers = 0 }},
		{"workers: is 2000000", func(c *Config) { c.Workers = 2_000_000 }},
		{"slots: is 7, want 8", func(c *Config) { c.Slots = 7 }},
		{"batch: is 12, want a multiple of group-size, 8", func(c *Config) { c.Batch = 12 }},
		{"sigma: is NaN", func(c *Config) { c.Sigma = math.NaN() }},
		{"load: is 0", func(c *Config) { c.Load = 0 }},
		{"lease-time: is 1s, want 5s", func(c *Config) { c.LeaseTime = time.Second }},
		{"journal: is -1s", func(c *Config) { c.Journal = -time.Second }},
		{"time: is 0s", func(c *Config) { c.Time = 0 }},
		{"deaths: is -1ns", func(c *Config) { c.DeathEvery = -1 }},
	} {
		c := DefaultFleet()
		test.change(&c)
		if _, err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestBenchPrintsALineForEachSize(t *testing.T) {
	var table, lines bytes.Buffer
	for _, test := range []struct {
		out  *bytes.Buffer
		args []string
	}{{&table, nil}, {&lines, []string{"--json"}}} {
		b := NewBench()
		args := append([]string{"--workers", "1, 3", "--time", "1m"}, test.args...)
		if err := errors.Join(b.Flags().Parse(args), b.Check(), b.Run(context.Background(), test.out)); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Split(table.String(), "\n"); len(got) != 4 || !strings.HasPrefix(got[0], "workers  slots in use") || !strings.HasPrefix(got[2], "      3  ") {
		t.Errorf("table\n%s", table.String())
	}
	if got := strings.Split(lines.String(), "\n"); len(got) != 3 || !strings.HasPrefix(got[1], `{"workers":3,"seed":1,"slots_in_use":0.`) {
		t.Errorf("lines\n%s", lines.String())
	}
}

func TestBenchFailsIfAnInvariantIsBroken(t *testing.T) {
	b := &Bench{Fleet: rough(), Sizes: []int{100, 1}}
	if err := b.runWith(context.Background(), io.Discard, nothingExpires); !errors.Is(err, ErrBroken) {
		t.Errorf("error %v, want %v", err, ErrBroken)
	}
}

func TestFlagsAreChecked(t *testing.T) {
	b := NewBench()
	flags := b.Flags()
	if got := flags.Lookup("workers").DefValue; got != "1000" {
		t.Errorf("workers are %q unless set, want 1000", got)
	}
	if err := flags.Set("workers", "10,ten"); err == nil || !strings.Contains(err.Error(), `"ten" is no number`) {
		t.Errorf("error %v", err)
	}
	if err := errors.Join(flags.Set("workers", "10,0"), b.Check()); err == nil || !strings.Contains(err.Error(), "workers: is 0") {
		t.Errorf("error %v", err)
	}
}
