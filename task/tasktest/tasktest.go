// Package tasktest holds every task to the promises of [quintain.Task]. A package
// of tasks calls [Run] and [Fuzz]; what they check is the list in checks.
//
// Run with -update, it writes the golden files anew.
package tasktest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	draws      = 40                     // problems looked at for each level
	goldens    = 2                      // problems of each level in a golden file
	minLevels  = 4                      // levels that a task has at least
	quickLimit = 100 * time.Millisecond // for making, for solving and for scoring one problem
)

// A check is one promise that every task keeps.
type check struct {
	name string
	test func(testing.TB, quintain.Task)
}

var checks = []check{
	{"described", described},
	{"same_draw_same_bytes", sameDraw},
	{"seeds_are_unrelated", unrelated},
	{"solution_scores_one", solution},
	{"nonsense_scores_less", nonsense},
	{"hostile_text_is_cheap", hostile},
	{"survives_json", survives},
	{"foreign_records_are_refused", foreign},
	{"own_params", ownParams},
	{"another_answer_scores_less", another},
	{"levels_differ", levels},
	{"quick", quick},
	{"golden", golden},
}

// Run tests every task of a package, and that no task of the package is left
// out of tasks.
func Run(t *testing.T, tasks []quintain.Task) {
	t.Run("all_listed", func(t *testing.T) { listed(t, tasks) })
	for _, task := range tasks {
		t.Run(task.Info().Name, func(t *testing.T) {
			t.Parallel()
			for _, c := range checks {
				t.Run(c.name, func(t *testing.T) { c.test(t, task) })
			}
		})
	}
}

// each calls f with the first problems of every level of task.
func each(t testing.TB, task quintain.Task, f func(quintain.Problem)) {
	t.Helper()
	for level := range task.Info().Levels {
		for i := range draws {
			f(problem(t, task, quintain.Draw{Seed: 1, Level: level, Index: i}))
		}
	}
}

var nameRE = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// described: a task says what it is, where it is from, and how hard it gets.
func described(t testing.TB, task quintain.Task) {
	info := task.Info()
	if !nameRE.MatchString(info.Name) {
		t.Errorf("name %q is not snake_case", info.Name)
	}
	if !strings.HasSuffix(info.Doc, ".") {
		t.Errorf("doc %q is no sentence", info.Doc)
	}
	if !strings.HasSuffix(info.Source, ".") {
		t.Errorf("source %q is no sentence", info.Source)
	}
	if info.Version < 1 {
		t.Errorf("version is %d, want 1 or more", info.Version)
	}
	if len(info.Levels) < minLevels {
		t.Errorf("has %d levels, want at least %d", len(info.Levels), minLevels)
	}
	for _, level := range []int{-1, len(info.Levels)} {
		if _, err := task.Problem(quintain.Draw{Level: level}); err == nil {
			t.Errorf("level %d is taken", level)
		}
	}
	if _, err := task.Problem(quintain.Draw{Index: -1}); err == nil {
		t.Error("index -1 is taken")
	}
}

// sameDraw: a draw gives the same bytes whoever makes it, and however many do.
func sameDraw(t testing.TB, task quintain.Task) {
	for level := range task.Info().Levels {
		d := quintain.Draw{Seed: 7, Level: level, Index: 3}
		want, err := bytesOf(task, d)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if got, err := bytesOf(task, d); got != want || err != nil {
					t.Errorf("a second making of %+v differs, error %v", d, err)
				}
			})
		}
		wg.Wait()
	}
}

// bytesOf makes a problem and solves it, as one text.
func bytesOf(task quintain.Task, d quintain.Draw) (string, error) {
	p, err := task.Problem(d)
	if err != nil {
		return "", err
	}
	solution, err := task.Solve(p)
	if err != nil {
		return "", err
	}
	encoded, err := json.Marshal(p)
	return string(encoded) + solution, err
}

// unrelated compares the streams of two neighbouring seeds shifted by one place,
// which finds a generator seeded with seed+index.
func unrelated(t testing.TB, task quintain.Task) {
	for level := range task.Info().Levels {
		shifted := 0
		for i := range draws {
			a := problem(t, task, quintain.Draw{Seed: 1, Level: level, Index: i + 1})
			b := problem(t, task, quintain.Draw{Seed: 2, Level: level, Index: i})
			if a.Prompt == b.Prompt {
				shifted++
			}
		}
		if shifted > draws/2 {
			t.Errorf("level %d: %d of %d problems of seed 2 are those of seed 1 shifted by one", level, shifted, draws)
		}
	}
}

// solution: what Solve gives, Grade finds fully right.
func solution(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		answer := solve(t, task, p)
		if v := grade(t, task, p, answer); v != quintain.Right() {
			t.Errorf("%s: own solution %q gets %+v", p.ID(), answer, v)
		}
	})
}

