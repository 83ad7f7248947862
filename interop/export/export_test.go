package export

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// group returns a group with an episode for each score.
func group(index int, drop string, scores ...float64) *trace.Record {
	r := &trace.Record{
		Problem: quintain.Problem{Task: "chain_sum", Version: 1, Index: index}, Drop: drop, Scores: scores,
		Time: time.Unix(1795322368, int64(index)).UTC(),
	}
	for i, score := range scores {
		r.Episodes = append(r.Episodes, quintain.Trajectory{
			ID: fmt.Sprintf("%s#%d", r.Group(), i), Problem: r.Problem, Outcome: quintain.Scored,
			Turns: []quintain.Turn{{
				Observed: []quintain.Message{{Role: "user", Content: fmt.Sprintf("<%d> ü?", index)}},
				Reply:    fmt.Sprintf("reply of %v", score), Reward: score,
			}},
		})
	}
	return r
}

// folder writes records to a trace and opens it.
func folder(t *testing.T, records ...*trace.Record) *trace.Reader {
	t.Helper()
	dir := t.TempDir()
	w, err := trace.NewWriter(dir, trace.Head{}, trace.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// contents returns the files of a folder with their names.
func contents(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n%s", filepath.Base(name), text)
	}
	return b.String()
}

// TestDumpsAreThoseOfAtropos compares the dumps of a run, and those made from its trace,
// with the output of atropos.Dump for the same groups.
func TestDumpsAreThoseOfAtropos(t *testing.T) {
	var records []*trace.Record
	live, later, direct := t.TempDir(), t.TempDir(), t.TempDir()
	good, err := atropos.NewDump(direct, "run", atropos.Good)
	if err != nil {
		t.Fatal(err)
	}
	failed, err := atropos.NewDump(direct, "run", atropos.Failed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 120 {
		for _, r := range []*trace.Record{
			group(4*i, "", 1, 0, 0.25), group(4*i+1, string(rollout.DropEqual), 0, 0), group(4*i+2, "", 0.5, 0.7),
			group(4*i+3, string(rollout.DropEqual), 1, 1), group(4*i, string(rollout.DropDuplicate), 1, 0),
			{Problem: quintain.Problem{Task: "chain_sum"}, Drop: string(rollout.DropInfra), Time: time.Unix(1, 0)},
		} {
			records = append(records, r)
			line, err := atropos.NewRecord(r.Episodes, r.Scores)
			if err == nil && i*4 == r.Problem.Index && r.Drop == "" && len(r.Scores) > 0 {
				err = good.Write(line)
			}
			if err == nil && i*4+1 == r.Problem.Index {
				err = failed.Write(line)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	settings := DumpSettings{Rollouts: true, Failed: true, Threshold: 0.7}
	toLive, err := OpenDumps(live, "run", settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := toLive.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	toLater, err := OpenDumps(later, "run", settings)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := Copy(t.Context(), toLater, folder(t, records...), trace.Query{}); n != len(records) || err != nil {
		t.Fatalf("%d records, error %v, want %d", n, err, len(records))
	}
	if err := errors.Join(good.Close(), failed.Close(), toLive.Close(), toLater.Close()); err != nil {
		t.Fatal(err)
	}
	want := contents(t, direct)
	if strings.Count(want, "\n") != 240+2+3 {
		t.Fatalf("%d lines with the names of the files", strings.Count(want, "\n"))
	}
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(toLive)
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range families { // of each kind, in the order of their names
		told = append(told, fmt.Sprint(m.GetName(), m.GetMetric()[0].GetGauge().GetValue(), m.GetMetric()[1].GetGauge().GetValue()))
	}
	if fmt.Sprint(told) != "[quintain_dump_full_files2 1 quintain_dump_lines20 20]" {
		t.Errorf("120 failed and 120 good groups are told as %q", told)
	}
	if contents(t, live) != want || contents(t, later) != want {
		t.Error("the dumps differ")
	}
}

func TestDumpsThatAreNotWanted(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDumps(dir, "run", DefaultDumps())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Write(group(0, "", 1, 0)), d.Write(group(1, "", 0, 0)), d.Close()); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir); got != "" {
		t.Errorf("wrote %s", got)
	}
	if _, err := OpenDumps(dir, "a/b", DumpSettings{Rollouts: true, Failed: true}); err == nil {
		t.Error("a run that is a path: taken")
	}
}

func TestSFT(t *testing.T) {
	const user, best, good = `{"messages":[{"role":"user","content":"<1> ü?"},`, `{"role":"assistant","content":"reply of 1"}],"score":1}` + "\n", `{"role":"assistant","content":"reply of 0.5"}],"score":0.5}` + "\n"
	broken := group(1, "infra_failed", 1, 1)
	broken.Scores = nil
	silent := group(1, "", 1)
	silent.Episodes[0].Turns = nil
	for _, test := range []struct {
		why     string
		sink    *SFT
		records []*trace.Record
		want    string
	}{
		{"enough score, the best first", &SFT{MinScore: 0.5}, []*trace.Record{group(1, "", 0, 0.5, 1)}, user + best + user + good},
		{"the best of a group", &SFT{MinScore: 0.5, Best: 1}, []*trace.Record{group(1, "", 0.5, 1)}, user + best},
		{"better than the worst of the group", &SFT{Gap: 0.5}, []*trace.Record{group(1, "", 0.5, 0.25, 1)}, user + best},
		{"nothing of a group with equal scores", &SFT{Gap: 0.5}, []*trace.Record{group(1, "", 1, 1)}, ""},
		{"once, however often it was played", &SFT{MinScore: 1}, []*trace.Record{group(1, "", 1, 1), group(1, "", 1)}, user + best},
		{"an episode that was written before does not count as one of the best", &SFT{MinScore: 0.5, Best: 1}, []*trace.Record{group(1, "", 1), group(1, "", 1, 0.5)}, user + best + user + good},
		{"groups that were dropped, too", &SFT{MinScore: 1}, []*trace.Record{group(1, "equal_scores", 1)}, user + best},
		{"nothing of a group with an episode that failed", &SFT{}, []*trace.Record{broken}, ""},
		{"nothing of an episode without a reply", &SFT{}, []*trace.Record{silent}, ""},
	} {
		var live, later bytes.Buffer
		test.sink.Out = &live
		for _, r := range test.records {
			if err := test.sink.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Copy(t.Context(), &SFT{Out: &later, MinScore: test.sink.MinScore, Gap: test.sink.Gap, Best: test.sink.Best}, folder(t, test.records...), trace.Query{}); err != nil {
			t.Fatal(err)
		}
		if live.String() != test.want || later.String() != test.want {
			t.Errorf("%s: wrote\n%sof the trace\n%swant\n%s", test.why, &live, &later, test.want)
		}
	}
}

func TestDPO(t *testing.T) {
	const prompt = `[{"role":"user","content":"<1> ü?"}`
	reply := func(score string) string { return `{"role":"assistant","content":"reply of ` + score + `"}` }
	pair := func(better, worse string) string {
		return `{"prompt":` + prompt + `],"chosen":[` + reply(better) + `],"rejected":[` + reply(worse) + `],"score_chosen":` + better + `,"score_rejected":` + worse + "}\n"
	}
	other := group(1, "", 1, 0)
	other.Episodes[1].Turns[0].Observed = []quintain.Message{{Role: "user", Content: "something else"}}
	for _, test := range []struct {
		why    string
		sink   *DPO
		record *trace.Record
		want   string
	}{
		{"best with worst, second with second worst", &DPO{}, group(1, "", 0, 1, 0.5, 0.25), pair("1", "0") + pair("0.5", "0.25")},
		{"a limited number", &DPO{Pairs: 1}, group(1, "", 0, 1, 0.5, 0.25), pair("1", "0")},
		{"far enough apart", &DPO{Gap: 0.5}, group(1, "", 0, 1, 0.5, 0.25), pair("1", "0")},
		{"the one in the middle is in no pair", &DPO{}, group(1, "", 0, 0.5, 1), pair("1", "0")},
		{"equal scores do not make a pair", &DPO{}, group(1, "", 1, 1), ""},
		{"nor does a best score that is too low", &DPO{MinScore: 0.6}, group(1, "", 0.5, 0), ""},
		{"nor do answers to different prompts", &DPO{}, other, ""},
		{"nor does a single episode", &DPO{}, group(1, "", 1), ""},
		{
			"the form of Atropos", &DPO{Atropos: true}, group(1, "", 0, 1),
			`{"pos":` + prompt + "," + reply("1") + `],"score":1,"neg":` + prompt + "," + reply("0") + "]}\n",
		},
	} {
		var out bytes.Buffer
		test.sink.Out = &out
		if _, err := Copy(t.Context(), test.sink, folder(t, test.record), trace.Query{}); err != nil {
			t.Fatal(err)
		}
		if out.String() != test.want {
			t.Errorf("%s: wrote\n%swant\n%s", test.why, &out, test.want)
		}
	}
}

// A counter counts records, and fails after most of them.
type counter struct{ n, most int }

func (c *counter) Write(*trace.Record) error {
	if c.n++; c.n > c.most {
		return os.ErrClosed
	}
	return nil
}

func TestCopyTakesPageByPage(t *testing.T) {
	var records []*trace.Record
	for i := range 2*page + 10 {
		records = append(records, group(i, []string{"", "stale"}[i%2], 1))
	}
	r := folder(t, records...)
	for _, test := range []struct {
		query trace.Query
		most  int
		want  int
		err   error
	}{
		{trace.Query{}, 1e6, 2*page + 10, nil},
		{trace.Query{Newest: true}, 1e6, 2*page + 10, nil},
		{trace.Query{Drop: trace.Kept}, 1e6, page + 5, nil},
		{trace.Query{Limit: page + 1}, 1e6, page + 1, nil},
		{trace.Query{Limit: 3 * page}, 1e6, 2*page + 10, nil},
		{trace.Query{Group: "nobody"}, 1e6, 0, nil},
		{trace.Query{}, page + 7, page + 7, os.ErrClosed},
	} {
		sink := &counter{most: test.most}
		if n, err := Copy(t.Context(), sink, r, test.query); n != test.want || !errors.Is(err, test.err) {
			t.Errorf("%+v: %d records, error %v, want %d and %v", test.query, n, err, test.want, test.err)
		}
	}
}

func TestCopyLeavesOutDamagedRecords(t *testing.T) {
	dir := t.TempDir()
	w, err := trace.NewWriter(dir, trace.Head{}, trace.Default())
	for i := range 3 {
		err = errors.Join(err, w.Write(group(i, "", 1)), w.Flush())
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "000001.trace")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[r.Find(trace.Query{})[1].Block+20] ^= 1
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	sink := &counter{most: 1e6}
	if n, err := Copy(t.Context(), sink, r, trace.Query{}); n != 2 || err != nil || r.Damaged() != 1 {
		t.Errorf("%d records, error %v, %d damaged", n, err, r.Damaged())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if n, err := Copy(t.Context(), sink, r, trace.Query{}); n > 1 || err != nil { // the last block is in memory
		t.Errorf("of a segment that is removed: %d records, error %v", n, err)
	}
}

func ExampleSFT() {
	sink := &SFT{Out: os.Stdout, MinScore: 1}
	err := sink.Write(group(7, "", 0, 1))
	fmt.Println(err)
	// Output:
	// {"messages":[{"role":"user","content":"<7> ü?"},{"role":"assistant","content":"reply of 1"}],"score":1}
	// <nil>
}
