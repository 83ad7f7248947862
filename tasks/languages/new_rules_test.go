package languages

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNewRulesScore(t *testing.T) {
	calculation := newRulesItem{Operators: &operators{
		Signs: []operator{
			{Sign: "◇", If: "less", Then: formula{"sum", 2, 3}, Else: formula{"apart", 4, 1}},
			{Sign: "○", Then: formula{"product", 1, 5}, Else: formula{"product", 1, 5}},
		},
		Modulus: 50, Order: "listed", Numbers: []int64{3, 4, 5}, Between: []int{1, 0},
	}}
	// 4 ◇ 5 = 8 + 15 = 23, 3 ○ 23 = 69 + 3 + 5 = 77, 27
	for order, want := range map[string]string{"listed": "27", "right": "27", "left": "11"} { // left: 3 ○ 4 = 20, 20 ◇ 5 = 61
		calculation.Operators.Order = order
		if got := calculation.Solve(); got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
	}
	calculation.Operators.Order = "left"
	tasktest.Nears(t, calculation.Score, []tasktest.Near{
		{"11", 1, ""}, {" +11.", 1, "another spelling"}, {"61", 0, "not reduced"}, {"27", 0, "another order"}, {"-39", 0, "the same modulo 50"}, {"", 0, "nothing"}, {"11 or 27", 0, "two answers"},
	})
	// abab: rule 1 does not fit, rule 2: ab becomes bca; bcaab -> rule 1: aa becomes c: bccb
	word := newRulesItem{Rewriting: &rewriting{Rules: [][2]string{{"aa", "c"}, {"ab", "bca"}}, Start: "abab", Steps: 2}}
	tasktest.Nears(t, word.Score, []tasktest.Near{
		{"bccb", 1, ""}, {" BCCB.\n", 1, "case, space and a full stop are free"}, {"bcaab", 0, "a step before"}, {"bccb bccb", 0, "twice"}, {"bcab", 0, ""}, {"", 0, "nothing"},
	})
	word.Rewriting.Last, word.Rewriting.Steps = true, 9 // abbca, bcabca, bcbcaca: no rule fits
	if got := word.Solve(); got != "bcbcaca" {
		t.Errorf("the last places first: %s, want bcbcaca", got)
	}
	hand := newRulesItem{Cards: &cards{
		Suits: []string{"suns", "moons", "stars", "waves"},
		Hand:  []card{{3, 0}, {4, 0}, {5, 1}, {5, 2}, {5, 3}, {12, 3}},
		Rules: []cardRule{
			{Kind: "factor", Suit: 3, Points: 3}, {Kind: "pairs", Points: 10}, {Kind: "all_suits", Points: 7}, {Kind: "odd", Suit: 0, Points: 2},
			{Kind: "highest", Points: 2}, {Kind: "single", Suit: 1, Points: 9}, {Kind: "runs", Points: 4}, {Kind: "double"},
		},
	}} // 34 + 34 + 30 + 7 - 2 + 24 - 9 + 4 = 122
	tasktest.Nears(t, hand.Score, []tasktest.Near{
		{"122", 1, ""}, {"122.0", 0, "not as a whole number is written"}, {"244", 0, "an even total is not doubled"}, {"", 0, "nothing"},
	})
	hand.Cards.Rules[5] = cardRule{Kind: "more", Suit: 0, Other: 1, Points: 8} // 139, doubled
	if got := hand.Solve(); got != "278" {
		t.Errorf("the hand gets %s, want 278", got)
	}
}

