package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// scoredData takes one group.
func (s *Server) scoredData(c *call) {
	if s.closedToGroups(c) {
		return
	}
	in, err := takeJSON(s, c, func(r *atropos.Reader, b []byte) ([]*quintain.Group, error) {
		g, err := r.Group(b)
		return []*quintain.Group{g}, err
	})
	if err != nil {
		s.fail(c, err)
		return
	}
	body := []byte(`{"status":"received"`)
	if in.buffered > 0 {
		body = fmt.Appendf(nil, `{"status":"buffered","buffer_size":%d`, in.lastBuffer)
	}
	s.json(c, http.StatusOK, append(in.appendWarnings(body), '}'))
}

// scoredDataList takes several groups, all or none of them.
func (s *Server) scoredDataList(c *call) {
	if s.closedToGroups(c) {
		return
	}
	in, err := takeJSON(s, c, (*atropos.Reader).Groups)
	if err != nil {
		s.fail(c, err)
		return
	}
	body := fmt.Appendf(nil, `{"status":"received","groups_processed":%d`, len(in.ids))
	if in.buffered > 0 {
		body = fmt.Appendf(body, `,"buffered":%d,"last_buffer_size":%d`, in.buffered, in.lastBuffer)
	}
	s.json(c, http.StatusOK, append(in.appendWarnings(body), '}'))
}

// An intake says what became of groups that were taken.
type intake struct {
	buffered   int      // groups that were held, if only for a moment
	lastBuffer int      // sequences that were held of the environment of the last of those
	warnings   []string // what of them was dropped, and why
	fresh      []bool   // which of them had not come before
	ids        []string // their names; empty: none
}

// takeJSON reads the body of a request by read, and puts its groups into the queue.
// Their memory is used again for other requests.
func takeJSON(s *Server, c *call, read func(*atropos.Reader, []byte) ([]*quintain.Group, error)) (intake, error) {
	return decodeBody(s, c, func(b []byte) (intake, error) {
		r, ok := s.readers.Get().(*atropos.Reader)
		if !ok {
			r = new(atropos.Reader)
		}
		defer s.readers.Put(r)
		var groups []*quintain.Group
		var err error
		s.compute(func() { groups, err = read(r, b) })
		if err != nil {
			return intake{}, err
		}
		return s.take(c, groups)
	})
}

func (in intake) appendWarnings(body []byte) []byte {
	for i, w := range in.warnings {
		if i == 0 {
			body = append(body, `,"warnings":[`...)
		} else {
			body = append(body, ',')
		}
		body = atropos.AppendString(body, w)
	}
	if len(in.warnings) > 0 {
		body = append(body, ']')
	}
	return body
}

// take puts the groups of a request into the queue. They are on disk when it
// returns.
func (s *Server) take(c *call, groups []*quintain.Group) (in intake, err error) {
	if err := s.checkSizes(groups); err != nil {
		return in, err
	}
	if err := nameGroups(c.r, groups); err != nil {
		return in, err
	}
	in.ids = make([]string, len(groups))
	for i, g := range groups {
		in.ids[i] = g.ID
		if unfit := atropos.DropUnfit(g); unfit != nil {
			s.log.Warn("advantages do not fit the tokens and are dropped", "group", i, "of", len(groups), "err", unfit)
			in.warnings = append(in.warnings, fmt.Sprintf("group %d: dropped: %v", i, unfit))
		}
		if g.EnvID != nil {
			s.hear(*g.EnvID)
		}
	}
	ctx := context.WithoutCancel(c.r.Context())
	tokens := make([]int, len(groups))
	for i, g := range groups {
		tokens[i] = g.TokenCount()
	}
	if odd := s.oddGroups(groups); len(odd) > 0 {
		s.keepLatest()
		if err := s.putOdd(ctx, groups, odd, &in); err != nil {
			return in, err
		}
		s.noteLatest(groups)
		s.noteTaken(tokens, in)
		return in, s.makeRoom(ctx)
	}
	if in.fresh, err = s.queue.PutAll(ctx, groups); err != nil {
		return in, err
	}
	s.noteTaken(tokens, in)
	s.setLatest(nil)
	return in, s.makeRoom(ctx)
}

