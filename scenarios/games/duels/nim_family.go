package duels

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// nimFamily is nim and other games of taking from heaps.
var nimFamily = games.Spec[nimParams, nim]{
	Name: "nim_family",
	Doc: "Take counters from heaps in turn with an opponent, under one of five rules: nim, misère nim, subtraction, Wythoff's game, Kayles. " +
		"The positions are won, and a move is measured by what it gives away of that.",
	Source:  "Bouton, Nim, a game with a complete mathematical theory (1901); Wythoff (1907); Guy and Smith, The G-values of various games (1956). Code and texts are our own.",
	Version: 2,
	Levels: []nimParams{
		{Rules: []string{"nim"}, Heaps: 2, Most: 4, Ways: 9, Opponent: "mixed:0.3"},
		{Rules: []string{"nim"}, Heaps: 2, Most: 6, Ways: 9, Opponent: "mixed:0.1"},
		{Rules: []string{"nim", "misère"}, Heaps: 3, Most: 5, Ways: 3, Opponent: "mixed:0.1"},
		{Rules: []string{"nim", "misère", "subtraction"}, Heaps: 3, Most: 9, Ways: 2, Opponent: "optimal"},
		{Rules: []string{"subtraction", "wythoff", "kayles"}, Heaps: 3, Most: 14, Ways: 2, Opponent: "optimal"},
		{Rules: []string{"nim", "misère", "wythoff", "kayles"}, Heaps: 5, Most: 20, Ways: 1, Opponent: "optimal"},
	},
	Make:     makeNim,
	Reward:   games.Value,
	Guess:    []float64{0.3010, 0.1743, 0.1532, 0.0434, 0.0447, 0.0097},
	Constant: []float64{0.23, 0.11, 0.07, 0, 0.01, 0},
	Openings: []int{6, 15, 64, 511, 437, 0},
}

// nimParams are the parameters of a level.
type nimParams struct {
	Rules    []string `json:"rules" want:"1 or more" oneof:"nim misère subtraction wythoff kayles"` // one of them is drawn
	Heaps    int      `json:"heaps" want:"2 to 6"`                                                  // Wythoff's game has two, Kayles one less
	Most     int      `json:"most" want:"2 to 30"`                                                  // counters in a heap
	Ways     int      `json:"ways" want:"1 or more"`                                                // most winning moves
	Opponent opponent `json:"opponent"`
}

// Check refuses what no tag does.
func (p nimParams) Check() error {
	if p.Opponent != "optimal" && p.Heaps*p.Most > 16 {
		return fmt.Errorf("opponent is %s, want optimal: with %d heaps of up to %d there are too many positions", p.Opponent, p.Heaps, p.Most)
	}
	return p.Opponent.Check()
}

// mostHeaps bounds the heaps of a position: those of Kayles split.
const mostHeaps = 12

// A nim is a position in the beginning.
type nim struct {
	Rule     string   `json:"rule"`
	Take     []int    `json:"take,omitempty"` // of subtraction: how many may be taken
	Heaps    []int    `json:"heaps"`
	Opponent opponent `json:"opponent"`
}

// makeNim draws a position that is won for the player to move.
func makeNim(p nimParams, r *rng.Rand) (nim, error) {
	const patience = 2000
	for range patience {
		start := nim{Rule: rng.Pick(r, p.Rules), Opponent: p.Opponent}
		count := p.Heaps
		switch start.Rule {
		case "wythoff":
			count = 2
		case "kayles":
			count = max(1, p.Heaps-1)
		case "subtraction":
			start.Take = rng.Sample(r, []int{1, 2, 3, 4, 5, 6}, 3)
			slices.Sort(start.Take)
		}
		for range count {
			start.Heaps = append(start.Heaps, r.Between(1, p.Most))
		}
		if start.Rule == "kayles" && slices.Min(start.Heaps) < 2 {
			continue
		}
		b := start.board()
		if worth, _ := b.known(); worth != 1 {
			continue
		}
		ways := 0
		moves := b.moves()
		for _, m := range moves {
			if worth, _ := m.next.known(); worth == 0 {
				ways++
			}
		}
		if ways <= p.Ways && ways < len(moves) && differ(p.Opponent, moves) {
			return start, nil
		}
	}
	return nim{}, errors.New("no position of these parameters has so few winning moves")
}

