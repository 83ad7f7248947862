package alone

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// slipperyGrid is a way over ice, with the transitions of Gymnasium's FrozenLake.
var slipperyGrid = games.Spec[iceParams, ice]{
	Name:    "slippery_grid",
	Doc:     "Cross a map of ice with holes, where a move may slip to a side. Each move is measured by the exact chance to arrive, so slipping costs nothing.",
	Source:  "The rules of FrozenLake in Gymnasium (MIT); maps and code are our own.",
	Version: 1,
	Levels: []iceParams{
		{Size: 3, Holes: 1, Sure: 100, Moves: 8},
		{Size: 4, Holes: 4, Sure: 100, Moves: 12},
		{Size: 4, Holes: 3, Sure: 80, Moves: 16},
		{Size: 5, Holes: 5, Sure: 60, Moves: 30},
		{Size: 6, Holes: 7, Sure: 34, Moves: 60},
		{Size: 8, Holes: 10, Sure: 34, Moves: 100},
	},
	Make:     makeIce,
	Reward:   games.Value,
	Guess:    []float64{0.0860, 0.0077, 0.2159, 0.3127, 0.3558, 0.3646},
	Constant: []float64{0, 0, 0.21, 0.34, 0.38, 0.38},
	Openings: []int{4, 369, 155, 0, 0, 0},
}

// iceParams are the parameters of a level.
type iceParams struct {
	Size  int `json:"size" want:"2 to 12"`
	Holes int `json:"holes"`
	Sure  int `json:"sure" want:"34 to 100"` // percent: the chance that a move goes as wished; 34 stands for a third
	Moves int `json:"moves"`
}

// Check refuses what no tag does.
func (p iceParams) Check() error {
	return cmp.Or(task.Within("holes", p.Holes, 0, p.Size*p.Size/3), task.Within("moves", p.Moves, 2*p.Size-2, 200))
}

// An ice is a map. Its rows hold S, G, H and F for start, goal, hole and ice, as in Gymnasium.
type ice struct {
	Rows  []string `json:"rows"`
	Sure  int      `json:"sure"`
	Moves int      `json:"moves"`
}

// Check refuses a record that is no map.
func (m ice) Check() error {
	cells, size := strings.Join(m.Rows, ""), len(m.Rows)
	for i, row := range m.Rows {
		if len(row) != size {
			return fmt.Errorf("row %d of %d has %d squares", i+1, size, len(row))
		}
	}
	if err := task.Check(iceParams{Size: size, Sure: m.Sure, Moves: m.Moves}); err != nil {
		return err
	}
	if inner := cells[1 : len(cells)-1]; cells[0] != 'S' || cells[len(cells)-1] != 'G' || strings.Trim(inner, "FH") != "" {
		return fmt.Errorf("the squares are %.20q, want F and H between S and G", cells)
	}
	return nil
}

// makeIce draws a map on which the best play arrives with a chance of 0.15 or more, and of less
// than 0.98 if a move may slip.
func makeIce(p iceParams, r *rng.Rand) (ice, error) {
	const patience = 1000
	for range patience {
		cells := []byte(strings.Repeat("F", p.Size*p.Size))
		cells[0], cells[len(cells)-1] = 'S', 'G'
		for _, at := range rng.Different(r, p.Holes, 1, int64(len(cells)-2)) {
			cells[at] = 'H'
		}
		m := ice{Sure: p.Sure, Moves: p.Moves}
		for row := range slices.Chunk(cells, p.Size) {
			m.Rows = append(m.Rows, string(row))
		}
		hope := m.solve().chance(0, p.Moves)
		if hope >= 0.15 && (p.Sure == 100 || hope < 0.98) {
			return m, nil
		}
	}
	return ice{}, errors.New("no map of these parameters can be crossed with a fair chance")
}

// directions by name; the next and the last one are at its sides.
var directions = [4]string{"left", "down", "right", "up"} // in Gymnasium's order

// Rules implements [games.Start].
func (m ice) Rules(wording int) string {
	return fmt.Sprintf([]string{
		"You cross a lake of ice, drawn as a map. P is you, G the goal, O a hole, . plain ice. A move is up, down, left or right, by one square; at the edge you stay where " +
			"you are. %s You win on G. A hole, or the end of your moves, ends the episode without a win.",
		"The map shows a frozen lake: you stand on P and want to reach G over the ice (.); whoever comes to a hole (O) is lost. Each move is one square up, down, left or " +
			"right, and stops at the edge of the map. %s You also lose if you run out of moves.",
		"Get from P to G. Squares marked . are ice, squares marked O are holes, in which the episode ends. You may move up, down, left or right, one square at a time; a move " +
			"beyond the edge leaves you in place. %s The number of moves is limited.",
	}[wording], m.slips(wording))
}

