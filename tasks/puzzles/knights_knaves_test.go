package puzzles

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestKnightsKnavesScore(t *testing.T) {
	item := knightsItem{
		Statements: []claim{{kind: liar, who: 1}, {kind: conjunction, parts: []claim{{kind: truthTeller, who: 0}, {kind: liar, who: 1}}}, {kind: truthTeller, who: 0}},
		Solution:   []bool{true, false, true},
		Names:      []string{"Noah", "Jacob", "Mia"},
		Terms:      knightsTerms{"hero", "villain", "a hero", "a villain", "Hero", "Villain"},
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"Noah is a hero, Jacob is a villain, and Mia is a hero.", 1, ""},
		{"  NOAH is a Hero\nJacob is a villain\nMia is a hero", 1, "case and space are free"},
		{"Noah hero Jacob villain Mia hero", 1, "so are the small words"},
		{"Mia is a hero and Noah is an hero and Jacob is a villain", 1, "in any order"},
		{"So the final answer is: Noah is a hero, (Jacob) is a villain and Mia is a hero", 1, "words that say nothing"},
		{"I think that Noah is a hero, Jacob is a villain and Mia is a hero", 0, "a hedge"},
		{"It is false that Noah is a hero, Jacob is a villain and Mia is a hero", 0, "a denial"},
		{"Noah is not a hero, Jacob is a villain and Mia is a hero", 0, "a denial within"},
		{"Noah is a hero, Jacob is a villain and Mia is a hero. I do not know.", 0, "a denial after it"},
		{"Noah is a hero, Jacob is a villain, Mia is a hero. Noah is a hero, Jacob is a villain, Mia is a hero.", 1, "all of it twice, as in reasoning-gym"},
		{strings.Repeat("Noah is a hero, Jacob is a villain, Mia is a hero. ", 11), 0, "eleven times"},
		{"Noah is a hero, Jacob is a villain, and Mia is a villain.", 0, "two of three; reasoning-gym pays 0.77"},
		{"Noah is a villain, Jacob is a villain, and Mia is a villain.", 0, "one of three"},
		{"Noah is a villain, Jacob is a hero, and Mia is a villain.", 0, "none of three"},
		{"\"Noah is a hero, Jacob is a villain, and Mia is a hero.\"", 0, "a quote before a name is a part of it"},
		{"Noah is a hero, Jacob is a villain, and Maria is a hero.", 0, "somebody else"},
		{"Noah is a hero, Jacob is a villain.", 0, "one left out"},
		{"Noah is a hero, Jacob is a villain, Mia is a hero, and Zoe is a hero.", 0, "one too many"},
		{"Noah is a hero, Noah is a villain, and Mia is a hero.", 0, "both; reasoning-gym pays"},
		{"Noah is a hero, Jacob is a hero, Jacob is a villain", 0, ""},
		{"Noah is a hero, Noah is a knight, Jacob is a villain", 0, "two roles of other pairs"},
		{"Noah is a hero/villain, Jacob is a hero/villain, and Mia is a hero/villain", 0, "no choice"},
		{"Noah is a knight, Jacob is a knave, and Mia is a knight.", 0, "words of another puzzle"},
		{"Noah: hero, Jacob: villain, **Mia**: hero", 1, "colons and bold"},
		{"a hero, a villain, a hero", 0, "no names"},
		{"hero Noah, villain Jacob, hero Mia", 0, "names after the roles"},
		{"Noah and Mia are heroes", 0, "no role in the singular"},
		{"Noah, Jacob, Mia", 0, "no roles"},
	})
	if v := item.Score("I do not know."); !v.Malformed {
		t.Errorf("an answer without roles gets %+v, want it malformed", v)
	}
}

func TestKnightsKnavesParams(t *testing.T) {
	for _, params := range []string{`{"n_people":1}`, `{"n_people":10,"depth_constraint":6,"width_constraint":6}`} {
		own, err := knightsKnaves.Task().With(json.RawMessage(params))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if _, err := own.Problem(quintain.Draw{Index: i}); err != nil {
				t.Errorf("params %s: %v", params, err)
			}
		}
	}
}

