package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/groupform"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

const (
	leastZipped = 1000     // bytes of the smallest reply that is zipped
	pieceSize   = 64 << 10 // bytes of a long reply that are written at once, about
)

// json answers with a JSON body.
func (s *Server) json(c *call, status int, body []byte) {
	p := s.newPrinter(c, status)
	p.piece = body
	_ = p.close() // a client that is gone has no use for the reply
}

// detail answers with a JSON body that says why not.
func (s *Server) detail(c *call, status int, why string) {
	s.json(c, status, append(atropos.AppendString([]byte(`{"detail":`), why), '}'))
}

// fail answers a request that did not come to its end.
func (s *Server) fail(c *call, err error) {
	var (
		fault  *atropos.Error
		field  *quintain.FieldError
		format *groupform.FormatError
		large  *largeError
		huge   *groupform.TooLargeError
		batch  *batchError
	)
	switch {
	case errors.As(err, &fault):
		s.refuse(c, fault)
	case errors.As(err, &field):
		s.refuse(c, &atropos.Error{Type: atropos.TypeValue, Loc: []any{field.Field}, Msg: field.Why})
	case errors.As(err, &format):
		s.refuse(c, &atropos.Error{Type: atropos.TypeValue, Loc: []any{format.Field}, Msg: format.Why})
	case errors.As(err, &batch) && batch.gone:
		s.detail(c, http.StatusGone, err.Error())
	case errors.As(err, &batch):
		s.detail(c, http.StatusConflict, err.Error())
	case errors.As(err, &large):
		c.w.Header().Set("Connection", "close") // what is left of the body is not read
		s.detail(c, http.StatusRequestEntityTooLarge, large.Error())
	case errors.As(err, &huge):
		s.detail(c, http.StatusRequestEntityTooLarge, huge.Error())
	case errors.Is(err, errEncoding):
		s.detail(c, http.StatusUnsupportedMediaType, err.Error())
	case errors.Is(err, errGzip):
		s.text(c, http.StatusBadRequest, err.Error())
	case errors.Is(err, queue.ErrNoSpace):
		s.log.Error("no space left for groups", "err", err)
		s.detail(c, http.StatusInsufficientStorage, err.Error())
	case isHangup(err):
		s.detail(c, http.StatusRequestTimeout, "the body did not come to its end")
	default:
		s.log.Error("a request failed", "path", c.r.URL.Path, "err", err)
		s.detail(c, http.StatusServiceUnavailable, err.Error())
	}
}

// refuse answers a request that makes no sense.
func (s *Server) refuse(c *call, fault *atropos.Error) {
	s.mu.Lock()
	s.counts.refused++
	s.mu.Unlock()
	s.log.Debug("refused", "path", c.r.URL.Path, "err", fault)
	status := http.StatusUnprocessableEntity
	if fault.Type == atropos.TypeUnreadable {
		status = http.StatusBadRequest
	}
	s.json(c, status, fault.AppendBody(nil))
}

// text answers with plain text.
func (s *Server) text(c *call, status int, text string) {
	c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	c.w.WriteHeader(status)
	_, _ = io.WriteString(c.w, text) // a client that is gone has no use for it
}

// A printer writes a JSON reply in pieces: a long one without ever holding all of
// it, a short one with its length, zipped where the client takes that and it is
// long enough.
type printer struct {
	s      *Server
	c      *call
	status int
	piece  []byte    // append to it, then call flush
	to     io.Writer // nil: nothing is written
	zip    *gzip.Writer
	sized  bool // its length is in the header: the client has all of it with its last byte
	err    error
}

func (s *Server) newPrinter(c *call, status int) *printer {
	return &printer{s: s, c: c, status: status}
}

// flush writes the piece, if it is long enough to.
func (p *printer) flush() {
	if len(p.piece) < pieceSize || p.err != nil {
		return
	}
	p.open(-1)
	p.write()
}

// pass writes text after the piece, which is short, without copying it where it is
// long.
func (p *printer) pass(text []byte) {
	if len(text) < pieceSize {
		p.piece = append(p.piece, text...)
		p.flush()
		return
	}
	if p.err == nil {
		p.open(-1)
		p.write()
	}
	if p.err == nil {
		_, p.err = p.to.Write(text)
	}
}

// abort gives back what the printer holds. What is written is not a whole reply.
func (p *printer) abort() {
	if p.zip != nil {
		p.s.zips.Put(p.zip)
		p.zip = nil
	}
}

// close writes what is left, and returns the first error of all.
func (p *printer) close() error {
	if p.err == nil && p.to == nil {
		p.open(len(p.piece))
	}
	if p.err == nil && p.sized {
		p.err = p.c.lastByte() // a client that goes after this has it
	}
	if p.err == nil {
		p.write()
	}
	if p.zip != nil {
		if p.err == nil {
			p.err = p.zip.Close()
		}
		p.s.zips.Put(p.zip)
		p.zip = nil
	}
	if p.err == nil {
		p.err = http.NewResponseController(p.c.w).Flush()
	}
	if errors.Is(p.err, http.ErrNotSupported) {
		p.err = nil
	}
	if p.err == nil && !p.sized {
		p.err = context.Cause(p.c.r.Context()) // the end of the reply is still to come
	}
	return p.err
}

// open writes the header of a reply of size bytes, -1 where that is not known yet.
func (p *printer) open(size int) {
	if p.to != nil {
		return
	}
	p.to = newPressing(p.c, p.s.config.Stall)
	h := p.c.w.Header()
	h.Set("Content-Type", "application/json")
	if size >= 0 && size < leastZipped {
		h.Set("Content-Length", strconv.Itoa(size))
		p.sized = true
	} else {
		h.Add("Vary", "Accept-Encoding")
		if takesGzip(p.c.r) {
			h.Set("Content-Encoding", "gzip")
			p.zip = p.s.zipper(p.to)
			p.to = p.zip
		} else if size >= 0 {
			h.Set("Content-Length", strconv.Itoa(size))
			p.sized = true
		}
	}
	p.c.w.WriteHeader(p.status)
}

// write writes the piece.
func (p *printer) write() {
	_, p.err = p.to.Write(p.piece)
	p.piece = p.piece[:0]
}

// zipper returns a gzip writer to w, perhaps one that was used before.
func (s *Server) zipper(w io.Writer) *gzip.Writer {
	if z, ok := s.zips.Get().(*gzip.Writer); ok {
		z.Reset(w)
		return z
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(fmt.Sprintf("hub: gzip: %v", err)) // the level is a constant
	}
	return z
}

// A pressing writer waits for a client to take each part of a reply, but not without
// end.
type pressing struct {
	w       io.Writer
	control *http.ResponseController
	pace    pace
}

func newPressing(c *call, stall time.Duration) *pressing {
	return &pressing{c.w, http.NewResponseController(c.w), newPace(stall)}
}

// Write writes a part.
func (p *pressing) Write(b []byte) (int, error) {
	p.control.SetWriteDeadline(p.pace.deadline()) // where it cannot be set, others watch the time
	n, err := p.w.Write(b)
	p.pace.moved += int64(n)
	return n, err
}

// restart begins to count anew: what came before was not the client's to wait for.
func (p *pressing) restart() { p.pace = newPace(p.pace.stall) }
