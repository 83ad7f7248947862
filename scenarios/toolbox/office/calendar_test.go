package office

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// drawSmall draws a week of two people and a room that is short enough to try everything.
func drawSmall(r *rng.Rand) week {
	w := week{People: []worker{{Name: "ada", From: 16, To: 26}, {Name: "ben", From: 17, To: 27}, {Name: "cleo", From: 17, To: 25}}, Rooms: []string{"oak"}}
	w.Wish = wish{Title: "review", Length: r.Between(1, 4), To: daySlots, Moves: r.Between(0, 2), Days: []int{0, 1}[:r.Between(1, 2)]}
	w.Wish.People = rng.Sample(r, names(w.People), r.Between(1, 2))
	if r.Chance(0.3) {
		w.Wish.From = r.Between(17, 20)
	}
	if r.Chance(0.5) {
		w.Wish.Room = "oak"
	}
	a := newAgenda(w)
	movable := [weekDays]int{}
	for i := range 60 {
		m := meeting{Title: fmt.Sprint("t", i), Day: r.Between(0, 1), Start: r.Between(16, 26), Length: r.Between(1, 2), Movable: r.Chance(0.7)}
		m.People = rng.Sample(r, names(w.People), r.Between(1, 2))
		if r.Chance(0.4) {
			m.Room = "oak"
		}
		if m.Movable && movable[m.Day] == 4 || a.clash(m) != "" || len(w.Meetings) > 14 {
			continue
		}
		if m.Movable {
			movable[m.Day]++
		}
		a.add(m)
		w.Meetings = append(w.Meetings, m)
	}
	return w
}

// tried is the best way to meet a wish, found by trying all places of all movable meetings.
func tried(w week, of wish) (moves, day, start int, can bool) {
	moves = 99
	for _, d := range of.Days {
		var today []int
		for i, m := range w.Meetings {
			if m.Day == d && m.Movable {
				today = append(today, i)
			}
		}
		now := slices.Clone(w.Meetings)
		var place func(k, moved int)
		place = func(k, moved int) {
			if moved > of.Moves {
				return
			}
			if k < len(today) {
				for s := 15; s < 28; s++ {
					changed := 0
					if s != w.Meetings[today[k]].Start {
						changed = 1
					}
					now[today[k]].Start = s
					place(k+1, moved+changed)
				}
				now[today[k]].Start = w.Meetings[today[k]].Start
				return
			}
			for s := of.From; s+of.Length <= of.To; s++ {
				better := moved < moves || moved == moves && (d < day || d == day && s < start)
				if better && allowed(w, now, meeting{Title: "new", People: of.People, Room: of.Room, Day: d, Start: s, Length: of.Length}) {
					moves, day, start, can = moved, d, s, true
				}
			}
		}
		place(0, 0)
	}
	return moves, day, start, can
}

// allowed reports whether meetings are within the working hours, and nobody has two at once.
func allowed(w week, all []meeting, more meeting) bool {
	var taken [4][daySlots]bool // of ada, ben, cleo and oak
	take := func(who string, m meeting) bool {
		i := strings.IndexByte("abco", who[0])
		for s := m.Start; s < m.Start+m.Length; s++ {
			if taken[i][s] || i < 3 && (s < w.People[i].From || s >= w.People[i].To) {
				return false
			}
			taken[i][s] = true
		}
		return true
	}
	fits := func(m meeting) bool {
		for _, who := range m.People {
			if !take(who, m) {
				return false
			}
		}
		return m.Room == "" || take(m.Room, m)
	}
	for _, m := range all {
		if m.Day == more.Day && !fits(m) {
			return false
		}
	}
	return fits(more)
}

func TestTheSearchFindsTheBest(t *testing.T) {
	t.Parallel()
	r := rng.New(1, "weeks")
	seen := map[string]int{}
	for i := range 120 {
		w := drawSmall(r)
		if err := task.Check(w); err != nil {
			t.Fatal(err)
		}
		best, can := w.solve(w.Wish)
		moves, day, start, wanted := tried(w, w.Wish)
		if can != wanted || can && (len(best.moved) != moves || best.day != day || best.start != start) {
			t.Fatalf("week %d: %+v, %v; want %d moves, day %d, from %d, %v: %+v", i, best, can, moves, day, start, wanted, w)
		}
		seen[fmt.Sprint(can, len(best.moved))]++
	}
	if len(seen) != 4 {
		t.Errorf("seen: %v", seen)
	}
}

