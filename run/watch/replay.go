package watch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/run/watch/words"
)

// mostReplays is how many different replies of a replay are shown.
const mostReplays = 24

// A replay is a held-out problem in all evaluations of a run.
type replay struct {
	Label    string
	Labels   []string // of all problems that can be replayed
	ID       string
	Question excerpt
	Replies  []replayed
	Left     int // replies left out in the middle
	All      int // evaluations with a reply
	Story    string
}

// A replayed is a reply in a replay, given in one evaluation or in several in a row.
type replayed struct {
	From, To int // versions
	Reply    excerpt
	Verdict  verdict
	Class    string // of the style
	Score    float64
	Why      string
	Left     bool // replies are left out before it

	text string
}

// newReplay replays the problem of a label, or without one the problem that gained most; nil:
// there is none.
func newReplay(all []heldOut, label string) *replay {
	r := &replay{}
	first, last := map[string]float64{}, map[string]float64{}
	for i := range all {
		for k := range all[i].Examples {
			e := &all[i].Examples[k]
			if _, there := first[e.Label]; !there {
				first[e.Label] = e.Score
				r.Labels = append(r.Labels, e.Label)
			}
			last[e.Label] = e.Score
		}
	}
	if len(r.Labels) == 0 {
		return nil
	}
	slices.SortFunc(r.Labels, compareLabelsByTask)
	r.Label = label
	if _, there := first[label]; !there {
		r.Label = slices.MaxFunc(r.Labels, func(a, b string) int { return cmp.Compare(last[a]-first[a], last[b]-first[b]) })
	}
	for i := range all {
		for k := range all[i].Examples {
			if e := &all[i].Examples[k]; e.Label == r.Label {
				r.add(all[i].Version, e)
			}
		}
	}
	r.Story = r.story()
	if left := len(r.Replies) - mostReplays; left > 0 {
		r.Left = left
		r.Replies = slices.Delete(r.Replies, mostReplays/2, mostReplays/2+left)
		r.Replies[mostReplays/2].Left = true
	}
	return r
}

// add adds the reply of a version.
func (r *replay) add(version int, e *example) {
	r.All++
	if r.ID == "" {
		r.ID, r.Question = plain(e.ID), short(e.Question)
	}
	if n := len(r.Replies); n > 0 {
		if before := &r.Replies[n-1]; before.text == e.Reply && before.Score == e.Score {
			before.To = version
			return
		}
	}
	one := replayed{From: version, To: version, Reply: short(e.Reply), Verdict: isWrong, Score: e.Score, Why: plain(e.Why), text: e.Reply}
	switch {
	case e.Right || e.Score >= 1:
		one.Verdict = isRight
	case e.Score > 0:
		one.Verdict = isPartly
	}
	one.Class = one.Verdict.class()
	r.Replies = append(r.Replies, one)
}

// story tells the first verdict and the last.
func (r *replay) story() string {
	a, b := &r.Replies[0], &r.Replies[len(r.Replies)-1]
	first := strings.ToUpper(string(a.Verdict[:1])) + string(a.Verdict[1:])
	switch {
	case r.All == 1:
		return first + " at version " + words.Count(a.From) + "."
	case a.Verdict == b.Verdict:
		return first + " at version " + words.Count(a.From) + ", and still at version " + words.Count(b.To) + "."
	}
	return first + " at version " + words.Count(a.From) + ", " + string(b.Verdict) + " at version " + words.Count(b.To) + "."
}

// short is a text that is cut already.
func short(text string) (e excerpt) {
	e.Pieces, e.Left = words.Split(text, mostText)
	e.Some = text != ""
	return e
}
