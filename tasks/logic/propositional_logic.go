package logic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// propositionalLogic asks for a conclusion from several premises together.
var propositionalLogic = task.Spec[propositionalParams, propositionalItem]{
	Name:     "propositional_logic",
	Category: "logic",
	Doc: "Find a conclusion about two facts that follows from all premises together, and from none of them alone. " +
		"At most one in six statements of that form is right.",
	Source:  "Propositional calculus; the settings are those of reasoning-gym.",
	Version: 4,
	Default: propositionalParams{MinVars: 2, MaxVars: 4, MinStatements: 2, MaxStatements: 4, MinComplexity: 1, MaxComplexity: 3},
	Levels: []propositionalParams{
		{MinVars: 2, MaxVars: 3, MinStatements: 2, MaxStatements: 2, MinComplexity: 1, MaxComplexity: 1},
		{MinVars: 3, MaxVars: 4, MinStatements: 2, MaxStatements: 3, MinComplexity: 1, MaxComplexity: 2},
		{MinVars: 5, MaxVars: 5, MinStatements: 3, MaxStatements: 4, MinComplexity: 1, MaxComplexity: 3},
		{MinVars: 6, MaxVars: 7, MinStatements: 4, MaxStatements: 6, MinComplexity: 2, MaxComplexity: 3},
		{MinVars: 8, MaxVars: 10, MinStatements: 6, MaxStatements: 9, MinComplexity: 2, MaxComplexity: 4},
	},
	Few:  []string{"There are few sets of premises about so few facts."},
	Make: makePropositional,
	Many: true,
}

// propositionalParams are the settings of one difficulty.
type propositionalParams struct {
	MinVars       int `json:"min_vars" want:"2 to 12"` // facts
	MaxVars       int `json:"max_vars" want:"min_vars to 12"`
	MinStatements int `json:"min_statements" want:"2 to 30"` // premises
	MaxStatements int `json:"max_statements" want:"min_statements to 30"`
	MinComplexity int `json:"min_complexity" want:"1 to 6"` // levels of signs in a premise, at most
	MaxComplexity int `json:"max_complexity" want:"min_complexity to 6"`
}

// mostVars limits the facts.
const mostVars = 12

// propositionalItem is one set of premises.
type propositionalItem struct {
	Premises      []string `json:"premises"`
	Variables     []string `json:"variables"` // single capital letters
	Complexity    int      `json:"complexity"`
	ExampleAnswer string   `json:"example_answer"`

	// Two: the question demands a statement about two facts. Entries of reasoning-gym make no
	// such demand.
	Two      bool `json:"two,omitempty"`
	Phrasing int  `json:"phrasing,omitempty" want:"0 to 5"`
}

// propositionalLetters are the facts to choose from.
const propositionalLetters = "ABCDEGHJKLMNPQRSTUWZ"

// A theory is a list of premises: the assignments that make each of them true, and those
// that make all true.
type theory struct {
	letters string
	each    []worlds
	all     worlds
}

// add adds a premise.
func (t *theory) add(f formula) {
	set := newWorlds(len(t.letters))
	for w := range set {
		set[w] = f.holds(t.letters, w) & everyWorld(len(t.letters))
	}
	if t.all == nil {
		t.all = slices.Clone(set)
	}
	for w := range set {
		t.all[w] &= set[w]
	}
	t.each = append(t.each, set)
}

// within reports whether f is true in every assignment of a set.
func (t *theory) within(set worlds, f formula) bool {
	for w, word := range set {
		if word&^f.holds(t.letters, w) != 0 {
			return false
		}
	}
	return true
}

// needsSeveral reports whether f follows from the premises, but from none alone.
func (t *theory) needsSeveral(f formula) bool {
	return t.within(t.all, f) && !slices.ContainsFunc(t.each, func(one worlds) bool { return t.within(one, f) })
}

