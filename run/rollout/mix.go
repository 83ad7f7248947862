package rollout

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/traceparent"
)

// A Stream is an endless sequence of problems.
type Stream struct {
	Scenario quintain.Scenario
	Seed     uint64
	Level    int
	Weight   float64 // share of the groups, relative to the other streams; above 0

	// Label is the stream's name for people. Empty: the name of its task, with the level of
	// [Levels] unless the task has its own parameters and no other stream. A number is
	// appended if another stream has the same label.
	Label string

	// Course names the task that the stream is a level of. The levels of a course stand next to
	// each other, easiest first. Empty: the stream is a course by itself.
	Course string

	// Skip reports whether to skip a problem; nil: never.
	Skip func(quintain.Problem) (bool, error)

	// HeldOut says that all its problems are for evaluations alone. Such streams stand behind the others.
	HeldOut bool
}

// Trained returns the streams that may be trained on.
func Trained(streams []Stream) []Stream {
	return slices.DeleteFunc(slices.Clone(streams), func(s Stream) bool { return s.HeldOut })
}

// Size returns the number of problems of the stream, such as the rows of a file; 0:
// unknown.
func (s Stream) Size() int {
	if f, can := s.Scenario.(quintain.Finite); can {
		return f.Size(s.Level)
	}
	return 0
}

// name identifies the stream in saved positions, by scenario, task and parameters. It
// leaves out the number of the level: its parameters may change.
func (s Stream) name() (string, error) {
	info := s.Scenario.TaskInfo()
	if s.Level < 0 || s.Level >= len(info.Levels) {
		return "", fmt.Errorf("stream %s: level is %d, want 0 to %d", info.Name, s.Level, len(info.Levels)-1)
	}
	return fmt.Sprintf("%s/%s.s%d.%.4x", s.Scenario.Info().ID(), info.Name, s.Seed, sha256.Sum256(info.Levels[s.Level])), nil
}

// A Chooser chooses the streams of a [Mix], numbered from 0 in their order, and learns from
// the scores. Its JSON holds all that its later choices depend on. The mix calls Choose and
// Note one at a time, and may repeat the calls of an earlier process in their order: equal calls
// give equal choices.
type Chooser interface {
	Choose() (stream int)
	Note(stream int, scores []float64) // of a group; empty: none
	json.Marshaler
	json.Unmarshaler
}

// A Mix returns the problems of several streams, and keeps the position in each: every
// problem is finished once, even across restarts. Many goroutines may use it at once.
type Mix struct {
	mu      sync.Mutex
	streams []*position
	chooser Chooser  // nil: by weight
	shares  bool     // it hands out only what it is given
	logs    bool     // a snapshot was made
	changes []byte   // since then, in JSON with commas
	former  []string // names of the streams in the record that was read
	renewed []string // see Renewed

	low   chan struct{} // has an element when a stream has become low
	given chan struct{} // closed and replaced by Give
}

// A position is the progress of one stream.
type position struct {
	Stream
	number  int // in the mix
	name    string
	version int          // of the task
	next    int          // index of the first problem neither played nor skipped nor others'
	redo    []int        // indices to play again, ascending
	open    map[int]bool // indices of open jobs
	failed  map[int]int  // times that Again returned the problem of an index
	skipped int          // skipped indices before next
	others  int          // indices before next that others were given
	blocks  []Block      // given from next on, ascending
	block   int          // size of a block to ask for
	seats   baselines
}

// NewMix returns a mix of streams in proportion to their weights. The error names an
// invalid stream.
func NewMix(streams []Stream) (*Mix, error) {
	m := &Mix{low: make(chan struct{}, 1), given: make(chan struct{})}
	seen := map[string]bool{}
	for i, label := range Labels(streams) {
		s := streams[i]
		s.Label, s.Course = label, cmp.Or(s.Course, label)
		name, err := s.name()
		if err != nil {
			return nil, err
		}
		p := &position{Stream: s, number: i, name: name, version: s.Scenario.TaskInfo().Version, open: map[int]bool{}, failed: map[int]int{}, block: blockOf(s, len(streams))}
		if !(s.Weight > 0) {
			return nil, fmt.Errorf("stream %s: weight is %v, want more than 0", p.name, s.Weight)
		}
		if seen[p.name] {
			return nil, fmt.Errorf("stream %s is listed twice", p.name)
		}
		seen[p.name] = true
		m.streams = append(m.streams, p)
	}
	if len(m.streams) == 0 {
		return nil, fmt.Errorf("there is no stream of problems")
	}
	return m, nil
}

// ChooseBy lets c choose the streams, instead of their weights. Call it before anything
// else.
func (m *Mix) ChooseBy(c Chooser) { m.chooser = c }

// Streams returns the streams of the mix. Each has a label and a course.
func (m *Mix) Streams() []Stream {
	all := make([]Stream, len(m.streams))
	for i, s := range m.streams {
		all[i] = s.Stream
	}
	return all
}

// Number is that of the job's stream in the mix; below 0: the job is of none.
func (j *Job) Number() int {
	if j.stream == nil {
		return -1
	}
	return j.stream.number
}

