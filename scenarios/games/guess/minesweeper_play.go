package guess

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// minesweeperPlay is Minesweeper on small boards.
var minesweeperPlay = games.Spec[mineParams, sweep]{
	Name: "minesweeper_play",
	Doc: "Clear a minefield. On boards that need no guess, a cell counts if it was certain to be safe; on the others, each move is measured by the exact chance to win. " +
		"So luck earns nothing, and bad luck costs nothing.",
	Source:  "Minesweeper by R. Donner and C. Johnson (1990). Code and texts are our own.",
	Version: 2,
	Levels: []mineParams{
		{Side: 4, Mines: 3, Closed: 5},
		{Side: 5, Mines: 5, Closed: 8},
		{Side: 6, Mines: 8, Closed: 12},
		{Side: 5, Mines: 6, Closed: 6, Gamble: true},
		{Side: 6, Mines: 9, Closed: 10, Gamble: true},
		{Side: 7, Mines: 12, Closed: 12, Gamble: true},
	},
	Make:     makeMines,
	Reward:   games.Value,
	Guess:    []float64{0.2369, 0.1600, 0.0786, 0.0476, 0.0121, 0.0114},
	Constant: []float64{0.01, 0, 0, 0.03, 0.01, 0.01},
}

// mineParams are the parameters of a level.
type mineParams struct {
	Side   int  `json:"side" want:"3 to 8"` // rows and columns
	Mines  int  `json:"mines"`
	Closed int  `json:"closed"` // safe cells that are closed in the beginning, at least
	Gamble bool `json:"gamble"` // whether the best play may lose; else the board can be solved without a guess
}

// Check refuses what no tag does.
func (p mineParams) Check() error {
	return cmp.Or(task.Within("mines", p.Mines, 1, p.Side*p.Side/3), task.Within("closed", p.Closed, 1, p.Side*p.Side/2))
}

// most returns the number of layouts that a board may have in the beginning.
func (p mineParams) most() int {
	if p.Gamble {
		return 60
	}
	return 500
}

// A sweep is a board in the beginning.
type sweep struct {
	mineParams
	At   []int `json:"at"`   // cells with a mine, row by row from 0
	Open []int `json:"open"` // cells that were opened; others may be open because of them
}

// Check refuses a record that is no board of its kind.
func (m sweep) Check() error {
	if err := task.Check(m.mineParams); err != nil {
		return err
	}
	if len(m.At) != m.Mines {
		return fmt.Errorf("at has %d cells, want %d, the number of mines", len(m.At), m.Mines)
	}
	seen := map[int]bool{}
	for _, cell := range slices.Concat(m.At, m.Open) {
		if cell < 0 || cell >= m.Side*m.Side || seen[cell] {
			return fmt.Errorf("cell %d is outside of the board, or named twice", cell)
		}
		seen[cell] = true
	}
	f := newMinefield(m.Side)
	if why := m.unfit(f, set(m.At), m.opening(f)); why != "" {
		return errors.New(why)
	}
	return nil
}

// set returns the set of cells.
func set(list []int) (set uint64) {
	for _, cell := range list {
		set |= 1 << cell
	}
	return set
}

// opening returns the cells that are open in the beginning.
func (m sweep) opening(f minefield) (open uint64) {
	for _, cell := range m.Open {
		open = f.opened(open, set(m.At), cell)
	}
	return open
}

// unfit says why a board is not of the wanted kind.
func (p mineParams) unfit(f minefield, mines, open uint64) (why string) {
	if closed := bits.OnesCount64(f.all() &^ open &^ mines); closed < p.Closed {
		return fmt.Sprintf("%d safe cells are closed, want %d or more", closed, p.Closed)
	}
	layouts := f.layouts(open, mines, p.most())
	if layouts == nil {
		return fmt.Sprintf("more than %d layouts of mines are possible", p.most())
	}
	if p.Gamble { // it depends on what is seen alone, so all layouts stay equally likely
		o := odds{f, map[string]int{}}
		if share := float64(o.wins(layouts)) / float64(len(layouts)); share < 0.3 || share > 0.95 {
			return fmt.Sprintf("the best play wins with a chance of %.2f, want 0.30 to 0.95", share)
		}
		return ""
	}
	if f.proven(open, mines, layouts) != f.all()&^mines {
		return "the board cannot be solved without a guess"
	}
	return ""
}

