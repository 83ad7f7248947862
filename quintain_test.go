package quintain_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestProblemID(t *testing.T) {
	p := quintain.Problem{Task: "countdown", Version: 2, Seed: 1<<64 - 1, Level: 3, Index: 7}
	if got, want := p.ID(), "countdown.v2.s18446744073709551615.l3.7"; got != want {
		t.Errorf("ID %s, want %s", got, want)
	}
	own, other := p, p
	own.Level, own.Params = quintain.OwnParams, json.RawMessage(`{"a":1}`)
	other.Level, other.Params = quintain.OwnParams, json.RawMessage(`{"a":2}`)
	if own.ID() == other.ID() || own.ID() == p.ID() {
		t.Errorf("problems with different parameters have the same ID %s", own.ID())
	}
	played := p
	played.Scenario = "reasoning_gym.v1"
	if got, want := played.ID(), "reasoning_gym.v1/countdown.v2.s18446744073709551615.l3.7"; got != want {
		t.Errorf("played by a scenario, the ID is %s, want %s", got, want)
	}
}

func TestParseID(t *testing.T) {
	for _, p := range []quintain.Problem{
		{Task: "countdown", Version: 2, Seed: 1<<64 - 1, Level: 3, Index: 7},
		{Task: "countdown", Version: 2, Level: quintain.OwnParams, Params: json.RawMessage(`{"a":1}`), Index: 7},
		{Task: "countdown", Scenario: "reasoning_gym.v1-3fa2c1", Version: 1},
	} {
		scenario, task, d, err := quintain.ParseID(p.ID())
		if err != nil || scenario != p.Scenario || task != p.Task || d != (quintain.Draw{Seed: p.Seed, Level: p.Level, Index: p.Index}) {
			t.Errorf("%s is read as scenario %q, task %q, %+v, error %v", p.ID(), scenario, task, d, err)
		}
	}
	for _, id := range []string{"", "a", "a.v1.s1.l1", "a.v1.s1.l1.x", "a.v1.s1.l1.99999999999999999999", "a.v1.s99999999999999999999.l1.1", "/.v1.s1.l1.1", "a.v1.s1.l-3.1"} {
		if scenario, task, d, err := quintain.ParseID(id); err == nil {
			t.Errorf("%q is read as scenario %q, task %q, %+v", id, scenario, task, d)
		}
	}
}

func TestScenarioID(t *testing.T) {
	seen := map[string]bool{}
	for _, info := range []quintain.ScenarioInfo{
		{Name: "a", Version: 1, Default: true, Settings: []byte(`{"x":1}`)},
		{Name: "a", Version: 2, Default: true, Settings: []byte(`{"x":1}`)},
		{Name: "b", Version: 1, Default: true, Settings: []byte(`{"x":1}`)},
		{Name: "a", Version: 1, Settings: []byte(`{"x":1}`)},
		{Name: "a", Version: 1, Settings: []byte(`{"x":2}`)},
		{Name: "a", Version: 1, Default: true, Settings: []byte(`{"x":1}`), Mark: "python 3.11.2"},
		{Name: "a", Version: 1, Default: true, Settings: []byte(`{"x":1}`), Mark: "python 3.11.4"},
		{Name: "a", Version: 1, Settings: []byte(`{"x":2}`), Mark: "python 3.11.2"},
	} {
		if seen[info.ID()] {
			t.Errorf("%+v has the same ID as another, %s", info, info.ID())
		}
		seen[info.ID()] = true
	}
	if !seen["a.v1"] {
		t.Errorf("IDs %v, want a.v1 among them", seen)
	}
}

// An answer becomes the reply that the scenario reads.
func TestReplyOfAnAnswer(t *testing.T) {
	for _, test := range []struct {
		tags         bool
		answer, want string
	}{
		{true, "3", "<answer>3</answer>"},
		{true, "so <Answer>3</answer>", "so <Answer>3</answer>"},
		{false, "3", "3"},
	} {
		if got := (quintain.ScenarioInfo{Tags: test.tags}).Reply(test.answer); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.answer, got, test.want)
		}
	}
}

