package groupform

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/quintain-rl/quintain"
)

// The kinds of runs of masks.
const (
	maskUntrained = iota // every mask is quintain.Untrained
	maskToken            // every mask is the token itself
	maskExplicit         // the values follow
)

// A writer encodes the fields of a group into b. It writes the length of a slice that may be
// nil plus one; 0 stands for nil.
type writer struct {
	b      []byte
	values []float64 // scratch
}

func (w *writer) group(g *quintain.Group) {
	w.text(g.ID)
	w.envID(g.EnvID)
	w.text(g.Origin.Scenario)
	w.text(g.Origin.Task)
	w.signed(int64(g.Origin.Version))
	w.uint(g.Origin.Seed)
	w.signed(int64(g.Origin.Level))
	w.signed(int64(g.Origin.Index))

	w.tokens(g.Tokens)
	w.masks(g.Masks, g.Tokens)
	w.scores(g.Scores)
	w.versions(g.Versions)
	w.episodes(g.Episodes)
	w.floats(g.Advantages)
	w.floats(g.RefLogProbs)
	w.floats(g.LogProbs)

	w.raw(g.Messages)
	w.raw(g.Generation)
	w.overrides(g.Overrides)
	w.raw(g.GroupOverrides)
	w.raw(g.Images)
	w.distillTokens(g.DistillTokens)
	w.distillLogProbs(g.DistillLogProbs)
	if g.Origin.Worker != "" || g.Origin.Model != "" {
		w.text(g.Origin.Worker)
		w.text(g.Origin.Model)
	}
}

func (w *writer) uint(v uint64) {
	if cap(w.b)-len(w.b) < binary.MaxVarintLen64 {
		w.b = grow(w.b, binary.MaxVarintLen64)
	}
	w.b = binary.AppendUvarint(w.b, v)
}

func (w *writer) signed(v int64) { w.b = binary.AppendVarint(w.b, v) }

// len writes the length of a slice that may be nil.
func (w *writer) len(n int, isNil bool) {
	if isNil {
		w.uint(0)
		return
	}
	w.uint(uint64(n) + 1)
}

func (w *writer) text(s string) {
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) raw(v json.RawMessage) {
	w.len(len(v), v == nil)
	w.b = appendAll(grow(w.b, len(v)+binary.MaxVarintLen64), v)
}

func (w *writer) envID(id *int32) {
	if id == nil {
		w.b = append(w.b, 0)
		return
	}
	w.b = append(w.b, 1)
	w.signed(int64(*id))
}

func (w *writer) tokenRow(row []quintain.Token) {
	w.len(len(row), row == nil)
	w.b = grow(w.b, 5*len(row))
	at, b := len(w.b), w.b[:cap(w.b)]
	for _, t := range row {
		v := uint32(t)
		for ; v >= 0x80; v >>= 7 {
			b[at] = byte(v) | 0x80
			at++
		}
		b[at] = byte(v)
		at++
	}
	w.b = b[:at]
}

func (w *writer) tokens(rows [][]quintain.Token) {
	w.len(len(rows), rows == nil)
	for _, row := range rows {
		w.tokenRow(row)
	}
}

// masks writes runs; mask i of a row is relative to token i of that row.
func (w *writer) masks(rows [][]int32, tokens [][]quintain.Token) {
	w.len(len(rows), rows == nil)
	for i, row := range rows {
		w.len(len(row), row == nil)
		for start := 0; start < len(row); {
			kind := maskKind(row[start], tokens[i][start])
			end := start + 1
			for end < len(row) && maskKind(row[end], tokens[i][end]) == kind {
				end++
			}
			w.uint(uint64(end-start)<<2 | uint64(kind))
			for j := start; kind == maskExplicit && j < end; j++ {
				w.uint(uint64(uint32(row[j])))
			}
			start = end
		}
	}
}

func maskKind(mask int32, token quintain.Token) int {
	switch mask {
	case quintain.Untrained:
		return maskUntrained
	case int32(token):
		return maskToken
	}
	return maskExplicit
}

func (w *writer) scores(scores []float64) {
	w.len(len(scores), scores == nil)
	w.b = grow(w.b, 8*len(scores))
	for _, s := range scores {
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(s))
	}
}

// versions writes runs of equal values; a version is written plus one, so that -1 becomes 0.
func (w *writer) versions(rows [][]int32) {
	w.len(len(rows), rows == nil)
	for _, row := range rows {
		w.len(len(row), row == nil)
		for start := 0; start < len(row); {
			end := start + 1
			for end < len(row) && row[end] == row[start] {
				end++
			}
			w.uint(uint64(end - start))
			w.uint(uint64(uint32(row[start]) + 1))
			start = end
		}
	}
}

// episodes writes the number of sequences of each episode.
func (w *writer) episodes(list []int32) {
	w.len(len(list), list == nil)
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end] == list[start] {
			end++
		}
		w.uint(uint64(end - start))
		start = end
	}
}

func (w *writer) overrides(list []json.RawMessage) {
	w.len(len(list), list == nil)
	for _, v := range list {
		w.raw(v)
	}
}

func (w *writer) distillTokens(sequences [][][]quintain.Token) {
	w.len(len(sequences), sequences == nil)
	for _, rows := range sequences {
		w.tokens(rows)
	}
}
