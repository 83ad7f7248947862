package queue

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"

	"github.com/quintain-rl/quintain"
)

// The kinds of runs of masks.
const (
	maskUntrained = iota // quintain.Untrained throughout
	maskToken            // the token itself throughout
	maskExplicit         // the values follow
)

// The widths of an array of floating point numbers.
const (
	floatsAbsent = 0
	floatsSingle = 4 // every value is exactly a float32
	floatsDouble = 8
)

// minRun is the least number of equal floats that are written as one.
const minRun = 4

// A writer appends the fields of a group to b. A length of a slice that may be nil
// is written plus one, so that 0 stands for nil.
type writer struct {
	b      []byte
	values []float64 // scratch
}

func (w *writer) group(g *quintain.Group) {
	w.text(g.ID)
	w.envID(g.EnvID)
	w.text(g.Origin.Task)
	w.signed(int64(g.Origin.Version))
	w.uint(g.Origin.Seed)
	w.signed(int64(g.Origin.Level))
	w.signed(int64(g.Origin.Index))

	w.tokens(g.Tokens)
	w.masks(g.Masks, g.Tokens)
	w.scores(g.Scores)
	w.versions(g.Versions)
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
}

func (w *writer) uint(v uint64)  { w.b = binary.AppendUvarint(w.b, v) }
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
	w.b = append(w.b, v...)
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
	w.b = slices.Grow(w.b, 5*len(row))
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

// masks writes runs: mask i of a row is written relative to token i of the same row.
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
	for _, s := range scores {
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(s))
	}
}

// versions writes runs of equal values; a version is written plus one, so that -1
// is a 0.
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

// floats writes the shape of rows as runs, and after it the values as planes.
func (w *writer) floats(rows [][]float64) {
	if rows == nil {
		w.b = append(w.b, floatsAbsent)
		return
	}
	width := floatsSingle
	for _, row := range rows {
		width = max(width, widthOf(row))
	}
	w.b = append(w.b, byte(width))
	w.uint(uint64(len(rows)))
	w.values = w.values[:0]
	for _, row := range rows {
		w.len(len(row), row == nil)
		w.floatRuns(row)
	}
	w.planes(w.values, width)
}

// floatRuns writes the runs of row and appends the values that stand for them to the
// scratch.
func (w *writer) floatRuns(row []float64) {
	start := 0 // of the values not yet written
	for at := 0; at < len(row); {
		v, end := math.Float64bits(row[at]), at+1
		for end < len(row) && math.Float64bits(row[end]) == v {
			end++
		}
		if end-at >= minRun {
			w.literal(row[start:at])
			w.uint(uint64(end-at)<<1 | 1)
			w.values = append(w.values, row[at])
			start = end
		}
		at = end
	}
	w.literal(row[start:])
}

// literal writes values of which each stands for itself.
func (w *writer) literal(values []float64) {
	if len(values) > 0 {
		w.uint(uint64(len(values)) << 1)
		w.values = append(w.values, values...)
	}
}

// widthOf is the least width that keeps every bit of row.
func widthOf(row []float64) int {
	for _, v := range row {
		u := math.Float64bits(v)
		if u<<35 == 0 && u>>52&0x7ff-(1023-126) <= 253 { // the fraction and the exponent fit
			continue
		}
		if math.Float64bits(float64(float32(v))) != u {
			return floatsDouble
		}
	}
	return floatsSingle
}

// planes writes the lowest byte of all values, then the next one of all: the high
// bytes of neighbours are alike, and compress.
func (w *writer) planes(values []float64, width int) {
	from, n := len(w.b), len(values)
	w.b = slices.Grow(w.b, n*width)[:from+n*width]
	out := w.b[from:]
	if width == floatsSingle {
		p0, p1, p2, p3 := out[:n], out[n:2*n], out[2*n:3*n], out[3*n:4*n]
		for i, v := range values {
			u := math.Float32bits(float32(v))
			p0[i], p1[i], p2[i], p3[i] = byte(u), byte(u>>8), byte(u>>16), byte(u>>24)
		}
		return
	}
	for i, v := range values {
		u := math.Float64bits(v)
		for p := range floatsDouble {
			out[p*n+i] = byte(u >> (8 * p))
		}
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

// distillLogProbs writes the shape, and after it the values as planes.
func (w *writer) distillLogProbs(sequences [][][]float64) {
	if sequences == nil {
		w.b = append(w.b, floatsAbsent)
		return
	}
	width := floatsSingle
	w.values = w.values[:0]
	for _, rows := range sequences {
		for _, row := range rows {
			width = max(width, widthOf(row))
			w.values = append(w.values, row...)
		}
	}
	w.b = append(w.b, byte(width))
	w.uint(uint64(len(sequences)))
	for _, rows := range sequences {
		w.len(len(rows), rows == nil)
		for _, row := range rows {
			w.len(len(row), row == nil)
		}
	}
	w.planes(w.values, width)
}
