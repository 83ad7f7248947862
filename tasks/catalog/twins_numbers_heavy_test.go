//go:build heavy

package catalog_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// scaled reads decimal numbers, and divides them by the power of ten that all share.
func scaled(numbers ...string) (whole []*big.Int) {
	const places = 20
	for _, text := range numbers {
		before, after, _ := strings.Cut(text, ".")
		n, _ := new(big.Int).SetString(before+after+strings.Repeat("0", places-len(after)), 10)
		whole = append(whole, n)
	}
	ten, some := big.NewInt(10), slices.ContainsFunc(whole, func(n *big.Int) bool { return n.Sign() != 0 })
	divides := func(n *big.Int) bool { return new(big.Int).Rem(n, ten).Sign() == 0 }
	for some && !slices.ContainsFunc(whole, func(n *big.Int) bool { return !divides(n) }) {
		for _, n := range whole {
			n.Quo(n, ten)
		}
	}
	return whole
}

// opposites returns the lesser text of numbers in order, and of their opposites.
func opposites(numbers []*big.Int) string {
	order := func() string {
		slices.SortFunc(numbers, (*big.Int).Cmp)
		return fmt.Sprint(numbers)
	}
	one := order()
	for _, n := range numbers {
		n.Neg(n)
	}
	return min(one, order())
}

// termRE matches a number after its sign, in a chain without spaces.
var termRE = regexp.MustCompile(`([+-]+)([0-9.]+)`)

// chainForm knows sums alone.
func chainForm(r record) string {
	var of struct{ Expression string }
	read(r, &of)
	text := strings.ReplaceAll(of.Expression, " ", "")
	if strings.ContainsAny(text, "*/()") {
		return text
	}
	var numbers []string
	for _, term := range termRE.FindAllStringSubmatch("+"+text, -1) {
		sign := strings.Repeat("-", strings.Count(term[1], "-")%2)
		numbers = append(numbers, sign+term[2])
	}
	return opposites(scaled(numbers...))
}

// read decodes fields of a record.
func read(r record, fields any) {
	if err := json.Unmarshal([]byte(r.raw), fields); err != nil {
		panic(err)
	}
}

func listForm(r record) string {
	var of struct{ Numbers []json.Number }
	read(r, &of)
	var texts []string
	for _, n := range of.Numbers {
		texts = append(texts, n.String())
	}
	return opposites(scaled(texts...))
}

func sortingForm(r record) string {
	var of struct {
		Numbers []string `json:"original_numbers"`
	}
	read(r, &of)
	return opposites(scaled(of.Numbers...))
}

// filterForm keeps the limit at its place.
func filterForm(r record) string {
	var of struct {
		Numbers []string `json:"original_numbers"`
		Limit   string   `json:"filter_value"`
	}
	read(r, &of)
	all := scaled(append(of.Numbers, of.Limit)...)
	last := len(all) - 1
	text := func() string {
		list := slices.SortedFunc(slices.Values(all[:last]), (*big.Int).Cmp)
		return fmt.Sprint(list, all[last])
	}
	one := text()
	for _, n := range all {
		n.Neg(n)
	}
	return min(one, text())
}

func productForm(r record) string {
	var of struct{ Expression string }
	read(r, &of)
	factors := strings.Split(of.Expression, " * ")
	for i, f := range factors {
		factors[i] = strings.Trim(f, "-0")
	}
	slices.Sort(factors)
	return fmt.Sprint(factors)
}

func diceForm(r record) string {
	var of struct {
		Puzzle struct {
			Dice     string `json:"dice_str"`
			Num, Den int64
		}
	}
	read(r, &of)
	dice := strings.Split(of.Puzzle.Dice, ", ")
	slices.Sort(dice)
	return fmt.Sprint(dice, min(of.Puzzle.Num, of.Puzzle.Den-of.Puzzle.Num), of.Puzzle.Den)
}

