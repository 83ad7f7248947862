package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// The headers of a reply with a batch.
const (
	headerBatch     = "Quintain-Batch"       // its number
	headerStep      = "Quintain-Step"        // batches that were handed out so far, on top of the trainer's first step
	headerAttempt   = "Quintain-Attempt"     // how many times it was handed out since the hub was started
	headerGroups    = "Quintain-Groups"      // how many groups are in the reply
	headerSequences = "Quintain-Sequences"   // how many sequences they have
	headerLease     = "Quintain-Lease"       // seconds for which it is the trainer's
	headerLast      = "Quintain-Last-Number" // of the last group in the reply, or after: where to go on
)

func batchHeaders() []string {
	return []string{headerBatch, headerStep, headerAttempt, headerGroups, headerSequences, headerLease, headerLast}
}

// maxWait is how long a request may wait for something at most.
const maxWait = 5 * time.Minute

// maxLease is the longest lease.
const maxLease = 7 * 24 * time.Hour

// A queryError is a parameter in the path or behind it that makes no sense.
func queryError(name, want string) error {
	return &atropos.Error{Type: atropos.TypeValue, Loc: []any{"query", name}, Msg: "should be " + want}
}

// claimOf returns what the parameters of a request say of the trainer.
func (s *Server) claimOf(r *http.Request) (claim, error) {
	query := r.URL.Query()
	c := claim{trainer: mainTrainer, lease: s.config.Lease}
	if name := query.Get("trainer"); name != "" {
		if !validRun(strings.ToLower(strings.ReplaceAll(name, ".", "-"))) {
			return c, queryError("trainer", "at most 40 letters of a-z, A-Z, 0-9, '-', '_' and '.'")
		}
		c.trainer = name
	}
	if text := query.Get("lease"); text != "" {
		lease, ok := parseSpan(text)
		if !ok || lease <= 0 || lease > maxLease {
			return c, queryError("lease", "a time up to a week, in seconds or as 90s, 10m, 1h")
		}
		c.lease = lease
	}
	return c, nil
}

// waitOf returns how long a request may wait.
func waitOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	wait, ok := parseSpan(text)
	if !ok || wait < 0 {
		return 0, queryError("wait", "a time, in seconds or as 500ms, 30s, 1m")
	}
	return min(wait, maxWait), nil
}

// parseSpan reads a time in seconds, "1.5", or with its unit, "10m".
func parseSpan(text string) (time.Duration, bool) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return time.Duration(seconds * float64(time.Second)), seconds >= 0 && seconds < 1e9
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}

// takesJSON reports whether the client of a request wants JSON rather than the binary
// form.
func takesJSON(r *http.Request) bool {
	accept := strings.ToLower(r.Header.Get("Accept"))
	return strings.Contains(accept, "json") && !strings.Contains(accept, groupsType)
}

// takeBatch hands out the next batch, for which it waits where the client asks it to.
func (s *Server) takeBatch(c *call) {
	s.skipBody(c)
	by, err := s.claimOf(c.r)
	var wait time.Duration
	if err == nil {
		wait, err = waitOf(c.r)
	}
	var started bool
	if err == nil {
		started, err = s.start(context.WithoutCancel(c.r.Context()))
	}
	if err != nil {
		s.fail(c, err)
		return
	}
	if !started {
		s.detail(c, http.StatusConflict, "no trainer has registered for this run")
		return
	}
	c.waits = wait > 0
	p, err := s.awaitBatch(c.r.Context(), by, wait)
	switch {
	case errors.Is(err, errNoBatch):
		c.w.Header().Set(headerStep, strconv.Itoa(s.Step()))
		c.w.WriteHeader(http.StatusNoContent)
	case err != nil:
		s.fail(c, err)
	case takesJSON(c.r):
		s.deliver(c, p, s.writeBatchJSON)
	default:
		s.deliver(c, p, s.writeBatch)
	}
}

