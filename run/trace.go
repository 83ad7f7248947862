package run

import (
	"time"

	"github.com/quintain-rl/quintain/export"
	"github.com/quintain-rl/quintain/trace"
)

// Record is the group as a trace keeps it, at a time.
func (p *Played) Record(at time.Time) *trace.Record {
	r := &trace.Record{
		Problem: p.Job.Problem, Episodes: p.Trajectories, Scores: p.Scores,
		Drop: string(p.Drop), Version: p.Version, Time: at,
	}
	if p.Group != nil {
		r.Advantages, r.Sequences = p.Group.Advantages, p.Group.Episodes
	}
	return r
}

// Records returns a [Sink] that writes a record of every group that was played: to a
// [trace.Writer], or to what is made of traces.
func Records(to export.Sink) Sink { return records{to} }

type records struct{ to export.Sink }

// Note implements [Sink].
func (r records) Note(e Event) error {
	if p, is := e.(Played); is {
		return r.to.Write(p.Record(time.Now().UTC()))
	}
	return nil
}
