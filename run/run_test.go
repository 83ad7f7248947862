package run_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/tasks/numbers"
	"github.com/quintain-rl/quintain/tasks/words"
	"github.com/quintain-rl/quintain/tiny"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// streams returns streams of tasks in the scenario reasoning_gym.
func streams(t testing.TB, names ...string) []rollout.Stream {
	t.Helper()
	tasks, err := task.NewSet(slices.Concat(arithmetic.Tasks(), numbers.Tasks(), words.Tasks()))
	if err != nil {
		t.Fatal(err)
	}
	var all []rollout.Stream
	for _, name := range names {
		of, err := tasks.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stream(t, of))
	}
	return all
}

// stream has the problems of a task.
func stream(t testing.TB, of quintain.Task) rollout.Stream {
	t.Helper()
	i := slices.IndexFunc(scenarios.All, func(s scenario.Spec) bool { return s.Name == "reasoning_gym" })
	s, err := scenarios.All[i].Over(of, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rollout.Stream{Scenario: s, Seed: 1, Weight: 1}
}

// solver is a policy that is right with a probability.
func solver(all []rollout.Stream, accuracy float64) *script.Solver {
	var scenarios []quintain.Scenario
	for _, s := range all {
		scenarios = append(scenarios, s.Scenario)
	}
	return &script.Solver{Answer: script.NewBook(scenarios...).Answer, Accuracy: accuracy, Seed: 1}
}

// open opens the queue of a store, until the test ends.
func open(t testing.TB, store queue.Store) *queue.Queue {
	t.Helper()
	q, err := queue.Open(context.Background(), store, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil && !errors.Is(err, queue.ErrClosed) {
			t.Error(err)
		}
	})
	return q
}

// config returns the config of a run of two tasks over a queue.
func config(t testing.TB, q *queue.Queue) run.Config {
	all := streams(t, "chain_sum", "spell_backward")
	s := run.Defaults()
	s.GroupSize, s.BatchSize, s.Parallel, s.Steps = 4, 16, 64, 5
	return run.Config{
		Settings: s, Rules: rollout.DefaultRules(), Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 2048},
		Streams: all, Policy: solver(all, 0.6), Queue: q,
	}
}

// finish runs a run to its end and returns its report.
func finish(t testing.TB, c run.Config) (*run.Run, run.Report) {
	t.Helper()
	r := begin(t, c)
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, r.Report()
}

// begin opens a run. A script plays at its version.
func begin(t testing.TB, c run.Config) *run.Run {
	t.Helper()
	r, err := run.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := c.Policy.(*script.Solver); ok {
		s.Version = func() int32 { return int32(r.Version()) }
	}
	return r
}

// events collects events.
type events struct {
	mu  sync.Mutex
	all []run.Event
}

func (e *events) Note(event run.Event) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
	return nil
}

// of are the events of one kind.
func of[T run.Event](e *events) (some []T) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, event := range e.all {
		if one, ok := event.(T); ok {
			some = append(some, one)
		}
	}
	return some
}

func TestRun(t *testing.T) {
	t.Parallel()
	c, seen := config(t, open(t, queue.NewMemory())), &events{}
	c.Sinks = []run.Sink{seen}
	r, report := finish(t, c)
	if report.Steps != 5 || report.Version != 5 || r.Version() != 5 || report.GroupsMade < 20 || report.Unit != "bytes" {
		t.Errorf("report %+v", report)
	}
	consumed := map[string]bool{}
	for i, s := range of[run.Stepped](seen) {
		if s.Version != i+1 || len(s.Batch) != 4 || s.Trained {
			t.Errorf("step %d: %+v", i+1, s)
		}
		for _, id := range s.Batch {
			if consumed[id] {
				t.Errorf("group %s is consumed twice", id)
			}
			consumed[id] = true
		}
		for _, lag := range s.Lags {
			if lag > c.Settings.MaxLag {
				t.Errorf("step %d: a group is %d versions behind", i+1, lag)
			}
		}
	}
	kept, dropped := 0, 0
	for _, p := range of[run.Played](seen) {
		if len(p.Trajectories) != 4 || (p.Group == nil) != (p.Drop != "") {
			t.Errorf("played %+v", p)
		}
		if p.Drop == "" {
			kept++
		} else {
			dropped++
		}
	}
	for _, d := range of[run.Dropped](seen) {
		dropped += len(d.Groups)
	}
	drops := 0
	for _, n := range report.GroupsDropped {
		drops += n
	}
	if kept != report.GroupsMade || dropped != drops {
		t.Errorf("%d groups were kept and %d dropped, and the report counts %d and %d", kept, dropped, report.GroupsMade, drops)
	}
	for i, label := range []string{"chain_sum:0", "spell_backward:0"} {
		if task := report.Tasks[i]; task.Label != label || task.Groups == 0 || len(task.Curve) == 0 {
			t.Errorf("task %+v, want %s", task, label)
		}
	}
}

