package screen

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/trace"
)

// Traces prints a table of the entries of a trace.
func Traces(out io.Writer, entries []trace.Entry, asJSON bool) error {
	if asJSON {
		for _, e := range entries {
			if err := json.NewEncoder(out).Encode(e); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "time\tversion\tscore\tepisodes\ttokens\tdropped\tgroup")
	for _, e := range entries {
		drop := e.Drop
		if drop == "" {
			drop = "-"
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%d\t%s\t%s\n", e.Time.Local().Format(time.TimeOnly), e.Version, number(e.Score), e.Episodes, e.Tokens, drop, e.Group)
	}
	return t.Flush()
}

// Record prints the episodes of a group, with their scores and verdicts.
func Record(out io.Writer, r *trace.Record) {
	fmt.Fprintf(out, "group %s, played by version %d at %s\n", r.Group(), r.Version, r.Time.Local().Format(time.DateTime))
	if r.Worker != "" {
		fmt.Fprintf(out, "by the worker %s, with the model %s\n", Safe(r.Worker), Safe(r.Model))
	}
	if r.Drop != "" {
		fmt.Fprintf(out, "dropped: %s\n", r.Drop)
	}
	for i := range r.Episodes {
		t := &r.Episodes[i]
		fmt.Fprintf(out, "\n=== episode %d: %s", i, t.Outcome)
		if len(r.Scores) > 0 {
			fmt.Fprintf(out, ", score %.3g", r.Scores[i])
		}
		if m := t.Match; m != nil {
			fmt.Fprintf(out, ", seat %d of match %s between %s", m.Seat, Safe(m.ID), Safe(strings.Join(m.Players, " and ")))
		}
		fmt.Fprintln(out)
		if names := toolNames(t.Tools); names != "" && i == 0 {
			fmt.Fprintf(out, "tools: %s\n", Safe(names))
		}
		lost := exam.RegretOf(t)
		for k := range t.Turns {
			if c := t.Turns[k].Call; c != nil {
				call(out, k, c)
			}
			Turn(out, &t.Turns[k], i == 0 || k > 0 || t.Match != nil, t.Outcome) // all episodes of one seat have the same opening; show it once
			valued(out, lost.Turns[k], t.Turns[k].Illegal)
		}
		if lost.Play != nil {
			fmt.Fprintln(out, &lost)
		}
		wrote(out, t)
		if t.Error != "" {
			fmt.Fprintf(out, "failed: %s\n", Fault(t.Error))
		}
	}
}

// valued prints the exact value of a turn; nil: it is unknown.
func valued(out io.Writer, t *exam.TurnRegret, illegal bool) {
	if t == nil {
		return
	}
	text := t.String()
	if illegal {
		text += ", illegal"
	}
	if t.IsBlunder() {
		text += ", a blunder"
	}
	fmt.Fprintln(out, text)
}

// call prints the place of turn k in a tree.
func call(out io.Writer, k int, c *quintain.Call) {
	fmt.Fprintf(out, "--- call %d", k+1)
	if c.Parent >= 0 {
		fmt.Fprintf(out, ", continues call %d", c.Parent+1)
	}
	for _, of := range []struct{ what, text string }{{", ", c.Class}, {", branch ", c.Branch}, {", not used: ", c.Unused}} {
		if of.text != "" {
			fmt.Fprint(out, of.what, Safe(of.text))
		}
	}
	fmt.Fprintln(out, " ---")
}

// Turn prints the reply and the reward of a turn, after the messages to the policy if told is
// set, of an episode with an outcome. It makes the reply safe for a terminal.
func Turn(out io.Writer, t *quintain.Turn, told bool, o quintain.Outcome) {
	if told {
		for _, m := range t.Observed {
			Message(out, m)
		}
	}
	if t.Tools != nil {
		fmt.Fprintf(out, "tools from here on: %s\n", Safe(toolNames(t.Tools)))
	}
	said(out, t)
	Judged(out, t, o)
}

// Judged prints the reward of a turn, and why; nothing if the outcome has no reward.
func Judged(out io.Writer, t *quintain.Turn, o quintain.Outcome) {
	if !o.Rewarded() {
		return
	}
	fmt.Fprintf(out, "reward %.3g", t.Reward)
	if t.Why != "" {
		fmt.Fprintf(out, ": %s", Safe(t.Why))
	}
	fmt.Fprintln(out)
}

// Message prints a message.
func Message(out io.Writer, m quintain.Message) {
	fmt.Fprintf(out, "--- %s ---\n%s\n", Safe(m.Role), Safe(m.Text()))
}

// said prints what the policy replied, with its calls.
func said(out io.Writer, t *quintain.Turn) {
	if t.Reasoning != "" {
		fmt.Fprintf(out, "--- the policy thinks ---\n%s\n", Safe(t.Reasoning))
	}
	fmt.Fprintf(out, "--- the policy ---\n%s\n", Safe(t.Reply))
	for _, c := range t.ToolCalls {
		fmt.Fprintf(out, "calls %s with %s\n", Safe(c.Name), Safe(c.Arguments))
	}
	if t.CallFault != "" {
		fmt.Fprintf(out, "its calls cannot be read: %s\n", Safe(t.CallFault))
	}
}

// number writes a score, which may be missing.
func number(v *float64) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%.3f", *v)
}
