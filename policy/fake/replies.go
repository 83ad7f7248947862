package fake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/rng"
)

// replies are the given replies as tokens, each with its closing token, sorted. All are
// equally likely; one given twice is twice as likely.
type replies [][]quintain.Token

// maxReplies limits the bytes of a file of replies.
const maxReplies = 1 << 30

// readReplies reads a file of replies, one JSON object {"text"} per line.
func readReplies(path string, v vocabulary) (list replies, err error) {
	text, err := jsonl.ReadText(path, maxReplies)
	if err != nil {
		return nil, fmt.Errorf("replies: %w", err)
	}
	lines := json.NewDecoder(bytes.NewReader(text))
	for lines.More() {
		tokens, err := readReply(lines, v)
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

// readReply reads the next reply.
func readReply(lines *json.Decoder, v vocabulary) ([]quintain.Token, error) {
	var line struct {
		Text *string `json:"text"`
	}
	var raw json.RawMessage
	if err := lines.Decode(&raw); err != nil {
		return nil, errors.New(`it is no JSON, want a line {"text": …}`)
	}
	if err := strictjson.Unmarshal(raw, &line); err != nil {
		return nil, err
	}
	if line.Text == nil {
		return nil, errors.New("text: is missing")
	}
	return v.encode(*line.Text, false)
}

// A course is the range of replies, low to high, that begin like the sequence, which has
// depth tokens.
type course struct{ low, high, depth int }

// open reports whether some reply matches.
func (c course) open() bool { return c.low < c.high }

// begin returns the course before the first token.
func (r replies) begin() course { return course{0, len(r), 0} }

// after returns the course after c and t.
func (r replies) after(c course, t quintain.Token) course {
	if !c.open() {
		return course{}
	}
	c.low, c.high = r.with(c, t)
	c.depth++
	for c.open() && c.depth == len(r[c.low]) { // skip ended replies
		c.low++
	}
	return c
}

// with returns the range of c's replies that continue with t.
func (r replies) with(c course, t quintain.Token) (low, high int) {
	from := func(t quintain.Token) int {
		return c.low + sort.Search(c.high-c.low, func(i int) bool { return r[c.low+i][c.depth] >= t })
	}
	return from(t), from(t + 1)
}

// p returns the probability that t is next.
func (r replies) p(c course, t quintain.Token) float64 {
	low, high := r.with(c, t)
	return float64(high-low) / float64(c.high-c.low)
}

// draw samples the next token.
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
