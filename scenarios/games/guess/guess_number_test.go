package guess

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// Bisection needs as many guesses as search finds.
func TestBisectionIsBruteForce(t *testing.T) {
	sums := []int{0}
	for n := 1; n <= 1000; n++ {
		best := n * n
		for low := range n {
			best = min(best, n+sums[low]+sums[n-1-low])
		}
		sums = append(sums, best)
		if got := bisected(n); got != best {
			t.Fatalf("%d numbers take %d guesses in all, search says %d", n, got, best)
		}
	}
	for n, want := range map[int]int{100: 580, 1000: 8987} { // the specification
		if sums[n] != want {
			t.Errorf("%d numbers take %d guesses in all, want %d", n, sums[n], want)
		}
	}
}

// The questions that are enough among lies are known.
func TestQuestionsAmongLies(t *testing.T) {
	for _, c := range []struct {
		numbers, lies, want int
		why                 string
	}{
		{16, 1, 7, "the specification, by search in Python"},
		{64, 1, 10, "the specification, by search in Python"},
		{16, 2, 10, "the specification, by search in Python"},
		{2, 1, 3, "two of three answers agree"},
		{2, 2, 5, "three of five answers agree"},
	} {
		if got := newQuestioning(c.lies).need(doubts{uint8(c.numbers)}); got != c.want {
			t.Errorf("%d numbers with %d lies take %d questions, want %d: %s", c.numbers, c.lies, got, c.want, c.why)
		}
	}
}

// The search by weights finds what plain search finds, and its question is one of the best.
func TestQuestioningIsBruteForce(t *testing.T) {
	for lies := 1; lies <= mostLies; lies++ {
		enough := map[doubts]int{}
		var plain func(d doubts, n int) bool
		plain = func(d doubts, n int) bool {
			if d.sum() <= 1 || n == 0 {
				return d.sum() <= 1
			}
			for a := range d[0] + 1 {
				for b := range d[1] + 1 {
					for c := range d[2] + 1 {
						yes, no := d.answered(lies, doubts{a, b, c})
						if plain(yes, n-1) && plain(no, n-1) {
							return true
						}
					}
				}
			}
			return false
		}
		q := newQuestioning(lies)
		for a := range uint8(3) {
			for b := range uint8(3) {
				d := doubts{a, b}
				for !plain(d, enough[d]) {
					enough[d]++
				}
				if got := q.need(d); got != enough[d] {
					t.Fatalf("%v with %d lies takes %d questions, plain search says %d", d, lies, got, enough[d])
				}
				if d.sum() > 1 {
					yes, no := d.answered(lies, q.ask(d))
					if !plain(yes, enough[d]-1) || !plain(no, enough[d]-1) {
						t.Fatalf("%v with %d lies: %v is not one of the best questions", d, lies, q.ask(d))
					}
				}
			}
		}
	}
}

// A lucky answer earns nothing, and a certain one everything.
func TestAnswersMustFollow(t *testing.T) {
	n := number{numberParams{Numbers: 16, Lies: 1, Replies: 14}, 5}
	m := n.Match(games.Luck{}, new(games.Tables))
	m.Move("answer 5")
	if worth, over := m.Over(); worth != 0 || !over || m.Value() != 0 {
		t.Errorf("a lucky answer is worth %v and %v", worth, m.Value())
	}
	m = n.Match(games.Luck{}, new(games.Tables))
	for _, over := m.Over(); !over; _, over = m.Over() {
		m.Move(m.Best()[0])
	}
	if worth, _ := m.Over(); worth < 0.5 || worth == 1 || m.Value() != 1 {
		t.Errorf("seven questions at most, of fourteen replies are worth %v and %v", worth, m.Value())
	}
}

// The same question wastes nothing at first, since the answer may be a lie, and a question about
// everything always does.
func TestWastedQuestions(t *testing.T) {
	n := number{numberParams{Numbers: 2, Lies: 1, Replies: 10}, 1}
	m := n.Match(games.Luck{}, new(games.Tables))
	m.Move("ask 1")
	m.Move("ask 1")
	if m.Value() != 1 {
		t.Errorf("asking twice is worth %v", m.Value())
	}
	m.Move("ask 1-2")
	if m.Value() >= 1 {
		t.Errorf("asking for everything is worth %v", m.Value())
	}
}

// Before an answer may differ, nothing tells one number from another.
func TestNumbersAreHidden(t *testing.T) {
	for _, p := range []numberParams{{Numbers: 100, Replies: 14}, {Numbers: 16, Lies: 1, Replies: 14}} {
		var seen []string
		for _, hidden := range []int{3, 7} {
			m := number{p, hidden}.Match(games.Luck{}, new(games.Tables))
			guess := "50"
			if p.Lies > 0 {
				guess = "ask 3,7"
			}
			before := m.Show()
			told, why := m.Move(guess)
			seen = append(seen, before+told+why+m.Show())
		}
		if seen[0] != seen[1] {
			t.Errorf("two numbers look different: %q", seen)
		}
	}
}

func FuzzReadSet(f *testing.F) {
	for _, text := range []string{"2, 5-9", "1-16", "16-1", "0", "1,,2", "1-2-3", "１", "-", strings.Repeat("1,", 99)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, why := readSet(text, 16)
		if why != "" {
			return
		}
		again, why := readSet(spellSet(set), 16)
		if why != "" || !slices.Equal(set, again) {
			t.Errorf("%q is written as %q, which is read as %v: %s", text, spellSet(set), again, why)
		}
	})
}
