package rollout

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
)

// A Stream is an endless sequence of problems.
type Stream struct {
	Scenario quintain.Scenario
	Seed     uint64
	Level    int
	Weight   float64 // share of the groups, relative to the weights of the other streams; above 0

	// Label is the stream's name for people. Empty: the name of its task, with the
	// level unless the task has its own parameters. A number is appended if another
	// stream has the same label.
	Label string

	// Skip reports whether a problem must not be played. Nil: all may be played.
	Skip func(quintain.Problem) (bool, error)
}

// Size is the number of problems of the stream, such as the rows of a file; 0: unknown.
func (s Stream) Size() int {
	if f, can := s.Scenario.(quintain.Finite); can {
		return f.Size(s.Level)
	}
	return 0
}

// name identifies the stream in saved positions: by scenario, task and parameters. It
// does not use the number of the level, whose parameters may change.
func (s Stream) name() (string, error) {
	info := s.Scenario.TaskInfo()
	if s.Level < 0 || s.Level >= len(info.Levels) {
		return "", fmt.Errorf("stream %s: level is %d, want 0 to %d", info.Name, s.Level, len(info.Levels)-1)
	}
	return fmt.Sprintf("%s/%s.s%d.%.4x", s.Scenario.Info().ID(), info.Name, s.Seed, sha256.Sum256(info.Levels[s.Level])), nil
}

// A Mix returns the problems of several streams in proportion to their weights, and keeps
// the position in each: every problem is finished once, even across restarts. Many
// goroutines may use it at once.
type Mix struct {
	mu      sync.Mutex
	streams []*position
}

// A position is the progress of one stream.
type position struct {
	Stream
	name    string
	next    int          // index of the first problem neither played nor skipped
	redo    []int        // indices to play again, ascending
	open    map[int]bool // indices of jobs that are not closed yet
	failed  map[int]int  // how often the problem of an index was given back by Again
	skipped int          // number of skipped indices before next
}

// NewMix returns a mix of streams. The error names an invalid stream.
func NewMix(streams []Stream) (*Mix, error) {
	m := &Mix{}
	seen := map[string]bool{}
	for i, label := range Labels(streams) {
		s := streams[i]
		s.Label = label
		name, err := s.name()
		if err != nil {
			return nil, err
		}
		p := &position{Stream: s, name: name, open: map[int]bool{}, failed: map[int]int{}}
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

// Labels returns the labels of the mix's streams.
func (m *Mix) Labels() []string {
	labels := make([]string, len(m.streams))
	for i, s := range m.streams {
		labels[i] = s.Label
	}
	return labels
}

// Labels returns a distinct label for each of streams.
func Labels(streams []Stream) []string {
	labels, taken := make([]string, len(streams)), map[string]int{}
	for i, s := range streams {
		if labels[i] = s.Label; labels[i] == "" {
			labels[i] = s.label()
		}
		if taken[labels[i]]++; taken[labels[i]] > 1 {
			labels[i] += fmt.Sprintf(" (%d)", taken[labels[i]])
		}
	}
	return labels
}

// label is "task:level", or only the task if it has its own parameters.
func (s Stream) label() string {
	name := s.Scenario.TaskInfo().Name
	p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level})
	if err != nil || p.Level == quintain.OwnParams {
		return name
	}
	return fmt.Sprintf("%s:%d", name, s.Level)
}

// A Job is a problem to play.
type Job struct {
	Scenario quintain.Scenario
	Problem  quintain.Problem
	Label    string // of its stream

	stream *position
}

// mostSkips is the number of skipped problems in a row after which a stream counts as
// exhausted.
const mostSkips = 10_000

