package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// An intake puts received groups into the queue of a run.
type intake struct {
	queue  *queue.Queue
	log    *slog.Logger
	limits Settings
	codec  *groupform.Codec

	registry *registry.Registry
	holds    *heldGroups
	events   *web.EventLog
	tally    *tally
	twins    registry.Twins

	mu     sync.Mutex // guards latest; nothing else is called under it
	latest []byte     // the latest group, encoded; nil: the last one put
}

// A taken is the outcome of a request with groups.
type taken struct {
	buffered   int      // groups held, even for a moment
	lastBuffer int      // held sequences of the last such group's environment
	warnings   []string // dropped parts, and why
	fresh      []bool   // whether each group is new
	ids        []string // empty: none
}

// appendWarnings appends a member of a JSON object with the warnings, if any.
func (t taken) appendWarnings(body []byte) []byte {
	for i, w := range t.warnings {
		if i == 0 {
			body = append(body, `,"warnings":[`...)
		} else {
			body = append(body, ',')
		}
		body = strictjson.AppendLegible(body, w)
	}
	if len(t.warnings) > 0 {
		body = append(body, ']')
	}
	return body
}

// take puts groups into the queue, durably when it returns. key, if not empty, names the
// request and its groups without ID.
func (in *intake) take(ctx context.Context, groups []*quintain.Group, key string) (t taken, err error) {
	if err := in.checkSizes(groups); err != nil {
		return t, err
	}
	if err := nameGroups(key, groups); err != nil {
		return t, err
	}
	t.ids = make([]string, len(groups))
	tokens, problems := make([]int, len(groups)), make([]registry.Play, len(groups))
	for i, g := range groups {
		t.ids[i], tokens[i], problems[i] = g.ID, g.TokenCount(), registry.PlayOf(g)
		if unfit := atropos.DropUnfit(g); unfit != nil {
			in.log.Warn("advantages do not match the tokens and are dropped", "group", i, "of", len(groups), "err", unfit)
			t.warnings = append(t.warnings, fmt.Sprintf("group %d: dropped: %v", i, unfit))
		}
		if g.EnvID != nil {
			in.registry.Hear(*g.EnvID)
		}
	}
	if odd := in.oddGroups(groups); len(odd) > 0 {
		if err := in.putOdd(ctx, groups, odd, &t); err != nil {
			return t, err
		}
	} else {
		if t.fresh, err = in.queue.PutAll(ctx, groups); err != nil {
			return t, err
		}
		in.noteFresh(t.fresh)
	}
	in.note(tokens, t)
	in.noteTwins(problems, t.fresh)
	return t, in.makeRoom(ctx)
}

// errOdd says that some groups must be held, for which they must be decoded.
var errOdd = errors.New("groups of an odd size")

// An encoded is a request's groups in binary form.
type encoded struct {
	bodies  [][]byte
	key     string          // see [intake.take]
	reserve func(int) error // reserves memory for the request
}

// takeEncoded is [intake.take] for groups in binary form, unchanged if possible.
func (in *intake) takeEncoded(ctx context.Context, from encoded) (t taken, err error) {
	bodies, key := from.bodies, from.key
	largest := 0
	for i, body := range bodies {
		size, err := in.codec.ViewSize(body)
		if err != nil {
			return t, fmt.Errorf("group %d: %w", i, err)
		}
		largest = max(largest, size)
	}
	if err := from.reserve(largest); err != nil { // groups are decoded one by one
		return t, err
	}
	t.ids = make([]string, len(bodies))
	tokens, problems, envs := make([]int, len(bodies)), make([]registry.Play, len(bodies)), make(map[int32]bool)
	t.fresh, err = in.queue.PutEncoded(ctx, bodies, func(i int, g *quintain.Group) error {
		one := []*quintain.Group{g}
		if err := in.checkEncoded(i, one); err != nil {
			return err
		}
		if key != "" || len(in.oddGroups(one)) > 0 {
			return errOdd
		}
		t.ids[i], tokens[i], problems[i] = g.ID, g.TokenCount(), registry.PlayOf(g)
		if g.EnvID != nil {
			envs[*g.EnvID] = true
		}
		return nil
	})
	if errors.Is(err, errOdd) || errors.Is(err, groupform.ErrVast) {
		return in.takeDecoded(ctx, from)
	}
	if err != nil {
		return t, err
	}
	for id := range envs {
		in.registry.Hear(id)
	}
	in.note(tokens, t)
	in.noteTwins(problems, t.fresh)
	in.noteFresh(t.fresh)
	return t, in.makeRoom(ctx)
}

