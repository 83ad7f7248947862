package task_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A coin is a task with settings of every kind.
type coinParams struct {
	Sides []string `json:"sides"`
	Fail  bool     `json:"fail"`
}

func (p coinParams) Check() error {
	if len(p.Sides) == 0 {
		return errors.New("sides is empty")
	}
	return nil
}

type coinItem struct {
	Side string `json:"side"`
}

func (c coinItem) Prompt() string                       { return "Which side?" }
func (c coinItem) Solve() string                        { return c.Side }
func (c coinItem) Score(answer string) quintain.Verdict { return task.Match(answer, c.Side) }

func (c coinItem) Check() error {
	if c.Side == "" {
		return errors.New("side is empty")
	}
	return nil
}

var coin = task.Spec[coinParams, coinItem]{
	Name: "coin", Doc: "Name the side.", Version: 3,
	Default: coinParams{Sides: []string{"heads", "tails"}},
	Levels:  []coinParams{{Sides: []string{"heads"}}},
	Make: func(p coinParams, r *rng.Rand) (coinItem, error) {
		if p.Fail {
			return coinItem{}, errors.New("it rolled away")
		}
		return coinItem{rng.Pick(r, p.Sides)}, nil
	},
}

func TestOwnParamsDoNotReachTheDefaults(t *testing.T) {
	own, err := coin.Task().With([]byte(`{"sides":["edge"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := own.Problem(quintain.Draw{}); err != nil || p.Instance.String() != `{"side":"edge"}` {
		t.Errorf("problem %s, error %v", p.Instance, err)
	}
	if coin.Default.Sides[0] != "heads" {
		t.Errorf("the defaults are now %v", coin.Default.Sides)
	}
}

func TestInvalidParamsNameTheSetting(t *testing.T) {
	for _, test := range []struct{ why, params, want string }{
		{"an unknown name, near another", `{"side":["heads"]}`, `task coin: params: side is no setting of this task; did you mean "sides"?`},
		{"an unknown name", `{"weight":1}`, "task coin: params: weight is no setting of this task, want fail, sides"},
		{"another type", `{"fail":"no"}`, "task coin: params: fail is a string, want true or false"},
		{"another type of a list", `{"sides":"heads"}`, "task coin: params: sides is a string, want a list"},
		{"a refused value", `{"sides":[]}`, "task coin: params: sides is empty"},
		{"no object", `[]`, "task coin: params: json: cannot unmarshal array"},
	} {
		if _, err := coin.Task().With([]byte(test.params)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		}
	}
}

func TestErrorsNameTaskAndDraw(t *testing.T) {
	failing, err := coin.Task().With([]byte(`{"fail":true}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = failing.Problem(quintain.Draw{Seed: 4, Index: 7})
	for _, want := range []string{"coin", "seed 4", "index 7", "rolled away"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not tell %q", err, want)
		}
	}
	if _, err := coin.Task().Grade(quintain.Problem{Task: "coin", Instance: quintain.RawRecord([]byte(`{"side":""}`))}, "x"); err == nil || !strings.Contains(err.Error(), "side is empty") {
		t.Errorf("error %v", err)
	}
}

func TestShort(t *testing.T) {
	p, err := coin.Task().Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	if short, err := coin.Task().(quintain.Shortener).Short(p); err != nil || short != p.Prompt {
		t.Errorf("short form %q, error %v; want the prompt of a task without one", short, err)
	}
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		match     func(got, want string) quintain.Verdict
		got, want string
		score     float64
		malformed bool
	}{
		{task.Match, "abc", "abc", 1, false},
		{task.Match, "", "abc", 0, true},
		{task.Match, "ABC", "abc", 0, false},
		{task.Match, " abc", "abc", 0.75, false},
		{task.Match, "The answer is: ébcé", "ébcé", 4. / 19, false},
		{task.Match, "ébcé", "bc", 0, false},
		{task.Match, "abc, abc", "abc", 0, false},
		{task.Match, "abc or abd", "abc", 0, false},
		{task.Match, "not abc", "abc", 0, false},
		{task.Match, "True or False", "True", 0, false},
		{task.Match, "it is True", "True", 0.4, false},
		{task.Match, "**abc**.", "abc", 3. / 8, false},
		{task.Match, "the, abc", "abc", 0, false},
		{task.Match, "abc the", "abc", 0, false},
		{task.Match, "It says: abc the list", "abc", 0, false},
		{task.MatchNumber, "x = 10", "10", 1. / 3, false},
		{task.MatchNumber, `""`, "1", 0, false},
		{task.MatchNumber, "The answer is", "1", 0, false},
		{task.MatchNumber, "ex = 10", "10", 0, false},
		{task.MatchNumber, "The sum is 10.", "10", 1. / 7, false},
		{task.Match, "abc", "", 0, false},
		{task.Match, "", "", 0, true},
		{task.MatchNumber, "1,000.0", "1000", 1, false},
		{task.MatchNumber, "1000", "1,000", 1, false},
		{task.MatchNumber, "=1000", "1000", 0.8, false},
		{task.MatchNumber, "= 1000", "1000", 4. / 6, false},
		{task.MatchNumber, "There are 1000 legs.", "1000", 0.2, false},
		{task.MatchNumber, "-1000", "1000", 0, false},
		{task.MatchNumber, "- 1000", "1000", 0, false},
		{task.MatchNumber, "10001", "1000", 0, false},
		{task.MatchNumber, "1000.5", "1000", 0, false},
		{task.MatchNumber, ".1000", "1000", 0, false},
		{task.MatchNumber, "0.1000", "1000", 0, false},
		{task.MatchNumber, "1000, 1001", "1000", 0, false},
		{task.MatchNumber, "1,0,0,0", "1000", 0, false},
		{task.MatchNumber, "1000!", "1000", 0, false},
		{task.MatchNumber, "1000^2", "1000", 0, false},
		{task.MatchNumber, "twice 1000", "1000", 0, false},
		{task.MatchNumber, "1e999999999999", "1000", 0, false},
		{task.MatchNumber, "", "1000", 0, true},
		{task.MatchNumber, "1000", "1000", 1, false},
		{task.MatchNumber, "-0", "0", 1, false},
		{task.MatchNumber, "-7", "-7.0", 1, false},
		{task.MatchNumber, "007", "7", 1, false},
		{task.MatchNumber, "17", "7", 0, false},
		{task.MatchNumber, "-7", "7", 0, false},
		{task.MatchNumber, "-", "7", 0, false},
	} {
		v := test.match(test.got, test.want)
		if math.Abs(v.Score-test.score) > 1e-12 || v.Malformed != test.malformed || v.Score < 1 && v.Reason == "" {
			t.Errorf("%q for %q: %+v, want %v", test.got, test.want, v, test.score)
		}
	}
	if v := task.Match(strings.Repeat("é", 1000), strings.Repeat("ü", 1000)); len(v.Reason) > 120 {
		t.Errorf("a reason of %d bytes", len(v.Reason))
	}
}

