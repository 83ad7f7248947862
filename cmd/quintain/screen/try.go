package screen

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Try prints an episode of an agent: every call with its messages, tools and reply, what the
// program wrote, and the reward. The error says why there is none.
func Try(out io.Writer, t *quintain.Trajectory) error {
	fmt.Fprintf(out, "problem %s\n", t.Problem.ID())
	for k := range t.Turns {
		tryCall(out, t, k)
	}
	wrote(out, t)
	fmt.Fprintf(out, "%s in %.2f s: %s, %s sampled, %s\n", t.Outcome, t.Took.Seconds(), stats.Count(len(t.Turns), "call"), stats.Count(t.Sampled(), "token"), drifts(t))
	if !t.Outcome.Rewarded() {
		return fmt.Errorf("the episode has no score (%s): %s", t.Outcome, t.Error)
	}
	last := t.Turns[t.Last()]
	if last.Answer != "" {
		fmt.Fprintf(out, "answer %s\n", Safe(last.Answer))
	}
	fmt.Fprintln(out, strings.TrimSuffix(fmt.Sprintf("reward %.3g, %s: %s", t.Reward(), t.End, Safe(last.Why)), ": "))
	return nil
}

// wrote prints what the program of an agent wrote, if there is one.
func wrote(out io.Writer, t *quintain.Trajectory) {
	if t.Output != "" {
		fmt.Fprintf(out, "--- the program wrote ---\n%s\n", strings.TrimRight(Safe(t.Output), "\n"))
	}
}

// tryCall prints call k of an episode.
func tryCall(out io.Writer, t *quintain.Trajectory, k int) {
	turn := &t.Turns[k]
	of := quintain.Call{Parent: t.Parent(k)}
	if turn.Call != nil {
		of = *turn.Call
	}
	place := "begins a conversation"
	if of.Parent >= 0 {
		place = fmt.Sprintf("continues call %d, %s", of.Parent+1, drift(turn))
	}
	fmt.Fprintf(out, "\n=== call %d", k+1)
	for _, word := range []string{of.Class, of.Branch} {
		if word != "" {
			fmt.Fprintf(out, ", %s", Safe(word))
		}
	}
	fmt.Fprintf(out, ": %s; %s read, %d sampled", place, stats.Count(len(turn.Read), "token"), len(turn.Wrote))
	if of.Took > 0 {
		fmt.Fprintf(out, " in %v", of.Took.Round(100*time.Microsecond))
	}
	fmt.Fprintln(out)
	if names := toolNames(of.Tools); names != "" {
		fmt.Fprintf(out, "tools: %s\n", Safe(names))
	}
	for _, m := range turn.Observed {
		Message(out, m)
	}
	said(out, turn)
	switch {
	case of.Unused != "":
		fmt.Fprintf(out, "the agent did not use this reply (%s): it is not trained on\n", Safe(of.Unused))
	case turn.Finish == quintain.Length:
		fmt.Fprintln(out, "the limit of tokens cut this reply")
	}
}

// drift says how the tokens of a turn continue those before.
func drift(t *quintain.Turn) string {
	switch {
	case t.Fork:
		return "forked: its tokens begin anew"
	case t.Realigned:
		return "realigned"
	}
	return "clean"
}

// drifts counts the drifts of the calls that continue others.
func drifts(t *quintain.Trajectory) string {
	clean, realigned, forked := 0, 0, 0
	for k := range t.Turns {
		switch turn := &t.Turns[k]; {
		case t.Parent(k) < 0:
		case turn.Fork:
			forked++
		case turn.Realigned:
			realigned++
		default:
			clean++
		}
	}
	return fmt.Sprintf("further calls %d clean, %d realigned, %d forked", clean, realigned, forked)
}

// toolNames lists the names of tools.
func toolNames(tools json.RawMessage) string {
	var list []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if strictjson.Unmarshal(tools, &list) != nil {
		return ""
	}
	var names []string
	for _, one := range list {
		names = append(names, one.Function.Name)
	}
	return strings.Join(names, ", ")
}