// awaitBatch returns the next batch as soon as there is one, for as long as the client
// waits.
func (s *Server) awaitBatch(ctx context.Context, by claim, wait time.Duration) (parcel, error) {
	end := time.NewTimer(wait)
	defer end.Stop()
	for {
		came, moved := s.queue.Changed(), s.movement()
		p, err := s.nextBatch(context.WithoutCancel(ctx), by)
		if !errors.Is(err, errNoBatch) || wait == 0 {
			return p, err
		}
		clock := time.NewTimer(s.nextTurn(time.Now()))
		select {
		case <-came:
		case <-moved:
		case <-clock.C:
		case <-end.C:
			wait = 0 // once more, and then no more
		case <-ctx.Done():
			clock.Stop()
			return parcel{}, context.Cause(ctx)
		case <-s.stopped:
			wait = 0
		}
		clock.Stop()
	}
}

// nextTurn is when a batch may become possible by the passing of time: a lease runs
// out, or an environment has been silent for long enough.
func (s *Server) nextTurn(now time.Time) time.Duration {
	s.mu.RLock()
	defer s.mu.RUnlock()
	next := now.Add(maxWait)
	for _, d := range s.open {
		if d.state == handed && d.until.Before(next) {
			next = d.until
		}
	}
	for id := range s.run.Envs {
		if end := s.heard[id].Add(s.config.EnvTimeout); s.alive(id, now) && end.Before(next) {
			next = end
		}
	}
	return max(time.Millisecond, next.Sub(now)+time.Millisecond)
}

// setBatchHeaders tells of a batch in the header of the reply.
func setBatchHeaders(c *call, p parcel) {
	h := c.w.Header()
	sequences := 0
	for i := range p.groups {
		sequences += p.groups[i].Sequences
	}
	h.Set(headerBatch, strconv.FormatUint(p.number, 10))
	h.Set(headerStep, strconv.Itoa(p.step))
	h.Set(headerAttempt, strconv.Itoa(p.attempt))
	h.Set(headerGroups, strconv.Itoa(len(p.groups)))
	h.Set(headerSequences, strconv.Itoa(sequences))
	h.Set(headerLease, strconv.FormatFloat(p.claim.lease.Seconds(), 'f', -1, 64))
}

// writeBatch writes a batch in the binary form.
func (s *Server) writeBatch(c *call, p parcel) error {
	setBatchHeaders(c, p)
	return s.writeGroups(c, p.groups)
}

// writeBatchJSON writes a batch as JSON.
func (s *Server) writeBatchJSON(c *call, p parcel) error {
	setBatchHeaders(c, p)
	return s.writeJSON(c, p)
}

// A verb is what a trainer does with a batch of a number.
type verb func(ctx context.Context, number uint64, by claim) ([]byte, error)

// onBatch does something with the batch of the path.
func (s *Server) onBatch(c *call, do verb) {
	s.skipBody(c)
	number, err := strconv.ParseUint(c.id, 10, 64)
	if err != nil || number == 0 {
		s.detail(c, http.StatusNotFound, "a batch has a number")
		return
	}
	by, err := s.claimOf(c.r)
	var body []byte
	if err == nil {
		body, err = do(context.WithoutCancel(c.r.Context()), number, by)
	}
	if err != nil {
		s.fail(c, err)
		return
	}
	s.json(c, http.StatusOK, body)
}

// ackBatch acknowledges a batch. A second time is no error.
func (s *Server) ackBatch(c *call) {
	s.onBatch(c, func(ctx context.Context, number uint64, by claim) ([]byte, error) {
		err := s.ack(ctx, number, by.trainer)
		if errors.Is(err, errAcked) {
			return []byte(`{"status":"acknowledged","again":true}`), nil
		}
		return []byte(`{"status":"acknowledged","again":false}`), err
	})
}

// nackBatch gives a batch back.
func (s *Server) nackBatch(c *call) {
	s.onBatch(c, func(_ context.Context, number uint64, by claim) ([]byte, error) {
		err := s.nack(number, by.trainer)
		if errors.Is(err, errAcked) {
			err = &batchError{number, true}
		}
		return []byte(`{"status":"given back"}`), err
	})
}

