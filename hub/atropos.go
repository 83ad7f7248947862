package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/http"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// An atroposAPI answers requests to a run on the routes of Atropos.
type atroposAPI struct{ *Run }

// readJSON reads and decodes a JSON body.
func readJSON[T any](c *web.Call, decode func([]byte) (T, error)) (T, error) {
	return web.ReadBody(c, func(b []byte) (T, error) {
		if !c.HasJSON() && len(b) > 0 {
			var none T
			return none, &atropos.Error{Type: "model_attributes_type", Msg: "Input should be JSON, and Content-Type should say so"}
		}
		return decode(b)
	})
}

// maxShort is the size limit of a body without groups, in bytes.
const maxShort = 1 << 20

// readShort is readJSON for a body without groups.
func readShort[T any](c *web.Call, decode func([]byte) (T, error)) (T, error) {
	c.MaxBody = maxShort
	return readJSON(c, decode)
}

// register registers a trainer. One that registers again, say after a restart, gets its
// unacknowledged batches again.
func (a atroposAPI) register(c *web.Call) error {
	t, err := readShort(c, atropos.DecodeRegistration)
	if err != nil {
		return err
	}
	for name, size := range map[string]int{"batch_size": t.BatchSize, "max_batch_size": t.MaxBatchSize} {
		if err := within(name, size, a.server.config.Settings.MaxBatch); err != nil {
			return err
		}
	}
	by, err := claimOf(c.R, 0)
	if err != nil {
		return err
	}
	if err := a.enroll(c.Context(), t, by.trainer); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, fmt.Appendf(nil, `{"uuid":%d}`, newUUID()))
}

// newUUID returns 128 random bits as a number, run-api's form of a trainer's name.
func newUUID() *big.Int {
	var b [16]byte
	rand.Read(b[:])
	return new(big.Int).SetBytes(b[:])
}

// wandbInfo shows the names under which the run is logged.
func (a atroposAPI) wandbInfo(c *web.Call) error {
	g := a.registry.Current()
	if !g.Registered {
		return c.JSON(http.StatusOK, []byte(`{"group":null,"project":null}`))
	}
	body := strictjson.AppendLegible([]byte(`{"group":`), g.Group)
	body = strictjson.AppendLegible(append(body, `,"project":`...), g.Project)
	return c.JSON(http.StatusOK, append(body, '}'))
}

// info shows the sizes of batches and sequences.
func (a atroposAPI) info(c *web.Call) error {
	g := a.registry.Current()
	tokens := -1
	if g.Registered {
		tokens = g.MaxTokens
	}
	return c.JSON(http.StatusOK, fmt.Appendf(nil, `{"batch_size":%d,"max_token_len":%d}`, g.Size(), tokens))
}

// status shows the step, and the number of waiting groups.
func (a atroposAPI) status(c *web.Call) error {
	waiting := a.ledger.Account(time.Now()).Groups
	return c.JSON(http.StatusOK, fmt.Appendf(nil, `{"current_step":%d,"queue_size":%d}`, a.Step(), waiting))
}

// batch hands out the next batch.
func (a atroposAPI) batch(c *web.Call) error {
	registered, err := a.start(c.Context())
	if err != nil {
		return err
	}
	if !registered {
		return c.JSON(http.StatusOK, []byte(`{"status":"error","message":"Trainer not registered. Call /register first.","batch":[]}`))
	}
	if c.Context().Err() != nil {
		return nil //nolint:nilerr // the client has gone
	}
	by, err := claimOf(c.R, a.server.config.Settings.Lease)
	if err != nil {
		return err
	}
	by.next = true
	write := a.server.reply.JSON
	if c.R.URL.Query().Get("extra") == "1" {
		write = a.server.reply.Whole
	}
	p, err := a.nextBatch(c.Context(), by)
	if errors.Is(err, errNoBatch) {
		return c.JSON(http.StatusOK, []byte(`{"batch":null}`))
	}
	if err != nil {
		return err
	}
	p.padding = a.padding(p.batch)
	return a.deliver(c, p, write)
}

