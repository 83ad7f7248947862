package puzzles

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// countdown asks for an expression of given numbers with a given value.
var countdown = task.Spec[countdownParams, countdownItem]{
	Name:     "countdown",
	Category: "games",
	Doc:      "Combine all the given numbers with + - * / to reach a target. There is a solution in which every step gives a positive whole number.",
	Source:   "The numbers round of the television game Des chiffres et des lettres (1972); the settings are those of reasoning-gym.",
	Version:  4,
	Default: countdownParams{
		MinNumbers: 4, MaxNumbers: 6, MinValue: 1, MaxValue: 100, MinTarget: 100, MaxTarget: 999,
		Operators: "+-*/", Shuffle: true,
	},
	Levels: []countdownParams{
		{MinNumbers: 3, MaxNumbers: 3, MinValue: 1, MaxValue: 10, MinTarget: 1, MaxTarget: 20, Operators: "+-", Shuffle: true},
		{MinNumbers: 3, MaxNumbers: 4, MinValue: 1, MaxValue: 30, MinTarget: 10, MaxTarget: 100, Operators: "+-*", Shuffle: true},
		{MinNumbers: 4, MaxNumbers: 5, MinValue: 1, MaxValue: 50, MinTarget: 50, MaxTarget: 500, Operators: "+-*/", Shuffle: true},
		{MinNumbers: 5, MaxNumbers: 6, MinValue: 1, MaxValue: 100, MinTarget: 100, MaxTarget: 999, Operators: "+-*/", Shuffle: true},
		{MinNumbers: 6, MaxNumbers: 9, MinValue: 5, MaxValue: 200, MinTarget: 500, MaxTarget: 5000, Operators: "+-*/", Shuffle: true},
		{MinNumbers: 10, MaxNumbers: 15, MinValue: 10, MaxValue: 300, MinTarget: 1000, MaxTarget: 10000, Operators: "+-*/", Shuffle: true},
	},
	Few: []string{
		"There are few sums of three numbers up to ten.",
	},
	Make: makeCountdown,
	Many: true,
	Ask: []string{
		"Write an arithmetic expression that equals {target} and uses each of these numbers exactly once: {numbers:and}.",
		"Your target is {target}. Reach it with the numbers {numbers:and}, each used exactly as often as it is listed.",
		"How can you make {target} from {numbers:and}? Use each of these numbers exactly once, and no others.",
		"In a game show, the number to reach is {target} and the cards show {numbers:and}. Every card must be used exactly once. Which calculation gets there?",
		"Find a calculation with the result {target} in which each of the following numbers appears exactly once: {numbers:and}.",
		"The result is known: {target}. The numbers are known as well: {numbers:and}. Put operations and brackets between them, using each number exactly once.",
	},
	Form: " You may use +, -, *, / and parentheses; intermediate results may be negative or fractions. Answer with the expression alone, without an equals sign, for example: (3 + 9) * 5 - 14 / 7",
}

// countdownParams are the settings of one difficulty.
type countdownParams struct {
	MinNumbers int                `json:"min_numbers" want:"2 or more"`
	MaxNumbers int                `json:"max_numbers" want:"min_numbers to 50"`
	MinValue   int64              `json:"min_value" want:"1 or more"` // of every number
	MaxValue   int64              `json:"max_value" want:"min_value to 1000000"`
	MinTarget  int64              `json:"min_target" want:"1 or more"`
	MaxTarget  int64              `json:"max_target" want:"min_target to 1000000"`
	Operators  countdownOperators `json:"operators" want:"1 or more"` // of the hidden expression; answers may use all four
	Shuffle    bool               `json:"shuffle"`                    // list the numbers in random order instead of the expression's
}

// countdownOperators are some of "+-*/". As JSON they are a list of strings.
type countdownOperators string

// MarshalJSON implements [json.Marshaler].
func (o countdownOperators) MarshalJSON() ([]byte, error) {
	return json.Marshal(strings.Split(string(o), ""))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (o *countdownOperators) UnmarshalJSON(raw []byte) error {
	var list []string
	if err := strictjson.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("operators: %w", err)
	}
	*o = ""
	for _, op := range list {
		if len(op) != 1 || !strings.Contains("+-*/", op) || strings.Contains(string(*o), op) {
			return fmt.Errorf("operators has %q, want some of + - * /, each once", op)
		}
		*o += countdownOperators(op)
	}
	return nil
}

