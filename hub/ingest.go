package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// scoredData takes one group.
func (s *Server) scoredData(c *call) {
	g, err := decodeBody(s, c, atropos.DecodeGroup)
	if err != nil {
		s.fail(c, err)
		return
	}
	in, err := s.take(c, []*quintain.Group{g})
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
	groups, err := decodeBody(s, c, atropos.DecodeGroups)
	if err == nil && len(groups) > queue.MaxPutAll {
		err = &atropos.Error{Type: "too_long", Msg: fmt.Sprintf("List should have at most %d groups", queue.MaxPutAll)}
	}
	var in intake
	if err == nil {
		in, err = s.take(c, groups)
	}
	if err != nil {
		s.fail(c, err)
		return
	}
	body := fmt.Appendf(nil, `{"status":"received","groups_processed":%d`, len(groups))
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
	if err := nameGroups(c.r, groups); err != nil {
		return in, err
	}
	for i, g := range groups {
		if unfit := atropos.DropUnfit(g); unfit != nil {
			s.log.Warn("advantages do not fit the tokens and are dropped", "group", i, "of", len(groups), "err", unfit)
			in.warnings = append(in.warnings, fmt.Sprintf("group %d: dropped: %v", i, unfit))
		}
		if g.EnvID != nil {
			s.hear(*g.EnvID)
		}
	}
	ctx := context.WithoutCancel(c.r.Context())
	odd := s.oddGroups(groups)
	if len(odd) > 0 {
		err = s.putOdd(ctx, groups, odd, &in)
	} else {
		_, err = s.queue.PutAll(ctx, groups)
	}
	if err != nil {
		return in, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.posts++
	s.counts.unfit += uint64(len(in.warnings))
	for i := len(groups) - 1; i >= 0; i-- {
		if _, held := s.held.sizes[groups[i].ID]; !held {
			s.latest = groups[i]
			break
		}
	}
	return in, nil
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
func (s *Server) putOdd(ctx context.Context, groups []*quintain.Group, odd []int, in *intake) error {
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
	fresh, err := s.queue.PutAll(ctx, groups)
	after := before
	if err == nil {
		for _, i := range odd {
			if fresh[i] {
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

// sortIn returns h with g held, and without those that it makes up a whole with.
func (s *Server) sortIn(h holding, g *quintain.Group) holding {
	s.mu.RLock()
	size := s.run.Envs[*g.EnvID].GroupSize
	s.mu.RUnlock()
	return h.with(*g.EnvID, heldRef{g.ID, g.Sequences()}).completed(*g.EnvID, size)
}

// newest returns the group that came last, or nil.
func (s *Server) newest(ctx context.Context) (*quintain.Group, error) {
	s.mu.RLock()
	g := s.latest
	s.mu.RUnlock()
	if g != nil {
		return g, nil
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
