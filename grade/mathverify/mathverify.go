// Package mathverify decides whether two mathematical answers are the same. It finds the
// final answer in a model's text, where fitted weights judge whether a sentence states its
// value and may err ([Same] searches nothing), parses it and the reference answer into trees, and
// compares them in stages: as text, as exact numbers and polynomials, and by their values
// at random points in high precision. If no stage can tell, the answers count as
// different, with a reason of its own. It runs none of the text; steps bound the cost of
// a comparison, and its context ends it. The conventions are in docs/math.md.
package mathverify

import (
	"context"
	"errors"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/exact"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/grade/mathverify/reply"
)

// A Reason says why a verdict is as it is.
type Reason string

// The reasons of verdicts.
const (
	SameText    Reason = "same_text"    // the texts differ only in spaces and the like
	SameExact   Reason = "same_exact"   // the normal forms are the same
	SameNumeric Reason = "same_numeric" // the values agree at all points tried, or a decimal is the rounded value
	Differ      Reason = "different"    // they certainly differ, or are of different kinds
	NoGold      Reason = "no_gold"      // the reference is empty
	NoAnswer    Reason = "no_answer"    // the text has no answer
	Unreadable  Reason = "unreadable"   // we cannot parse the answer or the reference, and the texts differ
	Unknown     Reason = "unknown"      // no stage could tell
	Limit       Reason = "limit"        // the steps ran out, or the context ended
)

// A Verdict is the result of a comparison.
type Verdict struct {
	Equal     bool   `json:"equal"`
	Reason    Reason `json:"reason"`
	Extracted string `json:"extracted"` // the final answer, as the text writes it
}

// A Rule says how we found an answer in a text.
type Rule = reply.Rule

// The rules, by their priority.
const (
	RuleBox       = reply.RuleBox
	RuleTag       = reply.RuleTag
	RuleBare      = reply.RuleBare
	RuleStatement = reply.RuleStatement
	RuleFormula   = reply.RuleFormula
	RuleNumber    = reply.RuleNumber
	RuleText      = reply.RuleText
	RuleNone      = reply.RuleNone
)

// Extract returns the final answer of a text and the rule that found it. It looks for what the
// reference answer gold is: the letter of a multiple choice, words, or mathematics. What it finds in a
// sentence is a judgement; docs/math.md says what is certain. The cost is linear.
func Extract(text, gold string) (found string, rule Rule) {
	return reply.Find(text, reply.Reference(gold))
}

// maxSteps bounds the work on one pair; see [exact.Budget].
const (
	maxSteps      = 20_000
	maxExactSteps = 6_000 // of these, for the normal forms of one pair of scalars
)

// Verify reports whether the final answer of a text, as [Extract] finds it, is the reference
// answer gold. Both may have any length and content. It is safe for concurrent use.
func Verify(ctx context.Context, gold, text string) Verdict {
	verdict, _ := verify(ctx, gold, text)
	return verdict
}

// maxPlain is the greatest length of a text that we first compare as a whole.
const maxPlain = 320

// verify also returns the comparison, for [Explain].
func verify(ctx context.Context, gold, text string) (Verdict, *comparison) {
	c := newComparison(ctx, gold)
	found, rule := reply.Find(text, c.goldText)
	c.found(found, rule, text)
	if len(gold) < maxPlain && len(text) < maxPlain && !reply.Blank(gold) && reply.Normal(gold) == reply.Normal(text) && !reply.IsChoice(c.goldText) {
		return Verdict{true, SameText, strings.TrimSpace(text)}, c
	}
	return c.verdict(), c
}

// found takes what a rule found in a text as the answer.
func (c *comparison) found(answer string, rule Rule, text string) {
	c.answerText, c.rule = answer, rule
	if c.answerText != c.goldText {
		if words := inOtherWords(c.goldText, text, c.rule); words != "" {
			c.answerText = strings.TrimSpace(words)
		}
	}
	if step := reply.LastStep(c.answerText); step != c.answerText && !reply.HasArrow(c.goldText) {
		c.answerText = step
	}
}

// Same reports whether an answer is the reference answer gold. Unlike [Verify], it takes
// the whole text as the answer and does not search prose.
func Same(ctx context.Context, gold, answer string) Verdict {
	c := newComparison(ctx, gold)
	c.answerText = reply.Reference(answer)
	return c.verdict()
}