func TestNewRulesParams(t *testing.T) {
	records := []string{
		`{}`,
		`{"operators":{},"cards":{}}`,
		`{"operators":{"signs":[],"modulus":50,"order":"left","numbers":[1,2],"between":[0]}}`,
		`{"rewriting":{"rules":[],"start":"a","steps":1}}`,
		`{"rewriting":{"rules":[["a",""]],"start":"a","steps":1}}`,
		`{"rewriting":{"rules":[["a","b"]],"start":"a1","steps":1}}`,
		`{"rewriting":{"rules":[["a","b"]],"start":"a","steps":41}}`,
		`{"rewriting":{"rules":[["a","b"]],"start":"a","steps":1},"phrasing":6}`,
	}
	good := `{"operators":{"signs":[{"sign":"%s","if":"%s","then":{"form":"%s","p":%d,"q":1},"else":{"form":"sum","p":1,"q":1}}],"modulus":%d,"order":"%s","numbers":[1,2],"between":[%d]}}`
	for _, bad := range [][]any{
		{"@", "", "sum", 1, 50, "left", 0}, {"◇", "never", "sum", 1, 50, "left", 0}, {"◇", "", "apart", 1, 50, "left", 0}, {"◇", "less", "root", 1, 50, "left", 0},
		{"◇", "less", "sum", 10, 50, "left", 0}, {"◇", "less", "sum", 1, 1, "left", 0}, {"◇", "less", "sum", 1, 50, "up", 0}, {"◇", "less", "sum", 1, 50, "left", 1},
	} {
		records = append(records, fmt.Sprintf(good, bad...))
	}
	good = `{"cards":{"suits":["suns","moons","stars","%s"],"rules":[{"kind":"%s","suit":%d,"points":%d},{"kind":"pairs"}],"hand":[{"number":%d,"suit":0},{"number":1,"suit":0}]}}`
	for _, bad := range [][]any{
		{"suns", "pairs", 0, 1, 2}, {"hearts", "pairs", 0, 1, 2}, {"keys", "jokers", 0, 1, 2}, {"keys", "odd", 4, 1, 2}, {"keys", "odd", 0, 51, 2},
		{"keys", "double", 0, 0, 2}, {"keys", "odd", 0, 1, 13}, {"keys", "odd", 0, 1, 1},
	} {
		records = append(records, fmt.Sprintf(good, bad...))
	}
	tasktest.RefusedRecords(t, newRules.Task(), records)
}

// The second solver knows the rules only from the prompt.
func TestNewRulesSecond(t *testing.T) {
	met := map[string]int{}
	tasktest.Every(t, newRules.Task(), tasktest.Count(1002, 300), func(_ newRulesItem, prompt, got string) error {
		var kind, want string
		switch {
		case strings.Contains(prompt, " b = "):
			kind, want = "operators", calculated(prompt)
		case strings.Contains(prompt, "- Every card counts"):
			kind, want = "cards", counted(prompt)
		default:
			kind, want = "rewriting", rewritten(prompt)
		}
		met[kind]++
		if got != want {
			return fmt.Errorf("%s: %s, want %s\n%s", kind, got, want, prompt)
		}
		return nil
	})
	if len(met) != len(kinds) {
		t.Errorf("only the kinds %v are met", met)
	}
}

var (
	definedRE = regexp.MustCompile(`(?m)^a (\S+) b = (.+?)(?: if (.+), otherwise (.+))?$`)
	dividedRE = regexp.MustCompile(`is divided by (\d+) at once`)
	termRE    = regexp.MustCompile(`^(\d*)(.*)$`)
)

// calculated works out a calculation by replacing text.
func calculated(prompt string) string {
	modulus, _ := strconv.Atoi(dividedRE.FindStringSubmatch(prompt)[1])
	apply := map[string]func(a, b int) int{}
	var signs []string
	for _, d := range definedRE.FindAllStringSubmatch(prompt, -1) {
		signs = append(signs, d[1])
		apply[d[1]] = func(a, b int) int {
			text := d[2]
			if d[3] == "a is less than b" && a >= b || d[3] == "a is even" && a&1 == 1 || strings.HasPrefix(d[3], "a and b are both") && (a+b)&1 == 1 {
				text = d[4]
			}
			return evaluated(text, a, b) % modulus
		}
	}
	lines := strings.Split(strings.TrimSpace(prompt), "\n")
	tokens := strings.Fields(lines[len(lines)-2])
	for len(tokens) > 1 {
		i := 1
		switch {
		case strings.Contains(prompt, "from right to left"):
			i = len(tokens) - 2
		case strings.Contains(prompt, "First every "):
			for _, sign := range signs {
				if i = slices.Index(tokens, sign); i >= 0 {
					break
				}
			}
		}
		a, _ := strconv.Atoi(tokens[i-1])
		b, _ := strconv.Atoi(tokens[i+1])
		tokens = slices.Replace(tokens, i-1, i+2, strconv.Itoa(apply[tokens[i]](a, b)))
	}
	return tokens[0]
}

