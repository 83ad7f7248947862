package web

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
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
	what  string // empty, or " when inflated"
	limit int64
}

func (e *largeError) Error() string {
	return fmt.Sprintf("the body has more than %d bytes%s", e.limit, e.what)
}

// A bodyError is a body that could not be read to its end, which is the client's fault
// or that of the way to it.
type bodyError struct{ err error }

func (e *bodyError) Error() string {
	if e.status() == http.StatusBadRequest {
		return "the body cannot be read: " + e.err.Error()
	}
	return "the body did not come to its end"
}

// status is that of the reply: the client went away or stalled, or what it sent is not
// HTTP.
func (e *bodyError) status() int {
	var network net.Error
	if errors.As(e.err, &network) || errors.Is(e.err, io.ErrUnexpectedEOF) || errors.Is(e.err, context.Canceled) {
		return http.StatusRequestTimeout
	}
	return http.StatusBadRequest
}

const (
	leastBuffer = 4 << 10  // bytes with which a body begins to be read
	atOnce      = 1 << 20  // bytes that are copied at once: a goroutine is not interrupted while it copies
	freeInflate = 16 << 20 // bytes to which any body may inflate; those of several members of gzip, to no more
	maxInflate  = 256      // how many times its own size a body may inflate to beyond that
	mostDeflate = 1032     // how many times its own size deflate can inflate to
	leastGzip   = 18       // bytes of the head and the end of a member of gzip
)

// ReadBody reads the body of a request, within the limits of the server and inflated if
// it is gzip, and returns what parse makes of it. The bytes are used again once parse
// has returned. A route may return the errors of ReadBody.
func ReadBody[T any](c *Call, parse func([]byte) (T, error)) (T, error) {
	body, err := c.readBody()
	defer c.keep(body)
	if err != nil {
		var none T
		return none, err
	}
	return parse(body)
}

// Answer reads the body of a request and answers with the JSON that reply makes of it, with
// status 200. Reply runs in the request's turn ([Call.Compute]).
func (c *Call) Answer(reply func(body []byte) ([]byte, error)) error {
	text, err := ReadBody(c, func(body []byte) (text []byte, err error) {
		err = c.Compute(func() (err error) {
			text, err = reply(body)
			return err
		})
		return text, err
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, text)
}

// readBody reads the body of a request.
func (c *Call) readBody() ([]byte, error) {
	encoding := strings.ToLower(c.R.Header.Get("Content-Encoding"))
	packed := strings.Contains(encoding, "gzip")
	if !packed && encoding != "" && encoding != "identity" {
		return nil, errEncoding
	}
	most := c.mostBody()
	if c.R.ContentLength > most {
		return nil, &largeError{"", most}
	}
	if c.R.ContentLength > c.server.budget.most(c.R.ContentLength) {
		return nil, c.server.budget.tooMuch()
	}
	control := http.NewResponseController(c.W)
	raw := c.paced(control)
	defer func() { c.read = raw.limit - max(0, raw.left) }()
	body, err := c.fill(raw, c.buffer(), c.R.ContentLength)
	if isMemory(err) {
		_, _ = io.Copy(io.Discard, raw) // so that the client reads the reply
	}
	if err == nil {
		err = ready(control)
	}
	if err != nil || !packed || len(body) == 0 {
		return body, err
	}
	defer c.keep(body)
	var plain []byte
	err = c.Compute(func() (err error) {
		plain, err = c.inflate(body)
		return err
	})
	return plain, err
}

// mostBody is how many bytes the body of a request may have.
func (c *Call) mostBody() int64 {
	most := c.server.config.Settings.MaxBody
	if c.MaxBody > 0 {
		most = min(most, c.MaxBody)
	}
	return most
}

// fill reads r to its end into buf, which grows as bytes come. size is how many may be
// expected; -1: not known.
func (c *Call) fill(r io.Reader, buf []byte, size int64) ([]byte, error) {
	var err error
	for err == nil {
		if len(buf) == cap(buf) {
			if buf, err = c.grow(buf, size); err != nil {
				break
			}
		}
		var n int
		n, err = r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return buf, err
}

// buffer returns memory for a body, perhaps some that was used before.
func (c *Call) buffer() []byte {
	buf, size := c.server.bodies.Take()
	if c.Reserve(size) != nil {
		c.server.bodies.Put(buf, size)
		return nil
	}
	return buf[:0]
}

// keep keeps the memory of a body for others.
func (c *Call) keep(buf []byte) {
	if cap(buf) > 0 {
		c.server.bodies.Put(buf, cap(buf))
	}
}

// grow returns buf with twice the room, or with a little more than size if that is less.
func (c *Call) grow(buf []byte, size int64) ([]byte, error) {
	room := max(leastBuffer, 2*cap(buf))
	if end := int(size) + 1; size >= 0 && cap(buf) < end && end < room { // a byte more shows the end
		room = end
	}
	return c.enlarge(buf, room)
}

// enlarge returns buf with the given room, which is more than it has.
func (c *Call) enlarge(buf []byte, room int) ([]byte, error) {
	if err := c.Reserve(room - cap(buf)); err != nil {
		return buf, err
	}
	larger := make([]byte, 0, room)
	for piece := range slices.Chunk(buf, atOnce) {
		larger = append(larger, piece...)
	}
	return larger, nil
}

// paced returns the body of a request within its limits of size and time.
func (c *Call) paced(control *http.ResponseController) *limited {
	most := c.mostBody()
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

// inflate returns what is in gzip of one or several members. It takes the memory that the
// gzip says it needs before it begins: if there is none, no time is spent on it.
func (c *Call) inflate(packed []byte) ([]byte, error) {
	r := bytes.NewReader(packed)
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, errGzip
	}
	limit := min(c.server.config.Settings.MaxInflated, freeInflate+maxInflate*int64(len(packed)))
	size := claimed(packed)
	if size > limit {
		return nil, &largeError{" when inflated", limit}
	}
	limit = min(limit, max(size, freeInflate))
	plain := c.buffer()
	if int64(cap(plain)) <= size {
		if plain, err = c.enlarge(plain, int(size)+1); err != nil { // a byte more shows the end
			return plain, err
		}
	}
	plain, err = c.fill(&limited{r: &members{z, r}, left: limit, limit: limit, what: " when inflated"}, plain, size)
	var large *largeError
	if err == nil || errors.As(err, &large) || isMemory(err) {
		return plain, err
	}
	return plain, errGzip
}

// claimed is how many bytes gzip says at its end that it inflates to, or 0 if that cannot
// be true. Of several members only the last one says it: RFC 1952, 2.3.1.
func claimed(packed []byte) int64 {
	if len(packed) < leastGzip {
		return 0
	}
	size := int64(binary.LittleEndian.Uint32(packed[len(packed)-4:]))
	if size > mostDeflate*int64(len(packed)) {
		return 0
	}
	return size
}

// isMemory reports whether err is one of [Call.Reserve].
func isMemory(err error) bool {
	var own *Error
	return errors.Is(err, errBusy) || errors.As(err, &own)
}

// members reads the members of gzip one after another.
type members struct {
	z *gzip.Reader
	r *bytes.Reader
}

// Read implements [io.Reader].
func (m *members) Read(b []byte) (int, error) {
	m.z.Multistream(false)
	n, err := m.z.Read(b)
	if !errors.Is(err, io.EOF) || !nextMember(m.r) {
		return n, err
	}
	return n, m.z.Reset(m.r)
}

// nextMember skips zeros, with which some programs pad, and reports whether anything
// follows.
func nextMember(r *bytes.Reader) bool {
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