// A run that is opened again resumes with the version, the positions and the waiting groups.
func TestRunGoesOn(t *testing.T) {
	t.Parallel()
	store := queue.NewMemory()
	first, a := finish(t, config(t, open(t, store)))
	second, b := finish(t, config(t, open(t, store)))
	if second.Version() != 10 || b.Steps != 5 || first.ID() != second.ID() {
		t.Errorf("the second run %s made %d steps to version %d; the first was %s", second.ID(), b.Steps, second.Version(), first.ID())
	}
	if n := b.GroupsDropped[rollout.DropDuplicate]; n > 0 {
		t.Errorf("%d problems were played twice", n)
	}
	if a.GroupsMade+b.GroupsMade < 40 {
		t.Errorf("%d and %d groups made, want the 40 that were consumed", a.GroupsMade, b.GroupsMade)
	}
}

// The curriculum goes by the scores before penalties, and the run by those after them.
func TestPenaltiesDoNotChangeTheCurriculum(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	c.Policy = solver(c.Streams, 1)
	c.Rules.KeepEqual, c.Rules.LengthBudget = true, 1 // every reply is longer
	c.Curriculum = curriculum.Default()
	c.Curriculum.Mode = curriculum.Random
	r, report := finish(t, c)
	for i, one := range r.Standings() {
		if one.PassRate != 1 || report.Tasks[i].Last != 0 {
			t.Errorf("%s: pass rate %v, mean score %v, want 1 and 0", one.Name, one.PassRate, report.Tasks[i].Last)
		}
	}
}

// If a process is killed after it kept a group and before it kept the position, the group is
// played again, with another outcome, and counts once.
func TestAProblemThatIsPlayedAgainIsADuplicate(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	seen := &events{}
	c.Sinks = []run.Sink{seen}
	finish(t, c)
	played := of[run.Played](seen)
	kept := played[slices.IndexFunc(played, func(p run.Played) bool { return p.Group != nil })].Group
	c = config(t, open(t, queue.NewMemory()))
	kept.Scores[0] += 0.25
	c.Settings.Steps, c.Settings.StepTime = 1, 200*time.Millisecond // so that it is still in the queue
	if _, err := c.Queue.Put(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	if _, report := finish(t, c); report.GroupsDropped[rollout.DropDuplicate] != 1 {
		t.Errorf("dropped %v, want one duplicate", report.GroupsDropped)
	}
}

// Two scenarios over one queue have positions and IDs of their own.
func TestScenariosDoNotShareProblems(t *testing.T) {
	t.Parallel()
	store := queue.NewMemory()
	finish(t, config(t, open(t, store)))
	c := config(t, open(t, store))
	for i := range c.Streams {
		of, err := task.NewSet(slices.Concat(arithmetic.Tasks(), numbers.Tasks(), words.Tasks()))
		if err != nil {
			t.Fatal(err)
		}
		one, err := of.Get(c.Streams[i].Scenario.TaskInfo().Name)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(scenarios.All, func(s scenario.Spec) bool { return s.Name == "reasoning_gym" })
		if c.Streams[i].Scenario, err = scenarios.All[at].Over(one, []byte(`{"short_prompts":true}`)); err != nil {
			t.Fatal(err)
		}
	}
	c.Policy = solver(c.Streams, 0.6)
	seen := &events{}
	c.Sinks = []run.Sink{seen}
	_, report := finish(t, c)
	if n := report.GroupsDropped[rollout.DropDuplicate]; n > 0 {
		t.Errorf("%d problems have the ID of a problem of the other settings", n)
	}
	if p := of[run.Played](seen)[0]; p.Job.Problem.Index > 64 {
		t.Errorf("the positions go on at %d", p.Job.Problem.Index)
	}
}

// Held-out problems are never played, and only they are examined.
func TestHeldOutProblemsAreNotPlayed(t *testing.T) {
	t.Parallel()
	c, seen := config(t, open(t, queue.NewMemory())), &events{}
	c.Settings.ExamProblems, c.Settings.ExamEvery, c.Sinks = 8, time.Nanosecond, []run.Sink{seen}
	_, report := finish(t, c)
	if report.ExamBefore == nil || report.ExamAfter == nil || report.Tasks[0].ExamBefore == nil {
		t.Fatalf("report %+v", report)
	}
	moments := map[run.Moment]int{}
	asked := map[quintain.Key]bool{}
	for _, e := range of[run.Examined](seen) {
		moments[e.When]++
		for _, row := range e.Report.Rows {
			if row.Scored != 8 {
				t.Errorf("%s %s: %d problems, want 8", e.When, row.Label, row.Scored)
			}
			for _, p := range row.Problems {
				asked[keyOf(t, c, p.ID)] = true
			}
		}
	}
	if moments[run.Before] != 1 || moments[run.After] != 1 {
		t.Errorf("evaluations %v", moments)
	}
	for _, p := range of[run.Played](seen) {
		if asked[keyOf(t, c, p.Job.Problem.ID())] {
			t.Errorf("problem %s is played and examined", p.Job.Problem.ID())
		}
	}
}

// A timed policy counts the requests that have the time limit, by how many samples they ask for.
type timed struct {
	quintain.Policy
	mu   sync.Mutex
	asks map[int]int
}

func (p *timed) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	p.mu.Lock()
	if r.Within == time.Minute {
		p.asks[r.N]++
	}
	p.mu.Unlock()
	return p.Policy.Sample(ctx, r)
}