// slips tells how a move may go.
func (m ice) slips(wording int) string {
	switch m.Sure {
	case 100:
		return []string{"Every move goes as you wish.", "The ice is rough, so no move slips.", "You never slip."}[wording]
	case 34:
		return []string{
			"The ice is slippery: a move goes as you wish with a chance of 1/3, and to each of the two directions at right angles with 1/3.",
			"You slip: with a chance of 1/3 a move goes where you want, else it turns left or right by a quarter, with 1/3 each.",
			"Each move goes in the chosen direction, or in one of the two at right angles to it, with a chance of 1/3 each.",
		}[wording]
	}
	side := float64(100-m.Sure) / 2
	return fmt.Sprintf([]string{
		"The ice is slippery: a move goes as you wish with a chance of %d %%, and to each of the two directions at right angles with %g %%.",
		"You may slip: %d %% of the moves go where you want, the others turn by a quarter, %g %% to each side.",
		"A move takes the chosen direction with %d %%, and each of the two at right angles to it with %g %%.",
	}[wording], m.Sure, side)
}

// Example implements [games.Start].
func (m ice) Example() string { return "down" }

// Turns implements [games.Start]: there is room for one reply without a legal move.
func (m ice) Turns() int { return m.Moves + 1 }

// Canonical implements [games.Start]: a map and its mirror image at the diagonal are one.
func (m ice) Canonical() string {
	mirrored := make([]string, len(m.Rows))
	for i := range m.Rows {
		for _, row := range m.Rows {
			mirrored[i] += row[i : i+1]
		}
	}
	return fmt.Sprint(min(strings.Join(m.Rows, "/"), strings.Join(mirrored, "/")), m.Sure, m.Moves)
}

// Match implements [games.Start].
func (m ice) Match(luck games.Luck, tables *games.Tables) games.Match {
	return &crossing{ice: m, luck: luck, hopes: sync.OnceValue(func() hopes { return games.Table(tables, fmt.Sprint(m), m.solve) }), left: m.Moves, value: 1}
}

// next returns the square beside a square.
func (m ice) next(at, direction int) int {
	n := len(m.Rows)
	row, col := at/n, at%n
	switch direction {
	case 0:
		col = max(col-1, 0)
	case 1:
		row = min(row+1, n-1)
	case 2:
		col = min(col+1, n-1)
	default:
		row = max(row-1, 0)
	}
	return row*n + col
}

func (m ice) cell(at int) byte { return m.Rows[at/len(m.Rows)][at%len(m.Rows)] }

// sides returns the chances of a move: as wished, and to each side.
func (m ice) sides() (wished, side float64) {
	if m.Sure == 34 {
		return 1. / 3, 1. / 3
	}
	return float64(m.Sure) / 100, float64(100-m.Sure) / 200
}

// hopes are the chances to arrive under the best play, by moves left and square.
type hopes [][]float64

func (h hopes) chance(at, left int) float64 { return h[left][at] }

// solve works out all chances, by value iteration over the moves left.
func (m ice) solve() hopes {
	n := len(m.Rows) * len(m.Rows)
	h := hopes{make([]float64, n)}
	h[0][n-1] = 1
	for left := 1; left <= m.Moves; left++ {
		h = append(h, make([]float64, n))
		for at := range n {
			h[left][at] = m.best(h, at, left)
		}
	}
	return h
}

// best is the chance to arrive of the best move, with so many moves left before it.
func (m ice) best(h hopes, at, left int) (chance float64) {
	switch m.cell(at) {
	case 'G':
		return 1
	case 'H':
		return 0
	}
	for d := range directions {
		chance = max(chance, m.hope(h, at, d, left))
	}
	return chance
}

// hope is the chance to arrive after a move in a direction, with so many moves left before it.
func (m ice) hope(h hopes, at, direction, left int) float64 {
	wished, side := m.sides()
	after := h[left-1]
	sides := after[m.next(at, (direction+1)%4)] + after[m.next(at, (direction+3)%4)]
	return float64(wished*after[m.next(at, direction)]) + float64(side*sides) // the same on processors that would fuse them
}

