// Package judge grades what no program can: a model reads a reply by a rubric.
//
// A [Judge] asks a policy, gets a choice for each criterion of a [Rubric], and works out a score.
// It takes votes, keeps verdicts, and stays within a budget. A call that fails and a verdict that
// nobody can read are never a score: they are an [*Ungraded]. A [RewardModel] scores replies by a
// number, [Attack] tries canaries on a judge, and a [Jury] is all judges of a run, as its file says.
package judge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Config describes a judge. Rubric, Policy and Model are required, or Rewards and Model.
type Config struct {
	Rubric *Rubric
	Policy quintain.Policy // answers; it retries what its servers fail
	Model  string          // the policy's model; part of the settings of whoever judges with it

	// Rewards, in place of Policy, asks a reward model, whose rewards are the scores. Of the rubric
	// it has nothing but the reference, which is the label. An empty reply is judged as any other:
	// nobody knows which reward is low.
	Rewards Rewards

	// Fingerprint tells builds of the model's server apart, such as system_fingerprint; empty:
	// unknown. It keeps verdicts of another build from being used.
	Fingerprint string

	Sampling quintain.Sampling // the zero value: [DefaultSampling]

	Cache *Store // verdicts given before; nil: none are kept

	Limit    int           // most bytes shown of a reply; 0: 24 KiB
	Parallel int           // calls at once; 0: 64
	Calls    int64         // most calls; 0: no limit
	Tokens   int64         // most tokens of calls, read and written; 0: no limit
	Spent    *Spent        // counts these two, of all judges that share it; nil: of this one
	Within   time.Duration // how long an ungraded reply is judged again, with pauses; 0: not again

	// LengthControl takes out of the scores of groups what the lengths of replies explain.
	LengthControl bool

	Hold *Hold // puts calls off, as servers ask for; nil: never
}

// DefaultSampling returns how judges are asked: votes differ only above temperature 0.
func DefaultSampling() quintain.Sampling {
	return quintain.Sampling{Temperature: 0.5, TopP: 0.95, MaxTokens: 4096}
}

// Defaults of a Config.
const (
	defaultLimit    = 24 << 10
	defaultParallel = 64
)

// A Judge grades replies. Many goroutines may use it at once.
type Judge struct {
	cfg    Config
	hash   string        // of the rubric
	secret []byte        // key of the codes by which a verdict is told from one that a reply has written
	slots  chan struct{} // a token for each running call
	counters
}

// New returns the judge of cfg. The error names the invalid field.
func New(cfg Config) (*Judge, error) {
	switch {
	case cfg.Rubric == nil:
		return nil, errors.New("judge: no rubric")
	case cfg.Policy == nil && cfg.Rewards == nil:
		return nil, errors.New("judge: no policy")
	case cfg.Model == "":
		return nil, errors.New("judge: model is empty, want the name of the judge's model")
	case cfg.Limit < 0, cfg.Parallel < 0, cfg.Calls < 0, cfg.Tokens < 0, cfg.Within < 0:
		return nil, errors.New("judge: a limit is below 0")
	}
	if err := cfg.Rubric.Check(); err != nil && cfg.Rewards == nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	if cfg.Sampling == (quintain.Sampling{}) {
		cfg.Sampling = DefaultSampling()
	}
	if cfg.Limit == 0 {
		cfg.Limit = defaultLimit
	}
	if cfg.Parallel == 0 {
		cfg.Parallel = defaultParallel
	}
	if cfg.Spent == nil {
		cfg.Spent = &Spent{}
	}
	return &Judge{cfg: cfg, hash: cfg.Rubric.Hash(), secret: cfg.Cache.Secret(), slots: make(chan struct{}, cfg.Parallel), counters: counters{Spent: cfg.Spent}}, nil
}

// Rubric returns the judge's rubric. The caller must not change it.
func (j *Judge) Rubric() *Rubric { return j.cfg.Rubric }

// Hash names the judge by rubric, model and sampling: it belongs into the settings of whoever is
// judged by it, so that verdicts of different judges are never mixed.
func (j *Judge) Hash() string {
	of := []any{j.hash, j.cfg.Model, j.cfg.Sampling, j.cfg.Limit}
	if j.cfg.LengthControl {
		of = append(of, "length control")
	}
	text, err := strictjson.Canonical(of)
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(text, "%v", err)))[:16]
}

// An Item is a reply to judge, with what the judge needs to know.
type Item struct {
	Key       string `json:"key"`       // names the episode; the pool of judges routes by it
	Question  string `json:"question"`  // what was asked
	Reference string `json:"reference"` // a good answer; shown if the rubric says so

	// What came of it: the rubric's View says which one the judge sees. Reasoning is never shown.
	Reply      string             `json:"reply"`
	Transcript []quintain.Message `json:"transcript"`
	Diff       string             `json:"diff"`
}

