package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// pieceSize is about how many bytes of a binary reply are written at once.
const pieceSize = 64 << 10

// weight is the memory of a group while it waits to be written, in bytes: decoded, or as
// stored and as repacked for the client.
func weight(d *queue.Delivery) int {
	if d.Group != nil {
		return groupform.MemoryOf(d.Group)
	}
	return 2 * int(d.Bytes)
}

// weightOf is the total weight of groups.
func weightOf(groups []queue.Delivery) (n int) {
	for i := range groups {
		n += weight(&groups[i])
	}
	return n
}

// A replyWriter writes groups as replies to calls. Its methods return the reason if the reply is
// not whole: a [queue.CorruptError], no memory, a client that has gone. Many goroutines may
// use it at once.
type replyWriter struct {
	codec *groupform.Codec
	web   *web.Server
	texts *web.FreeList[*[]byte] // buffers for groups in JSON
}

// newReplyWriter returns a writer for the calls of a server.
func newReplyWriter(codec *groupform.Codec, s *web.Server) *replyWriter {
	return &replyWriter{codec, s, web.NewFreeList[*[]byte](s.Keep())}
}

// Binary writes groups in binary form. A reply of one portion has its length in the header.
func (w *replyWriter) Binary(c *web.Call, from *replyGroups) error {
	groups, err := from.next(c)
	if err != nil {
		return err
	}
	bodies, size, err := w.bodiesOf(groups)
	if err != nil {
		return err
	}
	sized := from.whole()
	c.W.Header().Set("Content-Type", groupform.Frames)
	if sized {
		c.W.Header().Set("Content-Length", strconv.Itoa(size))
	}
	c.W.WriteHeader(http.StatusOK)
	out := c.Paced()
	var piece []byte // buffered
	for len(groups) > 0 {
		if piece, err = writeFrames(out, piece, groups, bodies); err != nil {
			return err
		}
		if groups, err = from.next(c); err != nil {
			return err
		}
		if bodies, _, err = w.bodiesOf(groups); err != nil {
			return err
		}
		out.Restart() // the client is not to blame for the time that reading took
	}
	return finish(c, out, piece, sized)
}

// writeFrames writes groups in pieces, and returns the unwritten rest.
func writeFrames(out io.Writer, piece []byte, groups []queue.Delivery, bodies [][]byte) ([]byte, error) {
	for i, body := range bodies {
		if len(piece) >= pieceSize {
			if _, err := out.Write(piece); err != nil {
				return nil, err
			}
			piece = piece[:0]
		}
		piece = groupform.AppendFrame(piece, groups[i].Seq, body)
	}
	return piece, nil
}

// finish writes the last piece of a reply. sized: the client knows its length.
func finish(c *web.Call, out io.Writer, piece []byte, sized bool) error {
	if sized { // a client that leaves after this has the reply
		if err := c.LastByte(); err != nil {
			return err
		}
	}
	if _, err := out.Write(piece); err != nil {
		return err
	}
	if err := c.Flush(); err != nil || sized {
		return err
	}
	return context.Cause(c.Context()) // net/http has yet to write the last chunk
}

// bodiesOf returns groups in the binary form that all clients read, and the total size of
// their frames.
func (w *replyWriter) bodiesOf(groups []queue.Delivery) (bodies [][]byte, size int, err error) {
	bodies = make([][]byte, len(groups))
	for i := range groups {
		if bodies[i], err = w.bodyOf(&groups[i]); err != nil {
			return nil, 0, err
		}
		size += groupform.FrameHead + len(bodies[i])
	}
	return bodies, size, nil
}

// bodyOf returns a group in the binary form that all clients read.
func (w *replyWriter) bodyOf(d *queue.Delivery) ([]byte, error) {
	if d.Body == nil {
		return w.codec.Encode(d.Group)
	}
	body, err := w.codec.Repack(d.Body)
	if err != nil {
		return nil, &queue.CorruptError{Seq: d.Seq, ID: d.ID, Err: err}
	}
	return body, nil
}

// JSON writes groups as Atropos writes a batch.
func (w *replyWriter) JSON(c *web.Call, from *replyGroups) error {
	return w.write(c, from, atropos.AppendGroup)
}

// Whole is JSON with all known fields of the groups.
func (w *replyWriter) Whole(c *web.Call, from *replyGroups) error {
	return w.write(c, from, atropos.AppendWhole)
}

// Arrays writes groups as arrays, framed like the binary form.
func (w *replyWriter) Arrays(c *web.Call, from *replyGroups) error {
	c.W.Header().Set("Content-Type", groupform.Arrays)
	out := c.Paced()
	for {
		groups, err := from.next(c)
		if err != nil {
			return err
		}
		if len(groups) == 0 {
			return finish(c, out, nil, false)
		}
		out.Restart() // the client is not to blame for the time that reading took
		shown := 0
		err = w.encodeAhead(c, groups, framedArrays, func(frame []byte) error {
			size := len(frame) - groupform.FrameHead
			if uint64(size) > math.MaxUint32 {
				return fmt.Errorf("group %s has %d bytes as arrays, too many: ask for the binary form", groups[shown].ID, size)
			}
			groupform.AppendFrameHead(frame[:0], groups[shown].Seq, size)
			shown++
			_, err := out.Write(frame)
			return err
		})
		if err != nil {
			return err
		}
	}
}

