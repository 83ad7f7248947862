package languages

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// newRules asks for the result of rules that are invented for the problem.
var newRules = task.Spec[newRulesParams, newRulesItem]{
	Name:     "new_rules",
	Category: "logic",
	Doc: "Apply rules that were invented for the problem: operators on numbers, priorities of rewriting, the points of a card game. " +
		"Every problem draws its rules anew from parts.",
	Source:  "Our own.",
	Version: 1,
	Default: newRulesParams{Kind: anyKind, Rules: 2, Length: 4},
	Levels: []newRulesParams{
		{Kind: anyKind, Rules: 1, Length: 3},
		{Kind: anyKind, Rules: 2, Length: 5},
		{Kind: anyKind, Rules: 3, Length: 8},
		{Kind: anyKind, Rules: 4, Length: 12},
		{Kind: anyKind, Rules: 6, Length: 18},
		{Kind: anyKind, Rules: 8, Length: 30},
	},
	Make: makeNewRules,
}

// newRulesParams are the settings of one difficulty.
type newRulesParams struct {
	Kind   string `json:"kind" oneof:"operators rewriting cards any"` // operators, rewriting, cards or any
	Rules  int    `json:"rules" want:"1 to 8"`                        // how many
	Length int    `json:"length" want:"2 to 40"`                      // numbers to compute with, steps of rewriting, cards in the hand
}

const (
	anyKind   = "any"
	mostRules = 8
)

var kinds = []string{"operators", "rewriting", "cards"}

// newRulesItem is one set of rules and what they are applied to: exactly one of the three.
type newRulesItem struct {
	Operators *operators `json:"operators,omitempty"`
	Rewriting *rewriting `json:"rewriting,omitempty"`
	Cards     *cards     `json:"cards,omitempty"`
	Phrasing  int        `json:"phrasing,omitempty" want:"0 to 5"`
}

// wordings is the number of wordings of each kind.
const wordings = 6

// makeNewRules draws the kind, the rules, and what they are applied to.
func makeNewRules(p newRulesParams, r *rng.Rand) (item newRulesItem, err error) {
	kind := p.Kind
	if kind == anyKind {
		kind = rng.Pick(r, kinds)
	}
	item.Phrasing = r.Between(0, wordings-1)
	switch kind {
	case "operators":
		item.Operators = drawOperators(p, r)
	case "rewriting":
		item.Rewriting, err = drawRewriting(p, r)
	default:
		item.Cards = drawCards(p, r)
	}
	return item, err
}

// A ruleset is rules of one kind, with what they are applied to.
type ruleset interface {
	appendPrompt(b []byte, phrasing int) []byte
	result() string
	score(answer string) quintain.Verdict
	canonical() string
	check() error
}

// rules returns the rules that n has, nil if that is not one kind.
func (n newRulesItem) rules() ruleset {
	switch {
	case n.Operators != nil && n.Rewriting == nil && n.Cards == nil:
		return n.Operators
	case n.Operators == nil && n.Rewriting != nil && n.Cards == nil:
		return n.Rewriting
	case n.Operators == nil && n.Rewriting == nil && n.Cards != nil:
		return n.Cards
	}
	return nil
}

func (n newRulesItem) Prompt() string {
	return string(n.rules().appendPrompt(make([]byte, 0, task.PromptRoom), n.Phrasing))
}

// Canonical implements [task.Canonicalizer]: the rules without the names in them.
func (n newRulesItem) Canonical() string { return n.rules().canonical() }

// Check refuses a record without rules, or with some that cannot be applied.
func (n newRulesItem) Check() error {
	rules := n.rules()
	if rules == nil {
		return fmt.Errorf("want rules of one kind: %s", strings.Join(kinds, ", "))
	}
	return rules.check()
}

func (n newRulesItem) Solve() string { return n.rules().result() }

func (n newRulesItem) Score(answer string) quintain.Verdict { return n.rules().score(answer) }
