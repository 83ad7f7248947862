package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// level is the compression level of text and tokens; see docs/formats/trace.md.
const level = 3

// minPlane is the least size of a plane with its own code.
const minPlane = 512

// A packer deflates payloads, each plane of a column separately, because some planes are
// noise and others are not. Together they are one stream.
type packer struct {
	out   bytes.Buffer
	text  []byte               // not yet deflated
	plane []byte               // scratch
	alike func() *flate.Writer // for repetitive bytes; made on first use, as noise
	noise func() *flate.Writer // for random bytes, of log-probabilities
}

func newPacker() *packer {
	writer := func(level int) func() *flate.Writer {
		return sync.OnceValue(func() *flate.Writer { // it takes half a megabyte
			w, err := flate.NewWriter(io.Discard, level)
			if err != nil {
				panic(err) // cannot happen: the levels are constants
			}
			return w
		})
	}
	return &packer{alike: writer(level), noise: writer(flate.HuffmanOnly)}
}

// begin begins a payload.
func (p *packer) begin() {
	p.out.Reset()
	p.text = p.text[:0]
}

// put adds bytes.
func (p *packer) put(b []byte) { p.text = append(p.text, b...) }

// section deflates b up to a byte boundary.
func (p *packer) section(of func() *flate.Writer, b []byte) {
	w := of()
	w.Reset(&p.out)
	_, err := w.Write(b)
	if err := errors.Join(err, w.Flush()); err != nil {
		panic(err) // cannot happen: a buffer never fails
	}
}

// flush deflates the text so far.
func (p *packer) flush() {
	if len(p.text) > 0 {
		p.section(p.alike, p.text)
		p.text = p.text[:0]
	}
}

// putColumn adds a column with planes deflated by w.
func putColumn[T whole](p *packer, values []T, base int64, w func() *flate.Writer) {
	width := widthOf(values, base)
	p.text = appendColumnHead(p.text, base, width)
	if len(values) < minPlane {
		for k := range width {
			p.text = appendPlane(p.text, values, base, k)
		}
		return
	}
	p.flush()
	for k := range width {
		p.plane = appendPlane(p.plane[:0], values, base, k)
		p.section(w, p.plane)
	}
}

// end ends a payload and returns it; it is valid until the next begin.
func (p *packer) end() []byte {
	p.flush()
	p.out.WriteString(lastBlock)
	return p.out.Bytes()
}

// lastBlock is the end of a deflated stream: an empty block with fixed codes.
const lastBlock = "\x03\x00"

// inflate inflates a payload, but not to more than most bytes. Its memory depends on the
// payload and the result, not on most.
func inflate(payload []byte, most int) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(payload))
	all := bytes.NewBuffer(make([]byte, 0, min(8*len(payload), most)+bytes.MinRead))
	n, err := all.ReadFrom(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("inflating: %w", err)
	}
	if n > int64(most) {
		return nil, fmt.Errorf("inflating: it has more than %d bytes", most)
	}
	return all.Bytes(), nil
}
