package regrade

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// openQueue opens the queue of the run, and its trace to write to.
func (b *bench) openQueue(ctx context.Context) (err error) {
	j, server := b.job, web.Default()
	server.Port = 0
	folder := filepath.Join(j.Data, datadir.Trace)
	if string(trace.OfRun(j.Data)) != folder {
		return fmt.Errorf("%s is the folder of a trace, which has no queue: want the data folder of a run", j.Data)
	}
	b.plan.Store.NATSStandby = false // a queue in use is an error
	b.host, err = host.Open(ctx, host.Config{Data: j.Data, Program: j.Program, Server: server, Hub: hub.Default(), Store: b.plan.Store, Log: j.Log})
	if err != nil {
		return err
	}
	b.head.Program = j.Program
	if b.to, err = trace.NewWriter(folder, b.head, b.plan.Trace); err != nil {
		return err
	}
	return b.from.Refresh()
}

// close closes what is open.
func (b *bench) close() (err error) {
	if b.gradings != nil {
		err = b.gradings.Close()
	}
	if b.to != nil {
		err = errors.Join(err, b.to.Close())
	}
	if b.host != nil {
		err = errors.Join(err, b.host.Close())
	}
	if b.plan.Stop != nil {
		b.plan.Stop()
	}
	return err
}

// settle puts a group into the queue if it teaches something, and records what became of it, unless
// its record says so.
func (b *bench) settle(ctx context.Context, job rollout.Job, of *trace.Record) error {
	j, err := b.rules(job, of, false)
	if j.Drop == "" && err == nil {
		j.Drop, err = b.keep(ctx, j.Group)
	}
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if j.Drop == "" {
		b.sum.Queued++
	} else {
		b.sum.Dropped[j.Drop]++
	}
	if string(j.Drop) == of.Drop {
		return nil
	}
	to := &trace.Record{Problem: of.Problem, Episodes: of.Episodes, Scores: j.Scores, Drop: string(j.Drop), Version: of.Version, Time: time.Now().UTC(), Worker: of.Worker, Model: of.Model}
	if j.Drop == "" {
		to.Advantages, to.Sequences = j.Group.Advantages, j.Group.Episodes
	}
	return errors.Join(b.to.Write(to), b.to.Flush())
}

// keep puts a group into the queue, or returns why not.
func (b *bench) keep(ctx context.Context, group *quintain.Group) (rollout.Drop, error) {
	if b.version >= 0 && b.plan.Bound.Exceeds(b.version, group) {
		return rollout.DropStale, nil
	}
	_, err := b.host.Queue().Put(context.WithoutCancel(ctx), group)
	if _, other := errors.AsType[*queue.ConflictError](err); other {
		return rollout.DropDuplicate, nil
	}
	return "", err
}

// Judged finds the judge among streams for which a problem was played, which must be the same.
func Judged(streams []rollout.Stream) func(quintain.Problem) (quintain.Scenario, error) {
	return func(p quintain.Problem) (quintain.Scenario, error) {
		for _, s := range streams {
			if _, judges := s.Scenario.(quintain.Panel); judges && s.Scenario.Info().ID() == p.Scenario && s.Scenario.TaskInfo().Name == p.Task {
				return s.Scenario, nil
			}
		}
		return nil, fmt.Errorf("its scenario is %s, and no stream has it: want the rubric, the model and the sampling of the judge that it was played for", p.Scenario)
	}
}
