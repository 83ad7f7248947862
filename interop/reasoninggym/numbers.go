package reasoninggym

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// sameNumber takes the number in any decimal spelling, with commas anywhere; else the share
// of a text that contains it.
func sameNumber(of *item, got string) float64 {
	if got == "" {
		return 0
	}
	got, want := strings.ReplaceAll(got, ",", ""), strings.ReplaceAll(of.oracle, ",", "")
	if same, _ := answer.SameDecimal(got, want); same {
		return 1
	}
	if !strings.Contains(got, want) {
		return 0
	}
	return answer.Share(want, got)
}

// sameDecimal takes the number in any decimal spelling.
func sameDecimal(of *item, got string) float64 {
	same, _ := answer.SameDecimal(answer.Trim(got), of.oracle)
	return oneIf(same, 0)
}

// nearDecimal takes numbers nearer than the last decimal place of the most precise problem.
func nearDecimal(of *item, got string) float64 {
	var m struct {
		Difficulty struct {
			Places []int `json:"decimal_places"`
		} `json:"difficulty"`
	}
	m.Difficulty.Places = []int{3}
	x, isX := readRat(got)
	y, isY := readRat(of.oracle)
	if !of.read(&m) || !isX || !isY {
		return 0
	}
	places := slices.Max(append(m.Difficulty.Places, 0))
	if places > 1000 {
		return of.spoil("difficulty.decimal_places is too large")
	}
	// The difference is rounded to 28 digits before it is compared.
	most := new(big.Rat).SetFrac(big.NewInt(1), power10(places))
	rounded := new(big.Rat).SetFrac(new(big.Int).Add(power10(28), big.NewInt(5)), power10(28))
	difference := x.Sub(x, y)
	return oneIf(difference.Abs(difference).Cmp(most.Mul(most, rounded)) <= 0, 0)
}

// power10 returns 10 to the power of n.
func power10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// readRat reads a decimal number. One with more than 10,000 digits before or after the point
// is refused.
func readRat(text string) (*big.Rat, bool) {
	const most = 10_000
	d, ok := answer.ReadDecimal(text)
	if !ok || d.Exp > most || d.Exp < -most || len(d.Digits) > most {
		return nil, false
	}
	n, _ := new(big.Int).SetString("0"+d.Digits, 10)
	if d.Neg {
		n.Neg(n)
	}
	if d.Exp < 0 {
		return new(big.Rat).SetFrac(n, power10(int(-d.Exp))), true
	}
	return new(big.Rat).SetInt(n.Mul(n, power10(int(d.Exp)))), true
}

// bitwise takes the value of the problem in any base.
func bitwise(of *item, got string) float64 {
	n, ok := answer.ReadInteger(got)
	if !ok {
		return 0
	}
	var m struct {
		Problem string `json:"problem"`
	}
	if !of.read(&m) {
		return 0
	}
	want, ok := symPyWhole(m.Problem)
	if !ok {
		return of.spoil("problem is not a formula")
	}
	return oneIf(n.Cmp(want) == 0, 0)
}

// complexNumber pays less with the distance from the right number. nan is at no distance.
func complexNumber(of *item, got string) float64 {
	var m struct {
		Result [2]float64 `json:"result"`
	}
	re, im, ok := readComplex(got)
	if !of.read(&m) || !ok {
		return 0
	}
	d := math.Hypot(re-m.Result[0], im-m.Result[1])
	if math.IsNaN(d) {
		return 1
	}
	return math.Exp(-d)
}

// readComplex reads a complex number; the unit is i or j.
func readComplex(text string) (re, im float64, ok bool) {
	text = pyLower(strings.ReplaceAll(text, " ", ""))
	for len(text) > 1 && text[0] == '(' && text[len(text)-1] == ')' {
		text = text[1 : len(text)-1]
	}
	text = strings.ReplaceAll(text, "i", "j")
	if !strings.Contains(text, "j") {
		re, ok = pyReadFloat(text)
		return re, 0, ok
	}
	number, unit := strings.CutSuffix(text, "j")
	if !unit {
		return 0, 0, false
	}
	split := len(number) - 1
	for ; split > 0; split-- {
		if (number[split] == '+' || number[split] == '-') && number[split-1] != 'e' {
			break
		}
	}
	if split > 0 {
		if re, ok = pyReadFloat(number[:split]); !ok {
			return 0, 0, false
		}
		number = number[split:]
	}
	switch number {
	case "", "+":
		return re, 1, true
	case "-":
		return re, -1, true
	}
	im, ok = pyReadFloat(number)
	return re, im, ok
}

// firstNumber compares the first number of a text. A minus counts only after a word.
func firstNumber(of *item, got string) float64 {
	want, ok := pyReadFloat(of.oracle)
	first, found := findNumber(got)
	if !ok || !found {
		return 0
	}
	return oneIf(first == want, 0.01)
}

