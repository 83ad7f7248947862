package environment

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// lastTry is the time limit of a request once everything ends.
const lastTry = 5 * time.Second

// mostKept limits the bytes of a body kept for the next request.
const mostKept = 4 << 20

// A verdict is the hub's reaction to groups.
type verdict int

const (
	taken   verdict = iota
	later           // not taken, but may be later
	unsure          // perhaps taken, and a retry would be taken again
	refused         // one of them is never taken
)

// post sends groups once. It asks a run-api for its status first: a post to one that just
// started would lock its trainer out. Once ctx has ended, the hub has little time.
func (l *Link) post(ctx context.Context, groups []queue.Delivery, mark func([]queue.Delivery) error) (verdict, error) {
	limit := patience
	if ctx.Err() != nil {
		limit = lastTry
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	l.mu.Lock()
	ours := l.hub.ours
	l.mu.Unlock()
	if ours {
		to, err := l.framesOf(groups)
		if err != nil {
			return later, err
		}
		return l.exchange(ctx, to, groups, ours), nil
	}
	if err := l.poll(ctx, 0); err != nil {
		return later, nil
	}
	to, err := l.scoredData(groups)
	if err != nil {
		return later, err
	}
	if err := mark(groups); err != nil {
		return later, err
	}
	v := l.exchange(ctx, to, groups, ours)
	if v == later || v == refused {
		return v, mark(nil)
	}
	return v, nil
}

// exchange sends groups and returns the hub's verdict.
func (l *Link) exchange(ctx context.Context, to call, groups []queue.Delivery, ours bool) verdict {
	if l.body = to.body; cap(l.body) > mostKept {
		l.body = nil
	}
	var sent atomic.Bool // the whole request: it may have taken effect
	_, err := l.hub.do(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(w httptrace.WroteRequestInfo) { sent.Store(sent.Load() || w.Err == nil) },
	}), to)
	v := judge(err, sent.Load(), ours, len(groups))
	switch v {
	case later:
		l.config.Log.Debug("the hub does not take groups now", "groups", len(groups), "err", err)
		_ = l.lose(err)
	case unsure:
		l.config.Log.Warn("the reply of a run-api to a post of groups was lost; they are not sent again", "groups", len(groups), "err", err)
	case refused:
		if l.poll(ctx, 0) != nil { // perhaps it does not know the environment any more
			return later
		}
		if len(groups) == 1 {
			l.config.Log.Warn("the hub refuses a group", "group", groups[0].ID, "err", err)
		}
	}
	return v
}

// judge derives the verdict from the error of a post.
func judge(err error, sent, ours bool, groups int) verdict {
	switch status := httpclient.StatusOf(err); {
	case err == nil:
		return taken
	case status/100 == 2, status == 0: // no reply, or half of one
		if sent && !ours {
			return unsure
		}
		return later
	case status == http.StatusConflict && ours && groups == 1: // it has a group of this name
		return taken
	case status >= http.StatusInternalServerError && !ours && groups > 1: // it keeps those before the failed one
		return unsure
	case status >= http.StatusInternalServerError, httpclient.Temporary(status):
		return later
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound:
		return later // no group is to blame
	}
	return refused
}

// framesOf returns the request to a hub of Quintain: the groups in their binary form, with
// the environment's ID and a name for each.
func (l *Link) framesOf(groups []queue.Delivery) (to call, err error) {
	env := l.envID()
	to = call{method: http.MethodPost, path: l.hub.ownPath("groups"), kind: groupform.Frames, body: l.body[:0]}
	for _, d := range groups {
		head := len(to.body)
		body := groupform.AppendFrameHead(to.body, 0, 0)
		if body, err = l.codec.AppendRenamed(body, d.Body, l.name(d), env); err != nil {
			return to, fmt.Errorf("group %s: %w", d.ID, err)
		}
		groupform.AppendFrameHead(body[:head], 0, len(body)-head-groupform.FrameHead)
		to.body = body
	}
	return to, nil
}

// scoredData returns the request to a run-api.
func (l *Link) scoredData(groups []queue.Delivery) (to call, err error) {
	env := l.envID()
	add := func(dst []byte, d queue.Delivery) []byte { // one decoded group at a time: it takes many times its binary form
		g, wrong := l.codec.Decode(d.Body)
		if wrong != nil {
			err = fmt.Errorf("group %s: %w", d.ID, wrong)
			return dst
		}
		g.EnvID = &env
		return atropos.AppendGroup(dst, g)
	}
	to = call{method: http.MethodPost, path: "scored_data_list"}
	if len(groups) == 1 {
		to.path, to.body = "scored_data", add(l.body[:0], groups[0])
	} else {
		to.body = strictjson.AppendList(l.body[:0], groups, add)
	}
	return to, err
}

// envID returns the ID of the environment.
func (l *Link) envID() int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int32(l.env)
}

// name returns the name of a group, which must be unique among all environments.
func (l *Link) name(d queue.Delivery) string { return fmt.Sprintf("%s/%d", l.config.RunID(), d.Seq) }

// Hold holds the gate during an evaluation, within the limits, until release is called.
func (l *Link) Hold() (release func()) {
	if !l.config.Limits.NoExamHold {
		l.hold(l.config.Limits.ExamShare)
	}
	return func() { l.hold(1) }
}
