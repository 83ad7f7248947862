// Package traceparent names spans across processes by the header traceparent of W3C
// (https://www.w3.org/TR/trace-context).
package traceparent

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
)

// Header is the name of the header.
const Header = "Traceparent"

// A Context names a span of a trace. The zero value names none.
type Context struct {
	Trace   [16]byte
	Span    [8]byte
	Sampled bool // the spans of the trace are kept
}

// Valid reports whether the context names a span.
func (c Context) Valid() bool { return c.Trace != [16]byte{} && c.Span != [8]byte{} }

// String returns the context as a header has it; empty: it names no span.
func (c Context) String() string {
	if !c.Valid() {
		return ""
	}
	flags := "-00"
	if c.Sampled {
		flags = "-01"
	}
	return "00-" + hex.EncodeToString(c.Trace[:]) + "-" + hex.EncodeToString(c.Span[:]) + flags
}

// Sizes of a header of version 00: of the whole, and of its parts.
const (
	length   = 55
	traceEnd = 35
	spanEnd  = 52
)

// Parse reads a header. Headers of later versions may go on after the flags. The zero context is
// that of no header, or of an invalid one.
func Parse(s string) (c Context) {
	s = strings.TrimSpace(s)
	if len(s) < length || s[2] != '-' || s[traceEnd] != '-' || s[spanEnd] != '-' || s != strings.ToLower(s) {
		return Context{}
	}
	var version, flags [1]byte
	for _, part := range []struct {
		to   []byte
		from string
	}{{version[:], s[:2]}, {c.Trace[:], s[3:traceEnd]}, {c.Span[:], s[traceEnd+1 : spanEnd]}, {flags[:], s[spanEnd+1 : length]}} {
		if _, err := hex.Decode(part.to, []byte(part.from)); err != nil {
			return Context{}
		}
	}
	if version[0] == 0xff || version[0] == 0 && len(s) > length || len(s) > length && s[length] != '-' || !c.Valid() {
		return Context{}
	}
	c.Sampled = flags[0]&1 == 1
	return c
}

// Child is a span of the same trace below that of c, the same for the same name. A context without a
// span has no children.
func (c Context) Child(name string) Context {
	if !c.Valid() {
		return Context{}
	}
	sum := sha256.Sum256([]byte(string(c.Trace[:]) + string(c.Span[:]) + name))
	copy(c.Span[:], sum[:])
	return c
}

// Seat is the span of a seat's group, below that of its problem.
func (c Context) Seat(seat string) Context { return c.Child("seat " + seat) }

// A Sampler is the share of problems that have a trace, 0 to 1. Each process decides alike.
type Sampler float64

// Of is the root of the trace of a problem in a run; the zero value if it has none. That of a seat's
// group, whose ID ends with "@" and the seat, is in the trace of its problem.
func (s Sampler) Of(run, problem string) (c Context) {
	if s <= 0 {
		return c
	}
	if whose, seat, ok := strings.Cut(problem, "@"); ok {
		return s.Of(run, whose).Seat(seat)
	}
	sum := sha256.Sum256([]byte(run + "\x00" + problem))
	if float64(binary.BigEndian.Uint64(sum[24:])>>11) >= math.Ldexp(float64(s), 53) {
		return c
	}
	copy(c.Trace[:], sum[:])
	copy(c.Span[:], sum[16:])
	c.Sampled = true
	return c
}

type key struct{}

// With returns a context whose requests belong to a span: ctx itself if c names none.
func With(ctx context.Context, c Context) context.Context {
	if !c.Valid() {
		return ctx
	}
	return context.WithValue(ctx, key{}, c)
}

// From returns the span of a context, the zero value if it has none.
func From(ctx context.Context) Context {
	c, _ := ctx.Value(key{}).(Context)
	return c
}