// coinForm writes an event as a set of numbers of heads.
func coinForm(r record) string {
	var of struct {
		Trials int    `json:"num_trials"`
		Heads  int    `json:"k_heads"`
		Most   int    `json:"k_most"`
		Kind   string `json:"problem_type"`
		Given  int    `json:"given"`
		Coin   struct{ Numerator, Denominator int64 }
	}
	var coin struct {
		Heads struct{ Numerator, Denominator int64 }
	}
	read(r, &of)
	read(r, &coin)
	of.Coin = coin.Heads
	if of.Coin.Denominator == 0 {
		of.Coin.Numerator, of.Coin.Denominator = 1, 2
	}
	switch of.Kind {
	case "at_least":
		of.Most = of.Trials
	case "exact":
		of.Most = of.Heads
	}
	var forms []string
	for way := range 4 {
		complement, tails := way&1 == 1, way&2 == 2
		if tails && of.Given > 0 {
			continue
		}
		set, up := "", of.Coin.Numerator
		for k := of.Given; k <= of.Trials; k++ {
			heads := k
			if tails {
				heads = of.Trials - k
			}
			set += fmt.Sprint((heads >= of.Heads && heads <= of.Most) != complement, " ")
		}
		if tails {
			up = of.Coin.Denominator - up
		}
		forms = append(forms, fmt.Sprint(set, of.Given, up, of.Coin.Denominator))
	}
	return slices.Min(forms)
}

// complexForm multiplies both numbers by the units.
func complexForm(r record) string {
	var of struct {
		Num1, Num2 [2]int64
		Operation  string
	}
	read(r, &of)
	turned := func(z [2]int64, quarters int, mirrored bool) [2]int64 {
		if mirrored {
			z[1] = -z[1]
		}
		for range quarters {
			z[0], z[1] = -z[1], z[0]
		}
		return z
	}
	sums := of.Operation == "+" || of.Operation == "-"
	if of.Operation == "-" {
		of.Num2, of.Operation = turned(of.Num2, 2, false), "+"
	}
	var forms []string
	for way := range 32 {
		if sums && way%4 != way/4%4 {
			continue
		}
		z, w := turned(of.Num1, way%4, way >= 16), turned(of.Num2, way/4%4, way >= 16)
		write := func(numbers ...int64) (texts []string) {
			for _, n := range numbers {
				texts = append(texts, fmt.Sprint(n))
			}
			return texts
		}
		if sums {
			all := scaled(write(z[0], z[1], w[0], w[1])...)
			forms = append(forms, fmt.Sprint("+", all[:2], all[2:]), fmt.Sprint("+", all[2:], all[:2]))
			continue
		}
		one, other := scaled(write(z[:]...)...), scaled(write(w[:]...)...)
		forms = append(forms, fmt.Sprint(of.Operation, one, other))
		if of.Operation == "*" {
			forms = append(forms, fmt.Sprint(of.Operation, other, one))
		}
	}
	return slices.Min(forms)
}

// powerRE matches a term of a polynomial in x after its sign: its number and its power.
var powerRE = regexp.MustCompile(`([+-])([0-9]*)\*?(x?)(?:\*\*([0-9]+))?`)

// equationForm changes the signs of all terms, and of those with odd powers.
func equationForm(r record) string {
	var of struct {
		Polynomial string `json:"polynomial_expr"`
		Variable   string
	}
	read(r, &of)
	text := strings.ReplaceAll(strings.ReplaceAll(of.Polynomial, " ", ""), of.Variable, "x")
	if !strings.HasPrefix(text, "-") {
		text = "+" + text
	}
	var numbers, powers []string
	for _, term := range powerRE.FindAllStringSubmatch(text, -1) {
		number, power := term[2], term[4]
		if number == "" {
			number = "1"
		}
		if power == "" {
			power = fmt.Sprint(len(term[3]))
		}
		numbers, powers = append(numbers, term[1]+number), append(powers, power)
	}
	all := scaled(numbers...)
	var forms []string
	for way := range 4 {
		var terms []string
		for i, n := range all {
			odd := strings.ContainsAny(powers[i][len(powers[i])-1:], "13579")
			m := new(big.Int).Set(n)
			if (way&1 == 1) != (way&2 == 2 && odd) {
				m.Neg(m)
			}
			terms = append(terms, fmt.Sprint(powers[i], ":", m))
		}
		slices.Sort(terms)
		forms = append(forms, fmt.Sprint(terms))
	}
	return slices.Min(forms)
}