// nonsense: what is no answer earns nothing, and no text earns more than 1.
func nonsense(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		for _, answer := range []string{"", " \n", "\t", ",", "I do not know.", "answer", "\x00\xff", "{}", "[]", "null", "nan", "inf", "-inf", "__import__('os')"} {
			if v := grade(t, task, p, answer); v.Score != 0 {
				t.Errorf("%s: answer %.20q gets %v, want 0", p.ID(), answer, v.Score)
			}
		}
		if v := grade(t, task, p, p.Prompt); v.Score >= 1 {
			t.Errorf("%s: the prompt as an answer gets %v", p.ID(), v.Score)
		}
	})
}

// hostile: the cost of a verdict is bounded, whatever the text.
func hostile(t testing.TB, task quintain.Task) {
	p := problem(t, task, quintain.Draw{Seed: 1, Level: len(task.Info().Levels) - 1})
	right := solve(t, task, p)
	const n = 100_000
	for _, answer := range []string{
		strings.Repeat("9", n), strings.Repeat("(", n), strings.Repeat("[", n), strings.Repeat("{\"a\":", n/5),
		strings.Repeat("-", n), strings.Repeat("1,", n/2), strings.Repeat("a ", n/2), strings.Repeat("\n", n),
		strings.Repeat("٣", n/2), strings.Repeat("\x00", n), strings.Repeat("𝟙", n/4), strings.Repeat(right+" ", n/(len(right)+1)),
		"9**9**9**9", "1e999999999", "1e-999999999", "(" + strings.Repeat("9+", n/2) + "9)", strings.Repeat("2**", n/3) + "2", "9" + strings.Repeat("!", n),
	} {
		v := grade(t, task, p, answer)
		if spent := fastest(func() { grade(t, task, p, answer) }); spent > quickLimit {
			t.Errorf("%.20q… of %d bytes takes %v", answer, len(answer), spent)
		}
		if v.Score >= 1 {
			t.Errorf("%.20q… of %d bytes gets %v", answer, len(answer), v.Score)
		}
	}
}

// survives: a problem written as JSON and read again is graded as before.
func survives(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		var back quintain.Problem
		if err := json.Unmarshal(encode(t, p), &back); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, back), encode(t, p)) {
			t.Errorf("%s changes when it is written and read", p.ID())
		}
		if v := grade(t, task, back, solve(t, task, back)); v != quintain.Right() {
			t.Errorf("%s: own solution gets %+v after a trip through JSON", p.ID(), v)
		}
	})
}

// foreign: a record that cannot be read is an error, never a verdict.
func foreign(t testing.TB, task quintain.Task) {
	p := problem(t, task, quintain.Draw{})
	whole := []byte(p.Instance.String())
	for _, spoil := range []func(*quintain.Problem){
		func(p *quintain.Problem) { p.Task += "_not" },
		func(p *quintain.Problem) { p.Instance = quintain.Record{} },
		func(p *quintain.Problem) { p.Instance = quintain.RawRecord([]byte(`[1]`)) },
		func(p *quintain.Problem) { p.Instance = quintain.RawRecord([]byte(`{"no_such_field":1}`)) },
		func(p *quintain.Problem) { p.Instance = quintain.RawRecord(whole[:len(whole)/2]) },
		func(p *quintain.Problem) { p.Instance = quintain.RawRecord(append(slices.Clone(whole), "{}"...)) },
	} {
		q := p
		spoil(&q)
		if v, err := task.Grade(q, "1"); err == nil {
			t.Errorf("task %s, record %.60s: verdict %+v, want an error", q.Task, q.Instance, v)
		}
		if _, err := task.Solve(q); err == nil {
			t.Errorf("task %s, record %.60s: a solution, want an error", q.Task, q.Instance)
		}
	}
}

// ownParams: settings given as JSON are checked, and make a stream of their own.
func ownParams(t testing.TB, task quintain.Task) {
	for _, params := range []string{`{"no_such_setting":1}`, `[]`, `{`, ``, `{} {}`, `"x"`} {
		if _, err := task.With(json.RawMessage(params)); err == nil {
			t.Errorf("params %q are taken", params)
		}
	}
	for level, params := range append(task.Info().Levels, json.RawMessage(`{}`)) {
		own, err := task.With(params)
		if err != nil {
			t.Errorf("params %s: %v", params, err)
			continue
		}
		p := problem(t, own, quintain.Draw{Seed: 1})
		if p.Level != quintain.OwnParams {
			t.Errorf("params %s: a problem's level is %d, want %d", params, p.Level, quintain.OwnParams)
		}
		if v := grade(t, task, p, solve(t, task, p)); v != quintain.Right() {
			t.Errorf("params %s: own solution gets %+v", params, v)
		}
		if level < len(task.Info().Levels) {
			if q := problem(t, task, quintain.Draw{Seed: 1, Level: level}); q.Prompt != p.Prompt {
				t.Errorf("level %d and its own params make different problems", level)
			}
		}
	}
}

