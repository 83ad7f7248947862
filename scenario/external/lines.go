package external

import (
	"bytes"
	"io"
)

// A lines is a writer that passes whole lines, without their ends, to take. It skips blank
// lines.
type lines struct {
	most int                // bytes per line
	long func() error       // called for a longer line, and ends the writing; nil: the line is cut
	take func([]byte) error // must not keep the line; an error ends the writing
	rest []byte             // of an unfinished line
}

// Write implements [io.Writer].
func (l *lines) Write(text []byte) (int, error) {
	n := len(text)
	for len(text) > 0 {
		line, after, whole := bytes.Cut(text, []byte("\n"))
		room := l.most - len(l.rest)
		if len(line) > room {
			if l.long != nil {
				return 0, l.long()
			}
			line, after, whole = text[:room], text[room:], true
		}
		l.rest, text = append(l.rest, line...), after
		if whole {
			if err := l.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// flush passes on an unfinished line.
func (l *lines) flush() error {
	line := bytes.TrimSpace(l.rest)
	l.rest = l.rest[:0]
	if len(line) == 0 {
		return nil
	}
	return l.take(line)
}

var _ io.Writer = (*lines)(nil)
