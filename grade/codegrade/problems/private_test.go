package problems

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tasks/dataset"
)

func TestBombsAreBounded(t *testing.T) {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(append([]byte("\x80\x03X\xf8\xff\x7f\x00"), strings.Repeat("[", 8<<20-8)...)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	bomb := base64.StdEncoding.EncodeToString(b.Bytes())
	if _, err := unpack(bomb, 1<<20); len(bomb) > 100<<10 || err == nil || err.Error() != "has more than 1048576 bytes unpacked: leave the row out" {
		t.Errorf("a bomb of %d bytes: error %v", len(bomb), err)
	}
	if _, err := unpack(bomb, 8<<20); err == nil || !strings.Contains(err.Error(), "of the pickle") {
		t.Errorf("the same with room: error %v", err)
	}
}

// again checks that every row of a text is a problem or a fault, and that each problem can be
// written and read again.
func again(t *testing.T, text []byte) {
	t.Helper()
	var all []Problem
	keep := &scanner{first: map[string]int{}, each: func(_ int, p Problem, err error) error {
		if err == nil {
			all = append(all, p)
		}
		return nil
	}}
	file := &dataset.File{Name: "rows.jsonl", Data: io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text)))}
	if err := file.Each(maxLine, func(n int, fields map[string]any, err error) error { return keep.row(n, fields, err) }); err != nil {
		return // a JSON list that is cut
	}
	for _, p := range all {
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		r, err := dataset.Object(line)
		if err != nil {
			t.Fatalf("%.300q: its problem cannot be read again: %v", text, err)
		}
		if read, err := (Settings{}).problem(1, r); err != nil || read.ID != p.ID || !reflect.DeepEqual(read.Tests, p.Tests) {
			t.Errorf("%.300q is read as %.300s, and again as %+v, error %v", text, line, read, err)
		}
	}
}

func FuzzRows(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			f.Add(line)
		}
	}
	f.Fuzz(again)
}

// FuzzColumns puts a text where each form has its tests.
func FuzzColumns(f *testing.F) {
	for _, seed := range []string{
		`{"fn_name":"f","inputs":[["\"a\""],["\"b\""]],"outputs":[["\"c\""],["d"]]}`,
		`{"inputs":[["1","2"],"3"],"outputs":["4",5]}`,
		`{"fn_name":"f","inputs":["1\n2","[3]"],"outputs":["4","[5]"]}`,
		`[{"input":"1","output":"2","testtype":"functional","metadata":{"func_name":"f"}}]`,
		`{'language': 'python', 'test_cases': [{'fn_name': 'f', 'input': [1], 'output': [[2]], 'type': 'function_call'}]}`,
		`{"ground_truth":{"assert_case":["assert f(1) == 2"]}}`, `{"unit_tests":{"inputs":["1"],"outputs":["2"]}}`,
		`eJxrYJlayAAAAyABBw==`, `["assert f(1) == 2"]`, `class TestCases: pass`, `2.0 seconds`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range forms {
			row := map[string]string{"input_output": text, "time_limit": text, "solutions": text, "private_test_cases": text, "metadata": text, "canonical_solution": text, "prompt": "def f(x):\n"}
			for _, column := range of.columns {
				name, _, _ := strings.Cut(column, "|")
				if row[name] = "def f(x):\n"; strings.Contains(name, "test") || strings.HasPrefix(name, "ver") || name == "reward_model" {
					row[name] = text
				}
			}
			row["entry_point"] = "f"
			for _, left := range []string{"", "time_limit", "metadata", "solutions"} { // so that one column does not hide the others
				delete(row, left)
				line, err := json.Marshal(row)
				if err != nil {
					t.Fatal(err)
				}
				again(t, line)
			}
		}
	})
}
