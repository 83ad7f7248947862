package rollout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A learned chooser goes by the scores, so that any change that is lost or comes twice shows.
type learned struct{ turn }

func (c *learned) Choose() int {
	c.Chosen++
	return (c.Chosen + len(c.Noted)) % 2
}

func (c *learned) Note(stream int, scores []float64) {
	if len(scores) > 0 {
		c.turn.Note(stream, scores)
	}
}

// At every moment, a snapshot and the changes since make the mix that the process had.
func TestReplay(t *testing.T) {
	for seed := range uint64(20) {
		for _, chosen := range []bool{false, true} {
			r := rand.New(rand.NewPCG(seed, 0))
			fresh := func() *Mix {
				m, err := NewMix([]Stream{
					{Scenario: numbered{name: "a"}, Weight: 1, Skip: func(p quintain.Problem) (bool, error) { return p.Index%3 == 1, nil }},
					{Scenario: numbered{name: "b"}, Weight: 2},
				})
				if err != nil {
					t.Fatal(err)
				}
				if chosen {
					m.ChooseBy(&learned{})
				}
				return m
			}
			live := fresh()
			snapshot, err := live.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			var changes [][]byte
			var jobs []Job
			for step := range 200 {
				switch op := r.IntN(10); {
				case op < 5 || len(jobs) == 0:
					more, _ := take(t, live, 1)
					jobs = append(jobs, more...)
				case op == 9:
					if snapshot, err = live.Snapshot(); err != nil {
						t.Fatal(err)
					}
					changes = nil
				default:
					at := r.IntN(len(jobs))
					job := jobs[at]
					jobs = slices.Delete(jobs, at, at+1)
					if r.IntN(2) == 0 {
						Rules{Baseline: BaselineSeat}.Learn(live, []Judgement{{Result: Result{Job: job, Trajectories: make([]quintain.Trajectory, 1)}, Scores: []float64{r.Float64()}}})
					}
					switch op {
					case 5:
						live.Redo(job)
					case 6:
						live.Again(job)
					case 7:
						live.Done(job, nil)
					default:
						live.Done(job, []float64{r.Float64()})
					}
				}
				if r.IntN(3) > 0 {
					changes = append(changes, live.Changes())
				} else {
					continue
				}
				again := fresh()
				if err := again.UnmarshalJSON(snapshot); err != nil {
					t.Fatal(err)
				}
				for _, c := range changes {
					if err := again.Replay(c); err != nil {
						t.Fatalf("step %d: %v", step, err)
					}
				}
				want, err := live.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				if got, err := again.MarshalJSON(); err != nil || string(got) != string(want) {
					t.Fatalf("seed %d, step %d: replayed %s, error %v, want %s", seed, step, got, err, want)
				}
			}
		}
	}
}

// Changes that no mix makes are refused.
func TestReplayRefuses(t *testing.T) {
	for _, c := range []struct{ why, changes, want string }{
		{"no list", `{}`, "cannot"},
		{"a problem is left out", `[{"op":"take","i":1}]`, "next problem is 0"},
		{"a problem is finished twice", `[{"op":"take"},{"op":"done"},{"op":"done"}]`, "not open"},
		{"an unknown stream", `[{"op":"take","s":2}]`, "2 streams"},
		{"a stream below 0", `[{"op":"take","s":-1}]`, "2 streams"},
		{"an unknown operation", `[{"op":"leap"}]`, "unknown"},
	} {
		m := newTestMix(t)
		text, err := m.Snapshot()
		if err == nil {
			err = m.UnmarshalJSON(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Replay([]byte(c.changes)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.why, err, c.want)
		}
	}
}

// The runs of consecutive indices keep any set of them.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		indices []int
		spans   string
	}{
		{nil, "[]"},
		{[]int{0}, "[0 1]"},
		{[]int{0, 1, 2, 5, 6, 9}, "[0 3 2 2 2 1]"},
	} {
		spans := spansOf(c.indices)
		if fmt.Sprint(spans) != c.spans {
			t.Errorf("%v: %v, want %s", c.indices, spans, c.spans)
		}
		if back, err := indicesOf(spans, 10); err != nil || !slices.Equal(back, c.indices) {
			t.Errorf("%v: back %v, error %v", c.indices, back, err)
		}
	}
	for _, bad := range [][]int{{1}, {-1, 2}, {0, 0}, {0, 11}, {10, 1}, {math.MaxInt, math.MaxInt}, {0, 1, math.MaxInt, math.MaxInt}} {
		if got, err := indicesOf(bad, 10); err == nil {
			t.Errorf("%v: %v", bad, got)
		}
	}
}

// The cost of a change does not grow with the number of open problems.
func BenchmarkChange(b *testing.B) {
	for _, open := range []int{1_000, 10_000, 90_000} {
		m, err := NewMix([]Stream{{Scenario: numbered{name: "a"}, Weight: 1}})
		if err != nil {
			b.Fatal(err)
		}
		jobs := make([]Job, open)
		for i := range jobs {
			if jobs[i], err = m.Next(); err != nil {
				b.Fatal(err)
			}
		}
		for _, how := range []struct {
			name string
			save func() ([]byte, error)
		}{
			{"snapshot", m.Snapshot},
			{"changes", func() ([]byte, error) { return m.Changes(), nil }},
		} {
			b.Run(fmt.Sprintf("open=%d/%s", open, how.name), func(b *testing.B) {
				bytes, at := 0, 0
				for b.Loop() {
					m.Done(jobs[at], []float64{0, 1, 0, 1, 0, 1, 0, 1})
					jobs[at], _ = m.Next()
					at = (at + 7919) % open // leaves gaps
					text, err := how.save()
					if err != nil {
						b.Fatal(err)
					}
					bytes += len(text)
				}
				b.ReportMetric(float64(bytes)/float64(b.N), "B/save")
			})
		}
	}
}

func TestSortDenseSorts(t *testing.T) {
	for _, indices := range [][]int{nil, {7}, {5, 3, 4}, {9, 2, 1, 8}, {1 << 30, 3, 1 << 20}, {2, 100, 1}} {
		want := slices.Clone(indices)
		slices.Sort(want)
		if sortDense(indices); !slices.Equal(indices, want) {
			t.Errorf("sorted as %v, want %v", indices, want)
		}
	}
}
