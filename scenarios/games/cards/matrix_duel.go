package cards

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// matrixDuel is a zero-sum matrix game, played again and again or in mixes.
var matrixDuel = games.Spec[matrixParams, matrices]{
	Name: "matrix_duel",
	Doc: "Play a zero-sum matrix game for several rounds against an opponent of a told family, and learn which member it is; or, at the upper levels, find the best mix of moves " +
		"for each of several matrices. Moves are measured by exact expected wins: over what the opponent may be, or against the best answer.",
	Source:  "Von Neumann, Zur Theorie der Gesellschaftsspiele (1928); code and texts are our own.",
	Version: 1,
	Levels: []matrixParams{
		{Size: 2, Kinds: []string{"repeats", "cycles"}, Members: 2, Rounds: 8},
		{Size: 3, Kinds: []string{"repeats", "cycles", "copies", "follows"}, Members: 3, Rounds: 8},
		{Size: 3, Kinds: []string{"cycles", "copies", "follows", "answers", "mix"}, Members: 3, Rounds: 8},
		{Size: 3, Kinds: []string{"copies", "follows", "answers", "mix", "mix"}, Members: 4, Rounds: 10},
		{Size: 2, Rounds: 4},
		{Size: 3, Rounds: 4},
		{Size: 5, Rounds: 4},
	},
	Make:     makeMatrices,
	Reward:   games.Value,
	Guess:    []float64{0.1862, 0.1493, 0.1653, 0.1775, 0.1572, 0.1195, 0.0883},
	Constant: []float64{0.38, 0.33, 0.28, 0.32, 0.5, 0.36, 0.29},
}

// mostPay is the most that a round wins or loses.
const mostPay = 9

// matrixParams are the parameters of a level.
type matrixParams struct {
	Size    int      `json:"size" want:"2 to 5"` // rows and columns
	Kinds   []string `json:"kinds,omitempty"`    // of members; none: the moves are mixes
	Members int      `json:"members,omitempty"`
	Rounds  int      `json:"rounds" want:"1 to 12"` // with mixes, each has a matrix of its own
}

// Check refuses what no tag does.
func (p matrixParams) Check() error {
	for _, k := range p.Kinds {
		if !slices.Contains(kinds, k) {
			return fmt.Errorf("kinds has %.20q, want some of %s", k, strings.Join(kinds, ", "))
		}
	}
	if len(p.Kinds) > 0 && (p.Members < 1 || p.Members > 4) || len(p.Kinds) == 0 && p.Members != 0 {
		return fmt.Errorf("members is %d, want 1 to 4 of some kinds, or 0 of none", p.Members)
	}
	return nil
}

// Matrices are a match in the beginning.
type matrices struct {
	Pay     [][][]int `json:"pay"`               // of each matrix: what the policy wins, by its move and the opponent's
	Members []member  `json:"members,omitempty"` // what the opponent may be; none: the moves are mixes
	Actual  int       `json:"actual,omitempty"`  // which it is
	Rounds  int       `json:"rounds"`
}

// makeMatrices draws a match in which it matters what one plays.
func makeMatrices(p matrixParams, r *rng.Rand) (matrices, error) {
	const patience = 2000
	start := matrices{Rounds: p.Rounds}
	for range patience {
		pay := drawPay(r, p.Size, p.Size, mostPay)
		if saddle(pay) {
			continue
		}
		if len(p.Kinds) == 0 {
			if !plain(solve(pay).rows) {
				continue
			}
			if start.Pay = append(start.Pay, pay); len(start.Pay) == p.Rounds {
				return start, nil
			}
			continue
		}
		start.Pay = [][][]int{pay}
		start.Members = drawMembers(p, r)
		start.Actual = r.Between(0, p.Members-1)
		const ahead = 3 // rounds, which are looked through at once
		if newForesight(pay, start.Members, ahead).par() >= ahead {
			return start, nil
		}
	}
	return matrices{}, errors.New("with these parameters, it hardly matters what one plays")
}

// drawPay draws a matrix of numbers from -most to most.
func drawPay(r *rng.Rand, rows, columns, most int) [][]int {
	pay := make([][]int, rows)
	for i := range pay {
		for range columns {
			pay[i] = append(pay[i], r.Between(-most, most))
		}
	}
	return pay
}

// saddle reports whether two moves are the best answers to one another.
func saddle(pay [][]int) bool {
	low := slices.Min(pay[0])
	high := mostPay
	for j := range pay[0] {
		top := pay[0][j]
		for _, row := range pay {
			low, top = max(low, slices.Min(row)), max(top, row[j])
		}
		high = min(high, top)
	}
	return low == high
}

// plain reports whether a mix can be told in small weights.
func plain(m mix) bool {
	const most = 1000
	return m.sum()/m.factor() <= most
}

