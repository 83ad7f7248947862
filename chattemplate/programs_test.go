package chattemplate

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"
)

// programs names the file of programs that conformance/templates.py makes anew.
var programs = flag.String("programs", "testdata/programs.jsonl", "templates with variables and what jinja2 makes of them")

// testNow is the time that strftime_now tells in tests.
var testNow = time.Date(2025, 7, 10, 9, 5, 7, 0, time.UTC)

// TestPrograms compares small templates with what CPython's jinja2 made of them.
func TestPrograms(t *testing.T) {
	file, err := os.Open(*programs)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	count := 0
	for lines.Scan() {
		var p struct {
			Template string
			Vars     json.RawMessage
			Text     *string
			Error    string
		}
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		count++
		got, err := renderOnce(p.Template, p.Vars)
		switch {
		case p.Text == nil && err == nil:
			t.Errorf("%q with %s gives %q, want the error %s", p.Template, p.Vars, got, p.Error)
		case p.Text != nil && err != nil:
			t.Errorf("%q with %s gives the error %v, want %q", p.Template, p.Vars, err, *p.Text)
		case p.Text != nil && got != *p.Text:
			t.Errorf("%q with %s gives\n%q, want\n%q", p.Template, p.Vars, got, *p.Text)
		}
	}
	if err := lines.Err(); err != nil || count == 0 {
		t.Errorf("%d programs, error %v", count, err)
	}
	t.Logf("%d programs", count)
}

// renderOnce compiles and renders a template.
func renderOnce(source string, vars []byte) (string, error) {
	template, err := Compile(source)
	if err != nil {
		return "", err
	}
	v, err := ParseVars(vars)
	if err != nil {
		return "", err
	}
	r, err := template.Render(v, Options{Now: testNow})
	return r.Text, err
}
