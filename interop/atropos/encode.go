package atropos

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// AppendGroup appends g as compact JSON on one line: the fourteen keys of the API in its
// order, with null for absent fields. Free-form fields are unchanged. Floats are written
// like in Python, with a point or an exponent, and read back bit for bit.
func AppendGroup(dst []byte, g *quintain.Group) []byte {
	dst = appendTokens(dst, g)
	dst = append(dst, `,"scores":`...)
	dst = appendFloats(dst, g.Scores)
	dst = append(dst, `,"advantages":`...)
	dst = appendFloatRows(dst, g.Advantages)
	dst = append(dst, `,"ref_logprobs":`...)
	dst = appendFloatRows(dst, g.RefLogProbs)
	dst = append(dst, `,"messages":`...)
	dst = appendRaw(dst, g.Messages)
	dst = append(dst, `,"generation_params":`...)
	dst = appendRaw(dst, g.Generation)
	dst = append(dst, `,"inference_logprobs":`...)
	dst = appendFloatRows(dst, g.LogProbs)
	dst = append(dst, `,"overrides":`...)
	dst = appendList(dst, g.Overrides, appendRaw)
	dst = append(dst, `,"group_overrides":`...)
	dst = appendRaw(dst, g.GroupOverrides)
	dst = append(dst, `,"images":`...)
	dst = appendRaw(dst, g.Images)
	dst = append(dst, `,"env_id":`...)
	if g.EnvID == nil {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, int64(*g.EnvID), 10)
	}
	dst = append(dst, `,"distill_token_ids":`...)
	dst = appendList(dst, g.DistillTokens, appendIntRows)
	dst = append(dst, `,"distill_logprobs":`...)
	dst = appendList(dst, g.DistillLogProbs, appendFloatRows)
	return append(dst, '}')
}

// AppendWhole is [AppendGroup] with the fields that Atropos' API lacks: id, origin, and
// versions and episodes, which are null if absent.
func AppendWhole(dst []byte, g *quintain.Group) []byte {
	dst = AppendGroup(dst, g)
	dst = strictjson.AppendLegible(append(dst[:len(dst)-1], `,"id":`...), g.ID)
	dst = append(dst, `,"origin":`...)
	origin, err := json.Marshal(g.Origin)
	if err != nil {
		panic("atropos: " + err.Error()) // strings and numbers
	}
	dst = append(dst, origin...)
	dst = append(dst, `,"versions":`...)
	dst = appendIntRows(dst, g.Versions)
	dst = append(dst, `,"episodes":`...)
	if g.Episodes == nil {
		dst = append(dst, "null"...)
	} else {
		dst = appendInts(dst, g.Episodes)
	}
	return append(dst, '}')
}

// appendList appends all as an array, or null for nil.
func appendList[T any](dst []byte, all []T, one func([]byte, T) []byte) []byte {
	if all == nil {
		return append(dst, "null"...)
	}
	return strictjson.AppendList(dst, all, one)
}

func appendIntRows[T quintain.Token | int32](dst []byte, rows [][]T) []byte {
	return appendList(dst, rows, appendInts[T])
}

func appendFloatRows(dst []byte, rows [][]float64) []byte {
	return appendList(dst, rows, appendFloats)
}

