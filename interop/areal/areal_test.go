package areal_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/areal"
	"github.com/quintain-rl/quintain/run/rollout"
)

// discount is the discount of the tests.
const discount = 0.5

// turn returns a turn that reads and writes consecutive tokens.
func turn(from, read, wrote int, version int32) quintain.Turn {
	t := quintain.Turn{
		Observed: []quintain.Message{{Role: quintain.RoleUser, Content: "1 + 1?\n\x1b"}}, Reply: "zwei ö", Finish: quintain.Stop, Reward: -1,
	}
	for i := range read {
		t.Read = append(t.Read, quintain.Token(from+i))
	}
	for i := range wrote {
		t.Wrote = append(t.Wrote, quintain.Token(from+read+i))
		t.LogProbs = append(t.LogProbs, -float32(i+1)/8)
		t.Versions = append(t.Versions, version+int32(i/2))
	}
	return t
}

// episode returns an episode of two turns: wrong, then right.
func episode() quintain.Trajectory {
	t := quintain.Trajectory{
		ID: "sums/1#0", Outcome: quintain.Scored, Started: time.UnixMilli(1_700_000_000_123),
		Turns: []quintain.Turn{turn(10, 3, 4, 5), turn(20, 2, 1, 7)},
	}
	t.Turns[0].Finish = quintain.Length
	t.Turns[1].Reward, t.Turns[1].Right = 1, true
	return t
}

// group cuts episodes.
func group(t testing.TB, how rollout.Sequences, played ...quintain.Trajectory) *quintain.Group {
	t.Helper()
	rules := rollout.Rules{Estimator: rollout.None, TurnDiscount: discount, KeepEqual: true, Sequences: how}
	j, err := rules.Judge(rollout.Result{Trajectories: played})
	g, drop := j.Group, j.Drop
	if err != nil || drop != "" {
		t.Fatal(drop, err)
	}
	return g
}

