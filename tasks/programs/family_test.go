package programs

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// A family has its program as it is written, and every combination of the choices.
func TestVariants(t *testing.T) {
	f, err := readFamily("a: n int 1..2; m int 3..4\n#~ + => - | *\n#~ return n => return m\ndef main(n, m):\n    return n + m")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ name, returns string }{{"a", "n + m"}, {"a.2", "n - m"}, {"a.3", "n * m"}, {"a.4", "m + m"}, {"a.5", "m - m"}, {"a.6", "m * m"}} {
		if len(f) != 6 || f[i].name != want.name || f[i].family != "a" || !strings.HasSuffix(f[i].source, "return "+want.returns) {
			t.Fatalf("program %d of %d is %s, %q; want %s, which returns %s", i, len(f), f[i].name, f[i].source, want.name, want.returns)
		}
		got, err := f[i].run(f[i].draw(large, rng.New(1, "")))
		if err != nil || len(f[i].params) != 2 {
			t.Errorf("%s returns %s, error %v", f[i].name, got, err)
		}
	}
}

// No two programs of a family do the same: for some input that is drawn they differ.
func TestVariantsDiffer(t *testing.T) {
	all, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	for _, families := range all.bands[1:] {
		for _, f := range families {
			differ(t, f)
		}
	}
}

// differ tells the programs of a family apart by their outputs.
func differ(t *testing.T, f family) {
	const inputs = 200
	r, alike := rng.New(1, f[0].name), []family{f}
	for i := 0; i < inputs && len(alike) > 0; i++ {
		input := f[0].draw(small+size(i%2), r)
		var still []family
		for _, group := range alike {
			byOutput := map[string]family{}
			for _, p := range group {
				output, err := p.run(input)
				if err != nil {
					t.Fatalf("%s of %s: %v", p.name, show(input), err)
				}
				byOutput[output] = append(byOutput[output], p)
			}
			for _, rest := range byOutput {
				if len(rest) > 1 {
					still = append(still, rest)
				}
			}
		}
		alike = still
	}
	for _, group := range alike {
		t.Errorf("%s does the same as %s", group[1].name, group[0].name)
	}
}
