//go:build heavy

package mathverify_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/grade/mathverify/reply"
)

// A lesson is a reply with its candidates.
type lesson struct {
	gold, answer string
	equal        bool // it states the reference
	taught       bool // it is made of sentences.txt
	values       []weighed
	weight       float64
}

// A weighed is a candidate of a reply.
type weighed struct {
	equal bool // it is the reference
	marks []int
}

var learn = flag.Bool("learn", false, "write reply/grammar.txt")

// rounds is how often TestLearn fits.
const rounds = 8

// TestLearn writes the weights by which a candidate is stated or not. It fits a logistic regression to the candidates
// of all replies, weighs those whose verdict is wrong more, and fits again.
func TestLearn(t *testing.T) {
	if !*learn {
		return
	}
	index := map[reply.Mark]int{}
	var all []*lesson
	for _, f := range allForms(t) {
		all = append(all, &lesson{gold: f.gold, answer: f.answer, equal: f.equal})
	}
	all = append(all, taught(t)...)
	for _, r := range all {
		r.find(index)
	}
	names := make([]reply.Mark, len(index))
	for mark, i := range index {
		names[i] = mark
	}
	var best []int
	fewest := len(all)
	for round := range rounds {
		weights := rounded(fit(all, names))
		wrong, taken, refused := 0, 0, 0
		for _, r := range all {
			if r.stated(weights) == r.equal {
				continue
			}
			r.weight = min(r.weight*1.6, 40)
			switch {
			case !r.taught:
				wrong++
				if round == rounds-1 {
					t.Logf("%t %q for %q", r.equal, r.answer, r.gold)
				}
			case r.equal:
				refused++
			default:
				taken++
			}
		}
		t.Logf("round %d: %d replies have the wrong verdict; of those taught %d are taken and %d refused", round, wrong, taken, refused)
		if wrong <= fewest {
			best, fewest = weights, wrong
		}
	}
	write(t, names, best)
}

// find finds the candidates of a reply and numbers their marks.
func (r *lesson) find(index map[reply.Mark]int) {
	r.weight = 1
	for candidate, equal := range mathverify.Candidates(r.gold, r.answer) {
		v := weighed{equal: equal}
		for _, mark := range candidate.Marks {
			i, ok := index[mark]
			if !ok {
				i = len(index)
				index[mark] = i
			}
			v.marks = append(v.marks, i)
		}
		r.values = append(r.values, v)
	}
}

// stated reports whether the reply states its reference by the weights.
func (r *lesson) stated(weights []int) bool {
	for _, v := range r.values {
		sum := 0
		for _, i := range v.marks {
			sum += weights[i]
		}
		if v.marks == nil || sum > 0 {
			return v.equal
		}
	}
	return false
}

// examples returns the candidates that should be stated, and those that should not: of a right reply the last that is
// the reference, and those after it; of a wrong one each that is the reference.
func examples(all []*lesson) (list []example) {
	for _, r := range all {
		if r.equal && !slices.ContainsFunc(r.values, func(v weighed) bool { return v.equal }) {
			continue
		}
		for _, v := range r.values {
			if v.marks != nil && (r.equal || v.equal) {
				list = append(list, example{v.marks, r.equal && v.equal, r.weight})
			}
			if r.equal && v.equal {
				break
			}
		}
	}
	return list
}

// An example is a candidate that should be stated, or should not.
type example struct {
	marks  []int
	stated bool
	weight float64
}

// fit fits a logistic regression by gradients with a step for each mark (Duchi, Hazan and Singer, 2011).
func fit(all []*lesson, names []reply.Mark) []float64 {
	marks := len(names)
	isWord := make([]bool, marks)
	for i, n := range names {
		isWord[i] = strings.Contains(n.String(), " word\t")
	}
	const epochs, step, decay, drop, hostile = 60, 0.2, 0.0005, 0.5, 1.5
	list := examples(all)
	right := 0.0
	for _, e := range list {
		if e.stated {
			right++
		}
	}
	var use []int
	weights, squares := make([]float64, marks), make([]float64, marks)
	random := rand.New(rand.NewPCG(1, 2))
	for range epochs {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, e := range list {
			sum, want, weight := 0.0, 0.0, e.weight*right/(float64(len(list))-right)*hostile
			use = use[:0]
			for _, i := range e.marks {
				if isWord[i] && random.Float64() < drop {
					continue
				}
				use = append(use, i)
				sum += weights[i]
			}
			if e.stated {
				want, weight = 1, e.weight
			}
			slope := weight * (1/(1+math.Exp(-sum)) - want)
			for _, i := range use {
				g := slope + decay*weights[i]
				squares[i] += g * g
				weights[i] -= step * g / (1e-8 + math.Sqrt(squares[i]))
			}
		}
	}
	return weights
}

