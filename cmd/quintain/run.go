package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/rollout"
)

// A runLimit says when a run ends, and where it tells what it did.
type runLimit struct {
	steps   int     // 0: never
	minutes float64 // of playing and training; 0: no end
	report  string  // file for the report as JSON; empty: none
}

func newRun(w *world, l *loader) *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Play episodes, grade them, keep the groups and train on them",
		Long: `Run plays problems with a policy, scores the replies, keeps the groups in the
durable queue of the data folder, and feeds them to a consumer that takes batches
and raises the policy's version. The hub listens on loopback meanwhile.

Without flags the policy is the small transformer in this program, which the
consumer trains with reinforcement learning while it samples, on seven easy tasks,
and examines on held-out problems before and after. --policy script plays a script
that solves each problem with a probability of 0.6, and trains nothing; --policy
openai asks a server.

Run again on the same data folder, it goes on where it was.
Ctrl-C starts no more episodes, gives those under way --grace to end, and keeps
everything; a second Ctrl-C cuts them.`,
		Example: `  quintain run --minutes 5 --report report.json
  quintain run --policy script --steps 20
  quintain run --tasks countdown:1,word_ladder:2 --policy openai --url http://127.0.0.1:8001/v1 --model my-model
  quintain run --policy script --scenario math_multi_turn --problems problems.jsonl --turns 4`,
		Args: noArgs,
	}
	l.serverFlags(c)
	l.runFlags(c)
	var limit runLimit
	f := c.Flags()
	f.IntVar(&limit.steps, "steps", 0, "end after that many training steps; 0: never")
	f.Float64Var(&limit.minutes, "minutes", 0, "end after that many minutes; 0: never")
	f.StringVar(&limit.report, "report", "", "write what the run did to this file, as JSON")
	c.RunE = func(*cobra.Command, []string) error {
		if limit.steps < 0 {
			return usagef("--steps is %d, want 0 or more", limit.steps)
		}
		if !(limit.minutes >= 0) {
			return usagef("--minutes is %v, want 0 or more", limit.minutes)
		}
		return startRun(c.Context(), w, l.settings, limit)
	}
	return c
}

