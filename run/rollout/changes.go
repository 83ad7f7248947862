package rollout

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A change is a step of a mix, in its log.
type change struct {
	Op     changeOp  `json:"op"`
	Stream int       `json:"s,omitempty"` // number in the mix
	Index  int       `json:"i,omitempty"`
	Scores []float64 `json:"scores,omitempty"` // of opDone
	To     int       `json:"to,omitempty"`     // end of the block of opGive, which begins at Index

	Baselines map[int]float64 `json:"baselines,omitempty"` // of opLearn, by seat
}

type changeOp string

const (
	opTake   changeOp = "take"   // the problem is open
	opChoose changeOp = "choose" // likewise; the chooser chose the stream
	opSkip   changeOp = "skip"   // it is not played
	opDone   changeOp = "done"   // it is finished; the chooser notes the scores
	opGiveUp changeOp = "giveup" // it is finished, without a note
	opGive   changeOp = "give"   // a block is the run's
	opLearn  changeOp = "learn"  // baselines have moved
)

// log adds a change to the log, if there is one. A problem to play again makes none: in a
// record, it counts as open. m.mu is held.
func (m *Mix) log(c change) {
	if !m.logs {
		return
	}
	if len(m.changes) > 0 {
		m.changes = append(m.changes, ',')
	}
	var err error
	if m.changes, err = strictjson.Append(m.changes, &c); err != nil {
		panic("rollout: a change: " + err.Error()) // cannot happen: numbers and text
	}
}

// Snapshot is MarshalJSON, and begins the log of changes anew.
func (m *Mix) Snapshot() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logs, m.changes = true, nil
	return m.marshal()
}

// Changes returns, as JSON, the changes since the last Changes or Snapshot. Its cost does not
// depend on the number of open problems.
func (m *Mix) Changes() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := slices.Concat([]byte{'['}, m.changes, []byte{']'})
	m.changes = m.changes[:0]
	return text
}

// Replay makes changes of an earlier process, after its snapshot and in their order. The mix is
// then as if it had encoded the other's state: its open problems are to be played again. Call
// it after UnmarshalJSON, before the first Next. Changes of streams that the mix does not have
// are ignored.
func (m *Mix) Replay(changes []byte) error {
	var all []change
	if err := strictjson.Unmarshal(changes, &all); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, c := range all {
		if err := m.replay(c); err != nil {
			return fmt.Errorf("change %d, %+v: %w", i, c, err)
		}
	}
	return nil
}

// replay makes one change.
func (m *Mix) replay(c change) error {
	if c.Op == opChoose && m.chooser != nil {
		m.chooser.Choose()
	}
	s, err := m.formerly(c.Stream)
	if s == nil || err != nil {
		return err
	}
	at, open := slices.BinarySearch(s.redo, c.Index)
	switch {
	case c.Op == opTake || c.Op == opChoose:
		if !open && c.Index != s.next {
			return fmt.Errorf("the next problem is %d", s.next)
		}
		if !open {
			s.redo = append(s.redo, s.advance())
		}
		return nil
	case c.Op == opGive:
		return s.give(Block{c.Index, c.To})
	case c.Op == opLearn:
		s.seats.set(c.Baselines)
		return nil
	case c.Op != opSkip && c.Op != opDone && c.Op != opGiveUp:
		return fmt.Errorf("the operation is unknown")
	case !open:
		return fmt.Errorf("the problem is not open")
	}
	s.redo = slices.Delete(s.redo, at, at+1)
	if c.Op == opSkip {
		s.skipped++
	}
	if c.Op == opDone && m.chooser != nil {
		m.chooser.Note(s.number, c.Scores)
	}
	return nil
}

// formerly returns the stream with a number in the mix of the earlier process, or nil if this
// mix does not have it.
func (m *Mix) formerly(number int) (*position, error) {
	if number < 0 || number >= len(m.former) {
		return nil, fmt.Errorf("the record names %s", stats.Count(len(m.former), "stream"))
	}
	at := slices.IndexFunc(m.streams, func(s *position) bool { return s.name == m.former[number] })
	if at < 0 {
		return nil, nil
	}
	return m.streams[at], nil
}

// sortDense sorts different indices. If most of those between them are there too, it takes less time than
// [slices.Sort].
func sortDense(indices []int) {
	if len(indices) == 0 {
		return
	}
	low, high := slices.Min(indices), slices.Max(indices)
	if high-low >= 16*len(indices) {
		slices.Sort(indices)
		return
	}
	there := make([]bool, high-low+1)
	for _, i := range indices {
		there[i-low] = true
	}
	indices = indices[:0]
	for i, is := range there {
		if is {
			indices = append(indices, low+i)
		}
	}
}

// spansOf encodes ascending indices: for each run of consecutive ones, the distance of its
// first from the end of the run before, and its length.
func spansOf(indices []int) (spans []int) {
	end := 0
	for i := 0; i < len(indices); {
		n := 1
		for i+n < len(indices) && indices[i+n] == indices[i]+n {
			n++
		}
		spans = append(spans, indices[i]-end, n)
		end = indices[i] + n
		i += n
	}
	return spans
}

// indicesOf undoes spansOf, for indices below limit.
func indicesOf(spans []int, limit int) (indices []int, err error) {
	end := 0
	if len(spans)%2 != 0 {
		return nil, fmt.Errorf("%d numbers are no pairs", len(spans))
	}
	for pair := range slices.Chunk(spans, 2) {
		if pair[0] < 0 || pair[1] < 1 || pair[0] > limit-end || pair[1] > limit-end-pair[0] {
			return nil, fmt.Errorf("a run of %d problems, %d after the last, is not below %d", pair[1], pair[0], limit)
		}
		for i := range pair[1] {
			indices = append(indices, end+pair[0]+i)
		}
		end += pair[0] + pair[1]
	}
	return indices, nil
}
