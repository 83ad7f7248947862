package pipe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
)

// newProblemReader returns the reader of Quintain's own format.
func newProblemReader() reader {
	line, read := strictjson.NewPicker("problem", "answer"), newPlainReader()
	return func(text []byte) (quintain.Problem, *string, error) {
		if line.Pick(text) {
			if p, answer, plain := read(line.Value(0), line.Value(1)); plain {
				return p, answer, nil
			}
		}
		return decodeProblem(text)
	}
}

// A plainReader reads a problem and an answer. plain is false if one of them is missing or
// written in an unusual way. It is for one goroutine.
type plainReader func(problem, answer []byte) (p quintain.Problem, text *string, plain bool)

func newPlainReader() plainReader {
	members := newProblemPicker()
	return func(problem, answer []byte) (quintain.Problem, *string, bool) {
		if !members.Pick(problem) {
			return quintain.Problem{}, nil, false
		}
		p, ok := plainProblem(members)
		text, plain := plainAnswer(answer)
		return p, text, ok && plain
	}
}

// newProblemPicker returns a picker of the members of a problem.
func newProblemPicker() *strictjson.Picker {
	return strictjson.NewPicker("task", "scenario", "version", "seed", "level", "index", "params", "prompt", "instance")
}

// plainProblem reads the members of a problem. plain is false if one of them is written
// in an unusual way.
func plainProblem(from *strictjson.Picker) (p quintain.Problem, plain bool) {
	m := members{from: from}
	p = quintain.Problem{
		Task: m.text(0), Scenario: m.text(1), Version: m.number(2), Seed: m.seed(3), Level: m.number(4), Index: m.number(5),
		Params: from.Value(6), Prompt: m.text(7),
	}
	if instance := from.Value(8); instance != nil {
		p.Instance = quintain.RawRecord(instance)
	}
	return p, !m.unusual
}

// members reads members by index; a missing one is zero.
type members struct {
	from    *strictjson.Picker
	unusual bool // set by an unusual member
}

// text returns a string.
func (m *members) text(i int) string {
	value := m.from.Value(i)
	text, plain := strictjson.Text(value)
	m.unusual = m.unusual || value != nil && !plain
	return text
}

// number returns a whole number.
func (m *members) number(i int) int {
	value := m.from.Value(i)
	n, plain := strictjson.Int(value)
	m.unusual = m.unusual || value != nil && !plain
	return n
}

// seed returns a number written as a string.
func (m *members) seed(i int) uint64 {
	text := m.text(i)
	seed, err := strconv.ParseUint(text, 10, 64)
	m.unusual = m.unusual || m.from.Value(i) != nil && (err != nil || strconv.FormatUint(seed, 10) != text)
	return seed
}

// plainAnswer reads an answer; nil: none.
func plainAnswer(value []byte) (answer *string, plain bool) {
	if string(value) == "null" {
		return nil, true
	}
	text, plain := strictjson.Text(value)
	return &text, plain
}

// decodeProblem reads a line of Quintain's own format with encoding/json.
func decodeProblem(text []byte) (quintain.Problem, *string, error) {
	var in struct {
		Problem *quintain.Problem `json:"problem"`
		Answer  json.RawMessage   `json:"answer"`
	}
	if err := decode(text, &in); err != nil {
		return quintain.Problem{}, nil, err
	}
	if in.Problem == nil {
		return quintain.Problem{}, nil, errors.New("problem: is missing")
	}
	answer, err := decodeAnswer(in.Answer)
	return *in.Problem, answer, err
}

// newEntryReader returns the reader of reasoning-gym's format.
func newEntryReader() reader {
	line := strictjson.NewPicker("entry", "answer")
	entry := reasoninggym.NewReader()
	return func(text []byte) (quintain.Problem, *string, error) {
		if line.Pick(text) {
			p, ok := entry.Read(line.Value(0))
			answer, plain := plainAnswer(line.Value(1))
			if ok && plain {
				return p, answer, nil
			}
		}
		return decodeEntry(text)
	}
}

// decodeEntry reads a line of reasoning-gym's format with encoding/json.
func decodeEntry(text []byte) (quintain.Problem, *string, error) {
	e, answer, err := readEntry(text)
	if err != nil {
		return quintain.Problem{}, nil, err
	}
	p, err := problemOf(e)
	return p, answer, err
}

// problemOf returns an entry as a problem.
func problemOf(e reasoninggym.Entry) (quintain.Problem, error) {
	p, err := reasoninggym.Read(e)
	if err != nil {
		return p, fmt.Errorf("entry.%w", err)
	}
	return p, nil
}

// readEntry reads the entry and the answer of a line.
func readEntry(text []byte) (e reasoninggym.Entry, answer *string, err error) {
	var in struct {
		Entry  *reasoninggym.Entry `json:"entry"`
		Answer json.RawMessage     `json:"answer"`
	}
	if err := decode(text, &in); err != nil {
		return e, nil, err
	}
	if in.Entry == nil {
		return e, nil, errors.New("entry: is missing")
	}
	answer, err = decodeAnswer(in.Answer)
	return *in.Entry, answer, err
}

// decode reads one JSON value, with nothing after it. If possible, the error names the
// field.
func decode(text []byte, v any) error {
	return strictjson.Explain(strictjson.Unmarshal(text, v))
}

// readText reads a policy's text; nil: none.
func readText(value []byte) (*string, error) {
	if text, plain := plainAnswer(value); plain {
		return text, nil
	}
	return decodeAnswer(value)
}

// decodeAnswer reads a string, or null for no answer. A missing field is an error.
func decodeAnswer(raw json.RawMessage) (*string, error) {
	if raw == nil {
		return nil, errors.New("answer: is missing; want a string, or null for none")
	}
	var answer *string
	if err := strictjson.Unmarshal(raw, &answer); err != nil {
		return nil, errors.New("answer: want a string, or null for none")
	}
	return answer, nil
}
