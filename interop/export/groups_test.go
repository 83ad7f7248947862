package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// playedGroup returns a group of a few turns each, one of them a fork, judged by rules, and
// its record.
func playedGroup(t *testing.T, rules rollout.Rules) (*quintain.Group, *trace.Record) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	result := rollout.Result{Job: rollout.Job{Problem: quintain.Problem{Task: "gcd", Version: 1, Level: 2, Seed: 1 << 63}}}
	for episode := range 4 {
		played := quintain.Trajectory{Problem: result.Job.Problem, Outcome: quintain.Scored}
		for turn := range 1 + episode {
			made := quintain.Turn{
				Observed: []quintain.Message{{Role: quintain.RoleUser, Content: "ü?"}}, Reply: "é",
				Fork: episode == 2 && turn == 1, Reward: r.Float64(),
			}
			for range 3 + r.IntN(5) {
				made.Read = append(made.Read, quintain.Token(r.Int32N(1000)))
				made.Wrote = append(made.Wrote, quintain.Token(r.Int32N(1000)))
				made.LogProbs = append(made.LogProbs, -r.Float32())
				made.Versions = append(made.Versions, 7)
			}
			played.Turns = append(played.Turns, made)
		}
		result.Trajectories = append(result.Trajectories, played)
	}
	j, err := rules.Judge(result)
	g, scores, drop := j.Group, j.Scores, j.Drop
	if err != nil || drop != "" {
		t.Fatal(drop, err)
	}
	return g, &trace.Record{
		Problem: result.Job.Problem, Episodes: result.Trajectories, Scores: scores, Advantages: g.Advantages, Sequences: g.Episodes,
		Version: 8, Time: time.Unix(1_700_000_000, 0).UTC(),
	}
}

func TestGroupIsMadeAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		rules rollout.Rules
	}{
		{"whole episodes", rollout.Rules{Estimator: rollout.GRPO, TurnDiscount: 1, Sequences: rollout.WholeEpisodes}},
		{"each turn", rollout.Rules{Estimator: rollout.RLOO, TurnDiscount: 1, Sequences: rollout.EachTurn}},
		{"a turn discount", rollout.Rules{Estimator: rollout.GRPO, TurnDiscount: 0.5, Sequences: rollout.EachTurn}},
		{"a penalty", rollout.Rules{Estimator: rollout.GRPO, TurnDiscount: 0.9, Sequences: rollout.EachTurn, LengthBudget: 20}},
		{"no advantages", rollout.Rules{Estimator: rollout.None, TurnDiscount: 1, Sequences: rollout.WholeEpisodes}},
	} {
		want, record := playedGroup(t, test.rules)
		got, err := Group(record, test.rules)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		want.Overrides, got.Overrides, want.Generation, got.Generation = nil, nil, nil, nil // a record lacks these settings
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: made again as\n%+v, was\n%+v", test.why, got, want)
		}
	}
}

func TestGroupSaysThatSequencesWereCutOtherwise(t *testing.T) {
	t.Parallel()
	_, record := playedGroup(t, rollout.Rules{Estimator: rollout.GRPO, TurnDiscount: 1, Sequences: rollout.EachTurn})
	if _, err := Group(record, rules()); !errors.Is(err, errSequences) {
		t.Errorf("the error is %v", err)
	}
	record.Scores = nil
	if g, err := Group(record, rules()); g != nil || err != nil {
		t.Errorf("a group with an unrewarded episode gives %v, %v", g, err)
	}
}

