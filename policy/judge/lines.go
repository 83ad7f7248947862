package judge

import (
	"errors"
	"maps"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// mostBlank limits the lines without text between those of a verdict.
const mostBlank = 4

// Lines state a verdict as YAML and lists do: each has names with choices, or the code.

// intro matches what stands before a verdict in its line: a bullet, and "Final verdict:".
var intro = compiled.Regexp(`(?i)^[\s#*_]*(?:(?:[-*•]|\d+[.)])\s+)?[*_]*(?:(?:so|therefore|thus|hence|finally),?\s+)?(?:(?:i (?:say|decide|choose|conclude|answer)|(?:my |the )?(?:final )?(?:verdict|decision|grade|judge?ment|answer)(?: is)?)[*_]*\s*[:=,—-]*\s)?`)

// trimMarks returns a word without the marks of Markdown, YAML and JSON around it.
func trimMarks(word string) string {
	return strings.Trim(word, " \t\r\n*_`'\"“”‘’«»()[]<>#.!")
}

// statements adds what a line states to m. It reports whether the line is nothing else.
func (r *reader) statements(line string, m *members) bool {
	if strings.ContainsAny(line, "{}") || strings.HasPrefix(strings.TrimSpace(line), ">") {
		return false
	}
	stated := false
	for _, piece := range strings.FieldsFunc(intro().ReplaceAllString(line, ""), func(c rune) bool { return c == ',' || c == ';' || c == '|' }) {
		name, value := piece, ""
		if at := strings.IndexAny(piece, ":="); at >= 0 {
			name, value = piece[:at], strings.TrimSpace(piece[at+1:])
		}
		if _, known := r.names[plain(name)]; strings.TrimSpace(piece) == "" {
			continue
		} else if trimMarks(value) == "" || !known && !strings.EqualFold(trimMarks(value), r.code) {
			return false
		}
		m.add(r, name, value)
		stated = true
	}
	return stated
}

// plain returns a name as the names of criteria are written.
func plain(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(trimMarks(name)))
}

// mostLine limits the bytes of a line that states something.
const mostLine = 2000

// A block is some lines of the text that state something, and nothing else.
type block struct {
	start, end int
	m          members
}

// line returns the line around a place as a block. It reports whether it is one.
func (r *reader) line(at int) (b block, states bool) {
	b = block{start: strings.LastIndexByte(r.text[:at], '\n') + 1, end: len(r.text), m: members{twice: -1}}
	if n := strings.IndexByte(r.text[at:], '\n'); n >= 0 {
		b.end = at + n
	}
	return b, b.end-b.start <= mostLine && r.statements(r.text[b.start:b.end], &b.m)
}

// lines returns the verdict in the lines around the code at i; without choices, if the code stands in a
// sentence. An error is that of a verdict that is not whole.
func (r *reader) lines(i int) (s stated, err error) {
	at, states := r.line(i)
	if !states {
		return stated{end: i + len(r.code)}, nil
	}
	whole := r.grow(at, false)
	if len(whole.m.values) < len(r.asked) {
		whole = r.grow(at, true)
	}
	if above := strings.TrimSpace(r.text[:whole.start]); above != "" && strings.IndexByte("{[,", above[len(above)-1]) >= 0 {
		return s, errors.New("an object with the code is not whole")
	}
	s = stated{start: whole.start, end: whole.end}
	if s.choices, err = whole.m.choices(r.asked); err == nil && whole.start > 0 {
		if _, states = r.line(whole.start - 1); states {
			err = errors.New("lines above its verdict state one as well")
		}
	}
	return s, err
}

// grow returns a block with the lines after or before it that state what it lacks, as far as they
// follow each other.
func (r *reader) grow(b block, down bool) block {
	b.m.values = maps.Clone(b.m.values)
	for blank := 0; len(b.m.values) < len(r.asked) && blank <= mostBlank; {
		var next block
		var states bool
		switch {
		case down && b.end < len(r.text):
			next, states = r.line(b.end + 1)
		case !down && b.start > 0:
			next, states = r.line(b.start - 1)
		default:
			return b
		}
		if !states && strings.Trim(r.text[next.start:next.end], " \t\r`~-") != "" {
			return b
		} else if !states {
			blank++
		}
		for place, value := range next.m.values {
			b.m.add(r, r.asked[place].Name, value)
		}
		b.start, b.end = min(b.start, next.start), max(b.end, next.end)
	}
	return b
}
