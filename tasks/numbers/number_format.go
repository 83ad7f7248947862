package numbers

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// numberFormat asks for the largest or the smallest of numbers in different notations.
var numberFormat = task.Spec[numberFormatParams, numberFormatItem]{
	Name:     "number_format",
	Category: "arithmetic",
	Doc: "Pick the largest or the smallest of numbers in different notations. " +
		"All differ, by as little as the settings say, and an answer is right if it is nearer to the right number than to any other. " +
		"A random choice among n numbers is right once in n times.",
	Source:  "Notations of numbers; the settings are those of reasoning-gym.",
	Version: 5,
	Default: numberFormatParams{MinCandidates: 2, MaxCandidates: 5, MinN: 1000, MaxN: 1_000_000_000, MaxDelta: 10},
	Levels: []numberFormatParams{
		{MinCandidates: 2, MaxCandidates: 3, MinN: 2000, MaxN: 100_000, MaxDelta: 1000},
		{MinCandidates: 3, MaxCandidates: 4, MinN: 10_000, MaxN: 10_000_000, MaxDelta: 100},
		{MinCandidates: 4, MaxCandidates: 8, MinN: 10_000, MaxN: 1_000_000_000, MaxDelta: 10},
		{MinCandidates: 8, MaxCandidates: 16, MinN: 100_000, MaxN: 1_000_000_000, MaxDelta: 1},
		{MinCandidates: 16, MaxCandidates: 40, MinN: 1_000_000, MaxN: 1_000_000_000, MaxDelta: 0.01},
		{MinCandidates: 100, MaxCandidates: 200, MinN: 1_000_000, MaxN: 900_000_000, MaxDelta: 0.001},
		{MinCandidates: 220, MaxCandidates: 260, MinN: 1_000_000, MaxN: 900_000_000, MaxDelta: 0.001},
		{MinCandidates: 350, MaxCandidates: 400, MinN: 1_000_000, MaxN: 900_000_000, MaxDelta: 0.001},
	},
	Make: makeNumberFormat,
}

// numberFormatParams are the settings of one difficulty.
type numberFormatParams struct {
	MinCandidates int     `json:"min_num_candidates" want:"2 or more"`
	MaxCandidates int     `json:"max_num_candidates" want:"min_num_candidates to 1000"`
	MinN          float64 `json:"min_n" want:"1 or more"` // range of the number near all candidates
	MaxN          float64 `json:"max_n"`
	MaxDelta      float64 `json:"max_delta"` // largest distance between it and a candidate
}

// Check refuses what no tag does.
func (p numberFormatParams) Check() error {
	const mostUnits = 1e15 // whole numbers up to here are exact as float64
	one := math.Pow10(p.decimals())
	switch {
	case !(p.MaxN > p.MinN) || p.MaxN*one >= mostUnits:
		return fmt.Errorf("max_n is %v, want more than min_n (%v), and at most 15 digits with the decimals that max_delta (%v) demands", p.MaxN, p.MinN, p.MaxDelta)
	case !(p.MaxDelta*one >= float64(p.MaxCandidates)) || p.MaxDelta > p.MaxN:
		return fmt.Errorf("max_delta is %v, want up to max_n (%v), and enough for max_num_candidates (%d) with %d decimals", p.MaxDelta, p.MaxN, p.MaxCandidates, p.decimals())
	}
	return nil
}

// decimals returns the largest number of decimals of a candidate: three more than MaxDelta
// has zeros after the point.
func (p numberFormatParams) decimals() int {
	decimals := 3
	for delta := p.MaxDelta; delta < 1 && decimals < 15; delta *= 10 {
		decimals++
	}
	return decimals
}

// numberFormatItem is one list of candidates.
type numberFormatItem struct {
	Candidates    []float64 `json:"candidates" want:"1 or more"`
	Solution      float64   `json:"solution"`
	Formatted     []string  `json:"formatted_candidates" want:"candidates"` // the candidates as shown
	Size          string    `json:"size" oneof:"largest smallest"`          // "largest" or "smallest"
	NumCandidates int       `json:"num_candidates"`
	Phrasing      int       `json:"phrasing,omitempty" want:"0 to 5"`
}

const (
	largest  = "largest"
	smallest = "smallest"
)

// makeNumberFormat draws different candidates around a number, and a notation for
// each.
func makeNumberFormat(p numberFormatParams, r *rng.Rand) (numberFormatItem, error) {
	decimals := p.decimals()
	one := math.Pow10(decimals)
	item := numberFormatItem{
		NumCandidates: r.Between(p.MinCandidates, p.MaxCandidates), Size: largest,
		Phrasing: r.Between(0, len(numberFormatPhrasings)-1),
	}
	if r.Chance(0.5) {
		item.Size = smallest
	}
	n, delta := r.Between64(int64(math.Ceil(p.MinN*one)), int64(p.MaxN*one)), int64(p.MaxDelta*one)
	units := rng.Different(r, item.NumCandidates, max(n-delta, int64(one)), n+delta)
	item.Candidates, item.Formatted = make([]float64, len(units)), make([]string, len(units))
	for i, unit := range units {
		item.Candidates[i] = float64(unit) / one
		item.Formatted[i] = formatNumber(unit, decimals, r.Between(0, notations-1))
	}
	item.Solution = item.extreme()
	return item, nil
}

