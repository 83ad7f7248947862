package office

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// calculator has numbers behind names, and a tool that computes.
var calculator = toolbox.Spec[calculatorParams, numbers]{
	Name:    "calculator",
	Doc:     "Look up numbers by their names and compute with a tool: sums, greatest common divisors, remainders of powers, and a target that is to be reached. The answer is exact.",
	Source:  "Our own.",
	Version: 1,
	Levels: []calculatorParams{
		{Kinds: []string{sumOf}, Looks: 2},
		{Kinds: []string{sumOf, divisor}, Looks: 4, Work: 3},
		{Kinds: []string{sumOf, divisor, power, target}, Looks: 4, Hops: 1, Work: 4},
		{Kinds: []string{sumOf, divisor, power, target}, Looks: 6, Hops: 2, Work: 7},
		{Kinds: []string{sumOf, divisor, power, target}, Looks: 8, Hops: 3, Work: 11},
	},
	Make: makeNumbers,
}

// The kinds of questions.
const (
	sumOf   = "sum"     // of numbers, some of them subtracted
	divisor = "divisor" // the greatest common one of two numbers
	power   = "power"   // the remainder of one
	target  = "target"  // to be reached with numbers that are used once at most
)

// calculatorParams are the parameters of a level.
type calculatorParams struct {
	Kinds []string `json:"kinds" want:"1 or more" oneof:"sum divisor power target"`
	Looks int      `json:"looks" want:"2 to 10"`   // numbers of a sum, and of a target
	Hops  int      `json:"hops" want:"0 to looks"` // numbers of a question that are named by the value of another
	Work  int      `json:"work"`                   // divisions for a divisor, and bits of an exponent
}

// Check refuses what no tag does.
func (p calculatorParams) Check() error {
	if (p.Work < 2 || p.Work > 14) && slices.ContainsFunc(p.Kinds, func(k string) bool { return k == divisor || k == power }) {
		return fmt.Errorf("work is %d, want 2 to 14", p.Work)
	}
	return nil
}

// A numbers is a question about numbers behind names.
type numbers struct {
	Kind   string  `json:"kind" oneof:"sum divisor power target"`
	Of     []named `json:"of" want:"2 to 10"` // of the question: the numbers of a sum or target, or base, exponent and modulus
	Target string  `json:"target"`            // of a target, else empty
	Steps  string  `json:"steps"`             // an expression that reaches a target, else empty
}

// A named is a number of a question.
type named struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Hop   int64  `json:"hop"`   // the value of Name, which names the number; 0: Name does
	Minus bool   `json:"minus"` // in a sum, it is subtracted
}

// names are those of numbers.
var numberNames = strings.Fields("amber anchor apple arrow aspen badge basil beacon birch bottle bridge button cabin candle canyon cedar " +
	"cherry cliff clover comet copper coral cotton crystal daisy delta dune eagle ember falcon fern flint forest garnet ginger harbor hazel heron " +
	"indigo iris ivory jasmine juniper kettle lagoon lantern laurel lemon linen lotus maple marble meadow mint moss nectar olive onyx opal orchid")

// Bounds of the values in records.
const (
	leastValue = 2
	mostValue  = 1 << 53
)

// Check refuses a record that is no question.
func (n numbers) Check() error {
	want := map[string]int{divisor: 2, power: 3}[n.Kind]
	switch {
	case want > 0 && len(n.Of) != want:
		return fmt.Errorf("of has %d numbers", len(n.Of))
	case n.Kind == power && (n.Of[1].Value >= 1<<15 || n.Of[0].Value >= 1e7 || n.Of[2].Value >= 1e7):
		return errors.New("of has numbers that are too large for a power")
	}
	seen := map[string]bool{}
	for _, one := range n.Of {
		hop := strconv.FormatInt(one.Hop, 10)
		switch {
		case one.Value < leastValue || one.Value > mostValue || one.Hop < 0 || one.Hop > mostValue:
			return fmt.Errorf("the number %.20q is %d by %d", one.Name, one.Value, one.Hop)
		case !slices.Contains(numberNames, one.Name) || seen[one.Name] || seen[hop]:
			return fmt.Errorf("the name %.20q is unknown, or comes twice", one.Name)
		}
		seen[one.Name], seen[hop] = true, one.Hop > 0
	}
	if n.Kind != target {
		return nil
	}
	if why := n.reaches(n.Steps); why != "" {
		return fmt.Errorf("steps do not reach the target: %s", why)
	}
	return nil
}