// A Verdict is what the judge found.
type Verdict struct {
	Score     float64 `json:"score"`     // 0 to 1
	Right     bool    `json:"right"`     // the best choice of every criterion
	Malformed bool    `json:"malformed"` // there was nothing to judge, and no call
	Why       string  `json:"why"`

	Choices  map[string]string `json:"choices,omitempty"` // by criterion; nil if Malformed
	Split    bool              `json:"split,omitempty"`   // votes on a criterion differed
	Invalid  int               `json:"invalid,omitempty"` // votes that were not valid, fewer than half
	Calls    int               `json:"calls"`             // to the model
	Cached   int               `json:"cached"`            // ballots that were in the cache
	Since    time.Time         `json:"since,omitzero"`    // of the oldest of these
	Reasoned string            `json:"reasoned,omitempty"`
}

// A Kind says why a reply has no verdict.
type Kind string

// The kinds of [Ungraded].
const (
	CallFailed Kind = "call failed" // the judge did not answer, after all retries
	Unreadable Kind = "unreadable"  // its answers had no verdict, also when asked again
	OverBudget Kind = "over budget" // the limit of calls or tokens is reached
)

// Ungraded says that a reply has no verdict, and therefore no reward. It may be judged later.
type Ungraded struct {
	Kind Kind
	Err  error
}

// Error names the kind and the fault.
func (u *Ungraded) Error() string {
	return fmt.Sprintf("the judge gave no verdict: %s: %v", u.Kind, u.Err)
}

// Unwrap returns [quintain.ErrUngraded] and [quintain.ErrLost], since the reply is not the cause; over the
// budget also [quintain.ErrStop]: nothing more is to be played. It hides the fault: that the judge's
// context is full, or its server slow, says nothing about the policy's episode, which would be cut,
// with the rewards so far, if it were the policy's.
func (u *Ungraded) Unwrap() []error {
	if u.Kind == OverBudget {
		return []error{quintain.ErrUngraded, quintain.ErrLost, quintain.ErrStop}
	}
	return []error{quintain.ErrUngraded, quintain.ErrLost}
}

// later reports whether the reply may get a verdict if it is judged again: not if the judge's server
// refuses the call, as for a wrong key or model.
func (u *Ungraded) later() bool {
	return u.Kind != OverBudget && (!errors.Is(u.Err, quintain.ErrFinal) || errors.Is(u.Err, quintain.ErrTimeout))
}

// Grade judges one reply by itself. The error is an [*Ungraded], or the cause of ctx.
func (j *Judge) Grade(ctx context.Context, it Item) (Verdict, error) {
	if j.cfg.Rubric.Mode != Absolute {
		return Verdict{}, fmt.Errorf("judge: mode: is %s, which compares the replies of a group; want %s to judge one by itself", j.cfg.Rubric.Mode, Absolute)
	}
	if j.cfg.Rewards != nil {
		results := make([]Result, 1)
		j.reward(ctx, []Item{it}, results)
		return results[0].Verdict, results[0].Err
	}
	text := it.shown(j.cfg.Rubric.View)
	if !speaks(text, it.Reference) {
		j.malformed.Add(1)
		return Verdict{Malformed: true, Why: "the reply is empty"}, nil
	}
	var v Verdict
	err := j.patiently(ctx, func() error {
		return j.fitting([]string{text}, func(shown []string) (err error) {
			v, err = j.grade(ctx, it, shown[0])
			return err
		})
	})
	if err != nil {
		return Verdict{}, err
	}
	j.note(v.Score, len(text))
	return v, nil
}

// leastLimit is to how many bytes a reply is cut at most if the judge's context has no room for more.
const leastLimit = 512

// fitting asks about replies, and again about less of them as long as the judge has no room: else a
// long reply would choose not to be judged.
func (j *Judge) fitting(replies []string, ask func(shown []string) error) error {
	err := ask(replies)
	for limit := j.cfg.Limit / 2; limit >= leastLimit; limit /= 2 {
		if u, ok := errors.AsType[*Ungraded](err); !ok || !errors.Is(u.Err, quintain.ErrNoRoom) {
			break
		}
		shown := make([]string, len(replies))
		for i, reply := range replies {
			shown[i] = cut(reply, limit)
		}
		err = ask(shown)
	}
	return err
}

// patiently calls try until it succeeds or Config.Within is over, with pauses that grow from a
// second to a minute. Only an [*Ungraded] that may end is tried again.
func (j *Judge) patiently(ctx context.Context, try func() error) error {
	end, again := time.Now().Add(j.cfg.Within), pause.Backoff{First: time.Second, Most: time.Minute}
	for tries := 1; ; tries++ {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		u, ok := errors.AsType[*Ungraded](err)
		if !ok || !u.later() || j.cfg.Within == 0 || !time.Now().Add(again.After(tries)).Before(end) {
			j.ungraded.Add(1)
			return err
		}
		if !pause.For(ctx, again.After(tries)) {
			return context.Cause(ctx)
		}
	}
}
