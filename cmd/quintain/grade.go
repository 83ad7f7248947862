package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/task"
)

func newGrade(w *world) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "grade",
		Short: "Grade answers: JSON lines in, JSON lines out",
		Long: `Grade reads one JSON object a line from standard input and prints one for each,
in order: {"score", "malformed", "reason"}. A line is {"problem": …, "answer": …},
with a problem as tasks export writes it; with --format reasoning-gym it is
{"entry": {"question", "answer", "metadata"}, "answer": …}. An answer of null is
no answer. A line that cannot be read gives {"error": …} in its place and exit
status 1 at the end; the others are still graded.`,
		Example: `  quintain tasks export --task chain_sum --count 1 |
    jq -c '{problem: ., answer: "42"}' | quintain grade`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			tasks, err := task.NewSet(catalog.Tasks())
			if err != nil {
				return err
			}
			read, known := graders[format]
			if !known {
				return usagef("--format is %q, want quintain or reasoning-gym", format)
			}
			return eachLine(w.stdin, w.stdout, func(line []byte) (any, error) {
				p, answer, err := read(line)
				if err != nil {
					return nil, err
				}
				return grade(tasks, p, answer)
			})
		},
	}
	c.Flags().StringVar(&format, "format", "quintain", "form of the lines: quintain or reasoning-gym")
	return c
}

// A gradeLine is what grade prints.
type gradeLine struct {
	Score     float64 `json:"score"`
	Malformed bool    `json:"malformed"`
	Reason    string  `json:"reason"`
}

// grade judges one answer; nil is no answer.
func grade(tasks *task.Set, p quintain.Problem, answer *string) (gradeLine, error) {
	t, err := tasks.Get(p.Task)
	if err != nil {
		return gradeLine{}, err
	}
	text := ""
	if answer != nil {
		text = *answer
	}
	v, err := t.Grade(p, text) // also without an answer: the problem may be unreadable
	if err != nil {
		return gradeLine{}, err
	}
	if answer == nil {
		v = quintain.Malformed("there is no answer")
	}
	return gradeLine(v), nil
}

// graders read one line of grade by its format.
var graders = map[string]func([]byte) (quintain.Problem, *string, error){
	"quintain":      readProblemLine,
	"reasoning-gym": readEntryLine,
}

func readProblemLine(line []byte) (quintain.Problem, *string, error) {
	var in struct {
		Problem *quintain.Problem `json:"problem"`
		Answer  json.RawMessage   `json:"answer"`
	}
	if err := decodeLine(line, &in); err != nil {
		return quintain.Problem{}, nil, err
	}
	if in.Problem == nil {
		return quintain.Problem{}, nil, errors.New("problem: is missing")
	}
	answer, err := readAnswer(in.Answer)
	return *in.Problem, answer, err
}

func readEntryLine(line []byte) (quintain.Problem, *string, error) {
	var in struct {
		Entry  *reasoninggym.Entry `json:"entry"`
		Answer json.RawMessage     `json:"answer"`
	}
	if err := decodeLine(line, &in); err != nil {
		return quintain.Problem{}, nil, err
	}
	if in.Entry == nil {
		return quintain.Problem{}, nil, errors.New("entry: is missing")
	}
	p, err := reasoninggym.Read(*in.Entry)
	if err != nil {
		return quintain.Problem{}, nil, fmt.Errorf("entry.%w", err)
	}
	answer, err := readAnswer(in.Answer)
	return p, answer, err
}

// decodeLine reads one JSON value and nothing behind it; the error names the
// field where it can.
func decodeLine(line []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(v); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return fmt.Errorf("%s: is %s, want %s", wrong.Field, wrong.Value, wrong.Type)
		}
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one JSON value")
	}
	return nil
}

// readAnswer reads a string, or null for none. The field may not be left out.
func readAnswer(raw json.RawMessage) (*string, error) {
	if raw == nil {
		return nil, errors.New("answer: is missing; want a string, or null for none")
	}
	var answer *string
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, errors.New("answer: want a string, or null for none")
	}
	return answer, nil
}
