package tree

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Record is what a journal keeps of a call beside its tokens, log-probabilities and versions,
// which stand after it in binary (docs/formats/sessions.md).
type Record struct {
	Parent     string        `json:"parent,omitempty"` // ID of a call
	Choice     int           `json:"choice,omitempty"` // number of the reply in its call
	Whole      string        `json:"whole,omitempty"`
	Asked      []byte        `json:"asked"`
	End        []byte        `json:"end"`
	Start      []byte        `json:"start"`
	System     []byte        `json:"system"`
	Body       []byte        `json:"body"` // digest of the request
	Instructed bool          `json:"instructed,omitempty"`
	Ignored    bool          `json:"ignored,omitempty"`
	Unforced   bool          `json:"unforced,omitempty"`
	Completed  string        `json:"completed,omitempty"`
	Continues  string        `json:"continues,omitempty"`
	Vocabulary string        `json:"vocabulary,omitempty"`
	At         time.Time     `json:"at"`
	Turn       quintain.Turn `json:"turn"` // without its columns
}

// Encode writes a node into a record of its call.
func Encode(n *Node, r Record) ([]byte, error) {
	r.Whole, r.Asked, r.End, r.Start, r.System, r.Turn, r.Instructed, r.Completed = n.Whole, n.Asked[:], n.End[:], n.Start[:], n.System[:], n.Turn, n.Instructed, n.Completed
	r.Ignored, r.Unforced, r.Continues = n.Ignored, n.Unforced, n.Continues
	if n.Parent != nil {
		r.Parent = n.Parent.ID
	}
	t := &r.Turn
	t.Read, t.Wrote, t.LogProbs, t.Versions = nil, nil, nil, nil
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(head)+16+3*len(n.Turn.Read)+9*len(n.Turn.Wrote))
	out = binary.AppendUvarint(out, uint64(len(head)))
	out = append(out, head...)
	out = appendTokens(appendTokens(out, n.Turn.Read), n.Turn.Wrote)
	out = binary.AppendUvarint(out, uint64(len(n.Turn.LogProbs)))
	for _, p := range n.Turn.LogProbs {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(p))
	}
	last := int32(0)
	for _, v := range n.Turn.Versions {
		out = binary.AppendVarint(out, int64(v)-int64(last))
		last = v
	}
	return out, nil
}

func appendTokens(out []byte, tokens []quintain.Token) []byte {
	out = binary.AppendUvarint(out, uint64(len(tokens)))
	for _, t := range tokens {
		out = binary.AppendUvarint(out, uint64(uint32(t))) //nolint:gosec // tokens are 0 or more
	}
	return out
}

// errRecord says that a record of a call is not whole.
var errRecord = errors.New("a record of a call is not whole")

// Decode reads what Encode wrote. The parent is still a name.
func Decode(data []byte) (*Node, Record, error) {
	var r Record
	c := columns{rest: data}
	head := c.bytes(c.number())
	if c.failed {
		return nil, r, errRecord
	}
	if err := strictjson.Unmarshal(head, &r); err != nil {
		return nil, r, fmt.Errorf("record of a call: %w", err)
	}
	n := &Node{Whole: r.Whole, Turn: r.Turn, At: r.At, Instructed: r.Instructed, Ignored: r.Ignored, Unforced: r.Unforced, Completed: r.Completed, Continues: r.Continues}
	if n.Turn.Call == nil {
		return nil, r, errRecord
	}
	n.ID = n.Turn.Call.ID
	for _, d := range []struct {
		from []byte
		to   *Digest
	}{{r.Asked, &n.Asked}, {r.End, &n.End}, {r.Start, &n.Start}, {r.System, &n.System}} {
		copy(d.to[:], d.from)
	}
	n.Turn.Read, n.Turn.Wrote = c.tokens(), c.tokens()
	if k := c.number(); k > 0 {
		raw := c.bytes(4 * k)
		for at := 0; at+4 <= len(raw); at += 4 {
			n.Turn.LogProbs = append(n.Turn.LogProbs, math.Float32frombits(binary.LittleEndian.Uint32(raw[at:])))
		}
	}
	last := int64(0)
	for range n.Turn.Wrote {
		last += c.signed()
		n.Turn.Versions = append(n.Turn.Versions, int32(last)) //nolint:gosec // written from int32
	}
	if k := len(n.Turn.LogProbs); c.failed || len(c.rest) > 0 || k > 0 && k != len(n.Turn.Wrote) {
		return nil, r, errRecord
	}
	return n, r, nil
}

// columns reads the binary part of a record.
type columns struct {
	rest   []byte
	failed bool
}

// number reads a number that is at most the length of the rest.
func (c *columns) number() int {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 || v > uint64(len(c.rest)) {
		c.failed = true
		return 0
	}
	c.rest = c.rest[n:]
	return int(v) //nolint:gosec // below a length
}

func (c *columns) bytes(n int) []byte {
	if n > len(c.rest) {
		c.failed = true
		return nil
	}
	out := c.rest[:n]
	c.rest = c.rest[n:]
	return out
}

func (c *columns) signed() int64 {
	v, n := binary.Varint(c.rest)
	if n <= 0 {
		c.failed = true
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

func (c *columns) tokens() []quintain.Token {
	n := c.number()
	out := make([]quintain.Token, 0, n)
	for range n {
		v, k := binary.Uvarint(c.rest)
		if k <= 0 || v > math.MaxInt32 {
			c.failed = true
			return nil
		}
		c.rest = c.rest[k:]
		out = append(out, quintain.Token(v)) //nolint:gosec // checked
	}
	return out
}
