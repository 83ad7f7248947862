package tables

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
)

// program runs statements; see its Desk.
//
//go:embed tables.py
var program string

// Limits of a session. The time is for what few steps can do, and far from any statement that people write.
const (
	maxCPU    = 5 * time.Second
	maxMemory = 128 << 20
	maxOutput = 16 << 20 // more than the largest reply
	maxPart   = 90_000   // bytes of a request in a cell
)

// tries is how often a statement is run whose session the machine loses.
const tries = 3

// A python is the Python of an episode: a session that is opened for the first statement, and again if
// the machine loses it, or a statement ends it.
type python struct {
	host    *codeplay.Host
	session sandbox.Session // nil: none is open
	has     *filling        // the rows in the session; nil: none
}

// A reply is what a statement gave.
type reply struct {
	why     string // it was refused, or failed; empty: neither
	columns []string
	rows    [][]any
	changed int      // rows
	after   *filling // nil: the statement may not write
}

// A said is a reply as the program writes it.
type said struct {
	Why     string
	Columns []string
	Rows    [][]json.RawMessage
	Changed int
	After   [][][]json.RawMessage // of all tables; nil: the statement may not write
}

// run runs a statement. An error says nothing about it: the machine failed, and has [quintain.ErrLost], or
// ctx ended.
func (p *python) run(ctx context.Context, s statement) (r reply, err error) {
	on, done, err := p.host.Turn(ctx)
	if err != nil {
		return r, err
	}
	defer done()
	for range tries {
		if r, err = p.try(ctx, on, s); err == nil {
			return r, nil
		}
		err = errors.Join(err, p.close())
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
	}
	return r, fmt.Errorf("the sandbox: %w: %w", quintain.ErrLost, err)
}

// try runs a statement once. It sends the rows unless the session has them.
func (p *python) try(ctx context.Context, on sandbox.Opener, s statement) (r reply, err error) {
	if p.session == nil {
		limits := sandbox.Limits{CPU: maxCPU, Memory: maxMemory, Output: maxOutput}
		if p.session, err = on.Open(ctx, sandbox.Spec{Limits: limits}); err != nil {
			p.session = nil
			return r, err
		}
		if got, err := p.session.Run(ctx, program, sandbox.Limits{}); err != nil || got.End != sandbox.Exited || got.Code != 0 {
			return r, fmt.Errorf("its Python cannot begin: %.300s: %w", got.Stderr, errors.Join(err, sandbox.ErrOver))
		}
	}
	got, err := p.send(ctx, s)
	if err != nil {
		return r, err
	}
	switch {
	case got.End == sandbox.WallLimit: // the machine is too slow: the processor's limit comes first
		return r, errors.New("a statement had too little of the processor")
	case got.Over || got.End != sandbox.Exited:
		return reply{why: "the statement takes too much time or memory"}, p.close()
	case got.Code != 0:
		return r, fmt.Errorf("its Python failed: %.300s", got.Stderr)
	}
	if err := r.read(got.Stdout, s.on.schema); err != nil {
		return r, fmt.Errorf("its Python says %.100q: %w", got.Stdout, err)
	}
	if p.has = s.on; r.why == "" && s.writes {
		p.has = r.after
	}
	return r, nil
}

// send sends a statement, in parts if it is long.
func (p *python) send(ctx context.Context, s statement) (got sandbox.Result, err error) {
	text := base64.StdEncoding.EncodeToString(s.request(p.has != s.on))
	for last := false; !last; {
		part := text[:min(len(text), maxPart)]
		text = text[len(part):]
		last = text == ""
		cell := fmt.Sprintf("desk.take(%q, %s)", part, map[bool]string{false: "False", true: "True"}[last])
		if got, err = p.session.Run(ctx, cell, sandbox.Limits{}); err != nil || got.Over || got.End != sandbox.Exited || got.Code != 0 {
			break
		}
	}
	return got, err
}

// close closes the session, if one is open.
func (p *python) close() (err error) {
	if p.session != nil {
		err, p.session, p.has = p.session.Close(), nil, nil
	}
	return err
}

// request writes the statement as the program reads it, with its rows if they are wanted.
func (s *statement) request(rows bool) []byte {
	b := strictjson.AppendText([]byte(`{"sql":`), s.sql)
	b = strconv.AppendBool(append(b, `,"write":`...), s.writes)
	if !rows {
		return append(b, '}')
	}
	of := s.on.schema
	var create, names []string
	for _, t := range of {
		create, names = append(create, of.create(t)), append(names, t.name)
	}
	b = strictjson.AppendList(append(b, `,"fill":{"create":`...), create, strictjson.AppendText)
	b = strictjson.AppendList(append(b, `,"names":`...), names, strictjson.AppendText)
	b = strictjson.AppendList(append(b, `,"fill":`...), s.on.rows, func(b []byte, rows [][]any) []byte {
		return strictjson.AppendList(b, rows, func(b []byte, row []any) []byte { return strictjson.AppendList(b, row, appendValue) })
	})
	return append(b, "}}"...)
}

// appendValue writes a value of a row.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return strictjson.AppendText(b, v)
	case float64:
		text := strconv.FormatFloat(v, 'e', -1, 64) // with an e, so that it stays a float
		return append(b, strings.Replace(strings.Replace(text, "+Inf", "1e999", 1), "-Inf", "-1e999", 1)...)
	}
	return fmt.Append(b, v)
}

// read reads what the program says.
func (r *reply) read(text []byte, of schema) (err error) {
	var t said
	if err := strictjson.Unmarshal(text, &t); err != nil {
		return err
	}
	r.why, r.columns, r.changed = t.Why, t.Columns, t.Changed
	if r.rows, err = values(t.Rows); err != nil || t.After == nil {
		return err
	}
	all := make([][][]any, len(t.After))
	for i, rows := range t.After {
		if all[i], err = values(rows); err != nil {
			return err
		}
	}
	if len(all) != len(of) {
		return fmt.Errorf("it has %d tables, not %d", len(all), len(of))
	}
	r.after = newFilling(of, all)
	return nil
}

// values reads rows.
func values(rows [][]json.RawMessage) (all [][]any, err error) {
	for _, row := range rows {
		read := make([]any, len(row))
		for i, text := range row {
			if read[i], err = valueOf(text); err != nil {
				return nil, err
			}
		}
		all = append(all, read)
	}
	return all, nil
}

// valueOf reads a value: null, a text, a whole number, a number with a point or an exponent, or a list for
// an infinite one.
func valueOf(text []byte) (any, error) {
	switch {
	case string(text) == "null":
		return nil, nil
	case text[0] == '"':
		var s string
		err := strictjson.Unmarshal(text, &s)
		return s, err
	case string(text) == "[0]":
		return strconv.ParseFloat("-Inf", 64)
	case string(text) == "[1]":
		return strconv.ParseFloat("+Inf", 64)
	case bytes.ContainsAny(text, ".eE"):
		return strconv.ParseFloat(string(text), 64)
	}
	return strconv.ParseInt(string(text), 10, 64)
}