// board returns the position in the beginning.
func (p nim) board() board[[mostHeaps]int8] {
	rule := nimRules[p.Rule]
	b := &heaps{nimRule: rule, rule: p.Rule, take: p.Take}
	for _, n := range p.Heaps {
		b.of = append(b.of, int8(n))
	}
	b.table = rule.table(p.Take)
	return b
}

// Check makes a record that is no position an error.
func (p nim) Check() error {
	if nimRules[p.Rule] == nil || len(p.Heaps) == 0 || len(p.Heaps) > mostHeaps/2 || slices.Max(p.Heaps) > mostCounters || slices.Min(p.Heaps) < 0 || p.Rule == "wythoff" && len(p.Heaps) != 2 {
		return fmt.Errorf("%s with the heaps %v is no position", p.Rule, p.Heaps)
	}
	return p.Opponent.Check()
}

// Rules implements [games.Start].
func (p nim) Rules(wording int) string { return p.RulesAt(0, wording) + p.Opponent.told() }

// RulesAt implements [games.Sided].
func (p nim) RulesAt(_, wording int) string {
	things := "counters"
	if p.Rule == "kayles" {
		things = "pins"
	}
	return fmt.Sprintf([]string{
		"You and your opponent take %[1]s in turn. %[2]s %[3]s",
		"A game for two, who move in turn and take %[1]s. %[2]s %[3]s",
		"Two players alternate; each move takes some %[1]s. %[2]s %[3]s",
	}[wording], things, p.takes(), p.ends(wording))
}

// takes tells what a move may take.
func (p nim) takes() string {
	switch p.Rule {
	case "subtraction":
		return fmt.Sprintf("A move takes %s counters from one heap, and no other number. For example, %s.", either(p.Take), p.Example())
	case "wythoff":
		return "A move takes any number of counters from one of the two heaps, or the same number from both. For example, take 1 from a, or take 1 from both."
	case "kayles":
		return "The pins stand in rows, numbered from the left. A move takes one pin, or two that stand side by side; what is left of a row on either side of them makes rows of its own. " +
			"For example, take 1 from a at 1 takes the first pin of row a, and take 2 from a at 1 the first and the second."
	}
	return "A move takes any number of counters, one or more, from one heap. For example, take 1 from a."
}

// either joins numbers by "or".
func either(numbers []int) string {
	var s strings.Builder
	for i, n := range numbers {
		switch {
		case i > 0 && i == len(numbers)-1:
			s.WriteString(" or ")
		case i > 0:
			s.WriteString(", ")
		}
		fmt.Fprint(&s, n)
	}
	return s.String()
}

// ends tells who wins.
func (p nim) ends(wording int) string {
	if p.Rule == "misère" {
		return []string{"Whoever takes the last counter loses.", "The player who has to take the last counter has lost.", "Do not take the last counter: who takes it loses."}[wording]
	}
	return []string{"Whoever cannot move loses.", "The player who makes the last move wins.", "If you cannot move, you have lost."}[wording]
}

// Example implements [games.Start].
func (p nim) Example() string {
	switch p.Rule {
	case "kayles":
		return "take 1 from a at 1"
	case "subtraction":
		heap := slices.IndexFunc(p.Heaps, func(n int) bool { return n >= p.Take[0] })
		return fmt.Sprintf("take %d from %c", p.Take[0], 'a'+max(heap, 0))
	}
	return "take 1 from a"
}

// Turns implements [games.Start]: each move takes one at least, and one reply may be a fault.
func (p nim) Turns() int {
	sum := 0
	for _, n := range p.Heaps {
		sum += n
	}
	return (sum+1)/2 + 1
}

// Canonical implements [games.Start].
func (p nim) Canonical() string {
	return fmt.Sprint(p.Rule, p.Take, slices.Sorted(slices.Values(p.Heaps)))
}

// Match implements [games.Start].
func (p nim) Match(luck games.Luck, tables *games.Tables) games.Match {
	return newDuel(p.board(), p.solver(tables), luck)
}

// solver returns the solver against the opponent.
func (p nim) solver(tables *games.Tables) *solver[[mostHeaps]int8] {
	key := fmt.Sprint(p.Rule, p.Take, p.Opponent)
	return games.Table(tables, key, func() *solver[[mostHeaps]int8] { return newSolver[[mostHeaps]int8](p.Opponent) })
}

