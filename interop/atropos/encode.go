package atropos

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/quintain-rl/quintain"
)

// AppendGroup appends g as compact JSON on one line: the fourteen keys of the
// API in its order, null for what is absent. Free-form fields are as they came.
// Floats are written as Python does, with a point or an exponent, and read back
// bit for bit.
func AppendGroup(dst []byte, g *quintain.Group) []byte {
	dst = append(dst, `{"tokens":`...)
	dst = appendIntRows(dst, g.Tokens)
	dst = append(dst, `,"masks":`...)
	dst = appendIntRows(dst, g.Masks)
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

// appendList appends all as an array, or null for nil.
func appendList[T any](dst []byte, all []T, one func([]byte, T) []byte) []byte {
	if all == nil {
		return append(dst, "null"...)
	}
	return appendArray(dst, all, one)
}

// appendArray appends all as an array.
func appendArray[T any](dst []byte, all []T, one func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, v)
	}
	return append(dst, ']')
}

func appendIntRows[T quintain.Token | int32](dst []byte, rows [][]T) []byte {
	return appendList(dst, rows, appendInts[T])
}

func appendFloatRows(dst []byte, rows [][]float64) []byte {
	return appendList(dst, rows, appendFloats)
}

// appendInts and appendFloats are loops of their own, being what a group is made of.
func appendInts[T quintain.Token | int32](dst []byte, row []T) []byte {
	dst = append(dst, '[')
	for i, v := range row {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	return append(dst, ']')
}

func appendFloats(dst []byte, row []float64) []byte {
	dst = append(dst, '[')
	for i, v := range row {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendFloat(dst, v)
	}
	return append(dst, ']')
}

// AppendFloat appends v, which is finite, as Python prints it: the fewest digits
// that read back as v, with a point, or with an exponent where v is below 1e-4 or
// from 1e16 on.
func AppendFloat(dst []byte, v float64) []byte {
	if v == 1 {
		return append(dst, "1.0"...) // the log-probability of all that was not sampled
	}
	if a := math.Abs(v); a != 0 && a < 1e-4 || a >= 1e16 {
		return strconv.AppendFloat(dst, v, 'e', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendRaw appends a free-form value, on one line.
func appendRaw(dst []byte, raw json.RawMessage) []byte {
	if raw == nil {
		return append(dst, "null"...)
	}
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return append(dst, raw...)
	}
	for _, c := range raw { // a line break stands between values only: within strings it is escaped
		if c != '\n' && c != '\r' {
			dst = append(dst, c)
		}
	}
	return dst
}
