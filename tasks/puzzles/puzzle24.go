package puzzles

import (
	"fmt"
	"math"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// puzzle24 asks for an expression of four numbers with the value 24.
var puzzle24 = task.Spec[puzzle24Params, puzzle24Item]{
	Name:     "puzzle24",
	Category: "games",
	Doc:      "Combine four numbers with + - * / to make 24. There is a solution; the hardest problems have few.",
	Source:   "The 24 game, known from Shanghai since the 1960s and sold by R. Sun (1988); the settings are those of reasoning-gym, and max_ways.",
	Version:  1,
	Default:  puzzle24Params{Operators: "+-*/", MinValue: 1, MaxValue: 10},
	Levels: []puzzle24Params{
		{Operators: "+-", MinValue: 1, MaxValue: 10},
		{Operators: "+-*", MinValue: 1, MaxValue: 6},
		{Operators: "+-*", MinValue: 1, MaxValue: 10},
		{Operators: "+-*/", MinValue: 1, MaxValue: 10, MaxWays: 40},
		{Operators: "+-*/", MinValue: 1, MaxValue: 10, MaxWays: 10},
	},
	Few:  slices.Repeat([]string{"There are 715 sets of four numbers up to 10."}, 5),
	Make: makePuzzle24,
	Many: true,
	Ask: []string{
		"Make 24 from the numbers {numbers:and}. Use each of them exactly once, and join them with +, -, * or / and parentheses as you like. " +
			"Answer with the expression alone, without an equals sign, for example: (2 + 6) * 9 / 3",
		"Somebody has drawn these four numbers: {numbers:and}. Which calculation with all four of them, each used as often as it was drawn, gives 24? " +
			"Addition, subtraction, multiplication and division are allowed, and so are parentheses and fractions on the way. Write only the calculation, such as 5 * (6 - 2) + 4, and not its result.",
		"24 game. Your numbers: {numbers:and}.\n\nRules:\n- Every number is used once; no other number may occur.\n- Operations: + - * /\n- Parentheses are free.\n- The value has to be exactly 24.\n\n" +
			"Reply with an expression and nothing more. Its form is that of (10 - 4) * 2 + 3.",
		`Write an arithmetic expression with the value 24. It must contain {numbers:and}, each of these numbers one time and no others, together with the signs +, -, *, / and parentheses where you need them. Do not write "= 24". An expression looks like this: 7 * 2 + 3 * 1`,
		"Can you reach 24? You have to use up the numbers {numbers:and}, one after the other or in any order that you like. You may add, subtract, multiply and divide, and group with parentheses. " +
			"There is at least one way. Your answer is the formula, like 8 / (3 - 1) + 9, without any text around it.",
		"With four numbers and three operations, a value of 24 is wanted. The operations are taken from + - * / and may be repeated; the numbers are {numbers:and} and may not, beyond what is listed. " +
			"Put parentheses where the usual order of operations is not what you mean. State just the finished expression, in a form such as 9 - 5 + 1 * 6.",
	},
}

// puzzle24Params are the settings of one difficulty.
type puzzle24Params struct {
	Operators countdownOperators `json:"operators" want:"1 or more"`      // sufficient for a solution; answers may use all four
	MinValue  int64              `json:"min_value" want:"1 to max_value"` // of the numbers
	MaxValue  int64              `json:"max_value" want:"at most 10"`
	MaxWays   int                `json:"max_ways" want:"0 or more"` // limit of ways to a solution, counted as orders of steps; 0: none
}

// Constants of all problems.
const (
	target24    = 24
	numbers24   = 4
	mostTries24 = 3000 // sets of numbers drawn per problem
)

// puzzle24Item is one set of numbers.
type puzzle24Item struct {
	Numbers  []int64 `json:"numbers" want:"4" each:"1 to 1000"`
	Phrasing int     `json:"phrasing,omitempty"`
}

// makePuzzle24 draws numbers until they have a solution, but not too many. It fails if none
// come up.
func makePuzzle24(p puzzle24Params, r *rng.Rand) (puzzle24Item, error) {
	item := puzzle24Item{Numbers: make([]int64, numbers24), Phrasing: r.Between(0, 5)}
	most := math.MaxInt
	if p.MaxWays > 0 {
		most = p.MaxWays
	}
	for range mostTries24 {
		for i := range item.Numbers {
			item.Numbers[i] = r.Between64(p.MinValue, p.MaxValue)
		}
		s := search24{operators: string(p.Operators), most: most}
		if s.ways(item.Numbers); s.found > 0 && s.found <= most {
			return item, nil
		}
	}
	return item, fmt.Errorf("no numbers from min_value (%d) to max_value (%d) with a solution were found in %d tries", p.MinValue, p.MaxValue, mostTries24)
}

// A search24 combines numbers, two at a time, until one is left. Ways that differ only in
// the order of their steps count separately; a sum or a product of the same two parts
// counts once.
type search24 struct {
	operators string
	most      int // limit of ways
	found     int
	solution  string // the first one
	tree      countdownTree
	values    [2*numbers24 - 1][2]int64 // of the nodes, as fractions, not in lowest terms
}

// ways searches all ways to combine numbers.
func (s *search24) ways(numbers []int64) {
	s.tree = make(countdownTree, len(numbers), len(s.values))
	var open [numbers24]int
	for i, n := range numbers {
		s.tree[i].value = n
		s.values[i] = [2]int64{n, 1}
		open[i] = i
	}
	s.combine(open[:len(numbers)])
}

// combine joins every two of the open nodes in every way, and recurses.
func (s *search24) combine(open []int) {
	if len(open) == 1 {
		if value := s.values[open[0]]; value[0] == target24*value[1] {
			if s.found++; s.found == 1 {
				s.solution = string(s.tree.text(nil, open[0]))
			}
		}
		return
	}
	for i := range open {
		for j := range open {
			if i != j && s.found <= s.most {
				s.join(open, open[i], open[j])
			}
		}
	}
}

// join recurses with each result of an operation in place of two open nodes. It tries sums
// and products in one order only.
func (s *search24) join(open []int, left, right int) {
	node := len(s.tree)
	var room [numbers24]int
	rest := room[:0]
	for _, other := range open {
		if other != left && other != right {
			rest = append(rest, other)
		}
	}
	for k := range len(s.operators) {
		op := s.operators[k]
		value := apply24(s.values[left], op, s.values[right])
		if value[1] == 0 || left > right && (op == '+' || op == '*') {
			continue
		}
		s.tree = append(s.tree, countdownNode{op: op, left: left, right: right})
		s.values[node] = value
		s.combine(append(rest, node))
		s.tree = s.tree[:node]
	}
}

// apply24 returns a op b, or a fraction over 0 for a division by zero.
func apply24(a [2]int64, op byte, b [2]int64) [2]int64 {
	switch op {
	case '+':
		return [2]int64{a[0]*b[1] + b[0]*a[1], a[1] * b[1]}
	case '-':
		return [2]int64{a[0]*b[1] - b[0]*a[1], a[1] * b[1]}
	case '*':
		return [2]int64{a[0] * b[0], a[1] * b[1]}
	default:
		return [2]int64{a[0] * b[1], a[1] * b[0]}
	}
}

// Canonical implements [task.Canonicalizer]. The order of the numbers does not matter.
func (p puzzle24Item) Canonical() string { return fmt.Sprint(slices.Sorted(slices.Values(p.Numbers))) }

// Check refuses a record with unsolvable numbers.
func (p puzzle24Item) Check() error {
	if p.Solve() == "" {
		return fmt.Errorf("numbers are %v, from which %d cannot be made", p.Numbers, target24)
	}
	return nil
}

func (p puzzle24Item) Solve() string {
	s := search24{operators: "+-*/"}
	s.ways(p.Numbers)
	return s.solution
}

// Score implements [task.Scorer]. The rules are those of countdown.
func (p puzzle24Item) Score(text string) quintain.Verdict {
	return countdownItem{Numbers: p.Numbers, Target: target24}.Score(text)
}