func TestKnightsKnavesCheck(t *testing.T) {
	const rest = `,"knight_knave_terms":{"knight":"saint","knave":"sinner","a_knight":"a saint","a_knave":"a sinner","Knight":"Saint","Knave":"Sinner"}}`
	const people = `,"solution":[false,true],"names":["Noah","Jacob"]` + rest
	for _, test := range []struct {
		record, why string
		sound       bool
	}{
		{`{"statements":[["<=>",["telling-truth",0],["telling-truth",1]],["lying",0]]` + people, "", true},
		{`{"statements":[["not",["not",["lying",1]]],["or",["lying",0],["lying",1],["and",["lying",0],["telling-truth",1]]]]` + people, "", true},
		{`{"statements":[["and",["telling-truth",0]],["or",["lying",0]]]` + people, "joined alone", true},
		{`{"statements":[["lying",0],["lying",0]]` + people, "the solution does not fit", false},
		{`{"statements":[["lying",1]]` + people, "too few statements", false},
		{`{"statements":[["lying",1],["lying",2]]` + people, "a person who is not there", false},
		{`{"statements":[["lying",1],["lying",-1]]` + people, "", false},
		{`{"statements":[["lying",1],["lying",0,0]]` + people, "two persons", false},
		{`{"statements":[["lying",1],["lying",0.5]]` + people, "half of one", false},
		{`{"statements":[["lying",1],["lying","Noah"]]` + people, "a name", false},
		{`{"statements":[["lying",1],["lying"]]` + people, "nobody", false},
		{`{"statements":[["lying",1],["xor",["lying",0],["lying",1]]]` + people, "an unknown kind", false},
		{`{"statements":[["lying",1],["not",["lying",0],["lying",0]]]` + people, "two parts of a negation", false},
		{`{"statements":[["lying",1],["->",["lying",0]]]` + people, "one part of an implication", false},
		{`{"statements":[["lying",1],["not",0]]` + people, "a part other than a claim", false},
		{`{"statements":[["lying",1],null]` + people, "", false},
		{`{"statements":[["lying",1],` + strings.Repeat(`["not",`, 100) + `["lying",0]` + strings.Repeat("]", 100) + `]` + people, "nested too deep", false},
		{`{"statements":[["lying",1],` + strings.Repeat(`["not",`, 9000) + `["lying",0]` + strings.Repeat("]", 9000) + `]` + people, "", false},
		{`{"statements":[["lying",1],["lying",0]],"solution":[false,true],"names":["Noah","Noah"]` + rest, "one name for two", false},
		{`{"statements":[["lying",1],["lying",0]],"solution":[false,true],"names":["Noah","a"]` + rest, "a name that cannot be read", false},
		{`{"statements":[["lying",1],["lying",0]],"solution":[false,true],"names":["Noah","Mary Ann"]` + rest, "", false},
		{`{"statements":[],"solution":[],"names":[]` + rest, "nobody", false},
		{`{"statements":[["lying",0],["lying",0]],"solution":[false,true],"names":["Noah","Jacob"],"knight_knave_terms":{"knight":"liar","knave":"x","a_knight":"a liar","a_knave":"an x"}}`, "unknown roles", false},
		{`{"statements":[["lying",1],["lying",0]],"solution":[false,true],"names":["Noah","Jacob"],"knight_knave_terms":{"knight":"saint","knave":"saint","a_knight":"a saint","a_knave":"a saint"}}`, "one role for both", false},
		{`{"statements":[["lying",1],["lying",0]],"phrasing":7` + people, "no such wording", false},
	} {
		p := quintain.Problem{Task: "knights_knaves", Instance: quintain.RawRecord([]byte(test.record))}
		if v, err := knightsKnaves.Task().Grade(p, "Noah is a sinner"); (err == nil) != test.sound {
			t.Errorf("record %.120s: verdict %+v, %v (%s)", test.record, v, err, test.why)
		}
	}
}

