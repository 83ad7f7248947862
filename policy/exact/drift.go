package exact

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/settings"
)

// A Drift says how the chat template, which renders the whole conversation anew for each
// reply, relates to the tokens so far.
type Drift string

// The drifts.
const (
	Clean     Drift = "clean"     // the template's text continues that of the tokens
	Realigned Drift = "realigned" // the same, but the template closes the last reply, which did not end itself, or trims it: the tokens stay
	Forked    Drift = "forked"    // the template rewrote what came before: the conversation begins anew
)

// A reply is the text of what was sampled.
type reply struct {
	text string // with special tokens within it
	end  string // of the special token that ends it; "": it has none
}

// follow compares full, the template's text of the whole conversation, with before, that
// of the conversation before the reply, and the reply. It returns what full adds to them.
// Closes reports whether a text begins with a special token.
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

// difference says where the text of the template leaves that of the conversation so far.
func difference(soFar, full string) string {
	at := 0
	for at < min(len(soFar), len(full)) && soFar[at] == full[at] {
		at++
	}
	return fmt.Sprintf("it has %q in place of %q", excerpt(full, at), excerpt(soFar, at))
}

// excerpt is a little of text, from just before a place.
func excerpt(text string, at int) string {
	const before, after = 20, 40
	return strings.ToValidUTF8(text[max(0, at-before):min(at+after, len(text))], "")
}

// OnDrift says what becomes of a reply to a conversation that the chat template rewrote.
type OnDrift string

// What becomes of it.
const (
	Fork OnDrift = "fork" // it is sampled, as a fork: the episode gives another training sequence
	Drop OnDrift = "drop" // it is not: a [DriftError] ends the episode, without a reward
	Fail OnDrift = "fail" // nor are others: the same, and who plays stops
)

// Settings say what a policy does.
type Settings struct {
	OnDrift OnDrift

	// NewTokensPerChunk is the largest number of tokens of a request to the server. A longer
	// reply is continued by another: so it gets new weights, or another server of a pool,
	// although the server interrupts nothing. 0: no limit.
	NewTokensPerChunk int
}

// Defaults returns the default settings.
func Defaults() Settings { return Settings{OnDrift: Fork} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text((*string)(&s.OnDrift), "on_drift", "what becomes of an episode if the chat template rewrites what came before: "+
		"fork goes on with the rewritten conversation, drop ends the episode, fail the run").OneOf(string(Fork), string(Drop), string(Fail))
	d.Int(&s.NewTokensPerChunk, "new_tokens_per_chunk", "tokens that one request samples; a longer reply goes on with another request, and with newer weights if there are any; 0: no limit").AtLeast(0)
}

// A DriftError says that the chat template rewrote what came before, and that the settings
// do not let the conversation begin anew. It is a [quintain.ErrFinal]: played again, the
// episode would end likewise. With Fail it is also a [quintain.ErrStop].
type DriftError struct {
	OnDrift OnDrift // Drop or Fail
	Key     string  // of the request
	Why     string  // where the template leaves the conversation so far
}

// Error names the episode, the place and the remedy.
func (e *DriftError) Error() string {
	return fmt.Sprintf("%s: the chat template rewrote what came before: %s; use a template that keeps it, or on_drift: fork", e.Key, e.Why)
}

// Is reports whether target is [quintain.ErrFinal], or [quintain.ErrStop] and OnDrift Fail.
func (e *DriftError) Is(target error) bool {
	return target == quintain.ErrFinal || target == quintain.ErrStop && e.OnDrift == Fail
}
