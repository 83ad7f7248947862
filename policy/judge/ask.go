package judge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A ballot is a valid vote on the criteria of one prompt.
type ballot struct {
	choices  []string // by criterion
	reasoned string
	calls    int       // 0: it was in the cache
	at       time.Time // when it was given
}

// retries is how often an unreadable verdict is asked for again.
const retries = 2

// bolder is the lowest temperature of asking again.
const bolder = 0.7

// vote returns vote v on a prompt: from the cache, or from the policy. The error is an
// [*Ungraded], or the cause of ctx.
func (j *Judge) vote(ctx context.Context, key string, p *prompt, v int) (b ballot, err error) {
	name := j.key(p, v)
	if b, known := j.recall(name, p); known {
		return b, nil
	}
	m := j.marks(p)
	for try := 0; try <= retries; try++ {
		var text string
		b.calls++
		text, err = j.call(ctx, quintain.Request{
			Key: fmt.Sprintf("%s#v%d.%d", key, v, try), Messages: p.messages(m), N: 1, Sampling: j.sampling(try),
		})
		if _, cut := errors.AsType[*unreadable](err); err != nil && !cut {
			return b, err
		}
		if err == nil {
			j.answers.Add(1)
			if strings.Contains(strings.ToUpper(text), m.code) {
				j.copied.Add(1)
			}
			b.choices, err = read(text, m.code, p.asked)
		}
		if err == nil {
			b.reasoned, b.at = excerpt(text), time.Now().UTC().Truncate(time.Second)
			j.keep(name, b)
			return b, nil
		}
		j.unread.Add(1)
	}
	return b, &Ungraded{Unreadable, fmt.Errorf("%w (asked %s)", err, stats.Count(b.calls, "time"))}
}

// sampling returns how to ask, for the first time or again.
func (j *Judge) sampling(try int) quintain.Sampling {
	s := j.cfg.Sampling
	if try > 0 { // another draw, which greedy sampling would not be
		s.Temperature = max(s.Temperature, bolder)
	}
	return s
}

// call asks the policy once, within the limits, and returns its answer.
func (j *Judge) call(ctx context.Context, r quintain.Request) (string, error) {
	select {
	case j.slots <- struct{}{}:
		defer func() { <-j.slots }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if err := j.cfg.Hold.wait(ctx); err != nil {
		return "", err
	}
	if err := j.spend(); err != nil {
		return "", &Ungraded{OverBudget, err}
	}
	samples, err := j.cfg.Policy.Sample(ctx, r)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err == nil && len(samples) != 1:
		err = fmt.Errorf("the policy returned %s, asked for 1", stats.Count(len(samples), "sample"))
	case err == nil && samples[0].Finish == quintain.Aborted:
		err = errors.New("the policy aborted its reply")
	}
	if err != nil {
		j.failed.Add(1)
		j.cfg.Hold.Failed(err)
		return "", &Ungraded{CallFailed, err}
	}
	j.count(&samples[0])
	if samples[0].Finish != quintain.Stop {
		return "", &unreadable{fmt.Sprintf("the judge's reply ended with %q: raise max_tokens", samples[0].Finish)}
	}
	return samples[0].Text, nil
}

// unreadable says why a reply of the judge is not looked at.
type unreadable struct{ why string }

// Error returns the reason.
func (u *unreadable) Error() string { return u.why }

// key names a vote by everything that it depends on.
func (j *Judge) key(p *prompt, v int) (key VerdictKey) {
	sum := sha256.New()
	for _, text := range append([]string{j.hash, j.cfg.Model, j.cfg.Fingerprint, fmt.Sprint(j.cfg.Sampling, v), p.begin, p.end}, p.replies...) {
		_, _ = fmt.Fprintf(sum, "%d:", len(text)) // so that no two lists of texts are written alike
		_, _ = io.WriteString(sum, text)
	}
	copy(key[:], sum.Sum(nil))
	return key
}

// recall returns the ballot of a vote in the cache.
func (j *Judge) recall(key VerdictKey, p *prompt) (b ballot, known bool) {
	if j.cfg.Cache == nil {
		return b, false
	}
	v, known := j.cfg.Cache.Get(key)
	if !known || len(v.Choices) != len(p.asked) {
		return b, false
	}
	j.cached.Add(1)
	return ballot{choices: v.Choices, reasoned: v.Reasoned, at: v.At}, true
}

// keep puts a ballot into the cache. A fault of the disk is counted: the verdict stands.
func (j *Judge) keep(key VerdictKey, b ballot) {
	if j.cfg.Cache == nil {
		return
	}
	if err := j.cfg.Cache.Put(key, StoredVerdict{Choices: b.choices, Reasoned: b.reasoned, At: b.at}); err != nil {
		j.unkept.Add(1)
	}
}

// mostReasoned limits the bytes kept of what a judge wrote.
const mostReasoned = 1000

// excerpt returns the end of what a judge wrote, for people.
func excerpt(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= mostReasoned {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return "…" + strings.ToValidUTF8(text[len(text)-mostReasoned:], "")
}
