package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
)

// A segment is a file of frames after a head: magic, number, salt, and their checksum.
const (
	segmentMagic = "QNsessn\x01" // the last byte is the version of the format
	segmentHead  = 20
	ending       = ".sessions"
)

type segment struct {
	number uint32
	salt   uint32
	f      file
	size   int64 // bytes that count, all of them durable
	plain  bool  // takes no zeros
	sealed int64 // so many were durable when the manifest was written; what is not intact there was damaged at rest
	// So many were confirmed, as the mark says; unlike below sealed, walk reads the data there.
	confirmed int64

	// Guarded by the journal's mutex.
	zeros  int64   // end of the zeros written ahead, if above size
	live   int64   // bytes of frames of sessions that are not forgotten
	graves []place // of frames that forget a session
}

// segmentName is the name of a file.
func segmentName(number uint32) string { return fmt.Sprintf("%08d%s", number, ending) }

func (s *segment) name() string { return segmentName(s.number) }

// begin makes a segment that is durable and empty, for the holder of the turn or of all.
func (j *Journal) begin() (*segment, error) {
	j.mu.Lock()
	j.number++
	s := &segment{number: j.number, salt: rand.Uint32(), size: segmentHead}
	j.mu.Unlock()
	var err error
	if s.f, err = j.folder.create(s.name()); err != nil {
		return nil, spaceError(err)
	}
	b := binary.LittleEndian.AppendUint32([]byte(segmentMagic), s.number)
	b = binary.LittleEndian.AppendUint32(b, s.salt)
	b = binary.LittleEndian.AppendUint32(b, sumOf(b))
	_, err = s.f.WriteAt(b, 0)
	if err == nil {
		err = errors.Join(s.f.Sync(), j.folder.sync())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name(), spaceError(err)), s.f.Close(), j.folder.remove(s.name()))
	}
	return s, nil
}

// openSegment opens a segment of the manifest.
func (j *Journal) openSegment(l listed, last bool) (*segment, error) {
	f, size, err := j.folder.open(segmentName(l.number))
	if err != nil {
		return nil, fmt.Errorf("%w: put back a copy of the folder, or move it away to begin without its sessions", err)
	}
	s := &segment{number: l.number, f: f, size: size, sealed: l.end}
	if err := s.readHead(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", j.folder.path(s.name()), err), f.Close())
	}
	if !j.was.copied {
		s.confirmed = j.was.end(s.salt)
	}
	if size < l.end {
		what := fmt.Sprintf("the file ends before %d,", l.end)
		return nil, errors.Join(fmt.Errorf("%s: %w", j.folder.path(s.name()), damaged(what, size)), f.Close())
	}
	if !last {
		s.size = l.end
	}
	return s, nil
}

