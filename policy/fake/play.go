package fake

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/task/rng"
)

// play runs j, and calls emit with a piece of each open sequence when the last of their
// tokens is due. It returns errHungUp if the client is gone, else the error of emit.
func (s *Server) play(ctx context.Context, j *job, r *rng.Rand, emit func([]told) error) error {
	e := &s.engine
	since := time.Now()
	why := e.enter(ctx, j)
	start := j.arrived.Add(time.Since(since))
	entered := why == ""
	defer func() { e.leave(j, entered) }()
	all := newSequences(s, j, r)
	pace := pacer{start: start, first: s.cfg.FirstToken, rate: s.cfg.Rate}
	n := 1 // the first token is sent at once
	for sampled := 0; why == "" && all.open > 0; n = max(s.cfg.Interval, j.interval) {
		since := time.Now()
		if why = e.step.pass(ctx, j); why != "" {
			break
		}
		pace.start = pace.start.Add(time.Since(since))
		longest := all.sample(e.weights.Load(), n)
		if why = pace.wait(ctx, j, sampled+longest-1); why == aborted {
			all.cut(pace.due() - sampled)
		}
		if why == hungUp {
			break
		}
		all.tell()
		if sampled += longest; sampled == 1 && all.open > 0 && s.cfg.Rate == 0 && e.step.shut.Load() == nil {
			continue // the next tokens are due as well, and go with the first
		}
		if err := all.send(emit); err != nil {
			return err
		}
	}
	if why == hungUp {
		return errHungUp
	}
	return all.abort(emit)
}

// A pacer schedules tokens.
type pacer struct {
	start time.Time
	first time.Duration
	rate  float64
}

// wait waits until token i, from 0 on, is due.
func (p *pacer) wait(ctx context.Context, j *job, i int) end {
	due := p.first
	if p.rate > 0 {
		due += time.Duration(float64(i) / p.rate * float64(time.Second))
	}
	timer := time.NewTimer(time.Until(p.start.Add(due)))
	defer timer.Stop()
	return wait(ctx, j, timer.C)
}

// due returns the number of tokens due.
func (p *pacer) due() int {
	left := time.Since(p.start) - p.first
	switch {
	case left < 0:
		return 0
	case p.rate == 0:
		return math.MaxInt
	}
	return 1 + int(left.Seconds()*p.rate)
}

// sequences are the samples of a job.
type sequences struct {
	server *Server
	job    *job
	rand   []*rng.Rand
	state  []state
	length []int
	over   []bool
	open   int
	pieces []piece            // sampled, not yet sent
	told   []told             // noted to be sent
	said   [][]quintain.Token // with stop texts: all tokens of each sequence
}

func newSequences(s *Server, j *job, r *rng.Rand) *sequences {
	all := &sequences{server: s, job: j, open: j.n, length: make([]int, j.n), over: make([]bool, j.n), pieces: make([]piece, j.n), said: make([][]quintain.Token, j.n)}
	begin := s.model.stateOf(j.prompt)
	if j.text {
		begin = s.model.opened(begin) // a text may lack the opening of a reply
	}
	for range j.n {
		all.rand = append(all.rand, rng.Named("fake", "sequence").Stream(r.Uint64(), 0))
		all.state = append(all.state, begin)
	}
	return all
}

// usualReply is the initial capacity of a piece, in tokens.
const usualReply = 64

// sample samples up to n tokens of each open sequence, and returns the length of the
// longest piece.
func (q *sequences) sample(w *Weights, n int) (longest int) {
	most := q.server.cfg.Context - len(q.job.prompt)
	if q.job.sampling.MaxTokens > 0 {
		most = min(most, q.job.sampling.MaxTokens)
	}
	for k := range q.over {
		if q.over[k] {
			continue
		}
		room := min(n, usualReply)
		p := piece{tokens: make([]quintain.Token, 0, room), probs: make(probs, 0, room)}
		for len(p.tokens) < n && p.finish == "" {
			t := w.draw(q.rand[k], q.state[k], q.job.sampling)
			p.tokens = append(p.tokens, t)
			p.probs = append(p.probs, math.Log(w.p(q.state[k], t)))
			q.state[k] = q.server.model.after(q.state[k], t)
			q.length[k]++
			switch {
			case t == q.server.model.tokens.end || q.stopped(k, t):
				p.finish = "stop"
			case q.length[k] == most:
				p.finish = "length"
			}
		}
		q.pieces[k] = p
		longest = max(longest, len(p.tokens))
	}
	return longest
}

// stopped reports whether t, the next token of sequence k, completes a stop text.
func (q *sequences) stopped(k int, t quintain.Token) bool {
	if len(q.job.stop) == 0 {
		return false
	}
	q.said[k] = append(q.said[k], t)
	begin, _ := policy.Stopped(q.server.vocabulary.text(q.said[k]), q.job.stop)
	return begin >= 0
}

// cut truncates each piece to n tokens, 0 or more.
func (q *sequences) cut(n int) {
	for k := range q.pieces {
		if p := &q.pieces[k]; max(0, n) < len(p.tokens) {
			*p = piece{tokens: p.tokens[:max(0, n)], probs: p.probs[:max(0, n)]}
		}
	}
}

// tell notes the pieces of the open sequences to be sent.
func (q *sequences) tell() {
	for k, p := range q.pieces {
		if q.over[k] {
			continue
		}
		q.server.engine.sampled.Add(int64(len(p.tokens)))
		if p.finish != "" {
			q.over[k] = true
			q.open--
		}
		q.told = append(q.told, told{k, p})
	}
}

// send sends the noted pieces.
func (q *sequences) send(emit func([]told) error) error {
	list := q.told
	q.told = list[:0]
	return emit(list)
}

// abort ends the open sequences.
func (q *sequences) abort(emit func([]told) error) error {
	for k := range q.pieces {
		q.pieces[k] = piece{finish: "abort"}
	}
	if q.open == 0 {
		return nil
	}
	q.tell()
	return q.send(emit)
}

// A told is a piece of sample k.
type told struct {
	k int
	piece
}

// A piece is the tokens sampled of one sequence at a time.
type piece struct {
	tokens []quintain.Token
	probs  probs
	extra  quintain.Token // one more than was sampled; 0: none
	finish string         // "stop", "length" or "abort"; "": unfinished
}

// probs are log-probabilities.
type probs []float64

// MarshalJSON implements [json.Marshaler]. NaN becomes null.
func (p probs) MarshalJSON() ([]byte, error) {
	return strictjson.AppendList(make([]byte, 0, 2+12*len(p)), p, appendProb), nil
}

// A prob is one log-probability, with the JSON of probs.
type prob float64

// MarshalJSON implements [json.Marshaler].
func (p prob) MarshalJSON() ([]byte, error) { return appendProb(nil, float64(p)), nil }

func appendProb(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 32)
}
