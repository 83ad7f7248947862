package logic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPropositionalScore(t *testing.T) {
	item := propositionalItem{Premises: []string{"P → Q", "Q → R", "¬(S ∧ T)", "T"}, Variables: []string{"P", "Q", "R", "S", "T"}, ExampleAnswer: "P → R", Two: true}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"P → R", 1, ""}, {"P->R.", 1, "another spelling"}, {"(¬P ∨ R)", 1, "the same"}, {"¬R → ¬P", 1, "the same"}, {"!R => ~P", 1, ""},
		{"¬S ∧ T", 1, "another conclusion"}, {"¬¬P → R", 1, "denied twice"},
		{"P → Q", 0, "a premise"}, {"¬Q → ¬P", 0, "equivalent to a premise"}, {"P → (Q ∨ R)", 0, "three letters"}, {"¬S", 0, "one letter"}, {"¬¬¬S", 0, "one letter"},
		{"S → ¬T", 0, "follows from one premise alone"}, {"T ∨ P", 0, "follows from a premise"}, {"P ∨ ¬P", 0, "always true"}, {"R → P", 0, "does not follow"}, {"P → X", 0, "an unknown letter"},
		{"(P → Q) ∧ (Q → R)", 0, "premises joined"}, {"P →", 0, "not complete"}, {"(P → R", 0, ""}, {"P R", 0, ""}, {"p → r", 0, "small letters are not facts"}, {"", 0, "nothing"},
		{strings.Repeat("(", 300) + "P", 0, "too deep"},
	})
	entry := item
	entry.Two = false
	tasktest.Nears(t, entry.Score, []tasktest.Near{
		{"P → R", 1, ""}, {"P → (Q ∧ R)", 1, "reasoning-gym demands no form"}, {"¬S", 1, "as in reasoning-gym"},
		{"T", 0, "a single fact; reasoning-gym pays 0.25"}, {"¬¬T", 0, "the same; it pays 1"}, {"P ∨ ¬P", 0, "always true"}, {"P → Q", 0, "a premise"}, {"¬(¬Q ∧ P)", 0, "a premise in other words"}, {"R", 0, "it pays 0.05 for a non sequitur"},
	})
}

func TestPropositionalParams(t *testing.T) {
	tasktest.RefusedRecords(t, propositionalLogic.Task(), []string{
		`{}`, `{"premises":["P"],"variables":[]}`, `{"premises":["P ∧"],"variables":["P"]}`, `{"premises":["Q"],"variables":["P"]}`, `{"premises":["P"],"variables":["PQ"]}`,
		`{"premises":["P","Q"],"variables":["P","Q"],"two":true,"example_answer":"P ∨ Q"}`,
		`{"premises":["P","Q"],"variables":["P","Q"],"two":true,"example_answer":"P ∧ Q","phrasing":6}`,
	})
}

// A sentence is the second solver's form of a formula: a tree, read by recursive descent.
type sentence func(facts map[byte]bool) bool

// readSentence reads a text with brackets around every binary part except the whole.
func readSentence(text string) sentence {
	depth, at := 0, -1
	runes := []rune(text)
	for i, c := range runes {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case '∧', '∨', '→', '↔':
			if depth == 0 {
				at = i
			}
		}
	}
	switch {
	case at >= 0:
		left, right := readSentence(strings.TrimSpace(string(runes[:at]))), readSentence(strings.TrimSpace(string(runes[at+1:])))
		return func(f map[byte]bool) bool {
			l, r := left(f), right(f)
			return map[rune]bool{'∧': l && r, '∨': l || r, '→': !l || r, '↔': l == r}[runes[at]]
		}
	case runes[0] == '¬':
		inner := readSentence(string(runes[1:]))
		return func(f map[byte]bool) bool { return !inner(f) }
	case runes[0] == '(':
		return readSentence(string(runes[1 : len(runes)-1]))
	}
	return func(f map[byte]bool) bool { return f[text[0]] }
}

var propositionalLineRE = regexp.MustCompile(`(?m)^(?:- |Premise: |\* |  |Note: |• )(.+)$`)

