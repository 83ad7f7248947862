package toolcall

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A python reads literals of Python and writes them as JSON.
type python struct {
	text string
	at   int
	out  []byte
	why  string // the first fault
}

// pythonValue returns the JSON of a text that is one literal.
func pythonValue(text string) (literal, why string) {
	p := python{text: text}
	p.value(0)
	if p.space(); p.at < len(text) {
		p.fault()
	}
	return string(p.out), p.why
}

// pythonCall reads a call with named arguments, name(a=1, b="x"), that begins at text[at].
// If it is broken, the arguments are all that follows the bracket, up to the fault.
func pythonCall(text string, at int) (c quintain.ToolCall, end int, why string) {
	p := python{text: text, at: at}
	if c.Name = p.word(true); c.Name == "" || !p.skip("(") {
		return c, p.at, p.faultHere()
	}
	p.keywords()
	c.Arguments = string(p.out)
	return c, p.at, p.why
}

// keywords reads named arguments up to the bracket that closes them.
func (p *python) keywords() {
	o := object{values: map[string]string{}}
	for p.space(); !p.skip(")"); p.space() {
		name := p.word(false)
		if p.space(); name == "" || !p.skip("=") {
			p.fault()
			return
		}
		p.out = p.out[:0]
		if p.value(1); p.why != "" {
			return
		}
		if !o.set(name, string(p.out)) {
			p.fault()
			return
		}
		p.space()
		if !p.skip(",") && !strings.HasPrefix(p.text[p.at:], ")") {
			p.fault()
			return
		}
	}
	p.out = []byte(o.text())
}

func (p *python) value(depth int) {
	if p.space(); p.at >= len(p.text) || depth > maxDepth {
		p.fault()
		return
	}
	switch c := p.text[p.at]; {
	case c == '"' || c == '\'':
		p.quoted()
	case c == '[':
		p.items("[", "]", depth)
	case c == '(':
		p.items("(", ")", depth)
	case c == '{':
		p.items("{", "}", depth)
	case c == '-' || c >= '0' && c <= '9':
		end, why := number(p.text, p.at)
		p.out = append(p.out, p.text[p.at:end]...)
		if p.at = end; why != "" {
			p.fault()
		}
	default:
		literal := map[string]string{"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}[p.word(false)]
		if literal == "" {
			p.fault()
		}
		p.out = append(p.out, literal...)
	}
}

// items reads a list, a tuple or a dict whose keys are strings.
func (p *python) items(open, closing string, depth int) {
	brackets := "[]"
	if open == "{" {
		brackets = "{}"
	}
	p.skip(open)
	p.out = append(p.out, brackets[0])
	for first := true; ; first = false {
		if p.space(); p.skip(closing) {
			break
		}
		if !first {
			p.out = append(p.out, ", "...)
		}
		if p.item(open == "{", depth); p.why != "" {
			return
		}
		if p.space(); !p.skip(",") && !strings.HasPrefix(p.text[p.at:], closing) {
			p.fault()
			return
		}
	}
	p.out = append(p.out, brackets[1])
}

func (p *python) item(named bool, depth int) {
	if named {
		if p.at >= len(p.text) || strings.IndexByte(`"'`, p.text[p.at]) < 0 {
			p.fault()
			return
		}
		p.quoted()
		if p.space(); p.why != "" || !p.skip(":") {
			p.fault()
			return
		}
		p.out = append(p.out, ": "...)
	}
	p.value(depth + 1)
}

// quoted reads a string in single or double quotes, one or three.
func (p *python) quoted() {
	quote := p.text[p.at : p.at+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(p.text[p.at:], long) {
		quote = long
	}
	p.skip(quote)
	for begun := p.at; p.at < len(p.text); p.at++ {
		if strings.HasPrefix(p.text[p.at:], quote) {
			text, fault := pyvalue.Unescape(p.text[begun:p.at])
			if fault != "" {
				p.fault()
			}
			p.out = strictjson.AppendLegible(p.out, text)
			p.skip(quote)
			return
		}
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at = len(p.text)
	p.fault()
}

// word reads a name, with dots in it if they are allowed.
func (p *python) word(dots bool) string {
	begun := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
		inside := p.at > begun && (c >= '0' && c <= '9' || dots && (c == '.' || c == '-'))
		if !letter && !inside {
			break
		}
		p.at++
	}
	return p.text[begun:p.at]
}

func (p *python) space() { p.at = skipSpace(p.text, p.at) }

func (p *python) skip(mark string) bool {
	is := strings.HasPrefix(p.text[p.at:], mark)
	if is {
		p.at += len(mark)
	}
	return is
}

func (p *python) fault() {
	if p.why == "" {
		p.why = p.faultHere()
	}
}

func (p *python) faultHere() string { return fmt.Sprintf("invalid arguments at byte %d", p.at) }
