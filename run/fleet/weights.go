package fleet

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
)

// MostWeights bounds a file of weights, in bytes: the largest model of package tiny has fewer.
const MostWeights = 260 << 20

// Weights are the newest ones of the tiny policy, which the run trains, for its workers. One file
// serves all who ask. Many goroutines may use it.
type Weights struct {
	mu      sync.Mutex
	version int
	file    []byte        // nil: none yet
	changed chan struct{} // closed and replaced at each version
}

// NewWeights returns weights of which there are none yet.
func NewWeights() *Weights { return &Weights{version: -1, changed: make(chan struct{})} }

// Publish gives workers a new version, as a weights file. The caller must not change it any more.
func (w *Weights) Publish(version int, file []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version, w.file = version, file
	close(w.changed)
	w.changed = make(chan struct{})
}

// newest returns the newest version, and a channel that is closed at the next.
func (w *Weights) newest() (version int, file []byte, changed <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version, w.file, w.changed
}

// after waits for a version other than one that the caller has; nil: there is none until ctx ends.
// An older one comes after a restart from an older copy of the data.
func (w *Weights) after(ctx context.Context, has int) (version int, file []byte) {
	for {
		version, file, changed := w.newest()
		if version != has && file != nil {
			return version, file
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return has, nil
		}
	}
}

// Publish returns what publishes weights for the workers; nil: they want none.
func (c *Coordinator) Publish() func(version int, file []byte) {
	if c == nil || c.config.Weights == nil {
		return nil
	}
	return c.config.Weights.Publish
}

// serve sends the newest weights to a worker that has others, or waits for them as waiting says.
func (w *Weights) serve(call *web.Call, waiting func(*web.Call) (context.Context, func(), error)) error {
	call.SkipBody()
	if w == nil {
		return web.Errorf(http.StatusNotFound, "the run does not train the tiny policy, so there are no weights here")
	}
	has, err := strconv.Atoi(cmp.Or(call.R.URL.Query().Get("after"), "-1"))
	if err != nil || has < -1 {
		return web.Errorf(http.StatusUnprocessableEntity, "after: want a version")
	}
	ctx, end, err := waiting(call)
	if err != nil {
		return err
	}
	defer end()
	version, file := w.after(ctx, has)
	if file == nil {
		call.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	call.W.Header().Set("ETag", `"`+strconv.Itoa(version)+`"`)
	call.Plain = true // numbers hardly shrink
	return call.Body(http.StatusOK, "application/octet-stream", file)
}

// check reports a token of weights that the run has never published, if it publishes any.
func (w *Weights) check(t *quintain.Trajectory) error {
	if w == nil {
		return nil
	}
	newest, _, _ := w.newest()
	for k, turn := range t.Turns {
		for _, v := range turn.Versions {
			if v < 0 || int(v) > newest {
				return fmt.Errorf("turns[%d].versions: one is %d, and the newest weights are of version %d", k, v, newest)
			}
		}
	}
	return nil
}