// Every assignment is equally frequent as a solution, so none can be guessed.
func TestKnightsKnavesBalance(t *testing.T) {
	const n = 2000
	var found [4]int
	for i := range n {
		p, err := knightsKnaves.Task().Problem(quintain.Draw{Seed: 4, Index: i})
		if err != nil {
			t.Fatal(err)
		}
		item, isOurs := p.Instance.Value().(knightsItem)
		if !isOurs {
			t.Fatal("the problem has lost its record")
		}
		world := 0
		for person, truthful := range item.Solution {
			if truthful {
				world |= 1 << person
			}
		}
		found[world]++
	}
	if slices.Min(found[:]) < n/4-100 || slices.Max(found[:]) > n/4+100 {
		t.Errorf("the four assignments are solutions %v times of %d", found, n)
	}
}

var (
	saidRE     = regexp.MustCompile(`(?m)^(\w+) \w+: "(.*)\."$`)
	answeredRE = regexp.MustCompile(`(\w+) is an? (\w+)`)
)

// The second solver reads the statements from the prompt and tries all assignments.
func TestKnightsKnavesSecond(t *testing.T) {
	tasktest.Second(t, knightsKnaves.Task(), 1200, func(item knightsItem, prompt, got string) error {
		var names []string
		var said []func(world map[string]bool) bool
		for _, line := range saidRE.FindAllStringSubmatch(prompt, -1) {
			text := strings.ToLower(line[2][:1]) + line[2][1:]
			if first, _, _ := strings.Cut(line[2], " "); first == "I" || slices.Contains(item.Names, first) {
				text = line[2]
			}
			r := englishReader{rest: text, speaker: line[1], knight: item.Terms.AKnight, knave: item.Terms.AKnave}
			names, said = append(names, line[1]), append(said, r.claim())
			if r.fault || r.rest != "" {
				return fmt.Errorf("%q cannot be read from %q on", line[2], r.rest)
			}
		}
		var fitting []map[string]bool
		for bits := range 1 << len(names) {
			world := map[string]bool{}
			for i, name := range names {
				world[name] = bits>>i&1 == 1
			}
			if !slices.ContainsFunc(names, func(name string) bool { return said[slices.Index(names, name)](world) != world[name] }) {
				fitting = append(fitting, world)
			}
		}
		if len(fitting) != 1 || len(names) != len(item.Names) {
			return fmt.Errorf("%d assignments fit what %d people say", len(fitting), len(names))
		}
		told := answeredRE.FindAllStringSubmatch(got, -1)
		for _, role := range told {
			if want := map[bool]string{true: item.Terms.Knight, false: item.Terms.Knave}[fitting[0][role[1]]]; role[2] != want {
				return fmt.Errorf("%s is a %s, not a %s", role[1], want, role[2])
			}
		}
		if len(told) != len(names) {
			return fmt.Errorf("the solution %q names %d people, want %d", got, len(told), len(names))
		}
		return nil
	})
}

// An englishReader reads a statement in a prompt.
type englishReader struct {
	rest, speaker, knight, knave string
	fault                        bool
}

// next consumes prefix if it comes next.
func (r *englishReader) next(prefix string) bool {
	rest, found := strings.CutPrefix(r.rest, prefix)
	r.rest = rest
	return found
}

// claim reads parts and their conjunctions.
func (r *englishReader) claim() func(map[string]bool) bool {
	if r.next("if ") {
		first := r.part()
		r.fault = !r.next(", then ") || r.fault
		second := r.part()
		return func(w map[string]bool) bool { return !first(w) || second(w) }
	}
	parts := []func(map[string]bool) bool{r.part()}
	for r.next(", ") {
		parts = append(parts, r.part())
	}
	switch {
	case r.next(" if and only if "):
		second := r.part()
		return func(w map[string]bool) bool { return parts[0](w) == second(w) }
	case r.next(" and "):
		parts = append(parts, r.part())
		return func(w map[string]bool) bool {
			return !slices.ContainsFunc(parts, func(p func(map[string]bool) bool) bool { return !p(w) })
		}
	case r.next(" or "):
		parts = append(parts, r.part())
		return func(w map[string]bool) bool {
			return slices.ContainsFunc(parts, func(p func(map[string]bool) bool) bool { return p(w) })
		}
	}
	return parts[0]
}

