package programs

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// each calls f with every program.
func each(t *testing.T, f func(p *program)) {
	t.Helper()
	all, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	for _, families := range all.bands[1:] {
		for _, family := range families {
			for _, p := range family {
				f(p)
			}
		}
	}
}

// sample calls f with one program of each family: with every program in heavy tests.
func sample(t *testing.T, f func(p *program)) {
	t.Helper()
	each(t, func(p *program) {
		if tasktest.Heavy || p.name == p.family {
			f(p)
		}
	})
}

// There are enough programs, and of each band some families are held out whole, but not many.
func TestFamilies(t *testing.T) {
	all, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	if len(all.names) < 1150 {
		t.Errorf("there are %d programs, want at least 1,150", len(all.names))
	}
	for band, families := range all.bands[1:] {
		held, inAll, inHeld := 0, 0, 0
		for _, f := range families {
			inAll += len(f)
			if quintain.NewFamilyKey(f[0].family, "").HeldOut() {
				held++
				inHeld += len(f)
			}
		}
		t.Logf("band %d: %d families with %d programs, of which %d with %d are held out", band+1, len(families), inAll, held, inHeld)
		if len(families) < 20 || held < 3 || held > len(families)/4 {
			t.Errorf("in band %d, %d of %d families are held out; want 20 families, and from 3 to a fourth of them held out", band+1, held, len(families))
		}
	}
}

// All questions about the programs of a family are on one side of the split.
func TestFamiliesAreHeldOutWhole(t *testing.T) {
	of, read, sides := codeIO.Task(), codeIO.Reader(), map[string]bool{}
	for level := range of.Info().Levels {
		for i := range 500 {
			p, err := of.Problem(quintain.Draw{Seed: 3, Level: level, Index: i})
			if err != nil {
				t.Fatal(err)
			}
			item, err := read(p)
			if err != nil {
				t.Fatal(err)
			}
			key, err := quintain.KeyOf(of, p)
			if err != nil {
				t.Fatal(err)
			}
			family, _, _ := strings.Cut(item.Program, ".")
			side, met := sides[family]
			if met && side != key.HeldOut() {
				t.Fatalf("%s is on both sides of the split", family)
			}
			sides[family] = key.HeldOut()
		}
	}
	if len(sides) < 100 {
		t.Errorf("%d families come up, want at least 100", len(sides))
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
		inputs := tasktest.Count(200, 60)
		if p.name != p.family {
			inputs = tasktest.Count(200, 8)
		}
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
		{"a: n int 1..2\n#~ n + 1 => n + 2 | n\ndef main(n):\n    return n + 1", ""},
		{"a: n int 1..2\n#~ n + 2 => n + 3\ndef main(n):\n    return n + 1", "does not have what"},
		{"a: n int 1..2\n#~ n + 1 = n + 2\ndef main(n):\n    return n + 1", "does not have what"},
		{"a: n int 1..2\n#~ n + 1 => " + strings.Repeat("n | ", mostPrograms) + "2\ndef main(n):\n    return n + 1", "has 102 programs, want at most 100"},
	} {
		if _, err := readFamily(test.text); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}
