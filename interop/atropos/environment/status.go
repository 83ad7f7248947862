package environment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A LinkStatus is the hub's report to an environment: the reply of GET /status-env.
type LinkStatus struct {
	Step        int     `json:"current_step"`
	Queued      int     `json:"queue_size"`      // waiting groups of the environment's size
	Own         int     `json:"self_queue_size"` // of these, the environment's own
	MaxGroup    int     `json:"max_group_size"`  // sequences of the largest waiting group
	Unallocated float64 `json:"unallocated_fraction"`
	Weight      float64 `json:"env_weight"` // the environment's share of the inference servers
}

// info is the reply of GET /info; -1: unknown.
type info struct {
	BatchSize int `json:"batch_size"`
	MaxTokens int `json:"max_token_len"`
}

// errWait says that there is no trainer yet.
var errWait = errors.New("no trainer takes batches there yet")

// poll asks for the status, after registering if the hub does not know the environment. It
// reports when the hub goes away and when it is back. Quintain's hub may wait for so long until
// the status has changed; a poll without a wait ends those of others. An error of Open is a
// [*RefusedError].
func (l *Link) poll(ctx context.Context, wait time.Duration) error {
	during, end := context.WithCancel(ctx)
	defer end()
	if wait == 0 {
		l.mu.Lock()
		if l.hurry != nil {
			l.hurry()
		}
		l.mu.Unlock()
	}
	l.asking.Lock()
	defer l.asking.Unlock()
	if wait > 0 {
		l.setHurry(end)
		defer l.setHurry(nil)
	}
	err := l.ask(during, wait)
	if ctx.Err() == nil && during.Err() != nil {
		return nil // it was ended for another
	}
	if ctx.Err() == nil {
		l.tell(err)
	}
	return err
}

// setHurry sets what ends the wait of a poll.
func (l *Link) setHurry(end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hurry = end
}

// ask registers if necessary, and asks for the status.
func (l *Link) ask(ctx context.Context, wait time.Duration) error {
	if !l.isRegistered() {
		if err := l.register(ctx); err != nil {
			return err
		}
	}
	return l.askStatus(ctx, wait)
}

// tell reports when the hub goes away and when it is back.
func (l *Link) tell(err error) {
	if e, ok := errors.AsType[*httpclient.Error](err); ok && e.Status == 0 {
		err = e.Err // whatever was asked
	}
	l.mu.Lock()
	was, now := l.fault, ""
	if err != nil {
		now = err.Error()
	}
	l.fault = now
	l.mu.Unlock()
	if now == was {
		return
	}
	if now == "" {
		l.config.Say("the hub %s answers again", l.config.URL)
		return
	}
	l.config.Say("waiting for the hub %s: %s", l.config.URL, now)
}

// askStatus asks for the status. If the hub does not know the environment, the next poll
// registers it. It waits for no other status while groups are sent that the last one does not
// tell of.
func (l *Link) askStatus(ctx context.Context, wait time.Duration) error {
	l.mu.Lock()
	env, seen := l.env, l.unseen
	l.mu.Unlock()
	to := call{method: http.MethodGet, path: "status-env", body: fmt.Appendf(nil, `{"env_id":%d}`, env)}
	if l.hub.ours {
		if seen > 0 {
			wait = 0
		}
		to.query = url.Values{"wait": {wait.String()}, "seen": {l.mark}}.Encode()
	}
	var s LinkStatus
	a, err := l.hub.ask(ctx, to, &s)
	l.mark = a.Header.Get("Quintain-Status") // of Quintain's hub
	if silent(err) || a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable {
		return l.lose(err)
	}
	if err == nil && (s.MaxGroup < 1 || s.Queued < 0 || s.Own < 0) {
		err = a.Invalid(errors.New("it is no status"))
	}
	if err != nil {
		l.forget()
		return fmt.Errorf("it does not know the environment any more: %w", err)
	}
	l.take(s, seen)
	return nil
}

// lose records that a hub did not answer. A run-api that went away has forgotten
// everything, and another environment may get the ID.
func (l *Link) lose(err error) error {
	e, ok := errors.AsType[*httpclient.Error](err)
	l.mu.Lock()
	defer l.mu.Unlock()
	if ok && e.Unreached() && l.env >= 0 && !l.hub.ours {
		l.env = -1
	}
	return err
}

