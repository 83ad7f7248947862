// Package chattemplate renders the chat templates of Hugging Face models: Jinja as transformers
// sets it up, with the output of CPython's jinja2.
//
// A template is hostile input. Its time, memory and nesting have bounds; it reads only its
// variables and changes none of them.
//
// The page docs/chat-templates.md lists what the package rejects, and where its output differs.
package chattemplate

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// The default bounds of a render; see [Options].
const (
	DefaultSteps = 20_000_000 // about a second
	DefaultBytes = 64 << 20
)

// The limits of a template and its values.
const (
	maxSource = 4 << 20 // bytes of a template
	maxParse  = 100     // nested tags and brackets
	maxCalls  = 150     // nested calls of macros and loops
)

// A Template is a compiled template. It does not change, and is safe for concurrent use.
type Template struct {
	source string // normalized
	body   stmt
	lib    *library
}

// Compile compiles the source of a template. The error is an [*Error]. It names invalid Jinja, and
// valid Jinja without support: inheritance, inclusion, autoescape, and anything random.
func Compile(source string) (*Template, error) {
	if len(source) > maxSource {
		return nil, &Error{Line: 1, Column: 1, Message: fmt.Sprintf("the template has %d bytes, want at most %d", len(source), maxSource)}
	}
	source = normalize(strings.ToValidUTF8(source, "\uFFFD"))
	tokens, fault := lex(source)
	if fault != nil {
		return nil, fault.in(source)
	}
	p := &statementParser{expressionParser: expressionParser{
		tokenStream: tokenStream{tokens: tokens},
		lib:         &library{filters: filters, tests: tests, globals: globals},
	}}
	body := p.template()
	if p.fault != nil {
		return nil, p.fault.in(source)
	}
	return &Template{source: source, body: body, lib: p.lib}, nil
}

// Options of a render.
type Options struct {
	Now   time.Time // the time for strftime_now; zero: calling it is an error
	Steps int       // work, about 10 ns to 100 ns each; 0: DefaultSteps
	Bytes int       // length of the text, and of any text on the way; 0: DefaultBytes
}

// A Rendering is the result of a render.
type Rendering struct {
	Text      string
	Generated []Span // the output of generation tags, in order: what the assistant said
}

// A Span is a part of a text, from byte Start up to byte End.
type Span struct{ Start, End int }

// Render renders the template. The error is an [*Error]. Render does not change vars.
func (t *Template) Render(vars Vars, o Options) (Rendering, error) {
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	if o.Bytes == 0 {
		o.Bytes = DefaultBytes
	}
	r := &rendering{Runtime: &pyvalue.Runtime{Steps: o.Steps, Bytes: o.Bytes}, vars: vars.dict(), lib: t.lib, now: o.Now}
	if _, err := t.body(&scope{run: r}); err != nil {
		return Rendering{}, locate(err, 0).in(t.source)
	}
	return Rendering{Text: string(r.out), Generated: r.spans}, nil
}

// An Error says why a template does not compile, or why it rejects its variables.
type Error struct {
	Line, Column int    // in the template, from 1; Column counts characters
	Message      string // the fault; if Raised, the template's own words
	Raised       bool   // the template called raise_exception
	at           int    // byte offset
}

// Error returns the position and the message.
func (e *Error) Error() string {
	if e.Raised {
		return fmt.Sprintf("line %d, column %d: the template refuses this: %s", e.Line, e.Column, e.Message)
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// faultf returns an error at a byte offset.
func faultf(at int, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), at: at}
}

// in returns e with its line and column in source.
func (e *Error) in(source string) *Error {
	before := source[:min(e.at, len(source))]
	located := *e
	located.Line = 1 + strings.Count(before, "\n")
	located.Column = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return &located
}

// locate returns err as an Error, at a byte offset unless it has one.
func locate(err error, at int) *Error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // nothing wraps it within this package
		return e
	}
	e := &Error{Message: err.Error(), at: at}
	if raised, ok := err.(raisedError); ok { //nolint:errorlint // as above
		e.Message, e.Raised = string(raised), true
	}
	return e
}

// A raisedError is a template's message to raise_exception.
type raisedError string

// Error returns the message.
func (e raisedError) Error() string { return string(e) }
