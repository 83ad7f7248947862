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

	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// A v1API answers requests to a run on the hub's own routes, below /v1.
type v1API struct{ *Run }

// postGroups takes groups in binary form or as JSON.
func (a v1API) postGroups(c *web.Call) error {
	t, err := a.takeGroups(c)
	if err != nil {
		return err
	}
	body := []byte(`{"groups":[`)
	for i, id := range t.ids {
		if i > 0 {
			body = append(body, ',')
		}
		body = strictjson.AppendLegible(append(body, `{"id":`...), id)
		body = fmt.Appendf(body, `,"fresh":%t}`, t.fresh[i])
	}
	body = fmt.Appendf(body, `],"held":%d`, t.buffered)
	return c.JSON(http.StatusOK, append(t.appendWarnings(body), '}'))
}

// takeGroups reads groups from the body of a request and puts them into the queue, unless the
// hub takes none.
func (a v1API) takeGroups(c *web.Call) (taken, error) {
	if c.Kind() != groupform.Frames {
		return a.takeJSON(c, (*atropos.Reader).Groups)
	}
	if err := a.closed(c); err != nil {
		return taken{}, err
	}
	return web.ReadBody(c, func(b []byte) (taken, error) {
		bodies, err := groupform.SplitFrames(b, a.intake.limits.MaxGroups)
		if err != nil {
			return taken{}, err
		}
		from := encoded{bodies, c.R.Header.Get("Idempotency-Key"), c.Reserve}
		return a.intake.takeEncoded(context.WithoutCancel(c.Context()), from)
	})
}

// takeBatch hands out the next batch, and waits for one if the client asks.
func (a v1API) takeBatch(c *web.Call) error {
	c.SkipBody()
	by, err := claimOf(c.R, a.server.config.Settings.Lease)
	if err != nil {
		return err
	}
	wait, err := waitOf(c.R)
	if err != nil {
		return err
	}
	registered, err := a.start(c.Context())
	if err != nil {
		return err
	}
	if !registered {
		return web.Errorf(http.StatusConflict, "no trainer has registered for this run")
	}
	c.Waits = wait > 0
	p, err := a.awaitBatch(c.Context(), by, wait)
	if errors.Is(err, errNoBatch) {
		c.W.Header().Set(headerStep, strconv.Itoa(a.Step()))
		c.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	setBatchHeaders(c, p)
	if strings.Contains(c.R.Header.Get("Accept"), groupform.Arrays) {
		return a.deliver(c, p, a.server.reply.Arrays)
	}
	if wantsJSON(c.R) {
		return a.deliver(c, p, a.server.reply.Whole)
	}
	return a.deliver(c, p, a.server.reply.Binary)
}

// A verb is a trainer's action on a batch.
type verb func(ctx context.Context, number uint64, by claim) (body []byte, err error)

// onBatch acts on the batch in the path.
func (a v1API) onBatch(c *web.Call, do verb) error {
	c.SkipBody()
	number, err := strconv.ParseUint(c.Param("id"), 10, 64)
	if err != nil || number == 0 {
		return web.Errorf(http.StatusNotFound, "a batch has a number")
	}
	by, err := claimOf(c.R, a.server.config.Settings.Lease)
	if err != nil {
		return err
	}
	body, err := do(c.Context(), number, by)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// ackBatch acknowledges a batch. Repeating it is not an error.
func (a v1API) ackBatch(c *web.Call) error {
	return a.onBatch(c, func(ctx context.Context, number uint64, by claim) ([]byte, error) {
		err := a.ack(ctx, number, by.trainer)
		if errors.Is(err, errAcked) {
			return []byte(`{"status":"acknowledged","again":true}`), nil
		}
		return []byte(`{"status":"acknowledged","again":false}`), err
	})
}

// nackBatch returns a batch.
func (a v1API) nackBatch(c *web.Call) error {
	return a.onBatch(c, func(ctx context.Context, number uint64, by claim) ([]byte, error) {
		return []byte(`{"status":"given back"}`), a.nack(ctx, number, by.trainer)
	})
}

// extendBatch renews the lease of a batch.
func (a v1API) extendBatch(c *web.Call) error {
	return a.onBatch(c, func(ctx context.Context, number uint64, by claim) ([]byte, error) {
		until, err := a.extend(ctx, number, by)
		return fmt.Appendf(nil, `{"status":"extended","until":%q}`, until.UTC().Format(time.RFC3339Nano)), err
	})
}

// stats shows the run's content and counts.
func (a v1API) stats(c *web.Call) error {
	body, err := json.Marshal(StatsOf(a.Run))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// streamEvents shows the run's events to a client until it goes away.
func (a v1API) streamEvents(c *web.Call) error { return a.events.Stream(c) }

// dealShares deals out problems to an environment.
func (a v1API) dealShares(c *web.Call) error {
	in, err := readShort(c, registry.DecodeShares)
	if err != nil {
		return err
	}
	ctx, l, err := a.mu.acquire(c.Context()) // no reset meanwhile
	if err != nil {
		return err
	}
	defer l.end()
	blocks, err := a.registry.Deal(ctx, envID(*in.Env), in.Wants)
	if errors.Is(err, registry.ErrStreams) {
		return web.Errorf(http.StatusConflict, "%v: reset the run", err)
	}
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string][]registry.Block{"shares": blocks})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}
