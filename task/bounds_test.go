package task_test

import (
	"math"
	"testing"

	"github.com/quintain-rl/quintain/task"
)

// bounded has a field for every kind of bound.
type bounded struct {
	MinTerms int             `json:"min_terms" want:"2 or more"`
	MaxTerms int             `json:"max_terms" want:"min_terms to 100"`
	Large    int64           `json:"large" want:"more than 9223372036854775805"`
	Share    float64         `json:"share" want:"more than 0 and at most 1: it is a share"`
	Words    []string        `json:"words" want:"1 to 2" oneof:"+ - /, each once"`
	Text     string          `json:"text" want:"at most 3" chars:"a-cx"`
	Grid     [][]int         `json:"grid" each:"0 to max_terms"`
	Inner    struct{ N int } `json:"inner"`
	Pairs    []pair          `json:"pairs"`
	Perhaps  *int            `json:"perhaps" want:"3"`
	kin
}

type kin struct {
	Low  int `json:"low" want:"less than high"`
	High int `json:"high"`
}

// pair is within itself, as a schema is.
type pair struct {
	A   int    `json:"a" want:"0 to 9"`
	Own []pair `json:"own"`
}

// Check adds what tags cannot say.
func (b bounded) Check() error { return task.Within("terms", b.MaxTerms-b.MinTerms, 0, 50) }

func TestCheck(t *testing.T) {
	four := 4
	for _, test := range []struct {
		change func(*bounded)
		want   string
	}{
		{func(*bounded) {}, ""},
		{func(b *bounded) { b.MinTerms = 1 }, "min_terms is 1, want 2 or more"},
		{func(b *bounded) { b.MaxTerms = 1 }, "max_terms is 1, want min_terms (2) to 100"},
		{func(b *bounded) { b.MaxTerms = 101 }, "max_terms is 101, want min_terms (2) to 100"},
		{func(b *bounded) { b.MaxTerms = 99 }, "terms is 97, want 0 to 50"},
		{func(b *bounded) { b.Large-- }, "large is 9223372036854775805, want more than 9223372036854775805"},
		{func(b *bounded) { b.Share = 0 }, "share is 0, want more than 0 and at most 1: it is a share"},
		{func(b *bounded) { b.Share = math.NaN() }, "share is NaN, want more than 0 and at most 1: it is a share"},
		{func(b *bounded) { b.Words = nil }, "words has length 0, want 1 to 2"},
		{func(b *bounded) { b.Words[0] = "*" }, `words has "*", want some of + - /, each once`},
		{func(b *bounded) { b.Words = []string{"-", "-"} }, `words has "-", want some of + - /, each once`},
		{func(b *bounded) { b.Text = "abcx" }, "text has length 4, want at most 3"},
		{func(b *bounded) { b.Text = "d" }, `text is "d", want only characters of abcx`},
		{func(b *bounded) { b.Grid = [][]int{{1}, {2, 11}} }, "grid has 11, want 0 to max_terms (10)"},
		{func(b *bounded) { b.Pairs = []pair{{A: 1}, {A: 10}} }, "pairs: number 2: a is 10, want 0 to 9"},
		{func(b *bounded) { b.Perhaps = &four }, "perhaps is 4, want 3"},
		{func(b *bounded) { b.Low = 5 }, "low is 5, want less than high (5)"},
	} {
		b := bounded{MinTerms: 2, MaxTerms: 10, Large: 9223372036854775806, Share: 1, Words: []string{"-"}, Text: "abx", kin: kin{High: 5}}
		test.change(&b)
		said := ""
		if err := task.Check(b); err != nil {
			said = err.Error()
		}
		if said != test.want {
			t.Errorf("%+v: %q, want %q", b, said, test.want)
		}
	}
}
