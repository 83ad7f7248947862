package hub

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/groupform"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// groupsType is the content type of groups in the binary form, one after another:
//
//	8 bytes  sequence number of the group in the queue, little-endian; 0 in a request
//	4 bytes  size of what follows, little-endian
//	…        the group, as docs/formats/group.md describes it
const groupsType = "application/vnd.quintain.groups"

const frameHead = 12 // bytes

// isGroups reports whether the body of a request is in the binary form.
func isGroups(r *http.Request) bool {
	kind, _, _ := strings.Cut(strings.ToLower(r.Header.Get("Content-Type")), ";")
	return strings.TrimSpace(kind) == groupsType
}

// readAll reads the body of a request, whatever its type, and makes a value of it. The
// value shares no memory with the body, which is used again.
func readAll[T any](s *Server, c *call, parse func([]byte) (T, error)) (T, error) {
	buf, free := s.bodyBuffer()
	defer free()
	if err := s.readBody(c, buf); err != nil {
		var none T
		return none, err
	}
	return parse(buf.Bytes())
}

// bodyBuffer returns a buffer for a body, and what gives it back.
func (s *Server) bodyBuffer() (buf *bytes.Buffer, free func()) {
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

// errOdd says that groups must be held until others come, which is another way than
// that of most.
var errOdd = errors.New("groups of an odd size")

// takeEncoded puts groups in the binary form into the queue, as they are where that
// can be.
func (s *Server) takeEncoded(c *call, b []byte) (in intake, err error) {
	bodies, err := splitFrames(b, s.config.Limits.Groups)
	if err != nil {
		return in, err
	}
	in.ids = make([]string, len(bodies))
	tokens, envs := make([]int, len(bodies)), make(map[int32]bool)
	ctx := context.WithoutCancel(c.r.Context())
	in.fresh, err = s.queue.PutEncoded(ctx, bodies, func(i int, g *quintain.Group) error {
		one := []*quintain.Group{g}
		if err := s.checkEncoded(i, one); err != nil {
			return err
		}
		if len(s.oddGroups(one)) > 0 || c.r.Header.Get("Idempotency-Key") != "" {
			return errOdd
		}
		in.ids[i], tokens[i] = g.ID, g.TokenCount()
		if g.EnvID != nil {
			envs[*g.EnvID] = true
		}
		return nil
	})
	if errors.Is(err, errOdd) {
		return s.takeDecoded(c, bodies)
	}
	if err != nil {
		return in, err
	}
	for id := range envs {
		s.hear(id)
	}
	s.noteTaken(tokens, in)
	s.setLatest(nil)
	return in, s.makeRoom(ctx)
}

// takeDecoded puts groups in the binary form into the queue like others.
func (s *Server) takeDecoded(c *call, bodies [][]byte) (in intake, err error) {
	groups := make([]*quintain.Group, len(bodies))
	for i, body := range bodies {
		if groups[i], err = s.codec.Decode(body); err != nil {
			return in, fmt.Errorf("group %d: %w", i, err)
		}
		if err := s.checkEncoded(i, groups[i:i+1]); err != nil {
			return in, err
		}
	}
	return s.take(c, groups)
}

// checkEncoded reports what those who sent JSON would be told of the group i, too.
func (s *Server) checkEncoded(i int, one []*quintain.Group) error {
	if len(one[0].Tokens) == 0 {
		return &groupform.FormatError{Field: "tokens", Why: fmt.Sprintf("group %d has no sequences", i)}
	}
	if err := atropos.CheckFree(one[0]); err != nil {
		return err
	}
	return s.checkSizes(one)
}

// splitFrames returns the groups of b, still in their binary form, which is b's memory.
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

// AppendFrame appends a group in its binary form as /v1 takes and gives it; seq is its
// sequence number, 0 in what is sent to the hub.
func AppendFrame(b []byte, seq uint64, body []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, seq)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	return append(b, body...)
}

