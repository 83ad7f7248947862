package watch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A foreignEpisode is a line of the traces.jsonl of verifiers 0.4 (schema 1).
type foreignEpisode struct {
	Env struct {
		ID string `json:"id"`
	} `json:"env"`
	Task struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
		Hash string          `json:"hash"`
	} `json:"task"`
	Group struct {
		ID string `json:"id"`
	} `json:"group"`
	Run struct {
		Work struct {
			Policy *struct {
				Start int32 `json:"start"`
				End   int32 `json:"end"`
			} `json:"policy"`
		} `json:"work"`
	} `json:"run"`
	Errors []foreignFailure `json:"errors"`
	Traces []talked         `json:"traces"`
}

// A foreignFailure is an error of verifiers.
type foreignFailure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// A talked is an agent's conversation: a graph of messages, each with the one before it. A
// path from the first to a last message is a branch.
type talked struct {
	Nodes   []node             `json:"nodes"`
	Calls   []call             `json:"calls"`
	Rewards map[string]*reward `json:"rewards"`
	Stop    string             `json:"stop_condition"`
	OK      *bool              `json:"ok"`
	Late    bool               `json:"is_timeout"`
	Errors  []foreignFailure   `json:"errors"`
}

// A node is a message with its tokens.
type node struct {
	Parent   *int             `json:"parent"`
	Message  spoken           `json:"message"`
	Sampled  bool             `json:"sampled"`
	Tokens   []quintain.Token `json:"token_ids"`
	Mask     []bool           `json:"mask"`     // true: sampled
	LogProbs []float32        `json:"logprobs"` // of the sampled ones
}

// A call is a request to the model.
type call struct {
	Node   *int   `json:"node"`
	Finish string `json:"finish_reason"`
}

// A reward is a score and its weight; nil: 1.
type reward struct {
	Score  float64  `json:"score"`
	Weight *float64 `json:"weight"`
}

// A spoken is a message in the form of verifiers, where tool calls have no function object.
type spoken struct {
	Role      string  `json:"role"`
	Content   content `json:"content"`
	Reasoning string  `json:"reasoning_content"`
	Calls     []struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
}