// padding is the number of sequences that a batch lacks to have as many as its trainer
// registered, or a multiple: clients of Atropos rely on that. The hub says so once.
func (a atroposAPI) padding(d *batch) int {
	if !d.demand.Exact() {
		return 0
	}
	n := (d.demand.Least - d.size%d.demand.Least) % d.demand.Least
	if n == 0 {
		return 0
	}
	a.tally.count(func(c *counts) { c.padded += uint64(n) })
	a.sayPadding.Do(func() {
		a.events.Add("padded", map[string]any{"batch": d.number, "sequences": d.size, "padding": n, "batch_size": d.demand.Least})
		a.log.Warn("the groups do not add up to a batch, so the hub pads it with sequences of score 0 that teach nothing: register with batch_unit episodes, or choose a batch_size that the groups' sequences divide",
			"batch", d.number, "sequences", d.size, "padding", n, "batch_size", d.demand.Least)
	})
	return n
}

// latestExample shows the latest group.
func (a atroposAPI) latestExample(c *web.Call) error {
	var (
		g    *quintain.Group
		text []byte
	)
	err := c.Compute(func() (err error) {
		if g, err = a.intake.newest(c); err != nil || g == nil {
			return err
		}
		text = atropos.AppendGroup(nil, g)
		return c.Reserve(cap(text))
	})
	if err != nil {
		return err
	}
	if g == nil {
		var body []byte
		for i, key := range []string{"tokens", "masks", "scores", "advantages", "ref_logprobs",
			"generation_params", "inference_logprobs", "messages", "images"} {
			body = append(body, "{,"[min(i, 1)])
			body = append(strconv.AppendQuote(body, key), ":[]"...)
		}
		return c.JSON(http.StatusOK, append(body, '}'))
	}
	g = nil // the reply may take long
	return c.JSON(http.StatusOK, text)
}

// reset forgets the run with all groups.
func (a atroposAPI) reset(c *web.Call) error {
	if err := a.Run.reset(context.WithoutCancel(c.Context())); err != nil {
		return err
	}
	return c.Text(http.StatusOK, "Reset successful")
}

// registerEnv registers an environment, once the trainer has begun.
func (a atroposAPI) registerEnv(c *web.Call) error {
	as, err := readShort(c, atropos.DecodeEnvRegistration)
	if err != nil {
		return err
	}
	if err := within("group_size", as.GroupSize, a.server.config.Settings.MaxSequences); err != nil {
		return err
	}
	e, err := a.admit(c.Context(), as)
	if err != nil {
		return err
	}
	if e == nil {
		return c.JSON(http.StatusOK, []byte(`{"status":"wait for trainer to start"}`))
	}
	g := a.registry.Current()
	body := fmt.Appendf(nil, `{"status":"success","env_id":%d,"wandb_name":`, e.ID)
	body = strictjson.AppendLegible(body, e.RealName())
	body = strictjson.AppendLegible(append(body, `,"checkpoint_dir":`...), g.Checkpoint)
	body = fmt.Appendf(body, `,"starting_step":%d,"checkpoint_interval":%d,"num_steps":%d`, a.Step(), g.Interval, g.NumSteps)
	if e.Instance != "" {
		body = append(body, `,"shares":true`...)
	}
	return c.JSON(http.StatusOK, append(body, '}'))
}

// disconnectEnv disconnects an environment.
func (a atroposAPI) disconnectEnv(c *web.Call) error {
	id, err := readShort(c, atropos.DecodeEnvID)
	if err != nil {
		return err
	}
	known, err := a.dismiss(c.Context(), envID(id))
	if err != nil {
		return err
	}
	if !known {
		return c.JSON(http.StatusOK, []byte(`{"status":"failure","error":"no environment has this env_id"}`))
	}
	return c.JSON(http.StatusOK, []byte(`{"status":"success"}`))
}

// statusEnv shows an environment how much of its work waits. If it asks for that, it waits until
// the status is another than the one that it has seen, whose mark is in a header.
func (a atroposAPI) statusEnv(c *web.Call) error {
	id, err := readShort(c, atropos.DecodeEnvID)
	if err != nil {
		return err
	}
	wait, err := waitOf(c.R)
	if err != nil {
		return err
	}
	query := c.R.URL.Query()
	c.Waits = wait > 0
	body, mark, err := registry.Watch{
		Seen: query.Get("seen"), Wait: wait, Stop: a.server.web.Stopping(),
		News: func() (<-chan struct{}, <-chan struct{}) { return a.queue.Changed(), a.Progress() },
		Look: func() ([]byte, error) {
			a.registry.Hear(envID(id))
			body, known := a.ledger.Account(time.Now()).AppendStatus(nil, envID(id), a.Step())
			if !known {
				return nil, registry.ErrNoEnv()
			}
			return body, nil
		},
	}.Await(c.Context())
	if err != nil {
		return err
	}
	if query.Has("wait") {
		c.W.Header().Set("Quintain-Status", mark)
	}
	return c.JSON(http.StatusOK, body)
}

