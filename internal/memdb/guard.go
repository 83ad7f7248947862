package memdb

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"modernc.org/libc"
	"modernc.org/sqlite/lib"
)

// Limits of a statement's work. The time is for what few steps can do, and far from any statement
// that people write.
const (
	maxSteps = 200_000
	every    = 100 // steps between two looks
	maxTime  = 5 * time.Second
)

// limits are those of SQLite for the statements of strangers, by its own numbers.
var limits = [...]struct{ id, most int32 }{
	{sqlite3.SQLITE_LIMIT_LENGTH, maxText},
	{sqlite3.SQLITE_LIMIT_SQL_LENGTH, MaxSQL},
	{sqlite3.SQLITE_LIMIT_COLUMN, 50},
	{sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 60},
	{sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 10},
	{sqlite3.SQLITE_LIMIT_VDBE_OP, 5000},
	{sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 20},
	{sqlite3.SQLITE_LIMIT_ATTACHED, 0},
	{sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
	{sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1},
	{sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0},
}

// functions are those that a statement may call: none of them reads a clock that goes, or chance,
// or makes long values.
var functions = strings.Fields("abs avg ceil ceiling coalesce concat concat_ws count cume_dist date datetime dense_rank first_value floor format glob group_concat ifnull iif " +
	"instr julianday lag last_value lead length like lower ltrim max min mod nth_value ntile nullif percent_rank power printf rank replace round row_number rtrim sign " +
	"strftime string_agg substr substring sum time timediff total trim typeof unixepoch upper")

// A guard watches a statement.
type guard struct {
	may   Rights
	why   string // it was stopped
	steps int
	until time.Time
}

// restrict begins to watch.
func (d *DB) restrict(may Rights) {
	d.guard = guard{may: may, until: time.Now().Add(maxTime)}
	for _, l := range limits {
		sqlite3.Xsqlite3_limit(d.tls, d.db, l.id, l.most)
	}
	d.handler = d.progress
	d.authorizer = func(_ *libc.TLS, _ uintptr, action int32, first, second, _, _ uintptr) int32 {
		why := d.guard.forbids(action, libc.GoString(first), libc.GoString(second))
		if why == "" {
			return sqlite3.SQLITE_OK
		}
		if d.guard.why == "" {
			d.guard.why = why
		}
		return sqlite3.SQLITE_DENY
	}
	sqlite3.Xsqlite3_set_authorizer(d.tls, d.db, address(d.authorizer), 0)
	sqlite3.Xsqlite3_progress_handler(d.tls, d.db, every, address(d.handler), 0)
}

// release ends it. The limits stay.
func (d *DB) release() {
	sqlite3.Xsqlite3_set_authorizer(d.tls, d.db, 0, 0)
	sqlite3.Xsqlite3_progress_handler(d.tls, d.db, 0, 0, 0)
}

// progress is called by SQLite as a statement runs; not 0: stop it.
func (d *DB) progress(*libc.TLS, uintptr) int32 {
	g := &d.guard
	if g.steps += every; g.steps < maxSteps && time.Now().Before(g.until) {
		return 0
	}
	g.why = "the statement takes too many steps"
	return 1
}

// forbids says why a statement must not do something; empty: it may.
func (g *guard) forbids(action int32, first, second string) string {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE:
		return ""
	case sqlite3.SQLITE_FUNCTION:
		if slices.Contains(functions, strings.ToLower(second)) {
			return ""
		}
		return fmt.Sprintf("there is no function %.40s here", second)
	case sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE:
		if g.may == Write && !strings.HasPrefix(strings.ToLower(first), "sqlite_") {
			return ""
		}
		if g.may == Read {
			return "the statement must only read: begin with SELECT or WITH"
		}
	}
	if g.may == Read {
		return "the statement must be a SELECT"
	}
	return "the statement must be a SELECT, INSERT, UPDATE or DELETE"
}
