package logic

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// selfReference asks for the number of consistent truth values of statements about each
// other.
var selfReference = task.Spec[selfReferenceParams, selfReferenceItem]{
	Name:     "self_reference",
	Category: "logic",
	Doc:      "Count the ways in which statements about each other, and about how many of them are true, can be true and false.",
	Source:   "Self-referential quizzes, such as those of M. Gardner; the statements are our own, the setting is that of reasoning-gym, where it has no effect.",
	Version:  4,
	Default:  selfReferenceParams{Difficulty: 5},
	Levels:   []selfReferenceParams{{Difficulty: 2}, {Difficulty: 4}, {Difficulty: 5}, {Difficulty: 6}, {Difficulty: 8}, {Difficulty: 10}},
	Few: []string{
		"There are few lists of four statements.",
	},
	Make:  makeSelfReference,
	Match: task.MatchWhole,
}

// selfReferenceParams are the settings of one difficulty.
type selfReferenceParams struct {
	Difficulty int `json:"difficulty" want:"1 to 10"` // number of statements minus two
}

// selfReferenceMost limits the statements.
const selfReferenceMost = 12

// selfWaysMost limits the answer.
const selfWaysMost = 6

// selfReferenceItem is one list of statements. Entries of reasoning-gym have only the
// answer.
type selfReferenceItem struct {
	Statements []selfStatement `json:"statements,omitempty" want:"at most 12"`
	Answer     string          `json:"answer"`
	Phrasing   int             `json:"phrasing,omitempty" want:"0 to 5"`
}

// A selfStatement is a statement about the statements.
type selfStatement struct {
	Kind string `json:"kind"`
	A    int    `json:"a"` // a number of statements, or the index of a statement
	B    int    `json:"b"` // the index of another statement
}

// A selfKind is a kind of statement.
type selfKind struct {
	name, text string // text: %[1]d and %[2]d are A and B, %[3]d the number of statements, %[4]s the verb after A statements
	counts     func(a, trues, n int) bool
	joins      func(a, b uint64) uint64
	both       bool // it is about two statements
	numbered   bool // it states a number of statements
}

// selfKinds are the kinds. A statement is about the number of true statements, or about one
// or two statements.
var selfKinds = []selfKind{
	{name: "at_least_true", text: "At least %[1]d of these %[3]d statements %[4]s true.", numbered: true, counts: func(a, trues, _ int) bool { return trues >= a }},
	{name: "at_most_true", text: "At most %[1]d of these %[3]d statements %[4]s true.", numbered: true, counts: func(a, trues, _ int) bool { return trues <= a }},
	{name: "exactly_true", text: "Exactly %[1]d of these %[3]d statements %[4]s true.", numbered: true, counts: func(a, trues, _ int) bool { return trues == a }},
	{name: "at_least_false", text: "At least %[1]d of these %[3]d statements %[4]s false.", numbered: true, counts: func(a, trues, n int) bool { return n-trues >= a }},
	{name: "exactly_false", text: "Exactly %[1]d of these %[3]d statements %[4]s false.", numbered: true, counts: func(a, trues, n int) bool { return n-trues == a }},
	{name: "even", text: "The number of true statements is even.", counts: func(_, trues, _ int) bool { return trues%2 == 0 }},
	{name: "odd", text: "The number of true statements is odd.", counts: func(_, trues, _ int) bool { return trues%2 == 1 }},
	{name: "prime", text: "The number of true statements is a prime number.", counts: func(_, trues, _ int) bool { return slices.Contains([]int{2, 3, 5, 7, 11}, trues) }},
	{name: "true", text: "Statement %[1]d is true.", joins: func(a, _ uint64) uint64 { return a }},
	{name: "false", text: "Statement %[1]d is false.", joins: func(a, _ uint64) uint64 { return ^a }},
	{name: "one_of", text: "Exactly one of the statements %[1]d and %[2]d is true.", joins: func(a, b uint64) uint64 { return a ^ b }, both: true},
	{name: "both", text: "Statements %[1]d and %[2]d are both true.", joins: func(a, b uint64) uint64 { return a & b }, both: true},
	{name: "neither", text: "Neither statement %[1]d nor statement %[2]d is true.", joins: func(a, b uint64) uint64 { return ^(a | b) }, both: true},
	{name: "alike", text: "Statements %[1]d and %[2]d are either both true or both false.", joins: func(a, b uint64) uint64 { return ^(a ^ b) }, both: true},
	{name: "any", text: "At least one of the statements %[1]d and %[2]d is true.", joins: func(a, b uint64) uint64 { return a | b }, both: true},
	{name: "if", text: "If statement %[1]d is true, then statement %[2]d is true as well.", joins: func(a, b uint64) uint64 { return ^a | b }, both: true},
}

