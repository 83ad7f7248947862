package groupform

import (
	"math"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// The widths of an array of floating point numbers.
const (
	// The widths of an array of floats.
	floatsAbsent = 0
	floatsSingle = 4 // every value is exactly a float32
	floatsDouble = 8
)

// minRun is the least number of equal floats written as a run.
const minRun = 4

// floats writes the shape of rows as runs, then the values as planes.
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

// floatRuns writes the runs of row and appends their values to w.values.
func (w *writer) floatRuns(row []float64) {
	start := 0 // of the unwritten values
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

// literal writes a run of different values.
func (w *writer) literal(values []float64) {
	if len(values) > 0 {
		w.uint(uint64(len(values)) << 1)
		w.values = appendAll(w.values, values)
	}
}

// widthOf is the least width that preserves every bit of row.
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

// planes writes the lowest byte of all values, then the next byte of all, and so on:
// neighbouring high bytes are alike, so they compress.
func (w *writer) planes(values []float64, width int) {
	from, n := len(w.b), len(values)
	w.b = grow(w.b, n*width)[:from+n*width]
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

// distillLogProbs writes the shape, then the values as planes.
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
			w.values = appendAll(w.values, row)
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

// A span is a run of floats: one value n times, or n values.
type span struct {
	n    int
	same bool
}

// floats reads rows as long as their tokens, or as long as also.
func (r *reader) floats(field string, tokens [][]quintain.Token, also int) [][]float64 {
	width := r.width(field)
	if width == floatsAbsent {
		return nil
	}
	if n := r.uint(field); r.err == nil && n != uint64(len(tokens)) {
		r.fail(field, "has %s, want one for each of the %d sequences in tokens", stats.Count(n, "element"), len(tokens))
	}
	rows, spans, values := list[[]float64](r, len(tokens)), []span(nil), 0
	if r.err != nil {
		return nil
	}
	if r.mem != nil {
		spans = r.mem.spans[:0]
	}
	for i, seq := range tokens {
		n := r.rowLen(field, i, len(seq), also)
		if n < 0 {
			continue
		}
		rows[i] = r.numbers(n)
		for at := 0; at < n; {
			head := r.uint(field)
			s := span{r.run(field, head>>1, at, n), head&1 == 1}
			spans = append(spans, s)
			at += s.n
			if s.same {
				values++
			} else {
				values += s.n
			}
		}
	}
	if r.mem != nil {
		r.mem.spans = spans
	}
	r.fill(rows, spans, r.planes(field, values, width))
	return rows
}

// fill spreads values over rows, span by span. No span crosses the end of a row.
func (r *reader) fill(rows [][]float64, spans []span, values []float64) {
	if r.err != nil {
		return
	}
	for _, row := range rows {
		for len(row) > 0 {
			values = spans[0].fill(row, values)
			row, spans = row[spans[0].n:], spans[1:]
		}
	}
}

// fill writes the run to the front of row and returns the remaining values.
func (s span) fill(row, values []float64) []float64 {
	if !s.same {
		copy(row[:s.n], values)
		return values[s.n:]
	}
	for j := range row[:s.n] {
		row[j] = values[0]
	}
	return values[1:]
}

func (r *reader) width(field string) int {
	b := r.bytes(field, 1)
	if b == nil {
		return floatsAbsent
	}
	switch width := int(b[0]); width {
	case floatsAbsent, floatsSingle, floatsDouble:
		return width
	}
	r.fail(field, "has numbers of %d bytes, want 4 or 8", b[0])
	return floatsAbsent
}

// planes reads n values, the lowest bytes of all first.
func (r *reader) planes(field string, n, width int) []float64 {
	b := r.bytes(field, uint64(n)*uint64(width))
	if r.err != nil {
		return nil
	}
	values := r.numbers(n)
	if r.err != nil {
		return nil
	}
	if width == floatsSingle {
		p0, p1, p2, p3 := b[:n], b[n:2*n], b[2*n:3*n], b[3*n:]
		for i := range values {
			u := uint32(p0[i]) | uint32(p1[i])<<8 | uint32(p2[i])<<16 | uint32(p3[i])<<24
			values[i] = float64(math.Float32frombits(u))
		}
		return values
	}
	for i := range values {
		u := uint64(0)
		for p := range floatsDouble {
			u |= uint64(b[p*n+i]) << (8 * p)
		}
		values[i] = math.Float64frombits(u)
	}
	return values
}

func (r *reader) distillLogProbs(n int) [][][]float64 {
	const field = "distill_logprobs"
	width := r.width(field)
	if width == floatsAbsent {
		return nil
	}
	if got := r.uint(field); r.err == nil && got != uint64(n) {
		r.fail(field, "has %s, want one for each of the %d sequences in tokens", stats.Count(got, "element"), n)
	}
	sequences, sizes, values := list[[][]float64](r, n), []int(nil), 0
	for i := range sequences {
		m := r.len(field)
		if m < 0 {
			continue
		}
		sequences[i] = list[[]float64](r, m)
		for range sequences[i] {
			k := r.len(field)
			sizes = append(sizes, k)
			values += max(0, k)
		}
	}
	rest := r.planes(field, values, width)
	if r.err != nil {
		return nil
	}
	for _, rows := range sequences {
		for j := range rows {
			k := sizes[0]
			sizes = sizes[1:]
			if k < 0 {
				continue
			}
			rows[j], rest = rest[:k:k], rest[k:]
		}
	}
	return sequences
}
