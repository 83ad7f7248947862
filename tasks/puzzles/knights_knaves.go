package puzzles

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// knightsKnaves asks who tells the truth among people who talk about each other.
var knightsKnaves = task.Spec[knightsParams, knightsItem]{
	Name:     "knights_knaves",
	Category: "logic",
	Doc:      "Find out who always tells the truth and who always lies, from what they say about each other. Exactly one assignment fits.",
	Source:   "R. Smullyan, What Is the Name of This Book? (1978); the settings are those of reasoning-gym.",
	Version:  5,
	Default:  knightsParams{People: 2, Depth: 2, Width: 2},
	Levels: []knightsParams{
		{People: 2, Depth: 2, Width: 2},
		{People: 3, Depth: 2, Width: 2},
		{People: 4, Depth: 2, Width: 3},
		{People: 5, Depth: 3, Width: 2},
		{People: 6, Depth: 3, Width: 3},
		{People: 8, Depth: 4, Width: 3},
	},
	Few:  []string{"Two people can make few statements about each other."},
	Make: makeKnights,
}

// knightsParams are the settings of one difficulty.
type knightsParams struct {
	People int `json:"n_people" want:"1 to 10"`
	Depth  int `json:"depth_constraint" want:"2 to 6"` // limit of levels in a statement; 1 is a claim about one person
	Width  int `json:"width_constraint" want:"2 to 6"` // limit of claims joined by one "and" or "or"
}

// knightsItem is one puzzle.
type knightsItem struct {
	Statements []claim      `json:"statements" want:"names"` // by speaker
	Solution   []bool       `json:"solution" want:"names"`   // by person: tells the truth
	Names      []string     `json:"names" want:"1 to 60"`    // single words
	Terms      knightsTerms `json:"knight_knave_terms"`
	Phrasing   int          `json:"phrasing,omitempty" want:"0 to 5"`
}

// knightsTerms are the words for the two kinds of people.
type knightsTerms struct {
	Knight      string `json:"knight"`
	Knave       string `json:"knave"`
	AKnight     string `json:"a_knight"` // with its article
	AKnave      string `json:"a_knave"`
	UpperKnight string `json:"Knight"` // with a capital
	UpperKnave  string `json:"Knave"`
}

// knightsRoles are the words for truth tellers and liars, in pairs, as reasoning-gym's
// reader of answers knows them.
var knightsRoles = [][2]string{
	{"knight", "knave"}, {"saint", "sinner"}, {"angel", "devil"}, {"hero", "villain"}, {"sage", "fool"},
	{"altruist", "egoist"}, {"pioneer", "laggard"},
}

// knightsPairs is the number of roles in our problems: the last pair has little to do with
// the truth.
const knightsPairs = 6

// isRole reports whether word is one of the roles.
func isRole(word string) bool {
	return slices.ContainsFunc(knightsRoles, func(pair [2]string) bool { return pair[0] == word || pair[1] == word })
}

// knightsNames are the names of the people. None of them is a role, or Ann or Bob from the
// example.
var knightsNames = []string{
	"Ada", "Agnes", "Albert", "Amir", "Anton", "Bella", "Boris", "Carla", "Carlos", "Chen", "Clara", "Daniel", "Diana", "Edgar",
	"Elena", "Emil", "Eric", "Esther", "Fatima", "Felix", "Fiona", "Frank", "George", "Greta", "Hanna", "Harold", "Hugo", "Ines",
	"Ivan", "Jane", "Jonas", "Julia", "Karl", "Kenji", "Laura", "Leo", "Lena", "Louis", "Lucia", "Marco", "Maria", "Martin",
	"Mina", "Nadia", "Nina", "Omar", "Oscar", "Paula", "Peter", "Priya", "Rafael", "Rosa", "Ruth", "Sara", "Simon", "Sofia",
	"Tara", "Theo", "Tomas", "Ursula", "Vera", "Victor", "Walter", "Yusuf", "Zoe",
}

// makeKnights draws the solution first, and then statements that fit it until nothing else
// fits them. So all assignments are equally frequent as solutions.
func makeKnights(p knightsParams, r *rng.Rand) (knightsItem, error) {
	pair := knightsRoles[r.Between(0, knightsPairs-1)]
	item := knightsItem{
		Statements: make([]claim, p.People),
		Solution:   make([]bool, p.People),
		Names:      rng.Sample(r, knightsNames, p.People),
		Terms: knightsTerms{
			pair[0], pair[1], withArticle(pair[0]), withArticle(pair[1]), capital(pair[0]), capital(pair[1]),
		},
		Phrasing: r.Between(0, len(knightsPhrasings)-1),
	}
	world := uint64(r.Between(0, 1<<p.People-1))
	for i := range item.Solution {
		item.Solution[i] = world>>i&1 == 1
	}
	const tries = 10_000
	for range tries {
		for i, truthful := range item.Solution {
			said := makeClaim(p, r, p.Depth)
			for said.holds(world) != truthful {
				said = makeClaim(p, r, p.Depth)
			}
			item.Statements[i] = said
		}
		if fitting(item.Statements) == 1 {
			return item, nil
		}
	}
	return item, fmt.Errorf("no puzzle with one solution found in %d tries", tries)
}

