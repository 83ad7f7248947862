// Package memdb runs SQL of strangers on databases in memory, with SQLite.
//
// A statement reads tables, and changes them if it may. It reaches nothing else: no file, no
// setting, no clock, no chance. Its work is counted in steps of SQLite's machine, so that it
// ends the same way everywhere.
package memdb

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"modernc.org/libc"
	"modernc.org/sqlite/lib"
)

// Limits of a statement.
const (
	MaxSQL   = 2000 // bytes of its text
	MaxRows  = 2000 // of its result
	maxBytes = 200_000
	maxText  = 800 // bytes of a value or of a row
)

// A DB is a database. One goroutine uses it.
type DB struct {
	tls   *libc.TLS
	db    uintptr
	guard guard

	// What SQLite calls as it compiles a statement and runs it; kept here for as long.
	authorizer func(tls *libc.TLS, arg uintptr, action int32, first, second, database, trigger uintptr) int32
	handler    func(tls *libc.TLS, arg uintptr) int32
}

// Open returns an empty database. It must be closed.
func Open() (*DB, error) {
	fs, err := clockless()
	if err != nil {
		return nil, err
	}
	d := &DB{tls: libc.NewTLS()}
	out := d.tls.Alloc(pointer)
	defer d.tls.Free(pointer)
	name, err := libc.CString(":memory:")
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(d.tls, name)
	const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE | sqlite3.SQLITE_OPEN_MEMORY | sqlite3.SQLITE_OPEN_NOMUTEX
	code := sqlite3.Xsqlite3_open_v2(d.tls, name, out, flags, fs)
	d.db = load(out)
	if code != sqlite3.SQLITE_OK {
		err := d.fault()
		d.Close()
		return nil, err
	}
	if err := d.Exec("PRAGMA temp_store = MEMORY"); err != nil { // sorting makes no file
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close frees the database.
func (d *DB) Close() {
	sqlite3.Xsqlite3_close_v2(d.tls, d.db)
	d.tls.Close()
}

// fault is the last error of SQLite.
func (d *DB) fault() error {
	return errors.New(libc.GoString(sqlite3.Xsqlite3_errmsg(d.tls, d.db)))
}

// Exec runs a statement of our own, with all rights. Before the first Run it has no limits.
func (d *DB) Exec(sql string) error {
	_, err := d.all(sql)
	return err
}

// Insert adds rows to a table. A value is nil, an int64, a float64 or a string.
func (d *DB) Insert(table string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT INTO %s VALUES ", table)
	for i, row := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, v := range row {
			b.WriteByte("(,"[min(j, 1)])
			b.WriteString(Literal(v))
		}
		b.WriteByte(')')
	}
	return d.Exec(b.String())
}

// Literal writes a value in SQL.
func Literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case float64:
		if math.IsInf(v, 0) {
			return strings.Replace(fmt.Sprint(v), "Inf", "9e999", 1)
		}
	}
	return fmt.Sprint(v)
}

// A Rights is what a statement may do.
type Rights int

// The rights.
const (
	Read  Rights = iota // select
	Write               // also insert, update and delete rows
)

// A Result is what a statement gave.
type Result struct {
	Columns []string // their names
	Rows    [][]any  // of nil, int64, float64 and string
	Changed int      // rows that were inserted, updated or deleted
}

// Run runs one statement of a stranger. Text that is no such statement, and one that does too much,
// is an error, and has changed nothing.
func (d *DB) Run(sql string, may Rights) (r Result, err error) {
	switch {
	case len(sql) > MaxSQL:
		return r, fmt.Errorf("the statement has %d bytes, at most %d are allowed", len(sql), MaxSQL)
	case strings.ContainsRune(sql, 0):
		return r, errors.New("the statement has a zero byte")
	}
	d.restrict(may)
	defer d.release()
	r, err = d.all(sql)
	if why := d.guard.why; why != "" && err != nil {
		err = errors.New(why)
	}
	return r, err
}
