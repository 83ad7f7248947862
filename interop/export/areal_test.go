package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/interop/areal"
	"github.com/quintain-rl/quintain/rollout"
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
			s := &Areal{Out: &out, Mode: test.mode, Form: form, Discount: 1}
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
		r, err := OpenRecords(dir, Modern, 1)
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
	if _, err := OpenRecords(path, Legacy, 1); err == nil {
		t.Error("a folder that is a file is opened")
	}
}

func TestRuleErrorsStopTheExport(t *testing.T) {
	t.Parallel()
	_, record := playedGroup(t, rules())
	record.Episodes[0].Turns[0].Versions[0] = 9 // falls to 7
	s := &Areal{Out: &bytes.Buffer{}, Mode: Legacy, Form: JSON}
	if _, is := errors.AsType[*areal.RuleError](s.Write(record)); !is {
		t.Error("a record with falling versions is written")
	}
}
