// Package dataset reads files of rows, one at a time: JSON lines, a JSON list of objects, CSV and
// Parquet. Files of problems with gold answers it reads as tasks: those of AReaL, and in the style
// of MATH, AIME and GSM8K.
package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Verify compares an answer with a gold one. It takes any text, and many goroutines may
// call it at once. Its Score is 1 if both are the same answer, else 0. The error is for an
// unreadable gold answer.
type Verify func(gold, answer string) (quintain.Verdict, error)

// A Set is the problems of a file as a [quintain.Task]. It does not change, and many
// goroutines may use it.
//
// The indices of a draw go through the file again and again, each time in another order,
// which follows from the seed. A problem's record holds its gold answers, so it can be
// graded without the file. Its ID contains a hash of the set's content: a changed file has
// other problems, and the place and the format of the file do not matter.
type Set struct {
	name   string
	params json.RawMessage // {"sha256": …}
	rows   []row
	faults []Fault
	verify Verify

	epochs *rng.Epochs
}

// A row is a problem of the file.
type row struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Answers  []string `json:"answers"` // each one is right
	Meta     Meta     `json:"meta,omitempty"`

	Tokens []quintain.Token `json:"packed_prompts,omitempty"` // of the prompt
}

// A Fault is an unusable row of a file.
type Fault struct {
	Row int // number of the line, or of the row of a Parquet file, from 1
	Err error
}

// Error names the row, the column and the fault.
func (f Fault) Error() string { return fmt.Sprintf("row %d: %v", f.Row, f.Err) }

// Unwrap returns the fault of the row.
func (f Fault) Unwrap() error { return f.Err }

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
		Name: s.name, Category: "file", Doc: fmt.Sprintf("Solve the %d problems of a file.", len(s.rows)),
		Source: "The given file.", Version: 1, Levels: []json.RawMessage{s.params},
	}
}

// With implements [quintain.Task]. A set has no settings but its hash.
func (s *Set) With(params json.RawMessage) (quintain.Task, error) {
	if text := bytes.TrimSpace(params); string(text) != "{}" && string(text) != string(s.params) {
		return nil, fmt.Errorf("%s: a file of problems has no settings", s.name)
	}
	return s, nil
}

// Problem implements [quintain.Task].
func (s *Set) Problem(d quintain.Draw) (quintain.Problem, error) {
	if d.Level != 0 || d.Index < 0 {
		return quintain.Problem{}, fmt.Errorf("%s: level %d, index %d: want level 0 and an index of 0 or more", s.name, d.Level, d.Index)
	}
	r := s.rows[s.epochs.Row(d.Seed, d.Index)]
	return quintain.Problem{
		Task: s.name, Version: 1, Seed: d.Seed, Level: quintain.OwnParams, Index: d.Index,
		Params: s.params, Prompt: r.Question, Instance: quintain.NewRecord(record{r.ID, r.Answers, r.Meta, r.Tokens}),
	}, nil
}

// A record is the part of a row that a problem keeps.
type record struct {
	ID      string   `json:"id"`
	Answers []string `json:"answers"`
	Meta    Meta     `json:"meta,omitempty"`

	Tokens []quintain.Token `json:"packed_prompts,omitempty"`
}

// Grade implements [quintain.Task]. An answer is right if it equals one of the gold
// answers.
func (s *Set) Grade(p quintain.Problem, answer string) (quintain.Verdict, error) {
	golds, err := s.golds(p)
	if err != nil {
		return quintain.Verdict{}, err
	}
	var first quintain.Verdict // the verdict on a wrong answer
	for i, gold := range golds {
		v, err := s.verify(gold, answer)
		if err != nil {
			return quintain.Verdict{}, fmt.Errorf("%s: %w", s.name, err)
		}
		if v.Score == 1 {
			return v, nil
		}
		if i == 0 {
			first = v
		}
	}
	return first, nil
}

// Solve implements [quintain.Task].
func (s *Set) Solve(p quintain.Problem) (string, error) {
	golds, err := s.golds(p)
	if err != nil {
		return "", err
	}
	return golds[0], nil
}

// golds reads the gold answers of p.
func (s *Set) golds(p quintain.Problem) ([]string, error) {
	if p.Task != s.name {
		return nil, fmt.Errorf("%s: the problem belongs to task %q", s.name, p.Task)
	}
	r, err := readRecord(p)
	if err != nil {
		return nil, fmt.Errorf("%s: instance: %w", s.name, err)
	}
	if len(r.Answers) == 0 {
		return nil, fmt.Errorf("%s: instance: answers: is empty", s.name)
	}
	return r.Answers, nil
}

// readRecord reads the record of a problem.
func readRecord(p quintain.Problem) (r record, err error) {
	if r, ok := p.Instance.Value().(record); ok {
		return r, nil
	}
	raw, err := p.Instance.JSON()
	if err != nil {
		return r, err
	}
	return r, strictjson.Unmarshal(raw, &r)
}
