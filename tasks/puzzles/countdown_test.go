package puzzles

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestCountdownScore(t *testing.T) {
	item := countdownItem{Numbers: []int64{31, 91, 42, 39}, Target: 119, Expression: "91 + 39 + 31 - 42"}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"31 + 39 - 42 + 91", 1, ""},
		{"31+39-42+91", 1, "space is free"},
		{"\n31\t+ 39  - 42 + 91 \n", 1, ""},
		{"(31 + 39 - 42 + 91)", 1, "brackets are free"},
		{"+31 + 39 - (42 - 91)", 1, "signs too"},
		{"-42 + 31 - -39 + 91", 1, ""},
		{"31 + 39 - 42 + 91.", 1, "a full stop"},
		{"(31 +\n39) - 42 + 91", 1, "a new line in brackets"},
		{"31 + 39\n - 42 + 91", 0, "a new line outside of them"},
		{"0", 0, "and 0.05 for any expression"},
		{"119", 0, "the target alone"},
		{"31 + 91 + 42 + 39", 0, "another value"},
		{"31 + 39 + 49", 0, "a number not given"},
		{"31 + 39 + 91 - 42 + 31 - 31", 0, "a number used twice"},
		{"91 + 39 + 31", 0, "a number left out"},
		{"31 + 39 - 42 + 91 = 119", 0, "an equation"},
		{"31 + 39 - 42 + 91 or 91 + 39 + 31 - 42", 0, "two answers"},
		{"(31 + 91 + 42 + 39)*0x0 + 0x77", 0, "numbers hidden in another notation"},
		{"119e0 # 31 91 42 39", 0, "numbers named in a comment"},
		{"1_1_9 + 0*(31 + 91 + 42 + 39)", 0, "numbers hidden by underscores"},
		{"True*119 if 1 else 31 + 91 + 42 + 39", 0, "code"},
		{"sign(31)*119 + 0*(91 + 42 + 39)", 0, "functions"},
		{"31/0 + 91 + 42 + 39", 0, "a zero not given"},
		{"91/(42 - 42) + 31 + 39", 0, ""},
		{"'31 + 39 - 42 + 91'", 0, "a string"},
		{"31 + 39 − 42 + 91", 0, "the typographer's minus"},
		{"31 + 39 - 42 + 91 + x - x", 0, "symbols that cancel"},
		{"031 + 39 - 42 + 91", 0, "a leading zero"},
		{"11**11**11**11", 0, "a tower of powers"},
	})
	tasktest.Nears(t, countdownItem{Numbers: []int64{3, 3, 8, 8}, Target: 24}.Score, []tasktest.Near{
		{"8/(3 - 8/3)", 1, "fractions on the way"},
		{"8/(3 - 3) + 8*8", 0, "no value"},
		{"8/(3 - 2.6667)", 0, "a rounded number"},
	})
	tasktest.Nears(t, countdownItem{Numbers: []int64{1, 20, 10000}, Target: 10000}.Score, []tasktest.Near{
		{"10000 + 1/20", 0, "reasoning-gym accepts near values here"},
		{"10000*20 - 1", 0, ""},
	})
	tasktest.Nears(t, countdownItem{Numbers: []int64{2, 3, 5}, Target: 12}.Score, []tasktest.Near{
		{"(2*3)*(5 - 3)", 0, "3 twice for 2"},
		{"23 - 5", 0, "digits glued"},
		{"2.5*3", 0, "numbers glued by a point"},
		{"2**3 + 5", 0, "a power"},
		{"5!/(2*3) - 2*4", 0, "a factorial"},
		{"25//2 - 0*3", 0, ""},
	})
	big := countdownItem{Numbers: []int64{1 << 40, 1 << 40, 1 << 40, 1 << 41}, Target: 1 << 39}
	tasktest.Nears(t, big.Score, []tasktest.Near{
		{"1099511627776*1099511627776/(1099511627776+1099511627776*0)", 0, "a number not given"},
		{"1099511627776*1099511627776/2199023255552/1099511627776", 0, "one half"},
		{"1099511627776*1099511627776/2199023255552", 0, "a number left out"},
	})
}

