package mathverify

import (
	"context"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// A Stage is one step of a comparison, with its result.
type Stage struct {
	Name  string `json:"name"` // "text", "exact", "decimal", "numeric" or "set"
	Of    string `json:"of"`   // the two texts, or the compared forms
	Equal bool   `json:"equal"`
}

// maxStages bounds the stages of an explanation.
const maxStages = 100

func (c *comparison) note(name, of string, equal bool) {
	if len(c.stages) < maxStages {
		c.stages = append(c.stages, Stage{name, of, equal})
	}
}

// A Side is one side of an [Explanation].
type Side struct {
	Text  string `json:"text"`            // the text we read
	Tree  string `json:"tree,omitempty"`  // its meaning
	Error string `json:"error,omitempty"` // why we could not read it
}

// An Explanation says how a verdict came about.
type Explanation struct {
	Verdict
	Rule   Rule    `json:"rule"` // how we found the answer
	Gold   Side    `json:"gold"`
	Answer Side    `json:"answer"`
	Stages []Stage `json:"stages"`
}

// Explain compares like [Verify] and records each step.
func Explain(ctx context.Context, gold, text string) Explanation {
	verdict, c := verify(ctx, gold, text)
	if c.gold == nil && c.goldErr == nil {
		c.gold, c.goldErr = read(c.goldText)
		c.answer, c.answerErr = read(c.answerText)
	}
	return Explanation{
		Verdict: verdict,
		Rule:    c.rule,
		Gold:    explained(c.goldText, c.gold, c.goldErr),
		Answer:  explained(c.answerText, c.answer, c.answerErr),
		Stages:  c.stages,
	}
}

func explained(text string, tree *expr.Node, err error) Side {
	s := Side{Text: text}
	if err != nil {
		s.Error = err.Error()
	} else if tree != nil {
		s.Tree = tree.String()
	}
	return s
}
