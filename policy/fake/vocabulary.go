package fake

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
)

// A vocabulary turns text into tokens and tokens into text. Many goroutines may use it at
// once.
type vocabulary interface {
	// alphabet describes the vocabulary to a distribution.
	alphabet() *alphabet

	// encode returns the tokens of text; if special, with those that open and close a text.
	encode(text string, special bool) ([]quintain.Token, error)

	// prompt returns the tokens of the conversation in a request's body.
	prompt(body []byte) ([]quintain.Token, error)

	// text returns the text of a reply, without special tokens.
	text(tokens []quintain.Token) string

	// spell returns the spelling of each token in a reply.
	spell(tokens []quintain.Token) []spelling
}

// A spelling is a token as text. The bytes of all tokens of a reply spell its text.
type spelling struct {
	name  string
	bytes []byte // none: a special token, or one that ends within a character
}

// An alphabet describes a vocabulary to a distribution.
type alphabet struct {
	size    int              // tokens are below it
	end     quintain.Token   // closes a reply
	opening []quintain.Token // before a reply; may be empty
	common  []quintain.Token // tokens of replies, 1 to mostCommon
	known   func(quintain.Token) bool
	place   map[quintain.Token]int // index in common
	rare    int                    // tokens that are neither common nor the end
}

// mostCommon limits the common tokens.
const mostCommon = 256

// index fills in the derived fields of a.
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

// drawRare samples a rare token; all are equally likely. There must be one.
func (a *alphabet) drawRare(r *rng.Rand) quintain.Token {
	for {
		if t := quintain.Token(r.Between(0, a.size-1)); a.isRare(t) {
			return t
		}
	}
}
