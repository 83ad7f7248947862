package numbers

import (
	"fmt"
	"math/big"
	"regexp"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestFractionSimplificationScore(t *testing.T) {
	item := fractionSimplificationItem{
		Numerator: 24, Denominator: 36, SimplifiedNumerator: 2, SimplifiedDenominator: 3, ReductionFactor: 12, Factor: 12, Style: "plain",
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"2/3", 1, ""},
		{" 2 / 3\n", 1, "space is free"},
		{"$2/3$", 1, "so is the style"},
		{`$\frac{2}{3}$`, 1, ""},
		{`\dfrac { 2 } {3}`, 1, ""},
		{`$\FRAC{2}{3}$.`, 1, "a full stop"},
		{`$\frac{2}{3}$ is the answer`, 0, "reasoning-gym reads nothing behind it"},
		{`\frac{2}{3} or \frac{1}{2}`, 0, "two answers"},
		{"+2/03", 1, ""},
		{"24/36", 0, "the question; reasoning-gym pays 0.1"},
		{"12/18", 0, "not in lowest terms; 0.05 there"},
		{"24/3", 0, "half of the question; 0.1 there"},
		{"3/2", 0, "upside down"},
		{"-2/-3", 0, "the same value, not in lowest terms"},
		{"2/3/1", 0, ""},
		{"0.6667", 0, "no fraction; 0.01 there"},
		{`\frac{2}{3`, 0, ""},
		{`\frac{2}`, 0, ""},
		{`\frac23`, 0, ""},
		{`\frac{-2}{-3}`, 0, ""},
		{"the fraction is 2/3", 0, "reasoning-gym pays nothing for it"},
		{"2", 0, ""},
		{"/", 0, ""},
	})
	for _, spoil := range []func(*fractionSimplificationItem){
		func(f *fractionSimplificationItem) { f.Numerator = -24 },
		func(f *fractionSimplificationItem) { f.Denominator = 0 },
		func(f *fractionSimplificationItem) { f.SimplifiedNumerator, f.SimplifiedDenominator = 4, 6 },
		func(f *fractionSimplificationItem) { f.SimplifiedNumerator = 1 },
		func(f *fractionSimplificationItem) { f.Style = "roman" },
		func(f *fractionSimplificationItem) { f.Phrasing = -1 },
	} {
		bad := item
		spoil(&bad)
		if task.Check(item) != nil || task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// If the settings allow few fractions, all of them are made, and none in lowest terms.
func TestFractionSimplificationRange(t *testing.T) {
	r, found := rng.New(3, "fraction"), map[string]bool{}
	for range 3000 {
		item, err := makeFractionSimplification(fractionSimplificationParams{2, 8, 1, 3, []string{"plain"}}, r)
		if err != nil || task.Check(item) != nil || item.Factor < 2 || item.Factor > 3 {
			t.Fatalf("%+v, errors %v, %v", item, err, task.Check(item))
		}
		found[item.Solve()] = true
	}
	const all = 14 // 2/3; 3/4; 2/5 3/5 4/5; 5/6; 2/7 to 6/7; 3/8 5/8 7/8
	if len(found) != all {
		t.Errorf("%d fractions are made: %v", len(found), found)
	}
}

var fractionRE = regexp.MustCompile(`(\d+)(?:/|\}\{)(\d+)`)

// The second solver reads the prompt, and big.Rat reduces.
func TestFractionSimplificationSecond(t *testing.T) {
	tasktest.Second(t, fractionSimplification.Task(), 1200, func(item fractionSimplificationItem, prompt, got string) error {
		asked := fractionRE.FindStringSubmatch(prompt)
		want, ok := new(big.Rat).SetString(asked[1] + "/" + asked[2])
		if !ok {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		if text := fractionRE.FindStringSubmatch(got); want.String() != text[1]+"/"+text[2] {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		if item.Score(asked[0]).Score != 0 {
			return fmt.Errorf("the question %s is its own answer", asked[0])
		}
		return nil
	})
}

func TestFractionSimplificationKeys(t *testing.T) {
	tasktest.Variant(t, fractionSimplification.Task(), "the rest to 1", func(f *fractionSimplificationItem, _ *rng.Rand) func(string) string {
		f.Numerator, f.SimplifiedNumerator = f.Denominator-f.Numerator, f.SimplifiedDenominator-f.SimplifiedNumerator
		return func(string) string { return f.Solve() }
	})
	tasktest.Translated(t, fractionSimplification.Task(), func(_ string, from, to fractionSimplificationItem) string {
		to.SimplifiedDenominator = from.SimplifiedDenominator
		if rest := from.Denominator - from.Numerator; to.Numerator*from.Denominator == rest*to.Denominator {
			to.SimplifiedNumerator = from.SimplifiedDenominator - from.SimplifiedNumerator
		} else {
			to.SimplifiedNumerator = from.SimplifiedNumerator
		}
		return to.Solve()
	})
	tasktest.Variant(t, fractionSimplification.Task(), "in another notation", func(f *fractionSimplificationItem, r *rng.Rand) func(string) string {
		f.Style = rng.Pick(r, []string{"plain", "latex_inline", "latex_frac", "latex_dfrac"})
		return nil
	})
	tasktest.Same(t, fractionSimplification.Task(), "how the fraction is written is free", func(f *fractionSimplificationItem) { f.Style = "latex_dfrac" })
}