// A condition is blamed exactly if it is in a minimal conflict, by the definition.
func TestBlameIsThatOfMinimalConflicts(t *testing.T) {
	t.Parallel()
	r := rng.New(2, "weeks")
	found := 0
	for found < 40 {
		w := drawSmall(r)
		w.Wish.Moves = min(w.Wish.Moves, 1)
		if _, can := w.solve(w.Wish); can {
			continue
		}
		found++
		n := len(w.Wish.conditions())
		can := make([]bool, 1<<n)
		for kept := range can {
			_, can[kept] = w.solve(w.Wish.without(uint(kept)))
		}
		in := make([]bool, n+2)
		for kept := range can {
			minimal := !can[kept]
			for i := range n {
				minimal = minimal && (kept>>i&1 == 0 || can[kept&^(1<<i)])
			}
			for i := range n {
				in[i+1] = in[i+1] || minimal && kept>>i&1 == 1
			}
		}
		for number, want := range in {
			if got := w.blames(number); got != want {
				t.Fatalf("condition %d of %+v: blamed %v, want %v", number, w.Wish, got, want)
			}
		}
		if !in[w.blame()] {
			t.Fatalf("condition %d of %+v is named, and is in no minimal conflict", w.blame(), w.Wish)
		}
	}
}

// small is a week in which a booking at 9:00 needs that m1 is moved, and 10:00 is free.
func small(moves int) week {
	return week{
		People: []worker{{Name: "ada", From: 18, To: 24}, {Name: "ben", From: 18, To: 24}}, Rooms: []string{"oak"},
		Meetings: []meeting{
			{Title: "budget", People: []string{"ada"}, Start: 18, Length: 2, Movable: true}, {Title: "sales", People: []string{"ben"}, Start: 22, Length: 2},
		},
		Wish: wish{Title: "review", Length: 2, People: []string{"ada", "ben"}, Days: []int{0}, To: daySlots, Moves: moves},
	}
}

func TestBookingsAreJudged(t *testing.T) {
	t.Parallel()
	book := func(start string, people ...string) quintain.ToolCall {
		return quintain.ToolCall{Name: "book", Arguments: fmt.Sprintf(`{"title": "review", "people": ["%s"], "day": "mon", "start": %q, "minutes": 60}`, strings.Join(people, `", "`), start)}
	}
	move := func(id, day, start string) quintain.ToolCall {
		return call("move", "meeting", id, "day", day, "start", start)
	}
	impossible := quintain.ToolCall{Name: "impossible", Arguments: `{"condition": 1}`}
	closed := small(0)
	closed.Wish.To = 19 // nothing of an hour ends before 9:30
	for _, test := range []struct {
		why   string
		of    week
		calls []quintain.ToolCall
		worth float64 // 0.5: half
		says  string
	}{
		{"the best", small(1), []quintain.ToolCall{book("10:00", "ben", "ada")}, 1, ""},
		{"nothing", small(1), nil, 0, "0 meetings were booked"},
		{"later", small(1), []quintain.ToolCall{book("10:30", "ada", "ben")}, 0, "ben has two meetings at once"},
		{"more moves", small(1), []quintain.ToolCall{move("m1", "mon", "11:00"), book("9:00", "ada", "ben")}, 0.5, "1 are moved for mon 09:00, and the best is 0 for mon 10:00"},
		{"a move that is not allowed", small(0), []quintain.ToolCall{move("m1", "mon", "11:00"), book("9:00", "ada", "ben")}, 0, "1 meetings were moved"},
		{"to another day", small(1), []quintain.ToolCall{move("m1", "tue", "09:00"), book("09:00", "ada", "ben")}, 0, "budget was moved to another day"},
		{"cancelled", small(1), []quintain.ToolCall{call("cancel", "meeting", "m1"), book("09:00", "ada", "ben")}, 0, "budget was cancelled"},
		{"someone is missing", small(1), []quintain.ToolCall{book("10:00", "ada")}, 0, "it is with ada"},
		{"twice", small(1), []quintain.ToolCall{book("10:00", "ada", "ben"), book("10:00", "ada", "ben")}, 0, "2 meetings were booked"},
		{"booked, cancelled and booked", small(1), []quintain.ToolCall{book("11:00", "ada", "ben"), call("cancel", "meeting", "m3"), book("10:00", "ada", "ben")}, 1, ""},
		{"before work", small(1), []quintain.ToolCall{book("8:00", "ada", "ben")}, 0, "review is beyond the working hours of"},
		{"impossible, but it is not", small(1), []quintain.ToolCall{impossible}, 0, "it is possible"},
		{"impossible", closed, []quintain.ToolCall{impossible}, 1, ""},
		{"impossible, for another reason", closed, []quintain.ToolCall{{Name: "impossible", Arguments: `{"condition": 3}`}}, 0, "condition 3 is in no minimal conflict"},
		{"booked, though it is impossible", closed, []quintain.ToolCall{book("10:00", "ada", "ben")}, 0, "it is impossible"},
	} {
		if err := task.Check(test.of); err != nil {
			t.Fatal(err)
		}
		w, said := made(t, test.of, test.calls...)
		j := w.Judge("")
		worth := j.Share
		if j.State == "" && j.Answer == "" {
			worth = 1
		}
		if worth != test.worth || !strings.Contains(j.State+j.Answer, test.says) || strings.HasPrefix(said, "Error") {
			t.Errorf("%s: %+v after %q, want %v and %q", test.why, j, said, test.worth, test.says)
		}
	}
}

