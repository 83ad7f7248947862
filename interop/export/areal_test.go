package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/interop/areal"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/dataset"
	"github.com/quintain-rl/quintain/trace"
)

func TestArealInEachModeAndForm(t *testing.T) {
	t.Parallel()
	_, record := playedGroup(t, rules()) // four episodes with 1 to 4 turns, one of them a fork
	for _, test := range []struct {
		mode  Mode
		lines int // of JSON
		begin string
	}{
		{Legacy, 4, `{"ids":["`},
		{Single, 1, `{"ids":["`},
		{Modern, 1, `{"attention_mask":{"type":"tensor"`},
	} {
		for form, begin := range map[Form]string{JSON: test.begin, NPZ: "PK\x03\x04", Safetensors: ""} {
			var out bytes.Buffer
			s := &Areal{Out: &out, Mode: test.mode, Form: form, Shaping: Shaping{Rules: rules()}}
			if err := errors.Join(s.Write(record), s.Close()); err != nil {
				t.Fatalf("%s as %s: %v", test.mode, form, err)
			}
			if !bytes.HasPrefix(out.Bytes(), []byte(begin)) || form == JSON && bytes.Count(out.Bytes(), []byte("\n")) != test.lines || out.Len() < 200 {
				t.Errorf("%s as %s: %.80q", test.mode, form, out.String())
			}
		}
	}
}

func TestArealCountsUnknownGroups(t *testing.T) {
	t.Parallel()
	_, record := playedGroup(t, rules())
	record.Episodes[0].Turns[0].LogProbs = nil
	for _, mode := range Modes {
		var out bytes.Buffer
		s := &Areal{Out: &out, Mode: mode, Form: JSON}
		if err := s.Write(record); err != nil || s.Unknown() != 1 || out.Len() > 0 {
			t.Errorf("%s: %d unknown, %q, error %v", mode, s.Unknown(), out.String(), err)
		}
	}
}

func TestRecordsOfARun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(drop rollout.Drop, id string) {
		t.Helper()
		_, record := playedGroup(t, rules())
		record.Drop = string(drop)
		for i := range record.Episodes {
			record.Episodes[i].ID = id
		}
		r, err := OpenRecords(dir, Modern, rules())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Write(record), r.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write("", "kept")
	path := filepath.Join(dir, "areal-modern.jsonl")
	torn, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = torn.WriteString(`{"input_ids"`)
	}
	if err := errors.Join(err, torn.Close()); err != nil {
		t.Fatal(err)
	}
	write(rollout.DropEqual, "equal")
	write(rollout.DropDuplicate, "duplicate")
	write("", "after")
	lines, err := jsonl.ReadLog[map[string]json.RawMessage](path)
	if err != nil || len(lines) != 2 {
		t.Errorf("%d lines, error %v; want those of the two kept groups", len(lines), err)
	}
	for name, want := range map[string]bool{"kept": true, "equal": true, "after": true, "duplicate": false} {
		if _, err := os.Stat(filepath.Join(dir, "generated", "7", name+".jsonl")); (err == nil) != want {
			t.Errorf("the log of %q: error %v", name, err)
		}
	}
	if _, err := OpenRecords(path, Legacy, rules()); err == nil {
		t.Error("a folder that is a file is opened")
	}
}

func TestRuleErrorsStopTheExport(t *testing.T) {
	t.Parallel()
	_, record := playedGroup(t, rules())
	record.Episodes[0].Turns[0].Versions[0] = 9 // falls to 7
	s := &Areal{Out: &bytes.Buffer{}, Mode: Legacy, Form: JSON}
	if _, ok := errors.AsType[*areal.RuleError](s.Write(record)); !ok {
		t.Error("a record with falling versions is written")
	}
}

func TestExportedRewardsAreThoseOfTheRunsRecords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why      string
		settings string
		rules    rollout.Rules
	}{
		{"a turn discount", `{"rules":{"turn_discount":0.5}}`, rollout.Rules{TurnDiscount: 0.5}},
		{"no later reward", `{"rules":{"turn_discount":0}}`, rollout.Rules{}},
		{"right answers only", `{"rules":{"turn_discount":0.9,"right_only":true}}`, rollout.Rules{TurnDiscount: 0.9, RightOnly: true}},
		{"penalties", `{"rules":{"malformed_penalty":0.25,"length_budget":40}}`, rollout.Rules{TurnDiscount: 1, MalformedPenalty: 0.25, LengthBudget: 40}},
		{"settings without rules", `{"seed":1}`, rollout.DefaultRules()},
		{"no settings", `null`, rollout.DefaultRules()},
	} {
		test.rules.Sequences, test.rules.KeepEqual, test.rules.Estimator, test.rules.MinTrainable = rollout.WholeEpisodes, true, rollout.None, 0
		_, record := playedGroup(t, test.rules)
		for i := range record.Episodes {
			record.Episodes[i].ID = record.Group()
		}
		for _, mode := range Modes {
			dir := t.TempDir()
			kept, err := OpenRecords(filepath.Join(dir, "records"), mode, test.rules)
			if err != nil {
				t.Fatal(err)
			}
			w, err := trace.NewWriter(filepath.Join(dir, "trace"), trace.Head{Settings: json.RawMessage(test.settings)}, trace.Default())
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(kept.Write(record), kept.Close(), w.Write(record), w.Close()); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(dir, "records", "areal-"+string(mode)+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := trace.Open(filepath.Join(dir, "trace"))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			choice := DefaultChoice()
			choice.Format, choice.Mode = "areal", mode
			if n, err := CopyWhole(t.Context(), choice.Sink(&out), r, trace.Query{}); n != 1 || err != nil || !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%s, %s: %d groups, error %v; exported\n%s, the run kept\n%s", test.why, mode, n, err, out.Bytes(), want)
			}
			out.Reset()
			choice.Discount = 0.125
			if _, err := CopyWhole(t.Context(), choice.Sink(&out), r, trace.Query{}); err != nil || bytes.Equal(out.Bytes(), want) {
				t.Errorf("%s, %s: another discount changes nothing, error %v", test.why, mode, err)
			}
		}
	}
}

func TestArealRecordsNameTheRow(t *testing.T) {
	t.Parallel()
	const row = `{"query_id":"q7","prompt":"1+1","solutions":["2"],"task":"stem","level":3}`
	set, err := dataset.Open(&dataset.File{Name: "sums.jsonl", Data: io.NewSectionReader(strings.NewReader(row), 0, int64(len(row)))}, dataset.Columns{}, mathverify.Grade)
	if err != nil {
		t.Fatal(err)
	}
	_, record := playedGroup(t, rules())
	if record.Problem, err = set.Problem(quintain.Draw{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		mode  Mode
		form  Form
		wants []string
	}{
		{Legacy, JSON, []string{`"metadata":{"level":[3],"query_id":["q7"],"task":["stem"]}`, `"task_ids":[3]`}},
		{Single, JSON, []string{`"metadata":{"level":[3],"query_id":["q7"],"task":["stem"]}`, `"task_ids":[3]`}},
		{Modern, Safetensors, []string{`query_id`, `q7`, `stem`}},
	} {
		var out bytes.Buffer
		s := &Areal{Out: &out, Mode: test.mode, Form: test.form, Shaping: Shaping{Rules: rules()}}
		if err := errors.Join(s.Write(record), s.Close()); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %s is not in %.2000s", test.mode, want, out.String())
			}
		}
	}
}
