package journal

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/quintain-rl/quintain/internal/wal"
)

const (
	kindSessions = 'r' // of a segment's file
	ending       = ".sessions"
)

// A segment is a file of frames, each a record or what forgets a session.
type segment struct {
	*wal.Log
	number uint32

	// Guarded by the journal's mutex.
	live   int64   // bytes of frames of sessions that are not forgotten
	graves []place // of frames that forget a session
}

// segmentName is the name of a file.
func segmentName(number uint32) string { return fmt.Sprintf("%08d%s", number, ending) }

func (s *segment) name() string { return segmentName(s.number) }

// A head is what a frame has beside the data; see docs/formats/sessions.md.
type head struct {
	session     string
	kind, flags byte
}

// The flags of a frame.
const (
	flagMore   = 1 // the next frame belongs to the same append
	flagForget = 2 // the session's records up to here are forgotten; no data
)

func (h head) encode() []byte {
	return append(append(make([]byte, 0, 2+len(h.session)), h.kind, h.flags), h.session...)
}

func decodeHead(b []byte) (h head, ok bool) {
	if len(b) < 3 || len(b) > 2+MaxSession {
		return h, false
	}
	return head{string(b[2:]), b[0], b[1]}, true
}

// A located is a frame in a segment.
type located struct {
	head
	at, size int64
}

// begin makes a durable segment with frames, for the holder of the turn or of all; nil: none.
func (j *Journal) begin(frames iter.Seq[wal.Frame]) (*segment, error) {
	j.mu.Lock()
	j.number++
	s := &segment{number: j.number}
	j.mu.Unlock()
	if frames == nil {
		frames = slices.Values[[]wal.Frame](nil)
	}
	f, err := j.folder.Open(s.name())
	if err != nil {
		return nil, spaceError(err)
	}
	s.Log, err = wal.Create(f, wal.Head{Kind: kindSessions, Salt: rand.Uint32(), Number: uint64(s.number)}, frames)
	if err == nil {
		err = j.folder.Sync()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name(), spaceError(err)), f.Close(), j.folder.Remove(s.name()))
	}
	s.Prepare(j.ahead, j.most)
	return s, nil
}

// openSegment opens a segment of the manifest, and enters its frames.
func (j *Journal) openSegment(l listed, last bool) error {
	if !slices.Contains(j.names, segmentName(l.number)) {
		return errors.New("it is missing: put back a copy of the folder, or move it away to begin without its sessions")
	}
	f, err := j.folder.Open(segmentName(l.number))
	if err != nil {
		return err
	}
	s, list, err := j.restore(f, l, last)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	j.segments = append(j.segments, s)
	for _, l := range list {
		j.enter(s, l)
	}
	return nil
}

// restore reads the frames of a segment, and cuts off a torn end. The result is durable.
func (j *Journal) restore(f wal.File, l listed, last bool) (*segment, []located, error) {
	src, err := j.source(f, l, last)
	if err != nil {
		return nil, nil, err
	}
	v, err := src.Scan(src.Sealed)
	if err != nil {
		return nil, nil, err
	}
	list, end, err := appendsIn(v)
	if err == nil && end < l.end {
		err = damaged("no whole frame begins", end)
	}
	if err != nil {
		return nil, nil, err
	}
	number := uint64(l.number)
	s := &segment{number: l.number, Log: wal.Resume(f, wal.Head{Kind: kindSessions, Salt: src.Salt, Number: number}, end)}
	s.Prepare(j.ahead, j.most)
	if !last {
		return s, list, nil
	}
	if end < j.was.end(src.Salt) {
		if !j.was.copied {
			return nil, nil, j.was.lost(src.Salt, end)
		}
		j.was.older(j.log, j.dir, j.was.since(src.Salt, end))
	}
	if end < src.Size {
		if err := j.cut(s, end, src.Size); err != nil {
			return nil, nil, err
		}
	}
	v.Frames = v.Frames[:len(list)]
	return s, list, src.Harden(v, f)
}

// source checks the head of a segment, and returns its part that counts.
func (j *Journal) source(f wal.File, l listed, last bool) (src wal.Source, err error) {
	size, err := f.Size()
	if err != nil {
		return src, err
	}
	h, err := wal.ReadHead(f, kindSessions)
	switch {
	case errors.Is(err, wal.ErrHead):
		return src, damaged("there is no head", 0)
	case err != nil:
		return src, err
	case h.Number != uint64(l.number):
		return src, damaged(fmt.Sprintf("it is segment %d under another name,", h.Number), 12)
	case size < l.end:
		return src, damaged(fmt.Sprintf("the file ends before %d,", l.end), size)
	}
	if !last {
		size = l.end
	}
	return wal.Source{ReaderAt: f, Size: size, Salt: h.Salt, Sealed: l.end}, nil
}

// appendsIn returns the frames of whole appends, and where they end. An append that a crash tore
// is none of them, whatever else of its write is whole.
func appendsIn(v wal.Scan) (list []located, end int64, err error) {
	if len(v.Gaps) > 0 {
		return nil, 0, damaged("no whole frame begins", v.Gaps[0].From)
	}
	for _, f := range v.Frames {
		h, ok := decodeHead(f.Head)
		if !ok {
			return nil, 0, damaged("no record begins", f.At)
		}
		list = append(list, located{h, f.At, f.End() - f.At})
	}
	for len(list) > 0 && list[len(list)-1].flags&flagMore != 0 {
		list = list[:len(list)-1]
	}
	if end = wal.HeadLen; len(list) > 0 {
		l := list[len(list)-1]
		end = l.at + l.size
	}
	return list, end, nil
}

// cut cuts off the torn end of a segment, and zeros written ahead.
func (j *Journal) cut(s *segment, end, size int64) error {
	blank, err := wal.Blank(s.File, end, size)
	if err != nil {
		return err
	}
	if !blank {
		j.log.Warn("the end of the session journal was half written, and is cut off",
			"file", s.name(), "at", end, "bytes", size-end)
	}
	return s.File.Truncate(end)
}

// read reads a frame, and checks all of it.
func (s *segment) read(p place) (h head, data []byte, err error) {
	b, data, err := s.Source().Read(int64(p.at), int64(p.size))
	if err == nil {
		if h, ok := decodeHead(b); ok {
			return h, data, nil
		}
		err = wal.ErrFrame
	}
	if errors.Is(err, wal.ErrFrame) {
		err = damaged("no whole frame begins", int64(p.at))
	}
	return h, nil, err
}
