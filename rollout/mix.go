package rollout

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
)

// A Stream is one endless row of problems.
type Stream struct {
	Scenario quintain.Scenario
	Seed     uint64
	Level    int
	Weight   float64 // share of the groups, in proportion to the other streams'; above 0

	// Label names the stream to people; empty: its task, and its level unless the task
	// has parameters of its own. A number is added if another stream has the name.
	Label string

	// Skip reports that a problem is not to be played. Nil: all are.
	Skip func(quintain.Problem) (bool, error)
}

// name identifies the stream in the positions that are kept: by scenario and task, and
// by the parameters, not by the number of their level, which may come to mean others.
func (s Stream) name() (string, error) {
	info := s.Scenario.TaskInfo()
	if s.Level < 0 || s.Level >= len(info.Levels) {
		return "", fmt.Errorf("stream %s: level is %d, want 0 to %d", info.Name, s.Level, len(info.Levels)-1)
	}
	return fmt.Sprintf("%s/%s.s%d.%.4x", s.Scenario.Info().ID(), info.Name, s.Seed, sha256.Sum256(info.Levels[s.Level])), nil
}

// A Mix hands out the problems of several streams in proportion to their weights,
// and keeps the position in each: every problem is finished once, also over
// restarts. Many goroutines may use it.
type Mix struct {
	mu      sync.Mutex
	streams []*position
}

// A position is how far one stream has come.
type position struct {
	Stream
	name    string
	next    int          // index of the first problem that was neither handed out nor skipped
	redo    []int        // indices that were handed out and have to be again, ascending
	open    map[int]bool // indices that are handed out now
	skipped int          // of the indices before next
}

// NewMix returns a mix of streams. The error names the stream that is invalid.
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
		p := &position{Stream: s, name: name, open: map[int]bool{}}
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

// Labels returns the labels of streams, no two the same.
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

// label is "task:level", or the task alone where it has parameters of its own.
func (s Stream) label() string {
	name := s.Scenario.TaskInfo().Name
	p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level})
	if err != nil || p.Level == quintain.OwnParams {
		return name
	}
	return fmt.Sprintf("%s:%d", name, s.Level)
}

// A Job is one problem to be played.
type Job struct {
	Scenario quintain.Scenario
	Problem  quintain.Problem
	Label    string // of its stream

	stream *position
}

// mostSkips is the number of problems in a row after which a stream is taken to have
// none that is not skipped.
const mostSkips = 10_000

// Next hands out a problem: of the stream that is furthest behind its share. The
// problem is open until Done or Redo.
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
	return Job{}, fmt.Errorf("%s: none of %d problems in a row may be played: choose a level with more problems, or play them all", behind.Label, mostSkips)
}

// problem makes the problem of an index, and reports whether it is skipped.
func (s *position) problem(index int) (p quintain.Problem, skip bool, err error) {
	p, err = s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: index})
	if err == nil && s.Skip != nil {
		skip, err = s.Skip(p)
	}
	return p, skip, err
}

// after hands out another index in the place of one that is skipped.
func (m *Mix) after(s *position, index int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(s.open, index)
	s.skipped++
	return s.take()
}

// handed counts the problems that are handed out or finished.
func (s *position) handed() int { return s.next - s.skipped - len(s.redo) }

// take hands out the next index.
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

// Done closes a job whose problem is finished, kept or dropped.
func (m *Mix) Done(j Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(j.stream.open, j.Problem.Index)
}

// Redo closes a job whose problem has to be played again, now or after a restart.
func (m *Mix) Redo(j Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(j.stream.open, j.Problem.Index)
	at, _ := slices.BinarySearch(j.stream.redo, j.Problem.Index)
	j.stream.redo = slices.Insert(j.stream.redo, at, j.Problem.Index)
}

// savedPosition is the form in which a position is kept.
type savedPosition struct {
	Next    int   `json:"next"`
	Redo    []int `json:"redo,omitempty"` // with those that were open
	Skipped int   `json:"skipped,omitempty"`
}

// MarshalJSON writes the positions of all streams by name. Open problems are
// written as to be played again.
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

// UnmarshalJSON sets the positions of the streams that are named; the others stay
// where they are, and names of no stream are left out. It is called before the
// first Next.
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
