package guess

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// mastermind is the game of a hidden row of coloured pegs.
var mastermind = games.Spec[pegParams, pegs]{
	Name:    "mastermind",
	Doc:     "Find a hidden code of coloured pegs. Each guess is measured by the exact number of guesses that it adds to the best play on average.",
	Source:  "Mastermind by M. Meirowitz (1970); averages of the best play: Koyama and Lai, An optimal Mastermind strategy (1993), and our own search. Code and texts are our own.",
	Version: 1,
	Levels: []pegParams{
		{Places: 2, Colours: 4, Guesses: 7},
		{Places: 2, Colours: 6, Guesses: 9},
		{Places: 3, Colours: 4, Guesses: 8},
		{Places: 3, Colours: 5, Guesses: 9},
		{Places: 3, Colours: 6, Guesses: 10},
	},
	Make:     makePegs,
	Reward:   games.Value,
	Guess:    []float64{0.2052, 0.1241, 0.0641, 0.0331, 0.0233},
	Constant: []float64{0.09, 0.04, 0.04, 0.01, 0},
	Openings: []int{16, 36, 64, 125, 216},
}

// colours are the colours of pegs.
var colours = [...]string{"red", "green", "blue", "yellow", "orange", "purple"}

// pegParams are the parameters of a level.
type pegParams struct {
	Places  int `json:"places" want:"2 to 3"`
	Colours int `json:"colours"`
	Guesses int `json:"guesses" want:"6 to 20"` // at most
}

// Check refuses what no tag does.
func (p pegParams) Check() error {
	if p.Colours < 2 || p.Colours > len(colours) {
		return fmt.Errorf("colours is %d, want 2 to %d", p.Colours, len(colours))
	}
	return nil
}

// pegs are a code to find.
type pegs struct {
	pegParams
	Code []int `json:"code" want:"places" each:"0 or more and less than colours"` // a colour for each place
}

// Check refuses a record that is no code.
func (p pegs) Check() error {
	return task.Check(p.pegParams)
}

func makePegs(p pegParams, r *rng.Rand) (pegs, error) {
	made := pegs{pegParams: p}
	for range p.Places {
		made.Code = append(made.Code, r.Between(0, p.Colours-1))
	}
	return made, nil
}

// Rules implements [games.Start].
func (p pegs) Rules(wording int) string {
	return fmt.Sprintf([]string{
		"Find a hidden code: a row of %[1]d pegs, each in one of the colours %[2]s. A colour may occur more than once, and all codes are equally likely. A guess is a row of %[1]d " +
			"colours. The answer to it counts the black marks, one for each peg whose colour and place are right, and the white marks, one for each further peg whose " +
			"colour is right and whose place is wrong. No peg of the guess or of the code counts twice. The game ends when a guess is the code.",
		"There is a secret row of %[1]d coloured pegs. The colours are %[2]s; the same one may appear several times, and every row is equally likely. You guess rows of %[1]d colours until " +
			"you find it. After each guess you are told how many pegs are right in colour and place (black), and how many of the others match a remaining peg of the code that " +
			"stands elsewhere (white). Each peg is matched once at most.",
		"I have chosen a code of %[1]d pegs at random, in the colours %[2]s, and colours may repeat. Guess it: name %[1]d colours in order. For each guess I count two things. " +
			"Black: pegs of the right colour in the right place. White: pegs of the right colour in the wrong place, where every peg of the code answers for one peg of your " +
			"guess only, and black ones go first. You win by guessing the code itself.",
	}[wording], p.Places, strings.Join(colours[:p.Colours], ", "))
}

// Example implements [games.Start].
func (p pegs) Example() string {
	return strings.Join([]string{colours[0], colours[1], colours[0]}[:p.Places], " ")
}

// Turns implements [games.Start].
func (p pegs) Turns() int { return p.Guesses }

// Canonical implements [games.Start]. Codes that differ by the names of colours are different
// problems: who knows one does not know the other.
func (p pegs) Canonical() string { return fmt.Sprint(p.Colours, p.Guesses, p.Code) }

// Match implements [games.Start].
func (p pegs) Match(_ games.Luck, tables *games.Tables) games.Match {
	return &codebreaking{pegs: p, tables: tables, names: newFrame(p.pegParams)}
}

// number is the number of a code.
func (p pegParams) number(code []int) (n int) {
	for _, c := range code {
		n = n*p.Colours + c
	}
	return n
}

// codes lists all codes, by number.
func (p pegParams) codes() (all [][]int) {
	all = [][]int{nil}
	for range p.Places {
		var longer [][]int
		for _, code := range all {
			for c := range p.Colours {
				longer = append(longer, append(slices.Clone(code), c))
			}
		}
		all = longer
	}
	return all
}

// compare counts the black and the white marks of a guess.
func compare(guess, code []int) (black, white int) {
	var guessed, hidden [len(colours)]int
	for i := range guess {
		if guess[i] == code[i] {
			black++
			continue
		}
		guessed[guess[i]]++
		hidden[code[i]]++
	}
	for c := range guessed {
		white += min(guessed[c], hidden[c])
	}
	return black, white
}

// markOf numbers the marks.
func markOf(black, white int) uint8 {
	n := black + white
	return uint8(n*(n+1)/2 + black)
}

// A pegTable is the game solved.
type pegTable struct {
	*deduction
	codes [][]int
	names []string
}