// another gives each problem the solution of the problem after it. The share that
// scores 1 is the task's guess rate.
func another(t testing.TB, task quintain.Task) {
	for level := range task.Info().Levels {
		hits, tries := 0, 0
		for i := range draws {
			p := problem(t, task, quintain.Draw{Seed: 1, Level: level, Index: i})
			q := problem(t, task, quintain.Draw{Seed: 1, Level: level, Index: i + 1})
			if p.Prompt == q.Prompt {
				continue
			}
			tries++
			if grade(t, task, p, solve(t, task, q)).Score == 1 {
				hits++
			}
		}
		if hits*2 > tries {
			t.Errorf("level %d: the solution of another problem is right in %d of %d", level, hits, tries)
		}
	}
}

// levels: neighbouring levels have other settings and ask other things.
func levels(t testing.TB, task quintain.Task) {
	params := task.Info().Levels
	for level := range len(params) - 1 {
		if bytes.Equal(params[level], params[level+1]) {
			t.Errorf("levels %d and %d have the same parameters", level, level+1)
		}
		same := 0
		for i := range draws {
			a := problem(t, task, quintain.Draw{Seed: 1, Level: level, Index: i})
			b := problem(t, task, quintain.Draw{Seed: 1, Level: level + 1, Index: i})
			if a.Prompt == b.Prompt {
				same++
			}
		}
		if same > draws/2 {
			t.Errorf("levels %d and %d ask the same in %d of %d problems", level, level+1, same, draws)
		}
	}
}

// quick: making, solving and grading take at most quickLimit each. What a busy
// machine delays is tried again: the limit is many times what any task needs, so
// that only one whose cost explodes is over it each time.
func quick(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		answer := solve(t, task, p)
		for _, work := range []struct {
			name string
			do   func()
		}{
			{"making", func() { problem(t, task, quintain.Draw{Seed: p.Seed, Level: p.Level, Index: p.Index}) }},
			{"solving", func() { solve(t, task, p) }},
			{"grading", func() { grade(t, task, p, answer) }},
		} {
			if spent := fastest(work.do); spent > quickLimit {
				t.Errorf("%s: %s takes %v", p.ID(), work.name, spent)
			}
		}
	})
}

// fastest returns how long work takes: once, or the least of five times where the
// first was over quickLimit.
func fastest(work func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 5 {
		start := time.Now()
		work()
		if best = min(best, time.Since(start)); best <= quickLimit {
			break
		}
	}
	return best
}

// golden compares a few problems of each level with testdata/NAME.golden. It is
// also the test that two processes make the same bytes.
func golden(t testing.TB, task quintain.Task) {
	info := task.Info()
	var got bytes.Buffer
	for level := range info.Levels {
		for i := range goldens {
			p := problem(t, task, quintain.Draw{Seed: 1, Level: level, Index: i})
			fmt.Fprintf(&got, "-- version %d level %d index %d --\n%s\n= %s\n# %s\n", info.Version, level, i, p.Prompt, solve(t, task, p), p.Instance)
		}
	}
	path := filepath.Join("testdata", info.Name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(want, got.Bytes()) {
		t.Errorf("problems differ from %s; if that is meant, raise Version and run go test -update", path)
	}
}

var specRE = regexp.MustCompile(`(?m)^var \w+ = task\.Spec\[`)

// listed: every Spec of the package is in its list, in order, and every golden
// file is of a task.
func listed(t *testing.T, tasks []quintain.Task) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	defined := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		defined += len(specRE.FindAll(src, -1))
	}
	if defined != len(tasks) {
		t.Errorf("the package defines %d tasks and lists %d", defined, len(tasks))
	}
	var names []string
	for _, task := range tasks {
		names = append(names, task.Info().Name)
	}
	if !slices.IsSorted(names) {
		t.Errorf("the tasks are not listed by name: %v", names)
	}
	kept, err := filepath.Glob("testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if !slices.Contains(names, strings.TrimSuffix(filepath.Base(path), ".golden")) {
			t.Errorf("%s is of no task", path)
		}
	}
}

// Fuzz feeds any text to the Score of every task.
func Fuzz(f *testing.F, tasks []quintain.Task) {
	for i, task := range tasks {
		f.Add(i, 0, solve(f, task, problem(f, task, quintain.Draw{})))
	}
	f.Fuzz(func(t *testing.T, i, level int, answer string) {
		task := tasks[uint(i)%uint(len(tasks))]
		level = int(uint(level) % uint(len(task.Info().Levels)))
		v := grade(t, task, problem(t, task, quintain.Draw{Level: level}), answer)
		if !(v.Score >= 0 && v.Score <= 1) || v.Malformed && v.Score != 0 {
			t.Errorf("%s: answer %q gets %+v", task.Info().Name, answer, v)
		}
	})
}