const (
	countdownMaxNumbers = 50        // limit for our problems; each takes room in the expression
	countdownMaxValue   = 1_000_000 // limit of a number and of the target
)

// countdownItem is one set of numbers and its target.
type countdownItem struct {
	Numbers    []int64 `json:"numbers" want:"1 to 1000" each:"0 or more"`
	Target     int64   `json:"target"`
	Expression string  `json:"expression"` // an expression with the target as its value
	Phrasing   int     `json:"phrasing,omitempty"`
}

// makeCountdown draws numbers and joins them at random, two at a time, until the last value
// is a target of the right size. It wants one near a size drawn before, because small
// targets come up more often than large ones; at last any target will do. It fails if the
// settings leave little to find, such as targets beyond the numbers' reach.
func makeCountdown(p countdownParams, r *rng.Rand) (countdownItem, error) {
	item := countdownItem{Phrasing: r.Between(0, 5)}
	room := make(countdownTree, p.MaxNumbers, 2*p.MaxNumbers)
	const rounds, tries = 50, 200
	for range rounds {
		n, size, near := r.Between(p.MinNumbers, p.MaxNumbers), r.Between64(p.MinTarget, p.MaxTarget), p
		near.MinTarget = max(p.MinTarget, size-(p.MaxTarget-p.MinTarget)/8)
		near.MaxTarget = min(p.MaxTarget, size+(p.MaxTarget-p.MinTarget)/8)
		for i := range tries {
			if i == tries/4 {
				near = p
			}
			tree, ok := room[:n].grow(near, r)
			if !ok || tree.trivial(near) {
				continue
			}
			root := len(tree) - 1
			item.Target = tree[root].value
			item.Expression, item.Numbers = string(tree.text(nil, root)), tree.leaves(make([]int64, 0, n), root)
			if p.Shuffle {
				rng.Shuffle(r, item.Numbers)
			}
			return item, nil
		}
	}
	return item, fmt.Errorf("no target from min_target (%d) to max_target (%d) found in %d tries", p.MinTarget, p.MaxTarget, rounds*tries)
}

// A countdownTree is an unfinished expression: first its numbers, then the results of
// operations, each after its parts. The last node is the root.
type countdownTree []countdownNode

// A countdownNode is a number, or the result of an operation.
type countdownNode struct {
	op          byte // 0 for a number
	left, right int  // indexes of the operands
	value       int64
}

// grow draws a number for each node, joins them into one value, and reports whether that is
// in the range of targets.
func (t countdownTree) grow(p countdownParams, r *rng.Rand) (tree countdownTree, ok bool) {
	var room [countdownMaxNumbers]int
	open := room[:len(t)] // the nodes that are not yet operands
	for i := range open {
		open[i] = i
		t[i] = countdownNode{value: r.Between64(p.MinValue, p.MaxValue)}
	}
	for len(open) > 1 {
		i, j := t.pair(p, r, open)
		node, ok := t.join(p, r, open[i], open[j])
		if !ok {
			return nil, false
		}
		open[min(i, j)] = len(t)
		open[max(i, j)] = open[len(open)-1]
		open = open[:len(open)-1]
		t = append(t, node)
	}
	value := t[len(t)-1].value
	return t, value >= p.MinTarget && value <= p.MaxTarget
}

// pair draws the indexes in open of the two nodes to join next. Sometimes it looks for two
// of which one divides the other, since chance rarely finds such a pair.
func (t countdownTree) pair(p countdownParams, r *rng.Rand, open []int) (i, j int) {
	i, j = r.Between(0, len(open)-1), r.Between(0, len(open)-2)
	if j >= i {
		j++
	}
	if !strings.Contains(string(p.Operators), "/") || !r.Chance(0.3) {
		return i, j
	}
	for k := range open {
		n := (i + k) % len(open)
		by := slices.IndexFunc(open, func(node int) bool { return divides(t[node].value, t[open[n]].value) })
		if by >= 0 {
			return n, by
		}
	}
	return i, j
}

// divides reports whether n/by is a whole number other than n and 1.
func divides(by, n int64) bool { return by > 1 && n > by && n%by == 0 }

