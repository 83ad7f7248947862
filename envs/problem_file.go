package envs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/rng"
)

// maxProblemLine is the longest allowed line of a problem file, in bytes.
const maxProblemLine = 4 << 20

// A problemFile is a task whose problems come from a file. Its problems have the answer
// in their record, so they can be graded without the file.
type problemFile struct {
	name string
	rows []problemRow
}

// A problemRow is the record of one problem.
type problemRow struct {
	ID       string `json:"id"` // from the file, or the line number
	Question string `json:"question"`
	Answer   string `json:"answer"` // whole number in decimal digits
}

// ReadProblems reads problems with whole-number answers, one JSON object per line, as a
// task with the given name. The question is in the field question, problem or prompt.
// The answer is in the field answer, as text or number, or the first of solutions; if
// it contains a \boxed{}, the content of the box counts. Blank lines are skipped. The
// error names the line and the field.
//
// The task's problems are the file's rows, shuffled differently for every seed and for
// every pass through the file.
func ReadProblems(r io.Reader, name string) (quintain.Task, error) {
	task := &problemFile{name: name}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxProblemLine)
	seen := map[string]int{}
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		row, err := readRow(lines.Bytes(), n)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, n, err)
		}
		if first, twice := seen[row.ID]; twice {
			return nil, fmt.Errorf("%s: line %d: id: %q is already used in line %d", name, n, row.ID, first)
		}
		seen[row.ID] = n
		task.rows = append(task.rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", name, len(task.rows)+1, err)
	}
	if len(task.rows) == 0 {
		return nil, fmt.Errorf("%s: the file has no problems", name)
	}
	return task, nil
}

// readRow reads the n-th line of a problem file.
func readRow(line []byte, n int) (problemRow, error) {
	var in struct {
		ID        json.RawMessage `json:"id"`
		QueryID   json.RawMessage `json:"query_id"`
		Question  string          `json:"question"`
		Problem   string          `json:"problem"`
		Prompt    string          `json:"prompt"`
		Answer    json.RawMessage `json:"answer"`
		Solutions []string        `json:"solutions"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return problemRow{}, fmt.Errorf("%s: is %s, want %s", wrong.Field, wrong.Value, wrong.Type)
		}
		return problemRow{}, err
	}
	row := problemRow{ID: strconv.Itoa(n)}
	for _, id := range []json.RawMessage{in.ID, in.QueryID} {
		if id != nil {
			row.ID = strings.Trim(string(id), `"`)
		}
	}
	for _, text := range []string{in.Prompt, in.Problem, in.Question} {
		if text != "" {
			row.Question = text
		}
	}
	if row.Question == "" {
		return problemRow{}, errors.New("question: is missing (problem and prompt are accepted as well)")
	}
	text := strings.Trim(string(in.Answer), `"`)
	if in.Answer == nil && len(in.Solutions) > 0 {
		text = in.Solutions[0]
	}
	if boxed, found := answer.Boxed(text); found {
		text = boxed
	}
	number, whole := canonical(text)
	if !whole {
		return problemRow{}, fmt.Errorf("answer: %.40q is not a whole number", text)
	}
	row.Answer = number
	return row, nil
}

// canonical returns the one spelling used for a whole number, and reports whether text
// is one.
func canonical(text string) (number string, whole bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	d, ok := answer.ReadDecimal(text)
	if !ok || d.Exp < 0 || d.Exp > 1000 {
		return "", false
	}
	if d.Digits == "" {
		return "0", true
	}
	number = d.Digits + strings.Repeat("0", int(d.Exp))
	if d.Neg {
		number = "-" + number
	}
	return number, true
}

// Size implements [quintain.Finite].
func (f *problemFile) Size(int) int { return len(f.rows) }

// Key implements [quintain.Keyer]: questions that differ only in white space are the
// same.
func (f *problemFile) Key(p quintain.Problem) (quintain.Key, error) {
	return quintain.NewKey(strings.Join(strings.Fields(p.Prompt), " ")), nil
}

// Info implements [quintain.Task].
func (f *problemFile) Info() quintain.Info {
	return quintain.Info{
		Name: f.name, Category: "file", Doc: fmt.Sprintf("Solve the %d problems of a file; every answer is a whole number.", len(f.rows)),
		Source: "The given file.", Version: 1, Levels: []json.RawMessage{[]byte("{}")},
	}
}

// With implements [quintain.Task]. A file has no settings.
func (f *problemFile) With(params json.RawMessage) (quintain.Task, error) {
	if string(bytes.TrimSpace(params)) != "{}" {
		return nil, fmt.Errorf("%s: a file of problems has no settings", f.name)
	}
	return f, nil
}

// Problem implements [quintain.Task].
func (f *problemFile) Problem(d quintain.Draw) (quintain.Problem, error) {
	if d.Level != 0 || d.Index < 0 {
		return quintain.Problem{}, fmt.Errorf("%s: level %d, index %d: want level 0 and an index of 0 or more", f.name, d.Level, d.Index)
	}
	order := make([]int, len(f.rows))
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(rng.New(d.Seed, f.name, strconv.Itoa(d.Index/len(order))), order)
	row := f.rows[order[d.Index%len(order)]]
	return quintain.Problem{
		Task: f.name, Version: 1, Seed: d.Seed, Index: d.Index,
		Params: []byte("{}"), Prompt: row.Question, Instance: quintain.NewRecord(row),
	}, nil
}

// Grade implements [quintain.Task].
func (f *problemFile) Grade(p quintain.Problem, reply string) (quintain.Verdict, error) {
	row, err := f.row(p)
	if err != nil {
		return quintain.Verdict{}, err
	}
	number, whole := canonical(reply)
	switch {
	case !whole:
		return quintain.Malformed("want a whole number"), nil
	case number != row.Answer:
		return quintain.Wrong("want " + row.Answer), nil
	}
	return quintain.Right(), nil
}

// Solve implements [quintain.Task].
func (f *problemFile) Solve(p quintain.Problem) (string, error) {
	row, err := f.row(p)
	return row.Answer, err
}

// row reads the record of p.
func (f *problemFile) row(p quintain.Problem) (problemRow, error) {
	var row problemRow
	if p.Task != f.name {
		return row, fmt.Errorf("%s: the problem belongs to task %q", f.name, p.Task)
	}
	raw, err := p.Instance.JSON()
	if err == nil {
		err = json.Unmarshal(raw, &row)
	}
	if err != nil {
		return row, fmt.Errorf("%s: instance: %w", f.name, err)
	}
	if row.Answer == "" {
		return row, fmt.Errorf("%s: instance: answer is missing", f.name)
	}
	return row, nil
}
