package memdb

import (
	"errors"
	"fmt"

	"modernc.org/libc"
	"modernc.org/sqlite/lib"
)

// all runs the only statement of a text to its end.
func (d *DB) all(sql string) (r Result, err error) {
	text, err := libc.CString(sql)
	if err != nil {
		return r, err
	}
	defer libc.Xfree(d.tls, text)
	stmt, rest, err := d.prepare(text)
	if err != nil {
		return r, err
	}
	defer sqlite3.Xsqlite3_finalize(d.tls, stmt)
	if stmt == 0 {
		return r, errors.New("there is no statement")
	}
	second, _, err := d.prepare(rest)
	sqlite3.Xsqlite3_finalize(d.tls, second)
	if second != 0 || err != nil {
		return r, errors.New("there is more than one statement")
	}
	if err := d.rows(stmt, &r); err != nil {
		return Result{}, err
	}
	if sqlite3.Xsqlite3_stmt_readonly(d.tls, stmt) == 0 {
		r.Changed = int(sqlite3.Xsqlite3_changes(d.tls, d.db))
	}
	return r, nil
}

// prepare compiles the first statement of a text; 0: there is none. The rest follows it.
func (d *DB) prepare(text uintptr) (stmt, rest uintptr, err error) {
	out := d.tls.Alloc(2 * pointer)
	defer d.tls.Free(2 * pointer)
	if sqlite3.Xsqlite3_prepare_v2(d.tls, d.db, text, -1, out, out+uintptr(pointer)) != sqlite3.SQLITE_OK {
		return 0, 0, d.fault()
	}
	return load(out), load(out + uintptr(pointer)), nil
}

// rows steps through a statement.
func (d *DB) rows(stmt uintptr, r *Result) error {
	n := sqlite3.Xsqlite3_column_count(d.tls, stmt)
	for i := range n {
		r.Columns = append(r.Columns, libc.GoString(sqlite3.Xsqlite3_column_name(d.tls, stmt, i)))
	}
	size := 0
	for {
		switch sqlite3.Xsqlite3_step(d.tls, stmt) {
		case sqlite3.SQLITE_DONE:
			return nil
		case sqlite3.SQLITE_ROW:
		default:
			return d.fault()
		}
		row := make([]any, n)
		for i := range n {
			row[i] = d.value(stmt, i)
			if s, is := row[i].(string); is {
				size += len(s)
			}
		}
		if r.Rows = append(r.Rows, row); len(r.Rows) > MaxRows || size > maxBytes {
			return fmt.Errorf("the result has more than %d rows or %d bytes", MaxRows, maxBytes)
		}
	}
}

// value returns a value of the row that a statement stands at.
func (d *DB) value(stmt uintptr, i int32) any {
	switch sqlite3.Xsqlite3_column_type(d.tls, stmt, i) {
	case sqlite3.SQLITE_NULL:
		return nil
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(d.tls, stmt, i)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(d.tls, stmt, i)
	}
	return libc.GoString(sqlite3.Xsqlite3_column_text(d.tls, stmt, i))
}