// makeMines draws a board of the wanted kind: mines, a safe cell that is opened, and further ones until
// the possible layouts are few enough.
func makeMines(p mineParams, r *rng.Rand) (sweep, error) {
	const patience = 2000
	f := newMinefield(p.Side)
	for range patience {
		made := sweep{mineParams: p}
		var order []int
		for _, cell := range rng.Different(r, p.Side*p.Side, 0, int64(p.Side*p.Side-1)) {
			order = append(order, int(cell))
		}
		made.At, order = order[:p.Mines], order[p.Mines:]
		all := set(made.At)
		for open := uint64(0); bits.OnesCount64(f.all()&^open&^all) > p.Closed; order = order[1:] {
			if open>>order[0]&1 == 1 {
				continue
			}
			made.Open = append(made.Open, order[0])
			open = f.opened(open, all, order[0])
			if p.unfit(f, all, open) == "" {
				slices.Sort(made.At)
				slices.Sort(made.Open)
				return made, nil
			}
		}
	}
	return sweep{}, errors.New("no board of these parameters is of the wanted kind")
}

// Rules implements [games.Start].
func (m sweep) Rules(wording int) string {
	return fmt.Sprintf([]string{
		"Clear a minefield of %[1]d by %[1]d cells with %[2]d mines. In the drawing, # is a closed cell, and a number is an open cell and counts the mines in the up to eight cells " +
			"around it. A move names a closed cell to open, such as b3: column b, row 3. If it has a mine, the game is over. If it has no mine around, the cells around it are " +
			"opened too. You win when all cells without a mine are open. %[3]s",
		"The drawing shows a square of %[1]d rows and columns in which %[2]d mines lie hidden. Closed cells are drawn as #, open ones as the number of mines among their neighbours, of which " +
			"a cell has eight, fewer at the edge. Name the closed cell that you open, by column and row as in b3. Opening a mine loses the game; opening a cell whose number is 0 " +
			"also opens its neighbours. Open all cells that have no mine to win. %[3]s",
		"This is Minesweeper on a board of %[1]d×%[1]d with %[2]d mines, without flags. A # hides a cell; a digit tells how many of the adjacent cells, also diagonally, have mines. Each move " +
			"opens one hidden cell, which you name by its column and row, for example b3. Mines end the game. Around a 0, all cells open by themselves. The game is won when only " +
			"mines are hidden. %[3]s",
	}[wording], m.Side, m.Mines, m.promise(wording))
}

// promise tells whether the best play may lose.
func (m sweep) promise(wording int) string {
	if m.Gamble {
		return []string{
			"All layouts of the mines that fit the drawing are equally likely; you may have to take a chance.",
			"Whatever layout of mines agrees with the numbers is as likely as any other. Sometimes nothing is certain, and you have to choose a risk.",
			"Every arrangement of mines that the digits allow has the same chance. Not every board can be won for certain.",
		}[wording]
	}
	return []string{
		"It can be done without a guess. A cell earns nothing unless the numbers and the count of the mines prove, before you open it, that it is safe.",
		"No guess is needed: at any time, the numbers and the count of the mines prove that some closed cell is safe. You are paid only for cells that were proven safe.",
		"There is always a hidden cell that, by the digits and the count of the mines, cannot have a mine. Other cells that you open do not count for you.",
	}[wording]
}

// Example implements [games.Start].
func (m sweep) Example() string { return "b3" }

// Turns implements [games.Start]: every move opens a cell, and one reply may have no legal move.
func (m sweep) Turns() int {
	f := newMinefield(m.Side)
	return bits.OnesCount64(f.all()&^set(m.At)&^m.opening(f)) + 1
}

// Canonical implements [games.Start]: the least of the eight ways to turn and to mirror a board.
func (m sweep) Canonical() string {
	open := m.opening(newMinefield(m.Side))
	var least string
	for turn := range 8 {
		name := fmt.Sprintf("%d %v %016x %016x", m.Side, m.Gamble, m.turned(set(m.At), turn), m.turned(open, turn))
		if turn == 0 || name < least {
			least = name
		}
	}
	return least
}

// turned turns a set of cells in one of eight ways.
func (m sweep) turned(set uint64, turn int) (turned uint64) {
	for cell := range cells(set) {
		row, col := cell/m.Side, cell%m.Side
		if turn&1 != 0 {
			row, col = col, row
		}
		if turn&2 != 0 {
			row = m.Side - 1 - row
		}
		if turn&4 != 0 {
			col = m.Side - 1 - col
		}
		turned |= 1 << (row*m.Side + col)
	}
	return turned
}

// Match implements [games.Start].
func (m sweep) Match(games.Luck, *games.Tables) games.Match {
	f := newMinefield(m.Side)
	c := &clearing{sweep: m, odds: odds{f, map[string]int{}}, hidden: set(m.At), seen: m.opening(f), value: 1}
	c.safe = bits.OnesCount64(f.all() &^ c.hidden &^ c.seen)
	return c
}

// A clearing is an episode.
type clearing struct {
	sweep
	odds
	hidden uint64   // mines
	seen   uint64   // open cells
	fit    []uint64 // the layouts that are possible; nil: not yet known
	safe   int      // closed cells without a mine in the beginning
	earned int      // of them, those that were opened by certain moves
	hit    bool
	value  float64
}