// makeNumbers draws a question.
func makeNumbers(p calculatorParams, r *rng.Rand) (n numbers, err error) {
	n.Kind = rng.Pick(r, p.Kinds)
	var values []int64
	switch n.Kind {
	case sumOf:
		values = rng.Different(r, p.Looks, 10_000, 999_999)
	case divisor:
		values = drawEuclid(r, p.Work)
	case power:
		modulus := r.Between64(20_000, 99_999)
		values = []int64{r.Between64(10_000, modulus-1), r.Between64(1<<(p.Work-1), 1<<p.Work-1), modulus}
	default:
		values = rng.Different(r, p.Looks, 2, 99)
		n.Steps, n.Target = drawTarget(r, values)
	}
	words := rng.Sample(r, numberNames, len(values))
	hops := rng.Different(r, len(values), 10_000, 99_999)
	for i, value := range values {
		n.Of = append(n.Of, named{Name: words[i], Value: value, Minus: n.Kind == sumOf && i > 0 && r.Chance(0.3)})
	}
	order := rng.Different(r, len(values), 0, int64(len(values)-1))
	for _, i := range order[:min(p.Hops, len(order))] {
		n.Of[i].Hop = hops[i]
	}
	return n, task.Check(n)
}

// drawEuclid draws two numbers of five digits or more that take so many divisions until the
// remainder is 0.
func drawEuclid(r *rng.Rand, divisions int) []int64 {
	a, b := r.Between64(5_000, 9_999), int64(0)
	for i := range divisions {
		quotient := r.Between64(1, 4)
		if i == 0 {
			quotient = r.Between64(2, 4) // else the last division is none
		}
		a, b = quotient*a+b, a
	}
	return []int64{a, b}
}

// drawTarget draws an expression that uses some of the numbers, and its value of three digits or
// more.
func drawTarget(r *rng.Rand, values []int64) (steps, result string) {
	for {
		chosen := rng.Sample(r, values, r.Between(min(3, len(values)), min(5, len(values))))
		steps = strconv.FormatInt(chosen[0], 10)
		for _, v := range chosen[1:] {
			op := rng.Pick(r, []string{"+", "-", "*"})
			if op == "*" && strings.ContainsAny(steps, "+-") {
				steps = "(" + steps + ")"
			}
			steps = fmt.Sprintf("%s %s %d", steps, op, v)
		}
		value, _, why := evaluate(steps)
		if why == "" && value.Cmp(big.NewRat(100, 1)) >= 0 && value.Cmp(big.NewRat(1_000_000, 1)) < 0 {
			return steps, value.RatString()
		}
	}
}

// called says how the question names a number.
func (n named) called() string {
	if n.Hop > 0 {
		return "the number named by the value of " + n.Name
	}
	return n.Name
}

// Goal implements [toolbox.Start].
func (n numbers) Goal(wording int) string {
	var called []string
	for _, one := range n.Of {
		called = append(called, one.called())
	}
	intro := []string{
		"The tool look tells the number behind a name; a number in digits may be a name too. The tool calc computes.",
		"Behind some names are numbers, which the tool look tells you. The name may itself be a number in digits. You can compute with the tool calc.",
		"Use look to find the number of a name, which is a word or a number in digits, and calc to compute.",
	}[wording]
	return intro + "\n\n" + n.question(wording, called)
}

