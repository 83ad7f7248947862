package groupform

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A reader decodes the fields of a group from the front of b. After the first error it
// returns zeros. It never trusts a length beyond the rest of b, or unlike the row of tokens
// to match.
type reader struct {
	b   []byte
	err error    // a *FormatError
	mem *scratch // nil: every row gets its own memory

	most, taken int  // limit of the group's memory in bytes, 0: none; and its use so far
	vast        bool // above the limit
}

func (r *reader) group() *quintain.Group {
	g := &quintain.Group{}
	g.ID = r.text("id")
	g.EnvID = r.envID()
	g.Origin.Scenario = r.text("origin.scenario")
	g.Origin.Task = r.text("origin.task")
	g.Origin.Version = r.int("origin.version")
	g.Origin.Seed = r.uint("origin.seed")
	g.Origin.Level = r.int("origin.level")
	g.Origin.Index = r.int("origin.index")

	g.Tokens = r.tokens("tokens")
	n := len(g.Tokens)
	g.Masks = r.masks(g.Tokens)
	g.Scores = r.scores(n)
	g.Versions = r.versions(g.Tokens)
	g.Episodes = r.episodes(n)
	g.Advantages = r.floats("advantages", g.Tokens, 1)
	g.RefLogProbs = r.floats("ref_logprobs", g.Tokens, -1)
	g.LogProbs = r.floats("inference_logprobs", g.Tokens, 0)

	g.Messages = r.raw("messages")
	g.Generation = r.raw("generation_params")
	g.Overrides = r.overrides(n)
	g.GroupOverrides = r.raw("group_overrides")
	g.Images = r.raw("images")
	g.DistillTokens = r.distillTokens(n)
	g.DistillLogProbs = r.distillLogProbs(n)
	if r.err == nil && len(r.b) > 0 {
		g.Origin.Worker = r.text("origin.worker")
		g.Origin.Model = r.text("origin.model")
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail("envelope", "has %d bytes after the last field", len(r.b))
	}
	return g
}

// fail records the first error and ends the reading.
func (r *reader) fail(field, format string, args ...any) {
	if r.err == nil {
		r.err = &FormatError{Field: field, Why: fmt.Sprintf(format, args...)}
	}
	r.b = nil
}