// The second solver reads the premises from the prompt and goes through all assignments.
func TestPropositionalSecond(t *testing.T) {
	tasktest.Second(t, propositionalLogic.Task(), 1000, func(item propositionalItem, prompt, got string) error {
		var premises []sentence
		for _, m := range propositionalLineRE.FindAllStringSubmatch(prompt, -1) {
			premises = append(premises, readSentence(m[1]))
		}
		if len(premises) != len(item.Premises) {
			return fmt.Errorf("the prompt has %d premises, want %d", len(premises), len(item.Premises))
		}
		conclusion, alone := readSentence(got), make([]bool, len(premises))
		possible := false
		for world := range 1 << len(item.Variables) {
			facts := map[byte]bool{}
			for i, v := range item.Variables {
				facts[v[0]] = world>>i&1 == 1
			}
			holds, fails := conclusion(facts), 0
			for i, premise := range premises {
				if !premise(facts) {
					fails++
				} else if !holds {
					alone[i] = true // the conclusion does not follow from this premise
				}
			}
			if fails == 0 && !holds {
				return fmt.Errorf("%q does not follow", got)
			}
			possible = possible || fails == 0
		}
		if !possible || slices.Contains(alone, false) {
			return fmt.Errorf("the premises are possible: %t; each alone does not lead to %q: %v", possible, got, alone)
		}
		return nil
	})
}

// Every premise says something of its own, and the two letters of the answer stand in premises.
func TestPropositionalPremises(t *testing.T) {
	tasktest.Every(t, propositionalLogic.Task(), tasktest.Count(1500, 300), func(item propositionalItem, _, got string) error {
		theory, err := item.theory()
		if err != nil {
			return err
		}
		if theory.repeats() {
			return fmt.Errorf("two of the premises %q say the same", item.Premises)
		}
		all := strings.Join(item.Premises, " ")
		for _, letter := range slices.Concat(item.Variables, regexp.MustCompile(`[A-Z]`).FindAllString(got, -1)) {
			if !strings.Contains(all, letter) {
				return fmt.Errorf("%s is in no premise of %q, and %q is the answer", letter, item.Premises, got)
			}
		}
		return nil
	})
}

// relettered gives the facts of a problem other letters.
func relettered(p *propositionalItem, r *rng.Rand) func(string) string {
	var pairs []string
	for i, letter := range rng.Sample(r, strings.Split(propositionalLetters, ""), len(p.Variables)) {
		pairs = append(pairs, p.Variables[i], letter)
		p.Variables[i] = letter
	}
	names := strings.NewReplacer(pairs...)
	for i, premise := range p.Premises {
		p.Premises[i] = names.Replace(premise)
	}
	p.ExampleAnswer = names.Replace(p.ExampleAnswer)
	return names.Replace
}

func TestPropositionalKeys(t *testing.T) {
	tasktest.Variant(t, propositionalLogic.Task(), "other letters", relettered)
	tasktest.Variant(t, propositionalLogic.Task(), "a fact is its opposite", func(p *propositionalItem, _ *rng.Rand) func(string) string {
		opposed := func(text string) string {
			return strings.ReplaceAll(strings.ReplaceAll(text, p.Variables[0], "¬"+p.Variables[0]), "¬¬", "")
		}
		for i, premise := range p.Premises {
			p.Premises[i] = opposed(premise)
		}
		p.ExampleAnswer = opposed(p.ExampleAnswer)
		return opposed
	})
	tasktest.Variant(t, propositionalLogic.Task(), "the premises in another order", func(p *propositionalItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, p.Premises)
		return nil
	})
	tasktest.Variant(t, propositionalLogic.Task(), "the sides of a sign exchanged", func(p *propositionalItem, _ *rng.Rand) func(string) string {
		for i, premise := range p.Premises {
			left, right, found := strings.Cut(premise, " ∨ ")
			if found && !strings.ContainsAny(premise, "()") {
				p.Premises[i] = right + " ∨ " + left
			}
		}
		return nil
	})
	tasktest.Other(t, propositionalLogic.Task(), "a premise more", func(p *propositionalItem) {
		p.Premises = append(p.Premises, p.Variables[0]+" ∨ ¬"+p.Variables[0])
	})
}
