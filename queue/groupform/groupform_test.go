package groupform_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestCodecKeepsEveryBit(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(0)
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

// A renamed group differs only in its ID and environment, in either packing.
func TestAppendRenamedKeepsTheRest(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(0)
	rapid.Check(t, func(t *rapid.T) {
		g := queuetest.Groups().Draw(t, "group")
		encode := rapid.SampledFrom([]func(*quintain.Group) ([]byte, error){c.Encode, c.EncodeFast}).Draw(t, "encode")
		b, err := encode(g)
		if err != nil {
			t.Fatal(err)
		}
		env := rapid.Int32().Draw(t, "env")
		renamed, err := c.AppendRenamed([]byte("before"), b, "run/7", env)
		if err != nil || !bytes.HasPrefix(renamed, []byte("before")) {
			t.Fatalf("error %v, %q", err, renamed)
		}
		back, err := c.Decode(renamed[len("before"):])
		if err != nil {
			t.Fatal(err)
		}
		want := *g
		want.ID, want.EnvID = "run/7", &env
		if d := queuetest.Diff(&want, back); d != "" {
			t.Fatal(d)
		}
		cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut")
		if got, err := c.AppendRenamed(nil, b[:cut], "run/7", env); err == nil {
			t.Fatalf("%d of %d bytes were renamed: %q", cut, len(b), got)
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
	g.Masks[1][5] = 99 // an explicit mask
	g.Episodes = []int32{0, 0}
	g.Origin = quintain.Origin{Scenario: "math_multi_turn.v1-3fa2c1", Task: "sum", Version: 2, Seed: 1 << 63, Level: -1, Index: 41, Worker: "node7", Model: "qwen"}
	return g
}

// TestCodecKeepsEveryField sets every field of a group. It fails for a new field of
// quintain.Group until full has a value for it and the codec keeps it.
func TestCodecKeepsEveryField(t *testing.T) {
	t.Parallel()
	var unset func(path string, v reflect.Value) []string
	unset = func(path string, v reflect.Value) (list []string) {
		if v.Kind() != reflect.Struct {
			if v.IsZero() {
				return []string{path}
			}
			return nil
		}
		for i := range v.NumField() {
			list = append(list, unset(path+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
		return list
	}
	if list := unset("Group", reflect.ValueOf(*full())); len(list) > 0 {
		t.Fatalf("full has no value in %v", list)
	}
	c := groupform.NewCodec(0)
	for name, encode := range packings(c) {
		b, err := encode(full())
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := queuetest.Diff(full(), back); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// packings are the two ways to encode a group, by the names of their golden files.
func packings(c *groupform.Codec) map[string]func(*quintain.Group) ([]byte, error) {
	return map[string]func(*quintain.Group) ([]byte, error){"group.v1.bin": c.Encode, "group.v2.bin": c.EncodeFast}
}

// Log-probabilities may be unknown for a sequence, but not otherwise shorter.
func TestCodecKeepsUnknownLogProbs(t *testing.T) {
	t.Parallel()
	g := full()
	g.LogProbs[1] = []float64{}
	for name, encode := range packings(groupform.NewCodec(0)) {
		b, err := encode(g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := groupform.NewCodec(0).Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := queuetest.Diff(g, back); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	g.LogProbs[1] = g.LogProbs[0][:1]
	if _, err := groupform.NewCodec(0).Encode(g); err == nil {
		t.Error("one log-probability for a whole sequence is taken")
	}
}

func TestEpisodesKeepsNilAndEmptyApart(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(0)
	three := queuetest.Group(1)
	three.Episodes = []int32{0, 1}
	for _, g := range []*quintain.Group{queuetest.Group(1), three, {}, {Episodes: []int32{}}} {
		b, err := c.Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.Decode(b)
		if err != nil || !reflect.DeepEqual(back.Episodes, g.Episodes) {
			t.Errorf("episodes %#v came back as %#v, error %v", g.Episodes, back.Episodes, err)
		}
	}
}

func TestCodecReadsTheGolden(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(0)
	old := full()
	old.Origin.Worker, old.Origin.Model = "", "" // which came later
	for name, encode := range packings(c) {
		name = filepath.Join("testdata", name)
		if *update {
			b, err := encode(old)
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
		if d := queuetest.Diff(old, g); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestRepackKeepsAll(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(0)
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

// View, which reuses its memory, sees the group of Decode.
func TestViewSeesTheGroup(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(0)
	small := queuetest.Group(3)
	small.LogProbs, small.Versions = nil, nil
	for i, g := range []*quintain.Group{full(), queuetest.Group(1), small, full(), {}, full()} {
		b, err := c.EncodeFast(g)
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		err = c.View(b, func(got *quintain.Group, _ uint32) error {
			seen = true
			if diff := queuetest.Diff(g, got); diff != "" {
				t.Errorf("group %d: %s", i, diff)
			}
			return nil
		})
		if err != nil || !seen {
			t.Fatalf("group %d: seen %v, error %v", i, seen, err)
		}
		if err := c.View(b[:len(b)-1], func(*quintain.Group, uint32) error { return nil }); err == nil {
			t.Errorf("group %d: a torn end is not noticed", i)
		}
	}
	b, err := c.EncodeFast(small)
	if err != nil {
		t.Fatal(err)
	}
	refused := errors.New("no")
	if err := c.View(b, func(*quintain.Group, uint32) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("error %v, want that of the function", err)
	}
}

// TestViewTakesLittleMemory refuses groups with few bytes and much memory.
func TestViewTakesLittleMemory(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(0)
	group := func(sequences, length int) *quintain.Group {
		g := &quintain.Group{Scores: make([]float64, sequences)}
		for range sequences {
			g.Tokens = append(g.Tokens, make([]quintain.Token, length))
			g.Masks = append(g.Masks, make([]int32, length))
			g.Versions = append(g.Versions, make([]int32, length))
			g.RefLogProbs = append(g.RefLogProbs, make([]float64, length))
			g.LogProbs = append(g.LogProbs, make([]float64, length))
		}
		return g
	}
	for _, test := range []struct {
		why  string
		g    *quintain.Group
		vast bool
	}{
		{"a usual group", queuetest.Group(1), false},
		{"a few numbers that are all the same", group(8, 200), false},
		{"many", group(8, 20_000), true},
		{"a long prompt, and a short reply", group(8, 900), false},
		{"many sequences", group(400_000, 0), true},
	} {
		b, err := c.Encode(test.g)
		if err != nil {
			t.Fatal(err)
		}
		most, err := c.ViewSize(b)
		if err != nil {
			t.Fatal(err)
		}
		err = c.View(b, func(*quintain.Group, uint32) error { return nil })
		if errors.Is(err, groupform.ErrVast) != test.vast || (err != nil) != test.vast {
			t.Errorf("%s: error %v, at most %d bytes", test.why, err, most)
		}
		if back, err := c.Decode(b); err != nil || queuetest.Diff(test.g, back) != "" {
			t.Errorf("%s: Decode: error %v", test.why, err)
		}
	}
}

// TestEnvelopesThatLie refuses envelopes that announce a wrong or impossible size.
func TestEnvelopesThatLie(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(0)
	large := full()
	large.Messages = json.RawMessage(`"` + strings.Repeat(" ", 1<<20) + `"`)
	whole, err := c.Encode(large)
	if err != nil {
		t.Fatal(err)
	}
	_, n := binary.Uvarint(whole[5:])
	lie := func(size uint64) []byte {
		b := append(binary.AppendUvarint(bytes.Clone(whole[:5]), size), whole[5+n:len(whole)-4]...)
		return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	}
	for size, want := range map[uint64]string{10: "cannot be inflated", 2 << 20: "inflates to", 256 << 20: "can hold"} {
		if _, err := c.Decode(lie(size)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: error %v, want %q", size, err, want)
		}
	}
}

func TestEncodeRefusesInvalidGroups(t *testing.T) {
	t.Parallel()
	g := full()
	g.LogProbs[1][2] = math.NaN()
	_, err := groupform.NewCodec(0).Encode(g)
	if field := new(quintain.FieldError); !errors.As(err, &field) || field.Field != "inference_logprobs[1][2]" {
		t.Errorf("error %v, want one of inference_logprobs[1][2]", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	c := groupform.NewCodec(1 << 16)
	whole, err := c.Encode(full())
	if err != nil {
		t.Fatal(err)
	}
	large := full()
	large.Messages = json.RawMessage(strings.Repeat(" ", 1<<16))
	tooLarge, err := groupform.NewCodec(0).Encode(large)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Encode(large); !errors.As(err, new(*groupform.TooLargeError)) {
		t.Errorf("a group too large to be read back is written: %v", err)
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
		{"a version to come", change(4, 3), "envelope: has version 3, want 1 or 2"},
		{"a changed byte", change(len(whole)/2, whole[len(whole)/2]+1), "envelope: has the checksum"},
		{"a torn end", whole[:len(whole)-3], "envelope: has the checksum"},
		{"one that is too large", tooLarge, "envelope: takes 65"},
	} {
		_, err := c.Decode(test.b)
		if format := new(groupform.FormatError); !errors.As(err, &format) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	c := groupform.NewCodec(1 << 20)
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
		if len(b) > 4 { // repairs the checksum
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

// FuzzFields decodes arbitrary fields, which FuzzDecode seldom reaches within an envelope.
func FuzzFields(f *testing.F) {
	for _, g := range []*quintain.Group{full(), queuetest.Group(1), {}} {
		f.Add(groupform.EncodeFields(g))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := groupform.DecodeFields(b)
		if err != nil {
			if !errors.As(err, new(*groupform.FormatError)) {
				t.Fatal(err)
			}
			return
		}
		if g.Check() != nil { // a number that is not finite
			return
		}
		back, err := groupform.DecodeFields(groupform.EncodeFields(g))
		if err != nil {
			t.Fatal(err)
		}
		if d := queuetest.Diff(g, back); d != "" {
			t.Fatal(d)
		}
	})
}

// TestFastPacking stores numbers plainly and compresses text.
func TestFastPacking(t *testing.T) {
	c := groupform.NewCodec(0)
	chat := queuetest.Episode(2, 16)
	chat.Messages = json.RawMessage(`["` + strings.Repeat("a word and another, ", 500) + `"]`)
	for _, test := range []struct {
		why  string
		g    *quintain.Group
		most int // bytes
	}{
		{"numbers do not shrink", queuetest.Episode(8, 256), len(groupform.EncodeFields(queuetest.Episode(8, 256))) + 32},
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

func BenchmarkEncode(b *testing.B) {
	c := groupform.NewCodec(0)
	for name, g := range queuetest.Shapes() {
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
	c := groupform.NewCodec(0)
	for name, g := range queuetest.Shapes() {
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

func report(b *testing.B, g *quintain.Group, encoded int) {
	b.SetBytes(int64(queuetest.InMemory(g)))
	b.ReportMetric(float64(encoded)/float64(g.TokenCount()), "bytes/token")
	b.ReportMetric(float64(encoded), "bytes/group")
	b.ReportMetric(float64(b.N)*float64(g.TokenCount())/b.Elapsed().Seconds()/1e6, "Mtoken/s")
}
