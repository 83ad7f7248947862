package run

import "slices"

// An estimate tells how many episodes a batch of a known number of sequences has. An episode
// gives several sequences if each turn is one, or if the chat template rewrites the
// conversation.
type estimate struct {
	each            float64 // episodes of a sequence, as the last groups had them; 0: unknown
	recent          []int   // episodes of the last batches
	steps, episodes int     // trained on so far
	begun           bool
}

// recentBatches is the number of batches that an estimate remembers.
const recentBatches = 8

// trained records the steps and episodes that the trainer has made so far.
func (e *estimate) trained(steps, episodes int) {
	if made := steps - e.steps; e.begun && made > 0 {
		e.recent = append(e.recent, (episodes-e.episodes)/made)
		e.recent = e.recent[max(0, len(e.recent)-recentBatches):]
	}
	e.steps, e.episodes, e.begun = steps, episodes, true
}

// of is the number of episodes in a batch of size sequences, given the episodes and sequences
// in the queue: as many as the sequences suggest, or as the smallest of the last batches had,
// because groups of odd sizes leave room. It is 0 until the first group is in the queue.
func (e *estimate) of(size, episodes, sequences int) int {
	if sequences > 0 {
		e.each = float64(episodes) / float64(sequences)
	}
	n := int(float64(size) * e.each)
	if len(e.recent) > 0 {
		n = min(n, slices.Min(e.recent))
	}
	return n
}
