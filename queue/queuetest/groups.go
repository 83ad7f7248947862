package queuetest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
)

// Group returns a small group of two sequences and ten tokens, with the ID "g" and i. Groups
// of different i differ.
func Group(i int) *quintain.Group {
	env := int32(i % 3)
	return &quintain.Group{
		ID:       fmt.Sprintf("g%d", i),
		Tokens:   [][]quintain.Token{{1, 2, 3, quintain.Token(i)}, {1, 2, 3, 4, 5, 6}},
		Masks:    [][]int32{{-100, -100, 3, int32(i)}, {-100, -100, 3, 4, 5, 6}},
		Scores:   []float64{1, -0.5},
		LogProbs: [][]float64{{1, 1, -0.25, -0.125}, {1, 1, -1, -2, -3, -0.1}},
		Versions: [][]int32{{-1, -1, 7, 8}, {-1, -1, 7, 7, 7, 9}},
		EnvID:    &env,
		Origin:   quintain.Origin{Task: "sum", Index: i},
	}
}

// Groups generates valid groups, with every field absent, empty or full.
func Groups() *rapid.Generator[*quintain.Group] {
	return rapid.Custom(func(t *rapid.T) *quintain.Group {
		d := draw{t}
		lens := rapid.SliceOfN(rapid.IntRange(0, 12), 0, 4).Draw(t, "lengths")
		g := &quintain.Group{
			ID: rapid.String().Draw(t, "id"),
			Origin: quintain.Origin{
				Scenario: rapid.String().Draw(t, "scenario"),
				Task:     rapid.String().Draw(t, "task"), Version: rapid.Int().Draw(t, "version"),
				Seed: rapid.Uint64().Draw(t, "seed"), Level: rapid.Int().Draw(t, "level"), Index: rapid.Int().Draw(t, "index"),
			},
			Scores:         rows(d, lens, true, func(int) float64 { return d.float() }),
			Messages:       d.raw("messages"),
			Generation:     d.raw("generation"),
			GroupOverrides: d.raw("group overrides"),
			Images:         d.raw("images"),
		}
		if rapid.Bool().Draw(t, "of a worker") {
			g.Origin.Worker, g.Origin.Model = rapid.String().Draw(t, "worker"), rapid.String().Draw(t, "model")
		}
		if rapid.Bool().Draw(t, "from an environment") {
			id := rapid.Int32().Draw(t, "env_id")
			g.EnvID = &id
		}
		g.Tokens = rows(d, lens, true, func(i int) []quintain.Token {
			return row(d, lens[i], func(int) quintain.Token { return quintain.Token(d.int32()) })
		})
		g.Masks = rows(d, lens, true, func(i int) []int32 {
			return row(d, lens[i], func(j int) int32 {
				return rapid.SampledFrom([]int32{quintain.Untrained, int32(g.Tokens[i][j]), d.int32()}).Draw(t, "mask")
			})
		})
		g.Versions = rows(d, lens, false, func(i int) []int32 { return row(d, lens[i], func(int) int32 { return d.int32() }) })
		episode := int32(-1)
		g.Episodes = rows(d, lens, false, func(i int) int32 {
			if i == 0 || rapid.Bool().Draw(t, "another episode") {
				episode++
			}
			return episode
		})
		floats := func(one bool) [][]float64 {
			return rows(d, lens, false, func(i int) []float64 {
				n := lens[i]
				if one && rapid.Bool().Draw(t, "one value") {
					n = 1
				}
				return row(d, n, func(int) float64 { return d.float() })
			})
		}
		g.Advantages, g.RefLogProbs, g.LogProbs = floats(true), floats(false), floats(false)
		g.Overrides = rows(d, lens, false, func(int) json.RawMessage { return d.raw("override") })
		distill := func() []int { return rapid.SliceOfN(rapid.IntRange(0, 3), 0, 4).Draw(t, "k") }
		g.DistillTokens = rows(d, lens, false, func(int) [][]quintain.Token {
			ks := distill()
			return rows(d, ks, false, func(j int) []quintain.Token {
				return row(d, ks[j], func(int) quintain.Token { return quintain.Token(d.int32()) })
			})
		})
		g.DistillLogProbs = rows(d, lens, false, func(int) [][]float64 {
			ks := distill()
			return rows(d, ks, false, func(j int) []float64 { return row(d, ks[j], func(int) float64 { return d.float() }) })
		})
		return g
	})
}

// A draw draws the values of a group.
type draw struct{ *rapid.T }

