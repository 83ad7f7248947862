package names_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// rows is a guest whose right reply is the number of the row.
type rows struct{ name string }

func (g rows) Hello(context.Context) (*external.Hello, error) {
	h := &external.Hello{Protocol: 2, Name: g.name, Version: 1}
	if g.name == "rows" {
		h.Splits = []external.Split{{Name: "test", Size: 2}, {Name: "train", Size: 3}}
	}
	return h, nil
}

func (rows) Open(_ context.Context, _ uint64, p *quintain.Problem) (*external.Answer, error) {
	return &external.Answer{Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "row " + strconv.Itoa(p.Index)}}}, nil
}

func (rows) Step(_ context.Context, _ uint64, r *external.Reply) (*external.Answer, error) {
	reward := float64(len(r.Text))
	return &external.Answer{Reward: &reward, End: quintain.Terminated}, nil
}

func (rows) Forget(context.Context, uint64) {}
func (rows) Close()                         {}

// guests opens guests in a book.
func guests(t *testing.T, of ...string) *names.Book {
	t.Helper()
	var all []names.Guest
	for _, name := range of {
		p, err := external.OpenGuest(t.Context(), rows{name}, external.Default(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		all = append(all, p)
	}
	book, err := catalog.Book(reasoninggym.Ours, all...)
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// Problems of a guest are drawn, come back by their ID, and are judged by it alone.
func TestAGuestPlays(t *testing.T) {
	book := guests(t, "rows", "judges")
	if got := book.Usual("gcd"); got != "rows" {
		t.Errorf("the usual task is %s, want rows", got)
	}
	if trained, held := book.Sides("rows"); !slices.Equal(trained, []int{1}) || !slices.Equal(held, []int{0}) {
		t.Errorf("levels %v are trained on, %v held out", trained, held)
	}
	if trained, held := book.Sides("gcd"); trained != nil || held != nil {
		t.Errorf("gcd has the sides %v and %v", trained, held)
	}
	for _, test := range []struct {
		why, task, scenario, params string
		want                        string // reward, or part of the error
	}{
		{"own problems", "rows", "", "", "2"},
		{"by name", "rows", "rows", "", "2"},
		{"the parameters of a level", "rows", "", ` {"split": "train"}`, "2"},
		{"no parameters", "rows", "", "{}", "2"},
		{"other parameters", "rows", "", `{"split":"eval"}`, `want those of a level: [{"split":"test"} {"split":"train"}]`},
		{"a scenario of ours", "rows", "math_multi_turn", "", "only rows plays task rows, not math_multi_turn"},
		{"its name, another's task", "gcd", "rows", "", "rows does not play task gcd"},
		{"tasks", "gcd", "judges", "", "2"},
		{"another's problems", "rows", "judges", "", "judges does not play task rows"},
	} {
		var got string
		if draw, err := book.Draw(names.Draw{Task: test.task, Scenario: test.scenario, Params: []byte(test.params)}); err != nil {
			got = err.Error()
		} else {
			p, err := draw(0)
			if err != nil {
				t.Fatal(err)
			}
			back, err := book.Problem([]byte(strconv.Quote(p.ID())))
			if err != nil || back.ID() != p.ID() || book.Check(p) != nil {
				t.Fatalf("%s: %s, error %v", test.why, back.ID(), err)
			}
			step, err := book.Judge(t.Context(), p, "", quintain.Reply{Text: "ab", Finish: quintain.Stop})
			if err != nil {
				t.Fatal(err)
			}
			got = strconv.FormatFloat(step.Reward, 'g', -1, 64)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
	draw, err := book.Draw(names.Draw{Task: "rows"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := draw(0)
	answer := "0"
	if _, grades := book.Grade(p, &answer); err != nil || grades == nil || !strings.Contains(grades.Error(), "judges replies, not answers") {
		t.Errorf("an answer: %v, %v", err, grades)
	}
}