// fitting counts the assignments that fit the statements, by trying them all.
func fitting(statements []claim) int {
	worlds, count := uint64(1)<<len(statements), 0
	for block := uint64(0); block*64 < worlds; block++ {
		fit := ^uint64(0)
		if worlds < 64 {
			fit = 1<<worlds - 1
		}
		for speaker, said := range statements {
			fit &^= said.table(block) ^ truthful(speaker, block)
		}
		count += bits.OnesCount64(fit)
	}
	return count
}

// withArticle puts "a" or "an" before a word.
func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// plural returns the plural of a role.
func plural(word string) string {
	if strings.HasSuffix(word, "o") {
		return word + "es"
	}
	return word + "s"
}

// capital returns word with a capital letter.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// knightsPhrasings are the wordings of the question: the rules, with %[1]s and %[2]s for
// the kinds with their articles, %[3]s and %[4]s for their plurals; the introduction of the
// people; and the question. The statements come before the last.
var knightsPhrasings = [][3]string{
	{"Everyone on a remote island is either %[1]s or %[2]s. What %[1]s says is always true, and what %[2]s says is always false. ",
		"You meet %s there.", "What is each of them?"},
	{"Everyone in a certain town belongs to one of two kinds: %[3]s, who never lie, and %[4]s, who never say anything true. ",
		"Walking through it, you come across %s.", "Which kind does each of them belong to?"},
	{"The people of a village are %[3]s or %[4]s, each of them one or the other. Everything that %[3]s claim is true; everything that %[4]s claim is false. ",
		"A traveler listens to %s.", "What can the traveler conclude about each of them?"},
	{"Some people always tell the truth and are called %[3]s; all others always lie and are called %[4]s. ",
		"You talk to %s.", "What is each of them called?"},
	{"Each inhabitant of a valley is %[1]s or %[2]s: the words of %[1]s are always true, and those of %[2]s never are. ",
		"You hear %s speak.", "Find out what each of them is."},
	{"There are two sorts of people in this puzzle. The %[3]s say only what is true, and the %[4]s only what is false. ",
		"It is about %s.", "Which sort is each of them?"},
}

// knightsNotes define words that everyday speech uses loosely, for prompts with these
// words.
var knightsNotes = []struct {
	kind claimKind
	text string
}{
	{disjunction, "An \"or\" is true if at least one of its parts is. "},
	{implication, "An \"if\" is false only when its first part is true and its second part is not. "},
}

// knightsVerbs introduce what people say.
var knightsVerbs = []string{"says", "claims", "declares", "remarks", "states"}

func (k knightsItem) Prompt() string {
	words, t := knightsPhrasings[k.Phrasing], k.Terms
	var b strings.Builder
	fmt.Fprintf(&b, words[0], t.AKnight, t.AKnave, plural(t.Knight), plural(t.Knave))
	fmt.Fprintf(&b, words[1], list(k.Names))
	b.WriteString("\n")
	for i, said := range k.Statements {
		verb := knightsVerbs[(k.Phrasing+i)%len(knightsVerbs)]
		text := string(said.text(nil, claimContext{k, i}))
		b.WriteString("\n" + k.Names[i] + " " + verb + ": \"" + capital(text) + ".\"")
	}
	b.WriteString("\n\n")
	for _, note := range knightsNotes {
		if slices.ContainsFunc(k.Statements, func(c claim) bool { return c.has(note.kind) }) {
			b.WriteString(note.text)
		}
	}
	fmt.Fprintf(&b, "%s Answer in one sentence with a clause for each person and nothing else, in this form: Ann is %s, and Bob is %s.",
		words[2], t.AKnight, t.AKnave)
	return b.String()
}