func TestRecord(t *testing.T) {
	type item struct {
		A int `json:"a"`
	}
	made := quintain.NewRecord(item{1})
	if made.Value() != (item{1}) || made.String() != `{"a":1}` {
		t.Errorf("value %v, written as %s", made.Value(), made)
	}
	encoded, err := json.Marshal(quintain.Problem{Instance: made})
	if err != nil || !strings.Contains(string(encoded), `"instance":{"a":1}`) {
		t.Fatalf("written as %s, error %v", encoded, err)
	}
	var back quintain.Problem
	if err := json.Unmarshal(encoded, &back); err != nil {
		t.Fatal(err)
	}
	clear(encoded)
	if back.Instance.Value() != nil || back.Instance.String() != `{"a":1}` {
		t.Errorf("read back as %v, %s", back.Instance.Value(), back.Instance)
	}
	if raw, err := json.Marshal(quintain.Record{}); err != nil || string(raw) != "null" {
		t.Errorf("the empty record is written as %s, error %v", raw, err)
	}
	if _, err := quintain.NewRecord(math.Inf(1)).JSON(); err == nil {
		t.Error("infinity was written, which JSON cannot hold")
	}
}

func TestPartialRefusesAllAndNothing(t *testing.T) {
	for _, score := range []float64{0, 1, -1, 2, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a partial score of %v was accepted", score)
				}
			}()
			quintain.Partial(score, "")
		}()
	}
	if v := quintain.Partial(0.5, "half"); v.Score != 0.5 || v.Reason != "half" || v.Malformed {
		t.Errorf("got %+v", v)
	}
}

func TestOnlyTwoOutcomesAreRewarded(t *testing.T) {
	rewarded := 0
	for _, o := range quintain.Outcomes {
		if o.Rewarded() {
			rewarded++
		}
	}
	if rewarded != 2 || !quintain.Scored.Rewarded() || !quintain.ModelFailed.Rewarded() || quintain.Outcome("").Rewarded() {
		t.Errorf("%d outcomes are rewarded", rewarded)
	}
}

// goodGroup fills every array that Check reads.
func goodGroup() *quintain.Group {
	return &quintain.Group{
		Tokens: [][]quintain.Token{{1, 2, 3}, {4}}, Masks: [][]int32{{-100, 2, 3}, {4}}, Scores: []float64{1, 0},
		Advantages: [][]float64{{0, 1, 1}, {-1}}, RefLogProbs: [][]float64{{0, -1, -1}, {-1}}, LogProbs: [][]float64{{1, -1, -1}, {-1}},
		Overrides: []json.RawMessage{[]byte("{}"), []byte("{}")}, DistillTokens: [][][]quintain.Token{{{1}}, {}},
		DistillLogProbs: [][][]float64{{{-1, -2}}, {}}, Versions: [][]int32{{-1, 5, 6}, {4}},
	}
}