// integralForm reads polynomials with rational numbers.
func integralForm(r record) string {
	text := regexp.MustCompile(`\b`+r.Variable+`\b`).ReplaceAllString(strings.ReplaceAll(r.Integrand, " ", ""), "x")
	if !strings.HasPrefix(text, "-") {
		text = "+" + text
	}
	fractionRE := regexp.MustCompile(`([+-])([0-9]*)\*?(x?)(?:\*\*([0-9]+))?(?:/([0-9]+))?(?:/(x|\(([0-9]+)\*x\)|x\*\*([0-9]+)|\(([0-9]+)\*x\*\*([0-9]+)\)))?`)
	type term struct {
		number *big.Rat
		power  int
	}
	whole := func(text string, otherwise int) int {
		if text != "" {
			fmt.Sscan(text, &otherwise)
		}
		return otherwise
	}
	var terms []term
	for _, m := range fractionRE.FindAllStringSubmatch(text, -1) {
		over, under := whole(m[2], 1), whole(m[5], 1)*whole(m[7], 1)*whole(m[9], 1)
		power := len(m[3]) * whole(m[4], 1)
		if m[6] != "" {
			power -= whole(m[8]+m[10], 1)
		}
		if m[1] == "-" {
			over = -over
		}
		terms = append(terms, term{big.NewRat(int64(over), int64(under)), power})
	}
	var forms []string
	for way := range 4 {
		for tens := -4; tens <= 4; tens++ {
			var texts []string
			for _, one := range terms {
				n := new(big.Rat).Set(one.number)
				if (way&1 == 1) != (way&2 == 2 && one.power%2 != 0) {
					n.Neg(n)
				}
				for range max(tens, -tens) {
					if tens > 0 {
						n.Mul(n, big.NewRat(10, 1))
					} else {
						n.Quo(n, big.NewRat(10, 1))
					}
				}
				texts = append(texts, fmt.Sprint(one.power, ":", n))
			}
			slices.Sort(texts)
			forms = append(forms, fmt.Sprint(texts))
		}
	}
	return slices.Min(forms)
}

// orders are all orders of two or three things.
func orders(n int) [][]int {
	if n == 2 {
		return [][]int{{0, 1}, {1, 0}}
	}
	return [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
}

// languageForm tries the solution on all short strings, in all orders of the letters and read from the end.
func languageForm(r record) string {
	var of struct{ Letters string }
	read(r, &of)
	matches := regexp.MustCompile("^(?:" + r.solution + ")$")
	longest := map[int]int{2: 8, 3: 6}[len(of.Letters)]
	var strs []string
	for from := []string{""}; len(from[0]) <= longest; {
		strs = append(strs, from...)
		var next []string
		for _, text := range from {
			for _, letter := range of.Letters {
				next = append(next, text+string(letter))
			}
		}
		from = next
	}
	accepts := make(map[string]bool, len(strs))
	for _, text := range strs {
		accepts[text] = matches.MatchString(text)
	}
	var forms []string
	for _, order := range orders(len(of.Letters)) {
		for _, backward := range []bool{false, true} {
			form := make([]byte, len(strs))
			for i, text := range strs {
				other := []byte(text)
				for k := range other {
					other[k] = of.Letters[order[strings.IndexByte(of.Letters, text[k])]]
				}
				if backward {
					slices.Reverse(other)
				}
				form[i] = '0'
				if accepts[string(other)] {
					form[i] = '1'
				}
			}
			forms = append(forms, string(form))
		}
	}
	return fmt.Sprint(len(of.Letters), slices.Min(forms))
}

// partRE matches a part of an expression without brackets in it, and its repeats.
var partRE = regexp.MustCompile(`([a-z.]|\x00[0-9]+\x00)([*+?]|\{[0-9,]+\})*`)

// fromTheEnd writes an expression for the strings of another read from the end: innermost brackets first,
// each of which becomes one part.
func fromTheEnd(expression string) string {
	var inner []string
	turn := func(text string) string {
		alternatives := strings.Split(text, "|")
		for i, one := range alternatives {
			parts := partRE.FindAllString(one, -1)
			slices.Reverse(parts)
			alternatives[i] = strings.Join(parts, "")
		}
		return strings.Join(alternatives, "|")
	}
	innermost := regexp.MustCompile(`\([^()]*\)`)
	for innermost.MatchString(expression) {
		expression = innermost.ReplaceAllStringFunc(expression, func(text string) string {
			inner = append(inner, "("+turn(text[1:len(text)-1])+")")
			return fmt.Sprintf("\x00%d\x00", len(inner)-1)
		})
	}
	expression = turn(expression)
	for i := len(inner) - 1; i >= 0; i-- {
		expression = strings.ReplaceAll(expression, fmt.Sprintf("\x00%d\x00", i), inner[i])
	}
	return expression
}
