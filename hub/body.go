package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/quintain-rl/quintain/interop/atropos"
)

// errGzip says that a body is no gzip, or not all of one.
var errGzip = errors.New("Invalid gzip payload")

// A largeError is a body that is larger than is taken.
type largeError struct {
	what  string
	limit int64
}

func (e *largeError) Error() string {
	return fmt.Sprintf("the body has more than %d bytes %s", e.limit, e.what)
}

// errEncoding says that a body is packed in a way that is not understood.
var errEncoding = errors.New("Content-Encoding is neither gzip nor identity")

// decodeBody reads the body of a request, which must be JSON, and makes a value of it.
// The value shares no memory with the body, which is used again.
func decodeBody[T any](s *Server, c *call, decode func([]byte) (T, error)) (T, error) {
	return readAll(s, c, func(b []byte) (T, error) {
		if !jsonBody(c.r) && len(b) > 0 {
			var none T
			return none, &atropos.Error{Type: "model_attributes_type", Msg: "Input should be JSON, and Content-Type should say so"}
		}
		return decode(b)
	})
}

// readBody reads the body of a request into buf, inflated and within the limits.
func (s *Server) readBody(c *call, buf *bytes.Buffer) error {
	encoding := strings.ToLower(c.r.Header.Get("Content-Encoding"))
	packed := strings.Contains(encoding, "gzip")
	if !packed && encoding != "" && encoding != "identity" {
		return errEncoding
	}
	if c.r.ContentLength > s.config.Limits.Body {
		return &largeError{"", s.config.Limits.Body}
	}
	control := http.NewResponseController(c.w)
	raw := &limited{r: &patient{c.r.Body, control, newPace(s.config.Stall)}, left: s.config.Limits.Body, limit: s.config.Limits.Body}
	defer func() { c.read = raw.limit - max(0, raw.left) }()
	into := buf
	if packed {
		zipped, free := s.bodyBuffer()
		defer free()
		into = zipped
	}
	into.Grow(int(min(max(c.r.ContentLength, 0)+bytes.MinRead, 1<<20)))
	if _, err := into.ReadFrom(raw); err != nil {
		return err
	}
	err := ready(control)
	if err == nil && packed {
		s.compute(func() { err = inflate(buf, into, s.config.Limits.Inflated) })
	}
	return err
}

// skipBody reads the body of a request that is not looked at, as far as it may go, so
// that its client comes to reading the reply, and may take its time then.
func (s *Server) skipBody(c *call) {
	if c.r.ContentLength == 0 {
		return
	}
	control := http.NewResponseController(c.w)
	body := &limited{r: &patient{c.r.Body, control, newPace(s.config.Stall)}, left: s.config.Limits.Body, limit: s.config.Limits.Body}
	if _, err := io.Copy(io.Discard, body); err != nil {
		c.w.Header().Set("Connection", "close")
		return
	}
	c.read = body.limit - body.left
	_ = ready(control) // where it cannot be set, others watch the time
}

// ready lets a handler take its time, now that the body is read. Where it is not, the
// deadline stays: the server reads on before it replies.
func ready(control *http.ResponseController) error {
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// inflate reads gzip, one member or several, into buf.
func inflate(buf, r *bytes.Buffer, limit int64) error {
	if r.Len() == 0 {
		return nil
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return errGzip
	}
	plain := &limited{r: z, left: limit, limit: limit, what: "when inflated"}
	for {
		z.Multistream(false)
		if _, err := buf.ReadFrom(plain); err != nil {
			var large *largeError
			if errors.As(err, &large) {
				return err
			}
			return errGzip
		}
		if !nextMember(r) {
			return nil
		}
		if z.Reset(r) != nil {
			return errGzip
		}
	}
}

// nextMember takes zeros, with which some pad, and reports whether anything follows.
func nextMember(r *bytes.Buffer) bool {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return false
		}
		if c != 0 {
			return r.UnreadByte() == nil
		}
	}
}

// A limited reader fails where there is more than may be.
type limited struct {
	r     io.Reader
	left  int64
	limit int64
	what  string
}

// Read reads up to the limit.
func (l *limited) Read(b []byte) (int, error) {
	if int64(len(b)) > l.left+1 {
		b = b[:l.left+1]
	}
	n, err := l.r.Read(b)
	if l.left -= int64(n); l.left < 0 {
		return 0, &largeError{l.what, l.limit}
	}
	return n, err
}

// leastRate is what a connection must move in the mean, in bytes a second, after the
// time for which it may stall.
const leastRate = 16 << 10

// A pace says until when the next part of a body or reply must move.
type pace struct {
	stall time.Duration
	start time.Time
	moved int64 // bytes so far
}

func newPace(stall time.Duration) pace { return pace{stall: stall, start: time.Now()} }

// deadline is the end of the time for the next part.
func (p *pace) deadline() time.Time {
	soon := time.Now().Add(p.stall)
	mean := p.start.Add(p.stall + time.Duration(p.moved)*(time.Second/leastRate))
	if mean.Before(soon) {
		return mean
	}
	return soon
}

// A patient reader waits for each part of a body, but not without end.
type patient struct {
	r       io.Reader
	control *http.ResponseController
	pace    pace
}

// Read waits for the next part.
func (p *patient) Read(b []byte) (int, error) {
	p.control.SetReadDeadline(p.pace.deadline()) // where it cannot be set, others watch the time
	n, err := p.r.Read(b)
	p.pace.moved += int64(n)
	return n, err
}

// isHangup reports whether a request ended because its client went away or stalled.
func isHangup(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled)
}
