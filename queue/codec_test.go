package queue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestCodecKeepsEveryBit(t *testing.T) {
	t.Parallel()
	c := queue.NewCodec(0)
	rapid.Check(t, func(t *rapid.T) {
		g := queuetest.Groups().Draw(t, "group")
		b, err := c.Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := queuetest.Diff(g, back); d != "" {
			t.Fatal(d)
		}
		if err := c.Verify(b); err != nil {
			t.Fatal(err)
		}
	})
}

// full is a group with a value in every field.
func full() *quintain.Group {
	g := queuetest.Group(7)
	g.Advantages = [][]float64{{0.5}, {0.1, 0.1, 0.1, 0.1, 0.1, math.Copysign(0, -1)}}
	g.RefLogProbs = [][]float64{{-1, -2, -3, -4}, {-1, -1, -1, -1, -1, -1}}
	g.Messages = json.RawMessage(`[[{"role":"user","content":"2+2"}],[]]`)
	g.Generation = json.RawMessage(`{"temperature":1.0}`)
	g.Overrides = []json.RawMessage{json.RawMessage(`{"set_advantage_to_zero":true}`), nil}
	g.GroupOverrides = json.RawMessage(`{}`)
	g.Images = json.RawMessage(`null`)
	g.DistillTokens = [][][]quintain.Token{{{1, 2}, {3}}, nil}
	g.DistillLogProbs = [][][]float64{{{-0.5, -1.5}, {-0.1}}, {}}
	g.Masks[1][5] = 99 // neither untrained nor the token
	g.Origin = quintain.Origin{Task: "sum", Version: 2, Seed: 1 << 63, Level: -1, Index: 41}
	return g
}