// evaluated adds up the terms of a formula.
func evaluated(text string, a, b int) (sum int) {
	text = strings.NewReplacer("a - b", "a-b", "(a, b)", "(a,b)").Replace(text)
	if p, inside, ok := strings.Cut(text, "(a + b + "); ok {
		q, _ := strconv.Atoi(strings.TrimSuffix(inside, ")"))
		text = p + "!"
		b += q
	}
	values := map[string]int{"": 1, "a": a, "b": b, "ab": a * b, "a²": a * a, "!": a + b, "max(a,b)": max(a, b), "min(a,b)": min(a, b), "|a-b|": max(a, b) - min(a, b)}
	for _, term := range strings.Split(text, " + ") {
		parts := termRE.FindStringSubmatch(term)
		factor := 1
		if parts[1] != "" {
			factor, _ = strconv.Atoi(parts[1])
		}
		sum += factor * values[parts[2]]
	}
	return sum
}

var (
	becomesRE = regexp.MustCompile(`(?m)^\d+\. (\w+) becomes (\w+)$`)
	startRE   = regexp.MustCompile(`(\w+)\?\nAnswer with the letters`)
	stepsRE   = regexp.MustCompile(`(\d+) (?:steps|moves)`)
)

// rewritten splits the word around the place of each step.
func rewritten(prompt string) string {
	word := startRE.FindStringSubmatch(prompt)[1]
	steps, _ := strconv.Atoi(stepsRE.FindStringSubmatch(prompt)[1])
	rules := becomesRE.FindAllStringSubmatch(prompt, -1)
	for range steps {
		for _, rule := range rules {
			parts := strings.SplitN(word, rule[1], 2)
			if len(parts) == 1 {
				continue
			}
			if strings.Contains(prompt, "rightmost") {
				for cut := len(word); ; cut-- {
					if strings.HasSuffix(word[:cut], rule[1]) {
						parts = []string{word[:cut-len(rule[1])], word[cut:]}
						break
					}
				}
			}
			word = parts[0] + rule[2] + parts[1]
			break
		}
	}
	return word
}

var (
	handRE   = regexp.MustCompile(`(\d+) of (\w+)`)
	pointsRE = regexp.MustCompile(`(\d+) (?:points|times|more times)`)
	ofTheRE  = regexp.MustCompile(`of the (\w+)`)
)

// counted counts a hand, sentence by sentence.
func counted(prompt string) string {
	lines := strings.Split(strings.TrimSpace(prompt), "\n")
	numbers, suits := []int{}, []string{}
	for _, one := range handRE.FindAllStringSubmatch(lines[len(lines)-2], -1) {
		n, _ := strconv.Atoi(one[1])
		numbers, suits = append(numbers, n), append(suits, one[2])
	}
	held := func(suit string) (count int) {
		for _, s := range suits {
			if s == suit {
				count++
			}
		}
		return count
	}
	total := 0
	for _, line := range lines {
		points := 0
		if found := pointsRE.FindStringSubmatch(line); found != nil {
			points, _ = strconv.Atoi(found[1])
		}
		var named []string
		for _, found := range ofTheRE.FindAllStringSubmatch(line, -1) {
			named = append(named, found[1])
		}
		for i, n := range numbers {
			switch {
			case strings.Contains(line, "counts its number"):
				total += n
			case strings.Contains(line, "times its number") && suits[i] == named[0]:
				total += n*points - n
			case strings.Contains(line, "odd number") && suits[i] == named[0] && n&1 == 1:
				total -= points
			case strings.Contains(line, "are a pair"):
				for _, m := range numbers[:i] {
					if m == n {
						total += points
					}
				}
			case strings.Contains(line, "n+1") && slices.Index(numbers, n) == i && slices.Contains(numbers, n+1) && slices.Contains(numbers, n+2):
				total += points
			}
		}
		switch {
		case strings.Contains(line, "all four suits") && len(slices.Compact(slices.Sorted(slices.Values(suits)))) == 4:
			total += points
		case strings.Contains(line, "highest number"):
			total += points * slices.Max(numbers)
		case strings.Contains(line, "exactly one") && held(named[0]) == 1:
			total -= points
		case strings.Contains(line, "more cards") && held(named[0]) > held(named[1]):
			total += points
		case strings.Contains(line, "odd total") && total&1 == 1:
			total += total
		}
	}
	return strconv.Itoa(total)
}

