package task_test

import (
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// sum is a record whose Spec says how it is asked.
type sum struct {
	Numbers  []int64 `json:"numbers"`
	Text     string  `json:"text"`
	Puzzle   inside  `json:"puzzle"`
	Result   int     `json:"result" want:"the answer"`
	Phrasing int     `json:"phrasing,omitempty"`
}

type inside struct {
	Words []string `json:"words"`
}

func (s sum) Solve() string { return strconv.FormatInt(s.Numbers[0]+s.Numbers[1], 10) }

func (s sum) Fill(gap string) string { return "<" + gap + ">" }

func sums(ask ...string) *task.Spec[struct{}, sum] {
	return &task.Spec[struct{}, sum]{
		Name: "sum", Levels: make([]struct{}, 1), Ask: ask, Form: " {unknown} {}", Short: "{text:solid}", Match: task.MatchNumber,
		Make: func(struct{}, *rng.Rand) (sum, error) {
			return sum{[]int64{1, 2}, "1 + 2", inside{[]string{"a", "b", "c"}}, 3, len(ask) - 1}, nil
		},
	}
}

func TestGapsAreFilled(t *testing.T) {
	for _, test := range []struct{ ask, want, why string }{
		{"{text}?", "1 + 2?", "a text"},
		{"{text:solid}?", "1+2?", "without its spaces"},
		{"{numbers:and}?", "1 and 2?", "a list of two"},
		{"{puzzle.words:and}?", "a, b and c?", "a list of three, in a field within"},
		{"{puzzle.words:/}?", "a/b/c?", "other text between"},
		{`{"a": {result}}`, `{"a": 3}`, "braces of JSON"},
	} {
		made := sums("", test.ask).Task()
		p, err := made.Problem(quintain.Draw{})
		if want := test.want + " <unknown> {}"; err != nil || p.Prompt != want {
			t.Errorf("%q is asked as %q, %v, want %q (%s)", test.ask, p.Prompt, err, want, test.why)
		}
		if short, err := made.(quintain.Shortener).Short(p); err != nil || short != "1+2" {
			t.Errorf("the short question is %q, %v", short, err)
		}
		if v, err := made.Grade(p, "3.0"); err != nil || v != quintain.Right() {
			t.Errorf("3.0 gets %+v, %v", v, err)
		}
	}
}

func TestRecordsOfSpecs(t *testing.T) {
	made := sums("{text}", "{text}").Task()
	for _, test := range []struct{ record, want string }{
		{`{"numbers":[1,2],"result":3}`, ""},
		{`{"numbers":[1,2],"result":4}`, "task sum: instance: result is 4, want 3"},
		{`{"numbers":[1,2],"result":3,"phrasing":2}`, "task sum: instance: phrasing is 2, want 0 to 1"},
		{`{"numbers":[1,2],"result":3,"phrasing":-1}`, "task sum: instance: phrasing is -1, want 0 to 1"},
	} {
		_, err := made.Solve(quintain.Problem{Task: "sum", Instance: quintain.RawRecord([]byte(test.record))})
		if (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%s: error %v, want %q", test.record, err, test.want)
		}
	}
}
