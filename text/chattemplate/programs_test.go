package chattemplate

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// programs names the file of programs; conformance/template_programs.py writes it.
var programs = flag.String("programs", "testdata/programs.jsonl", "templates and jinja2's output")

// testNow is the time of strftime_now in tests.
var testNow = time.Date(2025, 7, 10, 9, 5, 7, 0, time.UTC)

// A program is a template and jinja2's output. A line without a template sets the
// variables of the lines after it.
type program struct {
	Vars     json.RawMessage
	Template string
	Text     *string
	Spans    [][2]int // in characters; nil: not compared
	Error    string
}

// TestPrograms compares the output of small templates with that of CPython's jinja2.
func TestPrograms(t *testing.T) {
	file, err := os.Open(*programs)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	var vars Vars
	count := 0
	for lines.Scan() {
		var p program
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if p.Vars != nil {
			if vars, err = ParseVars(p.Vars); err != nil {
				t.Fatal(err)
			}
			continue
		}
		count++
		p.check(t, vars)
	}
	if err := lines.Err(); err != nil || count == 0 {
		t.Errorf("%d programs, error %v", count, err)
	}
}

func (p *program) check(t *testing.T, vars Vars) {
	t.Helper()
	got, err := render(p.Template, vars)
	switch {
	case p.Text == nil && err == nil:
		t.Errorf("%q gives %q, want the error %s", p.Template, got.Text, p.Error)
	case err != nil && strings.HasSuffix(err.Error(), "prints its address in memory"):
		return // jinja2 prints or counts it
	case p.Text != nil && err != nil:
		t.Errorf("%q gives the error %v, want %q", p.Template, err, *p.Text)
	case p.Text != nil && got.Text != *p.Text:
		t.Errorf("%q gives\n%q, want\n%q", p.Template, got.Text, *p.Text)
	}
	if p.Text == nil || err != nil || p.Spans == nil {
		return
	}
	var spans [][2]int
	for _, s := range got.Generated {
		spans = append(spans, [2]int{utf8.RuneCountInString(got.Text[:s.Start]), utf8.RuneCountInString(got.Text[:s.End])})
	}
	if !slices.Equal(spans, p.Spans) {
		t.Errorf("%q has the spans %v, want %v", p.Template, spans, p.Spans)
	}
}

// render compiles and renders a template.
func render(source string, vars Vars) (Rendering, error) {
	template, err := Compile(source)
	if err != nil {
		return Rendering{}, err
	}
	return template.Render(vars, Options{Now: testNow})
}