func TestCodecReadsTheGolden(t *testing.T) {
	t.Parallel()
	c := queue.NewCodec(0)
	for name, encode := range map[string]func(*quintain.Group) ([]byte, error){
		"group.v1.bin": c.Encode,
		"group.v2.bin": c.EncodeFast,
	} {
		name = filepath.Join("testdata", name)
		if *update {
			b, err := encode(full())
			if err == nil {
				err = os.WriteFile(name, b, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := c.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := queuetest.Diff(full(), g); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestRepackKeepsAll(t *testing.T) {
	t.Parallel()
	c := queue.NewCodec(0)
	fast, err := c.EncodeFast(full())
	if err != nil {
		t.Fatal(err)
	}
	want, err := c.Encode(full())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{fast, want} {
		if got, err := c.Repack(b); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes became %d, want %d, error %v", len(b), len(got), len(want), err)
		}
	}
	fast[len(fast)/2] ^= 1
	if _, err := c.Repack(fast); err == nil {
		t.Error("a changed byte is not noticed")
	}
}

// A decoder whose memory is used again says the same as one that is fresh.
func TestDecoderReusesItsMemory(t *testing.T) {
	t.Parallel()
	c := queue.NewCodec(0)
	d := c.NewDecoder()
	small := queuetest.Group(3)
	small.LogProbs, small.Versions = nil, nil
	for i, g := range []*quintain.Group{full(), queuetest.Group(1), small, full(), {}, full()} {
		b, err := c.EncodeFast(g)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := queuetest.Diff(g, got); diff != "" {
			t.Errorf("group %d: %s", i, diff)
		}
		if _, err := d.Decode(b[:len(b)-1]); err == nil {
			t.Errorf("group %d: a torn end is not noticed", i)
		}
	}
}

func TestEncodeRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	g := full()
	g.LogProbs[1][2] = math.NaN()
	_, err := queue.NewCodec(0).Encode(g)
	if field := new(quintain.FieldError); !errors.As(err, &field) || field.Field != "inference_logprobs[1][2]" {
		t.Errorf("error %v, want one of inference_logprobs[1][2]", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	c := queue.NewCodec(1 << 16)
	whole, err := c.Encode(full())
	if err != nil {
		t.Fatal(err)
	}
	large := full()
	large.Messages = json.RawMessage(strings.Repeat(" ", 1<<16))
	tooLarge, err := queue.NewCodec(0).Encode(large)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Encode(large); !errors.As(err, new(*queue.TooLargeError)) {
		t.Errorf("one that nobody could read is written: %v", err)
	}
	change := func(at int, to byte) []byte {
		b := bytes.Clone(whole)
		b[at] = to
		return b
	}
	for _, test := range []struct {
		why  string
		b    []byte
		want string
	}{
		{"nothing", nil, "envelope: does not begin"},
		{"another file", []byte("PK\x03\x04 and more than that"), "envelope: does not begin"},
		{"a version to come", change(4, 3), "envelope: has version 3, and this program reads versions 1 and 2"},
		{"a changed byte", change(len(whole)/2, whole[len(whole)/2]+1), "envelope: has the checksum"},
		{"a torn end", whole[:len(whole)-3], "envelope: has the checksum"},
		{"one that is too large", tooLarge, "envelope: takes 65"},
	} {
		_, err := c.Decode(test.b)
		if format := new(queue.FormatError); !errors.As(err, &format) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	c := queue.NewCodec(1 << 20)
	for _, g := range []*quintain.Group{full(), queuetest.Group(1), {}} {
		for _, encode := range []func(*quintain.Group) ([]byte, error){c.Encode, c.EncodeFast} {
			b, err := encode(g)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4 { // let it get past the checksum
			b = bytes.Clone(b)
			sum := crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli))
			for i := range 4 {
				b[len(b)-4+i] = byte(sum >> (8 * i))
			}
		}
		g, err := c.Decode(b)
		if err != nil {
			return
		}
		if g.Check() != nil { // a number that is not finite
			return
		}
		again, err := c.Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.Decode(again)
		if err != nil {
			t.Fatal(err)
		}
		if d := queuetest.Diff(g, back); d != "" {
			t.Fatal(d)
		}
	})
}

// FuzzFields reads what stands within the envelope, which FuzzDecode seldom reaches.
func FuzzFields(f *testing.F) {
	for _, g := range []*quintain.Group{full(), queuetest.Group(1), {}} {
		f.Add(queue.EncodeFields(g))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := queue.DecodeFields(b)
		if err != nil {
			if !errors.As(err, new(*queue.FormatError)) {
				t.Fatal(err)
			}
			return
		}
		if g.Check() != nil { // a number that is not finite
			return
		}
		back, err := queue.DecodeFields(queue.EncodeFields(g))
		if err != nil {
			t.Fatal(err)
		}
		if d := queuetest.Diff(g, back); d != "" {
			t.Fatal(d)
		}
	})
}

// episode returns a group as a trainer sees it: a prompt of 100 tokens, then sampled
// ones whose ids fall off as words do, with log-probabilities, versions and an
// advantage for each token.
func episode(sequences, length int) *quintain.Group {
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

// TestFastPacking stores numbers as they are, and packs text.
func TestFastPacking(t *testing.T) {
	c := queue.NewCodec(0)
	chat := episode(2, 16)
	chat.Messages = json.RawMessage(`["` + strings.Repeat("a word and another, ", 500) + `"]`)
	for _, test := range []struct {
		why  string
		g    *quintain.Group
		most int // bytes
	}{
		{"numbers do not shrink", episode(8, 256), len(queue.EncodeFields(episode(8, 256))) + 32},
		{"text does", chat, len(chat.Messages) / 5},
	} {
		b, err := c.EncodeFast(test.g)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > test.most {
			t.Errorf("%s: %d bytes, want %d at most", test.why, len(b), test.most)
		}
		back, err := c.Decode(b)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		if d := queuetest.Diff(test.g, back); d != "" {
			t.Errorf("%s: %s", test.why, d)
		}
		small, err := c.Repack(b)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		if back, err = c.Decode(small); err != nil || queuetest.Diff(test.g, back) != "" {
			t.Errorf("%s: packed again: %v, %s", test.why, err, queuetest.Diff(test.g, back))
		}
	}
}

// shapes are the groups of the benchmarks.
func shapes() map[string]*quintain.Group {
	return map[string]*quintain.Group{"8x256": episode(8, 256), "8x8192": episode(8, 8192)}
}

func BenchmarkEncode(b *testing.B) {
	c := queue.NewCodec(0)
	for name, g := range shapes() {
		b.Run(name, func(b *testing.B) {
			var out []byte
			for b.Loop() {
				out, _ = c.Encode(g)
			}
			report(b, g, len(out))
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	c := queue.NewCodec(0)
	for name, g := range shapes() {
		body, err := c.Encode(g)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.Decode(body); err != nil {
					b.Fatal(err)
				}
			}
			report(b, g, len(body))
		})
	}
}

// inMemory is the size of the numbers of a group from episode: tokens, masks and
// versions of 4 bytes, log-probabilities and advantages of 8.
func inMemory(g *quintain.Group) int { return g.TokenCount() * 28 }

func report(b *testing.B, g *quintain.Group, encoded int) {
	b.SetBytes(int64(inMemory(g)))
	b.ReportMetric(float64(encoded)/float64(g.TokenCount()), "bytes/token")
	b.ReportMetric(float64(encoded), "bytes/group")
	b.ReportMetric(float64(b.N)*float64(g.TokenCount())/b.Elapsed().Seconds()/1e6, "Mtoken/s")
}

// Groups in their binary form are kept as they are; what is none is refused, and
// with it all that came along.
func TestPutEncoded(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), queue.NewCodec(0)
	q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeQueue(t, q)
	encode := func(g *quintain.Group) []byte {
		b, err := c.Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	refuse := errors.New("no")
	for _, test := range []struct {
		why    string
		bodies [][]byte
		check  func(int, *quintain.Group) error
		fresh  []bool
		want   func(error) bool
	}{
		{"two", [][]byte{encode(queuetest.Group(1)), encode(queuetest.Group(2))}, nil, []bool{true, true}, nil},
		{"one of them again", [][]byte{encode(queuetest.Group(3)), encode(queuetest.Group(2))}, nil, []bool{true, false}, nil},
		{"one is none", [][]byte{encode(queuetest.Group(4)), []byte("no group at all")}, nil, nil,
			func(err error) bool { return errors.As(err, new(*queue.FormatError)) }},
		{"one is refused", [][]byte{encode(queuetest.Group(4)), encode(queuetest.Group(5))},
			func(i int, g *quintain.Group) error {
				if g.ID == "g5" && i == 1 {
					return refuse
				}
				return nil
			}, nil, func(err error) bool { return errors.Is(err, refuse) }},
	} {
		fresh, err := q.PutEncoded(ctx, test.bodies, test.check)
		if test.want == nil && err != nil || test.want != nil && !test.want(err) || !slices.Equal(fresh, test.fresh) {
			t.Errorf("%s: fresh %v, error %v", test.why, fresh, err)
		}
	}
	list, err := q.Lease(ctx, queue.Want{Max: 9})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d wait, error %v", len(list), err)
	}
	for i, d := range list {
		if diff := queuetest.Diff(queuetest.Group(i+1), d.Group); diff != "" {
			t.Errorf("group %d: %s", i+1, diff)
		}
	}
}

// A number that is not finite can be written, by others, and is refused.
func TestPutEncodedRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeQueue(t, q)
	g := queuetest.Group(1)
	g.Scores[0] = math.Inf(1)
	body := queue.Wrap(queue.EncodeFields(g))
	_, err = q.PutEncoded(t.Context(), [][]byte{body}, nil)
	if field := new(quintain.FieldError); !errors.As(err, &field) || field.Field != "scores[0]" {
		t.Errorf("error %v", err)
	}
	if n := q.Waiting().Groups; n != 0 {
		t.Errorf("%d wait", n)
	}
}
