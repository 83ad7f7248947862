package logic

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// syllogism asks whether conclusions follow from two premises about groups.
var syllogism = task.Spec[syllogismParams, syllogismItem]{
	Name:     "syllogism",
	Category: "logic",
	Doc: "Tell whether a conclusion follows from two premises about groups. No group is empty. " +
		"An invalid argument is one change away from a valid one. Harder levels ask about several arguments at once.",
	Source:  "Aristotle, Prior Analytics; the settings are those of reasoning-gym.",
	Version: 4,
	List:    ", ",
	Default: syllogismParams{AllowAll: true, AllowNo: true, AllowSome: true, AllowSomeNot: true, InvalidRatio: 0.3, InversionProbability: 0.3, Arguments: 1},
	Levels: []syllogismParams{
		{AllowAll: true, AllowNo: true, InvalidRatio: 0.5, InversionProbability: 0.5, Arguments: 1},
		{AllowAll: true, AllowNo: true, InvalidRatio: 0.5, InversionProbability: 0.3, Arguments: 2},
		{AllowAll: true, AllowNo: true, AllowSome: true, InvalidRatio: 0.5, InversionProbability: 0.2, Arguments: 4},
		{AllowAll: true, AllowNo: true, AllowSome: true, AllowSomeNot: true, InvalidRatio: 0.5, InversionProbability: 0.1, Arguments: 6},
		{AllowAll: true, AllowNo: true, AllowSome: true, AllowSomeNot: true, InvalidRatio: 0.5, InversionProbability: 0, Arguments: 12},
	},
	Few: []string{
		"There are few arguments from statements with All and No.",
		"There are few pairs of arguments from statements with All and No.",
	},
	Make:  makeSyllogism,
	Match: task.MatchList,
}

// syllogismParams are the settings of one difficulty.
type syllogismParams struct {
	AllowAll             bool    `json:"allow_all"`
	AllowNo              bool    `json:"allow_no"`
	AllowSome            bool    `json:"allow_some"`
	AllowSomeNot         bool    `json:"allow_some_not"`
	InvalidRatio         float64 `json:"invalid_ratio" want:"0 to 1"`         // share of invalid arguments
	InversionProbability float64 `json:"inversion_probability" want:"0 to 1"` // share of conclusions from one premise alone
	Arguments            int     `json:"num_arguments" want:"1 to 50"`        // number of arguments in a problem
}

// Check refuses what no tag does.
func (p syllogismParams) Check() error {
	switch {
	case len(p.forms()) == 0:
		return errors.New("allow_all, allow_no, allow_some and allow_some_not are all false, want one of them")
	case slices.Equal(p.forms(), []uint8{someNot}):
		return errors.New("allow_some_not is the only form, from which nothing follows; want another one too")
	}
	return nil
}

// forms returns the allowed forms of statements.
func (p syllogismParams) forms() (list []uint8) {
	for form, allowed := range []bool{p.AllowAll, p.AllowNo, p.AllowSome, p.AllowSomeNot} {
		if allowed {
			list = append(list, uint8(form))
		}
	}
	return list
}

// The forms of a statement about two groups.
const (
	all uint8 = iota
	no
	some
	someNot
)

// A categorical is a statement about two of three groups: subject and predicate are 0 to 2.
type categorical struct{ form, subject, predicate uint8 }

// syllogismGroups are, by group, its regions in a diagram of three circles. Region r lies
// in group g if bit g of r is set.
var syllogismGroups = [3]uint8{0b10101010, 0b11001100, 0b11110000}

// holds reports whether the statement is true if exactly the regions in model have members.
func (c categorical) holds(model uint8) bool {
	s, p := syllogismGroups[c.subject], syllogismGroups[c.predicate]
	switch c.form {
	case all:
		return model&s&^p == 0
	case no:
		return model&s&p == 0
	case some:
		return model&s&p != 0
	}
	return model&s&^p != 0
}

// A modelSet is a set of models: model m is in it if bit m%64 of word m/64 is set.
type modelSet [256 / 64]uint64

// syllogismModels are, by form, subject and predicate, the models of the statement with no
// group empty.
var syllogismModels = sync.OnceValue(func() *[4][3][3]modelSet {
	sets := new([4][3][3]modelSet)
	for code := range 4 * 3 * 3 {
		c := categorical{uint8(code / 9), uint8(code / 3 % 3), uint8(code % 3)}
		for m := range 256 {
			model := uint8(m)
			if model&syllogismGroups[0] != 0 && model&syllogismGroups[1] != 0 && model&syllogismGroups[2] != 0 && c.holds(model) {
				sets[c.form][c.subject][c.predicate][m/64] |= 1 << (m % 64)
			}
		}
	}
	return sets
})