// list joins names with commas and "and".
func list(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func (k knightsItem) Choices() int { return 1 << len(k.Names) }

// Canonical implements [task.Canonicalizer]: the statements. The names, the order in which people speak,
// the words for the two kinds, and the order of what is joined by and or by or do not matter. If all kinds
// are exchanged, and and or with them, the same people can say it (A. De Morgan).
func (k knightsItem) Canonical() string { return canon.Least(2, k.key) }

// key is the canonical form, of the exchanged kinds if exchanged is 1.
func (k knightsItem) key(exchanged int) string {
	const person, unspoken = -1, 100
	kinds := [2]map[claimKind]int{1: {conjunction: int(disjunction), disjunction: int(conjunction), implication: unspoken, equivalence: unspoken + 1}}
	var g canon.Graph
	people := g.Nodes(len(k.Names), person)
	var add func(said claim) int
	add = func(said claim) int {
		kind, other := kinds[exchanged][said.kind]
		if !other {
			kind = int(said.kind)
		}
		node := g.Node(kind)
		if said.parts == nil {
			g.Arrow(node, people+said.who, 0)
		}
		for i, part := range said.parts {
			if said.kind != implication {
				i = 0
			}
			g.Arrow(node, add(part), 1+i)
		}
		return node
	}
	for who, said := range k.Statements {
		g.Arrow(people+who, add(said), 0)
	}
	return g.Key()
}

// Check refuses a record with a solution that does not fit its statements, or with words
// that cannot be read back from answers.
func (k knightsItem) Check() error {
	n := len(k.Names)
	world := uint64(0)
	for i, truthful := range k.Solution {
		if truthful {
			world |= 1 << i
		}
	}
	for i, said := range k.Statements {
		if err := said.check(n); err != nil {
			return fmt.Errorf("statement %d: %w", i, err)
		}
		if said.holds(world) != k.Solution[i] {
			return fmt.Errorf("statement %d does not fit the solution", i)
		}
	}
	if k.Terms.Knight == k.Terms.Knave {
		return fmt.Errorf("knight_knave_terms has %.20q for both kinds", k.Terms.Knight)
	}
	return task.CheckSolution(k)
}

// role returns the word for person i.
func (k knightsItem) role(i int) string {
	if k.Solution[i] {
		return k.Terms.Knight
	}
	return k.Terms.Knave
}

func (k knightsItem) Solve() string {
	var b strings.Builder
	for i, name := range k.Names {
		switch {
		case i > 0 && i == len(k.Names)-1:
			b.WriteString(", and ")
		case i > 0:
			b.WriteString(", ")
		}
		role := k.Terms.AKnave
		if k.Solution[i] {
			role = k.Terms.AKnight
		}
		b.WriteString(name + " is " + role)
	}
	return b.String() + "."
}

// Score implements [task.Scorer]. Only all roles together earn anything: calling
// everybody a knight gets half of the roles right.
func (k knightsItem) Score(text string) quintain.Verdict {
	n := len(k.Names)
	roles, fault := readRoles(text, n)
	switch {
	case len(roles) > 0 && fault != "":
		return quintain.Wrong(fault)
	case len(roles) == 0:
		return quintain.Malformed(fmt.Sprintf("no one is said to be %s or %s", k.Terms.AKnight, k.Terms.AKnave))
	case len(roles) != n:
		return quintain.Wrong(fmt.Sprintf("roles are given to %d people, want %d", len(roles), n))
	}
	right := 0
	for i, name := range k.Names {
		if slices.Contains(roles, knightsRole{strings.ToLower(name), k.role(i)}) {
			right++
		}
	}
	if right == n {
		return quintain.Right()
	}
	return quintain.Wrong(fmt.Sprintf("%d of %d are right", right, n))
}

// A knightsRole assigns a word to a person, in lower case.
type knightsRole struct{ name, word string }

var knightsMarks = strings.NewReplacer(".", " ", ",", " ", ";", " ", ":", " ", "*", " ", "(", " ", ")", " ")

// knightsTalk are words that may stand beside names and roles: they deny nothing and add nothing.
var knightsTalk = strings.Fields("is a an and so thus hence therefore then while the final correct answer solution we have get")

// readRoles returns the roles given to people, each pair once: a role belongs to the name before
// it. It stops with a fault at any other word but talk, if a person gets two roles, or if there are more
// people than most, or ten times as many roles.
func readRoles(text string, most int) (roles []knightsRole, fault string) {
	text = knightsMarks.Replace(answer.Trim(strings.ToLower(text)))
	name, said := "", 0
	for word := range strings.FieldsFuncSeq(text+" end", answer.Space) {
		switch {
		case slices.Contains(knightsTalk, word):
			continue
		case !isRole(word) && name != "":
			return roles, fmt.Sprintf("%.20q is neither a name with a role nor a word that says nothing", name)
		case !isRole(word):
			name = word
			continue
		}
		if said++; said > 10*most {
			return roles, fmt.Sprintf("there are more than %d roles for %d people", 10*most, most)
		}
		role := knightsRole{name, word}
		if name = ""; role.name == "" || slices.Contains(roles, role) {
			continue
		}
		if slices.ContainsFunc(roles, func(r knightsRole) bool { return r.name == role.name }) {
			return roles, fmt.Sprintf("%.20q is given two roles", role.name)
		}
		if roles = append(roles, role); len(roles) > most {
			return roles, fmt.Sprintf("roles are given to more than %d people", most)
		}
	}
	return roles, ""
}
