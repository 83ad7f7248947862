package catalog_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// shown writes choices, one per line.
func shown(t *testing.T, choices catalog.Choices) string {
	t.Helper()
	var lines []string
	for _, c := range choices {
		line := (&catalog.Choices{c}).String()
		if c.Params != nil {
			line = strings.Replace(line, ":0", string(c.Params), 1)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " ")
}

func TestChoices(t *testing.T) {
	for _, test := range []struct{ why, text, want string }{
		{"a task at its easiest level", "gcd", "gcd:0"},
		{"a level", "gcd:2", "gcd:2"},
		{"a weight", "gcd=2.5", "gcd:0=2.5"},
		{"a range of levels, which share the weight", "gcd:1-2=3", "gcd:1=1.5 gcd:2=1.5"},
		{"several tasks, with space between them", " gcd:1, lcm=2 ,", "gcd:1 lcm:0=2"},
		{"none", "", ""},
	} {
		var got catalog.Choices
		if err := got.Set(test.text); err != nil || shown(t, got) != test.want {
			t.Errorf("%s: %s, error %v, want %s", test.why, shown(t, got), err, test.want)
		}
	}
	var all catalog.Choices
	if err := all.Set("composite:1=61"); err != nil {
		t.Fatal(err)
	}
	if n := len(catalog.Tasks()); len(all) != n || all[n-1].Level != 1 || math.Abs(all[0].Weight-61/float64(n)) > 1e-9 {
		t.Errorf("composite is %s", shown(t, all))
	}
}

func TestChoicesThatAreRefused(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"gdc", `no task "gdc"; did you mean "gcd"? (quintain tasks list names them all)`},
		{"gcd:9", "level of gcd is 9, want 0 to"},
		{"gcd:-1", `level of gcd is "-1", want a number, or a range such as 0-3`},
		{"gcd:2-1", `level of gcd is "2-1", want a number, or a range such as 0-3`},
		{"gcd:easy", `level of gcd is "easy", want a number`},
		{"gcd=0", "gcd=0: weight: is 0, want more than 0"},
		{"gcd=-1", "gcd=-1: weight: is -1, want more than 0"},
		{"gcd=NaN", "weight"},
		{"gcd=1e999", "weight"},
		{"gcd=x", `weight of gcd is "x", want a number`},
		{":1", "name"},
		{"composite:9", "is 9, want 0 to"},
	} {
		var got catalog.Choices
		if err := got.Set(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.text, err, test.want)
		}
	}
}

// compositeYAML is a file in reasoning-gym's format.
const compositeYAML = `size: 30
seed: 7
datasets:
  - name: chain_sum
    weight: 2
    config:
      min_terms: 3
      max_terms: 4
      seed: 1
      size: 10
  - name: gcd
    weight: 1
    config: {}
`

func TestMixture(t *testing.T) {
	const chain = `{"max_terms":4,"min_terms":3}`
	for _, test := range []struct {
		why, text, want string
		size            int
		seed            uint64
	}{
		{"a file of reasoning-gym", compositeYAML, "chain_sum" + chain + "=2 gcd{}", 30, 7},
		{"the defaults", "datasets: [{name: gcd}]", "gcd:0", 500, 5},
		{"levels and texts", "datasets: [{name: gcd, level: 1-2, weight: 2}, 'lcm:1=3']", "gcd:1 gcd:2 lcm:1=3", 500, 5},
		{"a mixture in it keeps its proportions", "datasets: [{name: composite, weight: 4, config: {datasets: [gcd=3, lcm]}}, gcd]", "gcd:0=3 lcm:0 gcd:0", 500, 5},
	} {
		m, err := catalog.ReadMixture("mix.yaml", []byte(test.text), 5)
		if err != nil || shown(t, m.Datasets) != test.want || m.Size != test.size || m.Seed != test.seed {
			t.Errorf("%s: %s, size %d, seed %d, error %v, want %s", test.why, shown(t, m.Datasets), m.Size, m.Seed, err, test.want)
		}
	}
}