// models returns the models of the statement with no group empty.
func (c categorical) models() *modelSet { return &syllogismModels()[c.form][c.subject][c.predicate] }

// An argument is two premises and a conclusion.
type argument [3]categorical

// valid reports whether the conclusion is true in every model of the premises with no group
// empty; sound is false if there is no such model.
func (a argument) valid() (valid, sound bool) {
	var allowed, against uint64
	first, second, conclusion := a[0].models(), a[1].models(), a[2].models()
	for i := range first {
		both := first[i] & second[i]
		allowed |= both
		against |= both &^ conclusion[i]
	}
	return allowed != 0 && against == 0, allowed != 0
}

// A syllogismStock has the arguments in some forms. The first index tells arguments that
// connect the two outer groups (0) from inversions of a premise (1), the second invalid (0)
// from valid ones (1). The premises share group 1.
type syllogismStock [2][2][]argument

// syllogismStocks are the arguments by the set of allowed forms, as bits.
var syllogismStocks = sync.OnceValue(func() *[16]syllogismStock {
	stocks := new([16]syllogismStock)
	pairs := [3][2]uint8{{0, 1}, {1, 2}, {0, 2}}
	for code := range 8 * 8 * 8 * 3 {
		var a argument
		conclusion, used := code/512, 0
		for i := range a {
			pair := pairs[i]
			if i == 2 && conclusion > 0 {
				pair = pairs[conclusion-1]
			}
			form, turned := uint8(code>>(3*i)&3), code>>(3*i+2)&1
			a[i] = categorical{form, pair[turned], pair[1-turned]}
			used |= 1 << form
		}
		valid, sound := a.valid()
		if !sound || a[2] == a[0] || a[2] == a[1] {
			continue
		}
		for forms := range stocks {
			if list := &stocks[forms][min(conclusion, 1)][task.Bit(valid)]; used&^forms == 0 {
				*list = append(*list, a)
			}
		}
	}
	return stocks
})

// changed reports whether two arguments about one pair of groups differ in one statement.
func (a argument) changed(b argument) bool {
	different := 0
	for i := range a {
		if a[i] != b[i] {
			different++
		}
		if a[i].subject+a[i].predicate != b[i].subject+b[i].predicate {
			return false
		}
	}
	return different == 1
}

// draw draws an argument in the allowed forms. An invalid one is a neighbor of a valid one.
func (p syllogismParams) draw(r *rng.Rand) (a argument, valid, inverts bool) {
	valid, inverts = !r.Chance(p.InvalidRatio), r.Chance(p.InversionProbability)
	forms := 0
	for _, form := range p.forms() {
		forms |= 1 << form
	}
	stock := &syllogismStocks()[forms]
	if outcomes := stock[task.Bit(inverts)]; len(outcomes[0]) == 0 || len(outcomes[1]) == 0 {
		inverts = !inverts
	}
	if len(stock[task.Bit(inverts)][task.Bit(valid)]) == 0 {
		inverts = !inverts
	}
	outcomes := &stock[task.Bit(inverts)]
	a = rng.Pick(r, outcomes[task.Bit(valid)])
	if valid || len(outcomes[1]) == 0 {
		return a, valid, inverts
	}
	model := rng.Pick(r, outcomes[1])
	const tries = 200
	for try := 0; try < tries && !a.changed(model); try++ {
		a = rng.Pick(r, outcomes[0])
	}
	return a, false, inverts
}

// syllogismItem is one problem. The JSON names of its first argument are those of
// reasoning-gym.
type syllogismItem struct {
	syllogismArgument
	More     []syllogismArgument `json:"more,omitempty" want:"at most 100"` // further arguments
	Phrasing int                 `json:"phrasing,omitempty" want:"0 to 5"`
}

// A syllogismArgument is an argument in words.
type syllogismArgument struct {
	Premise1        string `json:"premise1"`
	Premise2        string `json:"premise2"`
	Conclusion      string `json:"conclusion"`
	IsValid         bool   `json:"is_valid"`
	Type            string `json:"type"`
	SelectedPremise int    `json:"selected_premise,omitempty"` // 1 or 2: the premise inverted by the conclusion, if any
}

