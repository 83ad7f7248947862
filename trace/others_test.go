package trace

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

var folder = flag.String("folder", "", "folder for the trace of TestFolderForOthers; empty: a temporary folder")

// TestFolderForOthers writes a trace, and its records as JSON lines, for readers in other
// languages; conformance/trace.py runs it.
func TestFolderForOthers(t *testing.T) {
	dir := *folder
	if dir == "" {
		dir = t.TempDir()
	}
	s := newSpecimen()
	records := append(oddRecords(), s.large(1))
	for i := range 250 {
		records = append(records, s.small(i))
	}
	settings := tiny()
	settings.MaxBytes = 1 << 30
	w := newWriter(t, dir, settings)
	lines, err := os.Create(filepath.Join(dir, "records.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(lines)
	for _, r := range records {
		writeAll(t, w, r)
		if err := enc.Encode(plain(t, r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), lines.Close()); err != nil {
		t.Fatal(err)
	}
	testAre(t, open(t, dir), records)
}

// oddRecords returns records with all features that groups of one turn lack.
func oddRecords() []*Record {
	group := newSpecimen().small(7)
	group.Drop, group.Scores, group.Advantages = "infra_failed", nil, nil
	failed := &group.Episodes[2]
	failed.Outcome, failed.Error, failed.Turns, failed.Started = quintain.InfraFailed, "the server said \"no\"\n\x00 ü 𝔘 </script>", nil, time.Time{}
	cut := &group.Episodes[3].Turns[0]
	cut.LogProbs, cut.Versions, cut.Wrote, cut.Read = nil, nil, []quintain.Token{}, nil

	talk := newSpecimen().small(8)
	talk.Sequences = []int32{0, 0, 1, 2, 3, 4, 5, 6, 7}
	talk.Advantages = append([][]float64{{0.1}, {}}, talk.Advantages[1:]...)
	first := &talk.Episodes[0]
	first.ID = "another"
	first.Turns = append(first.Turns, quintain.Turn{
		Observed: []quintain.Message{
			{Role: quintain.RoleTool, Content: "4", ToolCallID: "call-1", Extra: map[string]json.RawMessage{"weight": []byte("0.5")}},
			{Role: quintain.RoleUser, Parts: []quintain.Part{{Type: quintain.PartText, Text: "and?"}, {Type: "image_url", Raw: []byte(`{"type": "image_url", "image_url": {"url": "data:,"}}`)}}},
		},
		Reply: "", Reasoning: "hm", ToolCalls: []quintain.ToolCall{{ID: "call-2", Name: "add", Arguments: `{"a":2}`}},
		Read: []quintain.Token{-5, 150999, 1<<31 - 1}, Wrote: []quintain.Token{0, 1, 2}, LogProbs: []float32{0, -1e-40, -123.456},
		Versions: []int32{4, 4, 5}, Finish: quintain.Length, Fork: true, Reward: -0.1, Malformed: true, Why: "no answer",
	})
	tree := newSpecimen().small(9)
	calls := &tree.Episodes[1]
	calls.Turns[0].Call = &quintain.Call{ID: "call-a", Parent: -1, Class: "root", Tools: []byte(`[{"type": "function",  "function":{"name":"add"}}]`)}
	calls.Helpers = []quintain.Talk{{Player: "server:judge", Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "good?"}}, Replies: 1, Tokens: 2, Took: time.Second}}
	for k, call := range []*quintain.Call{
		{ID: "call-b", Parent: 0, Class: "extends"},
		{ID: "call-c", Parent: 0, Class: "branches", Branch: "subagent", Unused: "not delivered"},
	} {
		calls.Turns = append(calls.Turns, quintain.Turn{Read: []quintain.Token{7}, Wrote: []quintain.Token{8}, Finish: quintain.Stop, Reward: float64(k), Call: call})
	}
	return []*Record{group, talk, tree}
}

// plain returns a record as seen from another language: times in nanoseconds, and episodes
// without what the record says already.
func plain(t *testing.T, r *Record) map[string]any {
	var m map[string]any
	if err := json.Unmarshal([]byte(inJSON(r)), &m); err != nil {
		t.Fatal(err)
	}
	m["time"] = r.Time.UnixNano()
	for i := range r.Episodes {
		e := m["episodes"].([]any)[i].(map[string]any)
		delete(e, "problem")
		delete(e, "started")
		if !r.Episodes[i].Started.IsZero() {
			e["started"] = r.Episodes[i].Started.Sub(r.Time).Nanoseconds()
		}
		if r.Episodes[i].ID == episodeID(r.Group(), i) {
			delete(e, "id")
		}
	}
	return m
}
