package queue

import (
	"cmp"
	"slices"
	"time"
)

// eraParts is into how many eras the time to remember is divided. Keys are forgotten an era
// at a time, so they may stay known for one era longer.
const eraParts = 16

// remembered are the keys of done groups by era, so that forgetting has the same cost for
// any number. Times are Unix milliseconds.
type remembered struct {
	width  int64 // of an era; 0: one era, never forgotten
	eras   []era // the oldest first
	latest int64 // time of the newest log record
	pause  int64 // forget nothing before
}

// An era is a span of time, with the keys of the groups done in it.
type era struct {
	from int64
	last int64 // time of the newest key
	keys map[Key]struct{}
}

// newRemembered returns an empty memory that keeps keys for a time; 0: for ever.
func newRemembered(keep time.Duration) remembered {
	if keep <= 0 {
		return remembered{}
	}
	return remembered{width: keep.Milliseconds()/eraParts + 1}
}

// now is the time, but never before that of any record: a clock set back ages nothing, and
// keys only stay longer.
func (r *remembered) now() int64 {
	r.latest = max(r.latest, time.Now().UnixMilli())
	return r.latest
}

func (r *remembered) has(k Key) bool {
	for i := range r.eras {
		if _, ok := r.eras[i].keys[k]; ok {
			return true
		}
	}
	return false
}

// add adds the keys of groups done at a time. A known key keeps its era.
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

// era returns the era of a time, made if need be.
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

// old is how many eras to forget.
func (r *remembered) old() (n int) {
	if r.width == 0 {
		return 0
	}
	for now := r.now(); now >= r.pause && n < len(r.eras) && r.eras[n].from+(eraParts+1)*r.width <= now; n++ {
	}
	return n
}

// drop forgets the n oldest eras.
func (r *remembered) drop(n int) { r.eras = slices.Delete(r.eras, 0, n) }

// later puts off forgetting.
func (r *remembered) later() { r.pause = r.now() + max(1, r.width/eraParts) }

// count is the number of known keys.
func (r *remembered) count() (n int) {
	for i := range r.eras {
		n += len(r.eras[i].keys)
	}
	return n
}
