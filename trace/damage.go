package trace

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/wal"
)

// A mark tells how far a trace was written, so that a reader misses files and the ends of files.
type mark struct {
	First, Last uint64 // segments; First is the oldest that was not removed for room
	End, Groups uint64 // of the last segment: its size, and the records in it
}

// mark reads the mark of a folder; zero: there is none. A copied one may be newer than the copy of the trace.
func (f Folder) mark() (m mark, copied bool) {
	list, copied := wal.ReadMark[mark](datadir.MarkBeside(string(f)))
	if len(list) > 0 {
		m = list[0]
	}
	return m, copied
}

// note writes the mark.
func (w *Writer) note() {
	w.mark.Note(mark{uint64(w.first), uint64(w.at.number), uint64(w.at.size), uint64(w.index.count)})
}

// Damage says what the reader found damaged or missing so far: a sentence for each, with the file,
// the loss and the remedy. Blocks are found when they are read.
func (r *Reader) Damage() (all []string) {
	const remedy, gone = "put back a copy of the file, or go on without them", "the file is missing, with all its groups%s"
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
		now, copied := source.mark()
		changed := now != said // by a writer, meanwhile
		late := ""
		if copied {
			late = ", or came while the folder was copied"
		}
		last := int(said.First)
		list := r.ofSource(i)
		for k, s := range list {
			for missing := last; missing < s.number && last > 0 && !changed; missing++ {
				say(missing, gone, late)
			}
			last = s.number + 1
			switch newest := k == len(list)-1; {
			case s.damaged > 0 && s.foreign:
				say(s.number, "it is damaged at its beginning or of a later program, and its groups are not read")
			case s.damaged > 0:
				say(s.number, "%s beside the blocks; groups, levels or settings are lost with them", stats.Count(s.damaged, "damaged place"))
			case uint64(s.number) == said.Last && s.count() < int(said.Groups) && !changed:
				say(s.number, "%d of %d groups are missing at its end%s", int(said.Groups)-s.count(), said.Groups, late)
			case !s.closed && !newest:
				say(s.number, "it has no end, and what came after %d bytes is lost", s.end)
			}
			if n, groups := s.unreadable(bad); n > 0 {
				say(s.number, "%s with %s cannot be read", stats.Count(n, "block"), stats.Count(groups, "group"))
			}
		}
		for ; last > 0 && last <= int(said.Last) && !changed; last++ {
			say(last, gone, late)
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