// checkSizes reports what of groups is beyond the limits.
func (s *Server) checkSizes(groups []*quintain.Group) error {
	limits := s.config.Limits
	if len(groups) > limits.Groups {
		return &atropos.Error{Type: "too_long", Msg: fmt.Sprintf("List should have at most %d groups", limits.Groups)}
	}
	for i, g := range groups {
		var loc []any
		if len(groups) > 1 {
			loc = []any{i}
		}
		if n := g.Sequences(); n > limits.Sequences {
			return &atropos.Error{Type: "too_long", Loc: append(loc, "tokens"), Msg: fmt.Sprintf("has %d sequences, and the limit is %d", n, limits.Sequences)}
		}
		for j, tokens := range g.Tokens {
			if len(tokens) > limits.Tokens {
				return &atropos.Error{Type: "too_long", Loc: append(loc, "tokens", j), Msg: fmt.Sprintf("has %d tokens, and the limit is %d", len(tokens), limits.Tokens)}
			}
		}
	}
	return nil
}

// noteTaken counts what was put; tokens is how many each group has.
func (s *Server) noteTaken(tokens []int, in intake) {
	fresh, sum := 0, 0
	for i, n := range tokens {
		if in.fresh[i] {
			fresh++
			sum += n
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.posts++
	s.counts.unfit += uint64(len(in.warnings))
	s.counts.groupsIn += uint64(fresh)
	s.counts.tokensIn += uint64(sum)
	s.events.tell("groups", map[string]any{"groups": fresh, "tokens": sum, "known": len(tokens) - fresh})
}

// noteLatest makes the last of groups that is not held the one that came last.
func (s *Server) noteLatest(groups []*quintain.Group) {
	s.mu.RLock()
	held := s.held
	s.mu.RUnlock()
	for _, g := range slices.Backward(groups) {
		if _, waits := held.sizes[g.ID]; waits {
			continue
		}
		if body, err := s.codec.EncodeFast(g); err == nil { // it was encoded once already
			s.setLatest(body)
		}
		return
	}
}

// keepLatest keeps the group that came last what it is while others are put, which may be
// held.
func (s *Server) keepLatest() {
	s.mu.RLock()
	kept := s.latest != nil
	s.mu.RUnlock()
	if kept {
		return
	}
	body := s.queue.Newest()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == nil {
		s.latest = body
	}
}

// setLatest makes body the group that came last; nil is the one that was put last.
func (s *Server) setLatest(body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = body
}

// closedToGroups answers a request that brings groups where none are taken, and
// reports whether it did.
func (s *Server) closedToGroups(c *call) bool {
	limits := s.config.Limits
	switch {
	case s.draining.Load():
		s.skipBody(c)
		c.w.Header().Set("Retry-After", "10")
		s.detail(c, http.StatusServiceUnavailable, "the hub is draining and takes no more groups")
	case !limits.DropOldest && s.queue.Waiting().Groups >= limits.Waiting:
		s.count(func(n *counts) { n.full++ })
		s.skipBody(c)
		c.w.Header().Set("Retry-After", "1")
		s.detail(c, http.StatusTooManyRequests, fmt.Sprintf("%d groups wait, and there is no room for more", limits.Waiting))
	default:
		return false
	}
	return true
}

// makeRoom drops what has waited longest and is beyond the limit, where that is what is
// to be dropped. It is leased first, so that it comes into no batch meanwhile.
func (s *Server) makeRoom(ctx context.Context) error {
	limits := s.config.Limits
	if !limits.DropOldest || s.queue.Waiting().Groups <= limits.Waiting {
		return nil
	}
	surplus, err := s.queue.Lease(ctx, queue.Want{Consumer: "room", Raw: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		return waiting[:max(0, len(waiting)-limits.Waiting)]
	}})
	if err != nil || len(surplus) == 0 {
		if isCorrupt(err) {
			return nil // it is set aside, which makes room, too
		}
		return err
	}
	seqs := make([]uint64, len(surplus))
	for i, g := range surplus {
		seqs[i] = g.Seq
	}
	n, err := s.queue.Drop(ctx, seqs...)
	s.count(func(c *counts) { c.dropped += uint64(n) })
	s.events.tell("dropped", map[string]any{"groups": n, "reason": "full"})
	s.log.Warn("groups were dropped to make room", "groups", n, "limit", limits.Waiting)
	return err
}

// nameGroups gives the groups of a request that names itself, and not them, an ID
// each.
func nameGroups(r *http.Request, groups []*quintain.Group) error {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		return nil
	}
	if !atropos.ValidID(key) {
		return &atropos.Error{Type: atropos.TypeValue, Loc: []any{"Idempotency-Key"}, Msg: "should have at most 256 bytes, none of them a control character"}
	}
	for i, g := range groups {
		switch {
		case g.ID != "":
		case len(groups) == 1:
			g.ID = key
		default:
			g.ID = key + "#" + strconv.Itoa(i)
		}
	}
	return nil
}

