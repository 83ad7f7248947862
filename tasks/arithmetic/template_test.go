package arithmetic

import (
	"go/constant"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// Every template tells sensible stories with numbers of every size.
func TestTemplates(t *testing.T) {
	all, err := templates()
	if err != nil {
		t.Fatal(err)
	}
	const least, sizes, draws = 100, 3, 20
	if len(all) < least {
		t.Errorf("there are %d templates, want %d or more", len(all), least)
	}
	names, readings := map[string]bool{}, readReadings(t)
	for _, tm := range all {
		if names[tm.name] || tm.question.source == "" || len(tm.facts) == 0 || len(tm.steps) == 0 {
			t.Errorf("%s is listed twice, or incomplete", tm.name)
		}
		names[tm.name] = true
		unusedNames(t, tm)
		for i := range sizes * draws {
			s := teller{r: rng.New(uint64(i), tm.name)}
			s.people = gather(s.r, 1)
			s.draw(tm.vars, i%sizes)
			text := strings.Join(s.tell(tm.facts, 9), " ") + " " + s.filled(&tm.question)
			worked, result := s.solve(tm.steps)
			got, err := readings[tm.name].value(strings.ToLower(text))
			if want, _ := exactAnswer(string(appendHundredths(nil, result))); s.err != nil || err != nil || !constant.Compare(got, token.EQL, want) {
				t.Errorf("%s, size %d: %v, %v, answer %s, want %s: %s", tm.name, i%sizes, s.err, err, want, got, text)
				break
			}
			if result <= 0 || result > 1e12 || strings.ContainsAny(text, `{}"`) {
				t.Errorf("%s, size %d: answer %d to %s", tm.name, i%sizes, result, text)
				break
			}
			checkWorked(t, worked, string(appendHundredths(nil, result)))
		}
	}
}

// unusedNames finds unused variables of a template, and names defined twice.
func unusedNames(t *testing.T, tm template) {
	t.Helper()
	used, given := tm.question.source, map[string]bool{}
	for _, f := range tm.facts {
		used += " " + f.source
	}
	for _, s := range tm.steps {
		used += " {" + s.expression.source + "} " + s.label.source
		if given[s.name] {
			t.Errorf("%s: the name %s is given twice", tm.name, s.name)
		}
		given[s.name] = true
	}
	for _, v := range tm.vars {
		for _, s := range v.spans {
			used += " {" + s.lo.source + " " + s.hi.source + "}"
		}
	}
	for _, v := range tm.vars {
		found := regexp.MustCompile(`\{[^}]*(?:^|[^a-z$])`+regexp.QuoteMeta(v.name)+`(?:[^a-z]|$)`).MatchString(used) || strings.Contains(used, "{"+v.name)
		if !found || given[v.name] {
			t.Errorf("%s: the variable %s is never used, or given twice", tm.name, v.name)
		}
		given[v.name] = true
	}
}

// checkWorked checks the equation in every line of a worked solution, and the last against
// the answer.
func checkWorked(t *testing.T, worked, result string) {
	t.Helper()
	last := ""
	for line := range strings.Lines(worked) {
		_, equation, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), "."), ": ")
		left, right, _ := strings.Cut(equation, " = ")
		got, err := exactAnswer(left)
		want, err2 := exactAnswer(right)
		if err != nil || err2 != nil || !constant.Compare(got, token.EQL, want) {
			t.Fatalf("%q is wrong (%v, %v)", line, err, err2)
		}
		last = right
	}
	if last != result {
		t.Fatalf("the worked solution ends with %s, want %s: %s", last, result, worked)
	}
}

// Errors of templates name the fault.
func TestFaultsOfTemplates(t *testing.T) {
	for _, test := range []struct{ text, names string }{
		{"A story without a name.", "templates.txt:1"},
		{"== x\n= sum: a + b", "templates.txt:2"},
		{"== x\na: 2..9 by none", "none"},
		{"== x\nsolitary", "solitary"},
		{"== x\n{a} dogs bark.\n? How many?\n= n: 1; dogs", `"a"`},
		{"== x\na: 2..b\n? How many?\n= n: a; dogs", `"b"`},
		{"== x\na: 9..2\n? How many?\n= n: a; dogs", "9 to 2"},
		{"== x\na: 5 / 2\n? How many?\n= n: a; dogs", "5 / 2"},
		{"== x\na: 5\n? How many?\n= n: a / 2; dogs", "step n"},
		{"== x\na: 5\n? How many?\n= n: 2 - a; dogs", "2 - a"},
		{"== x\na: 5\n? How many?\n= n: a +; dogs", "last number"},
		{"== x\na: 5\n? How many?\n= n: (a + 2; dogs", "bracket"},
		{"== x\na: 5\n? How many?\n= n: 2 a; dogs", "2 a"},
		{"== x\na: 5\n? How many?\n= n: a / (5 - a); dogs", "divides"},
		{"== x\na: 5\n? How many {a?\n= n: a; dogs", "not closed"},
		{"== x\na: 5\n? How many has {D}?\n= n: a; dogs", "person D"},
		{"== x\na: 5\n? How many has {A it}?\n= n: a; dogs", "pronoun"},
		{"== x\na: 5\n? How many are {6/a} of them?\n= n: a; dogs", "6/5"},
	} {
		list, err := readTemplates(test.text)
		if err == nil {
			s := teller{r: rng.New(1, "faults"), people: crowd[:perStory]}
			s.draw(list[0].vars, 0)
			s.tell(list[0].facts, 0)
			s.filled(&list[0].question)
			s.solve(list[0].steps)
			err = s.err
		}
		if err == nil || !strings.Contains(err.Error(), test.names) {
			t.Errorf("%q: error %v, want one that names %s", test.text, err, test.names)
		}
	}
}
