package rollout

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoShare says that a mix which is given its problems has too few of them.
var ErrNoShare = errors.New("no more problems are given yet")

// A Block is consecutive problems of a stream: the indices from From to before To.
type Block struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// A Want asks for a block of a stream.
type Want struct {
	Stream string `json:"stream"` // name of the stream, the same in each process that has it
	Least  int    `json:"least"`  // the block begins there or later
	Count  int    `json:"count"`  // of problems
}

// Sizes of blocks, in problems.
const (
	leastBlock = 32
	mostBlock  = 256
	allBlocks  = 512 // of all streams together
	fileParts  = 32  // blocks of a file, unless they would have fewer than
	leastPart  = 4
	mostGiven  = 1 << 20 // in a block that is given
	mostWants  = 1000    // at once
)

// Share has the mix hand out only what it is given: other processes play the rest of its
// streams. Call it before UnmarshalJSON.
func (m *Mix) Share() { m.shares = true }

// Low has an element when Wants may have become longer.
func (m *Mix) Low() <-chan struct{} { return m.low }

// Given returns a channel that is closed at the next Give.
func (m *Mix) Given() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.given
}

// Wants returns what the mix should be given before it runs out, the first of it if that is
// much.
func (m *Mix) Wants() (list []Want) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.streams {
		if m.shares && len(list) < mostWants && s.low() {
			list = append(list, Want{s.name, s.least(), s.block})
		}
	}
	return list
}

// Give gives the mix a block of a stream.
func (m *Mix) Give(stream string, b Block) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.streams {
		if s.name != stream {
			continue
		}
		if err := s.give(b); err != nil {
			return err
		}
		m.log(change{Op: opGive, Stream: s.number, Index: b.From, To: b.To})
		close(m.given)
		m.given = make(chan struct{})
		return nil
	}
	return fmt.Errorf("there is no stream %s", stream)
}

// dry reports whether a stream has nothing to hand out. Then the mix chooses none: the choices
// do not depend on when it is given problems. m.mu is held.
func (m *Mix) dry() bool {
	for _, s := range m.streams {
		if m.shares && len(s.blocks) == 0 {
			return true
		}
	}
	return false
}

// blockOf is the size of a block of one of n streams. A file has many blocks, so that
// several processes come to the end of an epoch at about the same time.
func blockOf(s Stream, n int) int {
	block := min(mostBlock, max(leastBlock, allBlocks/n))
	if size := s.Size(); size > 0 {
		block = min(block, max(leastPart, size/fileParts))
	}
	return block
}

// low reports whether the stream has less left than a block.
func (s *position) low() bool {
	left := 0
	for _, b := range s.blocks {
		left += b.To - b.From
	}
	return left < s.block
}

// least is the least index that another block may have.
func (s *position) least() int {
	if n := len(s.blocks); n > 0 {
		return s.blocks[n-1].To
	}
	return s.next
}

// give adds a block to the stream.
func (s *position) give(b Block) error {
	if b.From < s.least() || b.To <= b.From || b.To-b.From > mostGiven {
		return fmt.Errorf("stream %s: %+v is no block from %d on", s.name, b, s.least())
	}
	s.blocks = append(s.blocks, b)
	s.enter()
	return nil
}

// enter skips the problems before the first block, which are others'.
func (s *position) enter() {
	if len(s.blocks) > 0 {
		s.others += s.blocks[0].From - s.next
		s.next = s.blocks[0].From
	}
}

// advance takes the next index.
func (s *position) advance() (index int) {
	index = s.next
	s.next++
	if len(s.blocks) == 0 {
		return index
	}
	if s.blocks[0].From++; s.blocks[0].From == s.blocks[0].To {
		s.blocks = s.blocks[1:]
		s.enter()
	}
	return index
}

// edgesOf encodes blocks.
func edgesOf(blocks []Block) (edges []int) {
	for _, b := range blocks {
		edges = append(edges, b.From, b.To)
	}
	return edges
}

// resume goes on at a saved position.
func (s *position) resume(p savedPosition) error {
	if p.Next < 0 || min(p.Skipped, p.Others) < 0 || p.Skipped > p.Next-p.Others || len(p.Redo) > 0 && (!slices.IsSorted(p.Redo) || p.Redo[0] < 0 || p.Redo[len(p.Redo)-1] >= p.Next) {
		return fmt.Errorf("stream %s: positions %+v are invalid", s.name, p)
	}
	s.next, s.redo, s.skipped, s.others, s.blocks = p.Next, p.Redo, p.Skipped, p.Others, nil
	s.seats.set(p.Baselines)
	for edges := range slices.Chunk(p.Given, 2) {
		if len(edges) < 2 || len(s.blocks) == 0 && edges[0] != s.next {
			return fmt.Errorf("stream %s: blocks %v are invalid", s.name, p.Given)
		}
		if err := s.give(Block{edges[0], edges[1]}); err != nil {
			return err
		}
	}
	return nil
}