// readHead checks the head.
func (s *segment) readHead() error {
	var b [segmentHead]byte
	if _, err := s.f.ReadAt(b[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	const versionAt = len(segmentMagic) - 1
	whole := sumOf(b[:16]) == binary.LittleEndian.Uint32(b[16:])
	if whole && string(b[:versionAt]) == segmentMagic[:versionAt] && b[versionAt] != segmentMagic[versionAt] {
		return fmt.Errorf("it has format %d, and this program reads format %d: use the program that wrote it", b[versionAt], segmentMagic[versionAt])
	}
	s.salt = binary.LittleEndian.Uint32(b[12:])
	if !whole || string(b[:len(segmentMagic)]) != segmentMagic {
		return damaged("there is no head", 0)
	}
	if n := binary.LittleEndian.Uint32(b[8:]); n != s.number {
		return damaged(fmt.Sprintf("it is segment %d under another name,", n), 8)
	}
	return nil
}

// A located is a frame in a segment.
type located struct {
	head
	at int64
}

// walk calls visit with the frames of each append, and returns the offset of the first append
// that is not intact, or the size. It reads the data only above the seal.
func (s *segment) walk(visit func([]located)) (int64, error) {
	w := window{f: s.f, size: s.size}
	at, batch := int64(segmentHead), int64(0)
	begun := at // of the append
	var list []located
	for at < s.size {
		l, ok, err := s.frame(&w, at)
		if err != nil {
			return begun, err
		}
		if !ok || int64(l.batch) != at && int64(l.batch) != batch {
			return begun, nil
		}
		list = append(list, l)
		at, batch = at+l.size(), int64(l.batch)
		if l.flags&flagMore == 0 {
			visit(list)
			begun, list = at, list[:0]
		}
	}
	return begun, nil
}

// frame reads the head of the frame at an offset, and checks the data if it is above the seal.
// ok is false if none is intact.
func (s *segment) frame(w *window, at int64) (l located, ok bool, err error) {
	b, err := w.read(at, headLen+MaxSession)
	if err != nil {
		return l, false, err
	}
	l.at = at
	if l.head, ok = parseHead(b, s.salt, at); !ok || l.size() > s.size-at {
		return l, false, nil
	}
	if at+l.size() <= s.sealed {
		return l, true, nil
	}
	sum, from := uint32(0), at+headLen+int64(len(l.session))
	for from < at+l.size() {
		if b, err = w.read(from, windowLen); err != nil {
			return l, false, err
		}
		b = b[:min(int64(len(b)), at+l.size()-from)]
		sum = crc32.Update(sum, castagnoli(), b)
		from += int64(len(b))
	}
	return l, sum == l.sum, nil
}

// torn reports whether a crash may have torn the write at an offset: it is above the seal, and
// no write began later.
func (s *segment) torn(at int64) (bool, error) {
	if at < s.sealed {
		return false, nil
	}
	w := window{f: s.f, size: s.size}
	for from := at + 1; from < s.size; {
		b, err := w.read(from, windowLen)
		if err != nil {
			return false, err
		}
		i := bytes.Index(b, []byte(frameMagic))
		if i < 0 {
			from += max(1, int64(len(b)-len(frameMagic)+1))
			continue
		}
		from += int64(i)
		if b, err = w.read(from, headLen+MaxSession); err != nil {
			return false, err
		}
		if h, ok := parseHead(b, s.salt, from); ok && int64(h.batch) > at && int64(h.batch) <= from {
			return false, nil
		}
		from++
	}
	return true, nil
}

// blank reports whether there are only zeros from an offset on: written ahead, and not used.
func (s *segment) blank(at int64) (bool, error) {
	w := window{f: s.f, size: s.size}
	for at < s.size {
		b, err := w.read(at, windowLen)
		if err != nil || slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) {
			return false, err
		}
		at += int64(len(b))
	}
	return true, nil
}

// harden makes the segment durable. It writes what is above the seal once more: if a sync of the
// process before failed, the system may have it in memory only, and not know that any more.
func (s *segment) harden() error {
	w := window{f: s.f, size: s.size}
	for at := s.sealed; at < s.size; {
		b, err := w.read(at, windowLen)
		if err != nil {
			return err
		}
		if _, err := s.f.WriteAt(b, at); err != nil {
			return err
		}
		at += int64(len(b))
	}
	return s.f.Sync()
}

// read reads a frame, and checks all of it.
func (s *segment) read(p place) (head, []byte, error) {
	b := make([]byte, p.size)
	if _, err := s.f.ReadAt(b, int64(p.at)); err != nil {
		return head{}, nil, err
	}
	h, ok := parseHead(b, s.salt, int64(p.at))
	if !ok || h.size() != int64(p.size) {
		return h, nil, damaged("no frame begins", int64(p.at))
	}
	data := b[headLen+len(h.session):]
	if sumOf(data) != h.sum {
		return h, nil, damaged("the checksum is wrong of the frame", int64(p.at))
	}
	return h, data, nil
}

// A window is the part of a file that was read last.
type window struct {
	f    io.ReaderAt
	size int64
	at   int64
	b    []byte
}

const windowLen = 64 << 10

// read returns up to n bytes at an offset below the size, at most windowLen; fewer if the file
// ends. They are valid until the next read.
func (w *window) read(at int64, n int) ([]byte, error) {
	want := min(int64(n), w.size-at)
	if at < w.at || at+want > w.at+int64(len(w.b)) {
		b := w.b[:cap(w.b)]
		if len(b) == 0 {
			b = make([]byte, windowLen)
		}
		b = b[:min(windowLen, w.size-at)]
		if _, err := w.f.ReadAt(b, at); err != nil {
			w.b = nil
			return nil, err
		}
		w.at, w.b = at, b
	}
	return w.b[at-w.at : at-w.at+want], nil
}
