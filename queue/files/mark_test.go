package files_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// openMarked opens the queue of a data folder, and returns its log.
func openMarked(t *testing.T, data string) (*queue.Queue, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	q := openDir(t, filepath.Join(data, "queue"), files.Options{Mark: filepath.Join(data, "marks", "queue"), Log: slog.New(slog.NewTextHandler(log, nil))})
	return q, log
}

// A step changes a data folder whose queue is closed, or its queue.
type step func(t *testing.T, data string)

func putting(first, last int) step {
	return func(t *testing.T, data string) {
		q, _ := openMarked(t, data)
		defer queuetest.Close(t, q)
		for i := first; i <= last; i++ {
			if _, err := q.Put(context.Background(), queuetest.Group(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func acknowledging(t *testing.T, data string) {
	q, _ := openMarked(t, data)
	defer queuetest.Close(t, q)
	list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Max: 2})
	if err == nil {
		err = q.Ack(t.Context(), "a", list[0].Seq, list[1].Seq)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// noting sets a state so often that its file is rewritten.
func noting(times int) step {
	return func(t *testing.T, data string) {
		q, _ := openMarked(t, data)
		defer queuetest.Close(t, q)
		for i := range times {
			if err := q.SetState(context.Background(), "x", bytes.Repeat([]byte{byte(i)}, 100<<10)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// copying copies a file or folder of the data folder.
func copying(from, to string) step {
	return func(t *testing.T, data string) {
		if err := os.RemoveAll(filepath.Join(data, to)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(data, from))
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			err = os.CopyFS(filepath.Join(data, to), os.DirFS(filepath.Join(data, from)))
		} else if b, e := os.ReadFile(filepath.Join(data, from)); e == nil {
			err = os.WriteFile(filepath.Join(data, to), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func removing(name string) step {
	return func(t *testing.T, data string) {
		if err := os.RemoveAll(filepath.Join(data, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder that was removed, replaced, or put back from an older copy is told, once. What is as
// the store left it is not.
func TestFolderPutBack(t *testing.T) {
	copied := "is a copy"
	if files.Born(t.TempDir()) == 0 { // this disk does not tell
		copied = ""
	}
	for _, test := range []struct {
		why   string
		steps []step
		want  string // in the log; empty: nothing
	}{
		{"nothing happened", []step{putting(1, 5), acknowledging, noting(30)}, ""},
		{"the folder was removed", []step{putting(1, 5), removing("queue")}, "was removed or replaced"},
		{"an empty folder was removed", []step{putting(1, 0), removing("queue")}, "was removed or replaced"},
		{"put back after groups came", []step{putting(1, 5), copying("queue", "old"), putting(6, 6), copying("old", "queue")}, "from an older copy"},
		{"put back after groups were acknowledged", []step{putting(1, 5), copying("queue", "old"), acknowledging, copying("old", "queue")}, "from an older copy"},
		{"put back after a state changed", []step{putting(1, 5), copying("queue", "old"), noting(1), copying("old", "queue")}, "from an older copy"},
		{"put back after the states were rewritten", []step{putting(1, 5), copying("queue", "old"), noting(60), copying("old", "queue")}, "from an older copy"},
		{"the same again", []step{putting(1, 5), copying("queue", "old"), copying("old", "queue")}, ""},
		{"the mark lags, as after a power cut", []step{putting(1, 5), copying("marks", "old"), putting(6, 9), noting(60), copying("old/queue", "marks/as a copy"), overwriting}, ""},
		{"the mark is lost", []step{putting(1, 5), removing("marks")}, ""},
		{"the mark is damaged", []step{putting(1, 5), overwritten}, ""},
		{"the list of files is lost, which is told anyway", []step{putting(1, 5), removing("queue/manifest")}, "the list of files is missing"},
		{"all was copied", []step{putting(1, 5), copying("marks", "copy"), copying("copy", "marks")}, copied},
	} {
		data := t.TempDir()
		for _, one := range test.steps {
			one(t, data)
		}
		for again, want := range []string{test.want, ""} {
			q, log := openMarked(t, data)
			queuetest.Close(t, q)
			if text := log.String(); !strings.Contains(text, want) || want == "" && text != "" {
				t.Errorf("%s, opening %d: the log is %q, want %q", test.why, again+1, text, want)
			}
		}
	}
}

// overwriting gives the mark an older content, and leaves the file.
func overwriting(t *testing.T, data string) {
	b, err := os.ReadFile(filepath.Join(data, "marks", "as a copy"))
	if err == nil {
		err = os.WriteFile(filepath.Join(data, "marks", "queue"), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func overwritten(t *testing.T, data string) {
	if err := os.WriteFile(filepath.Join(data, "marks", "queue"), fmt.Append(nil, "no mark at all, but some bytes of the same length ..."), 0o600); err != nil {
		t.Fatal(err)
	}
}
