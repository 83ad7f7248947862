package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Bounds of journals.
const (
	mostTurns    = 256 << 20 // bytes of a call
	mostJournal  = 32 << 20  // bytes in memory of a problem's turns: JSON may take six times as many
	turnOverhead = 512       // bytes in memory of a turn, without its texts and numbers
)

// errFull says that the turns of a lease are not kept any more.
var errFull = errors.New("there is no room for more turns of this lease (fleet.journal)")

// journals keep the turns of episodes under way, in memory. What a worker adds is in the form of
// [Turns] and has been checked. Many goroutines may use them.
type journals struct {
	most int // bytes

	mu    sync.Mutex
	bytes int
	of    map[string]*journal // by the ID of the problem
}

// A journal has the turns of a problem's episodes.
type journal struct {
	bytes    int
	episodes map[int]rollout.Begun // whole, by number
}

// add adds what is new, and returns how far the episodes are.
func (j *journals) add(problem string, news []rollout.Begun) (map[int]rollout.Mark, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	of := j.of[problem]
	if of == nil {
		of = &journal{episodes: map[int]rollout.Begun{}}
	}
	for _, b := range news {
		old := of.episodes[b.Number]
		if b.From > len(old.Episode.Turns) || b.From > 0 && b.Episode.Replays != old.Episode.Replays {
			continue // the worker learns from the answer what is missing
		}
		turns := old.Episode.Turns[:b.From]
		grows := weight(b.Episode.Turns) - weight(old.Episode.Turns[b.From:])
		if j.bytes+grows > j.most || of.bytes+grows > mostJournal {
			return nil, errFull
		}
		j.bytes, of.bytes = j.bytes+grows, of.bytes+grows
		b.From, b.Episode.Turns = 0, slices.Concat(turns, b.Episode.Turns)
		of.episodes[b.Number] = b
		j.of[problem] = of
	}
	return of.marks(), nil
}

// marks tells how far the episodes are.
func (j *journal) marks() map[int]rollout.Mark {
	marks := map[int]rollout.Mark{}
	for n, b := range j.episodes {
		marks[n] = b.Mark()
	}
	return marks
}

// weight is about what turns take in memory, in bytes.
func weight(turns []quintain.Turn) (sum int) {
	for i := range turns {
		t := &turns[i]
		sum += turnOverhead + 4*(len(t.Read)+len(t.Wrote)+len(t.LogProbs)+len(t.Versions)) + len(t.Reply) + len(t.Reasoning) + len(t.Answer) + len(t.Why) + len(t.CallFault)
		for _, c := range t.ToolCalls {
			sum += len(c.Arguments) + len(c.Raw) + len(c.Name)
		}
		for _, m := range t.Observed {
			sum += turnOverhead + len(m.Content) + len(m.Reasoning)
			for _, p := range m.Parts {
				sum += len(p.Text) + len(p.Raw)
			}
		}
	}
	return sum
}

// drop forgets the turns of a problem.
func (j *journals) drop(p quintain.Problem) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.of) == 0 { // mostly, and an ID takes a while to make
		return
	}
	id := p.ID()
	if of := j.of[id]; of != nil {
		j.bytes -= of.bytes
		delete(j.of, id)
	}
}

// size is about how much memory the turns take, in bytes.
func (j *journals) size() float64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return float64(j.bytes)
}

// has reports whether a problem has turns.
func (j *journals) has(p quintain.Problem) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.of) > 0 && j.of[p.ID()] != nil
}

// begun returns the episodes of a problem that have turns, or more to tell.
func (j *journals) begun(problem string) (all []rollout.Begun) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if of := j.of[problem]; of != nil {
		for _, b := range of.episodes {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b rollout.Begun) int { return cmp.Compare(a.Number, b.Number) })
	return all
}

// forget drops the turns of problems that were played, or whose worker lied.
func (c *Coordinator) forget(all ...*held) {
	for _, h := range all {
		c.journals.drop(h.Problem)
	}
}

// lent returns the lease of a call that its worker holds.
func (c handlers) lent(call *web.Call, instance string) (*held, error) {
	number, err := leaseOfCall(call)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holding(call, number, instance)
}

// keepTurns takes the turns of a lease.
func (c handlers) keepTurns(call *web.Call) error {
	t, err := read(call, mostTurns, ReadTurns)
	if err != nil {
		return err
	}
	h, err := c.lent(call, t.Instance)
	if err != nil {
		return err
	}
	if err := c.examineTurns(h, &t); err != nil {
		c.faultNow(h, err)
		return web.Errorf(http.StatusUnprocessableEntity, "%v", err)
	}
	c.mu.Lock() // a worker that is fenced changes nothing
	var marks map[int]rollout.Mark
	if c.held[h.Number] == h {
		marks, err = c.journals.add(h.Problem.ID(), t.Episodes)
	} else {
		err = web.Errorf(http.StatusGone, "lease %d is over", h.Number)
	}
	c.mu.Unlock()
	if errors.Is(err, errFull) {
		return web.Errorf(http.StatusInsufficientStorage, "%v", err)
	}
	if err != nil {
		return err
	}
	return send(call, Kept{marks})
}

// faultNow is fault for a lease that its worker may be giving back at the same time.
func (c *Coordinator) faultNow(h *held, why error) {
	c.mu.Lock()
	if h.busy != nil || c.held[h.Number] != h {
		c.mu.Unlock()
		return
	}
	h.busy = make(chan struct{})
	c.mu.Unlock()
	defer c.release(h)
	c.fault(h, why)
}

// turns answers with the turns of a lease.
func (c handlers) turns(call *web.Call) error {
	call.SkipBody()
	h, err := c.lent(call, call.R.URL.Query().Get("instance"))
	if err != nil {
		return err
	}
	frame, err := AppendTurns(nil, &Turns{Episodes: c.journals.begun(h.Problem.ID())})
	if err != nil {
		return err
	}
	call.Plain = true // numbers hardly shrink
	return call.Body(http.StatusOK, Frame, frame)
}

// examineTurns checks what a worker says of episodes that are under way.
func (c *Coordinator) examineTurns(h *held, t *Turns) error {
	for i := range t.Episodes {
		b := &t.Episodes[i]
		if err := cmp.Or(checkBegun(b, h.size), checkTurns(&b.Episode), c.config.Weights.check(&b.Episode)); err != nil {
			return fmt.Errorf("episodes[%d]: %w", i, err)
		}
	}
	return nil
}

// checkBegun reports the first thing of an episode under way that no player of ours writes.
func checkBegun(b *rollout.Begun, size int) error {
	e := &b.Episode
	switch {
	case b.Number < 0 || b.Number >= size:
		return fmt.Errorf("number: it is %d, in a group of %s", b.Number, stats.Count(size, "episode"))
	case b.From < 0 || b.Replies < 0 || e.Took < 0 || e.Replays < 0:
		return errors.New("from, replies, took or replays: it is negative")
	case e.Problem.Task != "":
		return errors.New("episode.problem: the coordinator knows it")
	case e.Outcome != "" && e.Outcome != quintain.TimedOut:
		return fmt.Errorf("episode.outcome: it is %q, and the episode is under way", e.Outcome)
	}
	for k := range e.Turns {
		if e.Turns[k].Call != nil {
			return fmt.Errorf("turns[%d].call: no agent's episode goes on elsewhere", k)
		}
	}
	return nil
}
