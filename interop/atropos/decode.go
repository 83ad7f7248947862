package atropos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A Reader reads scored groups from one request after another into the same memory. Only
// one goroutine may use it at a time. The zero value is ready to use.
type Reader struct {
	Limits Limits
	mem    memory
}

// Limits bounds a request; 0: no limit. Reserve is called with a number of bytes before
// they are taken; its error becomes the reader's.
type Limits struct {
	Groups    int
	Sequences int // per group
	Tokens    int // per sequence
	Reserve   func(bytes int) error
}

// Forget frees the groups, and returns the bytes of memory that the reader keeps for the
// next request.
func (r *Reader) Forget() int {
	r.Limits.Reserve = nil
	return r.mem.reset()
}

// Group reads one group, like [DecodeGroup]. The group shares memory with the reader and
// with data, so the next call and any change of data overwrite it.
func (r *Reader) Group(data []byte) (*quintain.Group, error) {
	return read(r, data, (*scanner).group)
}

// Groups reads an array of groups, like [Reader.Group].
func (r *Reader) Groups(data []byte) ([]*quintain.Group, error) {
	return read(r, data, readGroups)
}

// read reads data into the memory of r.
func read[T any](r *Reader, data []byte, one func(*scanner) (T, *Error)) (v T, err error) {
	r.mem.reset()
	r.mem.reserve = r.Limits.Reserve
	v, f := document(data, &r.mem, func(s *scanner) (T, *Error) {
		s.limits = r.Limits
		return one(s)
	})
	switch {
	case r.mem.fault != nil:
		return v, r.mem.fault
	case f != nil:
		return v, f
	}
	return v, nil
}

// DecodeGroup reads one scored group. It ignores fields unknown to the API, except id, a
// string that names the group. An empty optional list means the same as null: absent. The
// group shares no memory with data. It passes its own Check, except that its advantages may
// have lengths that do not match the tokens: see [DropUnfit]. An error is an [*Error].
func DecodeGroup(data []byte) (*quintain.Group, error) {
	g, f := document(data, nil, (*scanner).group)
	if f != nil {
		return nil, f
	}
	return g, nil
}

// readGroups reads an array of groups.
func readGroups(s *scanner) ([]*quintain.Group, *Error) {
	return list(s, shape[*quintain.Group]{most: s.limits.Groups}, s.group)
}

// document reads data, which must be a single value; mem may be nil.
func document[T any](data []byte, mem *memory, read func(*scanner) (T, *Error)) (T, *Error) {
	var none T
	s, f := newScanner(data)
	if f != nil {
		return none, f
	}
	s.mem = mem
	v, f := read(s)
	if f == nil {
		f = s.end()
	}
	if f != nil {
		if !utf8.Valid(data) {
			f = notUnicode()
		}
		return none, f
	}
	return v, nil
}

// The fields that every group must have.
const (
	hasTokens = 1 << iota
	hasMasks
	hasScores
)

// group reads one group.
func (s *scanner) group() (*quintain.Group, *Error) {
	if s.peek() != '{' {
		return nil, s.wrong("model_attributes_type", "Input should be a valid dictionary or object to extract fields from")
	}
	g, has := &quintain.Group{}, 0
	if f := s.object(func(key []byte) *Error { return s.field(g, &has, key) }); f != nil {
		return nil, f
	}
	for i, name := range []string{"tokens", "masks", "scores"} {
		if has&(1<<i) == 0 {
			return nil, &Error{Type: TypeMissing, Loc: []any{name}, Msg: "Field required"}
		}
	}
	if len(g.Tokens) == 0 {
		return nil, &Error{Type: TypeValue, Loc: []any{"tokens"}, Msg: "List should have at least one sequence"}
	}
	fit := *g
	if unfit(g) != nil {
		fit.Advantages = nil
	}
	if err := fit.Check(); err != nil {
		return nil, checked(err)
	}
	return g, nil
}

// DropUnfit removes the advantages of g if their lengths do not match the tokens, so that
// nobody knows where they belong, and returns an error with the mismatch. The original
// passes such advantages on, and its own tests send them. A group without advantages is
// trained on by its scores.
func DropUnfit(g *quintain.Group) error {
	f := unfit(g)
	if f == nil {
		return nil
	}
	g.Advantages = nil
	return f
}

// unfit reports the first mismatched length of the advantages.
func unfit(g *quintain.Group) *Error {
	if g.Advantages != nil && len(g.Advantages) != len(g.Tokens) {
		return &Error{Type: TypeValue, Loc: []any{"advantages"},
			Msg: fmt.Sprintf("has %s, want one for each of the %d sequences in tokens", stats.Count(len(g.Advantages), "element"), len(g.Tokens))}
	}
	for i, row := range g.Advantages {
		if n := len(g.Tokens[i]); len(row) != n && len(row) != 1 {
			return &Error{Type: TypeValue, Loc: []any{"advantages", i},
				Msg: fmt.Sprintf("has %s, but tokens[%d] has %d", stats.Count(len(row), "element"), i, n)}
		}
	}
	return nil
}

