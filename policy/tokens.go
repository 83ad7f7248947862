package policy

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// AppendTokens appends tokens as JSON; nil is an empty list.
func AppendTokens(b []byte, tokens []quintain.Token) []byte {
	b = append(slices.Grow(b, 7*len(tokens)+2), '[')
	for i, t := range tokens {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendToken(b, t)
	}
	return append(b, ']')
}

// appendToken is [strconv.AppendInt] in half of its time: a prompt has thousands.
func appendToken(b []byte, t quintain.Token) []byte {
	switch {
	case t < 0:
		return strconv.AppendInt(b, int64(t), 10)
	case t < 10:
		return append(b, '0'+byte(t))
	case t < 100:
		return append(b, '0'+byte(t/10), '0'+byte(t%10))
	case t >= 1000:
		b = appendToken(b, t/1000)
	}
	t %= 1000
	return append(b, '0'+byte(t/100), '0'+byte(t/10%10), '0'+byte(t%10))
}

// ReadTokens appends a JSON list of tokens to list, at a fraction of the cost of
// encoding/json. On an unusual form it returns false and some of the tokens: encoding/json
// then reads it, or says why it is invalid.
func ReadTokens(list []quintain.Token, text []byte) (tokens []quintain.Token, usual bool) {
	if plain, usual := readPlain(list, text); usual {
		return plain, true
	}
	usual = strictjson.Elements(text, func(value []byte) bool {
		n, whole := strictjson.Int(value)
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