// extreme returns the largest or the smallest of the candidates.
func (n numberFormatItem) extreme() float64 {
	if n.Size == largest {
		return slices.Max(n.Candidates)
	}
	return slices.Min(n.Candidates)
}

// notations is the number of ways to write a number.
const notations = 4

// formatNumber writes units/10^decimals, at least 1, with commas, or with an exponent and
// one, no, or one to three digits before the point.
func formatNumber(units int64, decimals, notation int) string {
	digits := strconv.FormatInt(units, 10)
	whole := len(digits) - decimals
	digits = strings.TrimRight(digits, "0")
	before := whole
	switch notation {
	case 1:
		before = 1
	case 2:
		before = 0
	case 3:
		before = (whole-1)%3 + 1
	}
	b := make([]byte, 0, 32)
	for i := range before {
		if notation == 0 && i > 0 && (before-i)%3 == 0 {
			b = append(b, ',')
		}
		if i < len(digits) {
			b = append(b, digits[i])
		} else {
			b = append(b, '0')
		}
	}
	if before == 0 {
		b = append(b, '0')
	}
	if before < len(digits) {
		b = append(append(b, '.'), digits[before:]...)
	}
	if notation > 0 {
		b = append(b, 'e', '+', '0'+byte((whole-before)/10), '0'+byte((whole-before)%10))
	}
	return string(b)
}

// numberFormatPhrasings are the wordings of the question, around the size and the
// candidates.
var numberFormatPhrasings = [][3]string{
	{"Which of these numbers is the ", ": ", "?"},
	{"Find the ", " of the following numbers: ", "."},
	{"Here are some numbers, of which I need the ", ": ", "."},
	{"Someone has to pick the ", " of these: ", ". Which one is it?"},
	{"Compare the values and name the ", ": ", "."},
	{"If all of them were written in the same way, which of the following would be the ", "? ", ""},
}

func (n numberFormatItem) Prompt() string {
	words := numberFormatPhrasings[n.Phrasing]
	b := append(make([]byte, 0, 512), words[0]...)
	b = append(append(b, n.Size...), words[1]...)
	b = n.appendCandidates(b, "; ")
	return string(append(append(b, words[2]...), " What stands before an e is multiplied by ten to the power of what follows it. Answer with the number alone, in any notation."...))
}

// appendCandidates appends the candidates as shown.
func (n numberFormatItem) appendCandidates(b []byte, between string) []byte {
	for i, text := range n.Formatted {
		if i > 0 {
			b = append(b, between...)
		}
		b = append(b, text...)
	}
	return b
}

func (n numberFormatItem) Short() string {
	return string(n.appendCandidates([]byte(n.Size+": "), " "))
}

func (n numberFormatItem) Choices() int { return len(n.Formatted) }

// Canonical implements [task.Canonicalizer]. The order of the numbers does not matter, nor, of two, which is
// asked for; their notation does.
func (n numberFormatItem) Canonical() string {
	if len(n.Formatted) == 2 {
		n.Size = ""
	}
	return fmt.Sprint(n.Size, slices.Sorted(slices.Values(n.Formatted)))
}

// Check refuses a record with a wrong solution, or with candidates shown as other numbers.
func (n numberFormatItem) Check() error {
	const rounding = 0.001
	if n.Solution != n.extreme() {
		return fmt.Errorf("solution is %v, want %v", n.Solution, n.extreme())
	}
	for i, text := range n.Formatted {
		v, ok := answer.ReadFloat(strings.ReplaceAll(text, ",", ""))
		if want := n.Candidates[i]; !ok || math.Abs(v-want) > rounding {
			return fmt.Errorf("formatted_candidates has %q, want %v", text, want)
		}
	}
	return nil
}

func (n numberFormatItem) Solve() string { return strconv.FormatFloat(n.Solution, 'f', -1, 64) }

func (n numberFormatItem) Score(text string) quintain.Verdict {
	const tolerance = 0.01
	got, ok := answer.ReadFloat(strings.ReplaceAll(text, ",", ""))
	if !ok {
		return quintain.Malformed("the answer is not a number")
	}
	off := math.Abs(got - n.Solution)
	for _, other := range n.Candidates {
		if off >= tolerance || other != n.Solution && math.Abs(got-other) <= off {
			return quintain.Wrong("want " + n.Solve())
		}
	}
	return quintain.Right()
}
