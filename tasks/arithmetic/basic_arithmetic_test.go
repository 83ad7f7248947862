package arithmetic

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestBasicArithmeticScore(t *testing.T) {
	item := basicArithmeticItem{NumTerms: 3, NumDigits: 2, Expression: "(12 - 40) * 3"}
	tasktest.Nears(t, basicArithmetic.Scorer(item), []tasktest.Near{
		{"-84", 1, ""},
		{"84", 0, "the sign is lost"},
		{"-84 ", 1, "another spelling"},
		{"-84.0", 1, "another spelling"},
		{"-83", 0, "off by one"},
		{"-108", 0, "the brackets are left out"},
		{"-8", 0, "a digit short"},
		{"(12 - 40) * 3", 0, "the question itself"},
	})
	for _, bad := range []basicArithmeticItem{
		{Expression: "1 +"}, {Expression: "1 / 0"}, {Expression: "9**9**9"}, {Expression: "1 << 2 <"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	if got := (basicArithmeticItem{Expression: "-7 / 2"}).Solve(); got != "-4" {
		t.Errorf("-7 / 2 is %s, want -4 as in reasoning-gym", got)
	}
}

// Every setting has its effect on the expressions.
func TestBasicArithmeticSettings(t *testing.T) {
	for _, test := range []struct{ params, is, isNot string }{
		{`{"allow_parentheses":false,"allow_negation":false}`, `^\d+( [+*/-] \d+)+$`, `[()]`},
		{`{"allow_parentheses":false}`, `-\d`, `[()]`},
		{`{"allow_negation":false,"whitespace":"no_space"}`, `\(\d`, ` |[-+*/(]-`},
		{`{"whitespace":"random"}`, `\d[+*/-] -?\(?\d`, `  `},
		{`{"operators":["/"],"min_digits":3}`, `^-?\(?-?\d+ / `, `[+*]`},
		{`{"operators":["*","/"],"max_digits":18,"min_terms":30,"max_terms":40}`, ` / .* \* .* / `, `[+]`},
		{`{"operators":["-"],"min_digits":4,"allow_negation":false}`, `^\(?\d{4} - `, `[+*/]|\d{5}|\b\d{1,3}\b`},
	} {
		own, err := basicArithmetic.Task().With([]byte(test.params))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for i := range 300 {
			text := tasktest.Made[basicArithmeticItem](t, own, 0, i).Expression
			found = found || regexp.MustCompile(test.is).MatchString(text)
			if regexp.MustCompile(test.isNot).MatchString(text) {
				t.Errorf("%s: %s", test.params, text)
				break
			}
			if _, err := evenValue(text); err != nil {
				t.Errorf("%s: %s: %v", test.params, text, err)
				break
			}
		}
		if !found {
			t.Errorf("%s: nothing like %s", test.params, test.is)
		}
	}
}

// The second solver has Go's parser read the prompt, and finds every division even.
func TestBasicArithmeticSecond(t *testing.T) {
	divisions := 0
	tasktest.Every(t, basicArithmetic.Task(), 1800, func(item basicArithmeticItem, prompt, got string) error {
		from := strings.IndexAny(prompt, "0123456789(-")
		to := strings.LastIndexAny(prompt, "0123456789)")
		text := prompt[from : to+1]
		value, err := evenValue(text)
		if err != nil || value.String() != got || len(regexp.MustCompile(`\d+`).FindAllString(text, -1)) != item.NumTerms {
			return fmt.Errorf("solution %s, want %v; error %v", got, value, err)
		}
		divisions += strings.Count(text, "/")
		return nil
	})
	if divisions < 500 {
		t.Errorf("there are only %d divisions", divisions)
	}
}

// evenValue evaluates an expression of whole numbers; a division with a remainder is an
// error.
func evenValue(text string) (*big.Int, error) {
	// Go reads -- as an operation of its own.
	tree, err := parser.ParseExpr(strings.ReplaceAll(strings.ReplaceAll(text, "--", "- -"), "--", "- -"))
	if err != nil {
		return nil, err
	}
	return evenTree(tree)
}

func evenTree(tree ast.Expr) (*big.Int, error) {
	switch n := tree.(type) {
	case *ast.BasicLit:
		value, _ := new(big.Int).SetString(n.Value, 10)
		return value, nil
	case *ast.ParenExpr:
		return evenTree(n.X)
	case *ast.UnaryExpr:
		value, err := evenTree(n.X)
		if err != nil {
			return nil, err
		}
		return value.Neg(value), nil
	}
	n := tree.(*ast.BinaryExpr)
	x, err := evenTree(n.X)
	if err != nil {
		return nil, err
	}
	y, err := evenTree(n.Y)
	if err != nil {
		return nil, err
	}
	switch n.Op {
	case token.ADD:
		return x.Add(x, y), nil
	case token.SUB:
		return x.Sub(x, y), nil
	case token.MUL:
		return x.Mul(x, y), nil
	}
	if y.Sign() == 0 || new(big.Int).Rem(x, y).Sign() != 0 {
		return nil, fmt.Errorf("%s / %s is not even", x, y)
	}
	return x.Quo(x, y), nil
}

// Division by 1 occurs only if there is nothing else to do.
func TestBasicArithmeticDivides(t *testing.T) {
	ones, all := 0, 0
	for level := range basicArithmetic.Levels {
		for i := range 300 {
			text := tasktest.Made[basicArithmeticItem](t, basicArithmetic.Task(), level, i).Expression
			ones += len(regexp.MustCompile(`/ ?-?1\b`).FindAllString(text, -1))
			all += strings.Count(text, "/")
		}
	}
	if ones > all/50 {
		t.Errorf("%d of %d divisions are by 1", ones, all)
	}
}

func TestBasicArithmeticKeys(t *testing.T) {
	tasktest.Variant(t, basicArithmetic.Task(), "the opposite of the whole", func(p *basicArithmeticItem, _ *rng.Rand) func(string) string {
		p.Expression = "-(" + p.Expression + ")"
		return func(value string) string {
			return strings.TrimPrefix(opposite(value), "-"+strings.Repeat("!", task.Bit(value != "0")))
		}
	})
	tasktest.Variant(t, tasktest.With(t, basicArithmetic.Task(), `{"min_terms":2,"max_terms":3,"operators":["+","-"],"allow_parentheses":false,"allow_negation":false}`), "all signs changed", func(p *basicArithmeticItem, _ *rng.Rand) (translate func(string) string) {
		p.Expression, translate = opposed(p.Expression)
		return translate
	})
	tasktest.Variant(t, basicArithmetic.Task(), "terms and factors exchanged", func(p *basicArithmeticItem, _ *rng.Rand) func(string) string {
		p.Expression = exchanged(p.Expression)
		return nil
	})
	tasktest.Same(t, basicArithmetic.Task(), "space is free", func(b *basicArithmeticItem) {
		b.Expression = strings.ReplaceAll(b.Expression, " ", "")
	})
	tasktest.Same(t, tasktest.With(t, basicArithmetic.Task(), `{"min_terms":2,"max_terms":2}`), "a + b is b + a", func(b *basicArithmeticItem) {
		if x, y, sum := strings.Cut(b.Expression, " + "); sum && !strings.ContainsAny(x+y, "-()") {
			b.Expression = y + " + " + x
		}
	})
}
