package toolcall

import (
	"slices"
	"strings"
)

// gptOSS is OpenAI's harmony, the form of gpt-oss: the reply is several messages, each
// with a header that names its channel and perhaps a recipient. The channel analysis is
// reasoning, a message to functions.NAME is a call, all else is content. Source: the
// chat template of gpt-oss and the documentation of harmony.
var gptOSS = Format{
	name: "gpt_oss", signs: []string{"<|channel|>"},
	marks: []string{harmonyEnd, harmonyCall, harmonyReturn, harmonyStart, harmonyChannel}, // of the end of a message
	read:  func(r *reader) { r.harmony(true) },
}

const (
	harmonyStart, harmonyChannel, harmonyMessage = "<|start|>", "<|channel|>", "<|message|>"
	harmonyEnd, harmonyCall, harmonyReturn       = "<|end|>", "<|call|>", "<|return|>"
)

// harmony reads messages; without calls, those to functions are content with their headers.
func (r *reader) harmony(calls bool) {
	var thoughts []string
	for first := true; r.at < len(r.text); first = false {
		r.begun = r.at
		header, ok := "<|channel|>analysis", first && r.in.Thinking
		if !ok {
			header, ok = r.harmonyHeader(first)
		}
		if !ok {
			break
		}
		to, channel := harmonyTo(header)
		if to != "" && calls && len(r.out.Calls) >= maxCalls {
			r.fault("more than %d calls", maxCalls)
			break
		}
		end := r.harmonyBody(to != "")
		body := r.text[r.at:end]
		switch {
		case to != "" && !calls:
			r.pieces = append(r.pieces, r.text[r.begun:end])
		case to != "":
			r.arguments(strings.TrimPrefix(to, "functions."), r.at, end)
		case channel == "analysis":
			thoughts = append(thoughts, body)
		case body != "":
			r.pieces = append(r.pieces, body)
		}
		r.at = end
		if to != "" && r.cutOff() {
			r.from = r.begun
			break
		}
		r.harmonyClosed()
		r.from = r.at
	}
	r.out.Reasoning = strings.Join(thoughts, "\n")
	if rest := r.text[r.from:]; strings.TrimSpace(rest) != "" && (r.from > 0 || strings.Contains(rest, harmonyChannel)) {
		r.fault("a message without a header and %s", harmonyMessage)
	}
}

// harmonyHeader reads the header of a message. The first one has no <|start|>: the prompt
// ends with it.
func (r *reader) harmonyHeader(first bool) (header string, ok bool) {
	end := r.ends(harmonyMessage)
	if end == len(r.text) {
		return "", false
	}
	header = r.text[r.at:end]
	start := strings.TrimPrefix(header, harmonyStart)
	role, _, _ := strings.Cut(strings.TrimPrefix(start, "assistant"), "<|")
	role = trim(role)
	if role != "" && !strings.HasPrefix(role, "to=") || strings.Contains(start, harmonyStart) || start == "" && !first {
		return "", false
	}
	r.at = end + len(harmonyMessage)
	return header, true
}

// harmonyBody returns the end of a message: its mark, or, since arguments may hold one in
// a string, the end of the JSON that a mark follows.
func (r *reader) harmonyBody(call bool) (end int) {
	if begun := r.at; call {
		end, why := value(r.text, skipSpace(r.text, begun), 0)
		r.worked(end - begun)
		if after := r.text[end:]; why == "" && (after == "" || slices.ContainsFunc(r.marks, func(mark string) bool { return strings.HasPrefix(after, mark) })) {
			return end
		}
	}
	return r.ends(r.marks...)
}

// harmonyClosed moves behind the mark that ends a message, if one stands here.
func (r *reader) harmonyClosed() {
	_ = r.skip(harmonyEnd) || r.skip(harmonyCall) || r.skip(harmonyReturn)
}

// harmonyTo returns the recipient of a message, empty for the user, and its channel.
func harmonyTo(header string) (to, channel string) {
	word := func(mark string) string {
		_, after, _ := strings.Cut(header, mark)
		if end := strings.IndexAny(after, " \t\r\n<"); end >= 0 {
			after = after[:end]
		}
		return after
	}
	if to = word("to="); to == "all" {
		to = ""
	}
	return to, word(harmonyChannel)
}