func TestMixturesThatAreRefused(t *testing.T) {
	for _, test := range []struct{ why, text, want string }{
		{"an unknown task", "datasets:\n  - name: gcd\n  - name: gdc\n", `mix.yaml:3:5: datasets[1].name: no task "gdc"; did you mean "gcd"?`},
		{"a negative weight", "datasets:\n  - name: gcd\n    weight: -1\n", "mix.yaml:3:5: datasets[0].weight: is -1, want more than 0"},
		{"no weight at all", "datasets:\n  - {name: gcd, weight: 0}\n", "mix.yaml:2:17: datasets[0].weight: is 0, want more than 0"},
		{"a non-number as weight", "datasets:\n  - {name: gcd, weight: .nan}\n", "mix.yaml:2:25: nan is not allowed here"},
		{"a level out of range", "datasets:\n  - name: gcd\n    level: 99\n", "mix.yaml:3:5: datasets[0].level: level of gcd is 99, want 0 to"},
		{"an unknown parameter", "datasets:\n  - name: gcd\n    config:\n      min_number: 2\n", `mix.yaml:4:7: datasets[0].config.min_number: task gcd: params: min_number is no setting of this task; did you mean "min_numbers"?`},
		{"a parameter of another type", "datasets:\n  - name: gcd\n    config: {min_numbers: two}\n", "mix.yaml:3:14: datasets[0].config.min_numbers: task gcd: params: min_numbers is a string, want a whole number"},
		{"a parameter out of range", "datasets:\n  - name: gcd\n    params: {min_numbers: 0}\n", "mix.yaml:3:14: datasets[0].params.min_numbers: task gcd: params: min_numbers is 0, want 2 or more"},
		{"an unknown field", "datasets:\n  - name: gcd\n    wieght: 2\n", `mix.yaml:3:5: datasets[0].wieght: there is no such setting; did you mean "weight"?`},
		{"an unknown field of the file", "datasets: [gcd]\nsead: 1\n", `mix.yaml:2:1: sead: there is no such setting; did you mean "seed"?`},
		{"a level and parameters", "datasets:\n  - {name: gcd, level: 1, config: {}}\n", "mix.yaml:2:17: datasets[0].level: is given, and so is config: choose one"},
		{"both names of parameters", "datasets:\n  - {name: gcd, params: {}, config: {}}\n", "datasets[0].config: is another name of params: choose one"},
		{"a fault in a mixture in it", "datasets:\n  - name: composite\n    config:\n      datasets: [gdc]\n", `mix.yaml:4:18: datasets[0].config.datasets[0].name: no task "gdc"`},
		{"no task", "size: 3\n", "datasets: is empty, want at least one task"},
		{"no name", "datasets:\n  - {weight: 1}\n", `name: is "", want the name of a task`},
		{"a number", "datasets:\n  - 7\n", "mix.yaml:2:5: datasets[0]: want NAME[:LEVEL][=WEIGHT], or an object"},
		{"no size", "size: 0\ndatasets: [gcd]\n", "mix.yaml:1:7: size: is 0, want 1 or more"},
		{"no YAML", "datasets: [", "mix.yaml:1:"},
	} {
		if _, err := catalog.ReadMixture("mix.yaml", []byte(test.text), 1); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		}
	}
}

// A mixture's tasks can be played, and their parameters read again.
func FuzzMixture(f *testing.F) {
	for _, text := range []string{compositeYAML, "datasets: [gcd:1-2=3]", "datasets: composite:1", "datasets: [{name: composite, config: {datasets: [{name: lcm, params: {}}]}}]"} {
		f.Add([]byte(text))
	}
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := catalog.ReadMixture("mix.yaml", text, 1)
		if err != nil {
			return
		}
		for _, c := range m.Datasets {
			if _, err := c.Task(tasks); err != nil || !(c.Weight >= 0) {
				t.Errorf("%+v was read: %v", c, err)
			}
		}
		object, err := settings.JSON(&m)
		var again catalog.Mixture
		if err == nil {
			err = settings.ReadJSON(&again, object)
		}
		if err != nil || shown(t, again.Datasets) != shown(t, m.Datasets) {
			t.Errorf("%s is read as %s: %v", object, shown(t, again.Datasets), err)
		}
	})
}

