// Package export makes data sets from traces: the dumps of Atropos' reasoning-gym
// environment, and sets for supervised fine-tuning and for preference optimisation. Each is
// a [Sink], which takes records during a run, or afterwards from [Copy].
package export

import (
	"context"
	"errors"
	"os"

	"github.com/quintain-rl/quintain/trace"
)

// A Sink takes records, and ignores unsuitable ones. Many goroutines may use one.
type Sink interface {
	Write(r *trace.Record) error
}

// page is the number of entries that Copy finds at a time.
const page = 1000

// Copy writes the records that match q to a sink, and returns their number. It leaves out
// damaged and removed records. When ctx ends, Copy returns its cause.
func Copy(ctx context.Context, to Sink, from *trace.Reader, q trace.Query) (n int, err error) {
	most := q.Limit
	for {
		q.Limit = page
		if most > 0 {
			q.Limit = min(page, most)
		}
		found := from.Find(q)
		for _, e := range found {
			if ctx.Err() != nil {
				return n, context.Cause(ctx)
			}
			r, err := from.Read(e.Ref)
			if errors.Is(err, trace.ErrDamaged) || errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return n, err
			}
			if err := to.Write(r); err != nil {
				return n, err
			}
			n++
		}
		most -= len(found)
		if len(found) < q.Limit || most == 0 {
			return n, nil
		}
		q.After = found[len(found)-1].Ref
	}
}