func element(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

func (r *reader) uint(field string) uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most numbers are small
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail(field, "ends within a number, or has one that is too large")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// uint32 reads a number of 32 bits.
func (r *reader) uint32(field string) uint32 {
	v := r.uint(field)
	if v > math.MaxUint32 {
		r.fail(field, "has the number %d, which is too large", v)
		return 0
	}
	return uint32(v)
}

func (r *reader) int(field string) int {
	v := r.uint(field)
	s := int64(v>>1) ^ -int64(v&1) // zigzag
	if int64(int(s)) != s {
		r.fail(field, "has the number %d, which is too large", s)
		return 0
	}
	return int(s)
}

// bytes reads n bytes.
func (r *reader) bytes(field string, n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail(field, "has %d bytes, but only %d are left", n, len(r.b))
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

// len reads the length of a slice that may be nil, with elements of at least a byte each. A
// nil slice gives -1.
func (r *reader) len(field string) int {
	n := r.uint(field)
	if r.err == nil && n > uint64(len(r.b))+1 {
		r.fail(field, "has %s, but only %d bytes are left", stats.Count(n-1, "element"), len(r.b))
	}
	if r.err != nil {
		return -1
	}
	return int(n) - 1
}

// rows reads the length of a slice with one element for each of n sequences. A nil slice
// gives -1.
func (r *reader) rows(field string, n int) int {
	got := r.len(field)
	if got >= 0 && got != n {
		r.fail(field, "has %s, want one for each of the %d sequences in tokens", stats.Count(got, "element"), n)
		return -1
	}
	return got
}

// rowLen reads the length of row i of a field. It must be want, the length of the tokens, or
// also, unless that is -1. A nil row gives -1.
func (r *reader) rowLen(field string, i, want, also int) int {
	n := r.uint(field)
	switch {
	case r.err != nil:
		return -1
	case n == 0 && want == 0:
		return -1
	case n == uint64(want)+1, n > 0 && n == uint64(also+1):
		return int(n) - 1
	}
	r.fail(element(field, i), "has another length than tokens[%d], which has %s", i, stats.Count(want, "element"))
	return -1
}

func (r *reader) text(field string) string {
	return string(r.bytes(field, r.uint(field)))
}

func (r *reader) raw(field string) json.RawMessage {
	n := r.len(field)
	if n < 0 {
		return nil
	}
	b := r.bytes(field, uint64(n))
	if r.mem != nil && b != nil {
		return b
	}
	return appendAll(json.RawMessage{}, b)
}

func (r *reader) envID() *int32 {
	switch b := r.bytes("env_id", 1); {
	case b == nil || b[0] == 0:
		return nil
	case b[0] != 1:
		r.fail("env_id", "begins with %d, want 0 or 1", b[0])
		return nil
	}
	v := r.int("env_id")
	if v != int(int32(v)) {
		r.fail("env_id", "is %d, which is too large", v)
		return nil
	}
	id := int32(v)
	return &id
}

func (r *reader) tokens(field string) [][]quintain.Token {
	n := r.len(field)
	if n < 0 {
		return nil
	}
	rows := list[[]quintain.Token](r, n)
	for i := range rows {
		m := r.len(field)
		if m < 0 {
			continue
		}
		rows[i] = r.tokenRow(field, r.tokensOf(m))
	}
	return rows
}

// tokenRow fills row with tokens.
func (r *reader) tokenRow(field string, row []quintain.Token) []quintain.Token {
	b := r.b
	for j := range row {
		// Nearly all tokens take one to three bytes.
		switch {
		case len(b) < 3:
			r.b = b
			row[j] = quintain.Token(r.uint32(field))
			b = r.b
		case b[0] < 0x80:
			row[j] = quintain.Token(b[0])
			b = b[1:]
		case b[1] < 0x80:
			row[j] = quintain.Token(b[0]&0x7f) | quintain.Token(b[1])<<7
			b = b[2:]
		case b[2] < 0x80:
			row[j] = quintain.Token(b[0]&0x7f) | quintain.Token(b[1]&0x7f)<<7 | quintain.Token(b[2])<<14
			b = b[3:]
		default:
			r.b = b
			row[j] = quintain.Token(r.uint32(field))
			b = r.b
		}
	}
	r.b = b
	return row
}

// run checks the length of a run from element at of a row of n.
func (r *reader) run(field string, length uint64, at, n int) int {
	if r.err == nil && (length == 0 || length > uint64(n-at)) {
		r.fail(field, "has a run of %d elements, but %d are left", length, n-at)
	}
	if r.err != nil {
		return n - at // ends the row
	}
	return int(length)
}

func (r *reader) masks(tokens [][]quintain.Token) [][]int32 {
	n := r.rows("masks", len(tokens))
	if n < 0 {
		return nil
	}
	rows := list[[]int32](r, n)
	if r.err != nil {
		return nil
	}
	for i, seq := range tokens {
		if m := r.rowLen("masks", i, len(seq), -1); m >= 0 {
			rows[i] = r.maskRow(element("masks", i), seq)
		}
	}
	return rows
}

func (r *reader) maskRow(field string, tokens []quintain.Token) []int32 {
	row := r.ints(len(tokens))
	for at := 0; at < len(row); {
		head := r.uint(field)
		end := at + r.run(field, head>>2, at, len(row))
		switch head & 3 {
		case maskUntrained:
			for ; at < end; at++ {
				row[at] = quintain.Untrained
			}
		case maskToken:
			for ; at < end; at++ {
				row[at] = int32(tokens[at])
			}
		case maskExplicit:
			for ; at < end; at++ {
				row[at] = int32(r.uint32(field))
			}
		default:
			r.fail(field, "has a run of the unknown kind %d", head&3)
		}
		at = end
	}
	return row
}

func (r *reader) scores(n int) []float64 {
	got := r.rows("scores", n)
	if got < 0 {
		return nil
	}
	b := r.bytes("scores", 8*uint64(got))
	scores := make([]float64, len(b)/8)
	for i := range scores {
		scores[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return scores
}

func (r *reader) versions(tokens [][]quintain.Token) [][]int32 {
	n := r.rows("versions", len(tokens))
	if n < 0 {
		return nil
	}
	rows := list[[]int32](r, n)
	if r.err != nil {
		return nil
	}
	for i, seq := range tokens {
		m := r.rowLen("versions", i, len(seq), -1)
		if m < 0 {
			continue
		}
		row, field := r.ints(m), element("versions", i)
		if r.err != nil {
			return nil
		}
		for at := 0; at < m; {
			end := at + r.run(field, r.uint(field), at, m)
			v := int32(r.uint32(field) - 1)
			for ; at < end; at++ {
				row[at] = v
			}
		}
		rows[i] = row
	}
	return rows
}

// episodes reads the number of sequences of each episode.
func (r *reader) episodes(n int) []int32 {
	const field = "episodes"
	if r.rows(field, n) < 0 {
		return nil
	}
	row := r.ints(n)
	if r.err != nil {
		return nil
	}
	for at, episode := 0, int32(0); at < n; episode++ {
		end := at + r.run(field, r.uint(field), at, n)
		for ; at < end; at++ {
			row[at] = episode
		}
	}
	return row
}

func (r *reader) overrides(n int) []json.RawMessage {
	got := r.rows("overrides", n)
	if got < 0 {
		return nil
	}
	texts := list[json.RawMessage](r, got)
	for i := range texts {
		texts[i] = r.raw("overrides")
	}
	return texts
}

func (r *reader) distillTokens(n int) [][][]quintain.Token {
	got := r.rows("distill_token_ids", n)
	if got < 0 {
		return nil
	}
	sequences := list[[][]quintain.Token](r, got)
	for i := range sequences {
		sequences[i] = r.tokens("distill_token_ids")
	}
	return sequences
}
