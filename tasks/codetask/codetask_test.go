package codetask

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/rng"
)

var update = flag.Bool("update", false, "write testdata/problems.txt anew")

func TestThereAreEnoughKinds(t *testing.T) {
	seen := map[string]bool{}
	for level := range Levels {
		names := Kinds(level)
		if len(names) < 8 {
			t.Errorf("level %d has %d kinds", level, len(names))
		}
		for _, name := range names {
			if seen[name] {
				t.Errorf("two kinds have the name %s", name)
			}
			seen[name] = true
		}
	}
	if len(seen) < 40 {
		t.Errorf("%d kinds, want 40", len(seen))
	}
}

func TestLevelsAreChecked(t *testing.T) {
	for _, level := range []int{-1, Levels} {
		if _, err := New(quintain.Draw{Level: level}); err == nil {
			t.Errorf("level %d gives no error", level)
		}
	}
}

// draw returns a problem as JSON.
func draw(t *testing.T, d quintain.Draw) (Problem, string) {
	t.Helper()
	p, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, string(text)
}

func TestSameDrawSameBytes(t *testing.T) {
	for level := range Levels {
		d := quintain.Draw{Seed: 3, Level: level, Index: 5}
		_, first := draw(t, d)
		for range 4 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				if _, again := draw(t, d); again != first {
					t.Errorf("level %d: another problem the second time", level)
				}
			})
		}
	}
}

func TestDrawsDiffer(t *testing.T) {
	for level := range Levels {
		problems, questions := map[string]bool{}, map[string]bool{}
		for i := range distinctDraws {
			p, _ := draw(t, quintain.Draw{Seed: uint64(i % 2), Level: level, Index: i / 2})
			problems[p.Statement] = true
			question, _, _ := strings.Cut(p.Statement, "Limits")
			_, question, _ = strings.Cut(question, "\n")
			questions[regexp.MustCompile(`[*#:]`).ReplaceAllString(question, "")] = true
		}
		t.Logf("level %d: of %d problems, %d are different, and %d without their examples", level, distinctDraws, len(problems), len(questions))
		if len(problems) < distinctDraws || len(questions) < distinctDraws/2 {
			t.Errorf("level %d: of %d problems, only %d are different, and %d without their examples", level, distinctDraws, len(problems), len(questions))
		}
	}
}

// eachProblem calls check for problems of all kinds.
func eachProblem(t *testing.T, check func(t *testing.T, p Problem)) {
	for level := range Levels {
		for _, k := range kinds[level] {
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				for i := range checkedDraws {
					check(t, k.problem(quintain.Draw{Seed: 11, Level: level, Index: i}))
				}
			})
		}
	}
}

func TestStatementsAreWhole(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		wants := []string{"Input", "Output", "standard input", "Example 1", "Example 3"}
		if p.Tests.Kind == codegrade.Call {
			wants = []string{"Arguments", "Result", "`" + p.Kind + "(", "Examples", "\n" + p.Kind + "("}
		}
		for _, want := range append(wants, "Limits", "- `", "5 seconds") {
			if !strings.Contains(p.Statement, want) {
				t.Errorf("%q is not in the statement:\n%s", want, p.Statement)
			}
		}
		for _, text := range []string{p.Statement, p.Python} {
			if bad := regexp.MustCompile(`\$[a-z]|##[0-9x]|%!`).FindString(text); bad != "" {
				t.Errorf("%q is left over in:\n%s", bad, text)
			}
		}
		for _, c := range p.Tests.Cases[:publicCases] {
			if p.Tests.Kind == codegrade.Stdin && !strings.Contains(p.Statement, "Input:\n```\n"+c.Input+"```\nOutput:\n```\n"+c.Output+"```") {
				t.Errorf("an example is missing in:\n%s", p.Statement)
			}
		}
	})
}