// A content is a text, or the texts of parts.
type content string

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(data []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	if strictjson.Unmarshal(data, &parts) != nil {
		return strictjson.Unmarshal(data, (*string)(c))
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

// calls are the tool calls.
func (s *spoken) calls() (all []quintain.ToolCall) {
	for _, c := range s.Calls {
		all = append(all, quintain.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return all
}

// message is the message in our form.
func (s *spoken) message() quintain.Message {
	return quintain.Message{Role: s.Role, Content: string(s.Content), Reasoning: s.Reasoning, ToolCalls: s.calls(), ToolCallID: s.CallID}
}

// mostPaths bounds the messages of all paths through a graph.
const mostPaths = 1_000_000

// addTraces reads an episode of verifiers. The traces of one task are a group, each an
// episode of ours.
func (r *reader) addTraces(line []byte) error {
	var e foreignEpisode
	if err := strictjson.Unmarshal(line, &e); err != nil {
		return err
	}
	key := e.Group.ID + "\n" + cmp.Or(e.Task.Hash, string(e.Task.Data))
	record := r.examples[key]
	if record == nil || key == "\n" {
		record = r.begin(cmp.Or(e.Env.ID, e.Task.Type))
		record.Problem.Instance = quintain.RawRecord(e.Task.Data)
		r.examples[key] = record
	}
	if p := e.Run.Work.Policy; p != nil {
		record.Version = int(p.End)
	}
	for i := range e.Traces {
		turns, err := e.turns(i)
		if err != nil {
			return fmt.Errorf("traces[%d].%w", i, err)
		}
		r.addEpisode(record, turns, e.Traces[i].reward())
		e.judge(&record.Episodes[len(record.Episodes)-1], i)
	}
	if len(e.Traces) == 0 {
		r.addEpisode(record, nil, 0)
		fail(&record.Episodes[len(record.Episodes)-1], false, e.Errors)
	}
	return nil
}

// reward is the sum of the weighted rewards.
func (t *talked) reward() (sum float64) {
	for _, r := range t.Rewards {
		if r != nil && r.Weight != nil {
			sum += r.Score * *r.Weight
		} else if r != nil {
			sum += r.Score
		}
	}
	return sum
}

// judge says how trace i ended.
func (e *foreignEpisode) judge(to *quintain.Trajectory, i int) {
	t := &e.Traces[i]
	if n := len(to.Turns); n > 0 {
		to.Turns[n-1].Why = t.Stop
	}
	if t.OK != nil && !*t.OK {
		fail(to, t.Late, append(slices.Clone(t.Errors), e.Errors...))
	}
}

// fail records why an episode failed.
func fail(to *quintain.Trajectory, late bool, errors []foreignFailure) {
	to.Outcome, to.Error = quintain.EnvFailed, "unknown reason"
	if n := len(errors); n > 0 {
		to.Error = errors[n-1].Type + ": " + errors[n-1].Message
	}
	switch {
	case late:
		to.Outcome = quintain.TimedOut
	case strings.HasPrefix(to.Error, "ProviderError"):
		to.Outcome = quintain.InfraFailed
	}
}

// turns are the sampled messages of trace i, in their order.
func (e *foreignEpisode) turns(i int) ([]quintain.Turn, error) {
	w := walk{nodes: e.Traces[i].Nodes, last: -1, at: map[int]int{}}
	for n := range w.nodes {
		if err := w.step(n); err != nil {
			return nil, err
		}
	}
	for _, c := range e.Traces[i].Calls {
		if c.Node == nil {
			continue // a failed call
		}
		if k, there := w.at[*c.Node]; there {
			w.turns[k].Finish = quintain.Stop
			if c.Finish == string(quintain.Length) {
				w.turns[k].Finish = quintain.Length
			}
		}
	}
	if p := e.Run.Work.Policy; p != nil && p.Start == p.End {
		for k := range w.turns {
			w.turns[k].Versions = slices.Repeat([]int32{p.Start}, len(w.turns[k].Wrote))
		}
	}
	return w.turns, nil
}

// A walk visits the messages of a trace.
type walk struct {
	nodes  []node
	turns  []quintain.Turn
	at     map[int]int // the turn of each sampled node
	last   int         // node of the last turn; -1: none yet
	walked int         // messages on all paths so far
}

// step visits node n. A sampled one is a turn, with the messages since the last turn; one
// that does not continue the last turn begins anew, with its whole path.
func (w *walk) step(n int) error {
	one := &w.nodes[n]
	if p := one.Parent; p != nil && (*p < 0 || *p >= n) {
		return fmt.Errorf("nodes[%d].parent: is %d, want an earlier node", n, *p)
	}
	if !one.Sampled {
		return nil
	}
	var path []*node
	from := one.Parent
	for from != nil && *from != w.last {
		if w.walked++; w.walked > mostPaths {
			return fmt.Errorf("nodes[%d].parent: the paths have more than %d messages", n, mostPaths)
		}
		path = append(path, &w.nodes[*from])
		from = w.nodes[*from].Parent
	}
	t := quintain.Turn{
		Reply: string(one.Message.Content), Reasoning: one.Message.Reasoning, ToolCalls: one.Message.calls(), Fork: w.last >= 0 && from == nil,
	}
	for _, before := range slices.Backward(path) {
		t.Observed, t.Read = append(t.Observed, before.Message.message()), append(t.Read, before.Tokens...)
	}
	opening := max(0, slices.Index(one.Mask, true)) // the template's opening of the reply
	opening = min(opening, len(one.Tokens))
	t.Read, t.Wrote = append(t.Read, one.Tokens[:opening]...), one.Tokens[opening:]
	if len(one.LogProbs) == len(t.Wrote) {
		t.LogProbs = one.LogProbs
	}
	w.at[n], w.last = len(w.turns), n
	w.turns = append(w.turns, t)
	return nil
}
