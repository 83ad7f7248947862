package desk

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/memdb"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Sample is a statement and what it gives, for a comparison with another engine.
type Sample struct {
	Create []string  `json:"create"` // the statements that make the tables
	Names  []string  `json:"names"`  // of the tables
	Fill   [][][]any `json:"fill"`   // their rows
	SQL    string    `json:"sql"`
	Sorted bool      `json:"sorted"` // by the last column
	Rows   [][]any   `json:"rows"`   // that a SELECT gives
	After  [][][]any `json:"after"`  // the rows of all tables after any other statement
}

// Samples calls do with the statements of a problem of a level: the right one and all misreadings,
// on the filling that is seen and on another one.
func Samples(level, index int, do func(Sample) error) error {
	if level < 0 || level >= len(tables.Levels) {
		return fmt.Errorf("level is %d, want 0 to %d", level, len(tables.Levels)-1)
	}
	d, err := makeDatabase(tables.Levels[level], rng.New(uint64(index), "tables", "samples", fmt.Sprint(level)))
	if err != nil {
		return err
	}
	s := d.schema()
	for number := range 2 {
		one := d.sample(s, number)
		for _, statement := range d.statements(s) {
			one.SQL, one.Sorted = statement.sql, statement.sorted
			if err := one.run(s); err != nil {
				return fmt.Errorf("%s: %w", one.SQL, err)
			}
			if err := do(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fillings returns the fillings of the tables of a record, without a statement: the one that is seen, and
// those on which an answer is judged besides.
func Fillings(record []byte) (all []Sample, err error) {
	var d database
	if err := jsonform.Unmarshal(record, &d); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	s := d.schema()
	for number := range fillings {
		all = append(all, d.sample(s, number))
	}
	return all, nil
}

// sample returns a filling without a statement.
func (d database) sample(s schema, number int) Sample {
	one := Sample{Fill: d.filling(s, number).rows}
	for _, t := range s {
		one.Create, one.Names = append(one.Create, s.create(t)), append(one.Names, t.name)
	}
	return one
}

// A statement is one of a problem.
type statement struct {
	sql    string
	sorted bool
}

// statements returns the right one and all misreadings. Where equal values make the first rows
// unclear, there is none.
func (d database) statements(s schema) (all []statement) {
	if d.Query != nil {
		for _, q := range append([]*query{d.Query}, d.Query.mutants(s)...) {
			if !q.tied(d.filling(s, 0)) && !q.tied(d.filling(s, 1)) {
				all = append(all, statement{q.sql(s), q.Sort != nil})
			}
		}
	}
	for _, c := range d.Changes {
		for _, m := range append([]*change{&c}, c.mutants(s)...) {
			all = append(all, statement{m.sql(s), false})
		}
	}
	return all
}

// run runs the statement.
func (o *Sample) run(s schema) error {
	db, err := s.open(o.Fill)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := db.Run(o.SQL, memdb.Write)
	if err != nil {
		return err
	}
	o.Rows, o.After = r.Rows, nil
	if len(r.Columns) > 0 {
		return nil
	}
	for _, name := range o.Names {
		all, err := db.Run("SELECT * FROM "+name, memdb.Read)
		if err != nil {
			return err
		}
		o.After = append(o.After, all.Rows)
	}
	return nil
}