// part reads a claim about one person, a denial, or a claim in brackets.
func (r *englishReader) part() func(map[string]bool) bool {
	switch {
	case r.next("it is not true that "):
		denied := r.part()
		return func(w map[string]bool) bool { return !denied(w) }
	case r.next("("):
		inner := r.claim()
		r.fault = !r.next(")") || r.fault
		return inner
	}
	name, verb := r.speaker, "am "
	if !r.next("I ") {
		name, r.rest, _ = strings.Cut(r.rest, " ")
		verb = "is "
	}
	r.fault = !r.next(verb) || r.fault
	not := r.next("not ")
	if r.next(r.knight) {
		return func(w map[string]bool) bool { return w[name] != not }
	}
	r.fault = !r.next(r.knave) || r.fault
	return func(w map[string]bool) bool { return w[name] == not }
}

func TestKnightsKnavesKeys(t *testing.T) {
	tasktest.Same(t, knightsKnaves.Task(), "other people of other kinds", func(k *knightsItem) {
		k.Terms = knightsTerms{"pioneer", "laggard", "a pioneer", "a laggard", "Pioneer", "Laggard"}
		for i := range k.Names {
			k.Names[i] = "Person" + strconv.Itoa(i)
		}
	})
	tasktest.Variant(t, knightsKnaves.Task(), "people speak in another order", func(k *knightsItem, r *rng.Rand) func(string) string {
		order := make([]int, len(k.Names))
		for i := range order {
			order[i] = i
		}
		rng.Shuffle(r, order)
		*k = spoken(*k, order)
		return nil
	})
	tasktest.Translated(t, knightsKnaves.Task(), func(solution string, from, to knightsItem) string {
		for order := range permutations(len(from.Names)) {
			from := spoken(from, order)
			pairs := []string{from.Terms.AKnight, to.Terms.AKnight, from.Terms.AKnave, to.Terms.AKnave}
			if said := saidText(to.Statements); said == exchangedText(from.Statements) && said != saidText(from.Statements) {
				pairs[1], pairs[3] = pairs[3], pairs[1]
			} else if said != saidText(from.Statements) {
				continue
			}
			for i, name := range from.Names {
				pairs = append(pairs, name+" is", to.Names[i]+" is")
			}
			return strings.NewReplacer(pairs...).Replace(solution)
		}
		return "no order of the people fits"
	})
}

// spoken returns a puzzle in which people speak in another order: order[i] is who speaks now i-th.
func spoken(k knightsItem, order []int) knightsItem {
	var now knightsItem
	var renamed func(said claim) claim
	renamed = func(said claim) claim {
		parts := said.parts
		if said.parts == nil {
			said.who = slices.Index(order, said.who)
		}
		said.parts = nil
		for _, part := range parts {
			said.parts = append(said.parts, renamed(part))
		}
		return said
	}
	for _, who := range order {
		now.Statements = append(now.Statements, renamed(k.Statements[who]))
		now.Solution = append(now.Solution, k.Solution[who])
		now.Names = append(now.Names, k.Names[who])
	}
	now.Terms, now.Phrasing = k.Terms, k.Phrasing
	return now
}

// exchangedText writes statements with and for or, and or for and.
func exchangedText(statements []claim) string {
	var exchanged func(said claim) claim
	exchanged = func(said claim) claim {
		switch said.kind {
		case conjunction:
			said.kind = disjunction
		case disjunction:
			said.kind = conjunction
		case implication, equivalence:
			said.kind += 100
		}
		parts := said.parts
		said.parts = nil
		for _, part := range parts {
			said.parts = append(said.parts, exchanged(part))
		}
		return said
	}
	var all []claim
	for _, said := range statements {
		all = append(all, exchanged(said))
	}
	return saidText(all)
}

// saidText writes statements, with what is joined by and or by or in one order.
func saidText(statements []claim) string {
	var write func(said claim) string
	write = func(said claim) string {
		if said.parts == nil {
			return fmt.Sprint(said.kind, said.who)
		}
		var parts []string
		for _, part := range said.parts {
			parts = append(parts, write(part))
		}
		if said.kind != implication {
			slices.Sort(parts)
		}
		return fmt.Sprint(said.kind, parts)
	}
	var all []string
	for _, said := range statements {
		all = append(all, write(said))
	}
	return strings.Join(all, "; ")
}
