package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

const (
	leastZipped = 1000     // least size of a zipped reply, in bytes
	zipperSize  = 1 << 20  // memory of a gzip writer, in bytes, about
	pieceSize   = 64 << 10 // bytes per write of a long reply, about
)

// JSON answers with a JSON body. It returns nil, so that a route can end with it.
func (c *Call) JSON(status int, body []byte) error { return c.Body(status, "application/json", body) }

// Body answers with a body of a content type, zipped if that pays. It returns nil, so that a
// route can end with it.
func (c *Call) Body(status int, kind string, body []byte) error {
	p := c.Printer(status)
	p.kind, p.piece = kind, body
	_ = p.Close() // it fails only if the client has gone
	return nil
}

// detail answers with a JSON object whose "detail" says why the server refuses a request, or
// in the form of the route.
func (c *Call) detail(status int, why string) {
	if c.Refusal != nil {
		status, body := c.Refusal(status, why)
		_ = c.JSON(status, body)
		return
	}
	_ = c.JSON(status, append(strictjson.AppendLegible([]byte(`{"detail":`), why), '}'))
}

// Text answers with plain text. It returns nil, so that a route can end with it.
func (c *Call) Text(status int, text string) error {
	c.W.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.W.Header().Set("Content-Length", strconv.Itoa(len(text)))
	c.W.WriteHeader(status)
	_, _ = io.WriteString(c.Paced(), text) // it fails only if the client has gone
	return nil
}

// A Printer writes a JSON reply in pieces. It buffers only the current piece, gives a short
// reply its length, and zips a long one if the client takes gzip.
type Printer struct {
	c      *Call
	status int
	kind   string    // content type
	piece  []byte    // buffered
	to     io.Writer // nil: the reply has not begun
	zip    *gzip.Writer
	sized  bool // the header has the length, so the last byte completes the reply
	err    error
}

// Printer returns a printer of a reply. The caller must call Close or Abort.
func (c *Call) Printer(status int) *Printer {
	return &Printer{c: c, status: status, kind: "application/json"}
}

// Write implements [io.Writer]. It returns the first error of all writes.
func (p *Printer) Write(text []byte) (int, error) {
	if p.err != nil {
		return len(text), p.err
	}
	long := len(text) >= pieceSize
	if !long {
		p.piece = append(p.piece, text...)
	}
	if !long && len(p.piece) < pieceSize {
		return len(text), nil
	}
	p.open(-1)
	p.flush()
	if long && p.err == nil {
		_, p.err = p.to.Write(text)
	}
	return len(text), p.err
}

// Abort gives up a reply, which stays incomplete.
func (p *Printer) Abort() {
	if p.zip != nil {
		p.c.server.zips.Put(p.zip, zipperSize)
		p.zip = nil
	}
}

// Close writes the rest, and returns the first error of all writes.
func (p *Printer) Close() error {
	defer p.Abort() // frees the gzip writer
	if p.err != nil {
		return p.err
	}
	if p.to == nil {
		p.open(len(p.piece))
	}
	p.err = p.end()
	return p.err
}

// end writes the rest of an open reply.
func (p *Printer) end() error {
	if p.sized {
		if err := p.c.LastByte(); err != nil { // a client that leaves after this has the reply
			return err
		}
	}
	if p.flush(); p.err != nil {
		return p.err
	}
	if p.zip != nil {
		if err := p.zip.Close(); err != nil {
			return err
		}
	}
	if err := p.c.Flush(); err != nil || p.sized {
		return err
	}
	return context.Cause(p.c.R.Context()) // net/http has yet to write the last chunk
}

// open writes the header of a reply of size bytes; -1: unknown.
func (p *Printer) open(size int) {
	if p.to != nil {
		return
	}
	p.to = p.c.Paced()
	h := p.c.W.Header()
	h.Set("Content-Type", p.kind)
	if size >= 0 && (size < leastZipped || p.c.Plain) {
		h.Set("Content-Length", strconv.Itoa(size))
		p.sized = true
	} else {
		h.Add("Vary", "Accept-Encoding")
		if takesGzip(p.c.R) && p.c.Reserve(zipperSize) == nil {
			h.Set("Content-Encoding", "gzip")
			p.zip = p.c.server.zipper(p.to)
			p.to = p.zip
		} else if size >= 0 {
			h.Set("Content-Length", strconv.Itoa(size))
			p.sized = true
		}
	}
	p.c.W.WriteHeader(p.status)
}

// flush writes the buffered piece.
func (p *Printer) flush() {
	_, p.err = p.to.Write(p.piece)
	p.piece = p.piece[:0]
}

// Flush sends the reply so far to the client.
func (c *Call) Flush() error {
	if err := http.NewResponseController(c.W).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// zipper returns a gzip writer to w, used if the free list has one.
func (s *Server) zipper(w io.Writer) *gzip.Writer {
	if z, _ := s.zips.Get(); z != nil {
		z.Reset(w)
		return z
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic("web: gzip: " + err.Error()) // the level is a constant
	}
	return z
}

// takesGzip reports whether a request's client takes gzip.
func takesGzip(r *http.Request) bool {
	words := strings.Split(strings.ToLower(strings.Join(r.Header.Values("Accept-Encoding"), ",")), ",")
	return slices.ContainsFunc(words, func(word string) bool {
		name, params, _ := strings.Cut(strings.TrimSpace(word), ";")
		weight, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		refused := ok && strings.Trim(weight, "0.") == ""
		return strings.TrimSpace(name) == "gzip" && !refused
	})
}