// rounded returns weights as whole numbers.
func rounded(weights []float64) []int {
	all := make([]int, len(weights))
	for i, w := range weights {
		all[i] = int(math.Round(w * 20))
	}
	return all
}

// write writes the weights, a line for each place and first kind.
func write(t *testing.T, names []reply.Mark, weights []int) {
	t.Helper()
	lines := map[string][]string{}
	for i, mark := range names {
		if place, name, _ := strings.Cut(mark.String(), "\t"); weights[i] != 0 {
			lines[place] = append(lines[place], fmt.Sprintf("%s=%d", name, weights[i]))
		}
	}
	var b strings.Builder
	for _, place := range slices.SortedFunc(maps.Keys(lines), cmp.Compare) {
		slices.Sort(lines[place])
		fmt.Fprintf(&b, "%s\t%s\n", place, strings.Join(lines[place], "|"))
	}
	if err := os.WriteFile("reply/grammar.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// taught makes replies of the parts in sentences.txt: sentences that state a value or do not, what stands before them,
// and what explains or takes back a statement after it.
func taught(t *testing.T) (all []*lesson) {
	parts, language := map[string][]string{}, ""
	random := rand.New(rand.NewPCG(3, 4))
	for line := range strings.Lines(string(must(os.ReadFile("testdata/sentences.txt"))) + "#\n") {
		mark, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if mark != "#" {
			parts[mark] = append(parts[mark], strings.ReplaceAll(text, "⏎", "\n"))
			continue
		}
		for _, sentence := range parts["="] {
			for range 3 {
				all = append(all, made(random, parts["^"], sentence, nil, true), made(random, parts["^"], sentence, parts["+"], true), made(random, parts["^"], sentence, parts["-"], false))
			}
		}
		for _, sentence := range parts["!"] {
			for range 3 {
				all = append(all, made(random, parts["^"], sentence, nil, false))
			}
			all = append(all, made(random, parts["^"], sentence, parts["+"], false))
		}
		for _, f := range readForms(t, "testdata/stated.txt") {
			if !strings.HasSuffix(f.kind, " statement, "+language) || strings.Contains(f.answer, "\n") {
				continue
			}
			for range 2 {
				tails := [][]string{parts["+"], parts["-"]}[random.IntN(2)]
				all = append(all, joined(random, f, parts["^"], tails, f.equal && &tails[0] == &parts["+"][0]))
			}
		}
		language = text
		clear(parts)
	}
	return all
}

// made makes a reply of a value in a sentence, with one of the heads before it in half of the cases, and one of the tails after it.
func made(random *rand.Rand, heads []string, sentence string, tails []string, equal bool) *lesson {
	gold := fmt.Sprint(2 + random.IntN([]int{8, 98, 998}[random.IntN(3)]))
	value := []string{"%s", "%s", "%s", "%s", "**%s**", "$%s$", `$\boxed{%s}$`}[random.IntN(7)]
	if random.IntN(4) == 0 && !strings.Contains(sentence, "{} ") {
		gold = []string{"x = %s", "(%s, 5)", "%s/7", "%s.5", "\\frac{%s}{11}"}[random.IntN(5)]
		gold = strings.Replace(gold, "%s", fmt.Sprint(12+random.IntN(20)), 1)
		if strings.Contains(gold, "x") || strings.Contains(gold, "\\") {
			value = "$%s$"
		}
	}
	return joined(random, form{gold: gold, answer: strings.ReplaceAll(sentence, "{}", fmt.Sprintf(value, gold))}, heads, tails, equal)
}

// joined makes a reply of one, with one of the heads before it in half of the cases, and one of the tails after it.
func joined(random *rand.Rand, f form, heads, tails []string, equal bool) *lesson {
	text := f.answer
	if len(tails) > 0 {
		tail := tails[random.IntN(len(tails))]
		if first, _ := utf8.DecodeRuneInString(tail); strings.ContainsRune(",?:.–，：。", first) {
			text = strings.TrimSuffix(strings.TrimSuffix(text, "."), "。")
		}
		text += tail
	}
	if len(heads) > 0 && random.IntN(2) == 0 {
		text = heads[random.IntN(len(heads))] + text
	}
	return &lesson{gold: f.gold, answer: text, equal: equal, taught: true}
}
