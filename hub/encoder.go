package hub

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/groupform"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/web"
)

// groupsType is the content type of groups in their binary form, one after another:
//
//	8 bytes  sequence number of the group in the queue, little-endian; 0 in a request
//	4 bytes  size of what follows, little-endian
//	…        the group, as docs/formats/group.md describes it
const groupsType = "application/vnd.quintain.groups"

const (
	frameHead = 12       // bytes
	pieceSize = 64 << 10 // about how many bytes of a reply in the binary form are written at once
)

// splitFrames returns the groups of b, still in their binary form and in b's memory.
func splitFrames(b []byte, most int) ([][]byte, error) {
	var bodies [][]byte
	for len(b) > 0 {
		if len(b) < frameHead {
			return nil, &groupform.FormatError{Field: "body", Why: "ends in the middle of the head of a group"}
		}
		size := binary.LittleEndian.Uint32(b[8:])
		if b = b[frameHead:]; uint64(size) > uint64(len(b)) {
			return nil, &groupform.FormatError{Field: "body", Why: "ends in the middle of a group"}
		}
		if len(bodies) == most {
			return nil, &groupform.FormatError{Field: "body", Why: fmt.Sprintf("should have at most %d groups", most)}
		}
		bodies = append(bodies, b[:size])
		b = b[size:]
	}
	return bodies, nil
}

// AppendFrame appends a group in its binary form as /v1 takes and sends it; seq is its
// sequence number, 0 in what is sent to the hub.
func AppendFrame(b []byte, seq uint64, body []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, seq)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	return append(b, body...)
}

// What a reply takes for each byte of its groups in their binary form.
const (
	rawFactor     = 2 // as they are stored, and packed small
	decodedFactor = 6 // decoded, or in JSON
)

// weight is about how many bytes of memory a reply with a group takes.
func weight(d *queue.Delivery) int {
	if d.Group != nil {
		return decodedFactor * d.Bytes
	}
	return rawFactor * d.Bytes
}

// An encoder writes groups as replies.
type encoder struct {
	codec *groupform.Codec
	web   *web.Server
	texts *web.Shelf[*[]byte] // for groups in JSON
}

// writeBinary writes groups in their binary form.
func (e *encoder) writeBinary(c *web.Call, groups []queue.Delivery) error {
	size := 0
	bodies := make([][]byte, len(groups))
	for i := range groups {
		var err error
		if bodies[i], err = e.bodyOf(&groups[i]); err != nil {
			return err
		}
		size += frameHead + len(bodies[i])
	}
	h := c.W.Header()
	h.Set("Content-Type", groupsType)
	h.Set("Content-Length", strconv.Itoa(size))
	h.Set(headerGroups, strconv.Itoa(len(groups)))
	c.W.WriteHeader(http.StatusOK)
	out := c.Paced()
	var piece []byte
	for i, body := range bodies {
		piece = AppendFrame(piece, groups[i].Seq, body)
		last := i == len(bodies)-1
		if len(piece) < pieceSize && !last {
			continue
		}
		if last { // a client that goes away after this has it all
			if err := c.LastByte(); err != nil {
				return err
			}
		}
		if _, err := out.Write(piece); err != nil {
			return err
		}
		piece = piece[:0]
	}
	return c.Flush()
}

// bodyOf returns the group of d in the binary form that all clients read.
func (e *encoder) bodyOf(d *queue.Delivery) ([]byte, error) {
	if d.Body == nil {
		return e.codec.Encode(d.Group)
	}
	body, err := e.codec.Repack(d.Body)
	if err != nil {
		return nil, &queue.CorruptError{Seq: d.Seq, ID: d.ID, Err: err}
	}
	return body, nil
}

// writeJSON writes groups as Atropos writes a batch.
func (e *encoder) writeJSON(c *web.Call, groups []queue.Delivery) error {
	out := c.Printer(http.StatusOK)
	_, err := out.Write([]byte(`{"batch":[`))
	if err == nil {
		err = e.encodeAhead(groups, func(i int, text []byte) error {
			if i > 0 {
				_, _ = out.Write([]byte(",")) // the next write reports the error of this one
			}
			_, err := out.Write(text)
			return err
		})
	}
	if err == nil {
		_, err = out.Write([]byte("]}"))
	}
	if err != nil {
		out.Abort()
		return err
	}
	return out.Close()
}

// A text is a group in JSON in the making.
type text struct {
	made chan struct{} // closed when it is made
	json *[]byte
	err  error
}

// encodeAhead makes JSON of groups, of some of them ahead of the one that is shown, and
// shows them in order. It stops at one that cannot be read or shown.
func (e *encoder) encodeAhead(groups []queue.Delivery, show func(i int, text []byte) error) error {
	var making sync.WaitGroup
	defer making.Wait()
	texts := make([]*text, len(groups))
	ahead := e.web.Desks()
	start := func(i int) {
		if i >= len(groups) {
			return
		}
		t := &text{made: make(chan struct{})}
		texts[i] = t
		making.Go(func() {
			defer close(t.made)
			e.web.Compute(func() { t.json, t.err = e.encode(&groups[i]) })
		})
	}
	for i := range ahead {
		start(i)
	}
	for i := range groups {
		t := texts[i]
		<-t.made
		if t.err != nil {
			return t.err
		}
		start(i + ahead)
		if err := show(i, *t.json); err != nil {
			return err
		}
		texts[i] = nil
		e.texts.Put(t.json, cap(*t.json))
	}
	return nil
}

// encode makes JSON of one group, and lets go of the group.
func (e *encoder) encode(d *queue.Delivery) (*[]byte, error) {
	buf, _ := e.texts.Take()
	if buf == nil {
		buf = new([]byte)
	}
	write := func(g *quintain.Group) error {
		*buf = atropos.AppendGroup((*buf)[:0], g)
		return nil
	}
	var err error
	if d.Group == nil {
		err = e.codec.View(d.Body, write)
		if errors.Is(err, groupform.ErrVast) {
			d.Group, err = e.codec.Decode(d.Body)
		}
		if err != nil {
			err = &queue.CorruptError{Seq: d.Seq, ID: d.ID, Err: err}
		}
	}
	if d.Group != nil {
		err = write(d.Group)
	}
	d.Group, d.Body = nil, nil
	return buf, err
}