// findNumber returns the first number that stands alone.
func findNumber(text string) (float64, bool) {
	letters := []rune(text)
	at := func(i int) rune {
		if i < 0 || i >= len(letters) {
			return ' '
		}
		return letters[i]
	}
	border := func(i int) bool { return pyInWord(at(i-1)) != pyInWord(at(i)) }
	digits := func(i int) int {
		for unicode15.Digit(at(i)) >= 0 {
			i++
		}
		return i
	}
	for i := range letters {
		if !border(i) {
			continue
		}
		first := i
		if at(i) == '-' {
			first++
		}
		whole := digits(first)
		if whole == first {
			continue
		}
		for _, end := range []int{digits(whole + 1), whole} {
			if end != whole && (at(whole) != '.' || end == whole+1) || !border(end) {
				continue
			}
			return pyReadFloat(string(letters[i:end]))
		}
	}
	return 0, false
}

// formatted takes numbers near the right one, with commas anywhere.
func formatted(of *item, got string) float64 {
	var m struct {
		Solution float64 `json:"solution"`
	}
	x, ok := pyReadFloat(strings.ReplaceAll(answer.Trim(got), ",", ""))
	if !of.read(&m) || !ok {
		return 0
	}
	return oneIf(math.Abs(x-m.Solution) < 0.01, 0)
}

// threeDigits compares numbers rounded to three digits.
func threeDigits(of *item, got string) float64 {
	x, isX := answer.ReadDecimal(got)
	y, isY := answer.ReadDecimal(of.oracle)
	return oneIf(isX && isY && roundDecimal(x) == roundDecimal(y), 0.01)
}

// roundDecimal rounds to three digits, and halves to even.
func roundDecimal(d answer.Decimal) answer.Decimal {
	const digits = 3
	if len(d.Digits) <= digits {
		return d
	}
	n, _ := new(big.Int).SetString(d.Digits[:digits], 10)
	rest := d.Digits[digits:]
	if rest[0] > '5' || rest[0] == '5' && (len(rest) > 1 || n.Bit(0) == 1) {
		n.Add(n, big.NewInt(1))
	}
	text := n.String()
	d.Exp += int64(len(rest))
	d.Digits = strings.TrimRight(text, "0")
	d.Exp += int64(len(text) - len(d.Digits))
	return d
}

// factors takes the prime factors in any order, and pays half for other factors.
func factors(of *item, got string) float64 {
	wanted, ok := readFactors(of.oracle)
	if !ok {
		return 0
	}
	found, ok := readFactors(got)
	switch {
	case !ok:
		return 0
	case slices.EqualFunc(found, wanted, func(a, b *big.Int) bool { return a.Cmp(b) == 0 }):
		return 1
	case product(found).Cmp(product(wanted)) == 0:
		return 0.5
	}
	return 0.01
}

// readFactors returns the numbers between signs of multiplication, sorted.
func readFactors(text string) (all []*big.Int, ok bool) {
	for part := range strings.SplitSeq(text, "×") {
		if answer.Trim(part) == "" {
			continue
		}
		n, is := pyReadInt(part)
		if !is {
			return nil, false
		}
		all = append(all, n)
	}
	slices.SortFunc(all, (*big.Int).Cmp)
	return all, true
}

// product multiplies numbers, as long as the result is short.
func product(all []*big.Int) *big.Int {
	const most = 4096 // bits: no question has as many
	p := big.NewInt(1)
	for _, n := range all {
		if n.Sign() == 0 {
			return new(big.Int)
		}
		if p.BitLen() < most {
			p.Mul(p, n)
		}
	}
	return p
}

// nearCount pays less with the distance from the right number.
func nearCount(of *item, got string) float64 {
	n, isN := pyReadInt(got)
	want, isWant := pyReadInt(of.oracle)
	if !isN || !isWant {
		return 0
	}
	d := new(big.Int).Sub(n, want)
	switch {
	case d.Sign() == 0:
		return 1
	case d.CmpAbs(big.NewInt(5)) >= 0:
		return 0
	}
	return 0.8 * (1 - math.Abs(float64(d.Int64()))/5)
}

// roots pays for each number near a stored one, and takes off for missing and further ones.
func roots(of *item, got string) float64 {
	wanted, found := readRoots(of.oracle), readRoots(got)
	if len(wanted) == 0 && len(found) == 0 {
		return 1
	}
	sum, matched, extra := 0.0, 0, 0
	for _, x := range found {
		best, least := 0, math.Inf(1)
		for i, w := range wanted {
			if d := math.Abs(x - w); d < least {
				best, least = i, d
			}
		}
		if math.IsInf(least, 1) { // x is no number, or there is none left
			extra++
			continue
		}
		wanted = slices.Delete(wanted, best, best+1)
		sum += math.Exp(-10 * least)
		matched++
	}
	if matched > 0 {
		sum /= float64(matched)
	}
	return sum - 0.5*float64(len(wanted)+extra)
}

// readRoots returns the numbers between commas, sorted.
func readRoots(text string) (all []float64) {
	for part := range strings.SplitSeq(text, ",") {
		if x, ok := pyReadFloat(part); ok {
			all = append(all, x)
		}
	}
	slices.Sort(all)
	return all
}