// possible returns the layouts that are possible.
func (m *clearing) possible() []uint64 {
	if m.fit == nil {
		m.fit = m.layouts(m.seen, m.hidden, m.most())
	}
	return m.fit
}

// Show implements [games.Match].
func (m *clearing) Show() string {
	var b strings.Builder
	b.WriteString("```\n ")
	for col := range m.Side {
		fmt.Fprintf(&b, " %c", 'a'+col)
	}
	for cell := range m.Side * m.Side {
		if cell%m.Side == 0 {
			fmt.Fprintf(&b, "\n%d", cell/m.Side+1)
		}
		if m.seen>>cell&1 == 1 {
			fmt.Fprintf(&b, " %d", m.number(cell, m.hidden))
		} else {
			b.WriteString(" #")
		}
	}
	closed := bits.OnesCount64(m.all() &^ m.seen)
	fmt.Fprintf(&b, "\n```\n%d cells are closed, and %d of them have mines.", closed, m.Mines)
	return b.String()
}

// square names a cell.
func (m *clearing) square(cell int) string {
	return fmt.Sprintf("%c%d", 'a'+cell%m.Side, cell/m.Side+1)
}

// find returns the cell of a name; -1: there is none.
func (m *clearing) find(name string) int {
	if len(name) != len("a1") {
		return -1
	}
	col, row := int(name[0])-'a', int(name[1])-'1'
	if col < 0 || col >= m.Side || row < 0 || row >= m.Side {
		return -1
	}
	return row*m.Side + col
}

// Move implements [games.Match].
func (m *clearing) Move(text string) (told, why string) {
	text = strings.ToLower(text)
	cell := m.find(text)
	switch {
	case cell < 0:
		return "", fmt.Sprintf("%.20q is no cell: want a column from a to %c and a row from 1 to %d", text, 'a'+m.Side-1, m.Side)
	case m.seen>>cell&1 == 1:
		return "", text + " is already open"
	}
	before := m.seen
	kept := m.kept(cell)
	m.hit = m.hidden>>cell&1 == 1
	if !m.hit {
		m.seen = m.opened(m.seen, m.hidden, cell)
	}
	fresh := m.seen &^ before
	m.judge(kept, bits.OnesCount64(fresh))
	m.narrow(fresh)
	return m.tell(cell, fresh), ""
}

// kept returns what a move keeps of the chance to win; on a board without a guess, 1 if the cell is
// certain to be safe and 0 if not.
func (m *clearing) kept(cell int) float64 {
	fit := m.possible()
	if m.Gamble {
		return float64(m.after(fit, cell)) / float64(m.wins(fit))
	}
	return float64(m.minefield.safe(fit) >> cell & 1)
}

// judge takes from the value what a move gave away. A mine that was not worth its risk, or cells
// that nobody could know, earn nothing.
func (m *clearing) judge(kept float64, opened int) {
	if kept == 1 {
		m.earned += opened
		return
	}
	switch {
	case m.Gamble && m.hit:
		m.value = 0
	case m.Gamble:
		m.value *= kept
	case m.hit:
		m.value = float64(m.earned) / float64(m.safe)
	default:
		m.value = max(0, m.value-float64(opened)/float64(m.safe))
	}
}

// narrow keeps the layouts that agree with cells that were opened.
func (m *clearing) narrow(fresh uint64) {
	for cell := range cells(fresh) {
		m.fit = m.agree(m.possible(), cell, m.number(cell, m.hidden))
	}
}

// tell says what a move did.
func (m *clearing) tell(cell int, fresh uint64) string {
	switch n := bits.OnesCount64(fresh); {
	case m.hit:
		return fmt.Sprintf("You open %s. It has a mine.", m.square(cell))
	case m.seen == m.all()&^m.hidden:
		return fmt.Sprintf("You open %s, and the field is clear.", m.square(cell))
	case n > 1:
		return fmt.Sprintf("You open %s. It has no mine around, so %d cells open with it.", m.square(cell), n-1)
	}
	return fmt.Sprintf("You open %s. Its number is %d.", m.square(cell), m.number(cell, m.hidden))
}

// Over implements [games.Match].
func (m *clearing) Over() (worth float64, over bool) {
	switch {
	case m.hit:
		return 0, true
	case m.seen == m.all()&^m.hidden:
		return 1, true
	}
	return 0, false
}

// Value implements [games.Match].
func (m *clearing) Value() float64 { return m.value }

// Best implements [games.Match].
func (m *clearing) Best() (moves []string) {
	for cell := range cells(m.all() &^ m.seen) {
		if m.kept(cell) == 1 {
			moves = append(moves, m.square(cell))
		}
	}
	return moves
}

// Allowed implements [games.Match].
func (m *clearing) Allowed() (moves []string) {
	for cell := range cells(m.all() &^ m.seen) {
		moves = append(moves, m.square(cell))
	}
	return moves
}