// Next returns a problem of the stream that is furthest behind its share. The problem is
// open until Done or Redo.
func (m *Mix) Next() (Job, error) {
	m.mu.Lock()
	behind := m.streams[0]
	for _, s := range m.streams[1:] {
		if float64(s.handed())/s.Weight < float64(behind.handed())/behind.Weight {
			behind = s
		}
	}
	index := behind.take()
	m.mu.Unlock()

	for range mostSkips {
		p, skip, err := behind.problem(index)
		if err != nil {
			m.Redo(Job{Problem: quintain.Problem{Index: index}, stream: behind})
			return Job{}, err
		}
		if !skip {
			return Job{behind.Scenario, p, behind.Label, behind}, nil
		}
		index = m.after(behind, index)
	}
	m.Redo(Job{Problem: quintain.Problem{Index: index}, stream: behind})
	return Job{}, fmt.Errorf("%s: %d problems in a row were skipped: choose a level with more problems, or play them all", behind.Label, mostSkips)
}

// problem makes the problem with an index, and reports whether it is skipped.
func (s *position) problem(index int) (p quintain.Problem, skip bool, err error) {
	p, err = s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: index})
	if err == nil && s.Skip != nil {
		skip, err = s.Skip(p)
	}
	return p, skip, err
}

// after takes the next index in place of a skipped one.
func (m *Mix) after(s *position, index int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(s.open, index)
	s.skipped++
	return s.take()
}

// handed counts the problems that are open or finished.
func (s *position) handed() int { return s.next - s.skipped - len(s.redo) }

// take returns the next index, which is then open.
func (s *position) take() int {
	index := s.next
	if len(s.redo) > 0 {
		index = s.redo[0]
		s.redo = s.redo[1:]
	} else {
		s.next++
	}
	s.open[index] = true
	return index
}

// Done closes a job whose problem is finished, whether its group was kept or dropped.
func (m *Mix) Done(j Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j.stream.done(j.Problem.Index)
}

// done closes the job of an index whose problem is finished.
func (s *position) done(index int) {
	delete(s.open, index)
	delete(s.failed, index)
}

// Redo closes a job whose problem must be played again, now or after a restart.
func (m *Mix) Redo(j Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j.stream.again(j.Problem.Index)
}

// again closes the job of an index whose problem must be played again.
func (s *position) again(index int) {
	delete(s.open, index)
	at, _ := slices.BinarySearch(s.redo, index)
	s.redo = slices.Insert(s.redo, at, index)
}

// mostAgain is how often a process gives the same problem back by Again.
const mostAgain = 3

// Again is Redo for a job that failed, and reports whether its problem is played again:
// after three times it is not, and is done.
func (m *Mix) Again(j Job) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if j.stream.failed[j.Problem.Index] == mostAgain {
		j.stream.done(j.Problem.Index)
		return false
	}
	j.stream.failed[j.Problem.Index]++
	j.stream.again(j.Problem.Index)
	return true
}

// savedPosition is a position as it is saved.
type savedPosition struct {
	Next    int   `json:"next"`
	Redo    []int `json:"redo,omitempty"` // includes open problems
	Skipped int   `json:"skipped,omitempty"`
}

// MarshalJSON encodes the positions of all streams by name. Open problems are encoded
// as problems to play again.
func (m *Mix) MarshalJSON() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	saved := make(map[string]savedPosition, len(m.streams))
	for _, s := range m.streams {
		redo := slices.Clone(s.redo)
		for index := range s.open {
			redo = append(redo, index)
		}
		slices.Sort(redo)
		saved[s.name] = savedPosition{s.next, redo, s.skipped}
	}
	return json.Marshal(saved)
}

// UnmarshalJSON sets the positions of the streams that data names. Other streams keep
// theirs, and unknown names are ignored. Call it before the first Next.
func (m *Mix) UnmarshalJSON(data []byte) error {
	var saved map[string]savedPosition
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.streams {
		p, found := saved[s.name]
		if !found {
			continue
		}
		if p.Next < 0 || p.Skipped < 0 || p.Skipped > p.Next || len(p.Redo) > 0 && (!slices.IsSorted(p.Redo) || p.Redo[0] < 0 || p.Redo[len(p.Redo)-1] >= p.Next) {
			return fmt.Errorf("stream %s: positions %+v are invalid", s.name, p)
		}
		s.next, s.redo, s.skipped = p.Next, p.Redo, p.Skipped
	}
	return nil
}
