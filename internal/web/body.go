package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// errGzip reports a body that is not complete, valid gzip.
var errGzip = errors.New("the body is not gzip")

// errEncoding reports a body with an unknown Content-Encoding.
var errEncoding = errors.New("Content-Encoding is neither gzip nor identity")

// A largeError is a body that exceeds a limit.
type largeError struct {
	when  string // empty, or " when inflated"
	limit int64
}

func (e *largeError) Error() string {
	return fmt.Sprintf("the body has more than %d bytes%s", e.limit, e.when)
}

// A bodyError reports a body that the client, or the network, did not deliver whole.
type bodyError struct{ err error }

func (e *bodyError) Error() string {
	if e.status() == http.StatusBadRequest {
		return "the body cannot be read: " + e.err.Error()
	}
	return "the body did not come to its end"
}

// status is 408 if the client went away or stalled, and 400 if it sent invalid HTTP.
func (e *bodyError) status() int {
	var network net.Error
	if errors.As(e.err, &network) || errors.Is(e.err, io.ErrUnexpectedEOF) || errors.Is(e.err, context.Canceled) {
		return http.StatusRequestTimeout
	}
	return http.StatusBadRequest
}

const (
	leastBuffer = 4 << 10  // size of a body's first buffer
	atOnce      = 1 << 20  // bytes per copy: the scheduler cannot interrupt one
	freeInflate = 16 << 20 // bytes to which any body may inflate; the most for gzip of several members
	maxInflate  = 256      // beyond that, a body may inflate to so many times its size
	mostDeflate = 1032     // the highest ratio of deflate
	leastGzip   = 18       // bytes of a gzip member's header and trailer
)

// ReadBody reads the body of a request within the server's limits, inflates gzip, and
// returns the result of parse. parse must not keep the bytes: they are reused. A route may
// return the errors of ReadBody.
func ReadBody[T any](c *Call, parse func([]byte) (T, error)) (T, error) {
	body, err := c.readBody()
	defer c.keep(body)
	if err != nil {
		var none T
		return none, err
	}
	return parse(body)
}

