package patterns

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// listFunctions asks for the value of a function of lists, known from examples.
var listFunctions = task.Spec[listParams, listItem]{
	Name:     "list_functions",
	Category: "induction",
	Doc: "Find out from examples what a function does with lists of numbers, and apply it. Harder levels have two functions in sequence. " +
		"All of our functions that fit the examples give the same answer, and so do other natural rules that fit them.",
	Source:  "The idea of J. Rule, The child as hacker (2020); the functions are our own, the settings too, since reasoning-gym has none.",
	Version: 3,
	List:    answer.AsJSON,
	Default: listParams{Examples: 4, MinLength: 4, MaxLength: 8, MaxValue: 99, Tier: 2, Functions: 1},
	Levels: []listParams{
		{Examples: 5, MinLength: 3, MaxLength: 5, MaxValue: 9, Tier: 1, Functions: 1},
		{Examples: 5, MinLength: 3, MaxLength: 7, MaxValue: 30, Tier: 2, Functions: 1},
		{Examples: 4, MinLength: 4, MaxLength: 8, MaxValue: 99, Tier: 3, Functions: 1},
		{Examples: 5, MinLength: 5, MaxLength: 9, MaxValue: 99, Tier: 2, Functions: 2},
		{Examples: 6, MinLength: 6, MaxLength: 12, MaxValue: 99, Tier: 3, Functions: 2},
	},
	Make: makeList,
}

// listParams are the settings of one difficulty.
type listParams struct {
	Examples  int `json:"num_examples" want:"3 to 20"`
	MinLength int `json:"min_length" want:"3 to 30"` // of a list
	MaxLength int `json:"max_length" want:"min_length to 30"`
	MaxValue  int `json:"max_value" want:"9 to 999"`   // of its elements
	Tier      int `json:"max_tier" want:"1 to 3"`      // of the functions: 1 to 3, simplest first
	Functions int `json:"num_functions" want:"1 to 2"` // 1 or 2, applied in sequence
}

const (
	mostListLength = 30
	mostListValue  = 999
)

// listItem is one function, seen from outside. Entries of reasoning-gym have only the
// answer.
type listItem struct {
	Functions []listStep    `json:"functions,omitempty" want:"at most 2"`
	Examples  []listExample `json:"examples,omitempty" want:"at most 100"`
	Input     []int         `json:"input,omitempty" want:"at most 1000"`
	Answer    string        `json:"answer"` // a list with a space after each comma
	Phrasing  int           `json:"phrasing,omitempty" want:"0 to 5"`
}

// A listStep is a rule with its number.
type listStep struct {
	Rule string `json:"rule"`
	K    int    `json:"k,omitempty"`
}

// A listExample is a list and its result.
type listExample struct {
	Input  []int `json:"input"`
	Output []int `json:"output"`
}

// tierRules[i] are the rules up to tier i.
var tierRules = sync.OnceValue(func() (tiers [4][]*listRule) {
	for i := range listRules {
		for tier := listRules[i].tier; tier < len(tiers); tier++ {
			tiers[tier] = append(tiers[tier], &listRules[i])
		}
	}
	return tiers
})

// A listFunction applies its rules in sequence.
type listFunction []boundRule

// apply appends the function's result for l to out. ok is false if a rule after the first
// gets an empty list. room is a buffer for intermediate results.
func (f listFunction) apply(out, l, room []int) (result []int, ok bool) {
	for i, step := range f {
		if len(l) == 0 {
			return out, false
		}
		if i == len(f)-1 {
			return step.rule.apply(out, l, step.k), true
		}
		l = step.rule.apply(room[:0], l, step.k)
	}
	return out, false
}

// A listMaker searches for problems.
type listMaker struct {
	p         listParams
	r         *rng.Rand
	out, room []int
	lists     []int        // the examples' lists, one after the other
	drawn     [2]boundRule // the function
}

// makeList draws a function, and lists, until the examples leave one answer.
func makeList(p listParams, r *rng.Rand) (listItem, error) {
	size := 4 * p.MaxLength // two rules in sequence make no longer list
	room := make([]int, 3*size)
	m := listMaker{p: p, r: r, out: room[:0:size], room: room[size : size : 2*size], lists: make([]int, 0, 2*(p.Examples+1)*p.MaxLength)}
	item := listItem{Functions: make([]listStep, 0, p.Functions), Examples: make([]listExample, 0, p.Examples), Phrasing: r.Between(0, len(listPhrasings)-1)}
	const tries = 300
	for range tries {
		function := m.function()
		if !m.examples(&item, function) {
			continue
		}
		item.Functions = item.Functions[:0]
		for _, step := range function {
			item.Functions = append(item.Functions, listStep{step.rule.name, step.k})
		}
		result, _ := function.apply(room[2*size:2*size], item.Input, m.room)
		item.Answer = listText(result)
		if !m.elastic(&item, function, result) && !m.doubtful(&item, result) {
			return item, nil
		}
	}
	return item, fmt.Errorf("no examples that leave one answer found in %d tries", tries)
}

