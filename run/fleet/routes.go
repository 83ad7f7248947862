package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/player"
)

// Member is the role of a worker's key.
const Member web.Role = "worker"

const (
	defaultRun = "default"
	longest    = 5 * time.Minute // wait for a lease
	mostLeases = 1000            // of one request
	mostSmall  = 64 << 10        // bytes of a body without episodes
	mostName   = 256             // bytes of a worker's name
)

// errUnknown refuses a worker that the coordinator does not know, or no longer.
var errUnknown = errors.New("there is no such worker, or it was lost: register anew, with a new instance")

// handlers answer the calls of workers.
type handlers struct{ *Coordinator }

// Routes are those of the coordinator, for the hub of its run; none if it is nil.
func (c *Coordinator) Routes() []web.Route {
	if c == nil {
		return nil
	}
	to := handlers{c}
	all := []web.Route{
		{Method: "GET", Path: PathPlay, For: Member, Serve: to.play},
		{Method: "POST", Path: PathWorkers, For: Member, Serve: to.register},
		{Method: "GET", Path: PathWorkers, For: web.AnyKey, Serve: to.list},
		{Method: "DELETE", Path: PathWorker, For: Member, Serve: to.leave},
		{Method: "POST", Path: PathBeat, For: Member, Serve: to.beat},
		{Method: "POST", Path: PathLeases, For: Member, Serve: to.leases},
		{Method: "GET", Path: PathWeights, For: Member, Serve: func(call *web.Call) error { return c.config.Weights.serve(call, to.waiting) }},
		{Method: "POST", Path: PathFinish, For: Member, Serve: to.finish},
		{Method: "POST", Path: PathTurns, For: Member, Serve: to.keepTurns},
		{Method: "GET", Path: PathTurns, For: Member, Serve: to.turns},
	}
	for i, r := range all {
		all[i].Serve = func(call *web.Call) error {
			call.W.Header().Set(HeaderProcess, c.process)
			if call.Param("run") != defaultRun {
				call.SkipBody()
				return web.Errorf(http.StatusNotFound, "there is no run %q with workers here", call.Param("run"))
			}
			return r.Serve(call)
		}
	}
	return all
}

// send answers with JSON.
func send(call *web.Call, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return call.JSON(http.StatusOK, text)
}

// closed refuses a call while the run is not open.
func closed(call *web.Call) error {
	call.W.Header().Set("Retry-After", "1")
	return web.Errorf(http.StatusServiceUnavailable, "%v", errClosed)
}

// read reads the body of a call, in the form that of reads.
func read[T any](call *web.Call, most int64, of func(body []byte) (T, error)) (T, error) {
	call.MaxBody = most
	return web.ReadBody(call, func(body []byte) (T, error) {
		v, err := of(body)
		if err != nil {
			err = web.Errorf(http.StatusBadRequest, "%v", err)
		}
		return v, err
	})
}

func readJSON[T any](body []byte) (v T, err error) {
	err = strictjson.Unmarshal(body, &v)
	return v, err
}

// readFinish reads a finish, as JSON or as a [Frame].
func readFinish(call *web.Call) (Finish, error) {
	if call.R.Header.Get("Content-Type") != Frame {
		return read(call, mostEpisodes, readJSON[Finish])
	}
	return read(call, mostEpisodes, ReadFrame)
}

func (c handlers) play(call *web.Call) error { return send(call, c.config.Play) }

func (c handlers) list(call *web.Call) error { return send(call, c.Roster()) }