func TestCalendarsTell(t *testing.T) {
	t.Parallel()
	w := small(1)
	w.People[0].Zone = 2
	for _, test := range []struct{ tool, who, says string }{
		{"list", "ada", "ada works from 11:00 to 14:00 (UTC+2).\n11:00-12:00 m1 budget, movable, with ada"},
		{"list", "ben", "ben works from 09:00 to 12:00 (UTC+0).\n11:00-12:00 m2 sales, fixed, with ben"},
		{"list", "oak", "No meetings."},
		{"free", "ada", "ada works from 11:00 to 14:00 (UTC+2). Free: 12:00-14:00."},
		{"free", "ben", "ben works from 09:00 to 12:00 (UTC+0). Free: 09:00-11:00."},
		{"free", "oak", "Free: 00:00-24:00."},
		{"list", "eve", `Error: argument who: there is no person or room "eve"; there are: ada, ben, oak`},
	} {
		if _, said := made(t, w, call(test.tool, "who", test.who, "day", "mon")); said != test.says {
			t.Errorf("%s %s: %q, want %q", test.tool, test.who, said, test.says)
		}
	}
}

// To call impossible at once earns no more than the share of the weeks in which it is.
func TestImpossibleIsNoGuess(t *testing.T) {
	t.Parallel()
	const weeks = 60
	for level, p := range calendar.Levels {
		right := [4]int{}
		for i := range weeks {
			w, err := makeWeek(p, rng.New(uint64(i), fmt.Sprint(level)))
			if err != nil {
				t.Fatal(err)
			}
			for number := range right {
				if at, _ := made(t, w, quintain.ToolCall{Name: "impossible", Arguments: fmt.Sprintf(`{"condition": %d}`, number)}); at.Judge("").Answer == "" {
					right[number]++
				}
			}
		}
		t.Logf("level %d: conditions 0 to 3 are right in %v of %d", level, right, weeks)
		if most := slices.Max(right[:]); right[0] > 0 || float64(most) > weeks*0.15+3.5*math.Sqrt(weeks*0.15*0.85) {
			t.Errorf("level %d: conditions 0 to 3 are right in %v of %d", level, right, weeks)
		}
	}
}

func BenchmarkWeeks(b *testing.B) {
	for i := uint64(0); b.Loop(); i++ {
		if _, err := makeWeek(calendar.Levels[4], rng.New(i, "week")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBlame(b *testing.B) {
	var weeks []week
	for i := uint64(0); len(weeks) < 10; i++ {
		w, err := makeWeek(calendar.Levels[4], rng.New(i, "blame"))
		if err != nil {
			b.Fatal(err)
		}
		if _, can := w.solve(w.Wish); !can {
			weeks = append(weeks, w)
		}
	}
	for i := 0; b.Loop(); i++ {
		weeks[i%10].blames(1 + i/10%3)
	}
}

// The limit of calls is the same whether the wish can be fulfilled or not, and however many moves it takes.
func TestTheLimitDoesNotTell(t *testing.T) {
	t.Parallel()
	open, shut := small(1), small(1)
	shut.Wish.To = 19
	none := small(1)
	none.Meetings = nil
	if a, b, c := open.Calls(), shut.Calls(), none.Calls(); a != b || a != c || a < len(open.Plan()) || a < len(shut.Plan()) {
		t.Errorf("%d, %d and %d calls", a, b, c)
	}
	for i := range uint64(100) {
		w, err := makeWeek(calendar.Levels[3], rng.New(i, "limit"))
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Plan()) > w.Calls() {
			t.Errorf("the plan has %d calls, of %d", len(w.Plan()), w.Calls())
		}
	}
}

// A meeting that makes room may need room itself.
func TestMovesFollowFromMoves(t *testing.T) {
	t.Parallel()
	w := week{
		People: []worker{{Name: "ada", From: 18, To: 22}, {Name: "ben", From: 18, To: 20}, {Name: "cleo", From: 18, To: 22}},
		Meetings: []meeting{
			{Title: "budget", People: []string{"ada", "cleo"}, Start: 18, Length: 2, Movable: true}, {Title: "sales", People: []string{"cleo"}, Start: 20, Length: 2, Movable: true},
		},
		Wish: wish{Title: "review", Length: 2, People: []string{"ada", "ben"}, Days: []int{0}, To: daySlots, Moves: 2},
	}
	if best, can := w.solve(w.Wish); !can || best.start != 18 || !slices.Equal(best.moved, []shift{{0, 20}, {1, 18}}) {
		t.Errorf("%+v, %v", best, can)
	}
	w.Wish.Moves = 1
	if best, can := w.solve(w.Wish); can {
		t.Errorf("with one move: %+v", best)
	}
}
