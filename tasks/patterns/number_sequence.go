package patterns

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// numberSequence asks for the next term of a sequence.
var numberSequence = task.Spec[numberSequenceParams, numberSequenceItem]{
	Name:     "number_sequence",
	Category: "cognition",
	Doc: "Continue a sequence of whole numbers. A term depends on the two terms before it and on its position. " +
		"The prompt states the possible rules; all that agree with the visible terms have the same next term.",
	Source:  "A puzzle of intelligence tests; the settings are those of reasoning-gym.",
	Version: 4,
	Default: numberSequenceParams{MinTerms: 4, MaxTerms: 8, MinValue: -100, MaxValue: 100, MaxComplexity: 3},
	Levels: []numberSequenceParams{
		{MinTerms: 4, MaxTerms: 6, MinValue: 0, MaxValue: 999, MaxComplexity: 1},
		{MinTerms: 5, MaxTerms: 7, MinValue: -999, MaxValue: 999, MaxComplexity: 2},
		{MinTerms: 6, MaxTerms: 8, MinValue: -50, MaxValue: 100, MaxComplexity: 3},
		{MinTerms: 6, MaxTerms: 9, MinValue: -100, MaxValue: 100, MaxComplexity: 4},
		{MinTerms: 7, MaxTerms: 9, MinValue: -500, MaxValue: 500, MaxComplexity: 6},
		{MinTerms: 7, MaxTerms: 9, MinValue: -1000, MaxValue: 1000, MaxComplexity: 10},
	},
	Make:  makeNumberSequence,
	Match: task.MatchNumber,
}

// numberSequenceParams are the settings of one difficulty.
type numberSequenceParams struct {
	MinTerms      int   `json:"min_terms" want:"4 or more"` // visible terms
	MaxTerms      int   `json:"max_terms" want:"min_terms to 50"`
	MinValue      int64 `json:"min_value" want:"at least -1000000 and less than max_value"` // of the first two terms
	MaxValue      int64 `json:"max_value" want:"at most 1000000"`
	MaxComplexity int   `json:"max_complexity" want:"1 to 20"` // number of the rule's parts, up to 4, and the size of its numbers
}

// numberSequenceItem is one sequence.
type numberSequenceItem struct {
	Rule       string  `json:"rule"` // in words of reasoning-gym, or as a formula
	Complexity int     `json:"complexity"`
	Sequence   []int64 `json:"sequence" want:"2 to 100"` // the visible terms, then the answer
	Whole      bool    `json:"whole,omitempty"`          // the rule may have all four numbers, not only a and c
	Phrasing   int     `json:"phrasing,omitempty" want:"0 to 5"`
}

// A recurrence makes each term of a sequence: a times the term before, plus b times the one
// before that, plus c, plus d times the position, counted from 1.
type recurrence struct{ a, b, c, d int64 }

// next returns the term after terms, which has at least two.
func (r recurrence) next(terms []int64) int64 {
	n := len(terms)
	return r.a*terms[n-1] + r.b*terms[n-2] + r.c + r.d*int64(n+1)
}

// String writes the rule as a formula.
func (r recurrence) String() string {
	return fmt.Sprintf("%d*previous + %d*before + %d + %d*position", r.a, r.b, r.c, r.d)
}

// drawRecurrence draws a rule. Up to 4, complexity is the number of parts; beyond, the
// numbers of the rule grow.
func drawRecurrence(complexity int, r *rng.Rand) recurrence {
	of, size := recurrence{a: 1}, int64(max(1, complexity-3))
	parts := []*int64{&of.c, &of.a}
	if complexity > 2 {
		parts = append(parts, &of.b, &of.d)
	}
	rng.Shuffle(r, parts)
	for _, part := range parts[:min(complexity, len(parts))] {
		switch part {
		case &of.a:
			of.a = rng.Pick(r, []int64{-1, 2, 3})
			if size > 1 {
				of.a = nonZero(r, 1+(size+1)/2)
			}
		case &of.b:
			of.b = nonZero(r, (size+1)/2)
		case &of.c:
			of.c = nonZero(r, 6+4*int64(complexity))
		case &of.d:
			of.d = nonZero(r, 3*size)
		}
	}
	return of
}

// nonZero draws a number from -most to most, but not 0.
func nonZero(r *rng.Rand, most int64) int64 {
	n := r.Between64(1, most)
	if r.Chance(0.5) {
		return -n
	}
	return n
}

// mostTerm is the greatest absolute value of a term.
const mostTerm = 10_000_000

// makeNumberSequence draws rules and first terms until the visible terms leave one next
// term, and neither repeat nor grow too much. It shows more terms than drawn if necessary.
func makeNumberSequence(p numberSequenceParams, r *rng.Rand) (numberSequenceItem, error) {
	const tries = 1000
	for range tries {
		complexity := r.Between(max(1, p.MaxComplexity-1), p.MaxComplexity)
		rule := drawRecurrence(complexity, r)
		terms := []int64{r.Between64(p.MinValue, p.MaxValue), 0}
		terms[1] = rule.a*terms[0] + rule.c
		whole := rule.b != 0 || rule.d != 0
		if whole {
			terms[1] = r.Between64(p.MinValue, p.MaxValue)
		}
		least := r.Between(p.MinTerms, p.MaxTerms)
		for len(terms) < p.MaxTerms && (len(terms) < least || !decided(terms)) {
			terms = append(terms, rule.next(terms))
		}
		terms = append(terms, rule.next(terms))
		if !lively(terms) || !decided(terms[:len(terms)-1]) {
			continue
		}
		return numberSequenceItem{
			Rule: rule.String(), Complexity: complexity, Sequence: terms, Whole: whole,
			Phrasing: r.Between(0, len(numberSequencePhrasings)-1),
		}, nil
	}
	return numberSequenceItem{}, errors.New("no sequence of these settings has terms that tell the next one")
}

