package problems

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// SetName is the name of the task that a file of code problems is.
const SetName = "code_problems"

// A Set is the usable problems of a file as a [quintain.Task] whose answers are programs. It does
// not change, and many goroutines may use it.
//
// The indices of a draw go through the file again and again, each time in another order, which
// follows from the seed. A problem's record names its row, whose tests the set has: the problem
// is judged by a process that has the file. Its ID contains a hash of the set's content.
type Set struct {
	params json.RawMessage // {"sha256": …}
	rows   []Problem
	byID   map[string]int
	faults []Fault

	epochs *rng.Epochs
}

// Open reads a file of code problems into memory. It fails if no row is usable.
func Open(file *dataset.File, s Settings) (*Set, error) {
	set, sum := &Set{byID: map[string]int{}}, sha256.New()
	err := Scan(file, s, func(n int, p Problem, unusable error) error {
		if unusable != nil {
			set.faults = append(set.faults, Fault{n, unusable})
			return nil //nolint:nilerr // the other rows are usable
		}
		if _, twice := set.byID[p.ID]; twice {
			p.ID = fmt.Sprintf("%s (%d)", p.ID, len(set.rows))
		}
		text, err := strictjson.Canonical(p)
		if err != nil {
			return err
		}
		sum.Write(append(text, '\n'))
		set.byID[p.ID] = len(set.rows)
		set.rows = append(set.rows, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(set.rows) == 0 {
		none := errors.New("no row can be used")
		if len(set.faults) > 0 {
			none = fmt.Errorf("%w: %w", none, set.faults[0])
		}
		return nil, none
	}
	set.params = fmt.Appendf(nil, `{"sha256":%q}`, hex.EncodeToString(sum.Sum(nil)[:8]))
	set.epochs = &rng.Epochs{Rows: len(set.rows), Path: []string{SetName, string(set.params)}}
	return set, nil
}

// Faults lists the rows left out of the set, in order. The caller must not change the list.
func (s *Set) Faults() []Fault { return s.faults }

// Size implements [quintain.Finite].
func (s *Set) Size(int) int { return len(s.rows) }

// Key implements [quintain.Keyer]. Questions that differ only in white space are the same.
func (s *Set) Key(p quintain.Problem) (quintain.Key, error) {
	return quintain.NewKey(strings.Join(strings.Fields(p.Prompt), " ")), nil
}

// Info implements [quintain.Task].
func (s *Set) Info() quintain.Info {
	return quintain.Info{
		Name: SetName, Category: "file", Doc: fmt.Sprintf("Write programs for the %d problems of a file.", len(s.rows)),
		Source: "The given file.", Version: 1, Many: true, Levels: []json.RawMessage{s.params},
	}
}

// With implements [quintain.Task]. A set has no settings but its hash.
func (s *Set) With(params json.RawMessage) (quintain.Task, error) {
	if text := bytes.TrimSpace(params); string(text) != "{}" && string(text) != string(s.params) {
		return nil, fmt.Errorf("%s: a file of problems has no settings", SetName)
	}
	return s, nil
}

// Problem implements [quintain.Task].
func (s *Set) Problem(d quintain.Draw) (quintain.Problem, error) {
	if d.Level != 0 || d.Index < 0 {
		return quintain.Problem{}, fmt.Errorf("%s: level %d, index %d: want level 0 and an index of 0 or more", SetName, d.Level, d.Index)
	}
	p := &s.rows[s.epochs.Row(d.Seed, d.Index)]
	return quintain.Problem{
		Task: SetName, Version: 1, Seed: d.Seed, Level: quintain.OwnParams, Index: d.Index,
		Params: s.params, Prompt: p.Ask(), Instance: quintain.NewRecord(record{p.ID}),
	}, nil
}

// A record is what a problem keeps of its row.
type record struct {
	ID string `json:"id"`
}

// row returns the row of a problem.
func (s *Set) row(p quintain.Problem) (*Problem, error) {
	r, ok := p.Instance.Value().(record)
	if !ok {
		raw, err := p.Instance.JSON()
		if err == nil {
			err = strictjson.Unmarshal(raw, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: instance: %w", SetName, err)
		}
	}
	at, has := s.byID[r.ID]
	if p.Task != SetName || string(p.Params) != string(s.params) || !has {
		return nil, fmt.Errorf("problem %s, row %q, is of another file, or of another version of this one", p.ID(), r.ID)
	}
	return &s.rows[at], nil
}

// Tests returns the tests of a problem.
func (s *Set) Tests(p quintain.Problem) (codegrade.Tests, error) {
	row, err := s.row(p)
	if err != nil {
		return codegrade.Tests{}, err
	}
	return row.Tests, nil
}

// Languages lists those of the problems.
func (s *Set) Languages() (all []string) {
	for i := range s.rows {
		if l := s.rows[i].Tests.Language; !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// Solve implements [quintain.Task], with the first solution of the row.
func (s *Set) Solve(p quintain.Problem) (string, error) {
	row, err := s.row(p)
	if err != nil {
		return "", err
	}
	if len(row.Solutions) == 0 {
		return "", fmt.Errorf("row %q has no solution", row.ID)
	}
	return fmt.Sprintf("\n```%s\n%s\n```\n", row.Tests.Language, strings.TrimRight(row.Solutions[0], "\n")), nil
}

// Grade implements [quintain.Task]: it cannot.
func (s *Set) Grade(p quintain.Problem, _ string) (quintain.Verdict, error) {
	return quintain.Verdict{}, fmt.Errorf("problem %s asks for a program, which is judged in a sandbox: play it by the scenario code", p.ID())
}

// Rows lists the problems of the set. The caller must not change them.
func (s *Set) Rows() []Problem { return s.rows }

// Row returns the problem with an ID.
func (s *Set) Row(id string) (*Problem, bool) {
	at, has := s.byID[id]
	if !has {
		return nil, false
	}
	return &s.rows[at], true
}

// Ask returns the question of a row: its statement, and what the tests want of a program.
func (p *Problem) Ask() string {
	text := strings.TrimRight(p.Statement, " \n")
	if starter := strings.TrimSpace(p.Starter); starter != "" && !strings.Contains(text, starter) {
		text += fmt.Sprintf("\n\nBegin with this code:\n\n```%s\n%s\n```", p.Tests.Language, starter)
	}
	language := spoken(p.Tests.Language)
	switch name := p.Tests.Function; {
	case p.Tests.Kind == codegrade.Stdin:
		from, to := "reads standard input", "prints to standard output"
		if p.Tests.InputFile != "" {
			from = fmt.Sprintf("reads the file `%s`", p.Tests.InputFile)
		}
		if p.Tests.OutputFile != "" {
			to = fmt.Sprintf("writes to the file `%s`", p.Tests.OutputFile)
		}
		text += fmt.Sprintf("\n\nWrite a program in %s that %s and %s.", language, from, to)
	case name != "" && strings.Contains(p.Starter, "class Solution"):
		text += fmt.Sprintf("\n\nWrite the class `Solution` with the method `%s` in %s.", name, language)
	case name != "":
		text += fmt.Sprintf("\n\nWrite the function `%s` in %s.", name, language)
	case p.Starter != "":
		text += "\n\nComplete this code, and write it as a whole."
	}
	return text
}

// spoken is the name of a language in a sentence.
func spoken(language string) string {
	switch language {
	case "cpp":
		return "C++"
	case "javascript":
		return "JavaScript"
	case "":
		return "Python"
	}
	return strings.ToUpper(language[:1]) + language[1:]
}
