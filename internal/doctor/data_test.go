package doctor_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/doctor"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/trace"
)

// eachRelease calls test with a copy of the files of each release.
func eachRelease(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	releases, err := filepath.Glob("testdata/v*")
	if err != nil || len(releases) == 0 {
		t.Fatalf("no files of releases, error %v", err)
	}
	for _, release := range releases {
		t.Run(filepath.Base(release), func(t *testing.T) {
			t.Parallel()
			test(t, copyOf(t, release))
		})
	}
}

// copyOf copies a folder.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// contents returns the files of a folder, by path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDataFoldersOfEveryRelease(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, dir string) {
		for folder, wants := range map[string][]string{
			"run":     {"queue: 4 of run", "trace", "checkpoint.weights", "training.jsonl", "examinations.jsonl", "metrics.jsonl", "marks"},
			"hub":     {"queue: 2 of hub-batches", "runs/second", "marks"},
			"gateway": {"queue", "sessions"},
		} {
			folder = filepath.Join(dir, folder)
			before := contents(t, folder)
			r, err := doctor.CheckData(t.Context(), folder)
			if err != nil || !r.Reads {
				t.Errorf("%+v, error %v, want all to be read", r, err)
			}
			for _, want := range wants {
				path, format, _ := strings.Cut(want, ": ")
				if !slices.ContainsFunc(r.Parts, func(p doctor.DataPart) bool { return p.Path == path && strings.Contains(p.Format, format) }) {
					t.Errorf("%+v, want %s", r, want)
				}
			}
			if !maps.Equal(contents(t, folder), before) {
				t.Error("the check has changed the folder")
			}
		}
	})
}

// The content too is read, with the code of today.
func TestContentOfEveryRelease(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, dir string) {
		for _, folder := range []string{"run", "eval"} {
			r, err := trace.Open(filepath.Join(dir, folder, "trace"))
			if err != nil {
				t.Fatal(err)
			}
			if r.Damaged() > 0 || r.Len() == 0 {
				t.Errorf("%s: %d records, %d damaged places", folder, r.Len(), r.Damaged())
			}
			for _, e := range r.Find(trace.Query{}) {
				if record, err := r.Read(e.Ref); err != nil || len(record.Episodes) == 0 || record.Problem.Task != "chain_sum" {
					t.Errorf("%s: %s: %+v, error %v", folder, e.Group, record, err)
				}
			}
		}
		for folder, groups := range map[string]int{"run": 1, "hub": 3} {
			reports, err := files.CheckAll(t.Context(), filepath.Join(dir, folder))
			if err != nil || !reports[0].Sound() || reports[0].Stats.Waiting.Groups < groups {
				t.Errorf("%s: %+v, error %v, want %d groups", folder, reports, err, groups)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, "run", "checkpoint.weights"))
		if err != nil {
			t.Fatal(err)
		}
		if c, err := tiny.ReadWeights(text, nil); err != nil || c.Optimizer == nil {
			t.Errorf("the checkpoint: %+v, error %v, want an optimiser in it", c, err)
		}
		if r, err := exam.ReadReport(filepath.Join(dir, "eval")); err != nil || len(r.Rows) != 1 || r.Rows[0].Scored == 0 {
			t.Errorf("the evaluation: %+v, error %v", r, err)
		}
		kinds := map[string]int{}
		err = journal.Check(filepath.Join(dir, "gateway", "sessions"), func(r journal.Record) error {
			kinds[string(r.Kind)]++
			return nil
		})
		if err != nil || len(kinds) < 3 {
			t.Errorf("the sessions: %v, error %v, want records of several kinds", kinds, err)
		}
	})
}

// What a trace exports is what it exported at the time of its release.
func TestExportsOfEveryRelease(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, dir string) {
		from, err := trace.Open(filepath.Join(dir, "run", "trace"))
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"records", "groups", "sft", "dpo", "areal"} {
			want, err := os.ReadFile(filepath.Join(dir, "export."+format))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			c := export.DefaultChoice()
			if c.Format, c.MinScore = format, 0; format == "sft" {
				c.Gap = 0
			}
			if _, err := export.CopyWhole(t.Context(), c.Sink(&got), from, trace.Query{Limit: 2, Newest: true}); err != nil || got.String() != string(want) {
				t.Errorf("%s: error %v\n%s\nwant\n%s", format, err, got.String(), want)
			}
		}
	})
}

