// Package run is a whole run as a library: problems from streams, episodes against a
// policy, rules that make groups of them, a gate that bounds staleness, a queue that
// keeps, a consumer with or without a learner, examinations, and sinks for what happens.
//
// A [Run] goes on where the last one over the same queue was. Its ledger alone advances
// the policy's version: what a step made is kept first, then the version and the IDs of
// its batch, and only then are the groups acknowledged, so that none is ever consumed
// twice.
package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/rollout/curriculum"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/tiny/learn"
)

// A Config says what a run is made of. Streams, Policy, Queue and Settings are needed.
type Config struct {
	Settings Settings
	Rules    rollout.Rules // Size and Sampling are set by the run
	Sampling quintain.Sampling

	// Streams are the problems. A stream without a Skip of its own leaves out what is
	// held out, but a stream of a file does so only if the run has examinations.
	Streams []rollout.Stream

	// Curriculum chooses among the levels of the streams' courses. With the mode none, or
	// no mode, all streams are played in proportion to their weights.
	Curriculum curriculum.Settings

	// Policy plays. If it has a method Run(context.Context) error, as tiny.Policy, that
	// runs as long as the run does. If it has a method Waiting() string, the report says
	// what it waits for.
	Policy quintain.Policy

	// Queue keeps the groups, and remains the caller's to close.
	Queue *queue.Queue

	// Learner makes the steps of the built-in consumer. Nil: nothing is trained here, and
	// the consumer only raises the version.
	Learner Learner

	// Teacher scores the tokens of groups before they are kept. A group that it cannot score
	// is kept without, and counted. Nil: there is none.
	Teacher *Teacher

	// Trainer takes the batches from elsewhere, such as a hub over Queue, in place of the
	// built-in consumer. Nil: nobody does.
	Trainer Trainer

	// Outlet takes the groups elsewhere one by one, in place of a consumer of batches, and
	// of the gate. Nil: nothing does.
	Outlet Outlet

	// Exams are held when they are asked for, in place of those that the settings say.
	// Nil: there are none.
	Exams *Exams

	Sinks []Sink

	// Beside is what runs beside the run and ends after it, such as a hub.
	Beside []func(context.Context) error

	// Cut ends what is under way, once it is closed. Nil: nothing does.
	Cut <-chan struct{}

	Log *slog.Logger // default: none
}

// A Learner trains the policy of a run. It is for one goroutine.
type Learner interface {
	// Last is the last step whose result is kept.
	Last() learn.Step

	// Step trains on groups and returns when the result is kept. A [*learn.GroupError]
	// leaves everything as it was.
	Step(ids []string, groups []*quintain.Group) (learn.Step, error)

	// Publish gives the policy what the last step made.
	Publish() error
}

// A Trainer is a consumer outside the run, such as a trainer that takes batches from a
// hub. Its steps and versions are one count: version n are the weights after n steps.
// Many goroutines may use it.
type Trainer interface {
	// Step is how many steps will have been made before the next batch is trained on:
	// those of the batches that were handed out. What is too old by that is dropped.
	Step() int

	// Acked is how many steps the trainer says it has made, and how many episodes it has
	// trained on since the process began. They alone open the gate: a batch that was
	// handed out may still come back.
	Acked() (steps, episodes int)

	// Version is that of the weights that the policy's server samples with, as somebody
	// told; -1 if nobody has.
	Version() int

	// Staleness counts the groups that were acknowledged since the process began, by how
	// many steps their oldest token was behind. Groups of unknown version are not in it.
	Staleness() map[int]int

	// Progress returns a channel that is closed when any of this may have changed.
	Progress() <-chan struct{}

	// BatchSize is the number of sequences in a batch, which the run takes for episodes;
	// below 1: unknown.
	BatchSize() int
}

// A Run is a run. Its methods may be called from many goroutines; Run is called once.
type Run struct {
	config     Config
	log        *slog.Logger
	mix        *rollout.Mix
	curriculum *curriculum.Curriculum // nil: there is none
	ledger     *ledger
	follower   *follower // nil: the built-in consumer takes the batches
	tally      *tally
	sinks      []Sink
	sets       []exam.Set
	faults     faultPause
	memories   chan *rollout.Memory // of groups that are not being made; few are at once, since each takes many times the memory of its replies
	start      time.Time            // of this process, less the time of the earlier ones
}

// Open puts a run together, at the place where the last process was. The error names
// what is invalid, and how to mend it.
func Open(ctx context.Context, c Config) (*Run, error) {
	if err := settings.Check(&c.Settings); err != nil {
		return nil, err
	}
	if err := settings.Check(&c.Rules); err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Rules.Size, c.Rules.Sampling = c.Settings.GroupSize, c.Sampling
	r := &Run{config: c, log: c.Log, tally: newTally(), memories: newMemories(max(8, 4*runtime.GOMAXPROCS(0))), start: time.Now()}
	r.sinks = append([]Sink{r.tally}, c.Sinks...)
	streams, err := r.openStreams()
	if err != nil {
		return nil, err
	}
	if r.mix, err = rollout.NewMix(streams); err != nil {
		return nil, err
	}
	if err := r.openCurriculum(); err != nil {
		return nil, err
	}
	if err := r.openLedger(ctx); err != nil {
		return nil, err
	}
	if c.Trainer != nil {
		r.follower = newFollower(r)
	}
	r.tally.begin(r.mix)
	return r, nil
}

