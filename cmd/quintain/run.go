package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/rollout"
)

// A runLimit says when a run ends, and where it tells what it did.
type runLimit struct {
	steps  int    // 0: never
	report string // file for the report as JSON; empty: none
}

func newRun(w *world, l *loader) *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Play episodes, grade them, keep the groups and feed a consumer",
		Long: `Run plays problems with a policy, scores the replies, keeps the groups in the
durable queue of the data folder, and feeds them to a consumer that takes batches
and raises the policy's version. The hub listens on loopback meanwhile.

Without flags the policy is a script that solves each problem with a probability
of 0.6, and the consumer is built in. Run again on the same data folder, it goes on
where it was. Ctrl-C starts no more episodes, gives those under way --grace to end,
and keeps everything; a second Ctrl-C cuts them.`,
		Example: `  quintain run --steps 20 --report report.json
  quintain run --tasks countdown:1,word_ladder:2 --policy openai --url http://127.0.0.1:8001/v1 --model my-model
  quintain run --scenario math_multi_turn --problems problems.jsonl --turns 4`,
		Args: noArgs,
	}
	l.serverFlags(c)
	l.runFlags(c)
	var limit runLimit
	c.Flags().IntVar(&limit.steps, "steps", 0, "end after that many training steps; 0: never")
	c.Flags().StringVar(&limit.report, "report", "", "write what the run did to this file, as JSON")
	c.RunE = func(*cobra.Command, []string) error {
		if limit.steps < 0 {
			return usagef("--steps is %d, want 0 or more", limit.steps)
		}
		return startRun(c.Context(), w, l.settings, limit)
	}
	return c
}

// startRun opens what a run needs, runs it, and tells what it did.
func startRun(ctx context.Context, w *world, s settings, limit runLimit) (err error) {
	streams, err := openStreams(s.Run)
	if err != nil {
		return err
	}
	mix, err := rollout.NewMix(streams)
	if err != nil {
		return usageError{err}
	}
	if err := reportable(limit.report); err != nil {
		return err
	}
	st, err := openStation(ctx, w, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	r, err := newRunner(ctx, s, mix, st)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()

	fmt.Fprintf(w.stderr, "quintain run: hub on http://%s, data in %s, from version %d; Ctrl-C stops\n", st.door.Addr(), s.Data, r.gate.Version())
	err = r.run(ctx, w, limit.steps)
	done := r.tally.report()
	return errors.Join(err, done.table(w.stdout), writeReport(limit.report, done))
}

// reportable checks that a report can be written before the run begins.
func reportable(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return f.Close()
}

// writeReport writes a report as JSON.
func writeReport(path string, r report) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil { // in place: it may be a device
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

// A runner is a run: the engine that plays, the queue that keeps, the consumer
// that takes, and the hub that shows.
type runner struct {
	settings
	*station
	mix    *rollout.Mix
	gate   *rollout.Admission
	rules  rollout.Rules
	keeper *keeper
	tally  *tally
	dumps  *dumps
	policy *policySource
	faults faultPause
}

// run runs all parts until the consumer is done, something fails, or a signal
// comes; then the episodes under way get their grace, and everything is kept.
func (r *runner) run(ctx context.Context, w *world, steps int) error {
	show := &progress{out: w.stderr, terminal: w.terminal, tally: r.tally}
	return together(ctx,
		r.serve,
		r.policy.run,
		r.keeper.Run,
		show.Run,
		func(ctx context.Context) error { return r.play(ctx, w.interrupts, show, steps) }, // the others outlast it
	)
}

// close frees what the run opened, and tells why dumps are not whole.
func (r *runner) close() error {
	r.policy.close()
	return r.dumps.Close()
}

// play runs engine and consumer. The first signal stops them, the second cuts the
// episodes under way.
func (r *runner) play(ctx context.Context, interrupts <-chan os.Signal, show *progress, steps int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cut, over := make(chan struct{}), make(chan struct{})
	var signals sync.WaitGroup
	signals.Go(func() {
		select {
		case <-interrupts:
			show.note(fmt.Sprintf("quintain run: stopping; episodes under way have %v to end, and a second Ctrl-C cuts them", r.Run.Grace))
			stop()
		case <-over:
			return
		}
		select {
		case <-interrupts:
			close(cut)
		case <-over:
		}
	})
	err := together(ctx, r.engine(cut).Run, func(ctx context.Context) error { return r.consume(ctx, steps) })
	close(over)
	signals.Wait()
	return err
}

// engine returns the engine that plays r's problems.
func (r *runner) engine(cut <-chan struct{}) *rollout.Engine {
	return &rollout.Engine{
		Policy: r.policy, Sampling: r.Policy.Sampling,
		Size: r.Run.GroupSize, Parallel: max(1, r.Run.Parallel/r.Run.GroupSize),
		Grace: r.Run.Grace, Cut: cut, Next: r.next, Done: r.done,
	}
}

// next waits until a group may start, and hands out its problem.
func (r *runner) next(ctx context.Context) (rollout.Job, error) {
	if err := r.faults.wait(ctx); err != nil {
		return rollout.Job{}, err
	}
	if err := r.gate.Enter(ctx, r.Run.GroupSize); err != nil {
		return rollout.Job{}, err
	}
	job, err := r.mix.Next()
	if err != nil {
		return rollout.Job{}, err
	}
	r.policy.expect(job)
	return job, nil
}

// done judges what was played, and keeps the group or counts why not.
func (r *runner) done(ctx context.Context, result rollout.Result) error {
	r.policy.forget(result.Job)
	group, scores, drop, err := r.rules.Judge(result)
	if err != nil {
		return err
	}
	r.tally.played(result, scores)
	r.faults.count(drop == rollout.DropInfra)
	if drop == "" {
		fresh, err := r.Put(ctx, group)
		if err != nil {
			r.mix.Redo(result.Job)
			return fmt.Errorf("keeping group %s: %w", group.ID, err)
		}
		if !fresh {
			drop = rollout.DropDuplicate
		}
	}
	if err := r.dumps.write(result, scores, drop); err != nil {
		return err
	}
	switch drop {
	case "":
		r.tally.kept()
		r.log.Debug("kept", "group", group.ID)
	default:
		r.tally.drop(drop)
		r.gate.Leave(r.Run.GroupSize)
	}
	if drop == rollout.DropCancelled {
		r.mix.Redo(result.Job)
	} else {
		r.mix.Done(result.Job)
	}
	r.keeper.touch()
	return nil
}

// consume takes batches, or watches the hub's trainer take them.
func (r *runner) consume(ctx context.Context, steps int) error {
	c := consumer{
		queue: r.Queue, keeper: r.keeper, gate: r.gate, tally: r.tally, log: r.log,
		batch: r.Run.BatchSize, maxLag: r.Run.MaxLag, stepTime: r.Run.StepTime, steps: steps,
	}
	if r.Run.Consumer == "hub" {
		return (&follower{consumer: c, hub: r.hub}).Run(ctx)
	}
	return c.Run(ctx)
}
