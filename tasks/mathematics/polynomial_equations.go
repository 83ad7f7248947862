package mathematics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// polynomialEquations asks for the real roots of a polynomial.
var polynomialEquations = task.Spec[polynomialParams, polynomialItem]{
	Name:     "polynomial_equations",
	Category: "algebra",
	Doc: "Find the real roots of a polynomial, to four decimals. There is at least one, none is 0, and none is double; " +
		"no root is close to halfway between two roundings.",
	Source:  "Elementary algebra; the settings are those of reasoning-gym.",
	Version: 5,
	List:    ", ",
	Default: polynomialParams{2, 4, 1, 100, 1, 3, []string{"+", "-"}},
	Levels: []polynomialParams{
		{2, 2, 1, 50, 1, 1, []string{"+", "-"}},
		{2, 3, 1, 20, 1, 2, []string{"+", "-"}},
		{2, 4, 1, 100, 1, 3, []string{"+", "-"}},
		{3, 4, 1, 100, 2, 3, []string{"+", "-"}},
		{3, 5, 1, 1000, 3, 4, []string{"+", "-"}},
		{4, 6, 1, 10_000, 4, 6, []string{"+", "-"}},
	},
	Few: []string{
		"There are few equations of the first degree with small numbers.",
		"There are few equations of the second degree with small roots.",
	},
	Make: makePolynomial,
}

// polynomialParams are the settings of one difficulty.
type polynomialParams struct {
	MinTerms  int      `json:"min_terms" want:"1 or more"` // limited by the degree
	MaxTerms  int      `json:"max_terms" want:"min_terms or more"`
	MinValue  int      `json:"min_value" want:"1 or more"` // of a coefficient, without its sign
	MaxValue  int      `json:"max_value" want:"min_value to 1000000"`
	MinDegree int      `json:"min_degree" want:"1 or more"`
	MaxDegree int      `json:"max_degree" want:"min_degree to 10"`
	Operators []string `json:"operators" want:"1 or more" oneof:"+ -"` // signs of the terms
}

// polynomialItem is one equation.
type polynomialItem struct {
	Polynomial string    `json:"polynomial_expr"` // such as 3*x**2 - x + 5
	Variable   string    `json:"variable"`        // one letter
	Degree     int       `json:"degree"`
	Roots      []float64 `json:"real_solutions" want:"at most 100"` // in order, rounded to four decimals
	Terms      int       `json:"num_terms"`
	Phrasing   int       `json:"phrasing,omitempty" want:"0 to 5"`
}

// makePolynomial draws polynomials until one has roots that are easily told apart, usually
// among the first few. After many tries, it draws polynomials with the root 0.
func makePolynomial(p polynomialParams, r *rng.Rand) (polynomialItem, error) {
	item := polynomialItem{
		Variable: string(equationLetters[r.Between(0, len(equationLetters)-1)]),
		Degree:   r.Between(p.MinDegree, p.MaxDegree),
		Phrasing: r.Between(0, len(polynomialPhrasings)-1),
	}
	item.Terms = min(item.Degree+1, r.Between(max(p.MinTerms, min(2, p.MaxTerms)), p.MaxTerms))
	const tries, withoutZero = 250, 200
	for try := range tries {
		drawn := p.draw(r, item, try >= withoutZero || item.Terms == 1)
		roots, sure := drawn.roots()
		if !sure || len(roots) == 0 {
			continue
		}
		if item.Roots = roundRoots(roots); item.Roots != nil {
			item.Polynomial = drawn.text(item.Variable)
			return item, nil
		}
	}
	return item, fmt.Errorf("no polynomial with clear roots found in %d tries", tries)
}

// draw draws a polynomial of the degree and number of terms of item. It has a
// constant, unless zero is true.
func (p polynomialParams) draw(r *rng.Rand, item polynomialItem, zero bool) polynomial {
	drawn := make(polynomial, item.Degree+1)
	drawn[item.Degree] = p.coefficient(r)
	left := item.Terms - 1
	if !zero && left > 0 {
		drawn[0] = p.coefficient(r)
		left--
	}
	for i := item.Degree - 1; i > 0; i-- { // each of the i powers left is equally likely
		if r.Between(1, i) <= left {
			drawn[i] = p.coefficient(r)
			left--
		}
	}
	return drawn
}

// coefficient draws a coefficient.
func (p polynomialParams) coefficient(r *rng.Rand) int64 {
	c := int64(r.Between(p.MinValue, p.MaxValue))
	if rng.Pick(r, p.Operators) == "-" {
		return -c
	}
	return c
}

// roundRoots rounds roots to four decimals. It returns nil if one is nearly halfway between
// two roundings, if two are close together, or if one is close to 0 but not 0.
func roundRoots(roots []float64) []float64 {
	const unit, apart = 1e-4, 0.02
	rounded := make([]float64, len(roots))
	for i, root := range roots {
		whole := math.Round(root / unit)
		if math.Abs(math.Abs(root/unit-whole)-0.5) < 1e-3 || root != 0 && math.Abs(root) < apart || i > 0 && root-roots[i-1] < apart {
			return nil
		}
		rounded[i] = 0 + whole/1e4
	}
	return rounded
}

