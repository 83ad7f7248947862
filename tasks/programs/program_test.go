package programs

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// each calls f with every program.
func each(t *testing.T, f func(p *program)) {
	t.Helper()
	all, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	if len(all.names) < 100 {
		t.Errorf("there are %d programs, want at least 100", len(all.names))
	}
	for band, list := range all.bands[1:] {
		if len(list) < 20 {
			t.Errorf("band %d has %d programs, want at least 20", band+1, len(list))
		}
		for _, p := range list {
			f(p)
		}
	}
}

// A program fails with no drawn input, and most outputs are telling.
func TestPrograms(t *testing.T) {
	each(t, func(p *program) {
		main, err := p.compiled()
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			return
		}
		if main.NumParams() != len(p.params) {
			t.Errorf("%s: main has %d parameters, and %d are drawn", p.name, main.NumParams(), len(p.params))
			return
		}
		for i, q := range p.params {
			if name, _ := main.Param(i); name != q.name {
				t.Errorf("%s: main has the parameter %s, and %s is drawn", p.name, name, q.name)
			}
		}
		r, told, outputs := rng.New(1, p.name), 0, map[string]bool{}
		const inputs = 200
		for i := range inputs {
			input := p.draw(small+size(i%2), r)
			output, err := p.run(input)
			if err != nil {
				t.Errorf("%s of %s: %v", p.name, show(input), err)
				return
			}
			if telling(output, input) {
				told++
				outputs[output] = true
			}
		}
		if told < inputs/2 || len(outputs) < inputs/5 {
			t.Errorf("%s: of %d outputs %d are telling, and %d are different", p.name, inputs, told, len(outputs))
		}
	})
}

// show writes a value for people.
func show(v pyvalue.Value) string {
	text, err := jsonOf(v)
	if err != nil {
		return err.Error()
	}
	return text
}

func TestHeadlines(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a: n int 1..2\ndef main(n):\n    return n", ""},
		{"a\ndef main(n):\n    return n", "is not a headline"},
		{"a: n int 1..2\n", "is not a headline"},
		{"a: n float 1..2\ndef main(n):\n    return n", "is not a parameter"},
		{"a: n int 2..1\ndef main(n):\n    return n", "does not have the ranges"},
		{"a: n ints 1..2\ndef main(n):\n    return n", "does not have the ranges"},
		{"a: n picks 1..2\ndef main(n):\n    return n", "does not have the ranges"},
	} {
		if _, err := readProgram(test.text); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}
