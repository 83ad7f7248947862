package tables

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/strictjson"
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
	if level < 0 || level >= len(spec.Levels) {
		return fmt.Errorf("level is %d, want 0 to %d", level, len(spec.Levels)-1)
	}
	d, err := makeDatabase(spec.Levels[level], rng.New(uint64(index), "tables", "samples", fmt.Sprint(level)))
	if err != nil {
		return err
	}
	s := d.schema()
	for number := range 2 {
		one := d.sample(s, number)
		for _, statement := range d.statements(s) {
			statement(&one, d.filling(s, number))
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
	if err := strictjson.Unmarshal(record, &d); err != nil {
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

// statements returns the right one and all misreadings: each notes in a sample its text, and what it gives
// on a filling. Where equal values make the first rows unclear, there is none.
func (d database) statements(s schema) (all []func(*Sample, *filling)) {
	if d.Query != nil {
		for _, q := range append([]*query{d.Query}, d.Query.mutants(s)...) {
			if !q.tied(d.filling(s, 0)) && !q.tied(d.filling(s, 1)) {
				all = append(all, func(o *Sample, f *filling) { o.SQL, o.Sorted, o.Rows = q.sql(s), q.Sort != nil, q.evaluate(f) })
			}
		}
	}
	for _, c := range d.Changes {
		for _, m := range append([]*change{&c}, c.mutants(s)...) {
			all = append(all, func(o *Sample, f *filling) { o.SQL, o.After = m.sql(s), m.apply(f).rows })
		}
	}
	return all
}