// The time limit of an episode holds in evaluations as it does in groups.
func TestEpisodesOfExaminationsHaveTheTimeLimit(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	c.Settings.ExamProblems, c.Settings.EpisodeTime, c.Settings.Steps = 8, time.Minute, 1
	p := &timed{Policy: c.Policy, asks: map[int]int{}}
	c.Policy = p
	if finish(t, c); p.asks[1] != 32 || p.asks[4] == 0 {
		t.Errorf("requests by samples %v, want 32 of two evaluations for one, and those of the run for 4", p.asks)
	}
}

// A run skips held-out problems even if it holds no evaluation: others may hold one.
func TestHeldOutProblemsAreNotPlayedWithoutExaminations(t *testing.T) {
	t.Parallel()
	c, seen := config(t, open(t, queue.NewMemory())), &events{}
	c.Settings.ExamProblems, c.Sinks = 0, []run.Sink{seen}
	finish(t, c)
	played := of[run.Played](seen)
	if len(played) == 0 {
		t.Error("nothing is played")
	}
	for _, p := range played {
		if keyOf(t, c, p.Job.Problem.ID()).HeldOut() {
			t.Errorf("problem %s is held out, and played", p.Job.Problem.ID())
		}
	}
}

// keyOf is the key of the problem of an ID.
func keyOf(t *testing.T, c run.Config, id string) quintain.Key {
	t.Helper()
	_, name, d, err := quintain.ParseID(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Streams {
		if s.Scenario.TaskInfo().Name != name {
			continue
		}
		p, err := s.Scenario.Problem(d)
		if err != nil {
			t.Fatal(err)
		}
		key, err := s.Scenario.Key(p)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	t.Fatalf("no stream of %s", name)
	return quintain.Key{}
}

// A learner counts its steps and its publications.
type learner struct {
	mu        sync.Mutex
	last      tiny.Step
	published int
	refuse    map[string]bool // IDs of groups that it cannot train on
	log       []string
}

func (l *learner) Last() tiny.Step { return l.last }

func (l *learner) Step(ids []string, _ []*quintain.Group) (tiny.Step, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, id := range ids {
		if l.refuse[id] {
			return tiny.Step{}, &tiny.GroupError{Index: i, Err: errors.New("it is too long")}
		}
	}
	l.last = tiny.Step{Version: l.last.Version + 1, Seconds: float64(l.last.Version + 1), Batch: ids}
	l.log = append(l.log, fmt.Sprint("step ", l.last.Version))
	return l.last, nil
}

func (l *learner) Publish() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.published = l.last.Version
	l.log = append(l.log, fmt.Sprint("publish ", l.last.Version))
	return nil
}

func TestLearner(t *testing.T) {
	t.Parallel()
	c, seen := config(t, open(t, queue.NewMemory())), &events{}
	l := &learner{}
	c.Trainer.Consumer, c.Sinks = run.Train(l), []run.Sink{seen}
	r, report := finish(t, c)
	if r.Version() != 5 || l.published != 5 || report.Training == nil || report.Steps != 5 {
		t.Errorf("version %d, published %d, report %+v", r.Version(), l.published, report)
	}
	if got := strings.Join(l.log, ", "); got != "step 1, publish 1, step 2, publish 2, step 3, publish 3, step 4, publish 4, step 5, publish 5" {
		t.Errorf("the learner was asked for %s", got)
	}
}

func TestAGroupThatTheLearnerRefusesIsDropped(t *testing.T) {
	t.Parallel()
	c, seen := config(t, open(t, queue.NewMemory())), &events{}
	l := &learner{refuse: map[string]bool{}}
	for index := range 3 {
		p, err := c.Streams[0].Scenario.Problem(quintain.Draw{Seed: 1, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		l.refuse[p.ID()] = true
	}
	c.Trainer.Consumer, c.Sinks, c.Rules.KeepEqual = run.Train(l), []run.Sink{seen}, true
	_, report := finish(t, c)
	dropped := 0
	for _, d := range of[run.Dropped](seen) {
		if d.Why == rollout.DropRefused && l.refuse[d.Groups[0]] {
			dropped += len(d.Groups)
		}
	}
	if n := report.GroupsDropped[rollout.DropRefused]; n == 0 || n != dropped || report.Steps != 5 {
		t.Errorf("%d groups were refused, and %d of those dropped; report %+v", n, dropped, report)
	}
	for _, s := range of[run.Stepped](seen) {
		for _, id := range s.Batch {
			if l.refuse[id] {
				t.Errorf("group %s was trained on", id)
			}
		}
	}
}

// The checkpoint of a learner may be one step ahead of the record: the process was
// killed between the two. The step counts, and its groups are acknowledged.
func TestTheRecordFollowsTheCheckpoint(t *testing.T) {
	t.Parallel()
	store := queue.NewMemory()
	c := config(t, open(t, store))
	c.Trainer.Consumer, c.Settings.Steps = run.Train(&learner{}), 2
	c.Settings.MaxLag = 4
	finish(t, c)
	q := open(t, store)
	var ahead []string
	q.View(func(waiting []queue.Entry) {
		for _, e := range waiting[:min(4, len(waiting))] {
			ahead = append(ahead, strings.Clone(e.ID))
		}
	})
	c = config(t, q)
	seen := &events{}
	c.Settings.MaxLag = 0 // there is room for one batch, once that of the last step has left
	c.Trainer.Consumer, c.Settings.Steps, c.Sinks = run.Train(&learner{last: tiny.Step{Version: 3, Batch: ahead}}), 1, []run.Sink{seen}
	r, _ := finish(t, c)
	if r.Version() != 4 {
		t.Errorf("version %d, want 4", r.Version())
	}
	for _, id := range of[run.Stepped](seen)[0].Batch {
		if slices.Contains(ahead, id) {
			t.Errorf("group %s is consumed twice", id)
		}
	}
	for _, test := range []struct {
		version int // the record is at 4
		want    string
		why     string
	}{
		{3, "the checkpoint has version 3, and the run is at version 4: they do not belong together", "training would be lost"},
		{4, "", "the checkpoint of the record"},
		{6, "record=4 checkpoint=6", "the record was put back, and is told so"},
	} {
		c, log := config(t, open(t, store)), &strings.Builder{}
		c.Log = slog.New(slog.NewTextHandler(log, nil))
		c.Trainer.Consumer = run.Train(&learner{last: tiny.Step{Version: test.version}})
		_, err := run.Open(t.Context(), c)
		if err != nil {
			log.WriteString(err.Error())
		}
		if !strings.Contains(log.String(), test.want) || (log.Len() == 0) != (test.want == "") {
			t.Errorf("%s: %s, want %s", test.why, log, test.want)
		}
	}
	if version, err := kept.VersionOf(t.Context(), open(t, store)); version != 4 || err != nil {
		t.Errorf("the record is at version %d, %v", version, err)
	}
}

// A run with another kind of policy would lock the trained one out.
func TestOtherPoliciesAreRefusedOnAFolder(t *testing.T) {
	t.Parallel()
	trained, untrained := queue.NewMemory(), queue.NewMemory()
	c := config(t, open(t, trained))
	c.Trainer.Consumer = run.Train(&learner{})
	finish(t, c)
	finish(t, config(t, open(t, untrained)))
	for _, test := range []struct {
		why     string
		store   queue.Store
		learner run.Learner
		want    string
	}{
		{"a script over a trained model", trained, nil, "holds a run of the embedded model; use --data NEW-FOLDER"},
		{"a model over a script's groups", untrained, &learner{}, "holds a run of another policy"},
	} {
		c := config(t, open(t, test.store))
		c.Trainer.Consumer = run.Train(test.learner)
		if _, err := run.Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "--data") {
			t.Errorf("%s: error %v", test.why, err)
		}
	}
}

// A task without a right reply is reported once, with advice.
func TestAHopelessTaskIsTold(t *testing.T) {
	t.Parallel()
	c, seen := config(t, open(t, queue.NewMemory())), &events{}
	spell := solver(c.Streams, 0.6)
	c.Policy = script.Say(func(r quintain.Request, k int) (string, quintain.Finish) {
		if strings.Contains(r.Key, "chain_sum") {
			return "<answer>I do not know</answer>", quintain.Stop
		}
		samples, err := spell.Sample(context.Background(), r)
		if err != nil {
			panic(err)
		}
		return samples[k].Text, quintain.Stop
	})
	c.Settings.Steps, c.Settings.MaxLag, c.Sinks = 20, 100, []run.Sink{seen}
	_, report := finish(t, c)
	said := of[run.Said](seen)
	if len(said) != 1 || !strings.HasPrefix(said[0].Text, "chain_sum:0: none of 128 replies was right") || len(report.Advice) != 1 {
		t.Errorf("said %+v, advice %q", said, report.Advice)
	}
}

// Many such tasks are reported in a few lines.
func TestManyHopelessTasksAreToldBriefly(t *testing.T) {
	t.Parallel()
	c, seen := config(t, open(t, queue.NewMemory())), &events{}
	c.Streams = streams(t, "chain_sum", "gcd", "lcm", "products", "count_bits", "base_conversion")
	c.Policy = script.Say(func(quintain.Request, int) (string, quintain.Finish) { return "<answer>?</answer>", quintain.Stop })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c.Sinks = []run.Sink{seen, sinkFunc(func(e run.Event) error {
		if p, ok := e.(run.Played); ok && p.Job.Problem.Index > 60 {
			stop()
		}
		return nil
	})}
	r := begin(t, c)
	if err := r.Run(ctx); err != nil {
		t.Fatal(err)
	}
	said, advice := of[run.Said](seen), r.Report().Advice
	if len(said) != 4 || len(advice) != 4 || !strings.Contains(advice[3], "nothing is learned from 3 other tasks either") {
		t.Errorf("said %+v, advice %q", said, advice)
	}
}

// stuck is a policy that never answers.
type stuck struct{ asked chan struct{} }

func (s stuck) Sample(ctx context.Context, _ quintain.Request) ([]quintain.Sample, error) {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// A full policy answers a number of requests, then stops the run.
type full struct {
	quintain.Policy
	left atomic.Int64
}

func (f *full) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if f.left.Add(-1) < 0 {
		return nil, quintain.ErrStop
	}
	return f.Policy.Sample(ctx, r)
}

// A policy that stops the run ends it, in an evaluation or not. Kept groups stay, and the
// next process plays the refused problem.
func TestThePolicyEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why      string
		answers  int64
		problems int // of the evaluation
	}{
		{"while it is played", 40, 0},
		{"while it is examined", 3, 8},
	} {
		store := queue.NewMemory()
		c, seen := config(t, open(t, store)), &events{}
		c.Settings.ExamProblems, c.Settings.Steps, c.Sinks = test.problems, 0, []run.Sink{seen}
		policy := &full{Policy: c.Policy}
		policy.left.Store(test.answers)
		c.Policy = policy
		r := begin(t, c)
		if err := r.Run(t.Context()); !errors.Is(err, quintain.ErrStop) {
			t.Errorf("%s: error %v", test.why, err)
		}
		report := r.Report()
		if report.Failed() > 0 || test.problems == 0 && (report.Episodes[quintain.Cancelled] == 0 || report.GroupsMade == 0) {
			t.Errorf("%s: report %+v", test.why, report)
		}
		var refused []string
		for _, p := range of[run.Played](seen) {
			if p.Drop == rollout.DropCancelled {
				refused = append(refused, p.Job.Problem.ID())
			}
		}
		next, again := config(t, open(t, store)), &events{}
		next.Sinks = []run.Sink{again}
		if _, report := finish(t, next); report.GroupsDropped[rollout.DropDuplicate] > 0 {
			t.Errorf("%s: problems were played twice: %v", test.why, report.GroupsDropped)
		}
		for _, p := range of[run.Played](again) {
			refused = slices.DeleteFunc(refused, func(id string) bool { return id == p.Job.Problem.ID() })
		}
		if len(refused) > 0 {
			t.Errorf("%s: the next process did not play %v", test.why, refused)
		}
	}
}

func TestCutEndsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	policy, cut := stuck{make(chan struct{}, 1)}, make(chan struct{})
	c.Policy, c.Cut, c.Settings.Grace = policy, cut, time.Hour
	c.Settings.ExamProblems = 0
	r, err := run.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	<-policy.asked
	stop()
	close(cut)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if report := r.Report(); report.Episodes[quintain.Cancelled] == 0 || report.GroupsMade != 0 {
		t.Errorf("report %+v", report)
	}
}

// A stopped run examines its policy once more, unless it is stopped again.
func TestTheLastExaminationOfAStoppedRun(t *testing.T) {
	t.Parallel()
	for _, skipped := range []bool{false, true} {
		c, seen := config(t, open(t, queue.NewMemory())), &events{}
		cut := make(chan struct{})
		c.Settings.ExamProblems, c.Settings.Steps, c.Cut = 4, 0, cut
		ctx, stop := context.WithCancel(t.Context())
		c.Sinks = []run.Sink{seen, sinkFunc(func(e run.Event) error {
			if s, ok := e.(run.Stepped); ok && s.Version == 3 {
				stop()
				if skipped {
					close(cut)
				}
			}
			return nil
		})}
		r := begin(t, c)
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
		if report := r.Report(); report.ExamBefore == nil || (report.ExamAfter == nil) != skipped {
			t.Errorf("skipped: %v, examined before: %v, after: %v", skipped, report.ExamBefore, report.ExamAfter)
		}
		said := of[run.Said](seen)
		if offered := len(said) == 2 && strings.Contains(said[1].Text, "interrupt again to skip that"); offered == skipped || !strings.Contains(said[0].Text, "8 held-out problems") {
			t.Errorf("skipped: %v, said %+v", skipped, said)
		}
	}
}

