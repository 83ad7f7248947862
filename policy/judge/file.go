package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// A Row is a reply to judge, as a line of a file.
type Row struct {
	ID    string `json:"id"`    // empty: the number of the line
	Group string `json:"group"` // replies that are compared have the same
	Item
}

// A Line is a verdict, as a line of a file. It has no score if there is none.
type Line struct {
	ID       string   `json:"id"`
	Judge    string   `json:"judge"`              // hash of rubric, model and sampling
	Verdict  *Verdict `json:"verdict,omitempty"`  // nil: none
	Ungraded string   `json:"ungraded,omitempty"` // why there is none
}

// ErrUngraded says that some replies have no verdict. Judging the file again judges only those.
var ErrUngraded = errors.New("some replies have no verdict: judge the file again, and only those are")

// mostRow limits the bytes of a line.
const mostRow = 32 << 20

// ReadRows reads the replies of a file of JSON lines, for a rubric. Other fields are left alone. The
// error names the line and the field.
func ReadRows(in io.Reader, rubric *Rubric) (rows []Row, err error) {
	met := map[string]bool{}
	err = eachLine(in, func(n int, line []byte) error {
		var row Row
		var fields map[string]json.RawMessage
		if err := strictjson.Unmarshal(line, &fields); err != nil {
			return strictjson.Explain(err)
		}
		if err := strictjson.Unmarshal(line, &row); err != nil {
			return strictjson.Explain(err)
		}
		if err := row.complete(fields, rubric); err != nil {
			return err
		}
		if row.ID == "" {
			row.ID = fmt.Sprint(n)
		}
		if met[row.ID] {
			return fmt.Errorf("id: is %q, as in another line: want different ones", row.ID)
		}
		met[row.ID] = true
		row.Key = row.ID
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// complete takes the reference from the rubric's column, and reports a missing field.
func (r *Row) complete(fields map[string]json.RawMessage, rubric *Rubric) error {
	wanted := []string{"question", map[string]string{Answer: "reply"}[rubric.View]}
	if wanted[1] == "" {
		wanted[1] = rubric.View
	}
	if rubric.Reference != "" {
		wanted = append(wanted, rubric.Reference)
	}
	if rubric.Mode != Absolute {
		wanted = append(wanted, "group")
	}
	for _, name := range wanted {
		if len(fields[name]) == 0 || string(fields[name]) == "null" {
			return fmt.Errorf("%s: is missing; the rubric needs it", name)
		}
	}
	r.Reference = ""
	if rubric.Reference == "" {
		return nil
	}
	if err := strictjson.Unmarshal(fields[rubric.Reference], &r.Reference); err != nil {
		return fmt.Errorf("%s: want a text", rubric.Reference)
	}
	return nil
}

// readKnown reads the replies with known verdicts in a file of JSON lines; nil: there is none.
func readKnown(path string) (list []Canary, err error) {
	if path == "" {
		return nil, nil
	}
	f, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list = []Canary{}
	err = eachLine(f, func(n int, line []byte) error {
		var c Canary
		if err := strictjson.UnmarshalKnown(line, &c); err != nil {
			return strictjson.Explain(err)
		}
		c.Key = fmt.Sprint("known", n)
		list = append(list, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// eachLine calls do for each line that is not empty, counted from 1.
func eachLine(in io.Reader, do func(n int, line []byte) error) error {
	return dataset.Lines(in, mostRow, func(n int, line []byte, err error) error {
		if err == nil {
			err = do(n, bytes.TrimSpace(line))
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		return nil
	})
}

// GradeFile judges rows into the file at path, and goes on where it was stopped: a reply with a
// verdict there is not judged again. The error is [ErrUngraded] if replies are left.
func (j *Jury) GradeFile(ctx context.Context, rows []Row, path string) (err error) {
	done, err := j.verdictsIn(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	left := j.left(rows, done)
	if err := datadir.WriteFile(path, done.text(left)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return errors.Join(j.Grade(ctx, left, f), f.Sync())
}

// given are the lines with verdicts of a file.
type given struct {
	ids   []string
	lines map[string][]byte // by ID
}

// text returns the lines but those of some rows.
func (g *given) text(without []Row) (text []byte) {
	again := map[string]bool{}
	for _, row := range without {
		again[row.ID] = true
	}
	for _, id := range g.ids {
		if !again[id] {
			text = append(append(text, g.lines[id]...), '\n')
		}
	}
	return text
}

// verdictsIn returns the verdicts in a file; there may be none. Half a line at the end is left out.
func (j *Jury) verdictsIn(path string) (*given, error) {
	g := &given{lines: map[string][]byte{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return g, nil
	}
	if err != nil {
		return nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	return g, eachLine(bytes.NewReader(text), func(_ int, line []byte) error {
		var l Line
		if err := strictjson.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("is no verdict (%w): name another file for the verdicts", err)
		}
		if l.Judge != j.Judge.Hash() {
			return errors.New("was not written by this judge, with its rubric, model and sampling: name another file for the verdicts")
		}
		if l.Verdict == nil {
			return nil
		}
		if g.lines[l.ID] == nil {
			g.ids = append(g.ids, l.ID)
		}
		g.lines[l.ID] = line
		return nil
	})
}

// left returns the rows to judge: those without a verdict and, since scores of a comparison depend
// on each other, all others of their group.
func (j *Jury) left(rows []Row, done *given) (left []Row) {
	lacks := map[string]bool{}
	for _, row := range rows {
		lacks[row.Group] = lacks[row.Group] || done.lines[row.ID] == nil
	}
	for _, row := range rows {
		if done.lines[row.ID] == nil || j.Config.Rubric.Mode != Absolute && lacks[row.Group] {
			left = append(left, row)
		}
	}
	return left
}

// Grade judges rows, and writes a line for each as it is judged. The error is [ErrUngraded] if
// some have no verdict.
func (j *Jury) Grade(ctx context.Context, rows []Row, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	left := false
	write := func(row Row, r Result) error {
		mu.Lock()
		defer mu.Unlock()
		line := Line{ID: row.ID, Judge: j.Judge.Hash()}
		switch {
		case r.Err == nil:
			line.Verdict = &r.Verdict
		case errors.Is(r.Err, quintain.ErrUngraded):
			line.Ungraded, left = r.Err.Error(), true
		default:
			return r.Err
		}
		return json.NewEncoder(out).Encode(line)
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, j.Config.Parallel)
	for _, group := range j.groups(rows) {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if err := j.group(ctx, group, write); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if left {
		return ErrUngraded
	}
	return nil
}

// groups returns the rows that are judged together, in the order of the file.
func (j *Jury) groups(rows []Row) (groups [][]Row) {
	if j.Config.Rubric.Mode == Absolute {
		for _, row := range rows {
			groups = append(groups, []Row{row})
		}
		return groups
	}
	place := map[string]int{}
	for _, row := range rows {
		at, known := place[row.Group]
		if !known {
			at = len(groups)
			place[row.Group] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], row)
	}
	return groups
}

// group judges a group.
func (j *Jury) group(ctx context.Context, rows []Row, write func(Row, Result) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	items := make([]Item, len(rows))
	for i, row := range rows {
		items[i] = row.Item
	}
	for i, r := range j.Judge.Group(ctx, items) {
		if err := write(rows[i], r); err != nil {
			return fmt.Errorf("%s: %w", rows[i].ID, err)
		}
	}
	return nil
}