// forget makes the environment register anew.
func (l *Link) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.env = -1
}

// take applies a status that was requested after seen groups had been sent since the last
// one.
func (l *Link) take(s LinkStatus, seen int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unseen -= seen
	l.leave(seen)
	of := l.config.Limits
	l.limit(of.Allowed(s, l.info.BatchSize), of.running(s.Weight))
	if n := l.config.EvalEvery; n > 0 && s.Step/n > l.step/n {
		select {
		case l.due <- struct{}{}:
		default:
		}
	}
	l.step = max(l.step, s.Step)
	if s.Step+s.Queued*of.GroupSize/l.info.BatchSize > l.total {
		l.end()
	}
}

// end closes over, once. The caller holds l.mu.
func (l *Link) end() {
	select {
	case <-l.over:
	default:
		close(l.over)
	}
}

// register registers the environment once, and asks for its trainer's settings.
func (l *Link) register(ctx context.Context) error {
	if err := l.recognise(ctx); err != nil {
		return err
	}
	body, err := json.Marshal(l.config.Registration)
	if err != nil {
		return err
	}
	var r struct {
		Status string `json:"status"`
		Env    *int   `json:"env_id"`
		Step   int    `json:"starting_step"`
		Steps  int    `json:"num_steps"`
		Name   string `json:"wandb_name"`
		Shares bool   `json:"shares"`
	}
	a, err := l.hub.ask(ctx, call{method: http.MethodPost, path: "register-env", body: body}, &r)
	if err == nil && r.Status == "" {
		err = a.Invalid(errors.New("there is no status"))
	}
	switch {
	case silent(err), a.Status >= http.StatusInternalServerError, a.Status == http.StatusTooManyRequests:
		return err
	case err != nil:
		return &RefusedError{l.config.URL, a.Status, err.Error()}
	case r.Status != "success" || r.Env == nil:
		return errWait
	}
	in, err := l.askInfo(ctx)
	if err != nil {
		return err
	}
	total := l.config.TotalSteps
	if total < 0 {
		total = r.Steps
	}
	switch {
	case total < 0:
		return &RefusedError{l.config.URL, 0, "neither env.total_steps nor the trainer sets the number of steps"}
	case in.BatchSize < l.config.Limits.GroupSize:
		return &RefusedError{l.config.URL, 0, fmt.Sprintf("a batch has %s, and a group %d: set env.group_size or env.batch_size", stats.Count(in.BatchSize, "sequence"), l.config.Limits.GroupSize)}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.step < 0 {
		l.step = r.Step // evaluations are counted from here on
	}
	l.env, l.info, l.total, l.shares, l.fault = *r.Env, in, total, r.Shares, ""
	if !l.shares {
		l.config.Say("this hub does not share out the problems: if several environments play for it, give each an env.seed of its own")
	}
	l.config.Say("registered with the hub %s as %s, at step %d of %d", l.config.URL, r.Name, r.Step, total)
	return nil
}

// askInfo asks for the trainer's batch size and limit.
func (l *Link) askInfo(ctx context.Context) (in info, err error) {
	if _, err = l.hub.ask(ctx, call{method: http.MethodGet, path: "info"}, &in); err != nil {
		return in, err
	}
	if in.BatchSize < 1 {
		in.BatchSize = l.config.Limits.BatchSize
	}
	return in, nil
}

// recognise finds out whether the hub is Quintain's, by the description of its API.
func (l *Link) recognise(ctx context.Context) error {
	root := l.hub
	base := *l.hub.base
	base.Path = "/"
	root.base = &base
	_, err := root.do(ctx, call{method: http.MethodGet, path: "v1/openapi.json"})
	if silent(err) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hub.ours = err == nil
	return nil
}

// disconnect tells the hub that the environment leaves, so that no batch waits for its
// share. It does so once, and ignores the answer.
func (l *Link) disconnect(ctx context.Context) {
	l.asking.Lock()
	defer l.asking.Unlock()
	l.mu.Lock()
	env := l.env
	l.env = -1
	l.mu.Unlock()
	if env < 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastTry)
	defer cancel()
	if _, err := l.hub.do(ctx, call{method: http.MethodPost, path: "disconnect-env", body: fmt.Appendf(nil, `{"env_id":%d}`, env)}); err != nil {
		l.config.Log.Warn("the hub was not told that the environment leaves", "err", err)
	}
}