// sinkFunc is a sink that is a function.
type sinkFunc func(run.Event) error

func (f sinkFunc) Note(e run.Event) error { return f(e) }

func TestASinkThatFailsEndsTheRun(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	full := errors.New("the disk is full")
	c.Sinks = []run.Sink{sinkFunc(func(run.Event) error { return full })}
	r, err := run.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		spoil func(*run.Settings)
		want  string
	}{
		{func(*run.Settings) {}, ""},
		{func(s *run.Settings) { s.GroupSize = 0 }, "group_size: is 0, want 1 or more"},
		{func(s *run.Settings) { s.BatchSize = 60 }, "batch_size: is 60, want a multiple of group_size, 8"},
		{func(s *run.Settings) { s.Minutes = -1 }, "minutes: is -1, want 0 or more"},
	} {
		c := config(t, open(t, queue.NewMemory()))
		c.Settings = run.Defaults()
		test.spoil(&c.Settings)
		_, err := run.Open(t.Context(), c)
		if test.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// refusing is a policy that fails the first requests for the first problem.
type refusing struct {
	quintain.Policy
	mu   sync.Mutex
	key  string
	left int
}

func (f *refusing) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.key == "" {
		f.key = r.Key
	}
	if r.Key == f.key && f.left > 0 {
		f.left--
		return nil, errors.New("the server is down")
	}
	return f.Policy.Sample(ctx, r)
}

// A problem is given up when its server has failed four times, and only then people are told so.
func TestGivingUpIsTold(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]int{3: 0, 4: 1} {
		c, seen := config(t, open(t, queue.NewMemory())), &events{}
		policy := &refusing{Policy: c.Policy, left: failures}
		ctx, stop := context.WithCancel(t.Context())
		c.Policy, c.Settings.Replays, c.Settings.Steps = policy, 0, 0
		c.Sinks = []run.Sink{seen, sinkFunc(func(e run.Event) error {
			if p, ok := e.(run.Played); ok && p.Job.Problem.ID() == policy.key && !p.Again {
				stop()
			}
			return nil
		})}
		if err := begin(t, c).Run(ctx); err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, said := range of[run.Said](seen) {
			told += strings.Count(said.Text, "giving up on "+policy.key)
		}
		if told != want {
			t.Errorf("after %d failures it is told %d times, want %d", failures, told, want)
		}
	}
}
