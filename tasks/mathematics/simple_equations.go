package mathematics

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// simpleEquations asks for the solution of a linear equation.
var simpleEquations = task.Spec[simpleEquationsParams, simpleEquationsItem]{
	Name:     "simple_equations",
	Category: "algebra",
	Doc: "Solve a linear equation in one variable. Its left side is a chain of terms; a * multiplies everything before it. " +
		"The solution is a whole number.",
	Source:  "Elementary algebra; the settings are those of reasoning-gym.",
	Version: 4,
	Default: simpleEquationsParams{2, 4, 1, 100, []string{"+", "-", "*"}, []float64{0.4, 0.4, 0.2}},
	Levels: []simpleEquationsParams{
		{2, 2, 1, 20, []string{"+", "-"}, []float64{0.5, 0.5}},
		{2, 3, 2, 50, []string{"+", "-", "*"}, []float64{0.4, 0.4, 0.2}},
		{3, 5, 2, 100, []string{"+", "-", "*"}, []float64{0.4, 0.4, 0.2}},
		{5, 8, 5, 300, []string{"+", "-", "*"}, []float64{0.35, 0.35, 0.3}},
		{8, 12, 10, 1000, []string{"+", "-", "*"}, []float64{0.35, 0.35, 0.3}},
		{14, 20, 100, 100_000, []string{"+", "-", "*"}, []float64{0.35, 0.35, 0.3}},
	},
	Make: makeSimpleEquations,
	Ask: []string{
		"Solve this equation for {variable}:\n\n{equation}\n\n",
		"Which number {variable} satisfies the equation below?\n\n{equation}\n\n",
		"Find {variable} such that\n\n{equation}\n\n",
		"The following equation holds for exactly one value of {variable}. Which one is it?\n\n{equation}\n\n",
		"What must be put in place of {variable} to make both sides of this line equal?\n\n{equation}\n\n",
		"Someone has forgotten the value of {variable}, but remembers that\n\n{equation}\n\nRecover the value.\n\n",
	},
	Form:  "Answer with the whole number alone, without the name of the variable.",
	Short: "{equation:solid}; {variable}=",
	Match: task.MatchNumber,
}

// simpleEquationsParams are the settings of one difficulty.
type simpleEquationsParams struct {
	MinTerms  int       `json:"min_terms" want:"1 or more"` // of the left side
	MaxTerms  int       `json:"max_terms" want:"min_terms to 100"`
	MinValue  int       `json:"min_value" want:"1 or more"` // of every number, and of the solution
	MaxValue  int       `json:"max_value" want:"min_value to 1000000000"`
	Operators []string  `json:"operators" oneof:"+ - *"`
	Weights   []float64 `json:"operators_weights"` // shares of the operators
}

// Check refuses what no tag does.
func (p simpleEquationsParams) Check() error {
	return task.CheckWeights("operators", len(p.Operators), p.Weights)
}

// simpleEquationsItem is one equation.
type simpleEquationsItem struct {
	Equation string `json:"equation"` // a linear expression, " = ", and a number
	Variable string `json:"variable"` // one letter
	Phrasing int    `json:"phrasing,omitempty"`

	known string // the solution, for a problem made here
}

// equationLetters are the variables: letters that cannot be mistaken for anything else.
const equationLetters = "abcdfghjkmnpqrstuvwxyz"

// makeSimpleEquations draws the solution and the terms. A term multiplies everything before
// it by a number, or adds a number or a multiple of the variable. There is at least one
// multiple, and together they do not cancel out.
func makeSimpleEquations(p simpleEquationsParams, r *rng.Rand) (simpleEquationsItem, error) {
	item := simpleEquationsItem{
		Variable: string(equationLetters[r.Between(0, len(equationLetters)-1)]),
		Phrasing: r.Between(0, 5),
	}
	terms := r.Between(p.MinTerms, p.MaxTerms)
	c := equationChain{params: p, variable: item.Variable, sum: newLinear(0, 0)}
	first := r.Between(1, terms) // the first term with the variable, unless it becomes a *
	for i := 1; i <= terms; i++ {
		op := p.Operators[task.Weighted(p.Weights, r.Float())]
		with := i == first || i > first && r.Chance(0.5)
		if op == "*" && i > 1 && c.sum.slope.Sign() != 0 {
			c.multiply(r.Between(max(2, p.MinValue), max(2, p.MaxValue)))
			continue
		}
		c.add(op, with || i == terms && c.sum.slope.Sign() == 0, r)
	}
	solution := big.NewInt(int64(r.Between(p.MinValue, p.MaxValue)))
	item.known = solution.String()
	right := solution.Mul(solution, c.sum.slope)
	right.Add(right, c.sum.constant)
	item.Equation = string(c.text) + " = " + right.String()
	return item, nil
}

