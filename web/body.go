package web

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
)

// errGzip says that a body is not gzip, or not a whole one.
var errGzip = errors.New("the body is not gzip")

// errEncoding says that a body is compressed in an unknown way.
var errEncoding = errors.New("Content-Encoding is neither gzip nor identity")

// A largeError is a body that exceeds a limit.
type largeError struct {
	what  string // "when inflated"
	limit int64
}

func (e *largeError) Error() string {
	return fmt.Sprintf("the body has more than %d bytes %s", e.limit, e.what)
}

// ReadBody reads the body of a request, within the limits of the server and inflated if
// it is gzip, and returns what parse makes of it. The bytes are used again once parse
// has returned. [Call.Fail] knows the errors of ReadBody itself.
func ReadBody[T any](c *Call, parse func([]byte) (T, error)) (T, error) {
	buf, free := c.server.buffer()
	defer free()
	if err := c.readBody(buf); err != nil {
		var none T
		return none, err
	}
	return parse(buf.Bytes())
}

// buffer returns a buffer for a body, and a function that gives it back.
func (s *Server) buffer() (buf *bytes.Buffer, free func()) {
	buf, ok := s.bodies.Get().(*bytes.Buffer)
	if !ok {
		buf = new(bytes.Buffer)
	}
	return buf, func() {
		if buf.Cap() <= 16<<20 {
			buf.Reset()
			s.bodies.Put(buf)
		}
	}
}

// readBody reads the body of a request into buf.
func (c *Call) readBody(buf *bytes.Buffer) error {
	encoding := strings.ToLower(c.R.Header.Get("Content-Encoding"))
	packed := strings.Contains(encoding, "gzip")
	if !packed && encoding != "" && encoding != "identity" {
		return errEncoding
	}
	s := c.server
	if c.R.ContentLength > s.config.Settings.MaxBody {
		return &largeError{"", s.config.Settings.MaxBody}
	}
	control := http.NewResponseController(c.W)
	raw := c.paced(control)
	defer func() { c.read = raw.limit - max(0, raw.left) }()
	into := buf
	if packed {
		zipped, free := s.buffer()
		defer free()
		into = zipped
	}
	into.Grow(int(min(max(c.R.ContentLength, 0)+bytes.MinRead, 1<<20)))
	if _, err := into.ReadFrom(raw); err != nil {
		return err
	}
	err := ready(control)
	if err == nil && packed {
		s.Compute(func() { err = inflate(buf, into, s.config.Settings.MaxInflated) })
	}
	return err
}

// paced returns the body of a request within its limits of size and time.
func (c *Call) paced(control *http.ResponseController) *limited {
	most := c.server.config.Settings.MaxBody
	return &limited{r: &patient{c.R.Body, control, newPace(c.server.config.Settings.Stall)}, left: most, limit: most}
}

// SkipBody reads the body of a request to its end, within the limits, and forgets it:
// the client may not read the reply before, and may take its time after.
func (c *Call) SkipBody() {
	if c.R.ContentLength == 0 {
		return
	}
	control := http.NewResponseController(c.W)
	body := c.paced(control)
	if _, err := io.Copy(io.Discard, body); err != nil {
		c.W.Header().Set("Connection", "close")
		return
	}
	c.read = body.limit - body.left
	_ = ready(control) // if it cannot be set, something else watches the time
}

// ready lifts the deadline for reading, now that the body is read. Otherwise the
// deadline stays, because net/http reads on before it replies.
func ready(control *http.ResponseController) error {
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// inflate reads gzip of one or several members into buf.
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

// nextMember skips zeros, with which some programs pad, and reports whether anything
// follows.
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

// A limited reader fails after a number of bytes.
type limited struct {
	r     io.Reader
	left  int64
	limit int64
	what  string
}

// Read implements [io.Reader].
func (l *limited) Read(b []byte) (int, error) {
	if int64(len(b))-1 > l.left {
		b = b[:l.left+1]
	}
	n, err := l.r.Read(b)
	if l.left -= int64(n); l.left < 0 {
		return 0, &largeError{l.what, l.limit}
	}
	return n, err
}

// isHangup reports whether a request ended because its client went away or stalled.
func isHangup(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled)
}
