package atropos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/quintain-rl/quintain"
)

// numbered returns a different record for each number.
func numbered(i int) Record {
	return Record{ItemID: "chain_sum", Rollouts: []Rollout{
		{Conversation: []quintain.Message{{Role: "user", Content: fmt.Sprint("question ", i)}}, Score: 1},
		{Score: 0.25},
	}}
}

// files returns the names of the files in a folder, with their line counts.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if !json.Valid(line) || line[len(line)-1] != '\n' {
				t.Errorf("%s has the line %q", e.Name(), line)
			}
		}
		all = append(all, fmt.Sprintf("%s:%d", e.Name(), bytes.Count(text, []byte("\n"))))
	}
	return strings.Join(all, " ")
}

func write(t *testing.T, dir string, kind Kind, n int) {
	t.Helper()
	d, err := NewDump(dir, "run", kind)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := d.Write(numbered(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(numbered(0)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write after the end: %v", err)
	}
}

func TestDumpFiles(t *testing.T) {
	const good, failed = "reasoning_gym_environment_rollouts_run_", "reasoning_gym_environment_FAILED_rollouts_run_"
	for _, test := range []struct {
		why   string
		kind  Kind
		turns []int // lines written by each process, one after another
		want  string
	}{
		{"nothing written, nothing there", Good, []int{0}, ""},
		{"a hundred good ones fill a file", Good, []int{100}, good + "0000.jsonl:100"},
		{"then the next file begins", Good, []int{201}, good + "0000.jsonl:100 " + good + "0001.jsonl:100 " + good + "0002.jsonl:1"},
		{"fifty failed ones", Failed, []int{60}, failed + "0000.jsonl:50 " + failed + "0001.jsonl:10"},
		{"another process fills up the last file", Good, []int{30, 100}, good + "0000.jsonl:100 " + good + "0001.jsonl:30"},
		{"a full one is left alone", Failed, []int{50, 1}, failed + "0000.jsonl:50 " + failed + "0001.jsonl:1"},
	} {
		dir := filepath.Join(t.TempDir(), "dumps")
		for _, n := range test.turns {
			write(t, dir, test.kind, n)
		}
		if got := files(t, dir); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

func TestDumpMends(t *testing.T) {
	dir := t.TempDir()
	name := func(kind Kind, run, number string) string {
		return filepath.Join(dir, "reasoning_gym_environment_"+string(kind)+"_"+run+"_"+number+".jsonl")
	}
	for _, test := range []struct{ why, path, before, after string }{
		{"half a line", name(Good, "run", "0001"), "{\"a\":1}\n{\"b\"", "{\"a\":1}\n"},
		{"half a line alone", name(Good, "run", "0000"), "{\"b\"", ""},
		{"half a line that is long", name(Good, "run", "0002"), "1\n" + strings.Repeat("x", 200_000), "1\n"},
		{"whole lines", name(Good, "run", "0003"), "1\n2\n", "1\n2\n"},
		{"the last file is continued", name(Good, "run", "12345"), "1\n\"x", "1\n" + string(numbered(7).line())},
		{"the other kind's", name(Failed, "run", "0000"), "half", "half"},
		{"another run's", name(Good, "run2", "0000"), "half", "half"},
		{"a file of another form", name(Good, "run", "x"), "half", "half"},
	} {
		if err := os.WriteFile(test.path, []byte(test.before), 0o666); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if text, err := os.ReadFile(test.path); err != nil || string(text) != test.after {
				t.Errorf("%s: left %.80q (%v), want %q", test.why, text, err, test.after)
			}
		}()
	}
	d, err := NewDump(dir, "run", Good)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Write(numbered(7)), d.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestDumpLine(t *testing.T) {
	r, err := NewRecord([]quintain.Trajectory{
		{Problem: quintain.Problem{Task: "gcd"}, Turns: []quintain.Turn{
			{Observed: []quintain.Message{{Role: "system", Content: "be <b>brief</b>"}, {Role: "user", Content: "é\n"}}, Reply: "<answer>5</answer>"}}},
		{Turns: []quintain.Turn{{Observed: []quintain.Message{{Role: "user", Parts: []quintain.Part{{Type: "text", Text: "in "}, {Type: "text", Text: "parts"}}}}, Reply: "\xff"}}},
	}, []float64{0.75, 1})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"item_id":"gcd","rollouts":[` +
		`{"conversation":[{"role":"system","content":"be <b>brief</b>"},{"role":"user","content":"é\n"},{"role":"assistant","content":"<answer>5</answer>"}],"score":0.75},` +
		`{"conversation":[{"role":"user","content":"in parts"},{"role":"assistant","content":"\ufffd"}],"score":1.0}]}` + "\n"
	if got := string(r.line()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := string(Record{ItemID: "x"}.line()); got != "{\"item_id\":\"x\",\"rollouts\":[]}\n" {
		t.Errorf("an empty record is %s", got)
	}
}

func TestNewRecordRefuses(t *testing.T) {
	for _, test := range []struct {
		why    string
		scores []float64
	}{
		{"a score too few", []float64{1}},
		{"one too many", []float64{1, 2, 3}},
		{"one that is not a number", []float64{1, math.NaN()}},
	} {
		if r, err := NewRecord(make([]quintain.Trajectory, 2), test.scores); err == nil {
			t.Errorf("%s: taken as %v", test.why, r)
		}
	}
	r, err := NewRecord(nil, nil)
	if err != nil || r.ItemID != "unknown_task" {
		t.Errorf("no episodes: %v, %v", r, err)
	}
}

func TestKind(t *testing.T) {
	for _, test := range []struct {
		why    string
		scores []float64
		kind   Kind
		ok     bool
	}{
		{"one above the threshold", []float64{0, 0.8}, Good, true},
		{"one at it", []float64{0, 0.7}, Failed, false},
		{"all zero", []float64{0, 0}, Failed, true},
		{"none", nil, Failed, false},
	} {
		var r Record
		for _, score := range test.scores {
			r.Rollouts = append(r.Rollouts, Rollout{Score: score})
		}
		if kind, ok := r.Kind(0.7); ok != test.ok || ok && kind != test.kind {
			t.Errorf("%s: %v %v, want %v %v", test.why, kind, ok, test.kind, test.ok)
		}
	}
}

// A fullDisk is a file that takes room bytes and no more.
type fullDisk struct {
	text  []byte
	room  int
	stuck bool // it cannot be truncated either
}

func (f *fullDisk) WriteAt(b []byte, at int64) (int, error) {
	n := min(len(b), max(0, f.room-int(at)))
	f.text = append(f.text[:at], b[:n]...)
	if n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (f *fullDisk) Truncate(size int64) error {
	if f.stuck {
		return syscall.EIO
	}
	f.text = f.text[:size]
	return nil
}

func (f *fullDisk) Sync() error  { return nil }
func (f *fullDisk) Close() error { return nil }

func TestDumpOnFullDisk(t *testing.T) {
	line := numbered(1).line()
	disk := &fullDisk{room: len(line)*2 + 10}
	d := &Dump{prefix: "x_", kind: Good, file: disk}
	write := func(want error) {
		t.Helper()
		if err := d.Write(numbered(1)); !errors.Is(err, want) {
			t.Fatalf("error %v, want %v", err, want)
		}
	}
	write(nil)
	write(nil)
	write(syscall.ENOSPC)
	if want := bytes.Repeat(line, 2); !bytes.Equal(disk.text, want) {
		t.Errorf("the file holds %q", disk.text)
	}
	disk.stuck = true
	write(syscall.EIO) // cannot be truncated now
	disk.stuck, disk.room = false, 1<<20
	write(nil)
	if want := bytes.Repeat(line, 3); !bytes.Equal(disk.text, want) {
		t.Errorf("after there was room again the file holds %q", disk.text)
	}
}

func TestDumpRefuses(t *testing.T) {
	for _, test := range []struct {
		why, run string
		kind     Kind
	}{
		{"no run", "", Good},
		{"a run that is a path", "../x", Good},
		{"an unknown kind", "x", "bad"},
	} {
		if _, err := NewDump(t.TempDir(), test.run, test.kind); err == nil {
			t.Errorf("%s: taken", test.why)
		}
	}
	d, err := NewDump(t.TempDir(), "x", Good)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(Record{Rollouts: []Rollout{{Score: math.Inf(1)}}}); err == nil {
		t.Error("an infinite score: taken")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestDumpByMany(t *testing.T) {
	dir := t.TempDir()
	d, err := NewDump(dir, "run", Failed)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				if err := d.Write(numbered(i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	const name = "reasoning_gym_environment_FAILED_rollouts_run_"
	if got, want := files(t, dir), name+"0000.jsonl:50 "+name+"0001.jsonl:50 "+name+"0002.jsonl:50 "+name+"0003.jsonl:10"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
