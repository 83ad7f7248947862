package reasoninggym

import (
	"bytes"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Reader reads entries in the usual form like [Read], at a fraction of the cost. It is
// for one goroutine.
type Reader struct {
	entry  *strictjson.Picker
	fields []field // of the metadata
	take   func(name, value []byte) bool
	record []byte
}

// A field is a member of the metadata.
type field struct{ name, value []byte }

// NewReader returns a reader.
func NewReader() *Reader {
	r := &Reader{entry: strictjson.NewPicker("question", "answer", "metadata")}
	r.take = func(name, value []byte) bool {
		r.fields = append(r.fields, field{name, value})
		return true
	}
	return r
}

// Read returns the result of [Read] for entry, an [Entry] as a JSON object. plain is false
// if the object is invalid or unusual: use encoding/json then. The problem is valid until
// the next call.
func (r *Reader) Read(entry []byte) (p quintain.Problem, plain bool) {
	r.fields = r.fields[:0]
	if !r.entry.Pick(entry) || !strictjson.Members(r.entry.Value(2), r.take) {
		return p, false
	}
	question, plain := strictjson.Text(r.entry.Value(0))
	task, named := r.task()
	if !plain || !named || task == "" {
		return p, false
	}
	if answer := r.entry.Value(1); answer != nil && string(answer) != "null" {
		if _, plain := strictjson.Text(answer); !plain {
			return p, false
		}
		if slices.Contains(inAnswer, task) {
			r.fields = append(r.fields, field{[]byte("answer"), answer})
		}
	}
	if !r.write() {
		return p, false
	}
	return asProblem(task, question, r.record), true
}

// task returns the name of the task.
func (r *Reader) task() (name string, plain bool) {
	for _, f := range r.fields {
		if string(f.name) == "source_dataset" {
			return strictjson.Text(f.value)
		}
	}
	return "", false
}

// write writes the record, and reports whether every name comes once.
func (r *Reader) write() bool {
	slices.SortFunc(r.fields, func(a, b field) int { return bytes.Compare(a.name, b.name) })
	r.record = append(r.record[:0], '{')
	for i, f := range r.fields {
		if i > 0 && bytes.Equal(f.name, r.fields[i-1].name) {
			return false
		}
		if slices.Contains(ours, string(f.name)) {
			continue
		}
		if len(r.record) > 1 {
			r.record = append(r.record, ',')
		}
		r.record = append(append(r.record, '"'), f.name...)
		r.record = append(append(r.record, '"', ':'), f.value...)
	}
	r.record = append(r.record, '}')
	return true
}
