// Package run is a whole run as a library: it draws problems from streams, plays episodes
// with a policy, makes groups of them by rules, bounds staleness with a gate, keeps the
// groups in a queue, hands them to a consumer, holds evaluations, and tells sinks what
// happens.
//
// A [Run] resumes where the last one over the same queue ended. Only its ledger advances
// the policy's version: the result of a step is kept first, then the version and the IDs
// of its batch, and only then are the groups acknowledged. So no group is consumed twice.
package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/trace"
)

// A Config configures a run. It needs Streams, Policy, Queue and Settings.
type Config struct {
	Settings Settings
	Rules    rollout.Rules // the run sets Size and Sampling
	Sampling quintain.Sampling

	// Streams are the problems. A stream without its own Skip leaves out held-out problems,
	// but a stream of a file does so only if the run has evaluations.
	Streams []rollout.Stream

	// Curriculum chooses among the levels of the streams' courses. With the mode none, or
	// no mode, all streams are played in proportion to their weights.
	Curriculum curriculum.Settings

	// Policy plays. Its method Run(context.Context) error, if it has one, as tiny.Policy
	// does, runs as long as the run. Its method Waiting() string, if it has one, tells the
	// report why replies are late.
	Policy quintain.Policy

	// Opponents are the other policies at tables; see [rollout.Engine].
	Opponents map[string]rollout.Opponent

	// Queue keeps the groups. The caller closes it.
	Queue *queue.Queue

	Players Players // in place of the engine
	Trainer Trainer

	// Teacher scores the tokens of groups before they are kept. A group that it cannot
	// score is kept without scores, and counted. Nil: no teacher.
	Teacher *Teacher

	Sinks []Sink

	// Beside are parts that run beside the run and end after it, such as a hub.
	Beside []func(context.Context) error

	// Traces chooses the problems whose requests and jobs name a span. Zero: none do.
	Traces traceparent.Sampler

	// Cut, once closed, ends the episodes under way. Nil: nothing does.
	Cut <-chan struct{}

	Log *slog.Logger // default: none
}

// A Run is a run. Its methods may be called from many goroutines; Run is called once.
type Run struct {
	config     Config
	log        *slog.Logger
	mix        *rollout.Mix
	curriculum *curriculum.Curriculum // nil: there is none
	ledger     *ledger
	consumer   Consumer
	tally      *tally
	sinks      []Sink
	sets       []exam.Set
	faults     *backoff
	refusals   *backoff  // of prompts
	aged       *backoff  // groups that are too old when they are made
	tooLong    sync.Once // says that a prompt is too long
	standstill rollout.Standstill
	standing   sync.Once // says that players outside get nowhere
	costs      costs
	finished   atomic.Pointer[string]        // see finish; nil: it has not
	examining  atomic.Pointer[exam.Progress] // of the evaluation before or after; nil: none is under way
	playtime   playtime
	memories   *rollout.Memories
	start      time.Time // of this process, moved back by the time of earlier ones
}

// Open opens a run where the last process ended. The error names the invalid setting and
// the remedy.
func Open(ctx context.Context, c Config) (*Run, error) {
	if err := settings.Check(&c.Settings); err != nil {
		return nil, err
	}
	if err := settings.Check(&c.Rules); err != nil {
		return nil, err
	}
	if seats := rollout.Seats(c.Streams); c.Settings.BatchSize%(c.Settings.GroupSize*seats) != 0 {
		return nil, fmt.Errorf("batch_size: is %d, want a multiple of group_size, %d, for each of %d seats", c.Settings.BatchSize, c.Settings.GroupSize, seats)
	}
	if err := c.Rules.CheckSize(c.Settings.GroupSize); err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Rules.Size, c.Rules.Sampling = c.Settings.GroupSize, c.Sampling
	if c.Trainer.Consumer == nil {
		c.Trainer.Consumer = Train(nil)
	}
	r := &Run{
		config: c, log: c.Log, consumer: c.Trainer.Consumer, tally: newTally(c.Settings),
		memories: rollout.NewMemories(), start: time.Now(), playtime: playtime{minutes: c.Settings.Minutes, begun: make(chan struct{})},
	}
	r.faults, r.refusals, r.aged = newBackoffs()
	r.sinks = append([]Sink{r.tally}, c.Sinks...)
	streams, err := r.openStreams(ctx)
	if err != nil {
		return nil, err
	}
	if r.mix, err = rollout.NewMix(streams); err != nil {
		return nil, err
	}
	if c.Trainer.Allocator != nil {
		r.mix.Share()
	}
	if err := r.openCurriculum(); err != nil {
		return nil, err
	}
	if err := r.openLedger(ctx); err != nil {
		return nil, err
	}
	if tasks := r.mix.Renewed(); len(tasks) > 0 {
		r.log.Warn("these tasks are examined anew: other questions are held out than before, and some of them were trained on", "tasks", strings.Join(tasks, ", "))
	}
	r.consumer.begin()
	r.tally.begin(r.mix)
	return r, nil
}

