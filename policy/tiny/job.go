package tiny

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/transformer"
)

// A job is a request on its way. But for cut it belongs to the batcher until done is
// closed, and to the call of Sample before and after.
type job struct {
	request  quintain.Request
	sampling transformer.Sampling
	read     []quintain.Token
	prompt   []int32 // all tokens before the reply
	room     int     // tokens that a reply may have
	seed     uint64

	sequences []*sequence // that have joined the batch
	open      int         // of these, those that are in it
	dropped   bool        // the batch lets go of it
	err       error       // why there are no samples

	cut  atomic.Bool // no more of it is wanted
	done chan struct{}
}

// A sequence is one sample in the making.
type sequence struct {
	job      *job
	slot     int
	fed      int       // of its tokens, those that the slot holds
	lead     *sequence // of the same job and with the same tokens: its slot serves both; nil: the own slot does
	tokens   []int32   // the prompt, and what was sampled
	logProbs []float32
	versions []int32
	chance   *rng.Rand
	finish   quintain.Finish // empty: it is under way
	err      error
}

// newJob renders r. The error names what the vocabulary does not have.
func (p *Policy) newJob(r quintain.Request) (*job, error) {
	read, err := Read(r)
	if err != nil {
		return nil, err
	}
	j := &job{
		request: r, read: read, seed: p.options.Seed, done: make(chan struct{}),
		sampling: transformer.Sampling{Temperature: r.Sampling.Temperature, TopP: r.Sampling.TopP, TopK: r.Sampling.TopK},
		prompt:   make([]int32, 0, len(r.Context)+len(read)),
	}
	if err := j.sampling.Check(); err != nil {
		return nil, err
	}
	for i, token := range r.Context {
		if !known(token) {
			return nil, fmt.Errorf("token %d of the conversation is %d, and the vocabulary %s has none such", i, token, Vocabulary)
		}
		j.prompt = append(j.prompt, int32(token))
	}
	for _, token := range read {
		j.prompt = append(j.prompt, int32(token))
	}
	j.room = p.config.Context - len(j.prompt)
	if most := r.Sampling.MaxTokens; most > 0 {
		j.room = min(j.room, most)
	}
	return j, nil
}

// add makes the next sequence of the job, in a slot that holds the first fed of its
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

// take goes on with a token that was drawn by weights of a version.
func (s *sequence) take(drawn transformer.Draw, version int32) {
	s.tokens = append(s.tokens, drawn.Token)
	s.logProbs = append(s.logProbs, min(drawn.LogProb, 0)) // rounding may leave a sure token above
	s.versions = append(s.versions, version)
	switch {
	case drawn.Token == int32(End):
		s.finish = quintain.Stop
	case len(s.versions) == s.job.room:
		s.finish = quintain.Length
	}
}

// source is the sequence whose slot holds the tokens of s.
func (s *sequence) source() *sequence {
	if s.lead != nil {
		return s.lead
	}
	return s
}

// last is the token that was drawn last.
func (s *sequence) last() int32 { return s.tokens[len(s.tokens)-1] }

// twin returns the one among the last of those before it that goes on, in a slot of its
// own, with the same tokens; nil for none.
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

// leave counts a sequence that has left the batch, and answers the job when it was the
// last of all.
func (j *job) leave() {
	j.open--
	if j.open == 0 && len(j.sequences) == j.request.N {
		close(j.done)
	}
}

// whole reports whether all samples have come to their end.
func (j *job) whole() bool {
	for _, s := range j.sequences {
		if s.finish == "" {
			return false
		}
	}
	return len(j.sequences) == j.request.N
}

// samples are what has been sampled.
func (j *job) samples() []quintain.Sample {
	samples := make([]quintain.Sample, len(j.sequences))
	for k, s := range j.sequences {
		wrote := make([]quintain.Token, len(s.versions))
		for i, token := range s.tokens[len(j.prompt):] {
			wrote[i] = quintain.Token(token)
		}
		samples[k] = j.sample(wrote, s.finish)
		samples[k].LogProbs = s.logProbs[:len(wrote):len(wrote)]
		samples[k].Versions = s.versions[:len(wrote):len(wrote)]
	}
	return samples
}

// unsampled are the samples of a conversation that fills the context.
func (j *job) unsampled() []quintain.Sample {
	samples := make([]quintain.Sample, j.request.N)
	for k := range samples {
		samples[k] = j.sample([]quintain.Token{}, quintain.Length)
		samples[k].LogProbs, samples[k].Versions = []float32{}, []int32{}
	}
	return samples
}

// sample is one sample without log-probabilities and versions.
func (j *job) sample(wrote []quintain.Token, finish quintain.Finish) quintain.Sample {
	return quintain.Sample{
		Text: strings.ToValidUTF8(Decode(wrote), "\uFFFD"), Read: j.read[:len(j.read):len(j.read)],
		Wrote: wrote, Finish: finish, Vocabulary: Vocabulary,
	}
}