// Check reports why a text cannot be a reference: it is empty, or neither a choice nor
// words nor readable mathematics.
func Check(gold string) error {
	text := reply.Reference(gold)
	if reply.Blank(text) {
		return errors.New("it is empty")
	}
	if reply.IsChoice(text) {
		return nil
	}
	_, err := expr.Parse(expr.Fold(text))
	return err
}

// Read returns the expression of an answer: the content of its last box, or else the
// whole, without formula delimiters. Of "f(x) = …" it returns the right-hand side.
func Read(answer string) (*expr.Node, error) {
	n, err := expr.Parse(expr.Fold(reply.Reference(answer)))
	if err != nil {
		return nil, err
	}
	if _, value := named(n); value != nil {
		return value, nil
	}
	return n, nil
}

// Agree reports whether two expressions have the same value wherever both are defined,
// and why. Decimals are exact.
func Agree(a, b *expr.Node) (bool, Reason) {
	c := newComparison(context.Background(), "")
	verdict, err := c.sameForm(a, b)
	switch {
	case verdict == exact.Equal:
		return true, SameExact
	case verdict == exact.Different, errors.Is(err, exact.ErrUndefined):
		return false, Differ
	}
	c.reason = Differ
	return c.sameNumeric(a, b), c.reason
}

// A comparison compares one pair.
type comparison struct {
	budget *exact.Budget
	space  *exact.Space

	goldText, answerText string
	rule                 Rule
	gold, answer         *expr.Node // nil if unreadable
	goldErr, answerErr   error

	reason Reason // of the last equal scalars, or why the comparison failed
	stages []Stage
}

func newComparison(ctx context.Context, gold string) *comparison {
	budget := exact.NewBudget(ctx, maxSteps)
	return &comparison{budget: budget, space: exact.NewSpace(budget), goldText: strings.TrimRight(reply.Reference(gold), "^ ")}
}

// verdict compares the answer with the reference.
func (c *comparison) verdict() Verdict {
	v := Verdict{Extracted: c.answerText}
	switch {
	case reply.Blank(c.goldText):
		v.Reason = NoGold
	case reply.Blank(c.answerText):
		v.Reason = NoAnswer
	default:
		v.Equal, v.Reason = c.decide()
	}
	return v
}

// decide runs the stages.
func (c *comparison) decide() (bool, Reason) {
	for _, stage := range []struct {
		name    string
		compare func(c *comparison) (same, sure bool)
	}{
		{"text", func(c *comparison) (same, sure bool) { return sameWording(c.goldText, c.answerText) }},
		{"text", func(c *comparison) (same, sure bool) { return sameText(c.goldText, c.answerText) }},
		{"unit", sameUnits}, {"parts", sameParts},
	} {
		c.reason = SameText
		same, sure := stage.compare(c)
		if same || sure {
			c.note(stage.name, c.goldText+" | "+c.answerText, same)
		}
		switch {
		case same:
			return true, c.reason
		case sure:
			return false, Differ
		}
	}
	c.gold, c.goldErr = read(c.goldText)
	c.answer, c.answerErr = read(c.answerText)
	if c.answerErr != nil {
		if end := strings.LastIndexByte(c.answerText, '='); end > 0 && leavesOut(c.answerText[:end]) {
			c.answer, c.answerErr = read(c.answerText[end+1:])
		}
	}
	if c.goldErr != nil || c.answerErr != nil {
		return false, Unreadable
	}
	c.reason = SameExact
	if c.same(sameNames(c.gold, c.answer)) {
		return true, c.reason
	}
	switch {
	case c.budget.Spend(1) != nil:
		return false, Limit
	case c.reason == Unknown || c.reason == Limit:
		return false, c.reason
	}
	return false, Differ
}

// leavesOut reports whether a text has an ellipsis.
func leavesOut(text string) bool {
	return strings.Contains(text, "...") || strings.Contains(text, "…") || strings.Contains(text, "dots")
}

// fails records why a comparison could not tell.
func (c *comparison) fails(err error) {
	c.reason = Unknown
	if exact.Ended(err) {
		c.reason = Limit
	}
}