// drawMembers draws members, all different.
func drawMembers(p matrixParams, r *rng.Rand) (all []member) {
	seen := map[string]bool{}
	for tries := 0; len(all) < p.Members; tries++ {
		m := member{Kind: rng.Pick(r, p.Kinds), Move: r.Between(0, p.Size-1)}
		if m.Kind == "mix" {
			m.Move, m.Percent = 0, make([]int, p.Size)
			for range 10 {
				m.Percent[r.Between(0, p.Size-1)] += 10
			}
		}
		if key := fmt.Sprint(m); !seen[key] || tries > 100 { // so few kinds of one size that two must be alike
			seen[key] = true
			all = append(all, m)
		}
	}
	return all
}

// Check refuses a record that is no match.
func (s matrices) Check() error {
	want := 1
	if len(s.Members) == 0 {
		want = s.Rounds
	}
	if s.Rounds < 1 || s.Rounds > 12 || len(s.Pay) != want {
		return fmt.Errorf("there are %d matrices and %d rounds, want 1 to 12 rounds, with a matrix each if there are no members, else with one", len(s.Pay), s.Rounds)
	}
	for _, pay := range s.Pay {
		if len(pay) < 2 || len(pay) > 5 {
			return fmt.Errorf("a matrix has %d rows, want 2 to 5", len(pay))
		}
		for _, row := range pay {
			if len(row) != len(pay) || slices.Min(row) < -mostPay || slices.Max(row) > mostPay {
				return fmt.Errorf("a matrix of %d rows has the row %v, want as many numbers from %d to %d", len(pay), row, -mostPay, mostPay)
			}
		}
	}
	return s.checkMembers()
}

func (s matrices) checkMembers() error {
	if len(s.Members) == 0 {
		return nil
	}
	if len(s.Members) > 4 || s.Actual < 0 || s.Actual >= len(s.Members) {
		return fmt.Errorf("actual is %d of %d members, want one of 4 at most", s.Actual, len(s.Members))
	}
	size := len(s.Pay[0])
	for i, m := range s.Members {
		sum := 0
		for _, p := range m.Percent {
			if p < 0 || p > 100 {
				return fmt.Errorf("member %d has %d percent, want 0 to 100", i, p)
			}
			sum += p
		}
		mixes := m.Kind == "mix"
		if !slices.Contains(kinds, m.Kind) || m.Move < 0 || m.Move >= size || mixes && (len(m.Percent) != size || sum != 100) || !mixes && len(m.Percent) > 0 {
			return fmt.Errorf("member %d is %v, which does not fit a matrix of %d rows", i, m, size)
		}
	}
	return nil
}

// Example implements [games.Start].
func (s matrices) Example() string {
	if len(s.Members) == 0 {
		return "A 1, B 3"
	}
	return "B"
}

// Turns implements [games.Start]: one reply may be a fault.
func (s matrices) Turns() int { return s.Rounds + 1 }

// Canonical implements [games.Start]: without members, the order of matrices, rows and columns
// does not count; with them, that of the members. What the opponent is does not count.
func (s matrices) Canonical() string {
	var all []string
	for _, pay := range s.Pay {
		if len(s.Members) > 0 {
			all = append(all, fmt.Sprint(pay))
			continue
		}
		all = append(all, leastImage(pay))
	}
	slices.Sort(all)
	var members []string
	for _, m := range s.Members {
		members = append(members, fmt.Sprint(m))
	}
	slices.Sort(members)
	return fmt.Sprint(all, members, s.Rounds)
}

// leastImage is the least text of a matrix with its rows and columns in any order.
func leastImage(pay [][]int) (least string) {
	var visit func(columns, left []int)
	visit = func(columns, left []int) {
		for i, column := range left {
			visit(append(columns[:len(columns):len(columns)], column), slices.Concat(left[:i], left[i+1:]))
		}
		if len(left) > 0 {
			return
		}
		var rows []string
		for _, row := range pay {
			var text []byte
			for _, column := range columns {
				text = fmt.Appendf(text, "%+d", row[column])
			}
			rows = append(rows, string(text))
		}
		slices.Sort(rows)
		if image := strings.Join(rows, "/"); least == "" || image < least {
			least = image
		}
	}
	all := make([]int, len(pay[0]))
	for i := range all {
		all[i] = i
	}
	visit(nil, all)
	return least
}

// Match implements [games.Start].
func (s matrices) Match(luck games.Luck, tables *games.Tables) games.Match {
	key := fmt.Sprint(s.Pay, s.Members, s.Rounds)
	if len(s.Members) == 0 {
		return &mixing{matrices: s, solved: sync.OnceValue(func() *mixes { return games.Table(tables, key, s.mixes) })}
	}
	return &guessing{matrices: s, luck: luck, belief: belief{alive: 1<<len(s.Members) - 1}, foresight: sync.OnceValue(func() *foresight { return games.Table(tables, key, s.foresight) })}
}

// foresight looks ahead to the end of a match.
func (s matrices) foresight() *foresight {
	f := newForesight(s.Pay[0], s.Members, s.Rounds)
	f.look(f.opening())
	return f
}