// An equationChain is the left side of an equation in the making.
type equationChain struct {
	params   simpleEquationsParams
	variable string
	text     []byte
	joined   bool // text is a sum, so a factor needs brackets around it
	sum      linear
}

// multiply multiplies c by n.
func (c *equationChain) multiply(n int) {
	if c.joined {
		c.text = append(append([]byte("("), c.text...), ')')
		c.joined = false
	}
	c.text = strconv.AppendInt(append(c.text, " * "...), int64(n), 10)
	c.sum.scale(big.NewInt(int64(n)))
}

// add adds a number, or, if with is true, a multiple of the variable, with op as its sign;
// for *, with a plus. A multiple that would cancel out all others is increased by one.
func (c *equationChain) add(op string, with bool, r *rng.Rand) {
	n := r.Between(c.params.MinValue, c.params.MaxValue)
	sign := 1
	if op == "-" {
		sign = -1
	}
	if with && c.sum.slope.IsInt64() && c.sum.slope.Int64() == int64(-sign*n) {
		n++
	}
	switch {
	case c.text != nil && sign < 0:
		c.text, c.joined = append(c.text, " - "...), true
	case c.text != nil:
		c.text, c.joined = append(c.text, " + "...), true
	case sign < 0:
		c.text, c.joined = append(c.text, '-'), true
	}
	if !with {
		c.text = strconv.AppendInt(c.text, int64(n), 10)
		c.sum.add(sign, newLinear(0, n))
		return
	}
	if n != 1 {
		c.text = append(strconv.AppendInt(c.text, int64(n), 10), '*')
	}
	c.text = append(c.text, c.variable...)
	c.sum.add(sign, newLinear(n, 0))
}

// Canonical implements [task.Canonicalizer]. The name and the sign of the variable do not matter, nor do
// the orders of terms, of factors and of the two sides, a change of all signs and a power of ten.
func (s simpleEquationsItem) Canonical() string {
	left, right, _ := strings.Cut(s.Equation, "=")
	return task.Mirrored("("+left+")-("+right+")", s.Variable)
}

// Check refuses a record unless its equation has exactly one solution, a whole number.
func (s simpleEquationsItem) Check() error {
	if _, err := s.solution(); err != nil {
		return fmt.Errorf("equation %.80q: %w", s.Equation, err)
	}
	return nil
}

// solution solves the equation.
func (s simpleEquationsItem) solution() (*big.Int, error) {
	left, right, found := strings.Cut(s.Equation, "=")
	if len(s.Variable) != 1 || !found {
		return nil, errors.New("want two sides, and a variable of one letter")
	}
	l, err := readLinear(left, s.Variable[0])
	if err != nil {
		return nil, err
	}
	m, err := readLinear(right, s.Variable[0])
	if err != nil {
		return nil, err
	}
	l.add(-1, m)
	if l.slope.Sign() == 0 {
		return nil, errors.New("the variable is missing or cancels out")
	}
	x, rest := l.constant.QuoRem(l.constant.Neg(l.constant), l.slope, new(big.Int))
	if rest.Sign() != 0 {
		return nil, errors.New("the solution is not a whole number")
	}
	return x, nil
}

func (s simpleEquationsItem) Solve() string {
	if s.known != "" {
		return s.known
	}
	x, err := s.solution()
	if err != nil {
		return ""
	}
	return x.String()
}