func TestTestsAreWhole(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		inputs, outputs, length := map[string]bool{}, map[string]int{}, 0
		most := 0
		for i, c := range p.Tests.Cases {
			inputs[c.Input] = true
			outputs[c.Output]++
			most = max(most, outputs[c.Output])
			length += len(c.Input) + len(c.Output)
			if c.Public != (i < publicCases) {
				t.Errorf("case %d: public is %v", i, c.Public)
			}
			if stdin := p.Tests.Kind == codegrade.Stdin; stdin && (c.Input == "" || !strings.HasSuffix(c.Input, "\n")) || !stdin && (c.Input[0] != '[' || !isJSON(c.Input) || !isJSON(c.Output)) {
				t.Errorf("case %d: input %.100q, output %.100q", i, c.Input, c.Output)
			}
		}
		if n := len(p.Tests.Cases); n < leastCases || n > mostCases || len(inputs) < n {
			t.Errorf("%d cases, %d of them different", n, len(inputs))
		}
		if most*5 > len(p.Tests.Cases)*3 {
			t.Errorf("%d of %d cases have the same output:\n%s", most, len(p.Tests.Cases), p.Statement)
		}
		if length > 1_500_000 {
			t.Errorf("the cases have %d bytes", length)
		}
	})
}

func isJSON(text string) bool {
	var v any
	return strictjson.Unmarshal([]byte(text), &v) == nil
}

// TestArgumentsKeepTheirLimits looks at the arguments as the statement describes them.
func TestArgumentsKeepTheirLimits(t *testing.T) {
	for level := range Levels {
		for _, k := range kinds[level] {
			for i := range checkedDraws {
				r := rng.Named("limits", k.name).Stream(1, i)
				d := k.draw(r)
				for _, c := range d.cases(r) {
					for j, f := range d.fields {
						if why := f.fault(c.in[j]); why != "" {
							t.Fatalf("%s: %s is %.200s: %s", k.name, f.name, literal(c.in[j]), why)
						}
					}
				}
			}
		}
	}
}

// fault says in which way an argument is not as described.
func (f field) fault(v any) string {
	within := func(s span, n int) bool { return int64(n) >= s[0] && int64(n) <= s[1] }
	spelled := func(text string) bool {
		return f.what != "" || strings.Trim(text, f.letters) == "" && text == strings.TrimSpace(text)
	}
	switch v := v.(type) {
	case int64:
		return map[bool]string{false: "out of its limits"}[f.val.of(v) == v]
	case string:
		return map[bool]string{false: "too long, or misspelled"}[within(f.len, len(v)) && spelled(v)]
	case []int64:
		low := slices.ContainsFunc(v, func(x int64) bool { return f.what == "" && f.val.of(x) != x })
		return map[bool]string{false: "too long, or an element is out of its limits"}[within(f.len, len(v)) && !low]
	case []string:
		bad := slices.ContainsFunc(v, func(s string) bool { return !spelled(s) || f.what == "" && !within(f.wide, len(s)) })
		return map[bool]string{false: "too long, or an element is"}[within(f.len, len(v)) && !bad]
	case [][]int64:
		bad := slices.ContainsFunc(v, func(row []int64) bool { return !within(f.wide, len(row)) || len(row) != len(v[0]) })
		return map[bool]string{false: "too long, or an element is"}[within(f.len, len(v)) && !bad]
	}
	return "of another type"
}

// golden shows some problems, and a hash of many.
func golden(t *testing.T) string {
	var text strings.Builder
	for level := range Levels {
		for i := range 2 {
			p, _ := draw(t, quintain.Draw{Seed: 1, Level: level, Index: i})
			fmt.Fprintf(&text, "=== level %d, index %d: %s\n%s\n\n--- Python\n%s\n--- %d cases\n", level, i, p.Kind, p.Statement, p.Python, len(p.Tests.Cases))
			for _, c := range p.Tests.Cases[publicCases : publicCases+4] {
				fmt.Fprintf(&text, "%.120q -> %.120q\n", c.Input, c.Output)
			}
			text.WriteString("\n")
		}
		hash := sha256.New()
		for i := range 30 {
			_, json := draw(t, quintain.Draw{Seed: 1, Level: level, Index: i})
			hash.Write([]byte(json))
		}
		fmt.Fprintf(&text, "30 problems of level %d: %s\n\n", level, hex.EncodeToString(hash.Sum(nil)))
	}
	return text.String()
}

// TestGolden: whoever changes a problem raises Version.
func TestGolden(t *testing.T) {
	const file = "testdata/problems.txt"
	got := golden(t)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the problems have changed: raise Version, and look at the difference after go test -update")
	}
}
