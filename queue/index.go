package queue

import (
	"cmp"
	"slices"
)

// An index is what waits, in the order of sequence numbers. Taking an entry out, or
// putting it back, costs its distance to the nearer end, which is small as long as
// consumers take what is old.
type index struct {
	buf   []Entry // the entries are buf[head:]
	head  int
	count Count
	envs  map[int32]Count
	kinds map[Kind]int       // groups of each kind; none of 0
	turn  uint64             // changes with every change
	held  map[int32][]uint64 // by environment: the groups that are held, ascending
}

// all returns the entries, which still belong to the index.
func (x *index) all() []Entry { return x.buf[x.head:] }

// search returns where seq is or would be.
func (x *index) search(seq uint64) (at int, found bool) {
	return slices.BinarySearchFunc(x.all(), seq, func(e Entry, seq uint64) int { return cmp.Compare(e.Seq, seq) })
}

func (x *index) find(seq uint64) (Entry, bool) {
	at, ok := x.search(seq)
	if !ok {
		return Entry{}, false
	}
	return x.all()[at], true
}

func (x *index) tally(e Entry, sign int) {
	x.count.add(e, sign)
	if x.envs == nil {
		x.envs = make(map[int32]Count)
	}
	c := x.envs[e.EnvID]
	c.add(e, sign)
	x.envs[e.EnvID] = c
	if c.Groups == 0 {
		delete(x.envs, e.EnvID)
	}
	x.tallyKind(Kind{e.EnvID, int(e.Sequences), e.Held()}, sign)
	if e.Held() {
		x.tallyHeld(e, sign)
	}
}

// add puts e in its place, unless it is there.
func (x *index) add(e Entry) {
	list := x.all()
	at := len(list)
	if at > 0 && list[at-1].Seq >= e.Seq {
		var found bool
		if at, found = x.search(e.Seq); found {
			return
		}
	}
	x.tally(e, 1)
	if x.head > 0 && at < len(list)/2 {
		x.head--
		list = x.all()
		copy(list[:at], list[1:at+1])
		list[at] = e
		return
	}
	if len(x.buf) == cap(x.buf) && x.head > len(x.buf)/2 {
		x.slide()
	}
	x.buf = slices.Insert(x.buf, x.head+at, e)
}

// slide moves the entries towards the front, where memory is free.
func (x *index) slide() {
	list, head := x.all(), x.head/4
	n := copy(x.buf[head:], list)
	clear(x.buf[head+n:])
	x.buf, x.head = x.buf[:head+n], head
}

// take removes the entries of seqs in one pass, and returns those it found, in order.
func (x *index) take(seqs []uint64) []Entry {
	seqs = slices.Compact(slices.Sorted(slices.Values(seqs)))
	var at []int
	var taken []Entry
	for _, seq := range seqs {
		if i, ok := x.search(seq); ok {
			at = append(at, i)
			taken = append(taken, x.all()[i])
			x.tally(x.all()[i], -1)
		}
	}
	if len(at) == 0 {
		return nil
	}
	if list := x.all(); at[len(at)-1] < len(list)-at[0] {
		x.closeFront(at)
	} else {
		x.closeBack(at)
	}
	if len(x.all()) == 0 {
		*x = index{envs: x.envs, kinds: x.kinds, turn: x.turn, held: x.held} // frees its memory too
	}
	return taken
}

// closeFront closes the gaps at the given places by moving what comes before them.
func (x *index) closeFront(at []int) {
	list := x.all()
	end := at[len(at)-1] + 1 // list[end:] is final
	for i := len(at) - 1; i >= 0; i-- {
		from := 0
		if i > 0 {
			from = at[i-1] + 1
		}
		end -= copy(list[end-(at[i]-from):end], list[from:at[i]])
	}
	clear(list[:len(at)])
	x.head += len(at)
}

// closeBack closes the gaps at the given places by moving what comes after them.
func (x *index) closeBack(at []int) {
	list := x.all()
	to := at[0]
	for i := range at {
		until := len(list)
		if i+1 < len(at) {
			until = at[i+1]
		}
		to += copy(list[to:], list[at[i]+1:until])
	}
	clear(list[to:])
	x.buf = x.buf[:x.head+to]
}