// syllogismWords are groups that anybody may belong to, whatever their other groups.
var syllogismWords = []string{
	"actors", "artists", "athletes", "bakers", "barbers", "butchers", "carpenters", "chefs", "climbers", "collectors", "cyclists", "dancers",
	"dentists", "doctors", "drivers", "engineers", "farmers", "fishers", "florists", "gardeners", "golfers", "hikers", "inventors", "jugglers",
	"lawyers", "librarians", "mechanics", "neighbors", "nurses", "optimists", "painters", "parents", "philosophers", "pilots", "plumbers", "poets",
	"potters", "professors", "readers", "runners", "sailors", "scientists", "sculptors", "singers", "skaters", "students", "swimmers", "tailors",
	"teachers", "tourists", "travelers", "vegetarians", "veterans", "violinists", "voters", "weavers", "writers",
}

// makeSyllogism draws arguments about three groups each.
func makeSyllogism(p syllogismParams, r *rng.Rand) (syllogismItem, error) {
	item := syllogismItem{Phrasing: r.Between(0, len(syllogismPhrasings)-1)}
	item.syllogismArgument = p.make(r)
	for range p.Arguments - 1 {
		item.More = append(item.More, p.make(r))
	}
	return item, nil
}

// make draws one argument.
func (p syllogismParams) make(r *rng.Rand) syllogismArgument {
	a, valid, inverts := p.draw(r)
	var words [3]string
	for i, n := range rng.Different(r, 3, 0, int64(len(syllogismWords)-1)) {
		words[i] = syllogismWords[n]
	}
	if r.Chance(0.5) {
		a[0], a[1] = a[1], a[0]
	}
	made := syllogismArgument{Premise1: a[0].text(words), Premise2: a[1].text(words), Conclusion: a[2].text(words), IsValid: valid, Type: "syllogism"}
	if inverts {
		made.Type, made.SelectedPremise = "inversion", 1
		if a[1].subject+a[1].predicate == a[2].subject+a[2].predicate {
			made.SelectedPremise = 2
		}
	}
	return made
}

// text returns the statement in words.
func (c categorical) text(groups [3]string) string {
	s, p := groups[c.subject], groups[c.predicate]
	switch c.form {
	case all:
		return "All " + s + " are " + p
	case no:
		return "No " + s + " are " + p
	case some:
		return "Some " + s + " are " + p
	}
	return "Some " + s + " are not " + p
}

// readCategorical reads a statement; groups collects the words of its groups.
func readCategorical(text string, groups *[]string) (c categorical, ok bool) {
	form, rest, _ := strings.Cut(text, " ")
	subject, predicate, found := strings.Cut(rest, " are ")
	switch form {
	case "All":
		c.form = all
	case "No":
		c.form = no
	case "Some":
		c.form = some
		if p, not := strings.CutPrefix(predicate, "not "); not {
			c.form, predicate = someNot, p
		}
	default:
		return c, false
	}
	place := func(word string) uint8 {
		i := slices.Index(*groups, word)
		if i < 0 {
			i = len(*groups)
			*groups = append(*groups, word)
		}
		return uint8(min(i, 2))
	}
	c.subject, c.predicate = place(subject), place(predicate)
	return c, found && subject != predicate && len(*groups) <= 3
}

// follows reports whether the conclusion follows. For an unreadable argument it returns the
// record's label; one in eight labels of reasoning-gym is wrong.
func (s syllogismArgument) follows() bool {
	var a argument
	groups := make([]string, 0, 4)
	for i, text := range [...]string{s.Premise1, s.Premise2, s.Conclusion} {
		var ok bool
		if a[i], ok = readCategorical(text, &groups); !ok {
			return s.IsValid
		}
	}
	valid, _ := a.valid()
	return valid
}

// arguments returns all arguments of the problem.
func (s syllogismItem) arguments() []syllogismArgument {
	return append([]syllogismArgument{s.syllogismArgument}, s.More...)
}

// syllogismPhrasings are the wordings: before, between and after premises and conclusion,
// with the question for a single argument.
var syllogismPhrasings = []syllogismPhrasing{
	{"Every group that is mentioned here has at least one member.", "\n\nSuppose that these two statements are true:\n- ", "\n- ", "\n\nDoes it follow that ", "?"},
	{"Is the reasoning below correct? It is if the conclusion cannot be false while both premises are true. Take for granted that there is someone in each group.",
		"\n\nPremise: ", ".\nPremise: ", ".\nConclusion: ", "."},
	{"You are told two things, and someone draws a conclusion from them. \"Some\" means at least one, and no group is empty.", "\n\nYou are told: \"", ".\" And: \"", ".\"\nThe conclusion: \"", ".\" Must it be true?"},
	{"Judge the logic and not the facts. Each group named here exists, that is, somebody belongs to it.", "\n\nGiven: ", "; ", ".\nClaimed to follow: ", "."},
	{"A conclusion follows if it holds in every world in which the premises hold and none of the groups is empty.", "\n\n", ".\n", ".\nTherefore, ", ". Does this follow?"},
	{"In logic class, the teacher writes two sentences on the board and asks whether a third one is then certain. There is at least one person of each kind.",
		"\n\nOn the board: ", ". ", ".\nThe third sentence: ", "."},
}

