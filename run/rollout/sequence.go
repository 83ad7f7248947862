package rollout

import (
	"iter"
	"slices"

	"github.com/quintain-rl/quintain"
)

// Sequences says how to cut an episode into training sequences.
type Sequences string

// The ways to cut an episode into sequences. In each, every sampled token is trained on
// in exactly one sequence, unless the agent did not use the reply (see [quintain.Call]).
const (
	// WholeEpisodes makes one sequence of an episode, up to its last sampled token, and
	// begins another wherever the policy's server rewrote the conversation (see
	// [quintain.Turn]). Each further branch of a tree of calls gives one more, in which the
	// turns that an earlier one trains on are only read.
	WholeEpisodes Sequences = "episode"

	// EachTurn makes a sequence of each turn, with everything before it as its prompt.
	EachTurn Sequences = "turn"
)

// A sequence is a run of turns on a path of an episode in which each turn's tokens continue
// the preceding turn's. The turns before first are only read, not trained on.
type sequence struct {
	played  *quintain.Trajectory
	episode int   // number of the trajectory in its group
	path    []int // turns from the beginning of the conversation
	begin   int   // place in path of the first turn of the tokens
	first   int   // place of the first trained turn
	last    int   // place of the last turn

	length, trainable int // tokens
}

// of cuts all trajectories of a group into sequences: the branches of each, one after
// another. A turn without a sampled token, for want of room, begins none, unless it is the
// first.
func (how Sequences) of(played []quintain.Trajectory) []sequence {
	all := make([]sequence, 0, len(played))
	for episode := range played {
		t := &played[episode]
		before := len(all)
		for _, branch := range t.Branches() {
			all = how.cut(all, sequence{played: t, episode: episode, path: branch.Path}, branch.First)
		}
		if len(all) == before && len(t.Turns) > 0 { // nothing to train on
			path := t.Path(t.Last())
			all = append(all, sequence{played: t, episode: episode, path: path, first: len(path), last: len(path) - 1})
		}
	}
	for i := range all {
		all[i].measure()
	}
	return all
}

// A TokenSequence is the tokens of a training sequence.
type TokenSequence struct {
	Turns  []int            // indices of its turns
	Tokens []quintain.Token // of all its turns
	Masks  []int32          // the token itself, or [quintain.Untrained]
}

// Tokens returns the sequences of one episode.
func (how Sequences) Tokens(t *quintain.Trajectory) iter.Seq[TokenSequence] {
	return func(yield func(TokenSequence) bool) {
		for _, s := range how.of([]quintain.Trajectory{*t}) {
			var g quintain.Group
			rows := new(Memory).room(s.length)
			s.appendTo(&g, &rows)
			if !yield(TokenSequence{s.path[s.begin : s.last+1], g.Tokens[0], g.Masks[0]}) {
				return
			}
		}
	}
}

// Trained returns for each turn of an episode the number of its sequence that trains on it,
// from 1 on, or 0 if none does, and the number of sequences.
func (how Sequences) Trained(t *quintain.Trajectory) (numbers []int, n int) {
	numbers = make([]int, len(t.Turns))
	all := how.of([]quintain.Trajectory{*t})
	for i := range all {
		all[i].each(func(turn int, trained bool) {
			if trained && len(t.Turns[turn].Wrote) > 0 {
				numbers[turn] = i + 1
			}
		})
	}
	return numbers, len(all)
}

// cut appends the sequences of a branch whose own turns begin at the place own.
func (how Sequences) cut(all []sequence, s sequence, own int) []sequence {
	open := false // the last sequence may go on
	for at, k := range s.path {
		turn := &s.played.Turns[k]
		if turn.Fork {
			s.begin, open = at, false
		}
		sampled := len(turn.Wrote) > 0
		switch {
		case at < own || !turn.Used():
		case open && sampled:
			all[len(all)-1].last = at
		case !open && (sampled || k == 0):
			s.first, s.last = at, at
			all = append(all, s)
			open = how != EachTurn
		}
	}
	return all
}

// each calls f for every turn of s. trained reports whether its reply is trained on.
func (s *sequence) each(f func(turn int, trained bool)) {
	for at := s.begin; at <= s.last; at++ {
		k := s.path[at]
		f(k, at >= s.first && s.played.Turns[k].Used())
	}
}

// measure counts the tokens of s.
func (s *sequence) measure() {
	s.each(func(turn int, trained bool) {
		wrote := len(s.played.Turns[turn].Wrote)
		s.length += len(s.played.Turns[turn].Read) + wrote
		if trained {
			s.trainable += wrote
		}
	})
}

// messages returns the conversation up to the last turn of s.
func (s *sequence) messages() []quintain.Message { return s.played.Talk(s.path[:s.last+1]) }

// appendTo adds s to g: its tokens, masks, log-probabilities and versions. The
// log-probabilities are empty if a trained turn lacks them.
func (s *sequence) appendTo(g *quintain.Group, rows *Memory) {
	tokens, masks := row(&rows.tokens, s.length), row(&rows.masks, s.length)
	logProbs, versions := row(&rows.logProbs, s.length), row(&rows.versions, s.length)
	known := true
	s.each(func(k int, trained bool) {
		turn := &s.played.Turns[k]
		tokens = append(append(tokens, turn.Read...), turn.Wrote...)
		read := len(turn.Read)
		if !trained { // part of the prompt
			read += len(turn.Wrote)
		}
		masks, logProbs, versions = repeated(masks, quintain.Untrained, read), repeated(logProbs, 1, read), repeated(versions, -1, read)
		if !trained {
			return
		}
		known = known && (turn.LogProbs != nil || len(turn.Wrote) == 0)
		versions = append(versions, turn.Versions...)
		for _, token := range turn.Wrote {
			masks = append(masks, int32(token))
		}
		for _, p := range turn.LogProbs {
			logProbs = append(logProbs, float64(p))
		}
	})
	if !known {
		logProbs = []float64{}
	}
	g.Tokens, g.Masks = append(g.Tokens, tokens), append(g.Masks, masks)
	g.LogProbs, g.Versions = append(g.LogProbs, logProbs), append(g.Versions, versions)
}

// repeated appends value to list n times.
func repeated[E any](list []E, value E, n int) []E {
	at := len(list)
	list = slices.Grow(list, n)[:at+n]
	for i := range list[at:] {
		list[at+i] = value
	}
	return list
}
