package groupform

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/safetensors"
)

// Arrays is the content type of groups as arrays, one after another, framed as [Frames]:
// each is a safetensors file, see docs/formats/arrays.md.
const Arrays = "application/vnd.quintain.arrays"

// AppendArrays appends a group as arrays, for readers that should not unpack numbers one by
// one. It leaves out the tokens and log-probabilities of distillation. g must be valid; see
// [quintain.Group.Check].
func AppendArrays(b []byte, g *quintain.Group) []byte {
	var a arrays
	a.add("scores", safetensors.Float64, len(g.Scores), func(b []byte) []byte {
		for _, v := range g.Scores {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	})
	n := len(g.Tokens)
	a.add("lengths", safetensors.Int32, n, func(b []byte) []byte {
		for _, row := range g.Tokens {
			b = binary.LittleEndian.AppendUint32(b, uint32(len(row)))
		}
		return b
	})
	if g.Episodes != nil {
		a.add("episodes", safetensors.Int32, n, func(b []byte) []byte { return appendInts(b, g.Episodes) })
	}
	addInts(&a, "tokens", g.Tokens)
	if !plain(g) {
		addInts(&a, "masks", g.Masks)
	}
	if g.Versions != nil {
		addInts(&a, "versions", g.Versions)
	}
	a.floats("inference_logprobs", g.LogProbs, g.Tokens)
	a.floats("ref_logprobs", g.RefLogProbs, g.Tokens)
	a.floats("advantages", g.Advantages, g.Tokens)
	a.trained(g.Masks)
	return safetensors.Append(b, texts(g), a)
}

// texts are the non-array fields of a group, as JSON; the ID is plain text.
func texts(g *quintain.Group) map[string]string {
	texts := map[string]string{"id": g.ID}
	for name, raw := range map[string]json.RawMessage{
		"messages": g.Messages, "generation_params": g.Generation, "group_overrides": g.GroupOverrides, "images": g.Images,
	} {
		if len(raw) > 0 {
			texts[name] = string(raw)
		}
	}
	if g.Overrides != nil {
		rows := make([]string, len(g.Overrides))
		for i, raw := range g.Overrides {
			rows[i] = cmp.Or(string(raw), "null")
		}
		texts["overrides"] = "[" + strings.Join(rows, ",") + "]"
	}
	if g.EnvID != nil {
		texts["env_id"] = strconv.Itoa(int(*g.EnvID))
	}
	if g.Origin != (quintain.Origin{}) {
		origin, _ := json.Marshal(g.Origin) // texts and numbers always encode
		texts["origin"] = string(origin)
	}
	return texts
}

// arrays are the arrays of a group.
type arrays []safetensors.Array

// add adds an array of n values.
func (a *arrays) add(name string, kind safetensors.Type, n int, values func(b []byte) []byte) {
	*a = append(*a, safetensors.Array{Name: name, Type: kind, Shape: []int{n}, Append: values})
}

// addInts adds the rows of a field, one after another.
func addInts[Row ~[]E, E ~int32](a *arrays, name string, rows []Row) {
	n := 0
	for _, row := range rows {
		n += len(row)
	}
	a.add(name, safetensors.Int32, n, func(b []byte) []byte {
		for _, row := range rows {
			b = appendInts(b, row)
		}
		return b
	})
}

// plain reports whether each mask of g is its token or Untrained.
func plain(g *quintain.Group) bool {
	for i, row := range g.Masks {
		for j, mask := range row {
			if mask != quintain.Untrained && mask != int32(g.Tokens[i][j]) {
				return false
			}
		}
	}
	return true
}

// trained adds whether each token is trained on.
func (a *arrays) trained(masks [][]int32) {
	n := 0
	for _, row := range masks {
		n += len(row)
	}
	a.add("trained", safetensors.Bool, n, func(b []byte) []byte {
		for _, row := range masks {
			at := len(b)
			b = slices.Grow(b, len(row))[:at+len(row)]
			for i, mask := range row {
				b[at+i] = 0
				if mask != quintain.Untrained {
					b[at+i] = 1
				}
			}
		}
		return b
	})
}

// appendInts appends a row of values.
func appendInts[E ~int32](b []byte, row []E) []byte {
	at := len(b)
	b = slices.Grow(b, 4*len(row))[:at+4*len(row)]
	for i, v := range row {
		binary.LittleEndian.PutUint32(b[at+4*i:], uint32(v))
	}
	return b
}

// floats adds the rows of a field, one after another, unless it is absent. Each row becomes
// as long as its tokens: a single value is repeated, and no value is NaN.
func (a *arrays) floats(name string, rows [][]float64, tokens [][]quintain.Token) {
	if rows == nil {
		return
	}
	n := 0
	for _, row := range tokens {
		n += len(row)
	}
	a.add(name, safetensors.Float32, n, func(b []byte) []byte {
		for i, row := range rows {
			b = appendFloats(b, row, len(tokens[i]))
		}
		return b
	})
}

// appendFloats appends a row of n values.
func appendFloats(b []byte, row []float64, n int) []byte {
	at := len(b)
	b = slices.Grow(b, 4*n)[:at+4*n]
	if len(row) == n {
		for i, v := range row {
			binary.LittleEndian.PutUint32(b[at+4*i:], math.Float32bits(float32(v)))
		}
		return b
	}
	all := float32(math.NaN())
	if len(row) == 1 {
		all = float32(row[0])
	}
	for i := range n {
		binary.LittleEndian.PutUint32(b[at+4*i:], math.Float32bits(all))
	}
	return b
}