func (d draw) int32() int32 {
	return rapid.OneOf(rapid.SampledFrom([]int32{0, 1, -1, -100, math.MaxInt32, math.MinInt32}), rapid.Int32()).Draw(d.T, "int32")
}

// float draws a finite number: often the same one, often a float32, sometimes a negative
// zero.
func (d draw) float() float64 {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{1, 1, 1, 1, 0, math.Copysign(0, -1), 0.1, math.MaxFloat64, math.SmallestNonzeroFloat64}),
		rapid.Map(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32), func(f float32) float64 { return float64(f) }),
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
	).Draw(d.T, "float")
}

func (d draw) raw(what string) json.RawMessage {
	return rapid.SampledFrom([]json.RawMessage{nil, {}, json.RawMessage("null"), json.RawMessage(` {"a": [1, "é"]}`)}).Draw(d.T, what)
}

// rows draws a slice with an element for each of lens. It may be nil if lens is empty or
// must is false.
func rows[T any](d draw, lens []int, must bool, make1 func(i int) T) []T {
	if (!must || len(lens) == 0) && rapid.Bool().Draw(d.T, "absent") {
		return nil
	}
	list := make([]T, len(lens))
	for i := range list {
		list[i] = make1(i)
	}
	return list
}

// row draws n values. A row without values may be nil.
func row[T any](d draw, n int, make1 func(j int) T) []T {
	if n == 0 && rapid.Bool().Draw(d.T, "nil row") {
		return nil
	}
	list := make([]T, n)
	for j := range list {
		list[j] = make1(j)
	}
	return list
}

// Diff names the first field in which two groups differ, even by one bit or by absent and
// empty; "" if they are equal.
func Diff(a, b *quintain.Group) string {
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		name := x.Type().Field(i).Name
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return fmt.Sprintf("%s: %v and %v", name, x.Field(i).Interface(), y.Field(i).Interface())
		}
		if u, v := bits(nil, x.Field(i)), bits(nil, y.Field(i)); !reflect.DeepEqual(u, v) {
			return fmt.Sprintf("%s: bits %x and %x", name, u, v)
		}
	}
	return ""
}

// bits appends the bits of all floats in v.
func bits(list []uint64, v reflect.Value) []uint64 {
	switch v.Kind() {
	case reflect.Float64:
		return append(list, math.Float64bits(v.Float()))
	case reflect.Slice:
		for i := range v.Len() {
			list = bits(list, v.Index(i))
		}
	}
	return list
}

// Episode returns a typical training group: a prompt of 100 tokens, then sampled ones with
// the distribution of words, each with a log-probability, a version and an advantage.
func Episode(sequences, length int) *quintain.Group {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() quintain.Token { return quintain.Token(math.Pow(r.Float64(), 4) * 150000) }
	prompt := make([]quintain.Token, 100)
	for i := range prompt {
		prompt[i] = word()
	}
	g := &quintain.Group{}
	for s := range sequences {
		tokens, masks := make([]quintain.Token, length), make([]int32, length)
		logProbs, advantages, versions := make([]float64, length), make([]float64, length), make([]int32, length)
		for i := range length {
			tokens[i], masks[i], logProbs[i], versions[i], advantages[i] = word(), quintain.Untrained, 1, -1, float64(s)/7
			if i < len(prompt) {
				tokens[i] = prompt[i]
				continue
			}
			masks[i], versions[i] = int32(tokens[i]), int32(40+2*i/length)
			logProbs[i] = float64(float32(-r.ExpFloat64()))
			if r.Float64() < 0.6 {
				logProbs[i] = float64(float32(-math.Exp(-4 - 6*r.Float64())))
			}
		}
		g.Tokens, g.Masks, g.Versions = append(g.Tokens, tokens), append(g.Masks, masks), append(g.Versions, versions)
		g.LogProbs, g.Advantages, g.Scores = append(g.LogProbs, logProbs), append(g.Advantages, advantages), append(g.Scores, float64(s)/7)
	}
	return g
}

// Shapes are the groups of benchmarks, by name.
func Shapes() map[string]*quintain.Group {
	return map[string]*quintain.Group{"8x256": Episode(8, 256), "8x8192": Episode(8, 8192)}
}

// InMemory is the size of the numbers of a group from [Episode] in bytes: 4 for each token,
// mask and version, 8 for each log-probability and advantage.
func InMemory(g *quintain.Group) int { return g.TokenCount() * 28 }