// A Job is a problem to play. A job that no mix made, a caller's own problem, is none of the
// mix's business: it ignores it.
type Job struct {
	Scenario quintain.Scenario
	Problem  quintain.Problem
	Label    string // of its stream
	Course   string // of its stream

	Journal *Journal            // of its episodes; nil: nobody reads one
	Span    traceparent.Context // of the group; without a span: nobody traces it

	stream *position
}

// Traced returns the job with the span of its group in a run, if s chooses it.
func (j Job) Traced(s traceparent.Sampler, run string) Job {
	if s > 0 {
		j.Span = s.Of(run, j.Problem.ID())
	}
	return j
}

// mostSkips is the number of skipped problems in a row that exhaust a stream.
const mostSkips = 10_000

// Next returns a problem of the stream that the chooser chooses or, without one, that is
// furthest behind its share. The problem is open until Done or Redo. If the mix hands out only
// what it is given, the error may be [ErrNoShare].
func (m *Mix) Next() (Job, error) {
	m.mu.Lock()
	if m.dry() {
		m.mu.Unlock()
		return Job{}, ErrNoShare
	}
	s, chosen := m.due()
	index := m.take(s, chosen)
	m.mu.Unlock()

	for range mostSkips {
		p, skip, err := s.problem(index)
		if err != nil {
			m.Redo(Job{Problem: quintain.Problem{Index: index}, stream: s})
			return Job{}, err
		}
		if !skip {
			return Job{Scenario: s.Scenario, Problem: p, Label: s.Label, Course: s.Course, stream: s}, nil
		}
		if index, err = m.after(s, index); err != nil {
			return Job{}, err
		}
	}
	m.Redo(Job{Problem: quintain.Problem{Index: index}, stream: s})
	return Job{}, fmt.Errorf("%s: %s in a row were skipped: choose a level with more problems, or play them all", s.Label, stats.Count(mostSkips, "problem"))
}

// Reopen returns the job of a problem that an earlier process handed out: whoever holds its
// episodes goes on with them, and Next does not hand it out again. Of p, what makes its ID is
// enough. If the problem is done, or of no stream, the mix ignores the job. known reports
// whether it is of a stream.
func (m *Mix) Reopen(p quintain.Problem) (job Job, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.streams {
		if s.Seed != p.Seed || s.Scenario.TaskInfo().Name != p.Task {
			continue
		}
		same, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: p.Index})
		if err != nil || same.ID() != p.ID() {
			continue
		}
		job = Job{Scenario: s.Scenario, Problem: same, Label: s.Label, Course: s.Course}
		if m.reopen(s, p.Index) {
			job.stream = s
		}
		return job, true
	}
	return Job{}, false
}

// reopen opens an index again, unless it is done. The process may have ended before it kept
// that it took the index, and those before it: they are played again. m.mu is held.
func (m *Mix) reopen(s *position, index int) bool {
	for s.next <= index && !(m.shares && len(s.blocks) == 0) {
		s.redo = append(s.redo, s.advance())
		m.log(change{Op: opTake, Stream: s.number, Index: s.redo[len(s.redo)-1]})
	}
	at, waits := slices.BinarySearch(s.redo, index)
	if waits {
		s.redo = slices.Delete(s.redo, at, at+1)
		s.open[index] = true
	}
	return waits
}

// due returns the stream of the next problem. Problems to play again come first and need no
// new choice, so that after a restart the choices continue as they would have without it.
// The caller holds m.mu.
func (m *Mix) due() (s *position, chosen bool) {
	if m.chooser == nil {
		return slices.MinFunc(m.streams, func(a, b *position) int {
			return cmp.Compare(float64(a.handed())/a.Weight, float64(b.handed())/b.Weight)
		}), false
	}
	if at := slices.IndexFunc(m.streams, func(s *position) bool { return len(s.redo) > 0 }); at >= 0 {
		return m.streams[at], false
	}
	return m.streams[m.chooser.Choose()], true
}

// problem makes the problem of an index, and reports whether to skip it.
func (s *position) problem(index int) (p quintain.Problem, skip bool, err error) {
	p, err = s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: index})
	if err != nil || s.Skip == nil {
		return p, false, err
	}
	skip, err = s.Skip(p)
	return p, skip, err
}

// after takes another index after a skipped one.
func (m *Mix) after(s *position, index int) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(s.open, index)
	s.skipped++
	m.log(change{Op: opSkip, Stream: s.number, Index: index})
	if m.shares && len(s.redo)+len(s.blocks) == 0 {
		return 0, ErrNoShare
	}
	return m.take(s, false), nil
}

// handed returns the number of open and finished problems.
func (s *position) handed() int { return s.next - s.others - s.skipped - len(s.redo) }

// take opens and returns the next index of a stream. The caller holds m.mu.
func (m *Mix) take(s *position, chosen bool) int {
	var index int
	if len(s.redo) > 0 {
		index = s.redo[0]
		s.redo = s.redo[1:]
	} else if index = s.advance(); m.shares && s.low() {
		select {
		case m.low <- struct{}{}:
		default:
		}
	}
	s.open[index] = true
	op := opTake
	if chosen {
		op = opChoose
	}
	m.log(change{Op: op, Stream: s.number, Index: index})
	return index
}

