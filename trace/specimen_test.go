package trace

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/lexicon"
)

// epoch is the time of these tests' groups.
var epoch = time.Date(2026, 11, 22, 4, 39, 28, 123456789, time.UTC)

// A specimen makes typical groups. It is for one goroutine.
type specimen struct {
	rand  *rand.Rand
	words []string // the most frequent first
	sums  []float64
}

func newSpecimen() *specimen { return &specimen{rand: rand.New(rand.NewPCG(1, 2))} }

// small returns group i of the tiny policy: 8 episodes of one turn, with about 20 tokens
// read and 9 sampled.
func (s *specimen) small(i int) *Record {
	task := []string{"chain_sum", "letter_counting", "number_sorting", "spell_backward", "spiral_matrix"}[i%5]
	a, b := s.rand.IntN(900)+100, s.rand.IntN(900)+100
	question := fmt.Sprintf("%s:%d times %d=", task[:5], a, b)
	right := strconv.Itoa(a * b)
	r := &Record{
		Problem: quintain.Problem{
			Task: task, Scenario: "reasoning_gym.v1-4b973e", Version: 1, Seed: 1, Level: 2, Index: i / 5,
			Params:   []byte(`{"min_terms":2,"max_terms":2,"min_digits":1,"max_digits":2,"allow_negation":false}`),
			Prompt:   fmt.Sprintf("What is %d times %d? Answer with one whole number.", a, b),
			Instance: quintain.RawRecord([]byte(fmt.Sprintf(`{"num_terms":2,"num_digits":3,"expression":"%d * %d","phrasing":%d}`, a, b, i%3))),
		},
		Version: i / 8, Time: epoch.Add(time.Duration(i)*2500*time.Microsecond + time.Duration(s.rand.IntN(1e6))),
	}
	read := append(append([]quintain.Token{261}, bytesOf(question)...), 264, 262)
	for k := range 8 {
		answer := right
		if s.rand.IntN(2) == 0 { // the last digits are wrong
			answer = right[:2] + strconv.Itoa(s.rand.IntN(9000)+1000)
		}
		wrote := append(append([]quintain.Token{258}, bytesOf(answer)...), 259, 264)
		turn := quintain.Turn{
			Observed: []quintain.Message{{Role: quintain.RoleUser, Content: question}},
			Reply:    "<answer>" + answer + "</answer>", Read: read, Wrote: wrote, Finish: quintain.Stop, Answer: answer,
		}
		s.sample(&turn, int32(r.Version))
		if answer == right {
			turn.Reward = 1
		} else {
			turn.Why = fmt.Sprintf("want %q", right)
		}
		s.end(r, k, turn)
	}
	return r
}

// large returns group i of a real model: 8 episodes of 2,048 tokens, a fifth of them read.
// The vocabulary has 151,000 tokens of about 4 characters.
func (s *specimen) large(i int) *Record {
	question, read := s.prose(410)
	r := &Record{
		Problem: quintain.Problem{
			Task: "word_problem", Scenario: "reasoning_gym.v1", Version: 1, Seed: 7, Level: 1, Index: i,
			Params: []byte(`{"difficulty":3}`), Prompt: question, Instance: quintain.RawRecord([]byte(`{"answer":"42"}`)),
		},
		Version: i / 8, Time: epoch.Add(time.Duration(i) * time.Second),
	}
	for k := range 8 {
		reply, wrote := s.prose(1638)
		turn := quintain.Turn{
			Observed: []quintain.Message{{Role: quintain.RoleSystem, Content: "Think step by step."}, {Role: quintain.RoleUser, Content: question}},
			Reply:    reply, Read: read, Wrote: wrote, Finish: quintain.Stop, Answer: "42", Reward: float64(k % 2),
		}
		s.sample(&turn, int32(r.Version))
		s.end(r, k, turn)
	}
	return r
}

// sample sets the log-probabilities and versions of a turn, the former as by a server: a
// softmax in float32 of logits in bfloat16. Most are near 0.
func (s *specimen) sample(turn *quintain.Turn, version int32) {
	for range turn.Wrote {
		logProb := math.Log1p(-math.Pow(10, -8+6*s.rand.Float64()))
		if s.rand.IntN(10) < 3 {
			logProb = math.Log(1e-4 + (1-1e-4)*s.rand.Float64())
		}
		logit := math.Float32frombits(math.Float32bits(14+20*s.rand.Float32()) &^ 0xffff)
		sum := float32(float64(logit) - logProb)
		turn.LogProbs = append(turn.LogProbs, min(0, logit-sum))
		turn.Versions = append(turn.Versions, version)
	}
}

// end adds an episode of one turn, and its score and advantages.
func (s *specimen) end(r *Record, k int, turn quintain.Turn) {
	outcome := quintain.Scored
	if s.rand.IntN(100) == 0 {
		outcome = quintain.ModelFailed
	}
	r.Episodes = append(r.Episodes, quintain.Trajectory{
		ID: episodeID(r.Group(), k), Problem: r.Problem, Turns: []quintain.Turn{turn}, Vocabulary: "quintain-tiny-1",
		End: quintain.Terminated, Outcome: outcome,
		Started: r.Time.Add(-time.Duration(4e6 + s.rand.IntN(1e5))), Took: time.Duration(3e6 + s.rand.IntN(1e6)),
	})
	r.Scores = append(r.Scores, turn.Reward)
	row := make([]float64, len(turn.Read)+len(turn.Wrote))
	for i := range turn.Wrote {
		row[len(turn.Read)+i] = (turn.Reward - 0.375) / 0.4841229182759271
	}
	r.Advantages = append(r.Advantages, row)
}

// prose returns text of n tokens. The frequency of each English word follows its rank.
func (s *specimen) prose(n int) (string, []quintain.Token) {
	if s.words == nil {
		s.learn()
	}
	var text strings.Builder
	tokens := make([]quintain.Token, 0, n)
	for len(tokens) < n {
		at := s.rand.Float64() * s.sums[len(s.sums)-1]
		rank, high := 0, len(s.sums)-1
		for rank < high {
			if mid := (rank + high) / 2; s.sums[mid] < at {
				rank = mid + 1
			} else {
				high = mid
			}
		}
		text.WriteByte(' ')
		text.WriteString(s.words[rank])
		for pieces := 1 + (len(s.words[rank])-1)/5; pieces > 0 && len(tokens) < n; pieces-- {
			tokens = append(tokens, quintain.Token((int64(rank)*2654435761+int64(pieces)*40503)%int64(500+16*rank)%151000))
		}
		if s.rand.IntN(9) == 0 && len(tokens) < n {
			mark := s.rand.IntN(20)
			text.WriteString([]string{".", ",", ",\n", " = " + strconv.Itoa(s.rand.IntN(100))}[mark%4])
			tokens = append(tokens, quintain.Token(11+mark%4))
		}
	}
	return text.String(), tokens
}

// learn draws the ranks of words.
func (s *specimen) learn() {
	sum := 0.0
	for n := 2; n <= 12; n++ {
		list := lexicon.Common(n)
		for i := range list.Len() {
			s.words = append(s.words, list.At(i))
		}
	}
	s.rand.Shuffle(len(s.words), func(i, k int) { s.words[i], s.words[k] = s.words[k], s.words[i] })
	for i := range s.words {
		sum += 1 / float64(i+3)
		s.sums = append(s.sums, sum)
	}
}

func bytesOf(s string) (tokens []quintain.Token) {
	for _, c := range []byte(s) {
		tokens = append(tokens, quintain.Token(c))
	}
	return tokens
}

// inJSON returns a value as JSON.
func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
