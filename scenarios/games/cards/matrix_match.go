package cards

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// A guessing is a match against a member of a family.
type guessing struct {
	matrices
	luck      games.Luck
	foresight func() *foresight // looked ahead when the first move needs it
	belief    belief
	past      [][2]int // the moves of both, by round
	score     games.Score
}

// par is what uniform play gives away on average.
func (f *foresight) par() float64 {
	o := f.look(f.opening())
	return o.best - o.blind
}

// Show implements [games.Match].
func (g *guessing) Show() string {
	var b strings.Builder
	b.WriteString(table(g.Pay[0]))
	if len(g.past) > 0 {
		b.WriteString("\nRounds so far, your move first:")
		for i, round := range g.past {
			b.WriteString([]string{"", ","}[min(i, 1)])
			fmt.Fprintf(&b, " %c %c", 'A'+round[0], 'A'+round[1])
		}
		b.WriteString(".")
	}
	if len(g.past) == g.Rounds {
		return b.String() + "\nThe match is over."
	}
	fmt.Fprintf(&b, "\nThis is round %d of %d.", len(g.past)+1, g.Rounds)
	return b.String()
}

// table shows a matrix.
func table(pay [][]int) string {
	var b strings.Builder
	b.WriteString("```\n ")
	for j := range pay[0] {
		fmt.Fprintf(&b, "  %c", 'A'+j)
	}
	for i, row := range pay {
		fmt.Fprintf(&b, "\n%c", 'A'+i)
		for _, won := range row {
			fmt.Fprintf(&b, " %2d", won)
		}
	}
	b.WriteString("\n```")
	return b.String()
}

// Move implements [games.Match].
func (g *guessing) Move(text string) (told, why string) {
	mine := slices.Index(g.Allowed(), strings.ToUpper(strings.TrimSpace(text)))
	if mine < 0 {
		return "", fmt.Sprintf("%.20q is none of your moves, which are %s", text, strings.Join(g.Allowed(), ", "))
	}
	f := g.foresight()
	o := f.look(g.belief)
	if len(g.past) == 0 {
		g.score.Par = f.par()
	}
	g.score.Add(o.best-o.of[mine], slack)
	theirs := g.answer(f)
	g.belief = f.after(g.belief, mine, theirs)
	g.past = append(g.past, [2]int{mine, theirs})
	return fmt.Sprintf("You play %c, and your opponent plays %c: %s", 'A'+mine, 'A'+theirs, roundWon(g.Pay[0][mine][theirs])), ""
}

// answer draws the opponent's move.
func (g *guessing) answer(f *foresight) int {
	b := belief{round: int8(len(g.past))}
	if len(g.past) > 0 {
		b.last = int8(g.past[len(g.past)-1][0])
	}
	chances := make([]float64, len(f.pay))
	for move := range chances {
		chances[move] = f.chance(g.Members[g.Actual], b, move)
	}
	return drawn(chances, g.luck.At("opponent", len(g.past)).Float())
}

// roundWon tells what a round wins.
func roundWon(won int) string {
	switch {
	case won > 0:
		return fmt.Sprintf("you win %d.", won)
	case won < 0:
		return fmt.Sprintf("you lose %d.", -won)
	}
	return "nobody wins."
}

// Over implements [games.Match].
func (g *guessing) Over() (worth float64, over bool) {
	if len(g.past) < g.Rounds {
		return 0, false
	}
	sum := 0
	for _, round := range g.past {
		sum += g.Pay[0][round[0]][round[1]]
	}
	return 0.5 + float64(sum)/float64(2*mostPay*g.Rounds), true
}

// Value implements [games.Match].
func (g *guessing) Value() float64 { return g.score.Value() }

// Best implements [games.Match].
func (g *guessing) Best() (moves []string) {
	o := g.foresight().look(g.belief)
	for i, name := range g.Allowed() {
		if o.best-o.of[i] <= slack {
			moves = append(moves, name)
		}
	}
	return moves
}

// Allowed implements [games.Match].
func (g *guessing) Allowed() []string { return g.names() }
