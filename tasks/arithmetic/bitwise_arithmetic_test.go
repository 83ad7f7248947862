package arithmetic

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestBitwiseArithmeticScore(t *testing.T) {
	item := bitwiseArithmeticItem{Problem: "((0x10 - 0x3f) >> 0x2)"}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"-0xc", 1, ""},
		{" -0XC\n", 1, "space and case are free"},
		{"-0x000c", 1, "so are zeros in front"},
		{"-12", 1, "reasoning-gym takes other bases"},
		{"-0b1100", 1, ""},
		{"-0o14", 1, ""},
		{"0xc", 0, "the sign is lost"},
		{"-0xb", 0, "rounded towards zero"},
		{"0xfffffff4", 0, "two's complement"},
		{"-c", 0, "the prefix is missing"},
		{"the value is -0xc", 0, "reasoning-gym pays nothing here"},
		{"((0x10 - 0x3f) >> 0x2)", 0, "the question itself"},
		{"-0x6 * 0x2", 0, "nothing is worked out"},
	})
	for _, bad := range []bitwiseArithmeticItem{
		{Problem: "0x1 +"}, {Problem: "__import__('os')"}, {Problem: "12"}, {Problem: "0x"}, {Problem: "(0x1 << 0x41)"},
		{Problem: "0x1" + strings.Repeat(" << 0x40", 300)},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%.60v is accepted", bad)
		}
	}
	large := bitwiseArithmeticItem{Problem: "0x1" + strings.Repeat("0", 4000)}
	if v := large.Score(large.Solve()); v.Score != 1 || task.Check(large) != nil {
		t.Errorf("a large number: %+v", v)
	}
}

// The second solver has Go's compiler read the prompt: its constants are exact.
func TestBitwiseArithmeticSecond(t *testing.T) {
	tasktest.Second(t, bitwiseArithmetic.Task(), 1200, func(_ bitwiseArithmeticItem, prompt, got string) error {
		text := strings.Split(prompt, "\n\n")[1]
		value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
		if err != nil {
			return err
		}
		want := fmt.Sprintf("0x%x", constant.Val(constant.UnaryOp(token.ADD, value.Value, 0)))
		if constant.Sign(value.Value) < 0 {
			want = fmt.Sprintf("-0x%x", constant.Val(constant.UnaryOp(token.SUB, value.Value, 0)))
		}
		if got != want {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

func TestBitwiseArithmeticKeys(t *testing.T) {
	tasktest.Variant(t, bitwiseArithmetic.Task(), "terms and factors exchanged", func(p *bitwiseArithmeticItem, _ *rng.Rand) func(string) string {
		p.Problem = exchanged(p.Problem)
		return nil
	})
}