// oddGroups returns the indices of the groups that have fewer sequences than their
// environment registered.
func (s *Server) oddGroups(groups []*quintain.Group) []int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var odd []int
	for i, g := range groups {
		if g.EnvID == nil || *g.EnvID < 0 || int(*g.EnvID) >= len(s.run.Envs) {
			continue
		}
		if e := s.run.Envs[*g.EnvID]; e.Connected && g.Sequences() < e.GroupSize {
			odd = append(odd, i)
		}
	}
	return odd
}

// putOdd puts groups of which some are odd. Those are held until they make up the
// group size of their environment. Each is known as held before it is in the queue,
// so that no batch gets it and no crash sets it free.
func (s *Server) putOdd(ctx context.Context, groups []*quintain.Group, odd []int, in *intake) (err error) {
	s.sorting.Lock()
	defer s.sorting.Unlock()
	before := s.held
	all := before
	for _, i := range odd {
		g := groups[i]
		if g.ID == "" {
			g.ID = rand.Text()
		}
		if _, twice := all.sizes[g.ID]; !twice {
			all = all.with(*g.EnvID, heldRef{g.ID, g.Sequences()})
		}
	}
	if err := s.hold(ctx, all); err != nil {
		return err
	}
	in.fresh, err = s.queue.PutAll(ctx, groups)
	after := before
	if err == nil {
		for _, i := range odd {
			if in.fresh[i] {
				after = s.sortIn(after, groups[i])
				in.buffered++
				in.lastBuffer = after.sequences(*groups[i].EnvID)
			}
		}
	} else if errors.Is(err, queue.ErrUncertain) {
		after = all // whoever comes again with their IDs settles it
	}
	return errors.Join(err, s.letGo(ctx, after))
}

// sortIn returns h with g held, and without those that it makes up a whole with. Where
// too many are held, all of its environment are let go.
func (s *Server) sortIn(h holding, g *quintain.Group) holding {
	size := 0
	s.mu.RLock()
	if id := int(*g.EnvID); id < len(s.run.Envs) {
		size = s.run.Envs[id].GroupSize
	}
	s.mu.RUnlock()
	if size == 0 { // the run was reset meanwhile
		return h
	}
	h = h.with(*g.EnvID, heldRef{g.ID, g.Sequences()}).completed(*g.EnvID, size)
	ids := h.ids(*g.EnvID)
	if len(ids) < maxHeld {
		return h
	}
	s.count(func(c *counts) { c.letGo += uint64(len(ids)) })
	s.log.Warn("groups that do not make up the size that their environment registered are packed as they are",
		"env", *g.EnvID, "groups", len(ids), "group_size", size)
	return h.without(ids...)
}

// newest returns the group that came last, or nil.
func (s *Server) newest(ctx context.Context) (*quintain.Group, error) {
	s.mu.RLock()
	body := s.latest
	s.mu.RUnlock()
	if body == nil {
		body = s.queue.Newest()
	}
	if body != nil {
		return s.codec.Decode(body)
	}
	last := uint64(0)
	s.queue.View(func(waiting []queue.Entry) {
		if len(waiting) > 0 {
			last = waiting[len(waiting)-1].Seq
		}
	})
	if last == 0 {
		return nil, nil
	}
	d, err := s.queue.Read(ctx, last)
	if errors.Is(err, queue.ErrUnknown) {
		return nil, nil
	}
	return d.Group, err
}