// selfCounts holds, by the number n of statements and a number of true ones, the
// assignments with that many true.
var selfCounts = sync.OnceValue(func() *[selfReferenceMost + 1][]worlds {
	all := new([selfReferenceMost + 1][]worlds)
	for n := range all {
		all[n] = make([]worlds, n+1)
		for k := range all[n] {
			all[n][k] = newWorlds(n)
		}
		for w := range 1 << n {
			trues := 0
			for i := range n {
				trues += w >> i & 1
			}
			all[n][trues][w>>6] |= 1 << (w & 63)
		}
	}
	return all
})

// kind returns the index of the statement's kind in selfKinds; ok is false if there is
// none.
func (s selfStatement) kind() (at int, ok bool) {
	for i := range selfKinds {
		if selfKinds[i].name == s.Kind {
			return i, true
		}
	}
	return 0, false
}

// selfSaid holds, by the number of statements, the kind and the number A, the assignments
// that satisfy a statement about the number of true ones.
var selfSaid = sync.OnceValue(func() *[selfReferenceMost + 1][][]worlds {
	all := new([selfReferenceMost + 1][][]worlds)
	for n := range all {
		all[n] = make([][]worlds, len(selfKinds))
		for kind := range selfKinds {
			for a := 0; a < n && selfKinds[kind].counts != nil; a++ {
				all[n][kind] = append(all[n][kind], selfKinds[kind].said(a, n))
			}
		}
	}
	return all
})

// said returns the assignments to n statements that satisfy a statement of this kind with
// number a.
func (k *selfKind) said(a, n int) worlds {
	set := newWorlds(n)
	for trues, one := range selfCounts()[n] {
		for w := range set {
			if k.counts(a, trues, n) {
				set[w] |= one[w]
			}
		}
	}
	return set
}

// A selfTables holds the set of [selfTables.said] for each of n statements.
type selfTables struct {
	n   int
	fit [selfReferenceMost]selfFit
}

// A selfFit is a set of assignments.
type selfFit [1 << selfReferenceMost >> 6]uint64

// said fills fit with the assignments in which statement i, of kind at, is true exactly if
// its content holds.
func (t *selfTables) said(fit *selfFit, i, at int, s selfStatement) {
	if kind := &selfKinds[at]; kind.joins != nil {
		for w := range worldWords(t.n) {
			fit[w] = ^(kind.joins(factWord(s.A, w), factWord(s.B, w)) ^ factWord(i, w))
		}
		return
	}
	for w, said := range selfSaid()[t.n][at][s.A] {
		fit[w] = ^(said ^ factWord(i, w))
	}
}

// others fills fit with the assignments consistent with all statements except statement i.
func (t *selfTables) others(i int, fit *selfFit) {
	for w := range worldWords(t.n) {
		fit[w] = everyWorld(t.n)
		for j := range t.n {
			if j != i {
				fit[w] &= t.fit[j][w]
			}
		}
	}
}

// common counts the assignments in both sets.
func (t *selfTables) common(a, b *selfFit) (count int) {
	for w := range worldWords(t.n) {
		count += bits.OnesCount64(a[w] & b[w])
	}
	return count
}

