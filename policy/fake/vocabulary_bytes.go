package fake

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
)

// byteVocabulary is the byte vocabulary of package policy. Its replies are small letters
// and spaces.
type byteVocabulary struct{ of alphabet }

func newByteVocabulary() *byteVocabulary {
	v := &byteVocabulary{alphabet{
		size: 256, end: policy.End, opening: policy.Encode("<|" + quintain.RoleAssistant + "|>"),
		common: policy.Encode(" abcdefghijklmnopqrstuvwxyz"), known: func(quintain.Token) bool { return true },
	}}
	v.of.index()
	return v
}

func (v *byteVocabulary) alphabet() *alphabet { return &v.of }

func (v *byteVocabulary) encode(text string, _ bool) ([]quintain.Token, error) {
	return policy.Encode(text), nil
}

func (v *byteVocabulary) prompt(body []byte) ([]quintain.Token, error) {
	var q struct {
		Messages []quintain.Message `json:"messages"`
	}
	if err := strictjson.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	return policy.Read(quintain.Request{Messages: q.Messages}), nil
}

func (v *byteVocabulary) text(tokens []quintain.Token) string { return policy.Decode(tokens) }

func (v *byteVocabulary) spell(tokens []quintain.Token) []spelling {
	list := make([]spelling, len(tokens))
	for i, t := range tokens {
		list[i] = spelling{policy.Decode([]quintain.Token{t}), []byte{byte(t)}}
		if t == policy.End {
			list[i] = spelling{"<|end|>", nil}
		}
	}
	return list
}
