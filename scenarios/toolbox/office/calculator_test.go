package office

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

func TestExpressions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want, fault string }{
		{"1 + 2 * 3", "7", ""},
		{"(1+2)*3 - -4", "13", ""},
		{"10 / 4", "5/2", ""},
		{"7 − 2 × 3 ÷ 6", "6", ""},
		{"17 mod 5 * 2", "4", ""},
		{"17%5", "2", ""},
		{"-7 mod 5", "3", ""},
		{"99999999*99999999*99999999", "999999970000000299999999", ""},
		{"", "", "it ends too early"},
		{"1 +", "", "it ends too early"},
		{"(1", "", "it ends too early"},
		{"1 2", "", `"2" is not understood`},
		{"2 ** 3", "", `"* 3" is not understood`},
		{"1.5", "", `".5" is not understood`},
		{"１ + 2", "", "is not understood"},
		{"x + 1", "", `"x + 1" is not understood`},
		{"1e9", "", `"e9" is not understood`},
		{"1 / (2 - 2)", "", "it divides by 0"},
		{"1/2 mod 3", "", "mod takes whole numbers"},
		{"5 mod -3", "", "mod takes a modulus above 0"},
		{"5 mod 0", "", "mod takes a modulus above 0"},
		{strings.Repeat("(", 41), "", "has 41 characters, at most 40 are allowed"},
		{strings.Repeat("-", 40), "", "it ends too early"},
	} {
		value, _, why := evaluate(test.text)
		if !strings.Contains(why, test.fault) || (why == "") != (test.fault == "") || why == "" && value.RatString() != test.want {
			t.Errorf("%q: %v, %q, want %s %s", test.text, value, why, test.want, test.fault)
		}
	}
}

// TestExpressionsAreTrees writes drawn trees with as few brackets as needed, and compares their values.
func TestExpressionsAreTrees(t *testing.T) {
	t.Parallel()
	r := rng.New(1, "trees")
	compared := 0
	for range 20_000 {
		text, want, _ := drawTree(r, 3)
		if len(text) > maxExpression {
			continue
		}
		compared++
		got, _, why := evaluate(text)
		if (want == nil) != (why != "") || want != nil && got.Cmp(want) != 0 {
			t.Fatalf("%q: %v, %q, want %v", text, got, why, want)
		}
	}
	if compared < 5000 {
		t.Errorf("%d were compared", compared)
	}
}

// drawTree draws an expression with its value, nil if it has none, and how tightly it binds.
func drawTree(r *rng.Rand, depth int) (text string, value *big.Rat, binds int) {
	if depth == 0 || r.Chance(0.2) {
		n := r.Between64(0, 99)
		return fmt.Sprint(n), big.NewRat(n, 1), 3
	}
	op := rng.Pick(r, []string{"+", "-", "*", "/", "mod"})
	binds = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "mod": 2}[op]
	left, a, leftBinds := drawTree(r, depth-1)
	right, b, rightBinds := drawTree(r, depth-1)
	if leftBinds < binds {
		left = "(" + left + ")"
	}
	if rightBinds <= binds {
		right = "(" + right + ")"
	}
	return left + " " + op + " " + right, apply(op, a, b), binds
}

// apply applies an operator; nil: there is no value.
func apply(op string, a, b *big.Rat) *big.Rat {
	if a == nil || b == nil {
		return nil
	}
	switch op {
	case "+":
		return new(big.Rat).Add(a, b)
	case "-":
		return new(big.Rat).Sub(a, b)
	case "*":
		return new(big.Rat).Mul(a, b)
	case "/":
		if b.Sign() == 0 {
			return nil
		}
		return new(big.Rat).Mul(a, new(big.Rat).Inv(b))
	}
	if !a.IsInt() || !b.IsInt() || b.Sign() <= 0 {
		return nil
	}
	_, m := new(big.Int).DivMod(a.Num(), b.Num(), new(big.Int))
	return new(big.Rat).SetInt(m)
}

func FuzzEvaluate(f *testing.F) {
	for _, text := range []string{"1 + 2", "((3)) mod 2", "−1÷0", "4 % 3", "(((((((((((((((((((((((((((((((((((((((("} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, numbers, why := evaluate(text)
		if (value == nil) == (why == "") || len(numbers) > maxExpression {
			t.Errorf("%q: %v, %v, %q", text, value, numbers, why)
		}
	})
}

// The plan computes what math/big says: the last result before finish is the answer; of divisions, the
// last but one, as the last leaves 0.
func TestQuestionsAgreeWithMathBig(t *testing.T) {
	t.Parallel()
	for level, p := range calculator.Levels {
		for i := range 100 {
			n, err := makeNumbers(p, rng.New(uint64(i), fmt.Sprint(level)))
			if err != nil {
				t.Fatal(err)
			}
			plan := n.Plan()
			if plan = plan[:len(plan)-1]; n.Kind == divisor {
				plan = plan[:len(plan)-1]
			}
			w, last := made(t, n, plan...)
			want := n.Target
			if n.Kind != target {
				want = n.result().String()
			}
			if last != want {
				t.Errorf("%+v: the plan ends with %s, want %s", n, last, want)
			}
			if j := w.Judge(want + "1"); j.Answer == "" {
				t.Errorf("%+v: the answer %s1 is taken", n, want)
			}
		}
	}
}

func TestTargetsAreReached(t *testing.T) {
	t.Parallel()
	n := numbers{Kind: target, Target: "24", Of: []named{{Name: "amber", Value: 3}, {Name: "birch", Value: 8}, {Name: "cedar", Value: 9}}}
	for _, test := range []struct{ answer, why string }{
		{"3 * 8", ""},
		{"8*9/3", ""},
		{"24", "it uses 24, which is not there so often"},
		{"3 * 3 + 9 + 9 - 3", "it uses 3, which is not there so often"},
		{"3 + 8", "its value is 11, not 24"},
		{"8 * 9 mod 3 + 24", "it has mod"},
		{"3 × 8", ""},
		{"three times eight", "is not understood"},
		{"", "it ends too early"},
	} {
		if why := n.reaches(test.answer); !strings.Contains(why, test.why) || (why == "") != (test.why == "") {
			t.Errorf("%q: %q, want %q", test.answer, why, test.why)
		}
	}
}
