package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// freshGap is how long followers do not see a group after a gap in the numbers, because the
// missing groups may be about to come.
const freshGap = 2 * time.Second

// A following is a follower's request.
type following struct {
	after uint64        // its last known sequence number
	limit int           // of groups
	wait  time.Duration // for the first group
}

// followingOf reads a follower's request.
func followingOf(r *http.Request) (f following, err error) {
	query := r.URL.Query()
	if f.after, err = strconv.ParseUint(cmp.Or(query.Get("after"), "0"), 10, 64); err != nil {
		return f, queryError("after", "the number of a group")
	}
	f.limit, err = strconv.Atoi(cmp.Or(query.Get("limit"), "100"))
	if err != nil || f.limit < 1 || f.limit > queue.MaxPutAll {
		return f, queryError("limit", fmt.Sprintf("1 to %d", queue.MaxPutAll))
	}
	f.wait, err = waitOf(r)
	return f, err
}

// followGroups shows groups in the order of their puts, without leasing them. Acknowledged
// groups are gone.
func (a v1API) followGroups(c *web.Call) error {
	c.SkipBody()
	f, err := followingOf(c.R)
	if err != nil {
		return err
	}
	c.Waits = f.wait > 0
	seqs := a.awaitGroups(c.Context(), f)
	groups, last, err := a.groupsOf(c, seqs)
	if err != nil {
		return err
	}
	last = max(last, f.after)
	c.W.Header().Set(headerLast, strconv.FormatUint(last, 10))
	parcel := &replyGroups{Now: groups, Held: weightOf(groups)}
	if wantsJSON(c.R) {
		return a.server.reply.Whole(c, parcel)
	}
	c.W.Header().Set(headerGroups, strconv.Itoa(len(groups)))
	return a.server.reply.Binary(c, parcel)
}

// awaitGroups returns the next groups for a follower as soon as there are any, while it
// waits.
func (r *Run) awaitGroups(ctx context.Context, f following) []uint64 {
	end := time.NewTimer(f.wait)
	defer end.Stop()
	for {
		came := r.queue.Changed()
		seqs, late := r.groupsAfter(f.after, f.limit)
		if len(seqs) > 0 || f.wait == 0 {
			return seqs
		}
		again := time.NewTimer(maxWait)
		if late {
			again.Reset(freshGap)
		}
		select {
		case <-came:
		case <-again.C:
		case <-end.C:
			f.wait = 0
		case <-ctx.Done():
			f.wait = 0
		case <-r.server.web.Stopping():
			f.wait = 0
		}
		again.Stop()
	}
}

// groupsAfter returns the groups after a number, including those of open batches, and
// whether more are too fresh to show.
func (r *Run) groupsAfter(after uint64, limit int) (seqs []uint64, late bool) {
	r.mu.Lock() // no group moves between the batches and the queue
	defer r.mu.Unlock()
	now := time.Now()
	since := r.batches.after(after)
	seqs = slices.Collect(maps.Keys(since))
	r.queue.View(func(waiting []queue.Entry) {
		at, _ := slices.BinarySearchFunc(waiting, after+1, func(e queue.Entry, seq uint64) int { return cmp.Compare(e.Seq, seq) })
		for _, e := range waiting[at:min(len(waiting), at+limit)] {
			seqs = append(seqs, e.Seq)
			since[e.Seq] = e.Put()
		}
	})
	slices.Sort(seqs)
	seqs = seqs[:min(len(seqs), limit)]
	for i, seq := range seqs {
		if seq != after+1 && now.Sub(since[seq]) < freshGap {
			return seqs[:i], true
		}
		after = seq
	}
	return seqs, false
}

// maxShown is about how many bytes of encoded groups a follower gets at once.
const maxShown = 8 << 20

// groupsOf returns the groups of seqs, without gone and unreadable ones, up to number last:
// there may be too many for one reply.
func (r *Run) groupsOf(c *web.Call, seqs []uint64) (groups []queue.Delivery, last uint64, err error) {
	bytes := 0
	for _, seq := range seqs {
		if bytes >= maxShown {
			break
		}
		d, err := readFor(c, r.queue, seq)
		if errors.Is(err, queue.ErrUnreadable) { // its neighbours are set aside too, and not shown to a follower that asks again
			return groups, seq, nil
		}
		if errors.Is(err, queue.ErrUnknown) || isCorrupt(err) {
			last = seq
			continue
		}
		if err != nil && len(groups) > 0 {
			break // the follower asks again
		}
		if err != nil {
			return nil, 0, err
		}
		bytes += int(d.Bytes)
		groups, last = append(groups, d), seq
	}
	return groups, last, nil
}

// readFor reads a group into memory that it reserves for the call.
func readFor(c *web.Call, q *queue.Queue, seq uint64) (queue.Delivery, error) {
	d, err := q.Read(c.Context(), seq)
	if err != nil {
		return d, err
	}
	return d, c.Reserve(weight(&d))
}