// appendTokens appends the tokens and the masks of g. It copies the text of masks that
// repeat tokens.
func appendTokens(dst []byte, g *quintain.Group) []byte {
	dst = append(dst, `{"tokens":`...)
	if g.Tokens == nil || len(g.Masks) != len(g.Tokens) {
		dst = append(appendIntRows(dst, g.Tokens), `,"masks":`...)
		return appendIntRows(dst, g.Masks)
	}
	texts := make([][2]int, len(g.Tokens)) // start and end of the text of the trained tokens
	dst = append(dst, '[')
	for i, row := range g.Tokens {
		if i > 0 {
			dst = append(dst, ',')
		}
		n := prompt(row, g.Masks[i])
		dst = appendNumbers(append(dst, '['), row[:n])
		if n > 0 && n < len(row) {
			dst = append(dst, ',')
		}
		texts[i][0] = len(dst)
		dst = appendNumbers(dst, row[n:])
		texts[i][1] = len(dst)
		dst = append(dst, ']')
	}
	dst = append(dst, `],"masks":[`...)
	for i, row := range g.Tokens {
		if i > 0 {
			dst = append(dst, ',')
		}
		n := prompt(row, g.Masks[i])
		if n == len(row) {
			dst = appendInts(dst, g.Masks[i])
			continue
		}
		dst = append(dst, '[')
		for range n {
			dst = append(dst, "-100,"...)
		}
		dst = append(append(dst, dst[texts[i][0]:texts[i][1]]...), ']')
	}
	return append(dst, ']')
}

// prompt returns the number of untrained tokens at the beginning of a row if all others are
// trained, else the length of the row.
func prompt(tokens []quintain.Token, masks []int32) int {
	if len(masks) != len(tokens) {
		return len(tokens)
	}
	n := 0
	for n < len(masks) && masks[n] == quintain.Untrained {
		n++
	}
	for i, mask := range masks[n:] {
		if mask != int32(tokens[n+i]) {
			return len(tokens)
		}
	}
	return n
}

func appendInts[T quintain.Token | int32](dst []byte, row []T) []byte {
	return append(appendNumbers(append(dst, '['), row), ']')
}

// appendNumbers appends the numbers of a row, separated by commas.
func appendNumbers[T quintain.Token | int32](dst []byte, row []T) []byte {
	const most = 16 // bytes that writing one number may touch
	if len(row) == 0 {
		return dst
	}
	dst = slices.Grow(dst, most*len(row))
	at, b := len(dst), dst[:cap(dst)]
	for _, v := range row {
		if v < 0 || v >= 1e8 {
			at = len(strconv.AppendInt(b[:at], int64(v), 10))
		} else {
			text := asText(uint32(v))
			zeros := bits.TrailingZeros64(text&0x0f0f0f0f0f0f0f0f|1<<56) / 8 // all digits but the last may be zero
			binary.LittleEndian.PutUint64(b[at:], text>>(8*zeros))
			at += 8 - zeros
		}
		b[at] = ','
		at++
	}
	return b[:at-1]
}

func appendFloats(dst []byte, row []float64) []byte {
	t := powersOfTen()
	dst = append(slices.Grow(dst, (mostPlain+1)*len(row)+2), '[')
	for i, v := range row {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.appendFloat(dst, v)
	}
	return append(dst, ']')
}

// AppendFloat appends v, which must be finite, like Python prints it: the fewest digits
// that read back as v, with a point, or with an exponent if the magnitude is below 1e-4 or
// at least 1e16.
func AppendFloat(dst []byte, v float64) []byte { return powersOfTen().appendFloat(dst, v) }

func (t *tens) appendFloat(dst []byte, v float64) []byte {
	if v == 1 {
		return append(dst, "1.0"...) // the log-probability of every unsampled token
	}
	if a := math.Abs(v); a >= 1e-4 && a < 1e16 {
		dst = slices.Grow(dst, mostPlain)
		n := len(dst)
		return dst[:n+t.putPlain(dst[n:cap(dst)], v)]
	}
	if v == 0 {
		if math.Signbit(v) {
			dst = append(dst, '-')
		}
		return append(dst, "0.0"...)
	}
	return strconv.AppendFloat(dst, v, 'e', -1, 64)
}

// appendRaw appends a free-form value, on one line.
func appendRaw(dst []byte, raw json.RawMessage) []byte {
	if raw == nil {
		return append(dst, "null"...)
	}
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return append(dst, raw...)
	}
	for _, c := range raw { // line breaks occur only between values: within strings they are escaped
		if c != '\n' && c != '\r' {
			dst = append(dst, c)
		}
	}
	return dst
}
