package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A rows is a guest with splits, which answers every call alike.
type rows struct {
	hello Hello
	open  Answer
	step  Answer
	asked []quintain.Problem // that were opened
}

func (g *rows) Hello(context.Context) (*Hello, error) { h := g.hello; return &h, nil }
func (g *rows) Open(_ context.Context, _ uint64, p *quintain.Problem) (*Answer, error) {
	g.asked = append(g.asked, *p)
	a := g.open
	return &a, nil
}

func (g *rows) Step(context.Context, uint64, *Reply) (*Answer, error) { a := g.step; return &a, nil }
func (g *rows) Forget(context.Context, uint64)                        {}
func (g *rows) Close()                                                {}

// split returns a guest of protocol 2 with splits.
func split(all ...Split) *rows {
	one := 1.0
	return &rows{
		hello: Hello{Protocol: 2, Name: "rows", Version: 1, Splits: all},
		open:  Answer{Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "?"}}},
		step:  Answer{Reward: &one, End: quintain.Terminated},
	}
}

func (g *rows) program(t *testing.T) *Program {
	t.Helper()
	p, err := OpenGuest(t.Context(), g, Default(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// played opens an episode of a problem, and steps it once.
func (g *rows) played(t *testing.T, p *Program, d quintain.Draw) (quintain.Step, error) {
	t.Helper()
	problem, err := p.Own().Problem(d)
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Own().Env(problem)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Open(t.Context()); err != nil {
		return quintain.Step{}, err
	}
	return e.Step(t.Context(), quintain.Reply{Text: "!"})
}

func TestRowsOfASplit(t *testing.T) {
	t.Parallel()
	g := split(Split{Name: "train", Size: 20}, Split{Name: "test", Size: 3}, Split{Name: "endless"})
	p := g.program(t)
	own := p.Own()
	if got, want := fmt.Sprintf("%s", own.TaskInfo().Levels), `[{"split":"train"} {"split":"test"} {"split":"endless"}]`; got != want {
		t.Errorf("the levels are %s, want %s", got, want)
	}
	if f := own.(quintain.Finite); f.Size(0) != 20 || f.Size(2) != 0 {
		t.Errorf("the sizes are %d and %d", f.Size(0), f.Size(2))
	}
	indices := func(level, n int) (all []int) {
		g.asked = nil
		for i := range n {
			if _, err := g.played(t, p, quintain.Draw{Seed: 7, Level: level, Index: i}); err != nil {
				t.Fatal(err)
			}
		}
		for _, of := range g.asked {
			all = append(all, of.Index)
		}
		return all
	}
	first, both := indices(0, 20), indices(0, 40)
	if !slices.Equal(first, both[:20]) || slices.Equal(first, both[20:]) || slices.IsSorted(first) {
		t.Errorf("two passes take the rows %v", both)
	}
	slices.Sort(first)
	for i, row := range first {
		if i != row {
			t.Fatalf("a pass has the rows %v", first)
		}
	}
	if got := indices(1, 5); !slices.Equal(got, []int{0, 1, 2, 0, 1}) {
		t.Errorf("held-out rows are taken in the order %v", got)
	}
	if got := indices(2, 3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("of an endless split, the index is %v", got)
	}
}

func TestKeysSayWhatTheSplitsSay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		splits []Split
		held   []int // of 1000 problems of each, those that are held out
	}{
		{"a name says it", []Split{{Name: "train", Size: 500}, {Name: "validation"}}, []int{0, 1000}},
		{"the guest says it", []Split{{Name: "a"}, {Name: "b", HeldOut: true}}, []int{0, 1000}},
		{"nobody says it: a tenth", []Split{{Name: "train"}}, []int{100}},
	} {
		p := split(test.splits...).program(t)
		for level, want := range test.held {
			held := 0
			for i := range 1000 {
				problem, err := p.Own().Problem(quintain.Draw{Seed: 1, Level: level, Index: i})
				if err != nil {
					t.Fatal(err)
				}
				key, err := p.Own().Key(problem)
				if err != nil {
					t.Fatal(err)
				}
				if key.HeldOut() {
					held++
				}
			}
			if held < want-40 || held > want+40 || want%1000 == 0 && held != want {
				t.Errorf("%s: of level %d, %d are held out, want %d", test.why, level, held, want)
			}
		}
	}
	p := split(Split{Name: "train", Size: 4}).program(t)
	keys := map[quintain.Key]bool{}
	for i := range 12 {
		problem, _ := p.Own().Problem(quintain.Draw{Seed: uint64(i % 3), Index: i})
		key, _ := p.Own().Key(problem)
		keys[key] = true
	}
	if len(keys) > 4 {
		t.Errorf("4 rows have %d keys", len(keys))
	}
}

func TestSeed31(t *testing.T) {
	t.Parallel()
	// python3 -c 'import hashlib; print(int.from_bytes(hashlib.sha256(b"18446744073709551615/2/3").digest()[:4], "big") >> 1)'
	if got := Seed31(&quintain.Problem{Seed: math.MaxUint64, Level: 2, Index: 3}); got != 832821439 {
		t.Errorf("the seed is %d, want %d", got, 832821439)
	}
}

func TestAnswersOfProtocol2(t *testing.T) {
	t.Parallel()
	many := map[string]float64{}
	for i := range 65 {
		many[fmt.Sprint(i)] = 1
	}
	for _, test := range []struct {
		why    string
		change func(*rows)
		want   string // in the error; empty: none
		lost   bool
	}{
		{"a plain end", func(*rows) {}, "", false},
		{"metrics and a record", func(g *rows) {
			g.step.Metrics, g.step.Record = map[string]float64{"steps": 3}, json.RawMessage(`{"seed":1}`)
		}, "", false},
		{"a metric that is no number", func(g *rows) { g.step.Metrics = map[string]float64{"a": math.NaN()} }, `the metric "a" is NaN`, false},
		{"too many metrics", func(g *rows) { g.step.Metrics = many }, "65 metrics, want at most 64", false},
		{"a list as a record", func(g *rows) { g.step.Record = json.RawMessage(`[1]`) }, "want an object", false},
		{"a long record", func(g *rows) { g.step.Record = json.RawMessage(`{"a":"` + strings.Repeat("a", mostRecord) + `"}`) }, "at most 65536", false},
		{"a fault of the reply", func(g *rows) { g.step = Answer{Error: "boom"} }, "boom", false},
		{"a fault of nobody", func(g *rows) { g.step = Answer{Error: "full", Again: true, After: 0.001} }, "full", true},
		{"one that opens", func(g *rows) { g.open = Answer{Error: "full", Again: true} }, "full", true},
		{"an episode that is over at once", func(g *rows) { g.open = Answer{Reward: new(1.0), End: quintain.Terminated} }, "over before the first reply", false},
		{"a reward for no reply", func(g *rows) { g.open.Reward = new(1.0) }, "opens an episode with a reward", false},
		{"a pause beyond all", func(g *rows) { g.step = Answer{Error: "full", Again: true, After: 1e6} }, "want 0 to 600 seconds", false},
		{"a sum beyond the range", func(g *rows) { g.hello.RewardRange = &[2]float64{0, 0.5} }, "promised 0 to 0.5", false},
	} {
		g := split(Split{Name: "all"})
		test.change(g)
		step, err := g.played(t, g.program(t), quintain.Draw{})
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) || errors.Is(err, quintain.ErrLost) != test.lost {
			t.Errorf("%s: error %v, lost %v", test.why, err, errors.Is(err, quintain.ErrLost))
		}
		if err == nil && (!reflect.DeepEqual(step.Metrics, g.step.Metrics) || string(step.Record) != string(g.step.Record)) {
			t.Errorf("%s: the step has %v and %s", test.why, step.Metrics, step.Record)
		}
	}
}

