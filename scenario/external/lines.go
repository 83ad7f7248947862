package external

import (
	"bytes"
	"io"
)

// Lines is a writer that passes whole lines, without their ends, to Take. It skips blank lines.
type Lines struct {
	Most int                // bytes per line
	Long func() error       // called for a longer line, and ends the writing; nil: the line is cut
	Take func([]byte) error // must not keep the line; an error ends the writing

	rest []byte // of an unfinished line
}

// Write implements [io.Writer].
func (l *Lines) Write(text []byte) (int, error) {
	n := len(text)
	for len(text) > 0 {
		line, after, whole := bytes.Cut(text, []byte("\n"))
		room := l.Most - len(l.rest)
		if len(line) > room {
			if l.Long != nil {
				return 0, l.Long()
			}
			line, after, whole = text[:room], text[room:], true
		}
		l.rest, text = append(l.rest, line...), after
		if whole {
			if err := l.Flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// Flush passes on an unfinished line.
func (l *Lines) Flush() error {
	line := bytes.TrimSpace(l.rest)
	l.rest = l.rest[:0]
	if len(line) == 0 {
		return nil
	}
	return l.Take(line)
}

var _ io.Writer = (*Lines)(nil)
