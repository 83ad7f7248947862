package pipe

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// marks are the verdicts on many answers, in order.
type marks struct {
	Scores    []float64 `json:"scores"`
	Malformed []bool    `json:"malformed"`
	Reasons   []string  `json:"reasons"`
}

// clear empties the lists, but keeps their memory.
func (m *marks) clear() {
	if m.Scores == nil {
		*m = marks{Scores: []float64{}, Malformed: []bool{}, Reasons: []string{}}
	}
	m.Scores, m.Malformed, m.Reasons = m.Scores[:0], m.Malformed[:0], m.Reasons[:0]
}

// add adds a verdict.
func (m *marks) add(v Verdict) {
	m.Scores, m.Malformed, m.Reasons = append(m.Scores, v.Score), append(m.Malformed, v.Malformed), append(m.Reasons, v.Reason)
}

// forgotten is the answer to a request that names a forgotten problem.
const forgotten = `{"forgotten":true}`

// errForgotten says that a number stands for no problem.
var errForgotten = errors.New("no problem has this number")

// A readier is a task that reads the record of a problem once for many answers, like a
// [task.Spec].
type readier interface {
	Ready(p quintain.Problem) (quintain.Problem, error)
}

// A judge grades a policy's text; nil: none.
type judge func(p quintain.Problem, text *string) (Verdict, error)

// mark writes the verdicts on many texts, with a problem for each.
func (c *worker) mark(dst, problems, texts []byte, judge judge) ([]byte, error) {
	c.texts = c.texts[:0]
	if !strictjson.Elements(texts, func(text []byte) bool { c.texts = append(c.texts, text); return true }) {
		return dst, errors.New("answers or replies: want a list")
	}
	c.marks.clear()
	at, err := 0, error(nil)
	whole := strictjson.Elements(problems, func(item []byte) bool {
		if at < len(c.texts) {
			err = c.markOne(item, c.texts[at], judge)
		}
		at++
		return err == nil
	})
	switch {
	case errors.Is(err, errForgotten):
		return append(dst, forgotten...), nil
	case err != nil:
		return dst, err
	case !whole || at != len(c.texts):
		return dst, fmt.Errorf("problems: want a list of %d, one for each text", len(c.texts))
	}
	return strictjson.Append(dst, &c.marks)
}

// markOne adds the verdict on one text.
func (c *worker) markOne(item, text []byte, judge judge) error {
	p, err := c.item(item)
	if err != nil {
		return err
	}
	read, err := readText(text)
	if err != nil {
		return err
	}
	v, err := judge(p, read)
	c.marks.add(v)
	return err
}

// item reads a problem, its number, or [number, problem]: from now on, the number stands
// for it.
func (c *worker) item(text []byte) (quintain.Problem, error) {
	if isNumber(text) {
		p := c.problems.numbers.get(text)
		if p == nil {
			return quintain.Problem{}, errForgotten
		}
		return *p, nil
	}
	var parts [][]byte
	if text[0] != '[' || !strictjson.Elements(text, func(part []byte) bool { parts = append(parts, part); return true }) {
		return c.read(text)
	}
	if len(parts) != 2 || !isNumber(parts[0]) {
		return quintain.Problem{}, errors.New("problem: want a problem, its number, or both as a list")
	}
	p, err := c.read(bytes.Clone(parts[1]))
	if err != nil {
		return p, err
	}
	t, err := c.server.Tasks.Get(p.Task)
	if err != nil {
		return p, err
	}
	if own, can := t.(readier); can {
		if p, err = own.Ready(p); err != nil {
			return p, err
		}
	}
	c.problems.numbers.put(parts[0], len(parts[1]), p)
	return p, nil
}

// isNumber reports whether text is a whole number that may stand for a problem.
func isNumber(text []byte) bool {
	_, plain := strictjson.Int(text)
	return plain
}
