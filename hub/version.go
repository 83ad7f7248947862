package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/policy/remote"
)

// tellVersion sets the versions of the weights in use by the policy's servers.
func (a v1API) tellVersion(c *web.Call) error {
	told, err := readShort(c, atropos.DecodeVersion)
	if err != nil {
		return err
	}
	err = a.weights.TellAll(context.WithoutCancel(c.Context()), remote.Told(told))
	if fall, ok := errors.AsType[*remote.FallError](err); ok {
		return web.Errorf(http.StatusConflict, "%v", fall)
	}
	if err != nil {
		return err
	}
	return a.showVersion(c)
}

// version shows the version, and waits until it exceeds a number if the client asks.
func (a v1API) version(c *web.Call) error {
	c.SkipBody()
	after, err := strconv.ParseInt(cmp.Or(c.R.URL.Query().Get("after"), "-1"), 10, 64)
	if err != nil || after < remote.UnknownVersion || after > math.MaxInt32 {
		return queryError("after", "a version, or -1")
	}
	wait, err := waitOf(c.R)
	if err != nil {
		return err
	}
	c.Waits = wait > 0
	end := time.NewTimer(wait)
	defer end.Stop()
	for wait > 0 {
		changed := a.weights.Changed()
		if int64(a.weights.Now()) > after {
			break
		}
		select {
		case <-changed:
			continue
		case <-end.C:
		case <-c.Context().Done():
		case <-a.server.web.Stopping():
		}
		break
	}
	return a.showVersion(c)
}

// A versionReply shows the version, and the steps to compare it with.
type versionReply struct {
	Version int32            `json:"version"`
	Acked   int              `json:"acked"`
	Step    int              `json:"step"`
	Servers map[string]int32 `json:"servers,omitempty"` // told for single ones
}

// showVersion answers with the version.
func (a v1API) showVersion(c *web.Call) error {
	acked, _ := a.Acked()
	told := a.weights.Told()
	body, err := json.Marshal(versionReply{told.Version, acked, a.Step(), told.Servers})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// Version is the version of the weights in use by the policy's servers, in steps of the
// trainer; -1 if nobody told it. Single servers may have others: see [Weights.Told].
func (r *Run) Version() int { return int(r.weights.Now()) }

// Weights are those in use by the policy's servers.
func (r *Run) Weights() *Weights { return r.weights }

// Weights are those in use by the policy's servers of a run. Many goroutines may use them.
type Weights struct {
	*remote.Version
	batches *batches
	events  *web.EventLog
}

// Tell sets the version, durably once it returns. A lower one than before is a
// [*remote.FallError].
func (w *Weights) Tell(ctx context.Context, version int32) error {
	return w.TellAll(ctx, remote.Told{Version: version})
}

// TellAll is Tell, with versions of single servers; nil: those told before stay.
func (w *Weights) TellAll(ctx context.Context, told remote.Told) error {
	before := w.Told()
	if err := w.Version.TellAll(ctx, told); err != nil {
		return err
	}
	now := w.Told()
	if same := maps.Equal(before.Servers, now.Servers); !same {
		w.Move()
		w.events.Add("version", map[string]any{"version": now.Version, "servers": now.Servers})
	} else if now.Version > before.Version {
		w.Move()
		w.events.Add("version", map[string]any{"version": now.Version})
	}
	return nil
}

// Trained notes a step of a training in this process, by the version that it made. The training has the record.
func (w *Weights) Trained(version int32) {
	w.batches.trained(int(version))
	w.Note(version)
}

// Move wakes those who wait for progress of the run, because the versions on the servers in use
// have changed.
func (w *Weights) Move() { w.batches.went.Wake() }

// Sampled is a run and the lowest version on the servers that sample for it, if somebody knows
// that.
type Sampled struct {
	*Run
	From func() int32 // [remote.UnknownVersion]: nobody does; nil: nobody ever does
}

// Lowest is the lowest version on the servers in use, else the one told.
func (s Sampled) Lowest() int {
	if s.From != nil {
		if lowest := s.From(); lowest != remote.UnknownVersion {
			return int(lowest)
		}
	}
	return s.Version()
}