func (p pegParams) solve() pegTable {
	codes := p.codes()
	d := newDeduction(len(codes), func(guess, code int) uint8 { return markOf(compare(codes[guess], codes[code])) })
	swap := func(exchange func(code []int)) {
		var to []uint16
		for _, code := range codes {
			code = slices.Clone(code)
			exchange(code)
			to = append(to, uint16(p.number(code)))
		}
		d.swaps = append(d.swaps, to)
	}
	for a := range p.Colours {
		for b := range a {
			swap(func(code []int) {
				for i, c := range code {
					switch c {
					case a:
						code[i] = b
					case b:
						code[i] = a
					}
				}
			})
		}
	}
	for a := range p.Places {
		for b := range a {
			swap(func(code []int) { code[a], code[b] = code[b], code[a] })
		}
	}
	t := pegTable{deduction: d, codes: codes}
	for _, code := range codes {
		t.names = append(t.names, spell(code))
	}
	return t
}

// A frame renames the colours and places of an episode in the order in which its guesses use them,
// so that episodes that differ by names alone share what is worked out.
type frame struct {
	place  []int // by the place's number here
	colour []int // by the colour's number here; those below seen are fixed
	seen   int
}

func newFrame(p pegParams) *frame {
	f := &frame{}
	for c := range p.Colours {
		f.colour = append(f.colour, c)
	}
	for i := range p.Places {
		f.place = append(f.place, i)
	}
	return f
}

// use fixes the colours of a guess; of the first one, also the places: equal colours stand together, and the most frequent one first.
func (f *frame) use(guess []int) {
	if f.seen == 0 {
		count := func(place int) (n int) {
			for _, c := range guess {
				if c == guess[place] {
					n++
				}
			}
			return n*len(colours) + guess[place]
		}
		slices.SortStableFunc(f.place, func(a, b int) int { return count(b) - count(a) })
	}
	for _, place := range f.place {
		if at := slices.Index(f.colour, guess[place]); at >= f.seen {
			f.colour[at], f.colour[f.seen] = f.colour[f.seen], f.colour[at]
			f.seen++
		}
	}
}

// in renames a code, and out takes it back.
func (f *frame) in(code []int) (renamed []int) {
	for _, place := range f.place {
		renamed = append(renamed, slices.Index(f.colour, code[place]))
	}
	return renamed
}

func (f *frame) out(renamed []int) (code []int) {
	code = make([]int, len(renamed))
	for i, c := range renamed {
		code[f.place[i]] = f.colour[c]
	}
	return code
}

// A codebreaking is an episode.
type codebreaking struct {
	pegs
	tables *games.Tables
	names  *frame
	left   []uint16 // the codes that are possible, in names
	past   [][]int  // guesses
	lost   float64  // guesses that were given away, on average
	found  bool
}

// solver returns the game solved; the first call makes all codes possible.
func (m *codebreaking) solver() pegTable {
	t := games.Table(m.tables, m.pegParams, m.solve)
	if m.left == nil {
		m.left = t.all()
	}
	return t
}

// Show implements [games.Match].
func (m *codebreaking) Show() string {
	if len(m.past) == 0 {
		return fmt.Sprintf("The code has %d pegs. There are no guesses yet.", m.Places)
	}
	width := len("guess")
	for _, g := range m.past {
		width = max(width, len(spell(g)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Your guesses:\n```\n%-*s  black  white", width, "guess")
	for _, g := range m.past {
		black, white := compare(g, m.Code)
		fmt.Fprintf(&b, "\n%-*s  %5d  %5d", width, spell(g), black, white)
	}
	b.WriteString("\n```")
	return b.String()
}

// spell writes a code in words.
func spell(code []int) string {
	var names []string
	for _, c := range code {
		names = append(names, colours[c])
	}
	return strings.Join(names, " ")
}

// Move implements [games.Match].
func (m *codebreaking) Move(text string) (told, why string) {
	var guess []int
	for _, word := range strings.Fields(strings.ReplaceAll(strings.ToLower(text), ",", " ")) {
		c := slices.Index(colours[:m.Colours], word)
		if c < 0 {
			return "", fmt.Sprintf("%q is none of the colours %s", word, strings.Join(colours[:m.Colours], ", "))
		}
		guess = append(guess, c)
	}
	if len(guess) != m.Places {
		return "", fmt.Sprintf("a guess names %d colours, and this names %d", m.Places, len(guess))
	}
	solver := m.solver()
	m.names.use(guess)
	number := m.number(m.names.in(guess))
	m.lost += solver.lost(m.left, number)
	black, white := compare(guess, m.Code)
	m.left = solver.left(m.left, number, markOf(black, white))
	m.past = append(m.past, guess)
	m.found = black == m.Places
	if m.found {
		return fmt.Sprintf("You guess %s. That is the code.", spell(guess)), ""
	}
	return fmt.Sprintf("You guess %s: %d black, %d white.", spell(guess), black, white), ""
}

// Over implements [games.Match].
func (m *codebreaking) Over() (worth float64, over bool) {
	if !m.found {
		return 0, false
	}
	return 1 - float64(len(m.past)-1)/float64(m.Guesses), true
}

// Value implements [games.Match]: the best play has 1, and each guess that is given away costs its
// share of all that the best play needs.
func (m *codebreaking) Value() float64 {
	if m.lost == 0 {
		return 1
	}
	return max(0, 1-m.lost/m.solver().average())
}

// Best implements [games.Match].
func (m *codebreaking) Best() (moves []string) {
	solver := m.solver()
	for _, guess := range solver.best(m.left) {
		moves = append(moves, solver.names[m.number(m.names.out(solver.codes[guess]))])
	}
	return moves
}

// Allowed implements [games.Match].
func (m *codebreaking) Allowed() []string { return m.solver().names }