// takeDecoded decodes groups and puts them into the queue.
func (in *intake) takeDecoded(ctx context.Context, from encoded) (t taken, err error) {
	groups := make([]*quintain.Group, len(from.bodies))
	for i, body := range from.bodies {
		size, err := in.codec.VastSize(body)
		if err != nil {
			return t, err
		}
		if err := from.reserve(size); err != nil {
			return t, err
		}
		if groups[i], err = in.codec.Decode(body); err != nil {
			return t, fmt.Errorf("group %d: %w", i, err)
		}
		if err := in.checkEncoded(i, groups[i:i+1]); err != nil {
			return t, err
		}
	}
	return in.take(ctx, groups, from.key)
}

// checkEncoded checks group i as reading JSON would.
func (in *intake) checkEncoded(i int, one []*quintain.Group) error {
	if len(one[0].Tokens) == 0 {
		return &groupform.FormatError{Field: "tokens", Why: fmt.Sprintf("group %d has no sequences", i)}
	}
	if err := atropos.CheckFree(one[0]); err != nil {
		return err
	}
	return in.checkSizes(one)
}

// checkSizes checks the limits, and that each sequence has tokens, none below 0.
func (in *intake) checkSizes(groups []*quintain.Group) error {
	limits := in.limits
	if len(groups) > limits.MaxGroups {
		return &atropos.Error{Type: "too_long", Msg: fmt.Sprintf("List should have at most %d groups", limits.MaxGroups)}
	}
	for i, g := range groups {
		var loc []any
		if len(groups) > 1 {
			loc = []any{i}
		}
		if n := g.Sequences(); n > limits.MaxSequences {
			return &atropos.Error{Type: "too_long", Loc: append(loc, "tokens"), Msg: fmt.Sprintf("has %s, want at most %d", stats.Count(n, "sequence"), limits.MaxSequences)}
		}
		for j, tokens := range g.Tokens {
			if len(tokens) > limits.MaxTokens {
				return &atropos.Error{Type: "too_long", Loc: append(loc, "tokens", j), Msg: fmt.Sprintf("has %s, want at most %d", stats.Count(len(tokens), "token"), limits.MaxTokens)}
			}
			if len(tokens) == 0 {
				return &atropos.Error{Type: atropos.TypeValue, Loc: append(loc, "tokens", j), Msg: "has no token, want one or more"}
			}
			if anyBelow0(tokens) {
				return &atropos.Error{Type: atropos.TypeValue, Loc: append(loc, "tokens", j), Msg: fmt.Sprintf("has the token %d, want none below 0", slices.Min(tokens))}
			}
		}
	}
	return nil
}

// anyBelow0 reports whether a token is below 0, by the signs of all at once.
func anyBelow0(tokens []quintain.Token) bool {
	var signs quintain.Token
	for ; len(tokens) >= 8; tokens = tokens[8:] {
		eight := (*[8]quintain.Token)(tokens)
		signs |= eight[0] | eight[1] | eight[2] | eight[3] | eight[4] | eight[5] | eight[6] | eight[7]
	}
	for _, token := range tokens {
		signs |= token
	}
	return signs < 0
}

// nameGroups derives IDs from the request's name, which is that of the first, for groups without one.
func nameGroups(key string, groups []*quintain.Group) error {
	if key == "" {
		return nil
	}
	if !atropos.ValidID(key) {
		return &atropos.Error{Type: atropos.TypeValue, Loc: []any{"Idempotency-Key"}, Msg: "should have at most 256 bytes, none of them a control character"}
	}
	for i, g := range groups {
		if g.ID != "" {
			continue
		}
		if g.ID = key; i > 0 {
			g.ID += "#" + strconv.Itoa(i)
		}
	}
	return nil
}

// note counts the groups of a request, given their tokens.
func (in *intake) note(tokens []int, t taken) {
	fresh, sum := 0, 0
	for i, n := range tokens {
		if t.fresh[i] {
			fresh++
			sum += n
		}
	}
	in.tally.count(func(n *counts) {
		n.posts++
		n.unfit += uint64(len(t.warnings))
		n.groupsIn += uint64(fresh)
		n.tokensIn += uint64(sum)
	})
	in.events.Add("groups", map[string]any{"groups": fresh, "tokens": sum, "known": len(tokens) - fresh})
}

// noteTwins counts the problems that several environments have played, and warns of the
// first.
func (in *intake) noteTwins(problems []registry.Play, fresh []bool) {
	for i, p := range problems {
		if !fresh[i] {
			continue
		}
		twin, first := in.twins.Note(p)
		if twin {
			in.tally.count(func(n *counts) { n.twins++ })
		}
		if first {
			in.log.Warn("environments play the same problems: give each an env.seed of its own, or update those that do not ask the hub for their share",
				"problem", p.Problem, "run", p.By)
		}
	}
}