// ReadStrict reads a JSON body that has no other fields than T, and none twice; an empty one is a
// zero T. It returns the sum of the body too. The error names the field.
func ReadStrict[T any](c *Call) (v T, sum []byte, err error) {
	v, err = ReadBody(c, func(body []byte) (v T, err error) {
		all := sha256.Sum256(body)
		if sum = all[:]; len(body) == 0 {
			return v, nil
		}
		if err := strictjson.Check(body, 64); err != nil {
			return v, Errorf(http.StatusUnprocessableEntity, "%v", err)
		}
		if err := strictjson.UnmarshalKnown(body, &v); err != nil {
			return v, Errorf(http.StatusUnprocessableEntity, "%v", strictjson.Explain(err))
		}
		return v, nil
	})
	return v, sum, err
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

func (c *Call) readBody() ([]byte, error) {
	c.unread = true
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
	c.unread = raw.left < 0
	if err != nil {
		return body, err
	}
	if err := ready(control); err != nil || !packed || len(body) == 0 {
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

// mostBody is the size limit of the body, in bytes.
func (c *Call) mostBody() int64 {
	most := c.server.config.Settings.MaxBody
	if c.MaxBody > 0 {
		most = min(most, c.MaxBody)
	}
	return most
}

// fill reads r to its end into buf and grows it as bytes come. size is the expected number
// of bytes; -1: unknown.
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

// buffer returns an empty buffer for a body, used if the free list has one.
func (c *Call) buffer() []byte {
	buf, size := c.server.bodies.Get()
	if c.Reserve(size) != nil {
		c.server.bodies.Put(buf, size)
		return nil
	}
	return buf[:0]
}

// keep puts the buffer of a body on the free list.
func (c *Call) keep(buf []byte) {
	if cap(buf) > 0 {
		c.server.bodies.Put(buf, cap(buf))
	}
}

// grow returns buf with twice the capacity, or just above size if that is less.
func (c *Call) grow(buf []byte, size int64) ([]byte, error) {
	room := max(leastBuffer, 2*cap(buf))
	if end := int(size) + 1; size >= 0 && cap(buf) < end && end < room { // one more byte to see the end
		room = end
	}
	return c.enlarge(buf, room)
}

// enlarge returns buf with a larger capacity, room.
func (c *Call) enlarge(buf []byte, room int) ([]byte, error) {
	if err := c.Reserve(room - cap(buf)); err != nil {
		return buf, err
	}
	if room > atOnce { // one at a time, because it takes long
		c.server.enlarging.Lock()
		defer c.server.enlarging.Unlock()
	}
	larger := make([]byte, 0, room)
	for piece := range slices.Chunk(buf, atOnce) {
		larger = append(larger, piece...)
		if len(piece) == atOnce {
			runtime.Gosched()
		}
	}
	return larger, nil
}

// mostDrained is how much of a refused body is read and discarded, in bytes.
const mostDrained = 1 << 30

// drain sends the reply, then reads and discards the rest of the body: some clients send all of
// it before they read the reply, and would only learn that the connection broke.
func (c *Call) drain() {
	if c.R.ContentLength > mostDrained || c.R.Header.Get("Expect") != "" || c.Flush() != nil {
		return
	}
	c.Release(int(c.held))
	control := http.NewResponseController(c.W)
	body := &limited{r: newPacedReader(c, control), left: mostDrained}
	_, _ = io.Copy(io.Discard, body)
}

// paced returns the body within its limits of size and time.
func (c *Call) paced(control *http.ResponseController) *limited {
	most := c.mostBody()
	return &limited{r: newPacedReader(c, control), left: most, limit: most}
}

// SkipBody reads and discards the body within the limits: some clients send all of it before
// they read the reply.
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
	_ = ready(control) // an error means that the connection has no deadlines
}

// ready lifts the read deadline once the body is read. If the body failed the deadline
// stays, because net/http reads on before it replies.
func ready(control *http.ResponseController) error {
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// inflate returns the content of gzip of one or more members. It reserves the announced size
// first, and so fails before it spends time.
func (c *Call) inflate(packed []byte) ([]byte, error) {
	r := bytes.NewReader(packed)
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, errGzip
	}
	limit := min(c.server.config.Settings.MaxInflated, freeInflate+maxInflate*int64(len(packed)))
	size := sizeOf(packed)
	if size > limit {
		return nil, &largeError{" when inflated", limit}
	}
	limit = min(limit, max(size, freeInflate))
	plain := c.buffer()
	if int64(cap(plain)) <= size {
		if plain, err = c.enlarge(plain, int(size)+1); err != nil { // one more byte to see the end
			return plain, err
		}
	}
	plain, err = c.fill(&limited{r: &members{z, r}, left: limit, limit: limit, when: " when inflated"}, plain, size)
	var large *largeError
	if err == nil || errors.As(err, &large) || isMemory(err) {
		return plain, err
	}
	return plain, errGzip
}

// sizeOf is the inflated size that gzip announces in its trailer, or 0 if that is
// impossible. Of several members only the last one is announced: RFC 1952, 2.3.1.
func sizeOf(packed []byte) int64 {
	if len(packed) < leastGzip {
		return 0
	}
	size := int64(binary.LittleEndian.Uint32(packed[len(packed)-4:]))
	if size > mostDeflate*int64(len(packed)) {
		return 0
	}
	return size
}

// isMemory reports whether err is an error of [Call.Reserve].
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

// nextMember skips zeros, a common padding, and reports whether more follows.
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

// A limited reader fails after limit bytes.
type limited struct {
	r     io.Reader
	left  int64
	limit int64
	when  string // as in a largeError
}

// Read implements [io.Reader].
func (l *limited) Read(b []byte) (int, error) {
	if int64(len(b))-1 > l.left {
		b = b[:l.left+1]
	}
	n, err := l.r.Read(b)
	if l.left -= int64(n); l.left < 0 {
		return 0, &largeError{l.when, l.limit}
	}
	return n, err
}