func TestGroupCheck(t *testing.T) {
	if err := goodGroup().Check(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		spoil func(*quintain.Group)
		field string
	}{
		{func(g *quintain.Group) { g.Masks = g.Masks[:1] }, "masks"},
		{func(g *quintain.Group) { g.Masks[1] = nil }, "masks[1]"},
		{func(g *quintain.Group) { g.Scores = nil }, "scores"},
		{func(g *quintain.Group) { g.Scores[1] = math.NaN() }, "scores[1]"},
		{func(g *quintain.Group) { g.Advantages = g.Advantages[:1] }, "advantages"},
		{func(g *quintain.Group) { g.Advantages[0] = []float64{1, 2} }, "advantages[0]"},
		{func(g *quintain.Group) { g.Advantages[0][2] = math.Inf(1) }, "advantages[0][2]"},
		{func(g *quintain.Group) { g.RefLogProbs[0] = g.RefLogProbs[0][:1] }, "ref_logprobs[0]"},
		{func(g *quintain.Group) { g.LogProbs[1][0] = math.Inf(-1) }, "inference_logprobs[1][0]"},
		{func(g *quintain.Group) { g.Overrides = g.Overrides[:1] }, "overrides"},
		{func(g *quintain.Group) { g.DistillTokens = nil; g.DistillLogProbs = g.DistillLogProbs[:1] }, "distill_logprobs"},
		{func(g *quintain.Group) { g.DistillLogProbs[0][0][1] = math.NaN() }, "distill_logprobs[0][0][1]"},
		{func(g *quintain.Group) { g.Versions[0] = nil }, "versions[0]"},
		{func(g *quintain.Group) { g.Episodes = []int32{0} }, "episodes"},
		{func(g *quintain.Group) { g.Episodes = []int32{1, 1} }, "episodes[0]"},
		{func(g *quintain.Group) { g.Episodes = []int32{0, 2} }, "episodes[1]"},
		{func(g *quintain.Group) { g.Episodes = []int32{-1, 0} }, "episodes[0]"},
	} {
		g := goodGroup()
		test.spoil(g)
		var fault *quintain.FieldError
		if err := g.Check(); !errors.As(err, &fault) || fault.Field != test.field {
			t.Errorf("error %v, want one about field %s", err, test.field)
		}
	}
	blind := goodGroup()
	blind.LogProbs[0] = []float64{}
	if err := blind.Check(); err != nil {
		t.Errorf("unknown log-probabilities of a sequence: %v", err)
	}
	single := goodGroup()
	single.Advantages[0] = []float64{0.5}
	if err := single.Check(); err != nil {
		t.Errorf("one advantage for a whole sequence: %v", err)
	}
}

func TestGroupCounts(t *testing.T) {
	g := goodGroup()
	if g.Sequences() != 2 || g.TokenCount() != 4 || g.Oldest() != 4 || g.MeanScore() != 0.5 {
		t.Errorf("%d sequences, %d tokens, oldest %d, mean %v", g.Sequences(), g.TokenCount(), g.Oldest(), g.MeanScore())
	}
	if g.EpisodeCount() != 2 {
		t.Errorf("%d episodes, want one for each sequence", g.EpisodeCount())
	}
	if g.Episodes = []int32{0, 0}; g.EpisodeCount() != 1 || g.Check() != nil {
		t.Errorf("two sequences of one episode count as %d episodes, error %v", g.EpisodeCount(), g.Check())
	}
	g.Masks, g.Versions = [][]int32{{quintain.Untrained, 7}, {8, 9}}, [][]int32{{1, 4}, {5, 9}}
	if mean := g.MeanVersion(); mean != 6 || g.Oldest() != 1 {
		t.Errorf("oldest %d, mean version %v, want that of the trained tokens, 6", g.Oldest(), mean)
	}
	if g.Versions[0][0] = -1; g.MeanVersion() != 6 {
		t.Errorf("mean version %v, though only an untrained token is of unknown version", g.MeanVersion())
	}
	if g.Versions[1][1] = -1; g.MeanVersion() != -1 {
		t.Errorf("mean version %v, though a trained token is of unknown version", g.MeanVersion())
	}
	if untrained := (&quintain.Group{Versions: [][]int32{{3, 5}}}).MeanVersion(); untrained != 3 {
		t.Errorf("mean version %v without a trained token, want the oldest, 3", untrained)
	}
	g = goodGroup()
	if g.Versions[0][len(g.Versions[0])-1] = -1; g.Oldest() != -1 {
		t.Errorf("oldest %d, though a token is of unknown version, which may be older", g.Oldest())
	}
	empty := &quintain.Group{}
	if empty.Oldest() != -1 || empty.MeanScore() != 0 || empty.Check() != nil {
		t.Errorf("empty group: oldest %d, mean %v, %v", empty.Oldest(), empty.MeanScore(), empty.Check())
	}
}