// envID is an environment's ID from a client; -1 if invalid.
func envID(id int) int32 {
	if id < 0 || id > math.MaxInt32 {
		return -1
	}
	return int32(id)
}

// scoredData takes one group.
func (a atroposAPI) scoredData(c *web.Call) error {
	t, err := a.takeJSON(c, func(r *atropos.Reader, b []byte) ([]*quintain.Group, error) {
		g, err := r.Group(b)
		return []*quintain.Group{g}, err
	})
	if err != nil {
		return err
	}
	body := []byte(`{"status":"received"`)
	if t.buffered > 0 {
		body = fmt.Appendf(nil, `{"status":"buffered","buffer_size":%d`, t.lastBuffer)
	}
	return c.JSON(http.StatusOK, append(t.appendWarnings(body), '}'))
}

// scoredDataList takes several groups, all or none.
func (a atroposAPI) scoredDataList(c *web.Call) error {
	t, err := a.takeJSON(c, (*atropos.Reader).Groups)
	if err != nil {
		return err
	}
	body := fmt.Appendf(nil, `{"status":"received","groups_processed":%d`, len(t.ids))
	if t.buffered > 0 {
		body = fmt.Appendf(body, `,"buffered":%d,"last_buffer_size":%d`, t.buffered, t.lastBuffer)
	}
	return c.JSON(http.StatusOK, append(t.appendWarnings(body), '}'))
}

// takeJSON reads groups from the body of a request and puts them into the queue, unless the
// hub refuses groups. The groups' memory is reused.
func (r *Run) takeJSON(c *web.Call, read func(*atropos.Reader, []byte) ([]*quintain.Group, error)) (taken, error) {
	if err := r.closed(c); err != nil {
		return taken{}, err
	}
	return readJSON(c, func(b []byte) (taken, error) {
		reader := r.server.reader(c)
		defer func() { r.server.readers.Put(reader, reader.Forget()) }()
		var groups []*quintain.Group
		err := c.Compute(func() (err error) {
			groups, err = read(reader, b)
			return err
		})
		if err != nil {
			return taken{}, err
		}
		if err := c.Reserve(encodedRoom(len(b), groups)); err != nil {
			return taken{}, err
		}
		return r.intake.take(context.WithoutCancel(c.Context()), groups, c.R.Header.Get("Idempotency-Key"))
	})
}

// encodedRoom is about how many bytes encoding the groups of a body of size bytes takes. Numbers
// shrink; text is copied, and room is made for what would not shrink.
func encodedRoom(size int, groups []*quintain.Group) int {
	for _, g := range groups {
		size += groupform.TextSize(g) / 4 * 5
	}
	return size
}

// reader returns a reader with memory reserved for the call.
func (s *Server) reader(c *web.Call) *atropos.Reader {
	reader, size := s.readers.Get()
	if reader != nil && c.Reserve(size) != nil {
		s.readers.Put(reader, size)
		reader = nil
	}
	if reader == nil {
		reader = new(atropos.Reader)
	}
	o := s.config.Settings
	reader.Limits = atropos.Limits{Groups: o.MaxGroups, Sequences: o.MaxSequences, Tokens: o.MaxTokens, Reserve: c.Reserve}
	return reader
}

// closed returns why the hub takes no groups now, after it has skipped the request's body.
func (r *Run) closed(c *web.Call) error {
	if r.server.draining.Load() {
		c.SkipBody()
		c.W.Header().Set("Retry-After", "10")
		return web.Errorf(http.StatusServiceUnavailable, "the hub is draining and takes no more groups")
	}
	if r.intake.full() {
		r.tally.count(func(n *counts) { n.full++ })
		c.SkipBody()
		c.W.Header().Set("Retry-After", "1")
		return web.Errorf(http.StatusTooManyRequests, "%s waiting, the limit: try again later", stats.Count(r.intake.limits.MaxWaiting, "group"))
	}
	return nil
}