// framedArrays appends room for a frame's head, and a group as arrays.
func framedArrays(b []byte, g *quintain.Group) []byte {
	return groupform.AppendArrays(append(b, make([]byte, groupform.FrameHead)...), g)
}

// A form appends a group as JSON or as arrays.
type form func([]byte, *quintain.Group) []byte

// write writes groups in a form.
func (w *replyWriter) write(c *web.Call, from *replyGroups, as form) error {
	out := c.Printer(http.StatusOK)
	_, _ = out.Write([]byte(`{"batch":[`)) // a later write reports an error of this one
	shown := 0
	for {
		groups, err := from.next(c)
		if err != nil {
			out.Abort()
			return err
		}
		if len(groups) == 0 {
			break
		}
		err = w.encodeAhead(c, groups, as, func(text []byte) error {
			if shown++; shown > 1 {
				_, _ = out.Write([]byte(","))
			}
			_, err := out.Write(text)
			return err
		})
		if err != nil {
			out.Abort()
			return err
		}
	}
	if from.Padding > 0 {
		_, _ = out.Write(as([]byte(","), padding(from.Padding)))
	}
	_, _ = out.Write([]byte("]}"))
	return out.Close()
}

// padding returns a group of n sequences that teach nothing. Each has a trained token,
// because Atropos' example trainer fails on a batch that has none.
func padding(n int) *quintain.Group {
	return &quintain.Group{
		Tokens:    slices.Repeat([][]quintain.Token{{0, 0}}, n),
		Masks:     slices.Repeat([][]int32{{quintain.Untrained, 0}}, n),
		Scores:    make([]float64, n),
		LogProbs:  slices.Repeat([][]float64{{1, 0}}, n),
		Overrides: slices.Repeat([]json.RawMessage{json.RawMessage(`{"set_advantage_to_zero":true}`)}, n),
	}
}

// A text is a group being encoded.
type text struct {
	made chan struct{} // closed when done
	json *[]byte
	err  error
	held int // reserved bytes
}

// An ahead encodes groups, some ahead of the one being written.
type ahead struct {
	*replyWriter
	call   *web.Call
	groups []queue.Delivery
	as     form
	texts  []*text // nil: not begun, or written
	making sync.WaitGroup
}

// encodeAhead shows encoded groups in order. It stops at one that cannot be read or shown.
func (w *replyWriter) encodeAhead(c *web.Call, groups []queue.Delivery, as form, show func(text []byte) error) error {
	a := &ahead{replyWriter: w, call: c, groups: groups, as: as, texts: make([]*text, len(groups))}
	defer a.making.Wait()
	for i := range groups {
		for next := i; next < min(len(groups), i+w.web.ComputeSlots()+1); next++ {
			if err := a.begin(next); err != nil && next == i {
				return err // the others can begin later
			}
		}
		if err := a.show(i, show); err != nil {
			return err
		}
	}
	return nil
}

// begin begins to encode a group, once. The error says that there is no memory for it.
func (a *ahead) begin(i int) error {
	if a.texts[i] != nil {
		return nil
	}
	t := &text{made: make(chan struct{}), held: textFactor * weight(&a.groups[i])}
	if err := a.call.Reserve(t.held); err != nil {
		return err
	}
	a.texts[i] = t
	a.making.Go(func() {
		defer close(t.made)
		a.web.Compute(func() { t.json, t.err = a.encode(&a.groups[i], a.as, a.codec.View) })
	})
	return nil
}

// show shows a group once it is encoded.
func (a *ahead) show(i int, show func(text []byte) error) error {
	t := a.texts[i]
	<-t.made
	if errors.Is(t.err, groupform.ErrVast) {
		a.vast(i, t)
	}
	if t.err != nil {
		return t.err
	}
	if more := cap(*t.json) - t.held; more > 0 {
		if err := a.call.Reserve(more); err != nil {
			return err
		}
		t.held += more
	}
	err := show(*t.json)
	a.replyWriter.texts.Put(t.json, cap(*t.json))
	a.call.Release(t.held)
	a.groups[i].Group, a.groups[i].Body, a.texts[i] = nil, nil, nil
	return err
}

// vast encodes a group that takes much memory.
func (a *ahead) vast(i int, t *text) {
	d := &a.groups[i]
	size, err := a.codec.VastSize(d.Body)
	if err != nil {
		t.err = err
		return
	}
	if t.err = a.call.Reserve(size); t.err != nil {
		return
	}
	t.held += size
	a.web.Compute(func() {
		t.json, t.err = a.encode(d, a.as, func(body []byte, look func(*quintain.Group, uint32) error) error {
			g, err := a.codec.Decode(body)
			if err != nil {
				return err
			}
			return look(g, 0)
		})
	})
}

// textFactor is about how many times a group's memory its JSON takes.
const textFactor = 2

// encode encodes one group, which view decodes if need be.
func (w *replyWriter) encode(d *queue.Delivery, as form, view func([]byte, func(*quintain.Group, uint32) error) error) (*[]byte, error) {
	buf, _ := w.texts.Get()
	if buf == nil {
		buf = new([]byte)
	}
	write := func(g *quintain.Group, _ uint32) error {
		*buf = as((*buf)[:0], g)
		return nil
	}
	if d.Group != nil {
		return buf, write(d.Group, 0)
	}
	err := view(d.Body, write)
	if err != nil && !errors.Is(err, groupform.ErrVast) {
		err = &queue.CorruptError{Seq: d.Seq, ID: d.ID, Err: err}
	}
	return buf, err
}