// function draws a function, valid until the next call.
func (m *listMaker) function() listFunction {
	rules := tierRules()[m.p.Tier]
	f := m.drawn[:m.p.Functions]
	for i := range f {
		f[i].rule = rng.Pick(m.r, rules)
		f[i].k = 0
		if f[i].rule.ks != nil {
			f[i].k = rng.Pick(m.r, f[i].rule.ks)
		}
	}
	return f
}

// list draws a list with some repeated elements.
func (m *listMaker) list() []int {
	l := m.keep(m.out[:m.r.Between(m.p.MinLength, m.p.MaxLength)])
	for i := range l {
		if l[i] = m.r.Between(0, m.p.MaxValue); i > 0 && m.r.Chance(0.2) {
			l[i] = l[m.r.Between(0, i-1)]
		}
	}
	return l
}

// keep returns a copy of a list.
func (m *listMaker) keep(l []int) []int {
	start := len(m.lists)
	m.lists = append(m.lists, l...)
	return m.lists[start:len(m.lists):len(m.lists)]
}

// examples draws the examples and the list in question. It reports false if the function
// does little with them: if a result is empty, too large or equal to its list, or if all
// results are equal.
func (m *listMaker) examples(item *listItem, f listFunction) bool {
	item.Examples, m.lists = item.Examples[:0], m.lists[:0]
	dull := 0
	for i := range m.p.Examples + 1 {
		l := m.list()
		out, ok := f.apply(m.out[:0], l, m.room)
		if !ok || len(out) > 0 && max(slices.Max(out), -slices.Min(out)) > 1_000_000 {
			return false
		}
		if len(out) == 0 || slices.Equal(out, l) || i > 0 && slices.Equal(out, item.Examples[0].Output) {
			if dull++; 3*dull > m.p.Examples || i == m.p.Examples {
				return false
			}
		}
		if i == m.p.Examples {
			item.Input = l
			break
		}
		item.Examples = append(item.Examples, listExample{l, m.keep(out)})
	}
	return true
}

// doubtful reports whether another of our functions, or one with a rival of its rules, fits
// all examples but gives another result. It tries functions of two rules if the problem has
// two.
func (m *listMaker) doubtful(item *listItem, result []int) bool {
	start, want := item.Examples[0].Input, item.Examples[0].Output
	for rule := range fitting(start, want, m.out) {
		if m.other(item, listFunction{rule}, result) {
			return true
		}
	}
	if m.p.Functions == 1 {
		return false
	}
	between := make([]int, 0, 64)
	for _, first := range boundRules().all {
		between = first.rule.apply(between[:0], start, first.k)
		if len(between) == 0 {
			continue
		}
		for second := range fitting(between, want, m.out) {
			if m.other(item, listFunction{first, second}, result) {
				return true
			}
		}
	}
	return false
}

// other reports whether f, which fits the first example, fits the others too but gives
// another result.
func (m *listMaker) other(item *listItem, f listFunction, result []int) bool {
	return m.fits(item, 1, f) && m.differs(item, f, result)
}

// fits reports whether f fits the examples from one on.
func (m *listMaker) fits(item *listItem, from int, f listFunction) bool {
	for i := range item.Examples[from:] {
		e := &item.Examples[from+i]
		if out, ok := f.apply(m.out[:0], e.Input, m.room); !ok || !slices.Equal(out, e.Output) {
			return false
		}
	}
	return true
}

// differs reports whether f gives another result than ours.
func (m *listMaker) differs(item *listItem, f listFunction, result []int) bool {
	out, ok := f.apply(m.out[:0], item.Input, m.room)
	return ok && !slices.Equal(out, result)
}

// listText writes a list as Python does.
func listText(l []int) string { return string(appendList(make([]byte, 0, 2+5*len(l)), l)) }

