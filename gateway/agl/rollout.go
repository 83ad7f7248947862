package agl

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/web"
)

// The states of a rollout.
const (
	queuing   = "queuing"
	running   = "running"
	succeeded = "succeeded"
	failed    = "failed"
)

func everyState() []string { return []string{queuing, running, succeeded, failed} }

const (
	prefix       = "agl " // of the other IDs of sessions
	mostRollouts = 10_000 // of a request
	mostEvents   = 100    // of a rollout, that are kept as they come
)

// A kept is what a group remembers of its rollouts.
type kept struct {
	Input    json.RawMessage `json:"input"`
	Train    bool            `json:"is_train"`
	Config   json.RawMessage `json:"config,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

// A creating is a rollout in the body of a request that makes some.
type creating struct {
	ID       string          `json:"rollout_id"`
	Input    json.RawMessage `json:"input"`
	Train    *bool           `json:"is_train"` // nil: true
	Config   json.RawMessage `json:"config"`
	Metadata json.RawMessage `json:"metadata"`
}

// idForm is the form of an ID, which stands in addresses.
var idForm = compiled.Regexp(`^[A-Za-z0-9._:~-]{0,200}$`)

// check reports what is wrong with rollout i of a request.
func (in *creating) check(i int) error {
	if len(in.Input) == 0 {
		return web.Errorf(http.StatusUnprocessableEntity, "[%d].input: is missing", i)
	}
	if !idForm().MatchString(in.ID) {
		return web.Errorf(http.StatusUnprocessableEntity, "[%d].rollout_id: is %.60q, want letters, digits and . _ : ~ -, 200 at most", i, in.ID)
	}
	return nil
}

// kept is what is remembered of it.
func (in *creating) kept() kept {
	return kept{in.Input, in.Train == nil || *in.Train, in.Config, in.Metadata}
}

// question is the input in one form, by which equal inputs are found.
func (in *creating) question() string {
	var b bytes.Buffer
	if err := json.Compact(&b, in.Input); err != nil {
		return string(in.Input) // it was read as JSON
	}
	if !in.kept().Train {
		b.WriteString(" val")
	}
	return b.String()
}

// groupsOf returns the indices of rollouts with equal inputs, in the order of the first.
func groupsOf(in []creating) (groups [][]int) {
	place := map[string]int{}
	for i := range in {
		q := in[i].question()
		at, is := place[q]
		if !is {
			at, place[q] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// spec is what the gateway makes of a group of rollouts. Those that fail are left out of it.
func (in *creating) spec(size int) (gateway.Spec, error) {
	metadata, err := jsonform.Marshal(in.kept())
	s := gateway.Spec{Name: prefix + in.question(), Of: size, Replace: size, Metadata: metadata}
	if size > 1 {
		s.AtLeast = 2
	}
	if !in.kept().Train {
		s.Mode = gateway.Exam
	}
	return s, err
}

// A rollout is a place in a group. The table's mutex guards all but ID, kept, began and turn.
type rollout struct {
	kept
	ID       string
	turn     sync.Mutex // one attempt comes after another
	began    float64    // seconds since 1970
	session  string     // of its last attempt
	attempts []string
	running  bool // its controller said so
	job      json.RawMessage
	last     string // attempt, as its controller said
	why      string
	version  int
	changed  float64
	noted    bool // among those that ended
	events   []eventForm
}

func newRollout(in *creating) *rollout {
	id := in.ID
	if id == "" {
		b := make([]byte, 16)
		rand.Read(b) // never fails
		id = hex.EncodeToString(b)
	}
	at := now()
	return &rollout{kept: in.kept(), ID: id, began: at, changed: at, version: 1}
}

// restored makes a rollout of a session that another process began.
func restored(id string, l *gateway.Look) *rollout {
	at := float64(l.Created.UnixMicro()) / 1e6
	r := &rollout{ID: id, began: at, changed: at, version: 1, session: l.ID}
	_ = jsonform.Unmarshal(l.Metadata, &r.kept) // this package wrote it
	return r
}

func (r *rollout) as() string { return prefix + r.ID }

func compare(a, b *rollout) int {
	return cmp.Or(cmp.Compare(a.began, b.began), cmp.Compare(a.ID, b.ID))
}

// A statusForm is where a rollout stands.
type statusForm struct {
	State   string          `json:"state"`
	Job     json.RawMessage `json:"k8s_job_name"`
	Last    *string         `json:"last_attempt_id"`
	Why     *string         `json:"error_message"`
	Version int             `json:"version"`
	Created float64         `json:"created_at"`
	Updated float64         `json:"updated_at"`
}

// A rolloutForm is a rollout as agent-lightning shows it.
type rolloutForm struct {
	ID       string          `json:"rollout_id"`
	Input    json.RawMessage `json:"input"`
	Train    bool            `json:"is_train"`
	Config   json.RawMessage `json:"config"`
	Metadata json.RawMessage `json:"metadata"`
	Status   statusForm      `json:"status"`
}

// shown is the form of a rollout. Its state is that of its session, and what its controller
// said.
func (t *table) shown(r *rollout) rolloutForm {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := statusForm{State: queuing, Job: r.job, Version: r.version, Created: r.began, Updated: r.changed}
	switch l, err := t.Look(r.session); {
	case err != nil: // its group was finished a while ago
		s.State = succeeded
	case l.Over && l.Failed:
		s.State = failed
	case l.Over:
		s.State = succeeded
	case r.running || l.Replies > 0:
		s.State = running
	}
	if r.last != "" {
		s.Last = &r.last
	}
	if r.why != "" {
		s.Why = &r.why
	}
	f := rolloutForm{r.ID, r.Input, r.Train, r.Config, r.Metadata, s}
	if len(f.Config) == 0 || string(f.Config) == "null" {
		f.Config = []byte(`{"timeout_seconds":3600,"local":null,"k8s":null}`)
	}
	if len(f.Metadata) == 0 || string(f.Metadata) == "null" {
		f.Metadata = []byte(`{"batch_idx":null,"sample_idx_in_batch":null}`)
	}
	return f
}

// attempt returns the session of a request's attempt. A second attempt ends the session of
// the first as failed, and gets another in its place.
func (t *table) attempt(c *web.Call, r *rollout) (session string, err error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	t.mu.Lock()
	attempts, session := r.attempts, r.session
	t.mu.Unlock()
	l, err := t.Look(session)
	if err != nil {
		return "", err
	}
	name, n := c.Param("attempt"), len(attempts)
	switch known := slices.Index(attempts, name); {
	case known >= 0 && known < n-1:
		return "", web.Errorf(http.StatusGone, "attempt %.60s is over: %.60s came after it", name, attempts[n-1])
	case known >= 0:
		return session, nil
	case n > 0 && l.Over:
		return "", web.Errorf(http.StatusGone, "the rollout has ended")
	case n > 0 && (l.Replies > 0 || l.Rewarded):
		if session, err = t.replace(c, r, &l); err != nil {
			return "", err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r.attempts, r.session = append(r.attempts, name), session
	return session, nil
}

// replace makes a session in the place of that of the last attempt.
func (t *table) replace(c *web.Call, r *rollout, l *gateway.Look) (session string, err error) {
	if err := t.End(c.Context(), l.ID, gateway.End{Failed: "agent", Why: "another attempt came after it"}); err != nil {
		return "", err
	}
	if err := t.Await(c.Context(), l.ID); err != nil {
		return "", err
	}
	out, err := t.Start(c, gateway.Spec{Name: prefix, Group: l.Group, Count: 1, As: r.as()})
	if err != nil {
		return "", err
	}
	return out.Sessions[0].ID, nil
}

// A patching is the body of a change of a rollout.
type patching struct {
	Status struct {
		State string          `json:"state"`
		Job   json.RawMessage `json:"k8s_job_name"`
		Last  string          `json:"last_attempt_id"`
		Why   string          `json:"error_message"`
	} `json:"status"`
}

// patch takes what a controller says of a rollout. An end is for ever.
func (t *table) patch(c *web.Call) error {
	r, err := t.of(c)
	if err != nil {
		return err
	}
	in, err := gateway.Decode[patching](c)
	if err != nil {
		return err
	}
	at, to := t.shown(r).Status.State, in.Status.State
	switch {
	case to != "" && !slices.Contains(everyState(), to):
		return web.Errorf(http.StatusUnprocessableEntity, "status.state: is %.40q, want queuing, running, succeeded or failed", to)
	case to != "" && to != at && (at == succeeded || at == failed):
		return web.Errorf(http.StatusConflict, "Rollout %.60s: cannot transition %s -> %s", r.ID, at, to)
	}
	t.mu.Lock()
	r.running = to == running || r.running && to == ""
	r.job, r.last, r.why = in.Status.Job, cmp.Or(in.Status.Last, r.last), cmp.Or(in.Status.Why, r.why)
	r.version, r.changed = r.version+1, now()
	session := r.session
	t.mu.Unlock()
	if to == succeeded || to == failed {
		end := gateway.End{}
		if to == failed {
			end = gateway.End{Failed: "agent", Why: cmp.Or(in.Status.Why, "its controller says so")}
		}
		if err := t.End(c.Context(), session, end); err != nil {
			return err
		}
		t.note(r.ID)
		t.closeGroup(r)
	}
	return gateway.Answer(c, http.StatusOK, t.shown(r))
}

// closeGroup closes the group of a rollout if all its rollouts have ended: no attempt comes
// any more in the place of one that failed.
func (t *table) closeGroup(r *rollout) {
	t.mu.Lock()
	session := r.session
	t.mu.Unlock()
	l, err := t.Look(session)
	if err != nil {
		return
	}
	places := map[string]bool{}
	for _, other := range t.LooksOf(l.Group) {
		if places[other.As] = true; !other.Over {
			return
		}
	}
	if len(places) >= l.Of {
		t.Close(l.Group)
	}
}