// writeGroups writes groups in the binary form as a reply.
func (s *Server) writeGroups(c *call, groups []queue.Delivery) error {
	size := 0
	bodies := make([][]byte, len(groups))
	for i := range groups {
		var err error
		if bodies[i], err = s.bodyOf(&groups[i]); err != nil {
			return err
		}
		size += frameHead + len(bodies[i])
	}
	h := c.w.Header()
	h.Set("Content-Type", groupsType)
	h.Set("Content-Length", strconv.Itoa(size))
	h.Set(headerGroups, strconv.Itoa(len(groups)))
	c.w.WriteHeader(http.StatusOK)
	out := newPressing(c, s.config.Stall)
	var piece []byte
	for i, body := range bodies {
		piece = AppendFrame(piece, groups[i].Seq, body)
		last := i == len(bodies)-1
		if len(piece) < pieceSize && !last {
			continue
		}
		if last { // a client that goes after this has it all
			if err := c.lastByte(); err != nil {
				return err
			}
		}
		if _, err := out.Write(piece); err != nil {
			return err
		}
		piece = piece[:0]
	}
	if err := http.NewResponseController(c.w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// freshGap is how long a group is kept from followers that comes after a gap: what is
// missing there may be about to come.
const freshGap = 2 * time.Second

// followGroups shows groups in the order in which they were put, without taking them.
// What trainers acknowledged is gone.
func (s *Server) followGroups(c *call) {
	s.skipBody(c)
	query := c.r.URL.Query()
	after, err := strconv.ParseUint(orDefault(query.Get("after"), "0"), 10, 64)
	if err != nil {
		s.fail(c, queryError("after", "the number of a group"))
		return
	}
	limit, err := strconv.Atoi(orDefault(query.Get("limit"), "100"))
	if err != nil || limit < 1 || limit > queue.MaxPutAll {
		s.fail(c, queryError("limit", fmt.Sprintf("1 to %d", queue.MaxPutAll)))
		return
	}
	wait, err := waitOf(c.r)
	if err != nil {
		s.fail(c, err)
		return
	}
	c.waits = wait > 0
	seqs := s.awaitGroups(c, after, limit, wait)
	groups, err := s.groupsOf(c.r.Context(), seqs)
	if err != nil {
		s.fail(c, err)
		return
	}
	if len(seqs) > 0 {
		after = seqs[len(seqs)-1]
	}
	c.w.Header().Set(headerLast, strconv.FormatUint(after, 10))
	if !takesJSON(c.r) {
		_ = s.writeGroups(c, groups) // whoever has gone asks again
		return
	}
	_ = s.writeJSON(c, parcel{groups: groups})
}

func orDefault(text, unless string) string {
	if text == "" {
		return unless
	}
	return text
}

// awaitGroups returns the numbers of groups after a number as soon as there are any, for
// as long as the client waits.
func (s *Server) awaitGroups(c *call, after uint64, limit int, wait time.Duration) []uint64 {
	end := time.NewTimer(wait)
	defer end.Stop()
	for {
		came := s.queue.Changed()
		seqs, late := s.groupsAfter(after, limit)
		if len(seqs) > 0 || wait == 0 {
			return seqs
		}
		again := time.NewTimer(maxWait)
		if late {
			again.Reset(freshGap)
		}
		select {
		case <-came:
		case <-again.C:
		case <-end.C:
			wait = 0
		case <-c.r.Context().Done():
			wait = 0
		case <-s.stopped:
			wait = 0
		}
		again.Stop()
	}
}

// groupsAfter returns the numbers of the groups after a number, those of open batches
// among them, and whether there are more that are too fresh to be shown.
func (s *Server) groupsAfter(after uint64, limit int) (seqs []uint64, late bool) {
	s.trade.Lock()
	defer s.trade.Unlock()
	fresh := make(map[uint64]bool)
	now := time.Now()
	s.mu.RLock()
	for _, d := range s.open {
		for _, seq := range d.seqs {
			if seq > after {
				seqs = append(seqs, seq)
				fresh[seq] = now.Sub(d.formed) < freshGap
			}
		}
	}
	s.mu.RUnlock()
	s.queue.View(func(waiting []queue.Entry) {
		at, _ := slices.BinarySearchFunc(waiting, after+1, func(e queue.Entry, seq uint64) int {
			if e.Seq < seq {
				return -1
			}
			return min(1, int(e.Seq-seq))
		})
		for _, e := range waiting[at:min(len(waiting), at+limit)] {
			seqs = append(seqs, e.Seq)
			if now.Sub(e.Put) < freshGap {
				fresh[e.Seq] = true
			}
		}
	})
	slices.Sort(seqs)
	seqs = seqs[:min(len(seqs), limit)]
	for i, seq := range seqs {
		if seq != after+1 && fresh[seq] {
			return seqs[:i], true
		}
		after = seq
	}
	return seqs, false
}