// Unusual settings give solvable problems, or an error with the reason.
func TestCountdownOperators(t *testing.T) {
	for _, params := range []string{`{"operators":["-"],"max_numbers":4,"min_target":1}`, `{"operators":["+"],"min_target":5}`, `{"operators":["*","+"]}`, `{}`} {
		own, err := countdown.Task().With(json.RawMessage(params))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			p, err := own.Problem(quintain.Draw{Index: i})
			if err != nil {
				t.Fatal(err)
			}
			if v, err := own.Grade(p, mustSolve(t, own, p)); err != nil || v != quintain.Right() {
				t.Errorf("params %s: %s: own solution gets %+v, %v", params, p.Instance, v, err)
			}
		}
	}
	out, err := countdown.Task().With(json.RawMessage(`{"min_target":1000000,"max_target":1000000,"max_value":2,"operators":["+"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := out.Problem(quintain.Draw{}); err == nil || !strings.Contains(err.Error(), "min_target") {
		t.Errorf("a target out of reach gives %s, %v, want an error that names min_target", p.Instance, err)
	}
}

func mustSolve(t *testing.T, task quintain.Task, p quintain.Problem) string {
	t.Helper()
	answer, err := task.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestCountdownCheck(t *testing.T) {
	for _, record := range []string{
		`{"numbers":[],"target":1,"expression":"1"}`,
		`{"numbers":[-1],"target":1,"expression":"1"}`,
		`{"numbers":[1.5],"target":1,"expression":"1"}`,
		`{"numbers":[1],"target":1,"expression":"1","phrasing":99}`,
	} {
		p := quintain.Problem{Task: "countdown", Instance: quintain.RawRecord([]byte(record))}
		if v, err := countdown.Task().Grade(p, "1"); err == nil {
			t.Errorf("record %s: verdict %+v, want an error", record, v)
		}
	}
}

var digitsRE = regexp.MustCompile(`\d+`)

// The second solver reads numbers and target from the prompt, and has Go's own parser read
// the solution.
func TestCountdownSecond(t *testing.T) {
	tasktest.Second(t, countdown.Task(), 1500, func(item countdownItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, "You may use")
		asked := digitsRE.FindAllString(question, -1)
		if target := strconv.FormatInt(item.Target, 10); asked[0] != target {
			return fmt.Errorf("the prompt's target is %s, want %s", asked[0], target)
		}
		tree, err := parser.ParseExpr(got)
		if err != nil {
			return err
		}
		var used []string
		value, err := evaluate(tree, &used)
		if err != nil {
			return err
		}
		given := slices.Clone(asked[1:])
		slices.Sort(given)
		slices.Sort(used)
		if !slices.Equal(given, used) {
			return fmt.Errorf("%q uses %v, want %v", got, used, given)
		}
		if value.RatString() != asked[0] {
			return fmt.Errorf("%q is worth %s", got, value.RatString())
		}
		sum := int64(0)
		for _, n := range item.Numbers {
			sum += n
		}
		if sum == item.Target {
			return fmt.Errorf("the target is just the sum")
		}
		return nil
	})
}

// evaluate evaluates an expression and collects its numbers. Every step must be a positive
// whole number.
func evaluate(e ast.Expr, used *[]string) (*big.Rat, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return evaluate(e.X, used)
	case *ast.BasicLit:
		*used = append(*used, e.Value)
		v, _ := new(big.Rat).SetString(e.Value)
		return v, nil
	case *ast.BinaryExpr:
		x, err := evaluate(e.X, used)
		if err != nil {
			return nil, err
		}
		y, err := evaluate(e.Y, used)
		if err != nil {
			return nil, err
		}
		z := map[token.Token]func(x, y *big.Rat) *big.Rat{
			token.ADD: new(big.Rat).Add, token.SUB: new(big.Rat).Sub, token.MUL: new(big.Rat).Mul, token.QUO: new(big.Rat).Quo,
		}[e.Op](x, y)
		if !z.IsInt() || z.Sign() <= 0 {
			return nil, fmt.Errorf("a step gives %s", z.RatString())
		}
		return z, nil
	}
	return nil, fmt.Errorf("%T in the expression", e)
}

func TestCountdownKeys(t *testing.T) {
	tasktest.Variant(t, countdown.Task(), "the numbers in another order", func(c *countdownItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, c.Numbers)
		return nil
	})
	tasktest.Same(t, countdown.Task(), "the solution in the record does not matter", func(c *countdownItem) { c.Expression = "(" + c.Expression + ")" })
}
