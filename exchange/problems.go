package exchange

import (
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/jsonform"
)

// Problems reads and writes problems as JSON. It remembers the last ones that it wrote, so
// that those that come back need not be read. Many goroutines may use it at once.
type Problems struct {
	written memory
	writers sync.Pool // of *problemWriter
	pickers sync.Pool // of *jsonform.Picker
}

// NewProblems returns a reader and writer of problems, which keeps up to 32 MiB of JSON.
func NewProblems() *Problems {
	return &Problems{
		written: memory{most: memoryMost},
		writers: sync.Pool{New: func() any { return new(problemWriter) }},
		pickers: sync.Pool{New: func() any { return newProblemPicker() }},
	}
}

// Append appends the JSON of p to dst.
func (x *Problems) Append(dst []byte, p quintain.Problem) ([]byte, error) {
	w, _ := x.writers.Get().(*problemWriter)
	defer x.writers.Put(w)
	from := len(dst)
	dst, err := w.append(dst, p)
	if err == nil {
		x.written.put(dst[from:], p)
	}
	return dst, err
}

// Read reads a problem. It may have parts of text.
func (x *Problems) Read(text []byte) (quintain.Problem, error) {
	if p, known := x.written.get(text); known {
		return p, nil
	}
	m, _ := x.pickers.Get().(*jsonform.Picker)
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
