package policy

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

// AppendTokens appends tokens as JSON; nil is an empty list.
func AppendTokens(b []byte, tokens []quintain.Token) []byte {
	b = append(b, '[')
	for i, t := range tokens {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(t), 10)
	}
	return append(b, ']')
}

// ReadTokens appends a JSON list of tokens to list, at a fraction of the cost of
// encoding/json. On an unusual form it returns false and some of the tokens: encoding/json
// then reads it, or says why it is invalid.
func ReadTokens(list []quintain.Token, text []byte) (tokens []quintain.Token, usual bool) {
	if plain, usual := readPlain(list, text); usual {
		return plain, true
	}
	usual = jsonform.Elements(text, func(value []byte) bool {
		n, whole := jsonform.Int(value)
		list = append(list, quintain.Token(n))
		return whole && int(quintain.Token(n)) == n
	})
	return list, usual
}

// readPlain is [ReadTokens] for a list of at least one token, without spaces and signs.
func readPlain(list []quintain.Token, text []byte) ([]quintain.Token, bool) {
	if len(text) < len("[0]") || text[0] != '[' || text[len(text)-1] != ']' {
		return nil, false
	}
	list = slices.Grow(list, bytes.Count(text, []byte{','})+1)
	for i := 1; ; i++ {
		n, from := 0, i
		for ; text[i]-'0' <= 9; i++ {
			n = 10*n + int(text[i]-'0')
		}
		if digits := i - from; digits == 0 || digits > 9 || digits > 1 && text[from] == '0' {
			return nil, false
		}
		list = append(list, quintain.Token(n))
		switch {
		case i == len(text)-1:
			return list, true
		case text[i] != ',':
			return nil, false
		}
	}
}