// repeats reports whether two premises say the same.
func (t *theory) repeats() bool {
	for i, one := range t.each {
		if slices.ContainsFunc(t.each[:i], func(other worlds) bool { return slices.Equal(one, other) }) {
			return true
		}
	}
	return false
}

// possible reports whether all premises can be true at once.
func (t *theory) possible() bool {
	return slices.ContainsFunc(t.all, func(word uint64) bool { return word != 0 })
}

// makePropositional draws premises until they have conclusions that need several of them,
// but not so many that a guess pays.
func makePropositional(p propositionalParams, r *rng.Rand) (propositionalItem, error) {
	item := propositionalItem{Two: true, Phrasing: r.Between(0, len(propositionalPhrasings)-1)}
	n := r.Between(p.MinVars, p.MaxVars)
	letters := string(rng.Sample(r, []byte(propositionalLetters), n))
	const tries = 5000
	for range tries {
		item.Complexity = r.Between(p.MinComplexity, p.MaxComplexity)
		t := theory{letters: letters, each: make([]worlds, 0, p.MaxStatements)}
		item.Premises = slices.Grow(item.Premises[:0], p.MaxStatements)
		premises := make([]formula, 0, p.MaxStatements)
		for range r.Between(p.MinStatements, p.MaxStatements) {
			premises = append(premises, t.draw(item.Complexity, r))
		}
		if t = t.named(premises); len(t.letters) < 2 || !t.possible() || t.repeats() {
			continue
		}
		right, all := t.conclusions()
		if len(right) == 0 || 6*len(right) > all {
			continue
		}
		for _, f := range premises {
			item.Premises = append(item.Premises, f.text())
		}
		item.Variables, item.ExampleAnswer = strings.Split(t.letters, ""), rng.Pick(r, right).text()
		return item, nil
	}
	return item, fmt.Errorf("no premises with a conclusion of their own found in %d tries", tries)
}

// named returns the theory of the premises over the facts that they name. The question names
// no others.
func (t *theory) named(premises []formula) theory {
	of := theory{each: make([]worlds, 0, len(premises))}
	for i := range len(t.letters) {
		if slices.ContainsFunc(premises, func(f formula) bool { return slices.Contains(f, t.letters[i]) }) {
			of.letters += t.letters[i : i+1]
		}
	}
	for _, f := range premises {
		of.add(f)
	}
	return of
}

// draw draws a premise that is neither always true nor always false, and adds it.
func (t *theory) draw(levels int, r *rng.Rand) formula {
	f := make(formula, 0, 64)
	for {
		f = drawFormula(f[:0], t.letters, levels, r)
		always, never := true, true
		for w := range worldWords(len(t.letters)) {
			holds, every := f.holds(t.letters, w), everyWorld(len(t.letters))
			always = always && holds&every == every
			never = never && holds&every == 0
		}
		if !always && !never {
			t.add(f)
			return f
		}
	}
}

// drawFormula appends to f a formula with at most the given levels of signs.
func drawFormula(f formula, letters string, levels int, r *rng.Rand) formula {
	switch {
	case levels == 0 || levels > 1 && r.Chance(0.15):
		f = append(f, letters[r.Between(0, len(letters)-1)])
		if r.Chance(0.3) {
			f = append(f, signNot)
		}
		return f
	case r.Chance(0.15):
		f = drawFormula(f, letters, levels-1, r)
		if f[len(f)-1] == signNot { // no double negation
			return f
		}
		return append(f, signNot)
	}
	start := len(f)
	for {
		f = drawFormula(f[:start], letters, levels-1, r)
		middle := len(f)
		f = drawFormula(f, letters, levels-1, r)
		if !slices.Equal(f[start:middle], f[middle:]) {
			return append(f, [...]byte{signAnd, signOr, signOr, signThen, signThen, signIff}[r.Between(0, 5)])
		}
	}
}