// A Near is one row of a task's table of near misses. It has no type name of its
// own, so that the rows need no field names.
type Near = struct {
	Answer string
	Want   float64 // the score
	Why    string
}

// Nears holds score against a table of near misses.
func Nears(t *testing.T, score func(string) quintain.Verdict, table []Near) {
	t.Helper()
	for _, near := range table {
		v := score(near.Answer)
		if d := v.Score - near.Want; d > 1e-12 || d < -1e-12 {
			t.Errorf("Score(%q) = %+v, want %v (%s)", near.Answer, v, near.Want, near.Why)
		}
		if v.Score < 1 && v.Reason == "" {
			t.Errorf("Score(%q) = %+v gives no reason", near.Answer, v)
		}
	}
}

// Refused demands that every one of params is refused, and by its name.
func Refused(t *testing.T, task quintain.Task, params map[string]string) {
	t.Helper()
	for raw, name := range params {
		_, err := task.With(json.RawMessage(raw))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("params %s: error %v, want one that names %q", raw, err, name)
		}
	}
}

// Second holds Solve against another way to the answer, which the test of each
// task brings: want is told what the problem is, and returns the answer, or, where
// many are right, an error that tells what is wrong with got. It looks at n
// problems over all levels. I is the task's own record.
func Second[I any](t *testing.T, task quintain.Task, n int, check func(problem I, prompt, got string) error) {
	t.Helper()
	all := len(task.Info().Levels)
	for i := range n {
		p := problem(t, task, quintain.Draw{Seed: 99, Level: i % all, Index: i / all})
		var record I
		if err := json.Unmarshal([]byte(p.Instance.String()), &record); err != nil {
			t.Fatal(err)
		}
		if err := check(record, p.Prompt, solve(t, task, p)); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", p.ID(), err, reflect.TypeFor[I]().Name(), p.Instance)
		}
	}
}

// Bench measures making, and making and grading, of every task with the settings
// that With has where it is told nothing.
func Bench(b *testing.B, tasks []quintain.Task) {
	for _, task := range tasks {
		own, err := task.With(json.RawMessage(`{}`))
		if err != nil {
			b.Fatal(err)
		}
		name := task.Info().Name
		b.Run("make/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				problem(b, own, quintain.Draw{Seed: 1, Index: i})
			}
		})
		b.Run("p99/"+name, func(b *testing.B) { slowest(b, task) })
		b.Run("solve/"+name, func(b *testing.B) {
			b.ReportAllocs()
			p := problem(b, own, quintain.Draw{Seed: 1})
			for b.Loop() {
				solve(b, own, p)
			}
		})
		b.Run("score/"+name, func(b *testing.B) {
			b.ReportAllocs()
			const n = 256
			var ps [n]quintain.Problem
			var right [n]string
			for i := range ps {
				ps[i] = problem(b, own, quintain.Draw{Seed: 1, Index: i})
				right[i] = solve(b, own, ps[i])
			}
			for i := 0; b.Loop(); i++ {
				grade(b, own, ps[i%n], right[(i+i&1)%n]) // right and another problem's in turn
			}
		})
		b.Run("read/"+name, func(b *testing.B) { // score a problem that came as JSON
			b.ReportAllocs()
			p := problem(b, own, quintain.Draw{Seed: 1})
			right := solve(b, own, p)
			p.Instance = quintain.RawRecord([]byte(p.Instance.String()))
			for b.Loop() {
				grade(b, own, p, right)
			}
		})
	}
}

// slowest reports how long all but one in a hundred problems take at most to make,
// at the level that takes longest.
func slowest(b *testing.B, task quintain.Task) {
	const n = 1000
	worst := time.Duration(0)
	for b.Loop() {
		for level := range task.Info().Levels {
			spent := make([]time.Duration, n)
			for i := range spent {
				start := time.Now()
				problem(b, task, quintain.Draw{Seed: 3, Level: level, Index: i})
				spent[i] = time.Since(start)
			}
			slices.Sort(spent)
			worst = max(worst, spent[n*99/100])
		}
	}
	b.ReportMetric(float64(worst.Microseconds()), "µs-p99")
	b.ReportMetric(0, "ns/op")
}

func problem(t testing.TB, task quintain.Task, d quintain.Draw) quintain.Problem {
	p, err := task.Problem(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func solve(t testing.TB, task quintain.Task, p quintain.Problem) string {
	answer, err := task.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func grade(t testing.TB, task quintain.Task, p quintain.Problem, answer string) quintain.Verdict {
	v, err := task.Grade(p, answer)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func encode(t testing.TB, p quintain.Problem) []byte {
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
