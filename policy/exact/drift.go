package exact

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
)

// A Drift compares the tokens so far with the chat template, which renders the whole
// conversation anew for each reply.
type Drift string

// The drifts.
const (
	Clean     Drift = "clean"     // the template's text continues the tokens' text
	Realigned Drift = "realigned" // the same, but the template closes an unfinished last reply, or trims it: the tokens stay
	Forked    Drift = "forked"    // the template rewrote earlier messages: the conversation begins anew
)

// A reply is the text of sampled tokens.
type reply struct {
	text string // with special tokens within it
	end  string // its closing special token; "": none
}

// follow compares full, the template's text of the whole conversation, with before, the
// template's text up to the reply, and the reply. It returns the new text in full. closes
// reports whether a text begins with a special token.
func (r reply) follow(before, full string, closes func(string) bool) (rest string, d Drift) {
	if rest, same := strings.CutPrefix(full, before+r.text+r.end); same {
		if r.end == "" {
			return rest, Realigned
		}
		return rest, Clean
	}
	rest, same := strings.CutPrefix(full, strings.TrimRightFunc(before, unicode.IsSpace))
	if !same {
		return "", Forked
	}
	rest, same = strings.CutPrefix(strings.TrimLeftFunc(rest, unicode.IsSpace), strings.TrimSpace(r.text))
	if !same {
		return "", Forked
	}
	rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
	if after, same := strings.CutPrefix(rest, r.end); same && r.end != "" {
		return after, Realigned
	}
	if closes(rest) {
		return rest, Realigned
	}
	return "", Forked
}

// difference says where the template's text leaves the conversation so far.
func difference(soFar, full string) string {
	at := 0
	for at < min(len(soFar), len(full)) && soFar[at] == full[at] {
		at++
	}
	return fmt.Sprintf("it has %q instead of %q", excerpt(full, at), excerpt(soFar, at))
}

// excerpt returns a bit of text from just before at.
func excerpt(text string, at int) string {
	const before, after = 20, 40
	return strings.ToValidUTF8(text[max(0, at-before):min(at+after, len(text))], "")
}

// OnDrift says how to go on when the chat template rewrote the conversation.
type OnDrift string

// The ways to go on.
const (
	Fork OnDrift = "fork" // sample from the rewritten conversation: the episode gives another training sequence
	Drop OnDrift = "drop" // end the episode with a [DriftError], without a reward
	Fail OnDrift = "fail" // the same, and stop the run
)

// Settings configure a policy.
type Settings struct {
	OnDrift OnDrift

	// NewTokensPerChunk limits the tokens of one request. Another request continues a
	// longer reply, with new weights or on another server of a pool, even if no server
	// interrupts it. 0: no limit.
	NewTokensPerChunk int
}

// Defaults returns the default settings.
func Defaults() Settings { return Settings{OnDrift: Fork} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text((*string)(&s.OnDrift), "on_drift", "when the chat template rewrites earlier messages: "+
		"fork goes on from the rewritten conversation, drop ends the episode, fail stops the run").OneOf(string(Fork), string(Drop), string(Fail))
	d.Int(&s.NewTokensPerChunk, "new_tokens_per_chunk", "most tokens per request; another request continues a longer reply, with the newest weights; 0: no limit").AtLeast(0)
}

// A DriftError says that the chat template rewrote earlier messages and that the settings
// forbid a fork. It is a [quintain.ErrFinal]: played again, the episode would end likewise.
// With Fail it is also a [quintain.ErrStop].
type DriftError struct {
	OnDrift OnDrift // Drop or Fail
	Key     string  // of the request
	Why     string  // where the template leaves the conversation so far
}

// Error names the episode, the place and the remedy.
func (e *DriftError) Error() string {
	return fmt.Sprintf("%s: the chat template rewrote earlier messages: %s; use a template that keeps them, or on_drift: fork", e.Key, e.Why)
}

// Is reports whether target is [quintain.ErrFinal] or, with Fail, [quintain.ErrStop].
func (e *DriftError) Is(target error) bool {
	return target == quintain.ErrFinal || target == quintain.ErrStop && e.OnDrift == Fail
}