// text writes the polynomial as SymPy does.
func (p polynomial) text(variable string) string {
	var b []byte
	for i := len(p) - 1; i >= 0; i-- {
		c := p[i]
		if c == 0 {
			continue
		}
		switch {
		case b != nil && c < 0:
			b = append(b, " - "...)
		case b != nil:
			b = append(b, " + "...)
		case c < 0:
			b = append(b, '-')
		}
		c = max(c, -c)
		if c != 1 || i == 0 {
			b = strconv.AppendInt(b, c, 10)
		}
		if i > 0 && c != 1 {
			b = append(b, '*')
		}
		if i > 0 {
			b = append(b, variable...)
		}
		if i > 1 {
			b = strconv.AppendInt(append(b, "**"...), int64(i), 10)
		}
	}
	return string(b)
}

// polynomialPhrasings are the wordings of the question, around the variable and the
// polynomial.
var polynomialPhrasings = [][3]string{
	{"Solve this equation for real ", ":\n\n", " = 0\n\n"},
	{"For which real ", " is this polynomial equal to 0?\n\n", "\n\n"},
	{"Find all real values of ", " that satisfy\n\n", " = 0\n\n"},
	{"Where does the graph of this function of ", " cross or touch the horizontal axis?\n\n", "\n\n"},
	{"The polynomial below is given. List the real numbers that make it zero when they are put in place of ", ".\n\n", "\n\n"},
	{"What are the real roots, in ", ", of the following equation?\n\n", " = 0\n\n"},
}

func (s polynomialItem) Prompt() string {
	words := polynomialPhrasings[s.Phrasing]
	return words[0] + s.Variable + words[1] + strings.ReplaceAll(s.Polynomial, "**", "^") + words[2] +
		"Answer with the numbers alone, each once, rounded to four decimal places and separated by commas, for example -12.0417, 0.35."
}

func (s polynomialItem) Short() string {
	return strings.NewReplacer("**", "^", " ", "").Replace(s.Polynomial) + "=0; " + s.Variable + "="
}

// Canonical implements [task.Canonicalizer]. The name and the sign of the variable, the order of the
// terms, a change of all signs and a power of ten do not matter.
func (s polynomialItem) Canonical() string { return task.Mirrored(s.Polynomial, s.Variable) }

// Solve implements [task.Instance]. Some polynomials of reasoning-gym have no roots; its
// answer is then empty, or two quotes.
func (s polynomialItem) Solve() string {
	if len(s.Roots) == 0 {
		return `""`
	}
	var b []byte
	for i, root := range s.Roots {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendFloat(b, root, 'f', -1, 64)
	}
	return string(b)
}

// Score implements [task.Scorer]. As in reasoning-gym, a number at distance d from the
// nearest root earns exp(-10d), and each number too many or too few costs 0.5; pieces that
// are not numbers are ignored. A distance above 0.001 is no rounding error and earns
// nothing.
func (s polynomialItem) Score(text string) quintain.Verdict {
	if len(s.Roots) == 0 {
		if strings.Trim(text, `"' `) == "" {
			return quintain.Right()
		}
		return quintain.Wrong("there is no real root")
	}
	numbers, unread := s.readNumbers(text)
	switch {
	case unread != "":
		return quintain.Malformed(fmt.Sprintf("%.20q is not a number", unread))
	case len(numbers) == 0:
		return quintain.Malformed("want numbers separated by commas")
	case len(numbers) > len(s.Roots):
		return quintain.Wrong(fmt.Sprintf("there are more than %d numbers", len(s.Roots)))
	}
	sum, near := matchRoots(numbers, s.Roots)
	reward := sum/float64(len(numbers)) - 0.5*float64(len(s.Roots)-len(numbers))
	reason := fmt.Sprintf("%d of %d roots are there, want %s", near, len(s.Roots), s.Solve())
	switch {
	case reward >= 1:
		return quintain.Right()
	case reward > 0:
		return quintain.Partial(reward, reason)
	}
	return quintain.Wrong(reason)
}

// matchRoots matches each of the sorted numbers with the nearest root left. It returns the
// sum of their scores, and how many are near enough to earn something.
func matchRoots(numbers, roots []float64) (sum float64, near int) {
	const far = 0.001
	left := slices.Clone(roots)
	for _, x := range numbers {
		if len(left) == 0 {
			break
		}
		best := 0
		for i, root := range left {
			if math.Abs(root-x) < math.Abs(left[best]-x) {
				best = i
			}
		}
		if off := math.Abs(left[best] - x); off <= far {
			sum += math.Exp(-10 * off)
			near++
		}
		left = slices.Delete(left, best, best+1)
	}
	return sum, near
}

// readNumbers returns the numbers of text in order of size, one more than there are roots at most.
// Commas separate them; the variable and a sign of equality may stand before each. unread is the first
// entry that is no number.
func (s polynomialItem) readNumbers(text string) (numbers []float64, unread string) {
	text = strings.TrimSuffix(strings.TrimRight(text, " \n"), ",")
	for piece := range strings.SplitSeq(text, ",") {
		if name, value, named := strings.Cut(piece, "="); named && strings.TrimRight(answer.Trim(name), "_{}0123456789") == s.Variable {
			piece = value
		}
		v, ok := answer.ReadFloat(piece)
		if !ok {
			return nil, cmp.Or(answer.Trim(piece), " ")
		}
		if numbers = append(numbers, v); len(numbers) > len(s.Roots) {
			break
		}
	}
	slices.Sort(numbers)
	return numbers, ""
}