func TestNewRulesKeys(t *testing.T) {
	all := newRules.Task()
	tasktest.Variant(t, all, "other signs of the operators", func(n *newRulesItem, r *rng.Rand) func(string) string {
		if n.Operators != nil {
			for i, sign := range rng.Sample(r, signs, len(n.Operators.Signs)) {
				n.Operators.Signs[i].Sign = sign
			}
		}
		return nil
	})
	tasktest.Variant(t, all, "another order of the definitions, where it does not matter", func(n *newRulesItem, _ *rng.Rand) func(string) string {
		if o := n.Operators; o != nil && o.Order != "listed" {
			slices.Reverse(o.Signs)
			for i := range o.Between {
				o.Between[i] = len(o.Signs) - 1 - o.Between[i]
			}
		}
		return nil
	})
	tasktest.Other(t, all, "another order of the definitions, where it matters", func(n *newRulesItem) {
		if o := n.Operators; o != nil && o.Order == "listed" {
			slices.Reverse(o.Signs)
			for i := range o.Between {
				o.Between[i] = len(o.Signs) - 1 - o.Between[i]
			}
		}
	})
	tasktest.Variant(t, all, "other letters of the words", func(n *newRulesItem, r *rng.Rand) func(string) string {
		if n.Rewriting == nil {
			return nil
		}
		to := rng.Sample(r, []byte(smallRules), len(smallRules))
		rename := func(text string) string {
			return strings.Map(func(c rune) rune { return rune(to[c-'a']) }, text)
		}
		n.Rewriting.Start = rename(n.Rewriting.Start)
		for i, rule := range n.Rewriting.Rules {
			n.Rewriting.Rules[i] = [2]string{rename(rule[0]), rename(rule[1])}
		}
		return rename
	})
	tasktest.Variant(t, all, "the mirror image of the words", func(n *newRulesItem, _ *rng.Rand) func(string) string {
		if n.Rewriting == nil {
			return nil
		}
		n.Rewriting.Last, n.Rewriting.Start = !n.Rewriting.Last, backward(n.Rewriting.Start)
		for i, rule := range n.Rewriting.Rules {
			n.Rewriting.Rules[i] = [2]string{backward(rule[0]), backward(rule[1])}
		}
		return backward
	})
	tasktest.Variant(t, all, "other suits, and another order of the cards", func(n *newRulesItem, r *rng.Rand) func(string) string {
		if n.Cards == nil {
			return nil
		}
		to := rng.Sample(r, []int{0, 1, 2, 3}, suitCount)
		for i, one := range n.Cards.Hand {
			n.Cards.Hand[i].Suit = to[one.Suit]
		}
		for i, u := range n.Cards.Rules {
			u.Suit, u.Other = to[u.Suit], to[u.Other]
			n.Cards.Rules[i] = u.plain()
		}
		n.Cards.Suits = rng.Sample(r, suitNames, suitCount)
		rng.Shuffle(r, n.Cards.Hand)
		if last := len(n.Cards.Rules) - 1; n.Cards.Rules[last].Kind != "double" {
			rng.Shuffle(r, n.Cards.Rules)
		}
		return nil
	})
	tasktest.Other(t, all, "a card is higher", func(n *newRulesItem) {
		if n.Cards == nil {
			return
		}
		higher := n.Cards.Hand[0]
		if higher.Number++; higher.Number <= mostNumber && !slices.Contains(n.Cards.Hand, higher) {
			n.Cards.Hand[0] = higher
		}
	})
}