// appendList appends a list.
func appendList(b []byte, l []int) []byte {
	b = append(b, '[')
	for i, x := range l {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return append(b, ']')
}

// listPhrasings are the wordings: before the examples, before and between the two lists of
// an example, after it, and before and after the list in question.
var listPhrasings = [][6]string{
	{"A function turns a list of numbers into another list. These are examples of what it does:\n", "\n", " -> ", "", "\n\nWhat does it turn ", " into?"},
	{"Each pair below was made by the same rule.\n", "\nInput: ", "\nOutput: ", "\n", "\nApply the rule to one more list.\nInput: ", "\nOutput: ?"},
	{"A machine takes in lists of numbers and gives out other lists. It treats all of them alike:\n", "\n- From ", " it makes ", ".", "\n\nNow it takes in ", ". What does it give out?"},
	{"Find the rule behind these examples.\n", "\nf(", ") = ", "", "\n\nCompute f(", ")."},
	{"Each list goes with another one, always by the same rule.\n", "\n", " goes with ", ";", "\n", " goes with which list?"},
	{"The lists on the left were changed into those on the right, all by one rule.\n", "\n", "   |   ", "", "\n\nWhat does this rule make of ", "?"},
}

func (l listItem) Prompt() string {
	words := &listPhrasings[l.Phrasing]
	b := append(make([]byte, 0, task.PromptRoom), words[0]...)
	for _, e := range l.Examples {
		b = appendList(append(b, words[1]...), e.Input)
		b = appendList(append(b, words[2]...), e.Output)
		b = append(b, words[3]...)
	}
	b = append(appendList(append(b, words[4]...), l.Input), words[5]...)
	return string(append(b, "\n\nAnswer with the list alone, in square brackets and with commas between the numbers."...))
}

func (l listItem) Short() string {
	if len(l.Examples) == 0 {
		return ""
	}
	return strings.Join(l.lines(), "; ")
}

// lines returns the examples and the question.
func (l listItem) lines() []string {
	var lines []string
	for _, e := range l.Examples {
		lines = append(lines, listText(e.Input)+" -> "+listText(e.Output))
	}
	return append(lines, listText(l.Input)+" -> ?")
}

// Canonical implements [task.Canonicalizer]. The order of the examples does not matter.
func (l listItem) Canonical() string {
	if len(l.Examples) == 0 {
		return ""
	}
	return strings.Join(slices.Sorted(slices.Values(l.lines())), "; ")
}

// function looks up the function's rules.
func (l listItem) function() (f listFunction, err error) {
	for _, step := range l.Functions {
		i := slices.IndexFunc(listRules, func(r listRule) bool { return r.name == step.Rule })
		if i < 0 || listRules[i].ks != nil && !slices.Contains(listRules[i].ks, step.K) {
			return nil, fmt.Errorf("functions has %.40q with %d, which does not exist", step.Rule, step.K)
		}
		f = append(f, boundRule{&listRules[i], step.K})
	}
	return f, nil
}

// Check refuses a record with a wrong example or a wrong answer.
func (l listItem) Check() error {
	if _, ok := readList(l.Answer); !ok {
		return fmt.Errorf("answer is %.40q, want a list of whole numbers", l.Answer)
	}
	if len(l.Examples) == 0 {
		return nil // from reasoning-gym
	}
	f, err := l.function()
	if err != nil {
		return err
	}
	if len(f) > 2 || len(l.Examples) > 100 || len(l.Input) > 1000 {
		return errors.New("functions, examples or input is too long")
	}
	for _, e := range append(slices.Clone(l.Examples), listExample{Input: l.Input}) {
		out, ok := f.apply(nil, e.Input, nil)
		if e.Output == nil {
			e.Output, _ = readList(l.Answer)
		}
		if !ok || len(e.Input) > 1000 || !slices.Equal(out, e.Output) {
			return fmt.Errorf("the function makes %.60v of %.60v, not %.60v", out, e.Input, e.Output)
		}
	}
	return nil
}

func (l listItem) Solve() string { return l.Answer }

// readList reads a list of whole numbers; the brackets are optional.
func readList(text string) (l []int, ok bool) {
	text = answer.Trim(text)
	inner, opened := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if opened != closed {
		return nil, false
	}
	l = []int{}
	if answer.Trim(inner) == "" {
		return l, opened
	}
	for part := range strings.SplitSeq(inner, ",") {
		n, is := answer.ReadInt(part)
		if !is {
			return nil, false
		}
		l = append(l, int(n))
	}
	return l, true
}

func (l listItem) Score(text string) quintain.Verdict {
	const longest = 10_000
	if len(text) > longest {
		return quintain.Wrong("the answer is too long")
	}
	got, ok := readList(strings.TrimSuffix(answer.Trim(text), "."))
	if !ok {
		return quintain.Malformed("want a list of whole numbers")
	}
	if want, _ := readList(l.Answer); !slices.Equal(got, want) {
		return quintain.Wrong("want " + l.Answer)
	}
	return quintain.Right()
}
