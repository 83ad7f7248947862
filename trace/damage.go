package trace

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// A mark tells how far a trace was written, in a file outside its folder, so that a reader misses
// files and the ends of files. It is written after each block and is not synced: it survives the
// process. A copy of the data folder may be older than its mark, and goes without.
type mark struct {
	Born        uint64 // when the file was made; 0: unknown
	First, Last uint64 // segments; First is the oldest that was not removed for room
	End, Groups uint64 // of the last segment: its size, and the records in it
}

// encode returns the mark with a CRC-32.
func (m mark) encode() []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, m) // a mark has a size
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// mark reads the mark of a folder; zero: there is none.
func (f Folder) mark() (m mark) {
	path := datadir.MarkBeside(string(f))
	b, err := os.ReadFile(path)
	if n, _ := binary.Decode(b, binary.LittleEndian, &m); err != nil || n+4 != len(b) || string(m.encode()) != string(b) {
		return mark{}
	}
	if now := datadir.Born(path); m.Born != 0 && now != 0 && m.Born != now {
		return mark{}
	}
	return m
}

// openMark opens or makes the mark of a folder; nil: it is in no data folder, or has no room.
func openMark(dir string) (f *os.File, born uint64) {
	path := datadir.MarkBeside(dir)
	if path == "" || datadir.MakeFolder(filepath.Dir(path)) != nil {
		return nil, 0
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, 0
	}
	return f, datadir.Born(path)
}

// note writes the mark. A failure only loses knowledge.
func (w *Writer) note() {
	if w.mark == nil {
		return
	}
	m := mark{Born: w.born, First: uint64(w.first), Last: uint64(w.at.number), End: uint64(w.at.size), Groups: uint64(w.index.count)}
	_, _ = w.mark.WriteAt(m.encode(), 0)
}

// Damage says what the reader found damaged or missing so far: a sentence for each, with the file,
// the loss and the remedy. Blocks are found when they are read.
func (r *Reader) Damage() (all []string) {
	const remedy = "put back a copy of the file, or go on without them"
	r.blocks.Lock()
	bad := slices.Clone(r.bad)
	r.blocks.Unlock()
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i, source := range r.sources {
		say := func(number int, form string, args ...any) {
			all = append(all, fmt.Sprintf("%s: %s: %s", source.name(number), fmt.Sprintf(form, args...), remedy))
		}
		said := r.marks[i]
		changed := source.mark() != said // by a writer, meanwhile
		last := int(said.First)
		list := r.ofSource(i)
		for k, s := range list {
			for missing := last; missing < s.number && last > 0 && !changed; missing++ {
				say(missing, "the file is missing, with all its groups")
			}
			last = s.number + 1
			switch newest := k == len(list)-1; {
			case s.damaged > 0 && s.foreign:
				say(s.number, "it is damaged at its beginning or of a later program, and its groups are not read")
			case s.damaged > 0:
				say(s.number, "%d damaged places beside the blocks; groups, levels or settings are lost with them", s.damaged)
			case uint64(s.number) == said.Last && s.count() < int(said.Groups) && !changed:
				say(s.number, "%d of %d groups are missing at its end", int(said.Groups)-s.count(), said.Groups)
			case !s.closed && !newest:
				say(s.number, "it has no end, and what came after %d bytes is lost", s.end)
			}
			if n, groups := s.unreadable(bad); n > 0 {
				say(s.number, "%d blocks with %d groups cannot be read", n, groups)
			}
		}
		for ; last > 0 && last <= int(said.Last) && !changed; last++ {
			say(last, "the file is missing, with all its groups")
		}
	}
	return all
}

// ofSource returns the segments of a source. r.mu is held.
func (r *Reader) ofSource(i int) (list []*segment) {
	for _, s := range r.segments {
		if s.source == i {
			list = append(list, s)
		}
	}
	return list
}

// unreadable counts the blocks of the segment among those that could not be read, and their groups.
func (s *segment) unreadable(bad []Ref) (blocks, groups int) {
	for _, x := range s.parts {
		for _, block := range x.Blocks {
			at := s.at()
			if at.Block = block[0]; slices.Contains(bad, at) {
				blocks, groups = blocks+1, groups+int(block[1])
			}
		}
	}
	return blocks, groups
}
