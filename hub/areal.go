package hub

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/areal"
	"github.com/quintain-rl/quintain/interop/atropos"
)

// An arealAPI admits rollouts of outside agents, as AReaL's manager of servers does.
type arealAPI struct{ *Run }

// rollouts are those of outside agents, admitted from the first request on.
type rollouts struct {
	mu   sync.Mutex
	gate *areal.Admission // nil: no request yet
}

// open returns the admission, made if need be.
func (r *rollouts) open(l areal.Limits, version int) *areal.Admission {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gate == nil {
		r.gate = areal.Recover(l, version)
	}
	return r.gate
}

// forget forgets all rollouts.
func (r *rollouts) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate = nil
}

// rolloutLimits are the settings' limits, completed by the trainer's batch.
func (r *Run) rolloutLimits() areal.Limits {
	s := r.server.config.Settings
	l := areal.Limits{Concurrent: s.MaxRollouts, Lag: s.MaxOffPolicy, Batch: s.RolloutBatch, Timeout: s.RolloutTimeout}
	if l.Batch == 0 {
		l.Batch, _ = r.BatchSize()
	}
	if l.Concurrent == 0 {
		l.Concurrent = l.Batch
	}
	return l
}

// trained is the version of the weights: the told one, else the steps that the trainer has
// made.
func (r *Run) trained() int {
	if v := r.Version(); v >= 0 {
		return v
	}
	steps, _ := r.Acked()
	return steps
}

// allocate admits a rollout.
func (a arealAPI) allocate(c *web.Call) error {
	in, err := readShort(c, decodeRollout)
	if err != nil {
		return err
	}
	refusal := "no trainer has registered"
	if l := a.rolloutLimits(); l.Batch > 0 {
		refusal = a.rollouts.open(l, a.trained()).Allocate(*in.ID, l, a.trained())
	}
	body := fmt.Appendf(nil, `{"success":%t,"reason":`, refusal == "")
	return c.JSON(http.StatusOK, append(strictjson.AppendLegible(body, refusal), '}'))
}

// finish ends a rollout.
func (a arealAPI) finish(c *web.Call) error {
	in, err := readShort(c, decodeRollout)
	if err != nil {
		return err
	}
	if in.Accepted == nil {
		return &atropos.Error{Type: atropos.TypeValue, Loc: []any{"accepted"}, Msg: "is missing"}
	}
	err = a.rollouts.open(a.rolloutLimits(), a.trained()).Finish(*in.ID, *in.Accepted)
	if errors.Is(err, areal.ErrNotRunning) {
		return web.Errorf(http.StatusNotFound, "%v: %.80q", err, *in.ID)
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, []byte(`{"success":true}`))
}

// modelVersion shows the version of the weights.
func (a arealAPI) modelVersion(c *web.Call) error {
	c.SkipBody() // it names a server, but all have the same weights
	return c.JSON(http.StatusOK, fmt.Appendf(nil, `{"version":%d}`, a.trained()))
}

// A rolloutBody is a request about a rollout.
type rolloutBody struct {
	ID       *string `json:"qid"`
	Accepted *bool   `json:"accepted"` // of a finished rollout
}

// decodeRollout reads a request with a qid.
func decodeRollout(data []byte) (in rolloutBody, err error) {
	if err := atropos.DecodeFields(data, &in); err != nil {
		return in, err
	}
	if in.ID == nil {
		return in, &atropos.Error{Type: atropos.TypeValue, Loc: []any{"qid"}, Msg: "is missing"}
	}
	return in, nil
}