// selfConsistent counts the assignments in which exactly the right statements are true.
func selfConsistent(statements []selfStatement) int {
	t := selfTables{n: len(statements)}
	for i, s := range statements {
		at, _ := s.kind()
		t.said(&t.fit[i], i, at, s)
	}
	var fit selfFit
	t.others(0, &fit)
	return t.common(&fit, &t.fit[0])
}

// makeSelfReference draws the answer, so that all are about equally frequent, and
// statements. It changes one statement after the other until the answer is reached, and
// starts again if that takes long.
func makeSelfReference(p selfReferenceParams, r *rng.Rand) (selfReferenceItem, error) {
	t := selfTables{n: p.Difficulty + 2}
	item := selfReferenceItem{Statements: make([]selfStatement, t.n), Phrasing: r.Between(0, len(selfPhrasings)-1)}
	ways := r.Between(0, min(t.n, selfWaysMost))
	item.Answer = strconv.Itoa(ways)
	for {
		for i := range item.Statements {
			at, drawn := drawSelfStatement(r, i, t.n)
			t.said(&t.fit[i], i, at, drawn)
			item.Statements[i] = drawn
		}
		if t.approach(item.Statements, ways, r) {
			return item, nil
		}
	}
}

// approach changes one statement after the other, so that the number of ways gets no
// farther from the wanted one, and reports whether it got there.
func (t *selfTables) approach(statements []selfStatement, ways int, r *rng.Rand) bool {
	const changes, draws = 100, 3
	var fit, said selfFit
	for range changes {
		i := r.Between(0, t.n-1)
		t.others(i, &fit)
		off := distance(t.common(&fit, &t.fit[i]), ways)
		for draw := 0; draw < draws && off > 0; draw++ {
			at, drawn := drawSelfStatement(r, i, t.n)
			t.said(&said, i, at, drawn)
			if now := distance(t.common(&fit, &said), ways); now <= off {
				off, statements[i] = now, drawn
				copy(t.fit[i][:worldWords(t.n)], said[:])
			}
		}
		if off == 0 {
			return true
		}
	}
	return false
}

func distance(a, b int) int { return max(a-b, b-a) }

// drawSelfStatement draws statement i of n, which does not refer to itself, and returns its
// kind too.
func drawSelfStatement(r *rng.Rand, i, n int) (at int, s selfStatement) {
	at = r.Between(0, len(selfKinds)-1)
	kind := &selfKinds[at]
	s.Kind = kind.name
	switch {
	case kind.numbered:
		s.A = r.Between(1, n-1)
	case kind.joins != nil:
		if s.A = i + r.Between(1, n-1); s.A >= n {
			s.A -= n
		}
		if !kind.both {
			break
		}
		for s.B = s.A; s.B == s.A || s.B == i; {
			s.B = r.Between(0, n-1)
		}
	}
	return at, s
}

// text returns the statement in words; n is the number of statements.
func (s selfStatement) text(n int) string {
	at, _ := s.kind()
	kind := &selfKinds[at]
	a, b, verb := s.A, s.B+1, "are"
	if kind.joins != nil {
		a++
	}
	if a == 1 {
		verb = "is"
	}
	text := fmt.Sprintf(kind.text, a, b, n, verb)
	text, _, _ = strings.Cut(text, "%!") // cuts off arguments that the text does not use
	return text
}

