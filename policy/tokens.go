package policy

import (
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

// AppendTokens appends tokens as JSON; nil is an empty list.
func AppendTokens(b []byte, tokens []quintain.Token) []byte {
	return jsonform.AppendList(b, tokens, func(b []byte, t quintain.Token) []byte { return strconv.AppendInt(b, int64(t), 10) })
}

// ReadTokens appends a JSON list of tokens to list, at a fraction of the cost of
// encoding/json. On an unusual form it returns false and some of the tokens: encoding/json
// then reads it, or says why it is invalid.
func ReadTokens(list []quintain.Token, text []byte) (tokens []quintain.Token, usual bool) {
	usual = jsonform.Elements(text, func(value []byte) bool {
		n, whole := jsonform.Int(value)
		list = append(list, quintain.Token(n))
		return whole && int(quintain.Token(n)) == n
	})
	return list, usual
}