// A syllogismPhrasing is the text around premises and conclusion.
type syllogismPhrasing struct{ intro, first, second, conclusion, end string }

func (s syllogismItem) Prompt() string {
	words := syllogismPhrasings[s.Phrasing]
	b := append(make([]byte, 0, task.PromptRoom), words.intro...)
	for i, a := range s.arguments() {
		first, conclusion := words.first, a.Conclusion
		if len(s.More) > 0 {
			b = strconv.AppendInt(append(b, "\n\nArgument "...), int64(i+1), 10)
			first = "\n" + strings.TrimLeft(first, "\n")
		}
		if !strings.HasSuffix(words.conclusion, ": ") && !strings.HasSuffix(words.conclusion, "\"") {
			conclusion = strings.ToLower(conclusion[:1]) + conclusion[1:]
		}
		for _, part := range [...]string{first, a.Premise1, words.second, a.Premise2, words.conclusion, conclusion, words.end} {
			b = append(b, part...)
		}
	}
	if len(s.More) == 0 {
		return string(append(b, "\n\nAnswer with Yes or No."...))
	}
	return string(append(b, "\n\nAnswer with Yes or No for each argument, in their order and separated by commas, such as: Yes, No, No"...))
}

func (s syllogismItem) Short() string {
	var b strings.Builder
	for _, a := range s.arguments() {
		b.WriteString(a.Premise1 + "; " + a.Premise2 + " => " + a.Conclusion + "? ")
	}
	return b.String()
}

// Canonical implements [task.Canonicalizer]. The groups do not matter, nor do the order of the
// premises, the order of the arguments, and the two sides of a statement with No or Some.
func (s syllogismItem) Canonical() string {
	arguments := s.arguments()
	texts := make([]string, len(arguments))
	for i, a := range arguments {
		texts[i] = a.canonical()
	}
	slices.Sort(texts)
	return strings.Join(texts, "? ")
}

// canonical returns one text for all arguments that differ in what does not matter. An
// unreadable argument stays as it is.
func (s syllogismArgument) canonical() string {
	var a argument
	groups := make([]string, 0, 6)
	for i, text := range [...]string{s.Premise1, s.Premise2, s.Conclusion} {
		var ok bool
		if a[i], ok = readCategorical(text, &groups); !ok {
			return min(s.Premise1, s.Premise2) + "; " + max(s.Premise1, s.Premise2) + " => " + s.Conclusion
		}
	}
	best := ""
	for _, names := range [...]string{"abc", "acb", "bac", "bca", "cab", "cba"} {
		first, second := a[0].canonical(names), a[1].canonical(names)
		if text := min(first, second) + "; " + max(first, second) + " => " + a[2].canonical(names); best == "" || text < best {
			best = text
		}
	}
	return best
}

// canonical writes the statement with these names of the groups, one letter each.
func (c categorical) canonical(names string) string {
	s, p := names[c.subject], names[c.predicate]
	if c.form == no || c.form == some {
		s, p = min(s, p), max(s, p)
	}
	return string([]byte{'0' + c.form, s, p})
}

// Check refuses a record without statements, or with too many arguments.
func (s syllogismItem) Check() error {
	for _, a := range s.arguments() {
		if a.Premise1 == "" || a.Premise2 == "" || a.Conclusion == "" {
			return errors.New("premise1, premise2 or conclusion is missing")
		}
	}
	return nil
}

// Choices implements [task.Chooser]: Yes or No for each argument.
func (s syllogismItem) Choices() int { return 1 << min(len(s.arguments()), 30) }

func (s syllogismItem) Solve() string {
	b := make([]byte, 0, 8+5*len(s.More))
	for i, a := range s.arguments() {
		if i > 0 {
			b = append(b, ", "...)
		}
		if a.follows() {
			b = append(b, "Yes"...)
		} else {
			b = append(b, "No"...)
		}
	}
	return string(b)
}
