package queue

import (
	"cmp"
	"slices"
	"time"
)

// eraParts is how many eras the time has for which keys are remembered. A key is
// forgotten with its era, so it stays known for up to one part longer.
const eraParts = 16

// Remembered are the keys of groups that are done. They are kept by eras, so that
// forgetting costs the same however many are forgotten. Times are in milliseconds since
// 1970, UTC.
type remembered struct {
	width  int64 // of an era; 0: there is one, and nothing is forgotten
	eras   []era // the oldest first
	latest int64 // the time of the newest record of the log
	pause  int64 // nothing is to be forgotten before
}

// An era is a part of time, with the keys of the groups that were done in it.
type era struct {
	from int64
	last int64 // when the newest of the keys was done
	keys map[Key]struct{}
}

// newRemembered returns an empty memory that keeps keys for a time; 0: for ever.
func newRemembered(keep time.Duration) remembered {
	if keep <= 0 {
		return remembered{}
	}
	return remembered{width: keep.Milliseconds()/eraParts + 1}
}

// now is the time that counts: never before that of any record. So a clock that is set
// back makes nothing older, and what is known is only forgotten later.
func (r *remembered) now() int64 {
	r.latest = max(r.latest, time.Now().UnixMilli())
	return r.latest
}

// has reports whether a key is known.
func (r *remembered) has(k Key) bool {
	for i := range r.eras {
		if _, ok := r.eras[i].keys[k]; ok {
			return true
		}
	}
	return false
}

// add notes that the groups of keys were done at a time. A key that is known stays where
// it is.
func (r *remembered) add(at int64, keys ...Key) {
	r.latest = max(r.latest, at)
	var into *era
	for _, k := range keys {
		if r.has(k) {
			continue
		}
		if into == nil {
			into = r.era(at)
		}
		into.keys[k] = struct{}{}
	}
}

// era returns the era of a time, which begins now if need be.
func (r *remembered) era(at int64) *era {
	from := int64(0)
	if r.width > 0 {
		from = at / r.width * r.width
	}
	i, ok := slices.BinarySearchFunc(r.eras, from, func(e era, from int64) int { return cmp.Compare(e.from, from) })
	if !ok {
		r.eras = slices.Insert(r.eras, i, era{from: from, keys: make(map[Key]struct{})})
	}
	r.eras[i].last = max(r.eras[i].last, at)
	return &r.eras[i]
}

// old is how many of the eras are to be forgotten.
func (r *remembered) old() (n int) {
	if r.width == 0 {
		return 0
	}
	for now := r.now(); now >= r.pause && n < len(r.eras) && r.eras[n].from+(eraParts+1)*r.width <= now; n++ {
	}
	return n
}

// drop forgets the oldest n eras.
func (r *remembered) drop(n int) { r.eras = slices.Delete(r.eras, 0, n) }

// later puts off what is to be forgotten.
func (r *remembered) later() { r.pause = r.now() + max(1, r.width/eraParts) }

// count is how many keys are known.
func (r *remembered) count() (n int) {
	for i := range r.eras {
		n += len(r.eras[i].keys)
	}
	return n
}
