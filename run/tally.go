package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/tiny"
)

// scoreWindow is the number of groups in the first and in the last mean score of a task.
const scoreWindow = 16

// hopelessGroups is the number of groups after which a task is reported as hopeless, if no
// reply was right and no group was kept.
const hopelessGroups = 32

// mostAdvice is the number of hopeless tasks that get full advice.
const mostAdvice = 3

// A tally is the [Sink] that counts for the report. Many goroutines may use it.
type tally struct {
	start time.Time

	mu        sync.Mutex
	steps     int
	groups    int // kept
	sent      int // taken by the Sender
	dropped   map[rollout.Drop]int
	outcomes  map[quintain.Outcome]int
	unknown   int    // sequences of kept groups without log-probabilities
	unscored  int    // kept groups without scores of the teacher
	teacher   string // the last reason for that
	replays   int    // of episodes
	again     int    // failed groups that returned their problem
	tokens    int    // sampled
	unit      string
	others    map[string]exam.Other // by player
	turns     Turns
	games     exam.RegretByScenario
	solvedAt  []int // see [Report]
	staleness map[int]int
	kept      Cost // of groups that were kept and not dropped later
	late      lateness
	tasks     []*taskTally
	lastFault string
	tooLong   string // the last prompt that was too long, and how long it may be
	advice    []string
	hopeless  []string      // further hopeless tasks, without advice
	playing   time.Duration // between the evaluations before and after
	training  *tiny.Metrics // of the last step; nil: none
	first     *ExamLine     // the first evaluation of the run; nil: none
	last      *ExamLine     // the last one, if there were two or more
	plateau   plateau
	collapse  collapse
}

// A taskTally counts the groups of one course.
type taskTally struct {
	label    string   // of the course
	levels   []string // labels of its streams, the easiest first
	groups   int
	kept     int
	episodes int
	solved   int             // episodes with a right reply
	told     bool            // it is reported as hopeless
	first    []float64       // mean scores of the first groups, at most scoreWindow
	last     []float64       // and of the last groups
	seats    map[int]average // scores at each seat of matches
	metrics  map[string]average
	curve    stats.Curve
	exams    stats.Curve // mean scores on held-out problems
}

func newTally(s Settings) *tally {
	return &tally{
		late:  lateness{maxLag: s.MaxLag, rule: s.Stale},
		start: time.Now(), unit: "tokens", dropped: map[rollout.Drop]int{}, outcomes: map[quintain.Outcome]int{},
		staleness: map[int]int{}, games: exam.RegretByScenario{}, others: map[string]exam.Other{},
	}
}

// begin sets the courses of the streams.
func (t *tally) begin(mix *rollout.Mix) {
	for _, s := range mix.Streams() {
		task := t.task(s.Course)
		task.levels = append(task.levels, s.Label)
	}
}

// Note implements [Sink].
func (t *tally) Note(e Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := e.(type) {
	case Played:
		t.played(e)
	case Dropped:
		t.dropped[e.Why] += len(e.Groups)
		t.kept = t.kept.minus(e.Cost)
		if isLate(e.Why) {
			t.late.dropped(e.Cost)
		}
	case Stepped:
		t.steps++
		t.late.stepped(e.Cost, time.Now())
		for _, lag := range e.Lags {
			t.staleness[lag]++
		}
		if e.Trained {
			t.training = &e.Metrics
		}
	case Sent:
		t.sent += len(e.Groups)
	case Examined:
		if line := e.Line(); line != nil {
			t.examined(line)
			t.plateau.examined(line.Mean)
		}
	}
	return nil
}

// recall counts the evaluations of earlier processes: the last ones, of the same tasks at the same
// levels as now, of which so many have problems.
func (t *tally) recall(lines []ExamLine, examined int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := len(lines)
	for from > 0 && len(lines[from-1].Tasks) == examined && t.knows(lines[from-1].Tasks) {
		from--
	}
	for i := range lines[from:] {
		t.examined(&lines[from+i])
	}
}

// knows reports whether all labels are of the run's streams. t.mu is held.
func (t *tally) knows(scores map[string]float64) bool {
	for label := range scores {
		if t.levelOf(label) == 0 {
			return false
		}
	}
	return true
}

// examined counts an evaluation. t.mu is held.
func (t *tally) examined(e *ExamLine) {
	if t.first == nil {
		t.first = e
	} else {
		t.last = e
	}
	for _, task := range t.tasks {
		if score := scoreIn(e, task.levels); score != nil {
			task.exams.Add(*score)
		}
	}
}