// Done closes the job of a finished problem, its group kept or dropped, with the scores
// of its episodes; nil: none.
func (m *Mix) Done(j Job, scores []float64) {
	if j.stream == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	j.stream.done(j.Problem.Index)
	m.log(change{Op: opDone, Stream: j.stream.number, Index: j.Problem.Index, Scores: scores})
	if m.chooser != nil {
		m.chooser.Note(j.stream.number, scores)
	}
}

// done closes the job of the finished problem at an index.
func (s *position) done(index int) {
	delete(s.open, index)
	delete(s.failed, index)
}

// Redo closes the job of a problem that must be played again, now or after a restart.
func (m *Mix) Redo(j Job) {
	if j.stream == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	j.stream.again(j.Problem.Index)
}

// again closes the job of the problem at an index that must be played again.
func (s *position) again(index int) {
	delete(s.open, index)
	at, _ := slices.BinarySearch(s.redo, index)
	s.redo = slices.Insert(s.redo, at, index)
}

// mostAgain limits how often Again returns a problem within a process.
const mostAgain = 3

// Again is Redo for a failed job. It reports whether the problem is played again; after
// three times it is done instead.
func (m *Mix) Again(j Job) bool {
	if j.stream == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if j.stream.failed[j.Problem.Index] == mostAgain {
		j.stream.done(j.Problem.Index)
		m.log(change{Op: opGiveUp, Stream: j.stream.number, Index: j.Problem.Index})
		return false
	}
	j.stream.failed[j.Problem.Index]++
	j.stream.again(j.Problem.Index)
	return true
}

// A savedMix is the JSON form of a mix.
type savedMix struct {
	Order   []string                 `json:"order"` // names of the streams, by their number in changes
	Streams map[string]savedPosition `json:"streams"`
	Chooser json.RawMessage          `json:"chooser,omitempty"`
}

// A savedPosition is the JSON form of a position.
type savedPosition struct {
	Next    int   `json:"next"`
	Version int   `json:"version,omitempty"` // of the task; 0: not told
	Redo    []int `json:"redo,omitempty"`    // in place of Again, in records of format 3
	Again   []int `json:"again,omitempty"`   // to be played again, with the open ones: see spansOf
	Skipped int   `json:"skipped,omitempty"`
	Others  int   `json:"others,omitempty"` // not this run's, before Next
	Given   []int `json:"given,omitempty"`  // the first and the last + 1 of each block from Next on

	Baselines map[int]float64 `json:"baselines,omitempty"` // by seat
}

// MarshalJSON encodes the positions of all streams by name, and the chooser. Open problems
// are encoded as problems to play again.
func (m *Mix) MarshalJSON() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.marshal()
}

// marshal is MarshalJSON with m.mu held.
func (m *Mix) marshal() ([]byte, error) {
	saved := savedMix{Streams: make(map[string]savedPosition, len(m.streams))}
	for _, s := range m.streams {
		again := slices.AppendSeq(slices.Clone(s.redo), maps.Keys(s.open))
		sortDense(again)
		saved.Order = append(saved.Order, s.name)
		saved.Streams[s.name] = savedPosition{Next: s.next, Version: s.version, Again: spansOf(again), Skipped: s.skipped, Others: s.others, Given: edgesOf(s.blocks), Baselines: s.seats.all()}
	}
	if m.chooser != nil {
		var err error
		if saved.Chooser, err = m.chooser.MarshalJSON(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(saved)
}

// Renewed names the tasks whose version is another one than in the record that was read, or is not told there,
// each with both versions. Their questions may lie on another side of the split.
func (m *Mix) Renewed() []string { return m.renewed }

// UnmarshalJSON sets the positions of the streams that data names, and the chooser. Other
// streams keep theirs, and unknown names are ignored. Call it before the first Next.
func (m *Mix) UnmarshalJSON(data []byte) error {
	var saved savedMix
	if err := strictjson.Unmarshal(data, &saved); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.former = saved.Order
	for _, s := range m.streams {
		p, found := saved.Streams[s.name]
		if !found {
			continue
		}
		if p.Again != nil {
			var err error
			if p.Redo, err = indicesOf(p.Again, p.Next); err != nil {
				return fmt.Errorf("stream %s: problems to play again: %w", s.name, err)
			}
		}
		if err := s.resume(p); err != nil {
			return err
		}
		if p.Version != s.version {
			text := fmt.Sprintf("%s (version %d, was %d)", s.Scenario.TaskInfo().Name, s.version, p.Version)
			m.renewed = append(m.renewed, strings.Replace(text, "was 0", "not told before", 1))
		}
	}
	slices.Sort(m.renewed)
	m.renewed = slices.Compact(m.renewed)
	if m.chooser != nil && saved.Chooser != nil {
		return m.chooser.UnmarshalJSON(saved.Chooser)
	}
	return nil
}