// conclusions returns the statements about two facts that need several premises, and the
// number of statements of that form. Equivalent statements are left out.
func (t *theory) conclusions() (right []formula, all int) {
	f := make(formula, 0, 5)
	for i := range len(t.letters) {
		for code := range 10 * i {
			all++
			if f = aboutTwo(f[:0], t.letters[code/10], t.letters[i], code%10); t.needsSeveral(f) {
				right = append(right, slices.Clone(f))
			}
		}
	}
	return right, all
}

// aboutTwo appends one of the ten statements that join two facts.
func aboutTwo(f formula, a, b byte, form int) formula {
	f = append(f, a)
	if form&1 == 1 {
		f = append(f, signNot)
	}
	if f = append(f, b); form < 8 && form&2 == 2 {
		f = append(f, signNot)
	}
	return append(f, [...]byte{signAnd, signOr, signIff}[form>>2])
}

// joinsTwo reports whether a formula consists of two different facts joined by a sign.
func (f formula) joinsTwo() bool {
	if f.facts() != 2 {
		return false
	}
	var letters []byte
	for _, sign := range f {
		if isFact(sign) {
			letters = append(letters, sign)
		}
	}
	return letters[0] != letters[1]
}

// propositionalPhrasings are the wordings: before the premises, before each of them, and
// after them.
var propositionalPhrasings = [][3]string{
	{"These statements are all true:\n", "\n- ", "\n\nWhat else must be true? Find something that follows from them together, but not from any one of them alone."},
	{"What can be concluded from the premises below? The conclusion must need more than one of them: it must not follow from a single premise.\n", "\nPremise: ", ""},
	{"Given are some formulas. Derive another formula that is true whenever all of them are, although no single one of them is enough to derive it.\n", "\n* ", ""},
	{"Capital letters stand for facts. You know:\n", "\n  ", "\n\nCombine what you know, and state a consequence that none of these lines has by itself."},
	{"A detective has written down what is certain.\n", "\nNote: ", "\n\nWhich new statement can the detective add by putting notes together? It should not already follow from one note."},
	{"Work in propositional logic, and assume:\n", "\n• ", "\n\nName a formula that the assumptions entail jointly. No assumption on its own may entail it."},
}

// propositionalForm states the form of an answer.
const propositionalForm = "\n\nHere ¬ means not, ∧ and, ∨ or (one of them or both), → if-then, ↔ if and only if.\n" +
	"Answer with one formula that joins two different letters of those above by ∧, ∨, → or ↔. Each of the two stands there once and may have a ¬ before it, as in this form: ¬X ∨ Y"

func (p propositionalItem) Prompt() string {
	words := propositionalPhrasings[p.Phrasing]
	b := append(make([]byte, 0, task.PromptRoom), words[0]...)
	for _, premise := range p.Premises {
		b = append(append(b, words[1]...), premise...)
	}
	return string(append(append(b, words[2]...), propositionalForm...))
}

func (p propositionalItem) Short() string {
	if !p.Two {
		return ""
	}
	return "conclude from " + strings.Join(p.Premises, "; ")
}

// Canonical implements [task.Canonicalizer]. The letters do not matter, nor which of a fact and its opposite
// has one, nor do the order of the premises and the two sides of ∧, ∨ and ↔.
func (p propositionalItem) Canonical() string {
	if !p.Two {
		return ""
	}
	premises := make([]formula, 0, len(p.Premises))
	for _, premise := range p.Premises {
		f, err := readFormula(premise)
		if err != nil {
			return ""
		}
		premises = append(premises, f)
	}
	letters := strings.Join(p.Variables, "")
	texts := make([]string, len(premises)+len(letters))
	return task.Relabeled(2*len(letters), func(labels []int) string {
		for i, f := range premises {
			texts[i] = f.commuted(letters, labels)
		}
		for i := range letters {
			one, other := labels[2*i], labels[2*i+1]
			texts[len(premises)+i] = fmt.Sprint(min(one, other), "~", max(one, other))
		}
		slices.Sort(texts)
		return strings.Join(texts, ";")
	})
}

