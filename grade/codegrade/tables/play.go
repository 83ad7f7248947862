package tables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
)

// Errand returns the errand. It is played by a [*Tables], whose sandbox runs the statements.
func Errand() *toolbox.Errand {
	e := spec.Errand()
	e.Scenario.New = func() scenario.Play {
		t := &Tables{}
		t.Own = scenario.Own{Name: spec.Name, Begin: func(p quintain.Problem) (scenario.Advised, error) {
			return e.Begin(p, func(s toolbox.Start) toolbox.Start {
				d := s.(database)
				d.on = t
				return d
			})
		}}
		return t
	}
	return e
}

// Tables plays the scenario in a sandbox. It is a [codeplay.Runner].
type Tables struct {
	scenario.Own
	codeplay.Host

	probe   sync.Once
	version string // of SQLite
	err     error
}

var errNowhere = errors.New("no sandbox runs the statements")

// Start opens the sandbox. It fails if that is below the floor, or has no SQLite.
func (t *Tables) Start() error {
	if err := t.Host.Start(); err != nil {
		return err
	}
	t.probe.Do(func() { t.version, t.err = t.findVersion() })
	return t.err
}

// findVersion asks the sandbox for the version of SQLite; empty: another sandbox runs the statements.
func (t *Tables) findVersion() (string, error) {
	if setup, err := t.Setup(context.Background()); setup == nil || err != nil {
		return "", err
	}
	got, err := t.Print(context.Background(), "import sqlite3; sqlite3.Connection.setlimit; print(sqlite3.sqlite_version)")
	switch {
	case err != nil && !errors.Is(err, sandbox.ErrNoProgram):
		return "", err
	case err != nil || got.End != sandbox.Exited || got.Code != 0:
		return "", errors.New("sandbox: its Python has no sqlite3 that takes limits: install Python 3.11 or later with SQLite there")
	}
	return strings.TrimSpace(string(got.Stdout)), nil
}

// Runs implements [scenario.Runner], by a [sandbox.Setup] with the version of SQLite. There is none if
// another sandbox runs the statements.
func (t *Tables) Runs(quintain.Task) (by json.RawMessage, mark string, err error) {
	if err := t.Start(); err != nil {
		return nil, "", err
	}
	setup, err := t.Setup(context.Background())
	if setup == nil || err != nil {
		return nil, "", err
	}
	setup.Interpreters = append(setup.Interpreters, sandbox.Interpreter{Language: "SQLite", Version: t.version})
	by, err = json.Marshal(setup)
	return by, setup.Mark(), err
}

// MaxSQL is the most bytes that a statement may have.
const MaxSQL = 2000

// A statement is one of a policy.
type statement struct {
	sql    string
	on     *filling
	writes bool // it may
}

// forbidden says why a statement is not run; empty: it is.
func (s *statement) forbidden() string {
	switch {
	case len(s.sql) > MaxSQL:
		return fmt.Sprintf("the statement has %d bytes, at most %d are allowed", len(s.sql), MaxSQL)
	case strings.ContainsRune(s.sql, 0):
		return "the statement has a zero byte"
	}
	return ""
}