// A nimRule is one of the rules of taking.
type nimRule struct {
	// moves lists the moves with the heaps after them.
	moves func(b *heaps) []taken

	// won reports whether the player to move wins.
	won func(b *heaps) bool

	// table holds, for each size of a heap, its Grundy number. A position of several heaps is
	// lost if those of all heaps, combined by exclusive or, are 0.
	table func(take []int) []int
}

// A taken is a move: how many are taken, from which heap or from both, and where in a row.
type taken struct {
	how [3]int8 // the place counts from 1; 0: none
	of  []int8  // the heaps after it
}

// both stands for both heaps.
const both = -1

// nimRules are the rules by name.
var nimRules = map[string]*nimRule{
	"nim":         {moves: takeAny, won: bySum, table: func([]int) []int { return grundy(func(n int) [][]int { return leave(n, 1, n) }) }},
	"misère":      {moves: takeAny, won: misere, table: func([]int) []int { return grundy(func(n int) [][]int { return leave(n, 1, n) }) }},
	"subtraction": {moves: takeSome, won: bySum, table: subtraction},
	"wythoff":     {moves: takeBoth, won: warm, table: func([]int) []int { return nil }},
	"kayles":      {moves: takePins, won: bySum, table: func([]int) []int { return grundy(kayles) }},
}

// mostCounters is the largest heap.
const mostCounters = 30

// grundy works out the Grundy numbers of heaps up to mostCounters: the least number that none of
// the options has. An option is a list of heaps.
func grundy(options func(n int) [][]int) []int {
	table := make([]int, mostCounters+1)
	for n := range table {
		seen := map[int]bool{}
		for _, option := range options(n) {
			sum := 0
			for _, rest := range option {
				sum ^= table[rest]
			}
			seen[sum] = true
		}
		for seen[table[n]] {
			table[n]++
		}
	}
	return table
}

// leave lists what is left of a heap of n after taking from low to high.
func leave(n, low, high int) (options [][]int) {
	for k := low; k <= min(high, n); k++ {
		options = append(options, []int{n - k})
	}
	return options
}

// subtraction is the table of a set of numbers that may be taken.
func subtraction(take []int) []int {
	return grundy(func(n int) (options [][]int) {
		for _, k := range take {
			options = append(options, leave(n, k, k)...)
		}
		return options
	})
}

// kayles lists what is left of a row of n pins.
func kayles(n int) (options [][]int) {
	for k := 1; k <= 2; k++ {
		for left := 0; left+k <= n; left++ {
			options = append(options, []int{left, n - k - left})
		}
	}
	return options
}

// bySum reports whether a sum of heaps is won.
func bySum(b *heaps) bool {
	sum := 0
	for _, n := range b.of {
		sum ^= b.table[n]
	}
	return sum != 0
}

// misere reports whether a position of misère nim is won: as in nim, unless no heap has two.
func misere(b *heaps) bool {
	if len(b.of) > 0 && slices.Max(b.of) > 1 {
		return bySum(b)
	}
	ones := 0
	for _, n := range b.of {
		ones += int(n)
	}
	return ones%2 == 0
}

// warm reports whether a position of Wythoff's game is won: unless it is one of the pairs that no
// other pair reaches.
func warm(b *heaps) bool {
	low, high := int(min(b.of[0], b.of[1])), int(max(b.of[0], b.of[1]))
	used := map[int]bool{}
	for k, least := 0, 0; least <= low; k++ {
		for used[least] {
			least++
		}
		used[least], used[least+k] = true, true
		if least == low {
			return high != low+k
		}
	}
	return true
}

// heaps are a position.
type heaps struct {
	*nimRule
	rule  string // its name
	take  []int
	table []int
	of    []int8
}

// key implements [board].
func (b *heaps) key() (k [mostHeaps]int8) {
	copy(k[:], b.of)
	slices.Sort(k[:])
	return k
}

// moves implements [board].
func (b *heaps) moves() (all []move[[mostHeaps]int8]) {
	for _, t := range b.nimRule.moves(b) {
		next := *b
		next.of = t.of
		all = append(all, move[[mostHeaps]int8]{t.how, &next})
	}
	return all
}

