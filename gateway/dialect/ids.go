package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
)

// The beginnings of our ids.
const (
	prefixCall       = "call_"     // a tool call
	prefixFunction   = "fc_"       // the item of a tool call
	prefixMessage    = "msg_"      // the item of a text, and a message of Anthropic
	prefixReasoning  = "rs_"       // the item of reasoning; also its signature and its encrypted content
	prefixResponse   = "resp_"     // a reply of Responses
	prefixCompletion = "chatcmpl-" // a reply of chat completions
	prefixText       = "cmpl-"     // a reply of completions
)

// longestID bounds our ids, in bytes.
const longestID = 128

// CallID is the id of tool call i of a call's reply; i counts across its choices.
func CallID(call string, i int) string { return prefixCall + call + "_" + strconv.Itoa(i) }

// shortID is the length of an id that all templates take: those of Mistral want this one.
const shortID = 9

// ShortID is an id of nine letters and digits in the place of another: itself, or its hash.
func ShortID(id string) string {
	if len(id) == shortID && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:shortID]
}

// WithShortIDs gives messages, which are the caller's own, IDs of tool calls that all templates
// take.
func WithShortIDs(talk []quintain.Message) []quintain.Message {
	for i := range talk {
		m := &talk[i]
		if m.ToolCallID != "" {
			m.ToolCallID = ShortID(m.ToolCallID)
		}
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k := range m.ToolCalls {
			m.ToolCalls[k].ID, m.ToolCalls[k].Raw = ShortID(m.ToolCalls[k].ID), nil
		}
	}
	return talk
}

// ResponseID is the id of a call's reply in Responses.
func ResponseID(call string) string { return prefixResponse + call }

// CompletionID is the id of a call's reply in chat completions.
func CompletionID(call string) string { return prefixCompletion + call }

// Anchor returns the call that an id of ours names, and the number of the tool call; -1: it
// names none. ok is false for ids of others.
func Anchor(id string) (call string, i int, ok bool) {
	if len(id) > longestID {
		return "", 0, false
	}
	for _, prefix := range []string{
		prefixCall, prefixFunction, prefixMessage, prefixReasoning, prefixResponse, prefixCompletion, prefixText,
	} {
		rest, is := strings.CutPrefix(id, prefix)
		if !is {
			continue
		}
		call, number, numbered := strings.Cut(rest, "_")
		if numbered != (prefix == prefixCall || prefix == prefixFunction) || !isToken(call) {
			return "", 0, false
		}
		if !numbered {
			return call, -1, true
		}
		i, err := strconv.Atoi(number)
		return call, i, err == nil && strconv.Itoa(i) == number && i >= 0
	}
	return "", 0, false
}

// FindCall returns the first id of a tool call of ours within a text: some agents write their
// history anew, with the ids in it. Empty: there is none.
func FindCall(text string) string {
	for {
		at := strings.Index(text, prefixCall)
		if at < 0 {
			return ""
		}
		text = text[at:]
		end := len(prefixCall)
		for end < min(len(text), longestID) && (isAlphanumeric(text[end]) || text[end] == '_') {
			end++
		}
		if _, _, ok := Anchor(text[:end]); ok {
			return text[:end]
		}
		text = text[len(prefixCall):]
	}
}

// isToken reports whether text can be the id of a call.
func isToken(text string) bool {
	for i := range len(text) {
		if !isAlphanumeric(text[i]) {
			return false
		}
	}
	return text != ""
}

func isAlphanumeric(c byte) bool { return c-'0' <= 9 || c|0x20-'a' < 26 }