// played counts a played group. t.mu is held.
func (t *tally) played(p Played) {
	task := t.task(p.Job.Course)
	for i := range p.Trajectories {
		played := &p.Trajectories[i]
		t.outcomes[played.Outcome]++
		t.tokens += played.Sampled()
		t.replays += played.Replays
		t.turns.add(played)
		t.games.Add(played)
		exam.AddOthers(t.others, exam.OthersOf(played))
		for name, value := range played.Metrics() {
			task.metrics[name] = task.metrics[name].with(value)
		}
		if played.Vocabulary == quintain.UTF8 {
			t.unit = "bytes"
		}
		switch {
		case played.Outcome == quintain.PromptTooLong:
			t.tooLong = played.Problem.ID() + ": " + played.Error
		case played.Outcome.Failed():
			t.lastFault = played.Error
		}
		if at := slices.IndexFunc(played.Turns, func(turn quintain.Turn) bool { return turn.Right }); at >= 0 {
			at = len(played.Path(at)) - 1
			task.solved++
			t.solvedAt = append(t.solvedAt, make([]int, max(0, at+1-len(t.solvedAt)))...)
			t.solvedAt[at]++
		}
	}
	cost := costOf(p.Trajectories)
	if p.Drop == "" || p.Drop == rollout.DropWithheld {
		t.late.times.Add(cost.Seconds)
	}
	if p.Drop == rollout.DropWithheld {
		t.late.dropped(cost)
	}
	if p.Drop == "" {
		t.groups++
		task.kept++
		t.kept = t.kept.plus(cost)
		t.unknown += withoutLogProbs(p.Group)
		if p.Unscored != nil {
			t.unscored, t.teacher = t.unscored+1, p.Unscored.Error()
		}
	} else {
		t.dropped[p.Drop]++
	}
	if p.Again && p.Drop == rollout.DropInfra {
		t.again++
	}
	if len(p.Scores) > 0 {
		task.episodes += len(p.Scores)
		task.add(mean(p.Scores))
		if seat := p.Job.Problem.Seat; seat != nil {
			task.seats[*seat] = task.seats[*seat].with(p.Scores...)
		}
		t.plateau.played(p.Scores, p.Trajectories, time.Now())
		t.collapse.played(p.Trajectories)
	}
}

// add counts the turns of an episode that continue another.
func (n *Turns) add(played *quintain.Trajectory) {
	sampled := make([]int, len(played.Turns)) // tokens up to the end of each turn
	for k := range played.Turns {
		turn := &played.Turns[k]
		if parent := played.Parent(k); parent >= 0 {
			sampled[k] = sampled[parent]
			n.count(turn, sampled[k])
		}
		sampled[k] += len(turn.Wrote)
	}
}

// count counts a turn that follows sampled tokens.
func (n *Turns) count(turn *quintain.Turn, sampled int) {
	switch {
	case turn.Fork:
		n.Forked++
		n.Reencoded += sampled
	case turn.Realigned:
		n.Realigned++
	default:
		n.Clean++
	}
}

// withoutLogProbs counts the sequences of a group without log-probabilities.
func withoutLogProbs(g *quintain.Group) (n int) {
	for i, seq := range g.Tokens {
		if len(seq) > 0 && (g.LogProbs == nil || len(g.LogProbs[i]) == 0) {
			n++
		}
	}
	return n
}

// task returns the counts of a course. t.mu is held.
func (t *tally) task(label string) *taskTally {
	at := slices.IndexFunc(t.tasks, func(task *taskTally) bool { return task.label == label })
	if at < 0 {
		t.tasks = append(t.tasks, &taskTally{label: label, seats: map[int]average{}, metrics: map[string]average{}})
		at = len(t.tasks) - 1
	}
	return t.tasks[at]
}

// add adds the mean score of a group.
func (t *taskTally) add(score float64) {
	t.groups++
	t.curve.Add(score)
	if len(t.first) < scoreWindow {
		t.first = append(t.first, score)
	}
	if len(t.last) == scoreWindow {
		t.last = t.last[1:]
	}
	t.last = append(t.last, score)
}

// adviceOn returns, once, advice on a hopeless task; else nothing. If there are many, it
// says so once, and leaves their names to the report.
func (t *tally) adviceOn(label string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	task := t.task(label)
	if task.told || task.groups < hopelessGroups || task.solved > 0 || task.kept > 0 {
		return ""
	}
	task.told = true
	if len(t.advice) == mostAdvice {
		t.hopeless = append(t.hopeless, label)
		if len(t.hopeless) > 1 {
			return ""
		}
		return "nothing is learned from other tasks either, for the same reason; the report names them"
	}
	advice := fmt.Sprintf("%s: none of %d replies was right and all scores are equal, so nothing is learned from it; choose an easier level or easier parameters, or leave the task out (--tasks)",
		label, task.episodes)
	t.advice = append(t.advice, advice)
	return advice
}