func TestLimitsThatAGuestSays(t *testing.T) {
	t.Parallel()
	half := 0.5
	g := split(Split{Name: "all"})
	g.hello.RightAt, g.hello.MaxTurns = &half, 1
	p := g.program(t)
	if step, err := g.played(t, p, quintain.Draw{}); err != nil || !step.Right {
		t.Errorf("a sum of 1 is right: %v, %v", step.Right, err)
	}
	g.step = Answer{Reward: &half, Messages: g.open.Messages}
	if step, err := g.played(t, p, quintain.Draw{}); err != nil || step.End != quintain.Truncated || !strings.HasSuffix(step.Why, "its own") {
		t.Errorf("after the last of its replies, the step is %+v, %v", step, err)
	}
}

func TestHellosOfProtocol2(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		change func(*Hello)
		want   string
	}{
		{"splits of protocol 1", func(h *Hello) { h.Protocol = 1 }, "are of protocol 2"},
		{"levels, too", func(h *Hello) { h.Levels = []json.RawMessage{json.RawMessage(`{}`)} }, "want one of them"},
		{"no split", func(h *Hello) { h.Splits = []Split{} }, "0 splits, want 1 to 1000"},
		{"two of a name", func(h *Hello) { h.Splits = []Split{{Name: "a"}, {Name: "a"}} }, "want a name of its own"},
		{"a negative size", func(h *Hello) { h.Splits[0].Size = -1 }, "of the size -1"},
		{"turns", func(h *Hello) { h.MaxTurns = -1 }, "max_turns is -1"},
		{"a range the wrong way", func(h *Hello) { h.RewardRange = &[2]float64{1, 0} }, "reward_range"},
		{"right at nothing", func(h *Hello) { nan := math.NaN(); h.RightAt = &nan }, "right_at is NaN"},
	} {
		g := split(Split{Name: "all"})
		test.change(&g.hello)
		p, err := OpenGuest(t.Context(), g, Default(), slog.New(slog.DiscardHandler))
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		}
	}
}

func TestASourceIsPartOfTheID(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, digest := range []string{"", "a", "b"} {
		g := split(Split{Name: "all"})
		g.hello.Source = &Source{System: "rows", Package: "rows", Version: "1", Digest: digest}
		info := g.program(t).Info()
		ids[info.ID()] = true
		if info.Source != "rows: rows 1" {
			t.Errorf("the source is %q", info.Source)
		}
	}
	if len(ids) != 3 {
		t.Errorf("the IDs are %v", ids)
	}
}