// selfPhrasings are the wordings: before the statements, before each of them, and after
// them.
var selfPhrasings = [][3]string{
	{"Each of these statements is either true or false:\n", "%d. ",
		"\nIn how many ways can truth and falsehood be assigned to them so that every true statement is right about the statements, and every false one is wrong?"},
	{"Count the consistent assignments. An assignment makes each statement below true or false. It is consistent if precisely the true ones say something that holds.\n\n", "Statement %d: ",
		"\nHow many consistent assignments are there? There may be none."},
	{"Someone hands you a note:\n\n", "(%d) ",
		"\nYou mark each line as true or false. In how many different ways can you do that so that no mark is wrong?"},
	{"How many solutions does this puzzle have? A solution says of every statement whether it is true, and agrees with what the statements say: " +
		"a true statement must hold, and a false one must fail.\n\n", "[%d] ", ""},
	{"The statements in this list speak about the list itself.\n\n", "%d: ",
		"\nSuppose that you decide for each of them whether it is true. Your decision fits if all statements that you call true come out true, and all that you call false come out false. How many decisions fit?"},
	{"On a blackboard there are sentences about each other.\n\n", "Sentence %d reads: ",
		"\n(\"Statement\" always means one of these sentences.) Find the number of combinations of truth values, true or false for each sentence, that contradict none of them."},
}

func (s selfReferenceItem) Prompt() string {
	words := selfPhrasings[s.Phrasing]
	before, after, _ := strings.Cut(words[1], "%d")
	b := append(make([]byte, 0, task.PromptRoom), words[0]...)
	for i, statement := range s.Statements {
		b = strconv.AppendInt(append(b, before...), int64(i+1), 10)
		b = append(append(append(b, after...), statement.text(len(s.Statements))...), '\n')
	}
	b = append(b, words[2]...)
	return string(append(b, "\n\nAnswer with a whole number."...))
}

func (s selfReferenceItem) Short() string {
	var b strings.Builder
	for i, statement := range s.Statements {
		fmt.Fprintf(&b, "%d. %s ", i+1, statement.text(len(s.Statements)))
	}
	return b.String()
}

// Canonical implements [task.Canonicalizer]. The order of the statements does not matter, nor
// that of two statements of which one speaks, unless it is an implication.
func (s selfReferenceItem) Canonical() string {
	lines := make([]string, len(s.Statements))
	return task.Relabeled(len(lines), func(labels []int) string {
		for i, statement := range s.Statements {
			lines[i] = string(statement.appendLabeled(append(make([]byte, 0, 24), byte('a'+labels[i])), labels))
		}
		slices.Sort(lines)
		return strings.Join(lines, ";")
	})
}

// appendLabeled appends the statement, with labels in place of the numbers of statements.
func (s selfStatement) appendLabeled(b []byte, labels []int) []byte {
	at, _ := s.kind()
	kind := &selfKinds[at]
	b = append(b, kind.name...)
	switch {
	case kind.numbered:
		return strconv.AppendInt(b, int64(s.A), 10)
	case kind.both && s.Kind != "if":
		return append(b, byte('a'+min(labels[s.A], labels[s.B])), byte('a'+max(labels[s.A], labels[s.B])))
	case kind.both:
		return append(b, byte('a'+labels[s.A]), byte('a'+labels[s.B]))
	case kind.joins != nil:
		return append(b, byte('a'+labels[s.A]))
	}
	return b
}

// Check refuses a record with a wrong answer.
func (s selfReferenceItem) Check() error {
	n := len(s.Statements)
	switch want, err := strconv.Atoi(s.Answer); {
	case err != nil || want < 0:
		return fmt.Errorf("answer is %.20q, want a whole number", s.Answer)
	case n == 0:
		return nil // from reasoning-gym
	case n == 1:
		return errors.New("there is one statement, want 2 or more")
	}
	for _, statement := range s.Statements {
		if _, known := statement.kind(); !known || statement.A < 0 || statement.A >= n || statement.B < 0 || statement.B >= n {
			return errors.New("statements has an unknown kind or number")
		}
	}
	return task.Want("answer", s.Answer, strconv.Itoa(selfConsistent(s.Statements)))
}

// Choices implements [task.Chooser]: the numbers that are drawn.
func (s selfReferenceItem) Choices() int {
	if s.Statements == nil {
		return 0
	}
	return 1 + min(len(s.Statements), selfWaysMost)
}

func (s selfReferenceItem) Solve() string { return s.Answer }