// lively reports whether the last terms differ and none is too large.
func lively(terms []int64) bool {
	n := len(terms)
	for _, term := range terms {
		if term < -mostTerm || term > mostTerm {
			return false
		}
	}
	return terms[n-1] != terms[n-2] && terms[n-1] != terms[n-3]
}

// decided reports whether all recurrences that agree with terms have the same next term.
// They do if the row of factors for the next term is a linear combination of those for the
// visible terms, so that it does not add to the rank.
func decided(terms []int64) bool {
	var rows [][]*big.Int
	for n := 2; n <= len(terms); n++ {
		rows = append(rows, []*big.Int{big.NewInt(terms[n-1]), big.NewInt(terms[n-2]), big.NewInt(1), big.NewInt(int64(n + 1))})
	}
	next := rows[len(rows)-1]
	shown := echelon(nil, rows[:len(rows)-1])
	return len(echelon(shown, [][]*big.Int{next})) == len(shown)
}

// echelon adds rows to a matrix in echelon form, except linearly dependent ones. It changes
// rows.
func echelon(m, rows [][]*big.Int) [][]*big.Int {
	for _, row := range rows {
		for _, pivot := range m {
			at := lead(pivot)
			by, of := new(big.Int).Set(pivot[at]), new(big.Int).Set(row[at])
			for i := range row {
				row[i] = new(big.Int).Sub(new(big.Int).Mul(row[i], by), new(big.Int).Mul(pivot[i], of))
			}
		}
		if lead(row) < len(row) {
			m = append(m, row)
		}
	}
	return m
}

// lead returns the index of the first element other than 0, or the length of row if there
// is none.
func lead(row []*big.Int) int {
	for i, n := range row {
		if n.Sign() != 0 {
			return i
		}
	}
	return len(row)
}

// numberSequencePhrasings are the wordings of the question. %R is the rule, %S the terms in
// a line, and %L the terms below each other with their positions.
var numberSequencePhrasings = []string{
	"Which number comes next in this sequence?\n\n%S, ?\n\n%R",
	"%R\n\nThe sequence begins with\n\n%S\n\nWork out its next term.",
	"A machine prints one whole number after the other. So far it has printed these:\n\n%L\n\n%R What does it print next?",
	"Somebody made up a rule and wrote down the terms that follow from it: %S. Find a rule that fits, and with it the next term. %R",
	"Continue the sequence by one term.\n\nSequence: %S\nHow it is made: %R",
	"Here is the beginning of a table of values.\n\n%L\n\nThe next value is missing. What is it? %R",
}

// numberSequenceRules describe how a term is made, in the order of the wordings: for rules
// with only a and c, and for rules with all numbers.
var numberSequenceRules = [2][2]string{
	{
		"Every term after the first is a times the term before it, plus c. The whole numbers a and c are the same throughout.",
		"Each number but the first one comes from the number before it: that is multiplied by a fixed whole number, and then a fixed whole number is added, which may be negative.",
	},
	{
		"From the third term on, every term is a times the term before it, plus b times the term before that, plus c, plus d times its own position in the sequence. " +
			"Positions are counted from 1. The whole numbers a, b, c and d are the same throughout, and any of them may be zero or negative.",
		"The first two numbers are free. The one at position n, for n = 3, 4, 5 and so on, is x(n) = a*x(n-1) + b*x(n-2) + c + d*n, where a, b, c and d are fixed whole numbers, not always positive; some of them may be 0.",
	},
}

func (s numberSequenceItem) Prompt() string {
	kind := 0
	if s.Whole {
		kind = 1
	}
	shown := s.Sequence[:len(s.Sequence)-1]
	var lines []string
	for i, term := range shown {
		lines = append(lines, fmt.Sprintf("%d: %d", i+1, term))
	}
	text := strings.NewReplacer("%R", numberSequenceRules[kind][s.Phrasing%2], "%S", joinTerms(shown), "%L", strings.Join(lines, "\n")).
		Replace(numberSequencePhrasings[s.Phrasing])
	return text + "\n\nAnswer with the next number alone."
}

// joinTerms writes terms separated by commas.
func joinTerms(terms []int64) string {
	texts := make([]string, len(terms))
	for i, term := range terms {
		texts[i] = strconv.FormatInt(term, 10)
	}
	return strings.Join(texts, ", ")
}

func (s numberSequenceItem) Short() string {
	return "next: " + joinTerms(s.Sequence[:len(s.Sequence)-1])
}

// Canonical implements [task.Canonicalizer]. The sign of all terms and a power of ten do not matter: with
// them, c and d change.
func (s numberSequenceItem) Canonical() string {
	terms := slices.Clone(s.Sequence[:len(s.Sequence)-1])
	if i := slices.IndexFunc(terms, func(term int64) bool { return term != 0 }); i >= 0 && terms[i] < 0 {
		for k := range terms {
			terms[k] = -terms[k]
		}
	}
	for slices.Max(terms) != slices.Min(terms) && !slices.ContainsFunc(terms, func(term int64) bool { return term%10 != 0 }) {
		for k := range terms {
			terms[k] /= 10
		}
	}
	return joinTerms(terms)
}

func (s numberSequenceItem) Solve() string {
	return strconv.FormatInt(s.Sequence[len(s.Sequence)-1], 10)
}
