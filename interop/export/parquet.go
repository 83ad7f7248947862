package export

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/trace"
)

// A Row is a training sequence in a Parquet file. Lists have a value for each token; an
// unknown list is empty.
type Row struct {
	Group      string    `parquet:"group,dict"`
	Scenario   string    `parquet:"scenario,dict"`
	Task       string    `parquet:"task,dict"`
	Level      int32     `parquet:"level"`
	Seed       uint64    `parquet:"seed"`
	Index      int64     `parquet:"index"`
	Episode    int32     `parquet:"episode"`  // number in the group
	Sequence   int32     `parquet:"sequence"` // number in the group
	Score      float64   `parquet:"score"`
	Outcome    string    `parquet:"outcome,dict"`
	Drop       string    `parquet:"drop,dict"` // why the group was dropped; empty: kept
	Version    int32     `parquet:"version"`   // of the policy when the group was judged; -1: unknown
	Time       time.Time `parquet:"time,timestamp(microsecond)"`
	Worker     string    `parquet:"worker,dict"` // that played the group; empty: the run itself
	Model      string    `parquet:"model,dict"`  // of that worker
	Messages   []Message `parquet:"messages,list"`
	Tools      string    `parquet:"tools,optional,dict"` // a JSON list; null: none
	Metrics    string    `parquet:"metrics,optional"`    // those of the episode, a JSON object; null: none
	Tokens     []int32   `parquet:"tokens,list"`
	Masked     bool      `parquet:"masked"`          // the sequence is not trained on, since a limit cut a reply
	Trained    []bool    `parquet:"trained,list"`    // whether a token is trained on
	LogProbs   []float32 `parquet:"logprobs,list"`   // as sampled; 1: not sampled
	Versions   []int32   `parquet:"versions,list"`   // of the weights that sampled a token; -1: not sampled
	Advantages []float32 `parquet:"advantages,list"` // one for each token, or one for all
}

// A Message is a message of a [Row], with its text. What it has not is null.
type Message struct {
	Role       string `parquet:"role,dict"`
	Content    string `parquet:"content"`
	Reasoning  string `parquet:"reasoning_content,optional"`
	ToolCalls  []Call `parquet:"tool_calls,optional,list"`
	ToolCallID string `parquet:"tool_call_id,optional"`
	Name       string `parquet:"name,optional,dict"`
}

// A Call is a call that the assistant asks for.
type Call struct {
	ID       string   `parquet:"id"`
	Type     string   `parquet:"type,dict"` // function
	Function Function `parquet:"function"`
}

// A Function is the function of a [Call].
type Function struct {
	Name      string `parquet:"name,dict"`
	Arguments string `parquet:"arguments"` // as the model wrote them: meant to be a JSON object
}

// Parquet is a [Sink] of training sequences in a Parquet file: columns named after [Row],
// compressed with zstd. Close writes the end of the file.
type Parquet struct {
	Shaping

	mu  sync.Mutex
	out *parquet.GenericWriter[Row]
}

// rowGroup is the number of sequences that are written together.
const rowGroup = 4096

// NewParquet returns a sink that writes the file to out.
func NewParquet(out io.Writer, how Shaping) *Parquet {
	return &Parquet{Shaping: how, out: parquet.NewGenericWriter[Row](out,
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowGroup), parquet.CreatedBy("quintain", "", ""))}
}

// Write implements [Sink].
func (p *Parquet) Write(r *trace.Record) error {
	g, err := Group(r, p.all())
	if err != nil || g == nil {
		return err
	}
	rows, err := rows(r, g)
	if err != nil {
		return fmt.Errorf("parquet: group %s: %w", r.Group(), err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.out.Write(rows)
	return err
}

// Close writes the remaining rows and the end of the file.
func (p *Parquet) Close() error { return p.out.Close() }

// rows returns the sequences of a group.
func rows(r *trace.Record, g *quintain.Group) ([]Row, error) {
	var talks [][]quintain.Message
	if err := strictjson.Unmarshal(g.Messages, &talks); err != nil {
		return nil, err
	}
	all := make([]Row, len(g.Tokens))
	for i := range all {
		episode := i
		if g.Episodes != nil {
			episode = int(g.Episodes[i])
		}
		row := Row{
			Group: g.ID, Scenario: g.Origin.Scenario, Task: g.Origin.Task, Level: int32(g.Origin.Level), Seed: g.Origin.Seed, Index: int64(g.Origin.Index),
			Episode: int32(episode), Sequence: int32(i), Score: g.Scores[i], Outcome: string(r.Episodes[episode].Outcome),
			Drop: r.Drop, Version: int32(r.Version), Time: r.Time, Worker: r.Worker, Model: r.Model, Versions: at(g.Versions, i),
			LogProbs: floats(at(g.LogProbs, i)), Advantages: floats(at(g.Advantages, i)),
		}
		var err error
		if row.Masked, err = g.Masked(i); err != nil {
			return nil, err
		}
		of := &r.Episodes[episode]
		row.Metrics = metricsOf(of)
		row.Tools = string(of.Offered(of.Path(of.Last())))
		for _, m := range talks[i] {
			row.Messages = append(row.Messages, messageOf(m))
		}
		for k, token := range g.Tokens[i] {
			row.Tokens = append(row.Tokens, int32(token))
			row.Trained = append(row.Trained, !row.Masked && g.Masks[i][k] != quintain.Untrained)
		}
		all[i] = row
	}
	return all, nil
}

// metricsOf returns the metrics of an episode as JSON; empty: there are none.
func metricsOf(t *quintain.Trajectory) string {
	all := t.Metrics()
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // they are finite
	}
	return string(text)
}

func messageOf(m quintain.Message) Message {
	out := Message{Role: m.Role, Content: m.Text(), Reasoning: m.Reasoning, ToolCallID: m.ToolCallID, Name: m.Name}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, Call{call.ID, "function", Function{call.Name, call.Arguments}})
	}
	return out
}

// at returns row i of rows; nil if there are none.
func at[T any](rows [][]T, i int) []T {
	if i >= len(rows) {
		return nil
	}
	return rows[i]
}

func floats(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