// A crossing is an episode.
type crossing struct {
	ice
	luck  games.Luck
	hopes func() hopes // solved when the first move needs it
	at    int
	left  int     // moves
	value float64 // the product of what each move kept of the chance
}

// Show implements [games.Match].
func (c *crossing) Show() string {
	var b strings.Builder
	b.WriteString("```\n ")
	n := len(c.Rows)
	for col := range n {
		fmt.Fprintf(&b, " %c", 'a'+col)
	}
	for at := range n * n {
		if at%n == 0 {
			fmt.Fprintf(&b, "\n%d", at/n+1)
		}
		fmt.Fprintf(&b, " %c", c.mark(at))
	}
	fmt.Fprintf(&b, "\n```\nYou are at %s. Moves left: %d.", c.name(c.at), c.left)
	return b.String()
}

// mark returns the sign of a square on the map.
func (c *crossing) mark(at int) byte {
	switch {
	case at == c.at:
		return 'P'
	case c.cell(at) == 'H':
		return 'O'
	case c.cell(at) == 'G':
		return 'G'
	}
	return '.'
}

// Brief implements [games.Briefer]: the moves left, the percentage of moves that do not slip, and
// the map.
func (c *crossing) Brief() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d", c.left, c.Sure)
	for at := range len(c.Rows) * len(c.Rows) {
		if at%len(c.Rows) == 0 {
			b.WriteByte('\n')
		}
		b.WriteByte(c.mark(at))
	}
	return b.String()
}

// name names a square.
func (c *crossing) name(at int) string {
	return fmt.Sprintf("%c%d", 'a'+at%len(c.Rows), at/len(c.Rows)+1)
}

// Move implements [games.Match].
func (c *crossing) Move(text string) (told, why string) {
	chosen := slices.Index(directions[:], strings.ToLower(text))
	if chosen < 0 {
		return "", fmt.Sprintf("%q is none of up, down, left and right", text)
	}
	if best := c.chance(); best > 0 {
		c.value *= min(1, steady(c.hope(c.hopes(), c.at, chosen, c.left)/best))
	}
	went := chosen
	wished, side := c.sides()
	if x := c.luck.At("chance", c.Moves-c.left).Float(); x >= wished+side {
		went = (chosen + 3) % 4
	} else if x >= wished {
		went = (chosen + 1) % 4
	}
	c.left--
	before := c.at
	c.at = c.next(before, went)
	return c.tell(chosen, went, before), ""
}

// tell says how a move went.
func (c *crossing) tell(chosen, went, before int) string {
	told := "You move " + directions[chosen] + "."
	if went != chosen {
		told = fmt.Sprintf("You want to move %s and slip %s.", directions[chosen], directions[went])
	}
	switch {
	case c.cell(c.at) == 'H':
		told += " You fall into the hole at " + c.name(c.at) + "."
	case c.cell(c.at) == 'G':
		told += " You reach the goal."
	case c.at == before:
		told += " The edge holds you at " + c.name(c.at) + "."
	}
	return told
}

// steady turns a ratio that rounding keeps from 1 into 1.
func steady(ratio float64) float64 {
	if ratio > 1-1e-9 {
		return 1
	}
	return ratio
}

func (c *crossing) chance() float64 { return c.hopes().chance(c.at, c.left) }

// Over implements [games.Match].
func (c *crossing) Over() (worth float64, over bool) {
	switch {
	case c.cell(c.at) == 'G':
		return 1, true
	case c.cell(c.at) == 'H' || c.left == 0:
		return 0, true
	}
	return 0, false
}

// Value implements [games.Match].
func (c *crossing) Value() float64 { return c.value }

// Best implements [games.Match]. Of moves that are as good, those come first that tend to arrive
// sooner.
func (c *crossing) Best() (moves []string) {
	soon := map[string]float64{}
	for d, name := range directions {
		if c.chance() > 0 && steady(c.hope(c.hopes(), c.at, d, c.left)/c.chance()) < 1 {
			continue
		}
		moves = append(moves, name)
		for left := 1; left <= c.left; left++ {
			soon[name] += c.hope(c.hopes(), c.at, d, left)
		}
	}
	slices.SortStableFunc(moves, func(a, b string) int { return cmp.Compare(soon[b], soon[a]) })
	return moves
}

// Allowed implements [games.Match].
func (c *crossing) Allowed() []string { return directions[:] }
