// Package tasktest checks that every task keeps the promises of [quintain.Task]. A package
// of tasks calls [Run] and [Fuzz]; checks lists what they check.
//
// Checks are in two tiers. Those in checks look at a few problems of every level: they guard
// a change. With -tags heavy, they look at five times as many, or at as many as their callers
// name, and the guessers join them: what answers earn that solve nothing.
//
// Run with -update, it rewrites the golden files.
package tasktest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
)

const minLevels = 4 // required levels

// A check is one promise that every task keeps.
type check struct {
	name string
	test func(testing.TB, quintain.Task)
}

var checks = []check{
	{"described", described},
	{"same_draw_same_bytes", sameDraw},
	{"seeds_are_unrelated", unrelated},
	{"prompts_are_trimmed", trimmed},
	{"solution_scores_one", solution},
	{"nonsense_scores_less", nonsense},
	{"other_forms_are_right", otherForms},
	{"other_forms_of_wrong_answers_are_wrong", wrongForms},
	{"hostile_text_is_cheap", hostile},
	{"survives_json", survives},
	{"foreign_records_are_refused", foreign},
	{"own_params", ownParams},
	{"params_have_bounds", bounds},
	{"keys_stand_for_questions", keys},
	{"levels_differ", levels},
	{"quick", quick},
	{"golden", golden},
}

// Run tests every task of a package, and that tasks leaves out none of them.
func Run(t *testing.T, tasks []quintain.Task) {
	before := debug.SetGCPercent(800) // little memory is live, so frequent collection costs a quarter of the time
	t.Cleanup(func() { debug.SetGCPercent(before) })
	t.Run("all_listed", func(t *testing.T) { listed(t, tasks) })
	t.Run("all_tested", func(t *testing.T) { tested(t, tasks) })
	for _, task := range tasks {
		t.Run(task.Info().Name, func(t *testing.T) {
			t.Parallel()
			for _, c := range slices.Concat(checks, guessers) {
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

// described: a task states its purpose, its source and its difficulty.
func described(t testing.TB, task quintain.Task) {
	info := task.Info()
	if !nameRE.MatchString(info.Name) {
		t.Errorf("name %q is not snake_case", info.Name)
	}
	if !strings.HasSuffix(info.Doc, ".") {
		t.Errorf("doc %q is not a sentence", info.Doc)
	}
	if !strings.HasSuffix(info.Source, ".") {
		t.Errorf("source %q is not a sentence", info.Source)
	}
	if info.Version < 1 {
		t.Errorf("version is %d, want 1 or more", info.Version)
	}
	if len(info.Levels) < minLevels {
		t.Errorf("has %d levels, want at least %d", len(info.Levels), minLevels)
	}
	for _, level := range []int{-1, len(info.Levels)} {
		if _, err := task.Problem(quintain.Draw{Level: level}); err == nil {
			t.Errorf("level %d is accepted", level)
		}
	}
	if _, err := task.Problem(quintain.Draw{Index: -1}); err == nil {
		t.Error("index -1 is accepted")
	}
}

// sameDraw: a draw gives the same bytes, however many goroutines make it.
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

// unrelated compares the streams of two neighbouring seeds, shifted by one place. It
// catches a generator seeded with seed+index.
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

// trimmed: no prompt begins or ends with space.
func trimmed(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		if p.Prompt != strings.TrimSpace(p.Prompt) {
			t.Errorf("%s: the prompt begins with %.20q and ends with %q, want no space around it", p.ID(), p.Prompt, p.Prompt[max(0, len(p.Prompt)-20):])
		}
	})
}

// solution: Grade finds the answer of Solve fully right.
func solution(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		answer := solve(t, task, p)
		if v := grade(t, task, p, answer); v != quintain.Right() {
			t.Errorf("%s: own solution %q gets %+v", p.ID(), answer, v)
		}
	})
}

// nonsense: a text without an answer earns nothing, and a reason for it; no text earns more than 1. Tables of near misses need no rows for it.
func nonsense(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		for _, answer := range []string{"", " \n", "\t", ",", "I do not know.", "answer", "\x00\xff", "{}", "[]", "null", "nan", "inf", "-inf", "__import__('os')"} {
			if v := grade(t, task, p, answer); v.Score != 0 || v.Reason == "" {
				t.Errorf("%s: answer %.20q gets %+v, want 0 and a reason", p.ID(), answer, v)
			}
		}
		if v := grade(t, task, p, p.Prompt); v.Score >= 1 {
			t.Errorf("%s: the prompt as an answer gets %v", p.ID(), v.Score)
		}
	})
}

// survives: a problem written as JSON and read again is graded as before.
func survives(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		var back quintain.Problem
		if err := strictjson.Unmarshal(encode(t, p), &back); err != nil {
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
			t.Errorf("params %q are accepted", params)
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

// bounds: settings next to a bound of a tag are refused, so that tests of a task need no rows for them.
func bounds(t testing.TB, of quintain.Task) {
	for _, params := range task.Outside(of) {
		if _, err := of.With(params); err == nil {
			t.Errorf("params %s are accepted", params)
		}
	}
}

// levels: neighbouring levels have different settings and ask different things.
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