// openStreams returns the streams that are played, and draws the sets that the policy
// is examined with.
func (r *Run) openStreams() (streams []rollout.Stream, err error) {
	streams = append(streams, r.config.Streams...)
	examined := r.config.Settings.ExamProblems > 0 && r.config.Exams == nil
	for i, s := range streams {
		if s.Skip == nil && (examined || s.Size() == 0) { // a size: the stream is a file
			streams[i].Skip = exam.Skip(s.Scenario)
		}
	}
	if r.config.Exams != nil {
		r.sets = r.config.Exams.Sets
	}
	if !examined {
		return streams, nil
	}
	how := exam.Settings{Split: exam.HeldOutSide, Problems: r.config.Settings.ExamProblems}
	r.sets, err = exam.NewSets(r.config.Streams, how)
	return streams, err
}

// openLedger opens the ledger, and the gate at its version.
func (r *Run) openLedger(ctx context.Context) (err error) {
	var last *checkpoint
	if r.config.Learner != nil {
		step := r.config.Learner.Last()
		last = &checkpoint{step.Version, step.Batch}
		r.start = r.start.Add(-time.Duration(step.Seconds * float64(time.Second)))
	}
	r.ledger, err = openLedger(ctx, r.config.Queue, record{RunID: newRunID(), Streams: r.mix}, last)
	if err != nil {
		return err
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

// AddSink adds a sink, before Run is called: for sinks that need what Open has found out,
// such as the ID.
func (r *Run) AddSink(s Sink) { r.sinks = append(r.sinks, s) }

// Beside adds a part that runs beside the run and ends after it, before Run is called.
func (r *Run) Beside(part func(context.Context) error) {
	r.config.Beside = append(r.config.Beside, part)
}

// Scenarios describes the scenarios that the run plays, each once.
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

// ID names the run; it stays what it is when another process goes on with the run.
func (r *Run) ID() string { return r.ledger.record.RunID }

// Version is the version of the weights that the policy samples with; -1: unknown. With
// a trainer outside it is what was told; with an outlet it is unknown.
func (r *Run) Version() int {
	switch {
	case r.config.Outlet != nil:
		return -1
	case r.config.Trainer != nil:
		return r.config.Trainer.Version()
	}
	return r.ledger.version()
}

// trained is how many steps will have been made before the next batch is trained on.
func (r *Run) trained() int {
	if r.config.Trainer != nil {
		return r.config.Trainer.Step()
	}
	return r.ledger.version()
}

// Report returns what the run did until now.
func (r *Run) Report() Report {
	report := r.tally.report()
	report.Version = r.Version()
	for i, one := range r.Standings() {
		report.Tasks[i].Curriculum = &one
	}
	report.Waiting = waiting(r.config.Policy)
	if t := r.config.Teacher; t != nil && report.Waiting == "" {
		if text := waiting(t.From); text != "" {
			report.Waiting = "teacher: " + text
		}
	}
	return report
}

// waiting is what a policy or a teacher waits for; empty: nothing that it tells.
func waiting(p any) string {
	if p, waits := p.(interface{ Waiting() string }); waits {
		return p.Waiting()
	}
	return ""
}

// Run runs until the steps or the minutes of the settings are over, ctx ends, or
// something fails. Then it starts no more episodes, gives those that are under way their
// grace, examines the policy a last time, and returns when everything is kept and all
// that it started has ended. Once Config.Cut is closed, it waits for neither. That ctx
// ended is not an error.
func (r *Run) Run(ctx context.Context) error {
	parts := append([]func(context.Context) error{r.ledger.Run}, r.config.Beside...)
	if p, runs := r.config.Policy.(interface{ Run(context.Context) error }); runs {
		parts = append(parts, p.Run)
	}
	outlast := context.WithoutCancel(ctx)
	return Together(outlast, append(parts, func(failed context.Context) error {
		stop, end := either(ctx, failed)
		defer end()
		return r.course(stop, failed)
	})...)
}

// course is the run from the first examination to the last. Stop ends it, and failed
// ends it at once.
func (r *Run) course(stop, failed context.Context) error {
	if r.config.Exams == nil {
		if err := r.examine(stop, Before); err != nil || stop.Err() != nil {
			return err
		}
	}
	if err := r.play(stop); err != nil || failed.Err() != nil {
		return err
	}
	if r.isCut() || r.sets == nil || r.config.Exams != nil {
		return nil
	}
	ctx := stop
	if stop.Err() != nil { // somebody stopped the run, and may now stop this as well
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
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if minutes := r.config.Settings.Minutes; minutes > 0 {
		timer := time.AfterFunc(time.Duration(minutes*float64(time.Minute)), stop)
		defer timer.Stop()
	}
	start := time.Now()
	defer func() { r.tally.playedFor(time.Since(start)) }()
	played := make(chan struct{})
	engine := func(ctx context.Context) error {
		defer close(played)
		return r.engine().Run(ctx)
	}
	return Together(ctx, engine, func(ctx context.Context) error { return r.consume(ctx, played) }, r.examineNowAndThen)
}

// consume takes batches, watches the trainer take them, or sends groups until playing has
// ended.
func (r *Run) consume(ctx context.Context, played <-chan struct{}) error {
	switch {
	case r.config.Outlet != nil:
		return r.deliver(ctx, played)
	case r.config.Trainer != nil:
		return r.follower.run(ctx)
	}
	return r.consumeBatches(ctx)
}

// note hands an event to all sinks.
func (r *Run) note(e Event) error {
	var errs []error
	for _, s := range r.sinks {
		errs = append(errs, s.Note(e))
	}
	return errors.Join(errs...)
}

// say tells people something.
func (r *Run) say(format string, args ...any) {
	if err := r.note(Said{fmt.Sprintf(format, args...)}); err != nil {
		r.log.Warn("a sink takes no messages", "err", err)
	}
}
