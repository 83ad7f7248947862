package pipe

import (
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Problems reads and writes problems as JSON. It remembers the last ones it wrote, so that
// those that come back need not be read. Many goroutines may use it at once.
type Problems struct {
	written memory    // by their JSON
	numbers memory    // by the numbers that a client gave them
	writers sync.Pool // of *problemWriter
	pickers sync.Pool // of *strictjson.Picker
}

// Bytes of JSON in each half of the memories.
const (
	writtenMost  = 16 << 20
	numberedMost = 32 << 20
)

// NewProblems returns a reader and writer of problems. It remembers up to 32 MiB of JSON
// that it wrote, and problems of up to 64 MiB that have a number.
func NewProblems() *Problems {
	return &Problems{
		written: memory{most: writtenMost},
		numbers: memory{most: numberedMost},
		writers: sync.Pool{New: func() any { return new(problemWriter) }},
		pickers: sync.Pool{New: func() any { return newProblemPicker() }},
	}
}

// Append appends the JSON of p to dst.
func (x *Problems) Append(dst []byte, p quintain.Problem) ([]byte, error) {
	from := len(dst)
	dst, err := x.write(dst, p)
	if err != nil {
		return dst, err
	}
	x.written.put(dst[from:], len(dst)-from, p)
	return dst, nil
}

// appendNumbered is Append for a problem that comes back by its number, not by its JSON.
func (x *Problems) appendNumbered(dst, number []byte, p quintain.Problem) ([]byte, error) {
	from := len(dst)
	dst, err := x.write(dst, p)
	if err != nil {
		return dst, err
	}
	x.numbers.put(number, len(dst)-from, p)
	return dst, nil
}

// write appends the JSON of p to dst.
func (x *Problems) write(dst []byte, p quintain.Problem) ([]byte, error) {
	w, _ := x.writers.Get().(*problemWriter)
	defer x.writers.Put(w)
	return w.append(dst, p)
}

// Read reads a problem. It may refer to parts of text.
func (x *Problems) Read(text []byte) (quintain.Problem, error) {
	if p := x.written.get(text); p != nil {
		return *p, nil
	}
	m, _ := x.pickers.Get().(*strictjson.Picker)
	defer x.pickers.Put(m)
	if m.Pick(text) {
		if p, plain := plainProblem(m); plain {
			return p, nil
		}
	}
	var p quintain.Problem
	err := decode(text, &p)
	return p, err
}