func TestGroupsAreReadAgain(t *testing.T) {
	t.Parallel()
	want, record := playedGroup(t, rules())
	var out bytes.Buffer
	s := &Groups{Out: &out, Shaping: Shaping{Rules: rules()}}
	for range 2 {
		if err := s.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	for line := range bytes.Lines(out.Bytes()) {
		var got struct {
			quintain.Group
			Messages [][]quintain.Message `json:"messages"`
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Tokens, want.Tokens) || !reflect.DeepEqual(got.Masks, want.Masks) || !slices.Equal(got.Scores, want.Scores) || len(got.Messages) != len(want.Tokens) {
			t.Errorf("read as\n%+v, want\n%+v", got, want)
		}
	}
}

func TestParquetIsReadAgain(t *testing.T) {
	t.Parallel()
	want, record := playedGroup(t, rules())
	var out bytes.Buffer
	p := NewParquet(&out, Shaping{Rules: rules()})
	if err := errors.Join(p.Write(record), p.Close()); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[Row](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || len(rows) != len(want.Tokens) {
		t.Fatalf("%d rows, %v; want %d", len(rows), err, len(want.Tokens))
	}
	for i, row := range rows {
		trained := 0
		for k, token := range row.Tokens {
			if token != int32(want.Tokens[i][k]) || row.Trained[k] != (want.Masks[i][k] != quintain.Untrained) {
				t.Fatalf("row %d, token %d is %d, trained %v", i, k, token, row.Trained[k])
			}
			if row.Trained[k] {
				trained++
			}
		}
		if row.Score != want.Scores[i] || row.Episode != want.Episodes[i] || row.Seed != 1<<63 || !row.Time.Equal(record.Time) ||
			len(row.LogProbs) != len(row.Tokens) || !slices.Equal(row.Versions, want.Versions[i]) || len(row.Advantages) != len(row.Tokens) {
			t.Errorf("row %d is %+v", i, row)
		}
		if last := row.Messages[len(row.Messages)-1]; last.Role != quintain.RoleAssistant || last.Content != "é" || last.ToolCalls != nil {
			t.Errorf("row %d ends with %v", i, last)
		}
	}
}

// What an episode with tools was offered, what it called, and its metrics are in each set as TRL reads it.
func TestSetsHaveToolsAndCalls(t *testing.T) {
	t.Parallel()
	_, record := playedGroup(t, rules())
	const tools = `[{"type":"function","function":{"name":"find","parameters":{}}}]`
	for i := range record.Episodes {
		record.Episodes[i].Tools = json.RawMessage(tools)
		record.Episodes[i].Turns[0].Metrics = map[string]float64{"style": 2}
		record.Episodes[i].Turns[0].ToolCalls = []quintain.ToolCall{{ID: "c", Name: "find", Arguments: `{"x":1}`}}
	}
	record.Scores = []float64{1, 0, 0, 0, 0, 0, 0, 0}[:len(record.Episodes)]
	var lines, file bytes.Buffer
	p := NewParquet(&file, Shaping{Rules: rules()})
	if err := errors.Join((&SFT{Out: &lines, MinScore: 1}).Write(record), (&DPO{Out: &lines, Pairs: 1}).Write(record), p.Write(record), p.Close()); err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(tools)
	if n := strings.Count(lines.String(), `"tools":`+string(quoted)); n != strings.Count(lines.String(), "\n") || n < 1 || !strings.Contains(lines.String(), `"tool_calls":[{`) || !strings.Contains(lines.String(), `"metrics":"{\"style\":2}"`) {
		t.Errorf("lines:\n%s", lines.String())
	}
	rows, err := parquet.Read[Row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	i := slices.IndexFunc(rows[0].Messages, func(m Message) bool { return m.Role == quintain.RoleAssistant })
	if got := fmt.Sprint(rows[0].Tools, rows[0].Messages[i].ToolCalls, rows[0].Metrics); got != tools+`[{c function {find {"x":1}}}]{"style":2}` {
		t.Errorf("a row has %s", got)
	}
}

// Exported groups have the scores of the run, whose discount its trace tells, unless another is
// named.
func TestExportedScoresAreThoseOfTheRun(t *testing.T) {
	t.Parallel()
	of := rollout.Rules{Estimator: rollout.GRPO, TurnDiscount: 0.5, Sequences: rollout.EachTurn}
	want, record := playedGroup(t, of)
	dir := t.TempDir()
	w, err := trace.NewWriter(dir, trace.Head{Settings: json.RawMessage(`{"rules":{"turn_discount":0.5}}`)}, trace.Default())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		format   string
		discount float64
		same     bool
	}{{"groups", RunDiscount, true}, {"parquet", RunDiscount, true}, {"groups", 1, false}, {"parquet", 1, false}} {
		choice := DefaultChoice()
		choice.Format, choice.Sequences, choice.Discount = test.format, rollout.EachTurn, test.discount
		var out bytes.Buffer
		if n, err := CopyWhole(t.Context(), choice.Sink(&out), r, trace.Query{}); n != 1 || err != nil {
			t.Fatalf("%s: %d groups, error %v", test.format, n, err)
		}
		if got := scoresIn(t, test.format, out.Bytes()); len(got) != len(want.Scores) || slices.Equal(got, want.Scores) != test.same {
			t.Errorf("%s, discount %v: scores %v, those of the run %v", test.format, test.discount, got, want.Scores)
		}
	}
}

// scoresIn are the scores in an export of one group.
func scoresIn(t *testing.T, format string, b []byte) (scores []float64) {
	t.Helper()
	if format == "groups" {
		var g quintain.Group
		if err := json.Unmarshal(b, &g); err != nil {
			t.Fatal(err)
		}
		return g.Scores
	}
	rows, err := parquet.Read[Row](bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		scores = append(scores, row.Score)
	}
	return scores
}

// rules returns rules of a run with whole episodes.
func rules() rollout.Rules {
	return rollout.Rules{Estimator: rollout.GRPO, TurnDiscount: 1, Sequences: rollout.WholeEpisodes}
}

// TestExportsSayWhatIsNotTrainedOn: the second episode of a group was cut by a limit.
func TestExportsSayWhatIsNotTrainedOn(t *testing.T) {
	t.Parallel()
	_, record := playedGroup(t, rules())
	record.Episodes[1].Turns[0].Finish = quintain.Length
	for i := range record.Episodes {
		record.Scores[i] = 1 - float64(i)/10
		record.Episodes[i].Turns[0].Observed = []quintain.Message{{Role: quintain.RoleUser, Content: "?"}}
		record.Episodes[i].Turns[len(record.Episodes[i].Turns)-1].Reply = fmt.Sprint("reply ", i)
	}
	for _, masks := range []bool{true, false} {
		export := func(format string, mode Mode) []byte {
			choice := DefaultChoice()
			choice.Format, choice.Mode, choice.MinScore, choice.Gap = format, mode, 0, 0
			var out bytes.Buffer
			sink := choice.Sink(&out)
			head := trace.Head{Settings: fmt.Appendf(nil, `{"rules":{"mask_too_long":%t}}`, masks)}
			if err := sink.(Follower).Follow(&head); err != nil {
				t.Fatal(err)
			}
			if err := sink.Write(record); err != nil {
				t.Fatal(err)
			}
			if end, has := sink.(io.Closer); has {
				if err := end.Close(); err != nil {
					t.Fatal(err)
				}
			}
			return out.Bytes()
		}
		var group quintain.Group
		if err := json.Unmarshal(export("groups", ""), &group); err != nil {
			t.Fatal(err)
		}
		for i := range group.Tokens {
			if masked, err := group.Masked(i); masked != (masks && group.Episodes[i] == 1) || err != nil {
				t.Errorf("groups: sequence %d of episode %d is masked: %v, error %v", i, group.Episodes[i], masked, err)
			}
		}
		file := export("parquet", "")
		rows, err := parquet.Read[Row](bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if out := masks && row.Episode == 1; row.Masked != out || slices.Contains(row.Trained, true) == out {
				t.Errorf("parquet: a sequence of episode %d: masked %v, trained %v", row.Episode, row.Masked, row.Trained)
			}
		}
		for format, most := range map[string]int{"sft": 4, "dpo": 2} {
			text := string(export(format, ""))
			if strings.Contains(text, "reply 1") == masks || strings.Count(text, "\n") > most || !strings.Contains(text, "reply 0") {
				t.Errorf("%s: %s", format, text)
			}
		}
	}
}

// TestArealSaysWhatIsNotTrainedOn: no token of a masked row has a loss.
func TestArealSaysWhatIsNotTrainedOn(t *testing.T) {
	t.Parallel()
	_, record := playedGroup(t, rules())
	record.Episodes[3].Turns[1].Finish = quintain.Length
	for _, mode := range Modes {
		s := Areal{Mode: mode, Shaping: Shaping{Rules: rollout.DefaultRules()}}
		sample, batch, err := s.convert(record)
		if err != nil {
			t.Fatal(err)
		}
		masked := 0
		for _, r := range sample {
			for _, seq := range r.Sequences {
				if seq.Read == len(seq.Tokens) {
					masked++
				}
			}
		}
		for _, tensor := range batch.Tensors() {
			if tensor.Name != "loss_mask" {
				continue
			}
			wide := tensor.Shape[1]
			for i := range batch {
				if !slices.Contains(tensor.Ints[i*wide:(i+1)*wide], 1) {
					masked++
				}
			}
		}
		if want := map[Mode]int{Legacy: 4, Single: 4, Modern: 1}[mode]; masked != want {
			t.Errorf("%s: %d sequences are not trained on, want %d", mode, masked, want)
		}
	}
}
