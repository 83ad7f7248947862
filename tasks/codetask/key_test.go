package codetask

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
)

// Of one draft, every statement has the same key: with other examples, in another layout, as a
// function or as a program.
func TestKeys(t *testing.T) {
	forms := map[string]bool{}
	for level := range Levels {
		for _, k := range kinds[level] {
			stream := func(name string) *rng.Rand { return rng.New(7, k.name, name) }
			keys, statements := map[quintain.Key]bool{}, map[string]bool{}
			for _, name := range []string{"a", "b", "c", "d"} {
				d := k.draw(stream("rules"))
				d.name, d.level = k.name, level
				cases := d.cases(stream(name))
				if len(cases) < publicCases {
					continue
				}
				statement := d.problem(stream(name), cases).Statement
				key, err := Task().(quintain.Keyer).Key(quintain.Problem{Task: TaskName, Prompt: statement})
				if err != nil {
					t.Fatal(err)
				}
				keys[key], statements[statement] = true, true
				forms[statement[:strings.IndexAny(statement, "`.:")]] = true
			}
			if len(keys) != 1 || len(statements) < 2 {
				t.Errorf("%s: %d statements of one draft have %d keys", k.name, len(statements), len(keys))
				for statement := range statements {
					t.Log(question(statement))
				}
			}
		}
	}
	if len(forms) < 4 {
		t.Errorf("statements begin only with %v", forms)
	}
}

// Other rules are another question.
func TestKeysOfOtherRules(t *testing.T) {
	for level := range Levels {
		keys, drawn := map[quintain.Key]bool{}, 0
		for index := range keyedDraws {
			p, err := Task().Problem(quintain.Draw{Seed: 2, Level: level, Index: index})
			if err != nil {
				t.Fatal(err)
			}
			key, err := quintain.KeyOf(Task(), p)
			if err != nil {
				t.Fatal(err)
			}
			keys[key] = true
			drawn++
		}
		if len(keys) < drawn/2 {
			t.Errorf("level %d: %d problems have %d keys", level, drawn, len(keys))
		}
	}
}
