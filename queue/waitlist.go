package queue

import (
	"cmp"
	"slices"
)

// A waitlist is the waiting groups, by sequence number. Removing or re-adding an entry costs
// its distance to the nearer end, which is small while consumers take old groups.
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

// add inserts e, unless it is there.
func (w *waitlist) add(e Entry) {
	list := w.all()
	at := len(list)
	if at > 0 && list[at-1].Seq >= e.Seq {
		var found bool
		if at, found = w.search(e.Seq); found {
			return
		}
	}
	w.tally(e, 1)
	if w.head > 0 && at < len(list)/2 {
		w.head--
		list = w.all()
		copy(list[:at], list[1:at+1])
		list[at] = e
		return
	}
	if len(w.buf) == cap(w.buf) && w.head > len(w.buf)/2 {
		w.slide()
	}
	w.buf = slices.Insert(w.buf, w.head+at, e)
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