// register takes a worker up.
func (c handlers) register(call *web.Call) error {
	r, err := read(call, mostSmall, readJSON[Registration])
	if err != nil {
		return err
	}
	if err := check(&c.config.Play, &r); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over != "" {
		return web.Errorf(http.StatusGone, "%v", farewell(c.over))
	}
	if !c.isOpen() {
		return closed(call)
	}
	if err := c.suits(r.Policy); err != nil {
		return err
	}
	w, now := c.workers[r.Instance], time.Now()
	switch {
	case w != nil && w.Fault != "":
		return web.Errorf(http.StatusForbidden, "worker %s gets nothing more: %s", w.Name, w.Fault)
	case w == nil && len(c.workers) >= c.config.Settings.Workers:
		return web.Errorf(http.StatusTooManyRequests, "the run has %s, as many as fleet.max_workers allows", stats.Count(len(c.workers), "worker"))
	case w == nil:
		w = &worker{holds: map[uint64]*held{}, Worker: Worker{Instance: r.Instance, Since: now}}
		c.workers[r.Instance] = w
		c.config.Log.Info("a worker has come", "worker", r.Name, "instance", r.Instance, "slots", r.Slots)
	}
	w.Name, w.Slots, w.Model, w.LastSeen = r.Name, r.Slots, r.Policy.Name(), now
	c.policy = c.policy.Complete(r.Policy)
	lease := c.config.Settings.Lease.Seconds()
	to := Welcome{Lease: lease, Beat: lease / 3}
	to.Version, to.Servers, to.Oldest = c.servers.told(c.version())
	return send(call, to)
}

