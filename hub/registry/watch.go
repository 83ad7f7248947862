package registry

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
)

// AppendStatus appends the reply to an environment that asks for its status; known is false
// if the ID is unknown.
func (a *Account) AppendStatus(body []byte, id int32, step int) (after []byte, known bool) {
	st, known := a.StatusOf(id)
	if !known {
		return body, false
	}
	body = fmt.Appendf(body, `{"current_step":%d,"queue_size":%d,"unallocated_fraction":`, step, st.Queue)
	body = atropos.AppendFloat(body, st.Unallocated)
	body = fmt.Appendf(body, `,"self_queue_size":%d,"max_group_size":%d,"env_weight":`, st.Own, st.Largest)
	return append(atropos.AppendFloat(body, st.Weight), '}'), true
}

// A Watch waits for a status other than the last one.
type Watch struct {
	Seen string        // the mark of the last status; empty: none, so there is no wait
	Wait time.Duration // at most

	// Look returns the status. News returns channels that are closed when it may be another.
	// There may be much news, and Look is called at most ten times a second; it is called once
	// a second without any, since time changes who is there.
	Look func() ([]byte, error)
	News func() (a, b <-chan struct{})
	Stop <-chan struct{} // ends the wait
}

// Intervals of looks.
const (
	lookAfter = 100 * time.Millisecond
	lookAgain = time.Second
)

// Await returns the status, as soon as it is another or the wait is over, and its mark.
func (w Watch) Await(ctx context.Context) (status []byte, mark string, err error) {
	ctx, end := context.WithTimeout(ctx, w.Wait)
	defer end()
	for over := w.Seen == ""; ; {
		a, b := w.News()
		if status, err = w.Look(); err != nil {
			return nil, "", err
		}
		if mark = markOf(status); over || mark != w.Seen || ctx.Err() != nil {
			return status, mark, nil
		}
		over = w.pause(ctx, lookAfter, nil, nil) || w.pause(ctx, lookAgain-lookAfter, a, b)
	}
}

// pause waits for news, or some time. It reports whether the whole wait is over.
func (w Watch) pause(ctx context.Context, most time.Duration, a, b <-chan struct{}) (over bool) {
	again := time.NewTimer(most)
	defer again.Stop()
	select {
	case <-a:
	case <-b:
	case <-again.C:
	case <-ctx.Done():
		return true
	case <-w.Stop:
		return true
	}
	return false
}

// markOf names a status.
func markOf(status []byte) string {
	h := fnv.New64a()
	h.Write(status)
	return fmt.Sprintf("%x", h.Sum64())
}
