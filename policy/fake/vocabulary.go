package fake

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
)

// A vocabulary makes tokens of text and text of tokens. Many goroutines may use it at once.
type vocabulary interface {
	// alphabet is what a distribution over its tokens is made of.
	alphabet() *alphabet

	// encode returns the tokens of text, with those that a text begins and ends with if
	// special is true.
	encode(text string, special bool) ([]quintain.Token, error)

	// prompt returns the tokens of a conversation, of the body of a request.
	prompt(body []byte) ([]quintain.Token, error)

	// text is the text of a reply, without special tokens.
	text(tokens []quintain.Token) string

	// spell returns each token of a reply as it stands in its text.
	spell(tokens []quintain.Token) []spelling
}

// A spelling is a token as text. The bytes of all tokens of a reply are its text.
type spelling struct {
	name  string
	bytes []byte // none: the token is special, or ends within a character
}

// An alphabet is what a distribution needs to know of a vocabulary.
type alphabet struct {
	size    int              // tokens are below it
	end     quintain.Token   // ends a reply
	opening []quintain.Token // stand before a reply; none: no such tokens
	common  []quintain.Token // what replies are made of, 1 to mostCommon
	known   func(quintain.Token) bool
	place   map[quintain.Token]int // of common
	rare    int                    // tokens that are neither common nor the end
}

// mostCommon limits the common tokens.
const mostCommon = 256

// index completes a.
func (a *alphabet) index() {
	a.place = make(map[quintain.Token]int, len(a.common))
	for k, t := range a.common {
		a.place[t] = k
	}
	for t := range quintain.Token(a.size) {
		if a.isRare(t) {
			a.rare++
		}
	}
}

func (a *alphabet) isRare(t quintain.Token) bool {
	_, common := a.place[t]
	return !common && t != a.end && a.known(t)
}

// drawRare samples a rare token, of which there must be one. All are equally likely.
func (a *alphabet) drawRare(r *rng.Rand) quintain.Token {
	for {
		if t := quintain.Token(r.Between(0, a.size-1)); a.isRare(t) {
			return t
		}
	}
}