// A right answer in another form is right, and a wrong one earns no more than it does
// unchanged.
func TestGradeReadsOtherForms(t *testing.T) {
	p, err := coin.Task().With([]byte(`{"sides":["[\"1000\"]"]}`))
	if err != nil {
		t.Fatal(err)
	}
	problem, err := p.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text string
		want float64
	}{{`["1000"]`, 1}, {`['1000']`, 1}, {"```\n['1000',]\n```", 1}, {`['1001']`, 0}, {`**['1000']** or`, 0}} {
		if v, err := coin.Task().Grade(problem, test.text); err != nil || v.Score != test.want {
			t.Errorf("%q: %+v, error %v, want %v", test.text, v, err, test.want)
		}
	}
}

// A task of a set makes the same problems as the task alone, in many goroutines too.
func TestSetMakesTheSame(t *testing.T) {
	s, err := task.NewSet([]quintain.Task{coin.Task()})
	if err != nil {
		t.Fatal(err)
	}
	var makers sync.WaitGroup
	for range 4 {
		makers.Go(func() {
			for i := range 200 {
				draw := quintain.Draw{Seed: 5, Level: i % len(coin.Levels), Index: i}
				got, err := s.All()[0].Problem(draw)
				want, wantErr := coin.Task().Problem(draw)
				if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%+v: %+v, want %+v; errors %v, %v", draw, got, want, err, wantErr)
				}
			}
		})
	}
	makers.Wait()
}

func TestSet(t *testing.T) {
	s, err := task.NewSet([]quintain.Task{coin.Task()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get("coin"); err != nil || got.Info().Name != "coin" {
		t.Errorf("%v, error %v", got, err)
	}
	for _, test := range []struct{ name, tells string }{{"coins", `did you mean "coin"?`}, {"elephant", `no task "elephant"`}, {"", "no task"}} {
		if _, err := s.Get(test.name); err == nil || !strings.Contains(err.Error(), test.tells) {
			t.Errorf("%q: error %v, want one that tells %s", test.name, err, test.tells)
		}
	}
	if _, err := task.NewSet([]quintain.Task{coin.Task(), coin.Task()}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("error %v", err)
	}
}

// A shy item may have its question in the prompt alone.
type shyItem struct {
	Question string `json:"question"`
}

func (shyItem) Prompt() string                { return "?" }
func (shyItem) Solve() string                 { return "!" }
func (shyItem) Score(string) quintain.Verdict { return quintain.Right() }
func (s shyItem) Short() string               { return "short: " + s.Question }
func (s shyItem) Canonical() string           { return s.Question }

// A kinItem may belong to a family.
type kinItem struct {
	shyItem
	Of string `json:"of"`
}

func (k kinItem) Family() string { return k.Of }

// A key is made of the canonical form, else of the short question, else of the prompt.
func TestKey(t *testing.T) {
	shy := task.Spec[coinParams, shyItem]{Name: "shy"}
	key := func(of quintain.Task, record, prompt string) quintain.Key {
		t.Helper()
		key, err := quintain.KeyOf(of, quintain.Problem{Task: of.Info().Name, Prompt: prompt, Instance: quintain.RawRecord([]byte(record))})
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	for _, test := range []struct {
		of             quintain.Task
		record, prompt string
		same           string
		why            string
	}{
		{shy.Task(), `{"question":"why"}`, "a", "why", "the canonical form"},
		{shy.Task(), `{"question":""}`, "a", "a", "the prompt, for a record that does not have the question"},
		{coin.Task(), `{"side":"edge"}`, "b", "b", "the prompt, for an instance without another form"},
	} {
		if key(test.of, test.record, test.prompt) != quintain.NewKey(test.same) {
			t.Errorf("record %s, prompt %s: the key is not that of %q (%s)", test.record, test.prompt, test.same, test.why)
		}
	}
	kin := task.Spec[coinParams, kinItem]{Name: "kin"}
	if got := key(kin.Task(), `{"question":"why","of":"us"}`, "a"); got != quintain.NewFamilyKey("us", "why") {
		t.Errorf("the key %x leaves out the family", got)
	}
	if got := key(kin.Task(), `{"question":"why","of":""}`, "a"); got != quintain.NewKey("why") {
		t.Errorf("the key %x is not that of a problem without a family", got)
	}
}
