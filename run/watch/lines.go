package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/tasks/dataset"
	"github.com/quintain-rl/quintain/trace"
)

// mostJSONLine bounds a line, in bytes.
const mostJSONLine = 64 << 20

// readLines reads the file at path, and calls keep with each group, in the order of their first
// lines. The error names the unreadable line, and the field if it is one. A line has at most
// 64 MiB.
func readLines(path string, keep func(*trace.Record) error) error {
	f, err := jsonl.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r := &reader{task: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), time: info.ModTime(), examples: map[string]*trace.Record{}}
	err = dataset.Lines(f, mostJSONLine, func(n int, line []byte, err error) error {
		if err == nil {
			err = r.add(line)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, strictjson.Explain(err))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, record := range r.records {
		if err := keep(record); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// A reader collects the groups of a file.
type reader struct {
	task     string // of groups without one
	time     time.Time
	records  []*trace.Record
	examples map[string]*trace.Record // of verifiers and AReaL, by their IDs
}

// A shape has the fields that distinguish the forms of a line.
type shape struct {
	Tokens     json.RawMessage `json:"tokens"`
	Scores     json.RawMessage `json:"scores"`
	Rollouts   []dumpedRollout `json:"rollouts"`
	ItemID     string          `json:"item_id"`
	Completion json.RawMessage `json:"completion"`
	Traces     json.RawMessage `json:"traces"`
	Episodes   json.RawMessage `json:"episodes"`
}

// A dumpedRollout is an episode in Atropos' dumps.
type dumpedRollout struct {
	Conversation []quintain.Message `json:"conversation"`
	Score        float64            `json:"score"`
}

// errForm reports a line of unknown form.
var errForm = errors.New("it is neither a scored group, nor rollouts, nor a result of verifiers or AReaL: want tokens and scores, rollouts, completion and reward, or traces")

// add reads a line.
func (r *reader) add(line []byte) error {
	var s shape
	if err := strictjson.Unmarshal(line, &s); err != nil {
		return err
	}
	switch {
	case s.Episodes != nil && s.Scores != nil && s.Tokens == nil:
		var record trace.Record
		r.records = append(r.records, &record)
		return strictjson.Unmarshal(line, &record)
	case s.Tokens != nil && s.Scores != nil:
		return r.addGroup(line)
	case s.Rollouts != nil:
		record := r.begin(s.ItemID)
		for _, one := range s.Rollouts {
			r.addEpisode(record, turnsOf(one.Conversation), one.Score)
		}
		return nil
	case s.Completion != nil:
		return r.addResult(line)
	case s.Traces != nil:
		return r.addTraces(line)
	}
	return errForm
}

// begin begins a group of a task.
func (r *reader) begin(task string) *trace.Record {
	if task == "" {
		task = r.task
	}
	record := &trace.Record{Problem: quintain.Problem{Task: task, Index: len(r.records)}, Time: r.time, Scores: []float64{}}
	r.records = append(r.records, record)
	return record
}

// addEpisode adds an episode to a group.
func (r *reader) addEpisode(to *trace.Record, turns []quintain.Turn, score float64) {
	if len(turns) > 0 {
		turns[len(turns)-1].Reward = score
	}
	to.Episodes = append(to.Episodes, quintain.Trajectory{Problem: to.Problem, Outcome: quintain.Scored, Turns: turns})
	to.Scores = append(to.Scores, score)
}

// turnsOf cuts a conversation after each reply of the policy, and drops the rest.
func turnsOf(talk []quintain.Message) (turns []quintain.Turn) {
	from := 0
	for i, m := range talk {
		if m.Role == quintain.RoleAssistant {
			turns = append(turns, quintain.Turn{Observed: talk[from:i], Reply: m.Text(), Reasoning: m.Reasoning, ToolCalls: m.ToolCalls})
			from = i + 1
		}
	}
	return turns
}

// addGroup reads a scored group of Atropos.
func (r *reader) addGroup(line []byte) error {
	g, err := atropos.DecodeGroup(line)
	if err != nil {
		return err
	}
	var talks [][]quintain.Message
	if g.Messages != nil {
		if err := strictjson.Unmarshal(g.Messages, &talks); err != nil {
			return fmt.Errorf("messages: %w", err)
		}
	}
	record := r.begin(g.Origin.Task)
	record.Advantages = g.Advantages
	for i := range g.Tokens {
		var turns []quintain.Turn
		if i < len(talks) {
			turns = turnsOf(talks[i])
		}
		r.addEpisode(record, withTokens(turns, g, i), g.Scores[i])
	}
	return nil
}

// withTokens gives turns the tokens of sequence i of a group: to each in turn the next
// untrained and the next trained ones. It adds turns if there are too few.
func withTokens(turns []quintain.Turn, g *quintain.Group, i int) []quintain.Turn {
	tokens, masks := g.Tokens[i], g.Masks[i]
	trained := func(k int) bool { return k < len(masks) && masks[k] != quintain.Untrained }
	for n, k := 0, 0; k < len(tokens); n++ {
		if n == len(turns) {
			turns = append(turns, quintain.Turn{})
		}
		from := k
		for k < len(tokens) && !trained(k) {
			k++
		}
		wrote := k
		for k < len(tokens) && trained(k) {
			k++
		}
		t := &turns[n]
		t.Read, t.Wrote = tokens[from:wrote], tokens[wrote:k]
		if i < len(g.Versions) {
			t.Versions = g.Versions[i][wrote:k]
		}
		if i < len(g.LogProbs) && len(g.LogProbs[i]) >= k {
			for _, p := range g.LogProbs[i][wrote:k] {
				t.LogProbs = append(t.LogProbs, float32(p))
			}
		}
	}
	return turns
}