// full reports whether too many groups wait to take more.
func (in *intake) full() bool {
	most := in.limits.MaxWaiting
	return most > 0 && in.limits.WhenFull == Refuse && in.queue.Waiting().Groups >= most
}

// makeRoom drops the oldest groups beyond the limit, if the settings say so. It leases them
// first, so that they come into no batch meanwhile.
func (in *intake) makeRoom(ctx context.Context) error {
	most := in.limits.MaxWaiting
	if most == 0 || in.limits.WhenFull != DropOldest || in.queue.Waiting().Groups <= most {
		return nil
	}
	surplus, err := in.queue.Lease(ctx, queue.Want{Consumer: "room", Blind: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		return waiting[:max(0, len(waiting)-most)]
	}})
	if err != nil || len(surplus) == 0 {
		return err
	}
	seqs := make([]uint64, len(surplus))
	for i, g := range surplus {
		seqs[i] = g.Seq
	}
	dropped, err := in.queue.Drop(ctx, seqs...)
	in.tally.count(func(n *counts) { n.dropped += uint64(dropped) })
	in.events.Add("dropped", map[string]any{"groups": dropped, "reason": "full"})
	in.log.Warn("groups were dropped to make room", "groups", dropped, "limit", most)
	return err
}

// oddGroups returns the indices of groups with fewer sequences than their environment
// registered.
func (in *intake) oddGroups(groups []*quintain.Group) []int {
	var odd []int
	for i, g := range groups {
		if g.EnvID == nil {
			continue
		}
		if e := in.registry.Env(*g.EnvID); e != nil && e.Connected && g.Sequences() < e.GroupSize {
			odd = append(odd, i)
		}
	}
	return odd
}

// putOdd puts groups, some of them odd. Odd groups are held until they complete their
// environment's group size: they are put as held, so no batch gets them and no crash frees
// them.
func (in *intake) putOdd(ctx context.Context, groups []*quintain.Group, odd []int, t *taken) error {
	hold := make([]bool, len(groups))
	for _, i := range odd {
		hold[i] = true
	}
	seqs, fresh, err := in.queue.PutHeld(ctx, groups, hold)
	if err != nil {
		return err
	}
	t.fresh = fresh
	for _, i := range odd {
		env, through := *groups[i].EnvID, seqs[i]
		if !fresh[i] { // from an earlier request with an unknown outcome
			through = math.MaxUint64
		}
		left, err := in.holds.settle(ctx, env, through)
		if err != nil {
			return err
		}
		if fresh[i] {
			t.buffered++
			t.lastBuffer = left
		}
	}
	in.noteLatest(groups, seqs, hold)
	return nil
}

// noteFresh records the last group put as the latest, if any is fresh.
func (in *intake) noteFresh(fresh []bool) {
	if slices.Contains(fresh, true) {
		in.setLatest(nil)
	}
}

// noteLatest records the last unheld group as the latest.
func (in *intake) noteLatest(groups []*quintain.Group, seqs []uint64, hold []bool) {
	for i, g := range slices.Backward(groups) {
		if seqs[i] == 0 { // a duplicate
			continue
		}
		if !hold[i] {
			in.setLatest(nil)
			return
		}
		if in.waits(*g.EnvID, seqs[i]) {
			continue
		}
		body, err := in.codec.EncodeFast(g)
		if err != nil {
			return // cannot happen: it was encoded before
		}
		in.setLatest(body)
		return
	}
}

// waits reports whether a group is still held.
func (in *intake) waits(env int32, seq uint64) bool {
	return slices.ContainsFunc(in.queue.Held(env), func(e queue.Entry) bool { return e.Seq == seq })
}

// setLatest makes body the latest group; nil stands for the last one put.
func (in *intake) setLatest(body []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.latest = body
}

// newest returns the latest group, or nil.
func (in *intake) newest(c *web.Call) (*quintain.Group, error) {
	in.mu.Lock()
	body := in.latest
	in.mu.Unlock()
	if body == nil {
		body = in.queue.Newest()
	}
	if body != nil {
		size, err := in.codec.VastSize(body)
		if err != nil {
			return nil, err
		}
		if err := c.Reserve(size); err != nil {
			return nil, err
		}
		defer c.Release(size)
		return in.codec.Decode(body)
	}
	last := uint64(0)
	in.queue.View(func(waiting []queue.Entry) {
		for i := len(waiting) - 1; i >= 0 && last == 0; i-- {
			if !waiting[i].Held() {
				last = waiting[i].Seq
			}
		}
	})
	if last == 0 {
		return nil, nil
	}
	d, err := in.queue.Read(c.Context(), last)
	if errors.Is(err, queue.ErrUnknown) {
		return nil, nil
	}
	return d.Group, err
}
