package artifacts

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/trace"
)

// A failing sink fails as its errors say, one after the other.
type failing []error

func (f *failing) Note(run.Event) error {
	err := (*f)[0]
	*f = (*f)[1:]
	return err
}

// TestNoFileStopsTheRun has the disk fail under what a run writes beside its groups: one ERROR, and a
// number. Other errors are the run's.
func TestNoFileStopsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, disk := os.ReadFile("nothing here")
		other := errors.New("the record is invalid")
		var log bytes.Buffer
		s := newSpare(slog.New(slog.NewTextHandler(&log, nil)))
		sink := s.sink("trace", &failing{disk, nil, &trace.LostError{Groups: 7, Why: disk}, other})
		for _, want := range []error{nil, nil, nil, other} {
			if err := sink.Note(run.Said{}); !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := 3
		err := s.flush("trace", func(context.Context) error {
			if left--; left == 0 {
				cancel()
			}
			return disk
		})(ctx)
		if err = errors.Join(err, s.closer("trace", closing(func() error { return disk })).Close()); err != nil {
			t.Error(err)
		}
		if n := testutil.ToFloat64(s.lost.WithLabelValues("trace")); n != 12 || strings.Count(log.String(), "level=ERROR") != 1 {
			t.Errorf("%v groups are counted as lost, log %s", n, log.String())
		}
	})
}

// TestLinesAreAsWritten damages a file of lines between two runs: each damage is told, once.
func TestLinesAreAsWritten(t *testing.T) {
	for _, test := range []struct {
		damage func(path string) error
		want   string
		why    string
	}{
		{func(string) error { return nil }, "", "nothing happens"},
		{func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			_, cannot := f.WriteString("1")
			return errors.Join(err, cannot, f.Close())
		}, "", "a line is half written at a kill"},
		{func(path string) error {
			mark := datadir.MarkBeside(path)
			b, err := os.ReadFile(mark)
			return errors.Join(err, os.Truncate(path, 4), os.Remove(mark), os.WriteFile(mark, b, 0o600))
		}, "the end of a file is missing", "a line is cut off in a copied folder"},
		{os.Remove, "the end of a file is missing", "the file is removed"},
		{func(path string) error { return os.Truncate(path, 4) }, "the end of a file is missing", "a line is cut off"},
		{func(path string) error { return os.Truncate(path, 3) }, "the end of a file is missing", "a line is cut"},
		{func(path string) error { return os.WriteFile(path, []byte("10\n30\n40\n"), 0o600) }, "not as they were written", "a digit is another"},
		{func(path string) error { return os.WriteFile(path, make([]byte, 9), 0o600) }, "not as they were written", "zeros"},
	} {
		folder, err := datadir.Open(t.TempDir(), "test")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { folder.Close() })
		path := folder.Join("numbers.jsonl")
		life := func(values ...int) string {
			var log bytes.Buffer
			to := slog.New(slog.NewTextHandler(&log, nil))
			g := openGrown(path, to)
			f, _, err := jsonl.OpenLog[int](path, to)
			if err != nil {
				t.Fatal(err)
			}
			g.begin()
			for _, v := range values {
				if err := errors.Join(f.Add(v), g.Note(run.Stepped{})); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(f.Close(), g.Close()); err != nil {
				t.Fatal(err)
			}
			return log.String()
		}
		life(10)
		life(20, 30)
		if err := test.damage(path); err != nil {
			t.Fatal(err)
		}
		if got := life(50); !strings.Contains(got, test.want) || (got == "") != (test.want == "") || got != "" && !strings.Contains(got, filepath.Base(path)) {
			t.Errorf("%s: told %q, want %q", test.why, got, test.want)
		}
		if got := life(60); got != "" {
			t.Errorf("%s: told again: %q", test.why, got)
		}
	}
}
