package journal

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// A mark tells what the journal confirmed last, in a file outside its folder: a ring of slots, one
// for each of the last frames. Slots are written after the sync of their frames and are not synced
// themselves: they survive the process, lag behind after a power cut, and are never ahead.
type mark struct {
	f    file   // nil: there is none
	path string // for messages
	born uint64 // when the file was made
	seq  uint64 // of the last slot
	at   int64  // offset of buf
	buf  []byte // scratch
}

// A slot names a confirmed frame, or with an empty name only how far a segment is durable.
type slot struct {
	seq, born uint64 // born: when the file was made, so that a copy of the data folder is noticed; 0: unknown
	end, salt uint32 // of the frame in its segment; of the segment
	name      string // of the session, perhaps cut; on disk it has zeros at its end
}

const (
	slotLen  = 64 // the fields of a slot in their order, and the sum of them
	slotName = slotLen - 28
	slots    = 4096 // in the ring
)

// appendTo appends the slot.
func (s slot) appendTo(b []byte) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint64(b, s.seq)
	b = binary.LittleEndian.AppendUint64(b, s.born)
	b = binary.LittleEndian.AppendUint32(b, s.end)
	b = binary.LittleEndian.AppendUint32(b, s.salt)
	b = append(b, s.name[:min(len(s.name), slotName)]...)
	for len(b) < from+slotLen-4 {
		b = append(b, 0)
	}
	return binary.LittleEndian.AppendUint32(b, sumOf(b[from:]))
}

// parseSlot reads a slot, if it is one.
func parseSlot(b []byte) (s slot, is bool) {
	s.seq, s.born = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	s.end, s.salt = binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[20:])
	s.name = string(bytes.TrimRight(b[24:slotLen-4], "\x00"))
	return s, s.seq > 0 && sumOf(b[:slotLen-4]) == binary.LittleEndian.Uint32(b[slotLen-4:])
}

// openMark opens or makes the mark at path. A journal works without one.
func openMark(path string) mark {
	if path == "" || datadir.MakeFolder(filepath.Dir(path)) != nil {
		return mark{}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return mark{}
	}
	return mark{f: osFile{f}, path: path, born: datadir.Born(path)}
}

// read returns the slots in the order of writing, and takes up numbering after them.
func (m *mark) read() (list []slot) {
	if m.f == nil {
		return nil
	}
	b := make([]byte, slots*slotLen)
	n, err := m.f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	for b = b[:n]; len(b) >= slotLen; b = b[slotLen:] {
		if s, is := parseSlot(b); is {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b slot) int { return cmp.Compare(a.seq, b.seq) })
	if len(list) > 0 {
		m.seq = list[len(list)-1].seq
	}
	return list
}

// begin notes how far a segment is durable, for good: no other will have a mark from now on.
func (m *mark) begin(s *segment) {
	m.note(s.salt, located{at: s.size - head{}.size()})
	if m.f != nil && m.f.Sync() != nil {
		m.drop()
	}
}

// note writes slots for frames that are durable now.
func (m *mark) note(salt uint32, list ...located) {
	for _, l := range list {
		at := int64(m.seq%slots) * slotLen
		if at == 0 { // the ring begins anew
			m.put()
		}
		if len(m.buf) == 0 {
			m.at = at
		}
		m.seq++
		m.buf = slot{m.seq, m.born, uint32(l.at + l.size()), salt, l.session}.appendTo(m.buf)
	}
	m.put()
}

// put writes the slots of the buffer.
func (m *mark) put() {
	if m.f != nil && len(m.buf) > 0 {
		if _, err := m.f.WriteAt(m.buf, m.at); err != nil {
			m.drop()
		}
	}
	m.buf = m.buf[:0]
}

func (m *mark) close() error {
	if m.f == nil {
		return nil
	}
	return m.f.Close()
}

// drop gives up the mark: it must not be older than a segment that goes.
func (m *mark) drop() {
	if m.f != nil {
		_ = errors.Join(m.f.Truncate(0), m.f.Close())
		m.f = nil
	}
}

// A known is what the mark said at the opening.
type known struct {
	list   []slot // in the order of writing; the last says which segment was open
	copied bool   // the data folder is a copy, which may be older than its mark
	path   string // of the mark
}

// know reads the mark.
func (m *mark) know() known {
	list := m.read()
	if len(list) == 0 {
		return known{}
	}
	born := list[len(list)-1].born
	return known{list, born != 0 && m.born != 0 && born != m.born, m.path}
}

// end is the end of the last confirmed frame of a segment, if it was the open one.
func (k known) end(salt uint32) int64 {
	if n := len(k.list); n > 0 && k.list[n-1].salt == salt {
		return int64(k.list[n-1].end)
	}
	return 0
}

// since names the sessions that had records confirmed in a segment after an offset; negative: in
// any.
func (k known) since(salt uint32, at int64) string {
	var names []string
	n := 0
	for _, s := range k.list {
		if s.name != "" && (at < 0 || s.salt == salt && int64(s.end) > at) {
			n++
			if !slices.Contains(names, s.name) {
				names = append(names, s.name)
			}
		}
	}
	more := ""
	if most := 20; len(names) > most {
		more = fmt.Sprintf(" and %d others", len(names)-most)
		names = names[:most]
	}
	return fmt.Sprintf("%d records at least, of %q%s", n, names, more)
}

// lost is the error of a segment that ends at an offset, and was confirmed beyond.
func (k known) lost(s *segment, at int64) error {
	return fmt.Errorf("%w: %d bytes that were confirmed are missing after %d: %s: put back a copy of the folder, or remove %s to go on without them",
		ErrDamaged, s.confirmed-at, at, k.since(s.salt, at), k.path)
}

// compare looks for the segment that was open. Without it, the folder is another one.
func (j *Journal) compare() error {
	n := len(j.was.list)
	if n == 0 || slices.ContainsFunc(j.segments, func(s *segment) bool { return j.was.end(s.salt) > 0 }) {
		return nil
	}
	lost := j.was.since(0, -1)
	switch {
	case len(j.segments) == 0:
		j.log.Error("the folder of the session journal was removed: its sessions are lost unless you put it back", "folder", j.folder.path(""), "confirmed", lost)
	case j.was.copied:
		j.log.Warn("the data folder is a copy, and its session journal is older than its mark: what came since is missing", "folder", j.folder.path(""), "confirmed", lost)
	default:
		return fmt.Errorf("%s: %w: it is an older copy: what was confirmed since is missing, among %s: put back the newest copy, or remove %s to go on with this one",
			j.folder.path(""), ErrDamaged, lost, j.was.path)
	}
	return nil
}