// allAdvice returns the advice of the report. t.mu is held.
func (t *tally) allAdvice() []string {
	advice := slices.Clone(t.advice)
	if n := t.dropped[rollout.DropPrompt]; n > 0 {
		advice = append(advice, fmt.Sprintf("%s not played, because the prompt leaves no room for a reply: choose shorter ones, or a longer context; the last one, %s", stats.Count(n, "problem"), t.tooLong))
	}
	if n := len(t.hopeless); n > 0 {
		advice = append(advice, fmt.Sprintf("nothing is learned from %s either, for the same reason: %s", stats.Count(n, "other task"), strings.Join(t.hopeless, ", ")))
	}
	if t.plateau.told != "" {
		advice = append(advice, t.plateau.told)
	}
	if t.collapse.told != "" {
		advice = append(advice, t.collapse.told)
	}
	if share := float64(t.late.stale.Groups) / float64(max(1, t.kept.Groups+t.late.stale.Groups)); t.late.stale.Groups >= someStale || share > manyStale {
		advice = append(advice, t.late.lagAdvice()...)
	}
	return advice
}

// playedFor sets the time of playing.
func (t *tally) playedFor(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.playing = d
}

// report returns the counts so far.
func (t *tally) report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Report{
		Steps: t.steps, Seconds: time.Since(t.start).Seconds(), PlaySeconds: t.playing.Seconds(),
		GroupsMade: t.groups, GroupsSent: t.sent, GroupsDropped: maps.Clone(t.dropped), Episodes: map[quintain.Outcome]int{},
		NoLogProbs: t.unknown, Unscored: t.unscored, TeacherFault: t.teacher, Replays: t.replays, PlayedAgain: t.again, Tokens: t.tokens, Unit: t.unit, Others: maps.Clone(t.others), Turns: t.turns, Games: maps.Clone(t.games), SolvedAt: slices.Clone(t.solvedAt), Staleness: maps.Clone(t.staleness), LastFault: t.lastFault,
		Kept: t.kept, Trained: t.late.trained, Stale: t.late.stale, GroupP99: t.late.slowest(), StepSeconds: t.late.stepSeconds(), MaxLagNeeded: t.late.needed(),
		Advice: t.allAdvice(), Training: t.training,
	}
	for _, o := range quintain.Outcomes {
		r.Episodes[o] = t.outcomes[o]
	}
	for _, task := range t.tasks {
		before, of := doneIn(t.first, task.levels)
		after, _ := doneIn(t.last, task.levels)
		r.Tasks = append(r.Tasks, TaskReport{
			Label: task.label, Levels: slices.Clone(task.levels), Groups: task.groups, Kept: task.kept, First: mean(task.first), Last: mean(task.last), Curve: task.curve.Points(), Seats: means(task.seats), Metrics: means(task.metrics),
			ExamBefore: scoreIn(t.first, task.levels), ExamAfter: scoreIn(t.last, task.levels), ExamCurve: task.exams.Points(),
			Examined: of, DoneBefore: before, DoneAfter: after,
		})
	}
	if t.first != nil {
		r.ExamBefore = &t.first.Mean
	}
	if t.last != nil {
		r.ExamAfter, r.Replay = &t.last.Mean, replay(t.first, t.last, t.levelOf)
	}
	return r
}

// levelOf returns the level of a label within its task, from 1; 0: there is no such label.
// t.mu is held.
func (t *tally) levelOf(label string) int {
	for _, task := range t.tasks {
		if at := slices.Index(task.levels, label); at >= 0 {
			return at + 1
		}
	}
	return 0
}

// doneIn counts the levels that the policy could do in an evaluation, and those examined; nil: there
// is no evaluation of any.
func doneIn(e *ExamLine, labels []string) (done *int, of int) {
	if e == nil {
		return nil, 0
	}
	if n, of := curriculum.Done(labels, e.Tasks); of > 0 {
		return &n, of
	}
	return nil, 0
}

// scoreIn is the mean over labels of their mean scores in an evaluation; nil: there is none.
func scoreIn(e *ExamLine, labels []string) *float64 {
	if e == nil {
		return nil
	}
	var scores []float64
	for _, label := range labels {
		if score, has := e.Tasks[label]; has {
			scores = append(scores, score)
		}
	}
	if scores == nil {
		return nil
	}
	all := mean(scores)
	return &all
}

func mean(values []float64) float64 { return average{}.with(values...).mean() }
