package jsonl

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLogGoesOn(t *testing.T) {
	long := `"` + strings.Repeat("x", 200<<10) + `"`
	for _, test := range []struct {
		why  string
		held string
		last string   // last value; empty: none
		then []string // lines in the end
		bad  string   // lines set aside
	}{
		{"a new file", "", "", []string{"new"}, ""},
		{"one line", "\"a\"\n", "a", []string{"a", "new"}, ""},
		{"half a line alone", `"a`, "", []string{"new"}, ""},
		{"half a line", "\"a\"\n\"b\"\n\"c", "b", []string{"a", "b", "new"}, ""},
		{"a line longer than one read", "\"a\"\n" + long + "\n", long[1 : len(long)-1], []string{"a", long[1 : len(long)-1], "new"}, ""},
		{"half of a long line", "\"a\"\n" + long[:len(long)-1], "a", []string{"a", "new"}, ""},
		{"half of a long line alone", long[:len(long)-1], "", []string{"new"}, ""},
		{"the last line is damaged", "\"a\"\nb\n", "a", []string{"a", "new"}, "b\n"},
		{"the last lines are damaged, and half a line follows", "\"a\"\nnull\n{}\n\"c", "a", []string{"a", "new"}, "null\n{}\n"},
		{"all lines are damaged", "\x00\x00\n", "", []string{"new"}, "\x00\x00\n"},
	} {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(path, []byte(test.held), 0o600); err != nil {
			t.Fatal(err)
		}
		var heard bytes.Buffer
		l, last, err := OpenLog[string](path, slog.New(slog.NewTextHandler(&heard, nil)))
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		if got := last != nil; got != (test.last != "") || got && *last != test.last {
			t.Errorf("%s: found a last line: %v, want %.20q", test.why, got, test.last)
		}
		if err := l.Add("new"); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		bad, _ := os.ReadFile(path + BadEnd)
		if told := strings.Contains(heard.String(), "file="+path+" at="); string(bad) != test.bad || told != (bad != nil) {
			t.Errorf("%s: set aside %q, told %q", test.why, bad, heard.String())
		}
		if lines, err := ReadLog[string](path); err != nil || !slices.Equal(lines, test.then) {
			t.Errorf("%s: %d lines in the end, error %v, want %d", test.why, len(lines), err, len(test.then))
		}
	}
}

func TestLogRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte("\"a\"\nb\n\"c\"\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	values, err := ReadLog[string](path)
	if err == nil || !strings.Contains(err.Error(), path+" line 2: it is damaged, and of the lines after it 1") || !slices.Equal(values, []string{"a", "c"}) {
		t.Errorf("read %q, error %v, want one that names line 2 of %s", values, err, path)
	}
	l, _, err := OpenLog[func()](filepath.Join(t.TempDir(), "other.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Add(func() {}); err == nil {
		t.Error("a function is written")
	}
	if _, _, err := OpenLog[string](t.TempDir(), nil); err == nil {
		t.Error("a folder is opened")
	}
}

func TestLastLine(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for _, test := range []struct {
		text, line string
		end        int
	}{
		{"", "", 0},
		{"half", "", 0},
		{"\n", "", 1},
		{"a\n", "a", 2},
		{"a\nb\n", "b", 4},
		{"a\nb\nhalf", "b", 4},
		{"a\n\nhalf", "", 3},
		{long, "", 0},
		{long + "\n", long, len(long) + 1},
		{"a\n" + long + "\n" + long, long, len(long) + 3},
		{"a\n" + long, "a", 2},
	} {
		line, end, err := LastLine(bytes.NewReader([]byte(test.text)), int64(len(test.text)))
		if err != nil || string(line) != test.line || end != int64(test.end) {
			t.Errorf("%.20q: %d bytes, end %d, error %v; want %d bytes, end %d", test.text, len(line), end, err, len(test.line), test.end)
		}
	}
	if _, _, err := LastLine(strings.NewReader("a\n"), 3); err == nil {
		t.Error("more is read than there is")
	}
}
