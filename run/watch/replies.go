package watch

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/trace"
)

// foldsOf lists the numbers of the episodes, those that are the same together: the highest
// score first, of equal scores the most frequent.
func foldsOf(r *trace.Record) (folds [][]int) {
	for i := range r.Episodes {
		k := slices.IndexFunc(folds, func(numbers []int) bool { return sameEpisode(r, numbers[0], i) })
		if k < 0 {
			folds = append(folds, []int{i})
			continue
		}
		folds[k] = append(folds[k], i)
	}
	slices.SortStableFunc(folds, func(a, b []int) int {
		return cmp.Or(cmp.Compare(rankOf(r, b[0]), rankOf(r, a[0])), cmp.Compare(len(b), len(a)))
	})
	return folds
}

// rankOf is the score of an episode, or less than all scores.
func rankOf(r *trace.Record, i int) float64 {
	if i < len(r.Scores) {
		return r.Scores[i]
	}
	return math.Inf(-1)
}

// scoreOf is the score of an episode; nil: it has none.
func scoreOf(r *trace.Record, i int) *float64 {
	if i < len(r.Scores) {
		return &r.Scores[i]
	}
	return nil
}

// sameEpisode reports whether two episodes look the same: their score, their outcome, and
// everything said.
func sameEpisode(r *trace.Record, i, k int) bool {
	a, b := &r.Episodes[i], &r.Episodes[k]
	x, y := scoreOf(r, i), scoreOf(r, k)
	return a.Outcome == b.Outcome && a.Error == b.Error && (x == nil) == (y == nil) && (x == nil || *x == *y) &&
		slices.EqualFunc(a.Turns, b.Turns, sameTurn)
}

// sameTurn reports whether two turns look the same, whatever their tokens.
func sameTurn(a, b quintain.Turn) bool {
	return a.Reply == b.Reply && a.Reasoning == b.Reasoning && a.Finish == b.Finish && a.Answer == b.Answer && a.Reward == b.Reward && a.Why == b.Why &&
		slices.EqualFunc(a.ToolCalls, b.ToolCalls, func(x, y quintain.ToolCall) bool { return x.Name == y.Name && x.Arguments == y.Arguments }) &&
		sameMessages(a.Observed, b.Observed) && bytes.Equal(a.Tools, b.Tools) && samePlace(a.Call, b.Call)
}

// samePlace reports whether two calls have the same place in their trees.
func samePlace(a, b *quintain.Call) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Parent == b.Parent && a.Class == b.Class && a.Branch == b.Branch && a.Unused == b.Unused && bytes.Equal(a.Tools, b.Tools)
}

// sameMessages reports whether two lists of messages read the same.
func sameMessages(a, b []quintain.Message) bool {
	return slices.EqualFunc(a, b, func(x, y quintain.Message) bool { return x.Role == y.Role && x.Text() == y.Text() })
}

// openingOf are the messages before the first reply of the first episode with one.
func openingOf(r *trace.Record) []quintain.Message {
	for i := range r.Episodes {
		if turns := r.Episodes[i].Turns; len(turns) > 0 {
			return turns[0].Observed
		}
	}
	return nil
}

// mostAnswers is how many different answers a side of the contrast names.
const mostAnswers = 4

// A side is the replies of a group with the same verdict, and what they answered.
type side struct {
	Verdict verdict
	Count   int
	Answers []answer
	Others  int    // replies with further answers
	Intro   string // begins the sentence on the answers
	Many    bool   // different answers
}

// An answer is an answer that some replies gave.
type answer struct {
	Text  string // empty: nothing
	Times int
}

// contrastOf tells what differs between the replies of each verdict, the best first.
func contrastOf(r *trace.Record, verdicts []verdict) (all []side) {
	for _, v := range []verdict{isRight, isPartly, isWrong, isNone} {
		one := side{Verdict: v}
		places := map[string]int{}
		for i := range r.Episodes {
			if verdicts[i] != v {
				continue
			}
			one.Count++
			text := answerOf(&r.Episodes[i])
			k, there := places[text]
			if !there {
				k = len(one.Answers)
				places[text] = k
				one.Answers = append(one.Answers, answer{Text: text})
			}
			one.Answers[k].Times++
		}
		if one.Count > 0 {
			one.cut()
			one.Intro, one.Many = one.intro(), one.different() > 1
			all = append(all, one)
		}
	}
	return all
}

// different is the number of different answers.
func (s *side) different() int { return len(s.Answers) + s.Others }

// intro begins the sentence on the answers.
func (s *side) intro() string {
	switch {
	case s.Verdict == isNone:
		return "Without a score:"
	case s.Count == 1:
		return "The " + s.Verdict.adjective() + " one answered"
	case s.different() == 1:
		return fmt.Sprintf("All %s %s ones answered", words.Count(s.Count), s.Verdict.adjective())
	}
	return "The " + s.Verdict.adjective() + " ones answered"
}

// cut leaves the most frequent answers.
func (s *side) cut() {
	slices.SortStableFunc(s.Answers, func(a, b answer) int { return cmp.Compare(b.Times, a.Times) })
	if len(s.Answers) > mostAnswers {
		for _, a := range s.Answers[mostAnswers:] {
			s.Others += a.Times
		}
		s.Answers = s.Answers[:mostAnswers]
	}
	for i := range s.Answers {
		s.Answers[i].Text = inLine(s.Answers[i].Text, 60)
	}
}

// answerOf is what an episode answered in the end: the judged part of its last reply, the
// reply itself, or why there is none.
func answerOf(e *quintain.Trajectory) string {
	if !e.Outcome.Rewarded() {
		return string(e.Outcome)
	}
	if len(e.Turns) == 0 {
		return ""
	}
	last := &e.Turns[e.Last()]
	return strings.TrimSpace(cmp.Or(strings.TrimSpace(last.Answer), last.Reply))
}
