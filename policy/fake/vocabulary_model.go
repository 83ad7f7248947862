package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// modelVocabulary is a model's vocabulary, with its chat template.
type modelVocabulary struct {
	tokenizer *tokenizer.Tokenizer
	template  *chattemplate.Chat
	now       time.Time // answers the template
	of        alphabet
}

// newModelVocabulary asks the template for the tokens that open and close a reply. It fails
// if no special token closes one.
func newModelVocabulary(t *tokenizer.Tokenizer, template *chattemplate.Chat, now time.Time) (*modelVocabulary, error) {
	v := &modelVocabulary{tokenizer: t, template: template, now: now}
	const mark = "quintain"
	opening, err := v.behind(mark, `{"messages":[{"role":"user","content":"`+mark+`"}],"add_generation_prompt":true}`)
	if err != nil {
		return nil, err
	}
	closing, err := v.behind(mark, `{"messages":[{"role":"user","content":"?"},{"role":"assistant","content":"`+mark+`"}],"add_generation_prompt":false}`)
	if err != nil {
		return nil, err
	}
	special := t.Special()
	at := slices.IndexFunc(closing, func(id quintain.Token) bool { return slices.Contains(special, int32(id)) })
	if at < 0 {
		return nil, errors.New("the chat template closes a reply without a special token of the tokenizer; take the template of the same model")
	}
	v.of = alphabet{size: t.Size(), end: closing[at], opening: opening, known: func(id quintain.Token) bool {
		_, known := t.Token(int32(id))
		return known
	}}
	for id := int32(0); id < int32(t.Size()) && len(v.of.common) < mostCommon; id++ {
		if isWord(t.Decode([]int32{id}, true)) {
			v.of.common = append(v.of.common, quintain.Token(id))
		}
	}
	if len(v.of.common) == 0 {
		return nil, errors.New("the tokenizer has no tokens of small letters, which replies are made of")
	}
	v.of.index()
	return v, nil
}

// behind returns the tokens that the template writes after mark at the end of a
// conversation.
func (v *modelVocabulary) behind(mark, talk string) ([]quintain.Token, error) {
	text, err := v.render([]byte(talk))
	if err != nil {
		return nil, err
	}
	at := strings.LastIndex(text, mark)
	if at < 0 {
		return nil, errors.New("the chat template leaves out the message")
	}
	return v.encode(text[at+len(mark):], false)
}

// isWord reports whether text is small letters, after an optional space.
func isWord(text string) bool {
	text = strings.TrimPrefix(text, " ")
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == ""
}

func (v *modelVocabulary) alphabet() *alphabet { return &v.of }

func (v *modelVocabulary) encode(text string, special bool) ([]quintain.Token, error) {
	ids, err := v.tokenizer.Encode(text, special)
	tokens := make([]quintain.Token, len(ids))
	for i, id := range ids {
		tokens[i] = quintain.Token(id)
	}
	return tokens, err
}

func (v *modelVocabulary) prompt(body []byte) ([]quintain.Token, error) {
	text, err := v.render(body)
	if err != nil {
		return nil, err
	}
	return v.encode(text, false)
}

// render renders the conversation of a request, with the members that servers pass on.
func (v *modelVocabulary) render(body []byte) (string, error) {
	var q map[string]json.RawMessage
	if err := strictjson.Unmarshal(body, &q); err != nil {
		return "", err
	}
	vars := map[string]json.RawMessage{"add_generation_prompt": []byte("true")}
	if more, has := q["chat_template_kwargs"]; has {
		if err := strictjson.Unmarshal(more, &vars); err != nil {
			return "", fmt.Errorf("chat_template_kwargs: %w", err)
		}
	}
	for _, name := range []string{"messages", "tools", "documents", "add_generation_prompt"} {
		if value, has := q[name]; has {
			vars[name] = value
		}
	}
	object, err := json.Marshal(vars)
	if err != nil {
		return "", err
	}
	parsed, err := chattemplate.ParseVars(object)
	if err != nil {
		return "", err
	}
	out, err := v.template.Render(parsed, chattemplate.Options{Now: v.now})
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	return out.Text, nil
}

func (v *modelVocabulary) text(tokens []quintain.Token) string {
	ids := make([]int32, len(tokens))
	for i, t := range tokens {
		ids[i] = int32(t)
	}
	return v.tokenizer.Decode(ids, true)
}

func (v *modelVocabulary) spell(tokens []quintain.Token) []spelling {
	list := make([]spelling, len(tokens))
	stream := v.tokenizer.Stream(true)
	for i, t := range tokens {
		list[i].name, _ = v.tokenizer.Token(int32(t))
		list[i].bytes = []byte(stream.Next(int32(t)))
	}
	if n := len(list); n > 0 {
		list[n-1].bytes = append(list[n-1].bytes, stream.Flush()...)
	}
	return list
}
