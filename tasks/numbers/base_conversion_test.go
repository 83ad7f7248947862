package numbers

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestBaseConversionScore(t *testing.T) {
	item := baseItem{DecimalValue: 495, SourceBase: 10, TargetBase: 16, SourceRepr: "495", TargetRepr: "1ef"}
	tasktest.Nears(t, baseConversion.Scorer(item), []tasktest.Near{
		{"1ef", 1, ""},
		{"1EF", 0, "lower case was asked for"},
		{"0x1ef", 0, "reasoning-gym pays for any text that contains the answer"},
		{"01ef", 0, ""},
		{" 1ef ", 3. / 5, ""},
		{"495", 0, "the number in base 10"},
		{"1ee", 0, "one off"},
		{"fe1", 0, "backwards"},
		{"1e", 0, "a digit short"},
	})
	zero := baseItem{SourceBase: 7, TargetBase: 5}
	tasktest.Nears(t, baseConversion.Scorer(zero), []tasktest.Near{
		{"0", 1, "the digits of zero; reasoning-gym leaves them out"},
		{"00", 0, ""},
	})
	if err := task.Check(zero); err != nil {
		t.Errorf("zero as reasoning-gym writes it: %v", err)
	}
	for _, bad := range []baseItem{
		{DecimalValue: -1, SourceBase: 2, TargetBase: 3, TargetRepr: "-1"},
		{DecimalValue: 5, SourceBase: 1, TargetBase: 10, TargetRepr: "5"},
		{DecimalValue: 5, SourceBase: 2, TargetBase: 37, TargetRepr: "5"},
		{DecimalValue: 5, SourceBase: 2, TargetBase: 10, TargetRepr: "6"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

var baseConversionRE = regexp.MustCompile(`([0-9a-z]+)(?: from|, a number in| is written in| in| as a number in) base (\d+).*? base (\d+)`)

// The second solver reads the prompt, adds up the digits and writes the sum again.
func TestBaseConversionSecond(t *testing.T) {
	tasktest.Second(t, baseConversion.Task(), 1200, func(_ baseItem, prompt, got string) error {
		asked := baseConversionRE.FindStringSubmatch(prompt)
		if asked == nil {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		source, _ := strconv.Atoi(asked[2])
		target, _ := strconv.Atoi(asked[3])
		n := new(big.Int)
		for _, c := range asked[1] {
			d := int64(c - '0')
			if c >= 'a' {
				d = int64(c-'a') + 10
			}
			n.Add(n.Mul(n, big.NewInt(int64(source))), big.NewInt(d))
		}
		if want := n.Text(target); got != want || source == target {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

func TestBaseConversionKeys(t *testing.T) {
	tasktest.Variant(t, baseConversion.Task(), "the bases exchanged", func(b *baseItem, _ *rng.Rand) func(string) string {
		b.SourceBase, b.TargetBase, b.SourceRepr, b.TargetRepr = b.TargetBase, b.SourceBase, b.TargetRepr, b.SourceRepr
		return func(string) string { return b.TargetRepr }
	})
	tasktest.Translated(t, baseConversion.Task(), func(solution string, from, to baseItem) string {
		if from.SourceBase != to.SourceBase {
			return from.SourceRepr
		}
		return solution
	})
	tasktest.Other(t, baseConversion.Task(), "another base", func(b *baseItem) {
		b.SourceBase = 36
		b.SourceRepr = strconv.FormatInt(b.DecimalValue, 36)
	})
}
