package dialect

import (
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
)

// completions is OpenAI's completions of a text.
type completions struct{ openAIModels }

func (completions) Name() string { return "completions" }

// Decode implements [Dialect].
func (completions) Decode(text []byte, limits Limits) (*Request, *Error) {
	f := readBody(text, limits)
	q := &Request{}
	q.openAI(&f)
	q.format(f.get("response_format"), "json_schema")
	q.limitTokens(&f, "max_tokens")
	if best := f.get("best_of").count(); best > q.N {
		v := f.get("best_of")
		v.refuse(CodeField, "replies are not chosen by their probability: want n")
	}
	if top := f.get("logprobs"); top.given() && string(top.text) != "false" {
		if q.LogProbs = true; !top.neutral() {
			top.refuse(CodeField, "%s", noAlternatives)
		}
	}
	if prompt := f.get("prompt"); prompt.is('[') {
		prompt.elements(func(i int, one value) {
			if i > 0 || !one.is('"') {
				prompt.want("one text")
			}
			q.Prompt = one.string()
		})
	} else if q.Prompt = prompt.string(); !prompt.given() && !f.failed() {
		prompt.want("a text")
	}
	if f.failed() {
		return nil, f.body.fault
	}
	return q, nil
}

// Encode implements [Dialect].
func (completions) Encode(_ *Request, r *Reply) []byte {
	choices := make(list, len(r.Choices))
	for k, c := range r.Choices {
		choices[k] = object{
			{"index", k}, {"text", c.Content}, {"logprobs", c.textLogProbs()}, {"finish_reason", c.textFinish()},
		}
	}
	return write(append(textHead(r), member{"choices", choices}, member{"usage", chatUsage(r.Usage)}))
}

// textHead is the beginning of a reply, or of a chunk.
func textHead(r *Reply) object {
	return object{{"id", prefixText + r.Call}, {"object", "text_completion"}, {"created", r.Created.Unix()}, {"model", r.Model}}
}

// textFinish says why the text ended.
func (c *Choice) textFinish() string {
	if c.Finish == quintain.Stop {
		return "stop"
	}
	return "length"
}

// textLogProbs writes the log-probabilities of a choice.
func (c *Choice) textLogProbs() any {
	if c.LogProbs == nil {
		return nil
	}
	var tokens, values, offsets list
	at := 0
	for _, t := range c.LogProbs {
		tokens, values, offsets = append(tokens, t.Token), append(values, t.value()), append(offsets, at)
		at += utf8.RuneCountInString(t.Token)
	}
	return object{{"tokens", tokens}, {"token_logprobs", values}, {"top_logprobs", nil}, {"text_offset", offsets}}
}

// Stream implements [Dialect].
func (completions) Stream(q *Request, head Reply) Stream { return &textStream{q: q, head: head} }

// A textStream writes a text in chunks.
type textStream struct {
	q    *Request
	head Reply
	told told
}

// event appends an event.
func (s *textStream) event(dst []byte, choices list, usage any) []byte {
	data := append(textHead(&s.head), member{"choices", choices})
	if s.q.Usage {
		data = append(data, member{"usage", usage})
	}
	return appendEvent(dst, "", data)
}

// Begin implements [Stream].
func (s *textStream) Begin() (out []byte) {
	for k := range max(s.q.N, 1) {
		out = s.text(out, k, "", nil)
	}
	return out
}

// KeepAlive implements [Stream].
func (s *textStream) KeepAlive() []byte { return []byte(keepAlive) }

// text appends an event with a part of a choice's text.
func (s *textStream) text(out []byte, k int, text string, probs any) []byte {
	return s.event(out, list{object{{"index", k}, {"text", text}, {"logprobs", probs}, {"finish_reason", nil}}}, nil)
}

// Live implements [Stream]. A completion has no reasoning.
func (s *textStream) Live(_, content string) (out []byte) {
	if more := rest(&s.told.content, content); more != "" {
		out = s.text(nil, 0, more, nil)
	}
	return out
}

// Reply implements [Stream].
func (s *textStream) Reply(r *Reply) (out []byte) {
	for k, c := range r.Choices {
		_, text := s.told.of(k, &c)
		out = s.text(out, k, text, c.textLogProbs())
	}
	return out
}

// End implements [Stream].
func (s *textStream) End(r *Reply) (out []byte) {
	for k, c := range r.Choices {
		out = s.event(out, list{object{{"index", k}, {"text", ""}, {"logprobs", nil}, {"finish_reason", c.textFinish()}}}, nil)
	}
	if s.q.Usage {
		out = s.event(out, list{}, chatUsage(r.Usage))
	}
	return append(out, chatDone...)
}

// Fail implements [Stream].
func (s *textStream) Fail(e *Error) []byte {
	return appendEvent(nil, "", object{{"error", openAIError(e)}})
}
