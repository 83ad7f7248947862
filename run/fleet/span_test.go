package fleet

import (
	"net/http"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A traced desk names the spans of groups.
type traced struct{ *desk }

func (d traced) Next() (rollout.Job, error) {
	job, err := d.desk.Next()
	return job.Traced(1, "run"), err
}

// A lease names its span, and the group says who played it since when.
func TestALeaseNamesItsSpan(t *testing.T) {
	s := newSite(t, newDesk(t, 4), nil)
	s.join(1)
	if l := s.take(1, 1)[0]; l.Span != "" {
		t.Errorf("the span %s of a group without one", l.Span)
	}
	s.mu.Lock()
	s.table = traced{s.desk}
	s.mu.Unlock()
	before := time.Now()
	l := s.take(1, 1)[0]
	root := traceparent.Sampler(1).Of("run", l.Problem.ID())
	if span := traceparent.Parse(l.Span); span.Trace != root.Trace || span.Span == root.Span || !span.Sampled {
		t.Errorf("the span is %q, want one in the trace %x", l.Span, root.Trace)
	}
	if status := s.finish(l, played(1)); status != http.StatusOK {
		t.Fatal(status)
	}
	r := s.desk.judged[l.Problem.ID()]
	if r.Lease == nil || r.Lease.Worker != "w1" || r.Lease.Attempt != 1 || r.Lease.Number != l.Number || r.Lease.Granted.Before(before) || r.Lease.Span(root).String() != l.Span {
		t.Errorf("the group was played by %+v", r.Lease)
	}
}
