package queue

import (
	"cmp"
	"slices"
)

// A waitlist is the waiting groups, by sequence number. Removing or re-adding entries costs the
// distance of the farthest to the nearer end, which is small while consumers take old groups.
type waitlist struct {
	buf   []Entry // the entries are buf[head:]
	head  int
	count Count
	envs  map[int32]Count
	kinds map[Kind]int       // groups of each kind, without zeros
	turn  uint64             // changes with every change
	held  map[int32][]uint64 // held groups by environment, ascending
}

// all returns the entries, which the list owns.
func (w *waitlist) all() []Entry { return w.buf[w.head:] }

// search returns the place of seq, or where it would be.
func (w *waitlist) search(seq uint64) (at int, found bool) {
	return slices.BinarySearchFunc(w.all(), seq, func(e Entry, seq uint64) int { return cmp.Compare(e.Seq, seq) })
}

func (w *waitlist) find(seq uint64) (Entry, bool) {
	at, ok := w.search(seq)
	if !ok {
		return Entry{}, false
	}
	return w.all()[at], true
}

// between returns a copy of the entries with numbers from one to another.
func (w *waitlist) between(from, to uint64) []Entry {
	low, _ := w.search(from)
	high, found := w.search(to)
	if found {
		high++
	}
	return slices.Clone(w.all()[low:max(low, high)])
}

func (w *waitlist) tally(e Entry, sign int) {
	w.count.add(e, sign)
	if w.envs == nil {
		w.envs = make(map[int32]Count)
	}
	c := w.envs[e.EnvID]
	c.add(e, sign)
	w.envs[e.EnvID] = c
	if c.Groups == 0 {
		delete(w.envs, e.EnvID)
	}
	w.tallyKind(Kind{e.EnvID, int(e.Sequences), e.Held()}, sign)
	if e.Held() {
		w.tallyHeld(e, sign)
	}
}

// add inserts the entries that are not there, in one pass. It may change list.
func (w *waitlist) add(list ...Entry) {
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	list = slices.CompactFunc(list, func(a, b Entry) bool { return a.Seq == b.Seq })
	list = slices.DeleteFunc(list, func(e Entry) bool {
		_, found := w.search(e.Seq)
		return found
	})
	if len(list) == 0 {
		return
	}
	for i := range list {
		w.tally(list[i], 1)
	}
	first, _ := w.search(list[0].Seq)
	last, _ := w.search(list[len(list)-1].Seq)
	if w.head >= len(list) && last < len(w.all())-first {
		w.mergeFront(list, last)
		return
	}
	if len(w.buf)+len(list) > cap(w.buf) && w.head > len(w.buf)/2 {
		w.slide()
	}
	w.mergeBack(list, first)
}

// mergeFront merges list by moving the first entries, all before it, to the free memory in
// front.
func (w *waitlist) mergeFront(list []Entry, before int) {
	old := w.all()[:before]
	w.head -= len(list)
	for to := w.head; len(list) > 0; to++ {
		if len(old) > 0 && old[0].Seq < list[0].Seq {
			w.buf[to], old = old[0], old[1:]
		} else {
			w.buf[to], list = list[0], list[1:]
		}
	}
}

// mergeBack merges list by moving the entries from a place on.
func (w *waitlist) mergeBack(list []Entry, from int) {
	old := w.all()[from:]
	w.buf = append(w.buf, list...)
	for to := len(w.buf) - 1; len(list) > 0; to-- {
		if n := len(old) - 1; n >= 0 && old[n].Seq > list[len(list)-1].Seq {
			w.buf[to], old = old[n], old[:n]
		} else {
			w.buf[to], list = list[len(list)-1], list[:len(list)-1]
		}
	}
}

// slide moves the entries to the front, where memory is free.
func (w *waitlist) slide() {
	list, head := w.all(), w.head/4
	n := copy(w.buf[head:], list)
	clear(w.buf[head+n:])
	w.buf, w.head = w.buf[:head+n], head
}

// take removes the entries of seqs in one pass, and returns those found, in order.
func (w *waitlist) take(seqs []uint64) []Entry {
	seqs = slices.Compact(slices.Sorted(slices.Values(seqs)))
	var at []int
	var taken []Entry
	for _, seq := range seqs {
		if i, ok := w.search(seq); ok {
			at = append(at, i)
			taken = append(taken, w.all()[i])
			w.tally(w.all()[i], -1)
		}
	}
	if len(at) == 0 {
		return nil
	}
	if list := w.all(); at[len(at)-1] < len(list)-at[0] {
		w.closeFront(at)
	} else {
		w.closeBack(at)
	}
	if len(w.all()) == 0 {
		*w = waitlist{envs: w.envs, kinds: w.kinds, turn: w.turn, held: w.held} // frees the memory
	}
	return taken
}

// closeFront closes the gaps at given places by moving the entries before them.
func (w *waitlist) closeFront(at []int) {
	list := w.all()
	end := at[len(at)-1] + 1 // list[end:] is final
	for i := len(at) - 1; i >= 0; i-- {
		from := 0
		if i > 0 {
			from = at[i-1] + 1
		}
		end -= copy(list[end-(at[i]-from):end], list[from:at[i]])
	}
	clear(list[:len(at)])
	w.head += len(at)
}

// closeBack closes the gaps at given places by moving the entries after them.
func (w *waitlist) closeBack(at []int) {
	list := w.all()
	to := at[0]
	for i := range at {
		until := len(list)
		if i+1 < len(at) {
			until = at[i+1]
		}
		to += copy(list[to:], list[at[i]+1:until])
	}
	clear(list[to:])
	w.buf = w.buf[:w.head+to]
}