// drawPause is how long drawing held-out problems may be silent.
const drawPause = 5 * time.Second

// openStreams returns the streams to play, and draws the sets of the evaluations.
func (r *Run) openStreams(ctx context.Context) (streams []rollout.Stream, err error) {
	if streams = rollout.Trained(r.config.Streams); len(streams) == 0 && len(r.config.Streams) > 0 {
		return nil, errors.New("all problems are held out, and none is left to train on: name another split, or evaluate by quintain eval")
	}
	examined := r.config.Settings.ExamProblems > 0 && r.config.Trainer.Exams == nil
	for i, s := range streams {
		if s.Skip == nil && (examined || s.Size() == 0) { // a size: the stream is a file
			streams[i].Skip = exam.Skip(s.Scenario)
		}
	}
	if r.config.Trainer.Exams != nil {
		r.sets = r.config.Trainer.Exams.Sets
	}
	if !examined {
		return streams, nil
	}
	last := time.Now()
	how := exam.Settings{Split: exam.HeldOutSide, Problems: r.config.Settings.ExamProblems, Told: func(done, total int) {
		if done < total && time.Since(last) > drawPause {
			last = time.Now()
			r.say("drawing the held-out problems: those of %d of %s", done, stats.Count(total, "level"))
		}
	}}
	r.sets, err = exam.NewSets(ctx, r.config.Streams, how)
	return streams, err
}

// openLedger opens the ledger, and the gate at its version.
func (r *Run) openLedger(ctx context.Context) (err error) {
	last := r.consumer.resume(r)
	r.ledger, err = openLedger(ctx, r.config.Queue, record{recordHead: recordHead{RunID: newRunID()}, Streams: r.mix, Part: partRecord{r.config.Players.Part}}, last)
	if err != nil {
		return err
	}
	if n := r.ledger.behind; n > 1 {
		r.log.Error("the record of the run is older than its checkpoint, and follows it: it was damaged or put back; problems that were played since may be played again, and their groups are dropped", "record", r.ledger.version()-n, "checkpoint", r.ledger.version())
	}
	s, held := r.config.Settings, r.config.Queue.Stats()
	r.ledger.gate = rollout.NewAdmission(rollout.Gate{Batch: s.BatchSize, MaxLag: s.MaxLag}, held.Waiting.Episodes+held.Leased.Episodes)
	return nil
}

// newRunID returns a random UUID of version 4 (RFC 9562).
func newRunID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// AddSink adds a sink, before Run is called. It is for sinks that need an opened run, such
// as its ID.
func (r *Run) AddSink(s Sink) { r.sinks = append(r.sinks, s) }

// Beside adds a part that runs beside the run and ends after it. Call it before Run.
func (r *Run) Beside(part func(context.Context) error) {
	r.config.Beside = append(r.config.Beside, part)
}

// Scenarios describes the scenarios of the run, each once.
func (r *Run) Scenarios() []quintain.ScenarioInfo {
	var all []quintain.ScenarioInfo
	seen := map[string]bool{}
	for _, s := range r.config.Streams {
		if info := s.Scenario.Info(); !seen[info.ID()] {
			seen[info.ID()] = true
			all = append(all, info)
		}
	}
	return all
}

// Head returns the head of the run's trace, without the program and the settings.
func (r *Run) Head() trace.Head {
	h := trace.Head{Run: r.ID(), Scenarios: r.Scenarios()}
	levels := rollout.Levels(r.config.Streams)
	for i, s := range r.config.Streams {
		if p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level}); err == nil {
			h.Call(p, levels[i])
		}
	}
	return h
}

// ID names the run. Later processes of the run have the same ID.
func (r *Run) ID() string { return r.ledger.record.RunID }