// join draws an operation on two nodes. Its result must be a positive whole number, neither
// trivial nor far beyond the targets.
func (t countdownTree) join(p countdownParams, r *rng.Rand, left, right int) (node countdownNode, ok bool) {
	a, b := t[left].value, t[right].value
	if a < b {
		left, right, a, b = right, left, b, a
	}
	var choice [4]countdownNode
	n := 0
	for k := range len(p.Operators) {
		op := p.Operators[k]
		value := combine(op, a, b)
		if value < 1 || value > 2*p.MaxTarget+p.MaxValue {
			continue
		}
		choice[n] = countdownNode{op, left, right, value}
		if n++; op == '/' && r.Chance(0.5) {
			return choice[n-1], true
		}
	}
	if n == 0 {
		return countdownNode{}, false
	}
	return choice[r.Between(0, n-1)], true
}

// combine returns a op b, or 0 if that is trivial or not whole.
func combine(op byte, a, b int64) int64 {
	switch {
	case op == '+':
		return a + b
	case op == '-':
		return a - b
	case op == '*' && b > 1:
		return a * b
	case op == '/' && divides(b, a):
		return a / b
	}
	return 0
}

// trivial reports whether the sum of all numbers is the target, though other operations are
// allowed.
func (t countdownTree) trivial(p countdownParams) bool {
	if p.Operators == "+" {
		return false
	}
	sum := int64(0)
	for _, node := range t[:len(t)/2+1] {
		sum += node.value
	}
	return sum == t[len(t)-1].value
}

// leaves appends the numbers below node at, from left to right, to list.
func (t countdownTree) leaves(list []int64, at int) []int64 {
	node := t[at]
	if node.op == 0 {
		return append(list, node.value)
	}
	return t.leaves(t.leaves(list, node.left), node.right)
}

// text appends node at to b, with no more brackets than its steps need.
func (t countdownTree) text(b []byte, at int) []byte {
	node := t[at]
	if node.op == 0 {
		return strconv.AppendInt(b, node.value, 10)
	}
	b = t.operand(b, node.left, (node.op == '*' || node.op == '/') && t.isSum(node.left))
	b = append(b, ' ', node.op, ' ')
	right := t.isSum(node.right)
	switch node.op {
	case '+':
		right = false
	case '*':
		right = right || t[node.right].op == '/'
	case '/':
		right = t[node.right].op != 0
	}
	return t.operand(b, node.right, right)
}

// operand appends node at to b, in brackets or not.
func (t countdownTree) operand(b []byte, at int, bracket bool) []byte {
	if !bracket {
		return t.text(b, at)
	}
	return append(t.text(append(b, '('), at), ')')
}

// isSum reports whether node at is a sum or a difference.
func (t countdownTree) isSum(at int) bool { return t[at].op == '+' || t[at].op == '-' }

// Canonical implements [task.Canonicalizer]. The order of the numbers does not matter.
func (c countdownItem) Canonical() string {
	return fmt.Sprint(c.Target, slices.Sorted(slices.Values(c.Numbers)))
}

func (c countdownItem) Solve() string { return c.Expression }

// Score implements [task.Scorer]. An expression is right if it uses the given numbers, as
// given, and its exact value is the target. Anything else earns nothing.
func (c countdownItem) Score(text string) quintain.Verdict {
	expression, err := answer.ReadArithmetic(text)
	if err != nil {
		return quintain.Malformed(err.Error())
	}
	if !c.uses(expression.Numbers) {
		return quintain.Wrong("want each of the given numbers once, and no other")
	}
	value, err := expression.Value()
	if err != nil {
		return quintain.Wrong(err.Error())
	}
	if value.Cmp(new(big.Rat).SetInt64(c.Target)) != 0 {
		return quintain.Wrong(fmt.Sprintf("the expression is worth %.40s, want %d", value.RatString(), c.Target))
	}
	return quintain.Right()
}

// uses reports whether numbers are the given ones, in any order.
func (c countdownItem) uses(numbers []int64) bool {
	if len(numbers) != len(c.Numbers) {
		return false
	}
	given, used := slices.Clone(c.Numbers), slices.Clone(numbers)
	slices.Sort(given)
	slices.Sort(used)
	return slices.Equal(given, used)
}