// less is the position with k fewer in heap i.
func (b *heaps) less(i, k int) []int8 {
	of := slices.Clone(b.of)
	of[i] -= int8(k)
	return of
}

// takeAny takes any number from one heap.
func takeAny(b *heaps) (all []taken) {
	for i, n := range b.of {
		for k := 1; k <= int(n); k++ {
			all = append(all, taken{[3]int8{int8(k), int8(i)}, b.less(i, k)})
		}
	}
	return all
}

// takeSome takes one of the allowed numbers from one heap.
func takeSome(b *heaps) (all []taken) {
	for i, n := range b.of {
		for _, k := range b.take {
			if k <= int(n) {
				all = append(all, taken{[3]int8{int8(k), int8(i)}, b.less(i, k)})
			}
		}
	}
	return all
}

// takeBoth also takes the same number from both heaps.
func takeBoth(b *heaps) []taken {
	all := takeAny(b)
	for k := 1; k <= int(min(b.of[0], b.of[1])); k++ {
		all = append(all, taken{[3]int8{int8(k), both}, []int8{b.of[0] - int8(k), b.of[1] - int8(k)}})
	}
	return all
}

// takePins takes one pin or two neighbours from a row, and splits it.
func takePins(b *heaps) (all []taken) {
	for i, n := range b.of {
		for k := 1; k <= 2; k++ {
			for left := 0; left+k <= int(n); left++ {
				rest := []int8{int8(left), n - int8(k+left)}
				of := slices.Concat(b.of[:i], slices.DeleteFunc(rest, func(n int8) bool { return n == 0 }), b.of[i+1:])
				all = append(all, taken{[3]int8{int8(k), int8(i), int8(left + 1)}, of})
			}
		}
	}
	return all
}

// name implements [board].
func (b *heaps) name(how [3]int8) string {
	switch {
	case how[1] == both:
		return fmt.Sprintf("take %d from both", how[0])
	case how[2] > 0:
		return fmt.Sprintf("take %d from %c at %d", how[0], 'a'+how[1], how[2])
	}
	return fmt.Sprintf("take %d from %c", how[0], 'a'+how[1])
}

// over implements [board].
func (b *heaps) over() bool {
	least := int8(1)
	if len(b.take) > 0 {
		least = int8(b.take[0])
	}
	return len(b.of) == 0 || slices.Max(b.of) < least
}

// worth implements [board].
func (b *heaps) worth() float64 {
	worth, _ := b.known()
	return worth
}

// known implements [board].
func (b *heaps) known() (float64, bool) {
	if b.won(b) {
		return 1, true
	}
	return 0, true
}

// read implements [board].
func (b *heaps) read(text string) (m move[[mostHeaps]int8], why string) {
	for _, m := range b.moves() {
		if b.name(m.how) == text {
			return m, ""
		}
	}
	var k int
	var from string
	if n, _ := fmt.Sscanf(text, "take %d from %s", &k, &from); n < 2 || len(from) != 1 {
		return m, fmt.Sprintf("%q does not say how many to take, and from which heap", text)
	}
	i := int(from[0]) - 'a'
	switch {
	case i < 0 || i >= len(b.of):
		return m, "there is no heap " + from
	case k < 1 || k > int(b.of[i]):
		return m, fmt.Sprintf("heap %s has %d, so %d cannot be taken from it", from, b.of[i], k)
	}
	return m, fmt.Sprintf("the rules do not allow %q", text)
}

// show implements [board].
func (b *heaps) show() string {
	var s strings.Builder
	s.WriteString("```")
	for i, n := range b.of {
		fmt.Fprintf(&s, "\n%c: %d", 'a'+i, n)
	}
	s.WriteString("\n```")
	return s.String()
}

// brief describes the position in a few characters: the rule, how many may be taken where that
// differs, and the heaps.
func (b *heaps) brief() string {
	var s strings.Builder
	s.WriteString(b.rule)
	for _, k := range b.take {
		fmt.Fprintf(&s, " %d", k)
	}
	s.WriteByte('\n')
	for i, n := range b.of {
		fmt.Fprintf(&s, "%c%d ", 'a'+i, n)
	}
	return strings.TrimSpace(s.String())
}
