package run_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/run"
)

// A scorer finds each token as likely as its place, and then the two after it.
type scorer struct {
	asked atomic.Int64
	fails func(n int64) error // of request n; nil: none
}

func (s *scorer) Score(_ context.Context, tokens []quintain.Token, top int) ([]policy.Score, error) {
	if n := s.asked.Add(1); s.fails != nil && s.fails(n) != nil {
		return nil, s.fails(n)
	}
	scores := make([]policy.Score, len(tokens))
	for i := 1; i < len(tokens); i++ {
		scores[i].LogProb = -float32(i)
		for k := range top {
			scores[i].Top = append(scores[i].Top, policy.Likely{Token: tokens[i] + quintain.Token(k) + 1, LogProb: -float32(k)})
		}
	}
	return scores, nil
}

func TestATeacherScoresGroups(t *testing.T) {
	t.Parallel()
	for _, top := range []int{0, 2} {
		c, seen := config(t, open(t, queue.NewMemory())), &events{}
		c.Teacher, c.Sinks = &run.Teacher{From: &scorer{}, Top: top}, []run.Sink{seen}
		if _, report := finish(t, c); report.Unscored != 0 || report.Steps != 5 {
			t.Errorf("report %+v", report)
		}
		for _, p := range of[run.Played](seen) {
			if p.Drop != "" {
				continue
			}
			for i, seq := range p.Group.Tokens {
				tokens, probs := p.Group.DistillTokens[i], p.Group.DistillLogProbs[i]
				if len(tokens) != len(seq) || len(probs) != len(seq) || len(tokens[0]) != 0 || len(probs[0]) != 0 {
					t.Fatalf("%d and %d rows for %d tokens, the first %v and %v", len(tokens), len(probs), len(seq), tokens[0], probs[0])
				}
				last := len(seq) - 1
				token, prob := seq[last], -float64(last)
				if top > 0 {
					token, prob = seq[last]+1, 0
				}
				if len(tokens[last]) != max(1, top) || len(probs[last]) != max(1, top) || tokens[last][0] != token || probs[last][0] != prob {
					t.Errorf("top %d: tokens %v, log-probabilities %v", top, tokens[last], probs[last])
				}
			}
		}
	}
}

// limited is a store that keeps no large body.
type limited struct {
	queue.Store
	most int
}

func (s limited) Put(ctx context.Context, records []queue.Record) ([]uint64, error) {
	for _, r := range records {
		if len(r.Body) > s.most {
			return nil, &groupform.TooLargeError{Bytes: len(r.Body), Limit: s.most}
		}
	}
	return s.Store.Put(ctx, records)
}

// A teacher that fails costs no group, no step and no reward: groups without its scores are
// kept and counted.
func TestATeacherThatFailsCostsNoGroup(t *testing.T) {
	t.Parallel()
	gone := errors.New("the teacher is gone")
	for _, test := range []struct {
		why   string
		from  *scorer
		store queue.Store
		says  string
		all   bool // groups are without scores
	}{
		{"it is down", &scorer{fails: func(int64) error { return gone }}, queue.NewMemory(), gone.Error(), true},
		{"it fails for one sequence", &scorer{fails: func(n int64) error {
			if n == 6 {
				return gone
			}
			return nil
		}}, queue.NewMemory(), gone.Error(), false},
		{"the scores are too large to keep", &scorer{}, limited{queue.NewMemory(), 16 << 10}, "16384", true},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			c, seen := config(t, open(t, test.store)), &events{}
			c.Teacher, c.Sinks = &run.Teacher{From: test.from, Top: 8}, []run.Sink{seen}
			_, report := finish(t, c)
			kept, without := 0, 0
			for _, p := range of[run.Played](seen) {
				if p.Drop != "" {
					continue
				}
				kept++
				if (p.Group.DistillTokens == nil) != (p.Unscored != nil) || (p.Group.DistillLogProbs == nil) != (p.Unscored != nil) {
					t.Errorf("unscored %v, with %d and %d rows", p.Unscored, len(p.Group.DistillTokens), len(p.Group.DistillLogProbs))
				}
				if p.Unscored != nil {
					without++
				}
			}
			if want := map[bool]int{true: kept, false: 1}[test.all]; without != want || report.Unscored != want || !strings.Contains(report.TeacherFault, test.says) {
				t.Errorf("%d of %d groups are without scores, want %d; report %+v", without, kept, want, report)
			}
			if report.Steps != 5 || report.Failed() != 0 {
				t.Errorf("report %+v", report)
			}
		})
	}
}

// hung is a teacher that never answers.
type hung struct{ asked chan struct{} }

func (h hung) Score(ctx context.Context, _ []quintain.Token, _ int) ([]policy.Score, error) {
	select {
	case h.asked <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func (hung) Waiting() string { return "an answer" }

// A teacher that hangs does not delay a stopped run beyond the grace.
func TestATeacherThatHangsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	c := config(t, open(t, queue.NewMemory()))
	teacher := hung{make(chan struct{}, 1)}
	c.Teacher, c.Settings.Grace = &run.Teacher{From: teacher}, time.Millisecond
	r := begin(t, c)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	<-teacher.asked
	if waits := r.Report().Waiting; waits != "teacher: an answer" {
		t.Errorf("it waits for %q", waits)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if report := r.Report(); report.GroupsMade == 0 || report.Unscored != report.GroupsMade || !strings.Contains(report.TeacherFault, "grace") {
		t.Errorf("report %+v", report)
	}
}
