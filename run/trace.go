package run

import (
	"time"

	"github.com/quintain-rl/quintain/trace"
)

// Record returns the group in the form of a trace.
func (p *Played) Record(at time.Time) *trace.Record {
	r := &trace.Record{
		Problem: p.Job.Problem, Episodes: p.Trajectories, Scores: p.Scores,
		Drop: string(p.Drop), Version: p.Version, Time: at,
	}
	if of := p.Lease; of != nil {
		r.Worker, r.Model = of.Worker, of.Model
	}
	if p.Group != nil {
		r.Advantages, r.Sequences = p.Group.Advantages, p.Group.Episodes
	}
	return r
}

// A RecordSink takes the records of groups: a [trace.Writer], or an export of package
// interop/export. Many goroutines may use one.
type RecordSink interface {
	Write(r *trace.Record) error
}

// Records returns a [Sink] that writes the record of each played group to a RecordSink.
func Records(to RecordSink) Sink { return records{to} }

type records struct{ to RecordSink }

// Note implements [Sink].
func (r records) Note(e Event) error {
	if p, ok := e.(Played); ok {
		return r.to.Write(p.Record(time.Now().UTC()))
	}
	return nil
}