// question asks about numbers as they are called.
func (n numbers) question(wording int, called []string) string {
	switch n.Kind {
	case sumOf:
		sum := []string{called[0]}
		for i, one := range n.Of[1:] {
			sum = append(sum, map[bool]string{false: "plus ", true: "minus "}[one.Minus]+called[i+1])
		}
		return fmt.Sprintf([]string{"What is %s?", "Compute %s.", "Give the result of %s."}[wording], strings.Join(sum, ", "))
	case divisor:
		return fmt.Sprintf([]string{
			"What is the greatest common divisor of %s and %s?", "Find the greatest common divisor of these two: %s, and %s.", "Which is the largest whole number that divides both %s and %s?",
		}[wording], called[0], called[1])
	case power:
		return fmt.Sprintf([]string{
			"Let a power have %s as its base and %s as its exponent. What is the remainder when it is divided by %s?",
			"Raise %s to the power of %s. What remains after a division by %s?",
			"What is b to the power of e modulo m? Here b is %s, e is %s, and m is %s.",
		}[wording], called[0], called[1], called[2])
	}
	return fmt.Sprintf([]string{
		"Write an expression with the value %s. It may use +, -, *, / and brackets, and each of these numbers once at most, but no others: %s. The answer is the expression, in digits.",
		"Reach %s from these numbers by +, -, *, / and brackets. You may leave numbers out, and use none of them twice. They are: %[2]s. Answer with the expression, written with the numbers themselves.",
		"Find an expression that equals %s. Take its numbers from this list, each at most once: %s. The operations are +, -, * and /, with brackets where you need them. Give the expression itself, in digits.",
	}[wording], n.Target, strings.Join(called, "; "))
}

// Answer implements [toolbox.Start].
func (n numbers) Answer() scenario.Param {
	if n.Kind == target {
		return scenario.Param{Name: "answer", Doc: "the expression, such as (3 + 4) * 5", Type: scenario.Text()}
	}
	return scenario.Param{Name: "answer", Doc: "the number", Type: scenario.Int()}
}

// Canonical implements [toolbox.Start]: the values, as the order in a sum and the names do not matter.
func (n numbers) Canonical() string {
	var all []string
	for _, one := range n.Of {
		all = append(all, fmt.Sprint(one.Value, one.Minus, one.Hop > 0))
	}
	if n.Kind != power {
		slices.Sort(all)
	}
	return n.Kind + " " + n.Target + " " + strings.Join(all, ",")
}

// result returns the answer, unless an expression is asked for.
func (n numbers) result() *big.Int {
	a, b := big.NewInt(n.Of[0].Value), big.NewInt(n.Of[1].Value)
	switch n.Kind {
	case divisor:
		return new(big.Int).GCD(nil, nil, a, b)
	case power:
		return new(big.Int).Exp(a, b, big.NewInt(n.Of[2].Value))
	}
	sum := new(big.Int)
	for _, one := range n.Of {
		if one.Minus {
			sum.Sub(sum, big.NewInt(one.Value))
		} else {
			sum.Add(sum, big.NewInt(one.Value))
		}
	}
	return sum
}

// reaches says why an expression does not reach the target; empty: it does.
func (n numbers) reaches(expression string) string {
	value, used, why := evaluate(expression)
	switch {
	case why != "":
		return why
	case strings.Contains(expression, "mod") || strings.Contains(expression, "%"):
		return "it has mod"
	case value.RatString() != n.Target:
		return fmt.Sprintf("its value is %s, not %s", value.RatString(), n.Target)
	}
	left := map[string]int{}
	for _, one := range n.Of {
		left[strconv.FormatInt(one.Value, 10)]++
	}
	for _, number := range used {
		if left[number]--; left[number] < 0 {
			return fmt.Sprintf("it uses %.20s, which is not there so often", number)
		}
	}
	return ""
}

// World implements [toolbox.Start].
func (n numbers) World() toolbox.World {
	book := map[string]int64{}
	for _, one := range n.Of {
		if one.Hop > 0 {
			book[one.Name], book[strconv.FormatInt(one.Hop, 10)] = one.Hop, one.Value
		} else {
			book[one.Name] = one.Value
		}
	}
	return &register{numbers: n, book: book}
}

