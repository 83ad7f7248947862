package arithmetic

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestDecimalArithmeticScore(t *testing.T) {
	item := decimalArithmeticItem{DecimalPlaces: 3, NumTerms: 3, Expression: "6.5 * (1.25 - 3.001)", Precision: 12} // -11.3815
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"-11.3815", 1, ""},
		{" -11.38150\n", 1, ""},
		{"-1.13815e1", 1, "other spellings of the same number"},
		{"-11.381", 1, "cut off"},
		{"-11.382", 1, "rounded"},
		{"-11.38149", 1, "more places than were asked for"},
		{"-11.3825", 0, "off by one in the third place; enough for reasoning-gym"},
		{"-11.38201", 0, "off by more than half of one"},
		{"-11.38", 0, "two places"},
		{"11.3815", 0, "the sign is lost"},
		{"5.124", 0, "the brackets are left out"},
		{"-11,3815", 0, "a comma for the point"},
		{"-22763/2000", 0, "a fraction"},
		{"about -11.3815", 0, "reasoning-gym pays nothing here"},
		{"6.5 * (1.25 - 3.001)", 0, "the question itself"},
	})
	for _, bad := range []decimalArithmeticItem{
		{Expression: "1 / 0", Precision: 9},
		{Expression: "1", Precision: 0},
		{Expression: "1", Precision: mostPrecision + 1},
		{Expression: "1", Precision: 9, DecimalPlaces: -1},
		{Expression: "1", Precision: 9, DecimalPlaces: mostPrecision + 1},
		{Expression: "1" + strings.Repeat("0", mostDecimal), Precision: 9},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%.60v is accepted", bad)
		}
	}
}

func TestDecimalArithmeticParams(t *testing.T) {
	tasktest.Refused(t, decimalArithmetic.Task(), map[string]string{
		`{"min_num_decimal_places":-1}`:                "min_num_decimal_places",
		`{"min_num_decimal_places":4}`:                 "max_num_decimal_places",
		`{"max_num_decimal_places":18}`:                "max_num_decimal_places",
		`{"min_terms":0}`:                              "min_terms",
		`{"max_terms":1}`:                              "max_terms",
		`{"max_terms":51}`:                             "max_terms",
		`{"precision":4}`:                              "precision",
		`{"precision":101,"max_num_decimal_places":3}`: "precision",
	})
}

// An entry of reasoning-gym has its expression in the question.
func TestDecimalArithmeticFromQuestion(t *testing.T) {
	entry := quintain.Problem{
		Task: "decimal_arithmetic", Level: quintain.OwnParams,
		Prompt:   "Solve this to a maximum of 12 significant digits, please.\n(6.418+8.257/(3.762*8.423)) = ?",
		Instance: quintain.RawRecord([]byte(`{"decimal_places":3,"num_terms":4}`)),
	}
	of := decimalArithmetic
	if got, err := of.Task().Solve(entry); got != "6.67857736775" || err != nil {
		t.Errorf("solution %q, error %v", got, err)
	}
	if v, err := of.Task().Grade(entry, "6.679"); v.Score != 1 || err != nil {
		t.Errorf("verdict %+v, error %v", v, err)
	}
	for _, prompt := range []string{"", "1 + 2 = ?", "a maximum of ten digits\n1 + 2 = ?", "a maximum of 10 digits\n1 + = ?", "a maximum of 10 digits\n9**9**9 = ?"} {
		entry.Prompt = prompt
		if v, err := of.Task().Grade(entry, "3"); err == nil {
			t.Errorf("%q: verdict %+v, want an error", prompt, v)
		}
	}
}

var decimalAskedRE = regexp.MustCompile(`^(?:Work out|What is|Calculate|A calculator is given|Find the value of|To which number does) ([-+*/(). \d]*[\d)])(?:[.?]| come\?) .* rounded to (\d+) decimal places? or more, .*\.$`)

// The second solver has Go's compiler read the prompt: its constants are exact.
func TestDecimalArithmeticSecond(t *testing.T) {
	tasktest.Second(t, decimalArithmetic.Task(), 1200, func(_ decimalArithmeticItem, prompt, got string) error {
		asked := decimalAskedRE.FindStringSubmatch(prompt)
		if asked == nil {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		off, err := types.Eval(token.NewFileSet(), nil, token.NoPos, "("+asked[1]+")-("+got+")")
		if err != nil {
			return err
		}
		most, err := types.Eval(token.NewFileSet(), nil, token.NoPos, "1e-"+asked[2]+"/10.0") // a fifth of the tolerance
		if err != nil {
			return err
		}
		far := off.Value
		if constant.Sign(far) < 0 {
			far = constant.UnaryOp(token.SUB, far, 0)
		}
		if !constant.Compare(far, token.LEQ, most.Value) {
			return fmt.Errorf("solution %s is off by %s", got, far)
		}
		return nil
	})
}

func TestDecimalArithmeticKeys(t *testing.T) {
	tasktest.Variant(t, decimalArithmetic.Task(), "terms and factors exchanged", func(p *decimalArithmeticItem, _ *rng.Rand) func(string) string {
		p.Expression = exchanged(p.Expression)
		return nil
	})
}