// field reads the value of one field of g. If a field occurs twice, the last value counts.
func (s *scanner) field(g *quintain.Group, has *int, key []byte) (f *Error) {
	switch string(key) {
	case "tokens":
		*has |= hasTokens
		g.Tokens, f = tokenRows(s)
	case "masks":
		*has |= hasMasks
		g.Masks, f = s.masks(g)
	case "scores":
		*has |= hasScores
		g.Scores, f = floats(s, max(minRowRoom, len(g.Tokens)))
	case "advantages":
		g.Advantages, f = optional(s, func() ([][]float64, *Error) { return rows(s, g, s.mem.floatLists(), floats) })
	case "ref_logprobs":
		g.RefLogProbs, f = optional(s, func() ([][]float64, *Error) { return rows(s, g, s.mem.floatLists(), floats) })
	case "inference_logprobs":
		g.LogProbs, f = optional(s, func() ([][]float64, *Error) { return rows(s, g, s.mem.floatLists(), floats) })
	case "distill_token_ids":
		g.DistillTokens, f = optional(s, func() ([][][]quintain.Token, *Error) {
			return cubes(s, s.mem.tokenLists(), func(s *scanner, room int) ([]quintain.Token, *Error) { return ints(s, s.mem.tokenArena(), room) })
		})
	case "distill_logprobs":
		g.DistillLogProbs, f = optional(s, func() ([][][]float64, *Error) { return cubes(s, s.mem.floatLists(), floats) })
	case "overrides":
		g.Overrides, f = optional(s, func() ([]json.RawMessage, *Error) {
			return list(s, shape[json.RawMessage]{spine: s.mem.recordLists(), most: s.limits.Sequences}, s.record)
		})
	case "messages":
		g.Messages, f = s.free(func() (json.RawMessage, *Error) { return conversations(s) })
	case "generation_params":
		g.Generation, f = s.free(s.record)
	case "group_overrides":
		g.GroupOverrides, f = s.free(s.record)
	case "images":
		g.Images, f = s.free(s.raw)
	case "env_id":
		g.EnvID, f = s.envID()
	case "id":
		g.ID, f = s.id()
	default:
		f = s.skip(2)
	}
	return f
}

// tokenRows reads the tokens. It expects sequences of similar length.
func tokenRows(s *scanner) ([][]quintain.Token, *Error) {
	room := minRowRoom
	s.texts = s.texts[:0]
	return list(s, shape[[]quintain.Token]{s.mem.tokenLists(), 8, s.limits.Sequences}, func() ([]quintain.Token, *Error) {
		start := s.at + 1
		row, f := ints(s, s.mem.tokenArena(), room)
		if f == nil {
			s.texts = append(s.texts, s.data[start:s.at-1])
		}
		room = len(row) + len(row)/16
		return row, f
	})
}

// masks reads the masks of g. It is faster once the tokens have been read.
func (s *scanner) masks(g *quintain.Group) ([][]int32, *Error) {
	i := -1
	return rows(s, g, s.mem.intLists(), func(s *scanner, room int) ([]int32, *Error) {
		if i++; i >= len(s.texts) || i >= len(g.Tokens) {
			return ints(s, s.mem.intArena(), room)
		}
		if row, ok := s.maskRow(g.Tokens[i], s.texts[i]); ok {
			return row, nil
		}
		return ints(s, s.mem.intArena(), room)
	})
}

// maskRow reads the masks of a sequence in the most common form: some -100, then the same
// numbers as in tokens, up to the end. text is the JSON of tokens. For any other form, it
// reads nothing and returns false.
func (s *scanner) maskRow(tokens []quintain.Token, text []byte) ([]int32, bool) {
	rest, ok := bytes.CutPrefix(s.data[s.at:], []byte("["))
	length := bytes.IndexByte(rest, ']')
	if !ok || length < 0 {
		return nil, false
	}
	rest = rest[:length]
	arena := s.mem.intArena()
	row := arena.begin(len(tokens))
	if cap(row) < len(tokens) { // the memory was refused
		return nil, false
	}
	for bytes.HasPrefix(rest, []byte("-100,")) && len(row) < len(tokens) {
		rest = bytes.TrimPrefix(rest[len("-100,"):], []byte(" "))
		row = append(row, quintain.Untrained)
	}
	at := len(text) - len(rest)
	// A number must begin there, and not inside a string.
	begins := at == 0 || at > 0 && (text[at-1] == ' ' || text[at-1] == ',')
	if len(rest) == 0 || !begins || !bytes.HasSuffix(text, rest) || bytes.IndexByte(rest, '"') >= 0 {
		return nil, false
	}
	trained := bytes.Count(rest, []byte(",")) + 1
	if len(row)+trained > cap(row) {
		return nil, false
	}
	for _, t := range tokens[len(tokens)-trained:] {
		row = append(row, int32(t))
	}
	s.at += length + 2
	return arena.end(row), true
}