func TestRecordHasASequenceForEachTurn(t *testing.T) {
	played := episode()
	all, err := areal.NewRecords(group(t, rollout.EachTurn, played), []quintain.Trajectory{played}, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(areal.Sample(all))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"ids":["sums/1#0"],` +
		`"keys":["packed_input_ids","prompt_mask","packed_logprobs","seq_no_eos_mask","rewards","version_start","version_end","packed_prompts","birth_time","task_ids"],` +
		`"seqlens":{"birth_time":[[1]],"packed_input_ids":[[7,10]],"packed_logprobs":[[6,9]],"packed_prompts":[[3]],"prompt_mask":[[7,10]],` +
		`"rewards":[[1,1]],"seq_no_eos_mask":[[1,1]],"task_ids":[[1]],"version_end":[[1,1]],"version_start":[[1,1]]},` +
		`"dtypes":{"birth_time":"torch.int64","packed_input_ids":"torch.int64","packed_logprobs":"torch.float32","packed_prompts":"torch.int64",` +
		`"prompt_mask":"torch.bool","rewards":"torch.float32","seq_no_eos_mask":"torch.bool","task_ids":"torch.int64","version_end":"torch.int32","version_start":"torch.int32"},` +
		`"trailing_shapes":{"birth_time":[],"packed_input_ids":[],"packed_logprobs":[],"packed_prompts":[],"prompt_mask":[],"rewards":[],"seq_no_eos_mask":[],"task_ids":[],"version_end":[],"version_start":[]},` +
		`"data":{"birth_time":[1700000000123],"packed_input_ids":[10,11,12,13,14,15,16,10,11,12,13,14,15,16,20,21,22],` +
		`"packed_logprobs":[0,0,-0.125,-0.25,-0.375,-0.5,0,0,0,0,0,0,0,0,-0.125],"packed_prompts":[10,11,12],` +
		`"prompt_mask":[true,true,true,false,false,false,false,true,true,true,true,true,true,true,true,true,false],` +
		`"rewards":[-0.5,1],"seq_no_eos_mask":[true,false],"task_ids":[0],"version_end":[6,7],"version_start":[5,7]},"metadata":{}}`
	if string(got) != want {
		t.Errorf("the sample is\n%s, want\n%s", got, want)
	}
}

func TestSingleStepEpisodesShareARecord(t *testing.T) {
	a, b := episode(), episode()
	a.Turns, b.Turns = a.Turns[:1], b.Turns[:1]
	g := group(t, rollout.EachTurn, a, b)
	all, err := areal.NewRecords(g, []quintain.Trajectory{a, b}, true)
	if err != nil || len(all) != 1 || all[0].ID != g.ID || len(all[0].Sequences) != 2 {
		t.Errorf("%d records, error %v", len(all), err)
	}
}

func TestRowHasAllTurns(t *testing.T) {
	rows, err := areal.NewRows(group(t, rollout.WholeEpisodes, episode()))
	if err != nil {
		t.Fatal(err)
	}
	short := *rows[0]
	short.Tokens, short.Trained, short.LogProbs, short.Versions = short.Tokens[:5], short.Trained[:5], short.LogProbs[:5], short.Versions[:5]
	var got []any
	for _, tensor := range (areal.Batch{rows[0], &short}).Tensors() {
		got = append(got, tensor.Name, tensor.Type, tensor.Shape, tensor.Ints, tensor.Floats)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	const want = `["input_ids","int32",[2,10],[10,11,12,13,14,15,16,20,21,22,10,11,12,13,14,0,0,0,0,0],null,` +
		`"attention_mask","bool",[2,10],[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0],null,` +
		`"loss_mask","int32",[2,10],[0,0,0,1,1,1,1,0,0,1,0,0,0,1,1,0,0,0,0,0],null,` +
		`"logprobs","float32",[2,10],null,[0,0,0,-0.125,-0.25,-0.375,-0.5,0,0,-0.125,0,0,0,-0.125,-0.25,0,0,0,0,0],` +
		`"versions","int32",[2,10],[-1,-1,-1,5,5,6,6,-1,-1,7,-1,-1,-1,5,5,0,0,0,0,0],null,` +
		`"rewards","float32",[2],null,[-0.5,-0.5]]`
	if string(text) != want {
		t.Errorf("the tensors are\n%s, want\n%s", text, want)
	}
}

func TestUnknownLogProbsGiveNoRecord(t *testing.T) {
	played := episode()
	played.Turns[1].LogProbs = nil
	_, errRecord := areal.NewRecords(group(t, rollout.EachTurn, played), []quintain.Trajectory{played}, false)
	_, errRow := areal.NewRows(group(t, rollout.WholeEpisodes, played))
	if !errors.Is(errRecord, areal.ErrUnknown) || !errors.Is(errRow, areal.ErrUnknown) {
		t.Errorf("the errors are %v and %v", errRecord, errRow)
	}
}

func TestBrokenRulesAreNamed(t *testing.T) {
	for _, test := range []struct {
		why    string
		record func(*areal.Record)
		row    func(*areal.Row)
		key    string
	}{
		{"a log-probability for each token", func(r *areal.Record) { r.Sequences[1].LogProbs = make([]float32, 10) }, nil, "packed_logprobs"},
		{"one within the prompt", func(r *areal.Record) { r.Sequences[0].LogProbs[1] = -1 }, nil, "packed_logprobs"},
		{"a probability above 1", func(r *areal.Record) { r.Sequences[0].LogProbs[5] = 0.5 }, nil, "packed_logprobs"},
		{"no prompt", func(r *areal.Record) { r.Prompt = nil }, nil, "packed_prompts"},
		{"no token is read", func(r *areal.Record) { r.Sequences[0].Read = 0 }, nil, "prompt_mask"},
		{"a falling version", func(r *areal.Record) { r.Sequences[0].End = 4 }, nil, "version_end"},
		{"a short sequence", func(r *areal.Record) { r.Sequences[0].Tokens = r.Sequences[0].Tokens[:1] }, nil, "packed_input_ids"},
		{"a missing mask", nil, func(r *areal.Row) { r.Trained = r.Trained[1:] }, "input_ids"},
		{"an end that was read", nil, func(r *areal.Row) { r.Trained[9] = false }, "loss_mask"},
		{"a log-probability of a token that was only read", nil, func(r *areal.Row) { r.LogProbs[8] = -1 }, "logprobs"},
		{"a version of a token that was only read", nil, func(r *areal.Row) { r.Versions[8] = 3 }, "versions"},
	} {
		played := episode()
		records, err := areal.NewRecords(group(t, rollout.EachTurn, played), []quintain.Trajectory{played}, false)
		rows, errRows := areal.NewRows(group(t, rollout.WholeEpisodes, played))
		if err := errors.Join(err, errRows); err != nil {
			t.Fatal(err)
		}
		if test.record != nil {
			test.record(records[0])
			err = records[0].Check()
		} else {
			test.row(rows[0])
			err = rows[0].Check()
		}
		if fault, ok := errors.AsType[*areal.RuleError](err); !ok || fault.Key != test.key {
			t.Errorf("%s: error %v, want one of %s", test.why, err, test.key)
		}
	}
}

// In any episodes, each sampled token is trained on in exactly one sequence of a record,
// and all lengths fit.
func TestRecordsOfAnyEpisodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var played []quintain.Trajectory
		sampled := 0
		for range rapid.IntRange(1, 3).Draw(t, "episodes") {
			e := episode()
			e.Turns = nil
			for k := range rapid.IntRange(1, 4).Draw(t, "turns") {
				wrote := rapid.IntRange(1, 5).Draw(t, "wrote")
				one := turn(100*k, rapid.IntRange(2, 4).Draw(t, "read"), wrote, int32(k))
				one.Fork = k > 0 && rapid.Bool().Draw(t, "fork")
				e.Turns = append(e.Turns, one)
				sampled += wrote
			}
			played = append(played, e)
		}
		rules := rollout.Rules{Estimator: rollout.None, TurnDiscount: discount, KeepEqual: true, Sequences: rollout.EachTurn}
		j, err := rules.Judge(rollout.Result{Trajectories: played})
		g := j.Group
		if err != nil {
			t.Fatal(err)
		}
		records, err := areal.NewRecords(g, played, rapid.Bool().Draw(t, "single"))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			for _, s := range r.Sequences {
				sampled -= len(s.Tokens) - s.Read
			}
		}
		if sampled != 0 {
			t.Errorf("%d sampled tokens are trained on in no sequence", sampled)
		}
		file, err := areal.Sample(records).File()
		if err != nil {
			t.Fatal(err)
		}
		var meta struct {
			Lengths map[string][][]int `json:"seqlens"`
		}
		if err := json.Unmarshal(file.Text, &meta); err != nil {
			t.Fatal(err)
		}
		for _, tensor := range file.Tensors {
			sum := 0
			for _, n := range slices.Concat(meta.Lengths[tensor.Name]...) {
				sum += n
			}
			if n := len(tensor.Ints) + len(tensor.Floats); n != sum || tensor.Shape[0] != n {
				t.Errorf("%s: %d values, shape %v, lengths of %d", tensor.Name, n, tensor.Shape, sum)
			}
		}
	})
}

// file returns a file of one record.
func file(t *testing.T) areal.File {
	t.Helper()
	played := episode()
	all, err := areal.NewRecords(group(t, rollout.EachTurn, played), []quintain.Trajectory{played}, false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := areal.Sample(all).File()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestNPZ(t *testing.T) {
	var out bytes.Buffer
	f := file(t)
	if err := f.NPZ(&out); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || len(z.File) != len(f.Tensors)+1 {
		t.Fatalf("%d entries, error %v", len(z.File), err)
	}
	for i, tensor := range f.Tensors {
		in, err := z.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		size := map[areal.Type]int{areal.Bool: 1, areal.Int32: 4, areal.Float32: 4, areal.Int64: 8}[tensor.Type]
		head := 10 + int(binary.LittleEndian.Uint16(text[8:]))
		if err != nil || head%64 != 0 || len(text) != head+size*tensor.Shape[0] || !strings.Contains(string(text[:head]), "'shape': (") {
			t.Errorf("%s: a head of %d bytes, %d in all, error %v", z.File[i].Name, head, len(text), err)
		}
	}
}

func TestSafetensors(t *testing.T) {
	var out bytes.Buffer
	if err := file(t).Safetensors(&out); err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(out.Bytes())
	var head map[string]struct {
		Type    string `json:"dtype"`
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(out.Bytes()[8:8+n], &head); err != nil {
		t.Fatal(err)
	}
	values := out.Bytes()[8+n:]
	first := head["packed_prompts"]
	if got := binary.LittleEndian.Uint64(values[first.Offsets[0]:]); got != 10 || first.Type != "I64" || n%8 != 0 {
		t.Errorf("the prompt begins with %d, of type %s, after a head of %d bytes", got, first.Type, n)
	}
	sum := 0
	for name, e := range head {
		if size := map[string]int{"I64": 8, "I32": 4, "F32": 4, "BOOL": 1}[e.Type]; name != "__metadata__" && e.Offsets[0]%size != 0 {
			t.Errorf("%s is not aligned: %v", name, e.Offsets)
		}
		sum += e.Offsets[1] - e.Offsets[0]
	}
	if sum != len(values) {
		t.Errorf("the tensors have %d bytes of %d", sum, len(values))
	}
}

func TestLogsHaveEachTurn(t *testing.T) {
	logs := areal.Logs{Dir: t.TempDir()}
	for range 2 { // an episode that is played again is logged once
		if err := logs.Write("sums/1", []quintain.Trajectory{episode()}); err != nil {
			t.Fatal(err)
		}
	}
	const mark, end = "\x1b[33m\x1b[2m", "\x1b[0m"
	for name, want := range map[string]string{
		"sums%2F1%230.txt": "idx: 1 / 2, seqlen: 7, head version: 5, tail version: 6.\n" +
			"reward is -1, prompt is " + mark + `1 + 1?\n\x1b` + end + "\nsequence is: " + mark + "zwei ö" + end + ".\n" +
			"idx: 2 / 2, seqlen: 10, head version: 7, tail version: 7.\n" +
			"reward is 1, prompt is " + mark + `1 + 1?\n\x1b` + end + "\nsequence is: " + mark + "zwei ö" + end + ".\n",
		"sums%2F1%230.jsonl": `{"version_start":5,"version_end":6,"success":false,"prompt_len":3,"answer_len":4}` + "\n" +
			`{"version_start":7,"version_end":7,"success":true,"prompt_len":9,"answer_len":1}` + "\n",
	} {
		if got, err := os.ReadFile(filepath.Join(logs.Dir, "5", name)); err != nil || string(got) != want {
			t.Errorf("%s: error %v,\n%q, want\n%q", name, err, got, want)
		}
	}
}