// check refuses a worker that would play other problems, or otherwise.
func check(want *Play, r *Registration) error {
	switch {
	case len(r.Instance) < 16 || len(r.Instance) > 64 || strings.ContainsFunc(r.Instance, func(b rune) bool {
		return (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z')
	}):
		return web.Errorf(http.StatusUnprocessableEntity, "instance: want 16 to 64 letters and digits")
	case len(r.Name) > mostName:
		return web.Errorf(http.StatusUnprocessableEntity, "name: it has %d bytes, at most %d are allowed", len(r.Name), mostName)
	case r.Slots < 1 || r.Slots > 1<<20:
		return web.Errorf(http.StatusUnprocessableEntity, "slots: want 1 or more")
	case r.Program != want.Program:
		return web.Errorf(http.StatusConflict, "program: the worker is %q, and the coordinator is %q: use the same version", r.Program, want.Program)
	case r.Runs != want.Runs:
		return web.Errorf(http.StatusConflict, "sandbox: the coordinator runs programs by %q, and the worker by %q: their verdicts may differ; give both the same sandbox and interpreters, and to an environment the same packages and images", without(want.Runs, r.Runs), without(r.Runs, want.Runs))
	case r.Tasks != want.Tasks:
		return web.Errorf(http.StatusConflict, "tasks: the worker would make other problems (digest %q) than the coordinator (%q): give both the same tasks and files", r.Tasks, want.Tasks)
	}
	return nil
}

// suits refuses a policy that would make other tokens than the run's: than the settings say, than
// the run's own inference server, or than the workers that came before. c.mu is held.
func (c *Coordinator) suits(policy player.Identity) error {
	if c.policy.Model == "" && c.served != nil {
		c.policy.Model = c.served()
	}
	if why := c.policy.Differs(policy); why != "" {
		return web.Errorf(http.StatusConflict, "the worker's policy would make other tokens: its %s; give both the same model, tokenizer, chat template and settings", why)
	}
	return nil
}

// known returns the worker with the instance of a call, which has given a sign of life. The run
// is open, or over. c.mu is held.
func (c handlers) known(call *web.Call, instance string) (*worker, error) {
	w := c.workers[instance]
	switch {
	case !c.isOpen() && c.over == "":
		return nil, closed(call)
	case w == nil:
		return nil, web.Errorf(http.StatusGone, "%v", errUnknown)
	case w.Fault != "":
		return nil, web.Errorf(http.StatusForbidden, "worker %s gets nothing more: %s", w.Name, w.Fault)
	}
	w.LastSeen = time.Now()
	return w, nil
}

// leave ends a worker in order.
func (c handlers) leave(call *web.Call) error {
	c.mu.Lock()
	instance := call.Param("instance")
	w, err := c.known(call, instance)
	if err != nil {
		c.mu.Unlock()
		return err
	}
	all := c.take(w, anyLease)
	if w.left = true; !w.finishes() {
		delete(c.workers, instance)
	}
	c.mu.Unlock()
	c.giveBack(c.tableNow(), Returned, all...)
	return send(call, struct{}{})
}

// beat takes a sign of life.
func (c handlers) beat(call *web.Call) error {
	b, err := read(call, 1<<20, readJSON[Beat])
	if err != nil {
		return err
	}
	c.mu.Lock()
	w, err := c.known(call, call.Param("instance"))
	if err != nil {
		c.mu.Unlock()
		return err
	}
	if w.Slots == 0 && b.Slots > 0 && b.Name != "" && len(b.Name) <= mostName { // its leases were taken over
		w.Name, w.Slots, w.Model = b.Name, b.Slots, b.Policy.Name()
		if c.suits(b.Policy) == nil {
			c.policy = c.policy.Complete(b.Policy)
		}
	}
	w.servers = b.Servers
	if c.over != "" {
		defer c.mu.Unlock()
		return send(call, Answer{Version: -1, Over: c.over})
	}
	var a Answer
	a.Version, a.Servers, a.Oldest = c.servers.told(c.version())
	named := map[uint64]bool{}
	for _, n := range b.Leases {
		named[n] = true
		if w.holds[n] == nil {
			a.Gone = append(a.Gone, n)
		}
	}
	unknown := c.unnamed(w, named)
	c.mu.Unlock()
	c.giveBack(c.tableNow(), Returned, unknown...)
	return send(call, a)
}

// unnamed takes the leases from a worker of which it does not know, because an answer was lost.
// c.mu is held.
func (c *Coordinator) unnamed(w *worker, named map[uint64]bool) (all []*held) {
	for n, h := range w.holds {
		if !named[n] && h.busy == nil && time.Since(h.granted) > c.config.Settings.Lease {
			all = append(all, h)
			c.drop(h)
		}
	}
	return all
}

// leases grants problems to a worker that waits for them.
func (c handlers) leases(call *web.Call) error {
	call.SkipBody()
	q := call.R.URL.Query()
	most, err := strconv.Atoi(cmp.Or(q.Get("max"), "1"))
	if err != nil || most < 1 || most > mostLeases {
		return web.Errorf(http.StatusUnprocessableEntity, "max: want 1 to %d", mostLeases)
	}
	ctx, end, err := c.waiting(call)
	if err != nil {
		return err
	}
	defer end()
	instance := q.Get("instance")
	c.mu.Lock()
	w, err := c.known(call, instance)
	if err != nil {
		c.mu.Unlock()
		return err
	}
	over := c.over
	w.asks++
	c.mu.Unlock()
	defer c.asked(call, w)
	if over != "" {
		return send(call, Grant{Version: -1, Over: over})
	}
	leases, err := c.grant(ctx, instance, ask{most, q.Get("exams") == "only"})
	switch {
	case errors.Is(err, errClosed):
		return closed(call)
	case errors.Is(err, errUnknown):
		return web.Errorf(http.StatusGone, "%v", err)
	case err != nil:
		return fmt.Errorf("granting leases: %w", err)
	}
	g := Grant{Leases: leases}
	c.mu.Lock()
	g.Version, g.Servers, g.Oldest = c.servers.told(c.version())
	c.mu.Unlock()
	return send(call, g)
}

// asked ends a call for leases, which was a sign of life until now unless the worker hung up.
func (c handlers) asked(call *web.Call, w *worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.asks--
	if call.Context().Err() == nil {
		w.LastSeen = time.Now()
	}
}

// waiting returns a context for a call that waits on purpose: it ends after the wait of its query,
// when the run plays no more, and with the run. The caller must call end.
func (c handlers) waiting(call *web.Call) (ctx context.Context, end func(), err error) {
	seconds, err := strconv.ParseFloat(cmp.Or(call.R.URL.Query().Get("wait"), "0"), 64)
	if err != nil || !(seconds >= 0) || math.IsInf(seconds, 0) {
		return nil, nil, web.Errorf(http.StatusUnprocessableEntity, "wait: want seconds")
	}
	c.mu.Lock()
	open, running := c.isOpen() || c.over != "", c.around
	if c.table != nil {
		running = c.running
	}
	c.mu.Unlock()
	if !open {
		return nil, nil, closed(call)
	}
	call.Waits = true
	ctx, cancel := context.WithTimeout(call.Context(), min(longest, time.Duration(seconds*float64(time.Second))))
	stop := context.AfterFunc(running, cancel)
	return ctx, func() { stop(); cancel() }, nil
}