// A hub of today goes on with a release's queue, and leaves it in formats that the release reads.
func TestHubGoesOnAndBack(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, dir string) {
		dir = filepath.Join(dir, "hub")
		before := formats(t, dir)
		store, err := files.Open(filepath.Join(dir, "queue"), files.Options{Mark: filepath.Join(dir, "marks", "queue")})
		if err != nil {
			t.Fatal(err)
		}
		q, err := queue.Open(t.Context(), store, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := hub.New(hub.Config{Queue: q})
		if err != nil {
			t.Fatal(err)
		}
		if s := hub.StatsOf(h.Default()); !s.Registered {
			t.Errorf("%+v, want the trainer to be there", s)
		}
		d, err := q.Lease(t.Context(), queue.Want{Consumer: "another"})
		if err != nil || len(d) != 1 {
			t.Fatalf("%d groups, error %v, want one", len(d), err)
		}
		if err := q.Ack(t.Context(), "another", d[0].Seq); err != nil {
			t.Fatal(err)
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		if after := formats(t, dir); !maps.Equal(after, before) {
			t.Errorf("the formats are %v, want %v", after, before)
		}
	})
}

// formats returns the formats of a data folder, by path.
func formats(t *testing.T, dir string) map[string]string {
	t.Helper()
	r, err := doctor.CheckData(t.Context(), dir)
	if err != nil || !r.Reads {
		t.Fatalf("%+v, error %v", r, err)
	}
	return r.Formats()
}

func TestFaults(t *testing.T) {
	t.Parallel()
	sum := func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
	resum := func(path string, b []byte) []byte { // a later head has a right sum; damage has not
		switch path {
		case "queue/states.log":
			binary.LittleEndian.PutUint32(b[20:], sum(b[:20]))
		case "sessions/manifest":
			b, _, _ = bytes.Cut(b, []byte("sum "))
			b = fmt.Appendf(b, "sum %08x\n", sum(b))
		case "checkpoint.weights":
			whole := sha256.Sum256(b[:len(b)-sha256.Size])
			copy(b[len(b)-sha256.Size:], whole[:])
		}
		return b
	}
	change := func(path, from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			text, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil || !bytes.Contains(text, []byte(from)) {
				t.Fatalf("%s has no %q, error %v", path, from, err)
			}
			if err := os.WriteFile(filepath.Join(dir, path), resum(path, bytes.Replace(text, []byte(from), []byte(to), 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		why, folder string
		fault       func(*testing.T, string)
		path, says  string // the part, and its fault
	}{
		{"a later layout", "run", change("format.json", `"format":2`, `"format":3`), "format.json", "this program reads format 2"},
		{"a damaged layout", "run", change("format.json", `{`, `[`), "format.json", "it is damaged: put back a copy"},
		{"a later queue", "run", change("queue/states.log", "QNlog\x03", "QNlog\x04"), "queue", "format 4"},
		{"a later trace", "run", change("trace/000001.trace", "QNtrace\x01", "QNtrace\x02"), "trace", "format 2"},
		{"later weights", "run", change("checkpoint.weights", "\x1a\n\x01", "\x1a\n\x02"), "checkpoint.weights", "version"},
		{"lines that are none", "run", change("metrics.jsonl", "{", "<"), "metrics.jsonl", "line 1"},
		{"later sessions", "gateway", change("sessions/manifest", "manifest 2", "manifest 3"), "sessions", "use the program that wrote it"},
		{"sessions without a manifest", "gateway", change("sessions/manifest", "quintain s", "Quintain s"), "sessions", "damaged"},
	} {
		dir := copyOf(t, filepath.Join("testdata", "v0.1.0", c.folder))
		c.fault(t, dir)
		r, err := doctor.CheckData(t.Context(), dir)
		at := slices.IndexFunc(r.Parts, func(p doctor.DataPart) bool { return p.Path == c.path && p.Fault != "" })
		if err != nil || r.Reads || at < 0 || !strings.Contains(r.Parts[at].Fault, c.says) {
			t.Errorf("%s: %+v, error %v, want %s not to be read: %s", c.why, r, err, c.path, c.says)
			continue
		}
		var text bytes.Buffer
		if err := r.Write(&text); err != nil || !strings.Contains(text.String(), "IS NOT READ: ") {
			t.Errorf("%s: error %v\n%s", c.why, err, text.String())
		}
	}
	if _, err := doctor.CheckData(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no format.json") {
		t.Errorf("an empty folder: error %v", err)
	}
}
