package fake

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/task/rng"
)

// replies are those to give, as tokens with the one that ends a reply, in order. Each is as
// likely as any other; one that is there twice is twice as likely.
type replies [][]quintain.Token

// readReplies reads a file of replies, a JSON object {"text"} a line.
func readReplies(path string, v vocabulary) (list replies, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("replies: %w", err)
	}
	lines := jsonform.NewDecoder(text)
	for lines.More() {
		var line struct {
			Text *string `json:"text"`
		}
		err := lines.Decode(&line)
		if err == nil && line.Text == nil {
			err = errors.New("text: is missing")
		}
		var tokens []quintain.Token
		if err == nil {
			tokens, err = v.encode(*line.Text, false)
		}
		if err != nil {
			return nil, fmt.Errorf("replies: %s: reply %d: %w", path, len(list)+1, err)
		}
		list = append(list, append(tokens, v.alphabet().end))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf(`replies: %s has none, want lines of {"text": …}`, path)
	}
	slices.SortFunc(list, slices.Compare)
	return list, nil
}

// A course is which replies have begun as the sequence does: those from low up to high, with
// depth tokens.
type course struct{ low, high, depth int }

// open reports whether a reply goes on.
func (c course) open() bool { return c.low < c.high }

// begin is the course before the first token.
func (r replies) begin() course { return course{0, len(r), 0} }

// after is the course that follows c by t.
func (r replies) after(c course, t quintain.Token) course {
	if !c.open() {
		return course{}
	}
	c.low, c.high = r.with(c, t)
	c.depth++
	for c.open() && c.depth == len(r[c.low]) { // it has ended
		c.low++
	}
	return c
}

// with returns the replies of c whose next token is t.
func (r replies) with(c course, t quintain.Token) (low, high int) {
	from := func(t quintain.Token) int {
		return c.low + sort.Search(c.high-c.low, func(i int) bool { return r[c.low+i][c.depth] >= t })
	}
	return from(t), from(t + 1)
}

// p is the probability that t is next.
func (r replies) p(c course, t quintain.Token) float64 {
	low, high := r.with(c, t)
	return float64(high-low) / float64(c.high-c.low)
}

// draw returns a next token.
func (r replies) draw(random *rng.Rand, c course) quintain.Token {
	return r[random.Between(c.low, c.high-1)][c.depth]
}

// next returns all next tokens.
func (r replies) next(c course) (list []quintain.Token) {
	for i := c.low; i < c.high; {
		t := r[i][c.depth]
		list = append(list, t)
		_, i = r.with(c, t)
	}
	return list
}