// startRun opens what a run needs, runs it, and tells what it did.
func startRun(ctx context.Context, w *world, s settings, limit runLimit) (err error) {
	streams, err := openStreams(s)
	if err != nil {
		return err
	}
	if err := reportable(limit.report); err != nil {
		return err
	}
	if s.Run.Consumer == "hub" {
		s.Hub.maxLag = &s.Run.MaxLag
	}
	st, err := openStation(ctx, w, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	r, err := newRunner(ctx, w, s, streams, st)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()

	fmt.Fprintf(w.stderr, "quintain run: hub on http://%s, data in %s, from version %d; Ctrl-C stops\n", st.door.Addr(), s.Data, r.gate.Version())
	err = r.run(ctx, w, limit)
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
	streams []rollout.Stream
	mix     *rollout.Mix
	trainer *trainer // nil: the policy is not trained here
	gate    *rollout.Admission
	rules   rollout.Rules
	keeper  *keeper
	tally   *tally
	dumps   *dumps
	exams   *lineLog[examLine]
	began   time.Time // of this process, less the time of the earlier ones
	policy  *policySource
	faults  faultPause
}

// run runs all parts until the consumer is done, something fails, or a signal
// comes; then the episodes under way get their grace, and everything is kept.
func (r *runner) run(ctx context.Context, w *world, limit runLimit) error {
	show := &progress{out: w.stderr, terminal: w.terminal, tally: r.tally}
	return together(ctx,
		r.serve,
		r.policy.run,
		r.keeper.Run,
		show.Run,
		func(ctx context.Context) error { // the others outlast it
			stopped, err := r.examine(ctx, w.signals(), show, r.tally.examinedBefore)
			if stopped || err != nil {
				return err
			}
			if stopped, err = r.play(ctx, w.signals(), show, limit); stopped || err != nil {
				return err
			}
			_, err = r.examine(ctx, w.signals(), show, r.tally.examinedAfter)
			return err
		},
	)
}

// An examLine is a line of the log of examinations.
type examLine struct {
	Version int                `json:"version"` // at the end of the examination
	Seconds float64            `json:"seconds"` // that the processes on this data folder have run until then
	Mean    float64            `json:"mean_score"`
	Tasks   map[string]float64 `json:"tasks"` // mean score of each
}

// examine examines the policy with held-out problems, and has tally take it in. It
// reports whether a signal stopped it.
func (r *runner) examine(ctx context.Context, interrupts <-chan os.Signal, show *progress, tally func(evalReport)) (bool, error) {
	if r.Run.EvalProblems == 0 {
		return false, nil
	}
	e := &exam{settings: r.settings, policy: r.policy, streams: r.streams, count: r.Run.EvalProblems}
	stopped, err := untilSignal(ctx, interrupts, e.run)
	if stopped || err != nil || ctx.Err() != nil {
		return stopped, err
	}
	tally(e.report)
	line := examLine{r.gate.Version(), time.Since(r.began).Seconds(), e.report.Mean, map[string]float64{}}
	for name, task := range e.report.Tasks {
		line.Tasks[name] = task.Mean
	}
	show.note(fmt.Sprintf("quintain run: held-out problems score %.3f at version %d", line.Mean, line.Version))
	return false, r.exams.add(line)
}

// examineNowAndThen examines the policy while it is trained, until ctx is done.
func (r *runner) examineNowAndThen(ctx context.Context, show *progress) error {
	if r.Run.EvalProblems == 0 || r.Run.EvalEvery == 0 {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(r.Run.EvalEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if _, err := r.examine(ctx, nil, show, func(evalReport) {}); err != nil {
			return err
		}
	}
}

// close frees what the run opened, and tells why dumps are not whole.
func (r *runner) close() error {
	r.policy.close()
	return errors.Join(r.dumps.Close(), r.exams.Close(), r.trainer.close())
}

// play runs engine and consumer. The first signal stops them, the second cuts the
// episodes under way. It reports whether there was one.
func (r *runner) play(ctx context.Context, interrupts <-chan os.Signal, show *progress, limit runLimit) (stopped bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if limit.minutes > 0 {
		timer := time.AfterFunc(time.Duration(limit.minutes*float64(time.Minute)), stop)
		defer timer.Stop()
	}
	cut, over, start := make(chan struct{}), make(chan struct{}), time.Now()
	var signals sync.WaitGroup
	signals.Go(func() {
		select {
		case <-interrupts:
			show.note(fmt.Sprintf("quintain run: stopping; episodes under way have %v to end, and a second Ctrl-C cuts them", r.Run.Grace))
			stopped = true
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
	err = together(ctx, r.engine(cut).Run,
		func(ctx context.Context) error { return r.consume(ctx, limit.steps) },
		func(ctx context.Context) error { return r.examineNowAndThen(ctx, show) },
	)
	r.tally.playedFor(time.Since(start))
	close(over)
	signals.Wait()
	return stopped, err
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
	job, err := r.draw(ctx)
	if err != nil {
		return rollout.Job{}, err
	}
	r.policy.expect(job)
	return job, nil
}

// draw returns the next problem: one that is not held out, where the run examines
// its policy.
func (r *runner) draw(ctx context.Context) (rollout.Job, error) {
	if r.Run.EvalProblems == 0 {
		return r.mix.Next()
	}
	return nextOf(ctx, r.mix, false)
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
		batch: r.Run.BatchSize, maxLag: r.Run.MaxLag, stepTime: r.Run.StepTime, trainer: r.trainer, steps: steps,
	}
	if r.Run.Consumer == "hub" {
		return (&follower{consumer: c, hub: r.hub.Default()}).Run(ctx)
	}
	return c.Run(ctx)
}