// Version is the version of the weights that the policy samples with; -1: unknown. A
// consumer that follows a trainer knows the version that somebody told, and one that sends
// groups elsewhere knows none.
func (r *Run) Version() int { return r.consumer.version() }

// Report returns the results of the run so far.
func (r *Run) Report() Report {
	report := r.tally.report()
	report.Version, report.Examining = r.Version(), r.examining.Load()
	for i, one := range r.Standings() {
		report.Tasks[i].Curriculum = &one
	}
	for _, info := range r.Scenarios() {
		report.Sandboxes = sandbox.Described(report.Sandboxes, info.Sandbox)
	}
	report.Waiting = waiting(r.config.Policy)
	if t := r.config.Teacher; t != nil && report.Waiting == "" {
		if text := waiting(t.From); text != "" {
			report.Waiting = "teacher: " + text
		}
	}
	return report
}

// waiting says why a policy or a teacher waits; empty: it does not wait, or does not say.
func waiting(p any) string {
	if p, waits := p.(interface{ Waiting() string }); waits {
		return p.Waiting()
	}
	return ""
}

// Run runs until the steps or the minutes of the settings are over, ctx ends, or
// something fails. Then it starts no more episodes, gives those under way their grace,
// examines the policy a last time, and returns when everything is kept and all that it
// started has ended. Once Config.Cut is closed, it skips the grace and the evaluation.
// The end of ctx is no error.
func (r *Run) Run(ctx context.Context) error {
	parts := append([]func(context.Context) error{r.ledger.Run}, r.config.Beside...)
	if p, runs := r.config.Policy.(interface{ Run(context.Context) error }); runs {
		parts = append(parts, p.Run)
	}
	if r.config.Trainer.Allocator != nil {
		parts = append(parts, r.restock)
	}
	outlast := context.WithoutCancel(ctx)
	return Together(outlast, append(parts, func(failed context.Context) error {
		stop, end := either(ctx, failed)
		defer end()
		return r.course(stop, failed)
	})...)
}

// course is the run from the first evaluation to the last. Stop ends it, and failed
// ends it at once.
func (r *Run) course(stop, failed context.Context) error {
	if r.config.Trainer.Exams == nil && r.waits() {
		if err := r.examine(stop, Before); err != nil || stop.Err() != nil {
			return err
		}
	}
	if err := r.play(stop); err != nil || failed.Err() != nil {
		return err
	}
	if r.isCut() || r.sets == nil || r.config.Trainer.Exams != nil {
		return nil
	}
	ctx := stop
	if stop.Err() != nil { // somebody stopped the run, and may stop the evaluation too
		r.say("examining the policy a last time; interrupt again to skip that")
		ctx = failed
	}
	return r.examine(ctx, After)
}

// isCut reports whether Config.Cut is closed.
func (r *Run) isCut() bool {
	select {
	case <-r.config.Cut:
		return true
	default:
		return false
	}
}

// play runs the engine and the consumer, until one of them ends or ctx does.
func (r *Run) play(ctx context.Context) error {
	start := time.Now()
	defer func() { r.tally.playedFor(time.Since(start)) }()
	played := make(chan struct{})
	engine := func(ctx context.Context) error {
		defer close(played)
		if play := r.config.Players.Play; play != nil {
			return play(ctx, &Table{r})
		}
		return r.engine(r.config.Settings.Parallel).Run(ctx)
	}
	consume := func(ctx context.Context) error {
		err := r.consumer.consume(ctx, played)
		if err == nil && ctx.Err() == nil {
			why := "its trainer wants no more groups"
			if steps := r.config.Settings.Steps; steps > 0 {
				why = fmt.Sprintf("it made its %s", stats.Count(steps, "step"))
			}
			r.finish(why)
		}
		return err
	}
	return Together(ctx, engine, consume, r.examineWhenDue, func(ctx context.Context) error {
		r.playtime.pass(ctx, r.finish)
		return nil
	})
}

// finish notes why the run has done all that it was to do.
func (r *Run) finish(why string) { r.finished.CompareAndSwap(nil, &why) }

// note hands an event to all sinks.
func (r *Run) note(e Event) error {
	var errs []error
	for _, s := range r.sinks {
		errs = append(errs, s.Note(e))
	}
	return errors.Join(errs...)
}

// say tells the sinks a message for people.
func (r *Run) say(format string, args ...any) {
	if err := r.note(Said{fmt.Sprintf(format, args...)}); err != nil {
		r.log.Warn("a sink takes no messages", "err", err)
	}
}