func composite(t *testing.T) quintain.Task {
	t.Helper()
	c, err := catalog.NewComposite()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A mixture draws from its tasks by their weights. Each problem has the verdict and the key
// that its task gives it.
func TestComposite(t *testing.T) {
	mixed, err := composite(t).With([]byte(`{"datasets":["gcd:1=3",{"name":"lcm","config":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]int{}
	for i := range 1000 {
		p, err := mixed.Problem(quintain.Draw{Seed: 4, Index: i})
		if err != nil {
			t.Fatal(err)
		}
		drawn[p.Task]++
		of, err := tasks.Get(p.Task)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := mixed.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		v, err := mixed.Grade(p, answer)
		alone, aloneErr := of.Grade(p, answer)
		if err != nil || aloneErr != nil || v != alone || v.Score != 1 {
			t.Fatalf("%s: verdicts %v and %v, errors %v and %v", p.ID(), v, alone, err, aloneErr)
		}
		key, err := quintain.KeyOf(mixed, p)
		aloneKey, aloneErr := quintain.KeyOf(of, p)
		if err != nil || aloneErr != nil || key != aloneKey {
			t.Fatalf("%s: keys %x and %x, errors %v and %v", p.ID(), key, aloneKey, err, aloneErr)
		}
		if p.Task == "gcd" && p.Level != 1 || p.Task == "lcm" && p.Level != quintain.OwnParams {
			t.Fatalf("%s has level %d", p.Task, p.Level)
		}
	}
	if drawn["gcd"] < 700 || drawn["gcd"] > 800 || drawn["gcd"]+drawn["lcm"] != 1000 {
		t.Errorf("drew %v with weights 3 and 1", drawn)
	}
}

func TestCompositeOfAllTasks(t *testing.T) {
	all := composite(t)
	drawn := map[string]bool{}
	for level, params := range all.Info().Levels {
		same, err := all.With(params)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1500 {
			p, err := all.Problem(quintain.Draw{Seed: 1, Level: level, Index: i})
			if err != nil {
				t.Fatal(err)
			}
			other, err := same.Problem(quintain.Draw{Seed: 1, Index: i})
			if err != nil || other.ID() != p.ID() || p.Level != level {
				t.Fatalf("level %d: %s, and %s of its parameters: %v", level, p.ID(), other.ID(), err)
			}
			drawn[p.Task] = true
		}
	}
	for _, one := range catalog.Tasks() {
		if name := one.Info().Name; !drawn[name] {
			t.Errorf("%s is never drawn", name)
		}
	}
}

func TestCompositeRefuses(t *testing.T) {
	all := composite(t)
	for _, params := range []string{`{}`, `{"datasets":[]}`, `{"datasets":["gdc"]}`, `[]`, `{"datasets":[{"name":"gcd","config":{"x":1}}]}`} {
		if _, err := all.With(json.RawMessage(params)); err == nil || !strings.Contains(err.Error(), "task composite: params: ") {
			t.Errorf("%s: error %v", params, err)
		}
	}
	for _, d := range []quintain.Draw{{Level: -1}, {Level: 99}, {Index: -1}} {
		if _, err := all.Problem(d); err == nil {
			t.Errorf("%+v: drawn", d)
		}
	}
	strange := quintain.Problem{Task: "nothing"}
	if _, err := all.Grade(strange, ""); err == nil {
		t.Error("a problem of another task is graded")
	}
	if _, err := all.Solve(strange); err == nil {
		t.Error("a problem of another task is solved")
	}
	if _, err := quintain.KeyOf(all, strange); err == nil {
		t.Error("a problem of another task has a key")
	}
}