// A register is an episode. It has no state.
type register struct {
	numbers
	book map[string]int64
}

// Tools implements [toolbox.World].
func (g *register) Tools() scenario.Kit {
	return scenario.Kit{
		toolbox.Tool("look", "Tell the number behind a name.", []scenario.Param{{Name: "name", Type: scenario.Text()}}, func(in struct{ Name string }) (string, error) {
			value, has := g.book[in.Name]
			if !has {
				return "", scenario.Refusef("argument name: there is no number behind %.40q", in.Name)
			}
			return strconv.FormatInt(value, 10), nil
		}),
		toolbox.Tool("calc", fmt.Sprintf("Compute an expression of whole numbers with + - * / mod and brackets, %d characters at most. Division is exact, and a result that is not whole is a fraction.", maxExpression),
			[]scenario.Param{{Name: "expression", Type: scenario.Text()}}, func(in struct{ Expression string }) (string, error) {
				value, _, why := evaluate(in.Expression)
				if why != "" {
					return "", scenario.Refusef("argument expression: %s", why)
				}
				return value.RatString(), nil
			}),
	}
}

// State implements [toolbox.World].
func (g *register) State() toolbox.State { return nil }

// Untouched implements [toolbox.World].
func (g *register) Untouched() toolbox.State { return nil }

// Mine implements [toolbox.World].
func (g *register) Mine(string) bool { return false }

// Judge implements [toolbox.World].
func (g *register) Judge(answer string) (j toolbox.Judgement) {
	if g.Kind == target {
		j.Answer = g.reaches(answer)
		return j
	}
	want := g.result().String()
	if answer != want {
		j.Answer = fmt.Sprintf("%.40q, not %s", answer, want)
	}
	return j
}

// Plan implements [toolbox.Start].
func (n numbers) Plan() (plan []quintain.ToolCall) {
	for _, one := range n.Of {
		plan = append(plan, toolbox.Call("look", map[string]string{"name": one.Name}))
		if one.Hop > 0 {
			plan = append(plan, toolbox.Call("look", map[string]string{"name": strconv.FormatInt(one.Hop, 10)}))
		}
	}
	for _, expression := range n.work() {
		plan = append(plan, toolbox.Call("calc", map[string]string{"expression": expression}))
	}
	if n.Kind == target {
		return append(plan, toolbox.Call("finish", map[string]string{"answer": n.Steps}))
	}
	return append(plan, toolbox.Call("finish", map[string]*big.Int{"answer": n.result()}))
}

// work returns the expressions that the plan computes.
func (n numbers) work() (all []string) {
	switch n.Kind {
	case divisor:
		for a, b := n.Of[0].Value, n.Of[1].Value; b != 0; a, b = b, a%b {
			all = append(all, fmt.Sprintf("%d mod %d", a, b))
		}
		return all
	case power:
		return n.squares()
	case target:
		return []string{n.Steps}
	}
	sum, expression := int64(0), ""
	for _, one := range n.Of {
		term, value := " + "+text(one.Value), one.Value
		if one.Minus {
			term, value = " - "+text(one.Value), -value
		}
		switch {
		case expression == "":
			term = strings.TrimPrefix(term, " + ")
		case len(expression)+len(term) > maxExpression:
			all = append(all, expression)
			expression = text(sum)
		}
		expression += term
		sum += value
	}
	return append(all, expression)
}

// squares returns the expressions of a power modulo a number, by squaring.
func (n numbers) squares() (all []string) {
	base, exponent, modulus := n.Of[0].Value, n.Of[1].Value, n.Of[2].Value
	x := base
	times := func(by int64) {
		all = append(all, fmt.Sprintf("%d*%d mod %d", x, by, modulus))
		x = x * by % modulus
	}
	for bit := bitsOf(exponent) - 2; bit >= 0; bit-- {
		times(x)
		if exponent>>bit&1 == 1 {
			times(base)
		}
	}
	return all
}

// bitsOf is the number of bits of a positive number.
func bitsOf(n int64) int { return big.NewInt(n).BitLen() }
