package trace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/trace"
)

// write writes a trace with groups of these indices.
func write(t *testing.T, folder string, indices ...int) {
	t.Helper()
	w, err := trace.NewWriter(folder, trace.Head{Run: "r"}, trace.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range indices {
		if err := w.Write(&trace.Record{Problem: quintain.Problem{Task: "a", Index: i}, Time: time.Unix(int64(i), 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenFindsTheTracesOfPlaces(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("run/trace"), 0, 1)
	write(t, at("bare"), 1, 2)
	write(t, at("begun/trace"))
	if err := os.Mkdir(at("empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		names  []string
		groups int
		fault  string // empty: none
	}{
		{[]string{"run"}, 2, ""},
		{[]string{"bare"}, 2, ""},
		{[]string{"run/trace"}, 2, ""},
		{[]string{"run", "bare"}, 3, ""},
		{[]string{"run", "run"}, 2, ""},
		{[]string{"run", "begun"}, 2, ""},
		{[]string{"begun"}, 0, at("begun")},
		{[]string{"run", "empty"}, 0, at("empty")},
		{[]string{"none", "run"}, 0, at("none")},
	} {
		var names []string
		for _, name := range test.names {
			names = append(names, at(name))
		}
		r, err := trace.OpenRuns(names...)
		var missing *trace.MissingError
		switch {
		case test.fault != "":
			if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) || missing.Names[0] != test.fault {
				t.Errorf("%v: error %v, want one that names %s", test.names, err, test.fault)
			}
		case err != nil || r.Len() != test.groups:
			t.Errorf("%v: error %v, want %d groups", test.names, err, test.groups)
		}
	}
	if _, err := trace.OpenRuns(at("run"), at("file")); err == nil {
		t.Error("a file is opened as a folder")
	}
}
