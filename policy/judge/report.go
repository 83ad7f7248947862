package judge

import (
	"fmt"
	"io"
	"strings"

	"github.com/quintain-rl/quintain/internal/stats"
)

// A Report says what a judge did, and how far it could be trusted.
type Report struct {
	Judged    int64   `json:"judged"`   // replies with a verdict
	Ungraded  int64   `json:"ungraded"` // replies and pairs without one
	Calls     int64   `json:"calls"`
	Cached    int64   `json:"cached"` // votes
	Tokens    int64   `json:"tokens"` // readFile and written
	Failed    int64   `json:"failed"` // calls
	Unread    int64   `json:"unreadable"`
	Disagreed int64   `json:"disagreed"`          // replies and pairs with split votes
	Pairs     int64   `json:"pairs"`              // shown in both orders
	Swapped   int64   `json:"swapped"`            // of these, whose verdict turned with the order
	Length    float64 `json:"length_correlation"` // of scores with lengths of replies
	Trials    *Trials `json:"checks,omitempty"`   // nil: the judge was not tried

	Warnings []string `json:"warnings,omitempty"` // for people
}

// Report returns what the judge did so far.
func (j *Jury) Report() *Report {
	s := j.Judge.Stats()
	r := &Report{
		Judged: s.Judged, Ungraded: s.Ungraded, Calls: s.Calls, Cached: s.Cached, Tokens: s.TokensIn + s.TokensOut,
		Failed: s.Failed, Unread: s.Unread, Disagreed: s.Disagreed, Pairs: s.Pairs, Swapped: s.Swapped, Length: s.Length, Trials: j.trial.results(),
	}
	if why := s.Warning(); why != "" {
		r.Warnings = append(r.Warnings, why)
	}
	if r.Trials != nil {
		r.Warnings = append(r.Warnings, r.Trials.Warnings...)
	}
	return r
}

// Lines returns the report for people.
func (r *Report) Lines() []string {
	lines := []string{fmt.Sprintf("%s with a verdict, %d without; %s, %s from the cache, about %s; %s, %s, %s",
		stats.Count(r.Judged, "reply"), r.Ungraded, stats.Count(r.Calls, "call"), stats.Count(r.Cached, "vote"), stats.Count(r.Tokens, "token"), stats.Count(r.Failed, "failed call"), stats.Count(r.Unread, "unreadable answer"), stats.Count(r.Disagreed, "split vote"))}
	if r.Pairs > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d pairs turned with the order of their replies", r.Swapped, r.Pairs))
	}
	if r.Judged > 1 {
		lines = append(lines, fmt.Sprintf("scores and lengths of replies correlate by %.2f", r.Length))
	}
	if t := r.Trials; t != nil && t.Held > 0 {
		lines = append(lines, fmt.Sprintf("checked %s: accuracy %.3f on known verdicts, agreement with itself %.3f, never below %.3f; %d of %d injections worked",
			stats.Count(t.Held, "time"), t.Accuracy, t.Agreement, t.Lowest, len(t.Worked), t.Tried))
		if len(t.Worked) > 0 {
			lines = append(lines, "these injections worked: "+strings.Join(t.Worked, ", "))
		}
	}
	return append(lines, r.Warnings...)
}

// Say writes the report for people; nothing if it is nil.
func (r *Report) Say(w io.Writer) error {
	if r == nil {
		return nil
	}
	_, err := io.WriteString(w, "quintain judge: "+strings.Join(r.Lines(), "\nquintain judge: ")+"\n")
	return err
}
