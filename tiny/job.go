package tiny

import (
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A job is a request in progress. It belongs to the batcher from the call of enter until
// done is closed, and to the call of Sample before and after. They share only cut.
type job struct {
	request  quintain.Request
	sampling transformer.Sampling
	by       Vocabulary
	read     exact.Rendering
	prompt   []int32 // all tokens before the reply
	room     int     // largest number of tokens of a reply
	seed     uint64

	sequences []*sequence // the sequences that joined the batch
	open      int         // how many of these are still in it
	dropped   bool        // the batch should remove it
	err       error       // why there are no samples

	cut  atomic.Bool // the caller wants no more samples
	done chan struct{}
}

// A sequence is one unfinished sample.
type sequence struct {
	job      *job
	slot     int
	fed      int       // number of its tokens in the slot
	lead     *sequence // a sequence of the same job with the same tokens and one slot for both; nil: own slot
	tokens   []int32   // the prompt and the sampled tokens
	logProbs []float32
	versions []int32
	chance   *rng.Rand
	finish   quintain.Finish // empty: in progress
	err      error
}

// newJob renders r. The error names a role or token outside the vocabulary.
func (p *Policy) newJob(r quintain.Request) (*job, error) {
	by := p.options.Vocabulary
	read, err := exact.Read(by, r)
	if err != nil {
		return nil, err
	}
	if read.Drift == exact.Forked {
		r.Context = nil
	}
	j := &job{
		request: r, by: by, read: read, seed: p.options.Seed, done: make(chan struct{}),
		sampling: transformer.Sampling{Temperature: r.Sampling.Temperature, TopP: r.Sampling.TopP, TopK: r.Sampling.TopK},
		prompt:   make([]int32, 0, len(r.Context)+len(read.Tokens)),
	}
	if err := j.sampling.Check(); err != nil {
		return nil, err
	}
	for i, token := range r.Context {
		if token < 0 || int(token) >= p.config.Vocab {
			return nil, fmt.Errorf("token %d of the conversation is %d, outside the vocabulary %s", i, token, by.Vocabulary())
		}
		j.prompt = append(j.prompt, int32(token))
	}
	for _, token := range read.Tokens {
		j.prompt = append(j.prompt, int32(token))
	}
	j.room = p.config.Context - len(j.prompt)
	if most := r.Sampling.MaxTokens; most > 0 {
		j.room = min(j.room, most)
	}
	return j, nil
}

// add adds the next sequence of the job, in a slot that already holds its first fed
// tokens.
func (j *job) add(slot, fed int) *sequence {
	turn, k := strconv.Itoa(len(j.request.Messages)), strconv.Itoa(len(j.sequences))
	s := &sequence{
		job: j, slot: slot, fed: fed,
		tokens: append(make([]int32, 0, len(j.prompt)+min(j.room, 32)), j.prompt...),
		chance: rng.New(j.seed, "tiny", j.request.Key, turn, k),
	}
	j.sequences = append(j.sequences, s)
	j.open++
	return s
}

// take appends a drawn token; version is that of the weights.
func (s *sequence) take(drawn transformer.Draw, version int32) {
	s.tokens = append(s.tokens, drawn.Token)
	s.logProbs = append(s.logProbs, min(drawn.LogProb, 0)) // rounding may lift that of a certain token above 0
	s.versions = append(s.versions, version)
	switch {
	case s.job.by.Ends(quintain.Token(drawn.Token)) || s.stopped():
		s.finish = quintain.Stop
	case len(s.versions) == s.job.room:
		s.finish = quintain.Length
	}
}

// stopped reports whether the reply has one of the request's stop texts.
func (s *sequence) stopped() bool {
	stops := s.job.request.Stop
	if len(stops) == 0 {
		return false
	}
	begin, _ := policy.Stopped(s.job.by.Text(s.wrote()), stops)
	return begin >= 0
}

// wrote returns the sampled tokens.
func (s *sequence) wrote() []quintain.Token {
	wrote := make([]quintain.Token, len(s.versions))
	for i, token := range s.tokens[len(s.job.prompt):] {
		wrote[i] = quintain.Token(token)
	}
	return wrote
}

// source returns the sequence that owns the slot of s.
func (s *sequence) source() *sequence {
	if s.lead != nil {
		return s.lead
	}
	return s
}

// last returns the token drawn last.
func (s *sequence) last() int32 { return s.tokens[len(s.tokens)-1] }

// twin returns a live sequence of the same job, among those before s, with its own slot
// and the same tokens; nil: none.
func (s *sequence) twin(before []*sequence) *sequence {
	for _, other := range slices.Backward(before) {
		if other.job != s.job {
			return nil
		}
		if other.lead == nil && other.last() == s.last() && slices.Equal(other.tokens, s.tokens) {
			return other
		}
	}
	return nil
}

// leave counts a sequence out of the batch, and answers the job after the last one.
func (j *job) leave() {
	j.open--
	if j.open == 0 && len(j.sequences) == j.request.N {
		close(j.done)
	}
}

// whole reports whether all samples ended by themselves.
func (j *job) whole() bool {
	for _, s := range j.sequences {
		if s.finish == "" {
			return false
		}
	}
	return len(j.sequences) == j.request.N
}

// samples returns the samples so far.
func (j *job) samples(cut bool) []quintain.Sample {
	samples := make([]quintain.Sample, len(j.sequences))
	for k, s := range j.sequences {
		o := policy.Output{Tokens: s.wrote(), LogProbs: s.logProbs, Versions: s.versions, Finish: s.finish}
		samples[k] = j.read.Sample(j.by, j.request, o, cut)
	}
	return samples
}