// extendBatch lengthens the lease of a batch.
func (s *Server) extendBatch(c *call) {
	s.onBatch(c, func(_ context.Context, number uint64, by claim) ([]byte, error) {
		until, err := s.extend(number, by.trainer, by.lease)
		if errors.Is(err, errAcked) {
			err = &batchError{number, true}
		}
		return fmt.Appendf(nil, `{"status":"extended","until":%q}`, until.UTC().Format(time.RFC3339Nano)), err
	})
}

// postGroups takes groups in the binary form, or as JSON.
func (s *Server) postGroups(c *call) {
	if s.closedToGroups(c) {
		return
	}
	var in intake
	var err error
	if isGroups(c.r) {
		in, err = readAll(s, c, func(b []byte) (intake, error) { return s.takeEncoded(c, b) })
	} else {
		in, err = takeJSON(s, c, (*atropos.Reader).Groups)
	}
	if err != nil {
		s.fail(c, err)
		return
	}
	body := []byte(`{"groups":[`)
	for i, id := range in.ids {
		if i > 0 {
			body = append(body, ',')
		}
		body = atropos.AppendString(append(body, `{"id":`...), id)
		body = fmt.Appendf(body, `,"fresh":%t}`, in.fresh[i])
	}
	body = fmt.Appendf(body, `],"held":%d`, in.buffered)
	s.json(c, http.StatusOK, append(in.appendWarnings(body), '}'))
}

// stats shows what the run holds and has done.
func (s *Server) stats(c *call) {
	body, err := json.Marshal(struct {
		Run string `json:"run"`
		Stats
		Open []openBatch `json:"open_batches"`
	}{s.name, s.Stats(), s.openBatches()})
	if err != nil {
		s.fail(c, err)
		return
	}
	s.json(c, http.StatusOK, body)
}

// An openBatch is a batch that is not acknowledged, as the statistics show it.
type openBatch struct {
	Number  uint64     `json:"batch"`
	State   string     `json:"state"` // due, flying, handed or lapsed
	Trainer string     `json:"trainer"`
	Groups  int        `json:"groups"`
	Attempt int        `json:"attempt"`
	Until   *time.Time `json:"until,omitempty"`
}

func (s *Server) openBatches() []openBatch {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := make([]openBatch, len(s.open))
	for i, d := range s.open {
		state := [...]string{due: "due", flying: "flying", handed: "handed", lapsed: "lapsed"}[d.state]
		list[i] = openBatch{Number: d.number, State: state, Trainer: d.claim.trainer, Groups: len(d.seqs), Attempt: d.attempt}
		if until := d.until; d.state == handed {
			list[i].Until = &until
		}
	}
	return list
}

// listRuns lists the runs by their names.
func (s *Server) listRuns(c *call) {
	names, err := s.runNames(c.r.Context())
	if err != nil {
		s.fail(c, err)
		return
	}
	body, err := json.Marshal(map[string][]string{"runs": append([]string{mainRun}, names...)})
	if err != nil {
		s.fail(c, err)
		return
	}
	s.json(c, http.StatusOK, body)
}

// putRun makes a run.
func (s *Server) putRun(c *call) {
	switch {
	case !validRun(c.run):
		s.fail(c, queryError("run", "1 to 40 letters of a-z, 0-9, '-' and '_'"))
		return
	case s.config.OpenRun == nil:
		s.detail(c, http.StatusNotImplemented, "this hub has one run only")
		return
	}
	fresh, err := s.makeRun(context.WithoutCancel(c.r.Context()), c.run)
	if err != nil {
		s.fail(c, err)
		return
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
		s.log.Info("a run was made", "run", c.run)
	}
	s.json(c, status, fmt.Appendf(nil, `{"run":%q,"fresh":%t}`, c.run, fresh))
}

// groupsOf is the groups of deliveries that are there, as far as they can be read.
func (s *Server) groupsOf(ctx context.Context, seqs []uint64) ([]queue.Delivery, error) {
	var groups []queue.Delivery
	for _, seq := range seqs {
		d, err := s.queue.Read(ctx, seq)
		if errors.Is(err, queue.ErrUnknown) || isCorrupt(err) {
			continue // it went meanwhile, or nobody will read it
		}
		if err != nil {
			return nil, err
		}
		groups = append(groups, d)
	}
	return groups, nil
}
