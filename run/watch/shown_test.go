package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/run/exam"
)

func TestUseSortsWhatIsNamed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, folder := range []string{"a", "b", "exam"} {
		if err := os.Mkdir(at(folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"exam/" + exam.ReportName: "{}", "groups.jsonl": `{"example_id":0,"prompt":"c","completion":"d","reward":0}` + "\n"} {
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		why     string
		names   Sources
		want    Config
		missing string // empty: nothing
	}{
		{"the folder of the settings", Sources{Folders: []string{at("a")}}, Config{Data: at("a")}, ""},
		{"two folders", Sources{Folders: []string{at("a"), at("b")}}, Config{Data: at("a"), Others: []string{at("b")}}, ""},
		{"paths come first", Sources{Paths: []string{at("b"), at("exam")}, Folders: []string{at("a"), at("none")}}, Config{Data: at("b"), Evaluations: []string{at("exam")}}, ""},
		{"a missing path", Sources{Paths: []string{at("a"), at("none")}, Folders: []string{at("b")}}, Config{}, at("none")},
		{"a missing folder", Sources{Folders: []string{at("none"), at("a")}}, Config{}, at("none")},
	} {
		var got Config
		err := test.names.Use(func(c Config) error { got = c; return nil })
		var missing *MissingError
		if test.missing != "" {
			if !errors.As(err, &missing) || missing.Name != test.missing || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: error %v", test.why, err)
			}
			continue
		}
		if err != nil || got.Data != test.want.Data || !slices.Equal(got.Others, test.want.Others) || !slices.Equal(got.Evaluations, test.want.Evaluations) {
			t.Errorf("%s: %+v, error %v; want %+v", test.why, got, err, test.want)
		}
	}
	names := Sources{Paths: []string{at("groups.jsonl")}, Folders: []string{at("a")}, Program: "test"}
	var converted string
	err := names.Use(func(c Config) error {
		converted = c.Data
		if !slices.Equal(c.Files, []string{at("groups.jsonl")}) {
			t.Errorf("the file is called %v", c.Files)
		}
		files, err := filepath.Glob(filepath.Join(c.Data, "*.trace"))
		if len(files) != 1 {
			t.Errorf("a file became %v", files)
		}
		return err
	})
	if _, gone := os.Stat(converted); err != nil || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("error %v, and %s is left: %v", err, converted, gone)
	}
}