// theory reads the premises.
func (p propositionalItem) theory() (t theory, err error) {
	const longest = 20_000 // total bytes of the premises
	t.letters = strings.Join(p.Variables, "")
	size := 0
	for _, premise := range p.Premises {
		size += len(premise)
	}
	if len(p.Premises) == 0 || len(p.Premises) > 100 || size > longest || len(p.Variables) == 0 || len(p.Variables) > mostVars || len(t.letters) != len(p.Variables) {
		return t, errors.New("premises or variables has too few or too many elements, or too long ones")
	}
	for _, premise := range p.Premises {
		f, err := readFormula(premise)
		if err != nil {
			return t, fmt.Errorf("premise %.40q: %w", premise, err)
		}
		if other := f.stranger(t.letters); other != 0 {
			return t, fmt.Errorf("premise %.40q has %q, which is not in variables", premise, other)
		}
		t.add(f)
	}
	return t, nil
}

// stranger returns a letter of the formula that is not in letters, or 0.
func (f formula) stranger(letters string) byte {
	for _, sign := range f {
		if isFact(sign) && strings.IndexByte(letters, sign) < 0 {
			return sign
		}
	}
	return 0
}

// Check refuses a record with a wrong example.
func (p propositionalItem) Check() error {
	if _, err := p.theory(); err != nil {
		return err
	}
	if v := p.Score(p.ExampleAnswer); p.Two && v.Score != 1 {
		return fmt.Errorf("example_answer %.40q is not right: %s", p.ExampleAnswer, v.Reason)
	}
	return nil
}

func (p propositionalItem) Solve() string { return p.ExampleAnswer }

// Score implements [task.Scorer]. Right is any statement of the form in the question that
// follows from the premises, but from none alone. For an entry of reasoning-gym, any
// conclusion is right unless it is a single fact, always true, or a premise.
func (p propositionalItem) Score(text string) quintain.Verdict {
	const longest = 2000
	if len(text) > longest {
		return quintain.Wrong("the answer is too long for a conclusion")
	}
	f, err := readFormula(strings.TrimSuffix(answer.Trim(text), "."))
	if err != nil {
		return quintain.Malformed(err.Error())
	}
	t, err := p.theory()
	switch other := f.stranger(t.letters); {
	case err != nil:
		return quintain.Wrong(err.Error()) // Check has already read the premises
	case other != 0:
		return quintain.Wrong(fmt.Sprintf("the premises have no %q", other))
	case !t.within(t.all, f):
		return quintain.Wrong("it does not follow from the premises")
	case p.Two && !f.joinsTwo():
		return quintain.Wrong("want two different letters, each once, joined by ∧, ∨, → or ↔")
	case p.Two && !t.needsSeveral(f):
		return quintain.Wrong("it follows from one premise alone")
	case !p.Two && f.isSingle():
		return quintain.Wrong("a single fact is no conclusion of several premises")
	case !p.Two && t.trivial(f):
		return quintain.Wrong("it is always true, or a premise")
	}
	return quintain.Right()
}

// isSingle reports whether a formula is a fact, negated an even number of times.
func (f formula) isSingle() bool {
	return len(f)%2 == 1 && strings.Trim(string(f[1:]), string(rune(signNot))) == ""
}

// trivial reports whether a formula is always true, or equivalent to a premise with the
// same facts and sign.
func (t *theory) trivial(f formula) bool {
	always := newWorlds(len(t.letters))
	for w := range always {
		always[w] = everyWorld(len(t.letters))
	}
	if t.within(always, f) {
		return true
	}
	return f.facts() > 1 && slices.ContainsFunc(t.each, func(one worlds) bool {
		for w := range one {
			if (one[w]^f.holds(t.letters, w))&everyWorld(len(t.letters)) != 0 {
				return false
			}
		}
		return true
	})
}
