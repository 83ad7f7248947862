package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mixtureFile writes a composite data set of reasoning-gym and returns its path.
func mixtureFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "composite.yaml")
	const text = "size: 30\nseed: 7\ndatasets:\n- {name: chain_sum, weight: 3, config: {min_terms: 2, max_terms: 3}}\n- {name: gcd, weight: 1, config: {}}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExportOfAMixture(t *testing.T) {
	mixture := mixtureFile(t)
	export := func(args ...string) string {
		p := start(append([]string{"tasks", "export"}, args...)...)
		if status := p.wait(t); status != exitOK {
			t.Fatalf("%v: status %d and %q", args, status, p.stderr.String())
		}
		return p.stdout.String()
	}
	whole := export("--mixture", mixture)
	if n := strings.Count(whole, "\n"); n != 30 || !strings.Contains(whole, `"seed":"7"`) {
		t.Errorf("%d problems, of another seed perhaps, want 30 of seed 7", n)
	}
	if entries := export("--mixture", mixture, "--format", "reasoning-gym", "--distinct"); strings.Count(entries, `"source_dataset":"chain_sum"`)+strings.Count(entries, `"source_dataset":"gcd"`) != 30 {
		t.Errorf("entries without their data set:\n%s", entries)
	}
	if first := export("--mixture", mixture, "--count", "4", "--seed", "7"); !strings.HasPrefix(whole, first) || strings.Count(first, "\n") != 4 {
		t.Errorf("the first problems are\n%s", first)
	}
	if other := export("--mixture", mixture, "--seed", "8"); other == whole {
		t.Error("the seed of the flag does not hold")
	}
	if all := export("--task", "composite", "--level", "1", "--count", "9"); strings.Count(all, `"level":1`) != 9 {
		t.Errorf("problems of level 1 of all tasks:\n%s", all)
	}
}

func TestRunOfAMixture(t *testing.T) {
	r := runReport(t, "--steps", "8", "--mixture", mixtureFile(t), "--data", t.TempDir())
	if len(r.Tasks) != 2 || r.Tasks[0].Label != "chain_sum" || r.Tasks[1].Label != "gcd" || r.Tasks[0].Groups < 2*r.Tasks[1].Groups {
		t.Errorf("tasks %+v, want chain_sum three times as often as gcd", r.Tasks)
	}
}

func TestMixturesThatAreRefused(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("datasets:\n- {name: gcd, weight: -2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, want string
		args      []string
	}{
		{"an invalid file", bad + ":2:15: datasets[0].weight: is -2, want more than 0", []string{"run", "--mixture", bad}},
		{"an invalid file, to export", bad + ":2:15: datasets[0].weight", []string{"tasks", "export", "--mixture", bad}},
		{"tasks as well", "choose one", []string{"eval", "--mixture", bad, "--tasks", "gcd"}},
		{"a task as well", "none of the others can be", []string{"tasks", "export", "--mixture", bad, "--task", "gcd"}},
		{"no file", "mixture: there is no file", []string{"run", "--mixture", bad + "x"}},
		{"a flag with a range that is none", "--tasks: level of gcd is", []string{"run", "--tasks", "gcd:3-1"}},
	} {
		p := start(test.args...)
		if status := p.wait(t); status == exitOK || !strings.Contains(p.stderr.String(), test.want) {
			t.Errorf("%s: status %d and %q, want %q", test.why, status, p.stderr.String(), test.want)
		}
	}
}