// rows reads a row for each sequence of g. Once the tokens have been read, it expects rows
// of their lengths.
func rows[T any](s *scanner, g *quintain.Group, spine *arena[[]T], one func(*scanner, int) ([]T, *Error)) ([][]T, *Error) {
	i, room := 0, minRowRoom
	return list(s, shape[[]T]{spine, len(g.Tokens), s.limits.Sequences}, func() ([]T, *Error) {
		if i < len(g.Tokens) {
			room = len(g.Tokens[i])
		}
		row, f := one(s, room)
		i, room = i+1, len(row)
		return row, f
	})
}

// cubes reads arrays of arrays of rows, which mostly have equal lengths.
func cubes[T any](s *scanner, spine *arena[[]T], one func(*scanner, int) ([]T, *Error)) ([][][]T, *Error) {
	long, wide := 0, 0
	return list(s, shape[[][]T]{most: s.limits.Sequences}, func() ([][]T, *Error) {
		rows, f := list(s, shape[[]T]{spine, long, s.limits.Tokens}, func() ([]T, *Error) {
			row, f := one(s, wide)
			wide = len(row)
			return row, f
		})
		long = len(rows)
		return rows, f
	})
}

// optional reads a list that may be null. An empty list gives nil too.
func optional[T any](s *scanner, read func() ([]T, *Error)) ([]T, *Error) {
	if s.word("null") {
		return nil, nil
	}
	all, f := read()
	if f != nil || len(all) == 0 {
		return nil, f
	}
	return all, nil
}

// free reads a free-form value that may be null.
func (s *scanner) free(read func() (json.RawMessage, *Error)) (json.RawMessage, *Error) {
	if s.word("null") {
		return nil, nil
	}
	return read()
}

// record reads an object with any content.
func (s *scanner) record() (json.RawMessage, *Error) {
	if s.peek() != '{' {
		return nil, s.wrong(TypeObject, "Input should be a valid dictionary")
	}
	return s.raw()
}

// conversations reads messages: an array of arrays of objects, each with a role and a
// content.
func conversations(s *scanner) (json.RawMessage, *Error) {
	start := s.at
	_, f := list(s, shape[struct{}]{}, func() (struct{}, *Error) {
		_, f := list(s, shape[struct{}]{}, func() (struct{}, *Error) { return message(s) })
		return struct{}{}, f
	})
	if f != nil {
		return nil, f
	}
	return s.keep(s.data[start:s.at]), nil
}

func message(s *scanner) (none struct{}, f *Error) {
	role, content := false, false
	f = s.object(func(key []byte) *Error {
		role = role || string(key) == "role"
		content = content || string(key) == "content"
		return s.skip(5)
	})
	switch {
	case f != nil:
		return none, f
	case !role:
		return none, &Error{Type: TypeMissing, Loc: []any{"role"}, Msg: "Field required"}
	case !content:
		return none, &Error{Type: TypeMissing, Loc: []any{"content"}, Msg: "Field required"}
	}
	return none, nil
}

func (s *scanner) envID() (*int32, *Error) {
	if s.word("null") {
		return nil, nil
	}
	v, f := s.int(math.MinInt32, math.MaxInt32)
	if f != nil {
		return nil, f
	}
	id := int32(v)
	return &id, nil
}

// id reads the ID of a group. It ignores a value that is not a string, like the original.
func (s *scanner) id() (string, *Error) {
	if s.peek() != '"' {
		return "", s.skip(2)
	}
	text, f := s.text()
	if f != nil {
		return "", f
	}
	if !ValidID(string(text)) {
		return "", &Error{Type: TypeValue, Msg: "Input should have at most 256 bytes, none of them a control character"}
	}
	return string(text), nil
}

// CheckFree returns an [*Error] for the first free-form field of g that [DecodeGroup] would
// refuse. It is for groups that came in another format.
func CheckFree(g *quintain.Group) error {
	object, value := (*scanner).record, (*scanner).raw
	for _, one := range []struct {
		name string
		text json.RawMessage
		read func(*scanner) (json.RawMessage, *Error)
	}{
		{"messages", g.Messages, conversations},
		{"generation_params", g.Generation, object},
		{"group_overrides", g.GroupOverrides, object},
		{"images", g.Images, value},
	} {
		if one.text == nil {
			continue
		}
		if _, f := document(one.text, &memory{}, one.read); f != nil {
			return f.in(one.name)
		}
	}
	for i, text := range g.Overrides {
		if _, f := document(text, &memory{}, object); f != nil {
			return f.in(i).in("overrides")
		}
	}
	if !ValidID(g.ID) {
		return &Error{Type: TypeValue, Loc: []any{"id"}, Msg: "Input should have at most 256 bytes, none of them a control character"}
	}
	return nil
}

// ValidID reports whether a client may give a group this ID; an empty ID means none.
func ValidID(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] == 0x7f {
			return false
		}
	}
	return len(id) <= maxID
}
