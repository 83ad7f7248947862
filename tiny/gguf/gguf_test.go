package gguf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tiny/gguf"
)

// small is a file with a key of each kind and three tensors.
func small() []byte {
	return gguf.Append(nil, []gguf.Key{
		{"general.architecture", "llama"}, {"b", true}, {"u", uint32(7)}, {"i", int32(-7)}, {"w", uint64(1 << 63)}, {"f", float32(0.5)},
		{"texts", []string{"a", "", "é"}}, {"ints", []int32{1, -2}}, {"floats", []float32{0.5}},
	}, []gguf.Array{
		{"plain", gguf.F32, []int{1, 2}, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5)), math.Float32bits(-2))},
		{"blocks", gguf.Q8_0, []int{2, 32}, bytes.Repeat([]byte{0, 0x3c, 1, 2}, 17)},
		{"other", gguf.Type(10), []int{256}, make([]byte, 84)},
	})
}

func read(b []byte) (*gguf.File, error) { return gguf.Read(bytes.NewReader(b), int64(len(b))) }

func TestRead(t *testing.T) {
	f, err := read(small())
	if err != nil {
		t.Fatal(err)
	}
	text, err1 := f.Text("general.architecture")
	yes, err2 := f.Bool("b")
	u, err3 := f.Int("u")
	i, err4 := f.Int("i")
	x, err5 := f.Float("f")
	whole, err6 := f.Float("i")
	texts, err7 := f.Texts("texts")
	ints, err8 := f.Ints("ints")
	got := fmt.Sprintln(text, yes, u, i, x, whole, texts, ints, err1, err2, err3, err4, err5, err6, err7, err8)
	if want := "llama true 7 -7 0.5 -7 [a  é] [1 -2]" + strings.Repeat(" <nil>", 8) + "\n"; got != want {
		t.Errorf("values %s, want %s", got, want)
	}
	for key, fault := range map[string]error{
		"none: is missing in the GGUF file, want a whole number": second(f.Int("none")), "b: is true or false in the GGUF file, want a text": second(f.Text("b")),
		"texts: is a list in the GGUF file, want a list of whole numbers": second(f.Ints("texts")), "w: is a whole number beyond 2^63 in the GGUF file": second(f.Int("w")),
	} {
		if fault == nil || fault.Error() != key {
			t.Errorf("error %v, want %s", fault, key)
		}
	}
	plain, _ := f.Tensor("plain")
	if values, err := f.Floats(plain); err != nil || !slices.Equal(values, []float32{1.5, -2}) || fmt.Sprint(plain.Type, plain.Shape) != "F32 [1 2]" {
		t.Errorf("plain: %v %v %v", plain, values, err)
	}
	blocks, _ := f.Tensor("blocks")
	if values, err := f.Floats(blocks); err != nil || len(values) != 64 || values[0] != 1 || values[1] != 2 {
		t.Errorf("blocks: %v %v", values, err)
	}
	other, _ := f.Tensor("other")
	if _, err := f.Floats(other); err == nil || !strings.Contains(err.Error(), "tensor other: has the type Q2_K, want F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, BF16: take") {
		t.Errorf("another type: %v", err)
	}
	if _, has := f.Tensor("none"); has {
		t.Error("there is a tensor none")
	}
}

func second[T any](_ T, err error) error { return err }

// The blocks and the hashes of their values come from the package gguf of llama.cpp, by
// conformance/models.py.
func TestDecode(t *testing.T) {
	text, err := os.ReadFile("testdata/blocks.json")
	if err != nil {
		t.Fatal(err)
	}
	var blocks map[string]struct {
		Raw   string    `json:"raw"`
		First []float32 `json:"first"`
		Sha   string    `json:"sha"`
	}
	if err := json.Unmarshal(text, &blocks); err != nil {
		t.Fatal(err)
	}
	for kind := range gguf.Type(64) {
		if !kind.Readable() || kind == gguf.F32 {
			continue
		}
		b, known := blocks[kind.String()]
		raw, err := hex.DecodeString(b.Raw)
		if err != nil || !known {
			t.Fatalf("%v: %v", kind, err)
		}
		per, size := kind.Block()
		values := make([]float32, len(raw)/size*per)
		kind.Decode(values, raw)
		var written []byte
		for _, x := range values {
			written = binary.LittleEndian.AppendUint32(written, math.Float32bits(x+0)) // no -0
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(written))[:16]; got != b.Sha {
			t.Errorf("%v: hash %s, want %s; it begins with %v, want %v", kind, got, b.Sha, values[:4], b.First)
		}
	}
}

// edit returns the file with the number after a text replaced.
func edit(after string, number uint64, width int) []byte {
	b := small()
	at := bytes.Index(b, []byte(after)) + len(after)
	binary.LittleEndian.PutUint64(b[at:], number|binary.LittleEndian.Uint64(b[at:])&^(1<<(8*width)-1))
	return b
}

func TestHostile(t *testing.T) {
	le := binary.LittleEndian
	head := func(version uint32, tensors, keys uint64) []byte {
		return le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte(gguf.Magic), version), tensors), keys)
	}
	key := func(name string, kind uint32, raw ...byte) []byte {
		return append(le.AppendUint32(append(le.AppendUint64(nil, uint64(len(name))), name...), kind), raw...)
	}
	tensor := func(name string, kind uint32, offset uint64, dims ...uint64) []byte {
		b := le.AppendUint32(append(le.AppendUint64(nil, uint64(len(name))), name...), uint32(len(dims)))
		for _, n := range dims {
			b = le.AppendUint64(b, n)
		}
		return le.AppendUint64(le.AppendUint32(b, kind), offset)
	}
	list := func(of uint32, n uint64) []byte { return le.AppendUint64(le.AppendUint32(nil, of), n) }
	one := func(b []byte) []byte { return append(append(head(3, 0, 1), b...), make([]byte, 1<<17)...) }
	table := func(tensors ...[]byte) []byte {
		return append(append(head(3, uint64(len(tensors)), 0), bytes.Join(tensors, nil)...), make([]byte, 1024)...)
	}
	for _, test := range []struct {
		why  string
		file []byte
		want string
	}{
		{"empty", nil, "does not begin with GGUF"},
		{"another file", []byte("PK\x03\x04...."), "does not begin with GGUF"},
		{"cut in the version", []byte("GGUF\x03"), "version: takes 4 bytes, but the file has 1 more"},
		{"the first version", head(1, 0, 0), "version: is 1, want 2 or 3"},
		{"big-endian", head(3<<24, 0, 0), "version: the file is big-endian"},
		{"2^63 tensors", head(3, 1<<63, 0), "tensor_count: is 9223372036854775808, want at most"},
		{"2^63 keys", head(3, 0, 1<<63), "metadata_kv_count: is 9223372036854775808, want at most"},
		{"more keys than room", head(3, 0, 9999), "metadata_kv_count: is 9999, which a file of 24 bytes"},
		{"a text of gigabytes", one(append(key("t", 8), le.AppendUint64(nil, 8<<30)...)), "t: takes 8589934592 bytes"},
		{"a name of 2^64-1 bytes", one(bytes.Repeat([]byte{255}, 8)), "key 1 of 1: its name: takes 18446744073709551615 bytes"},
		{"an empty name", one(key("", 0, 1)), "its name has 0 bytes"},
		{"a name of 65536 bytes", one(key(strings.Repeat("n", 1<<16), 0, 1)), "its name has 65536 bytes, want 1 to 65535"},
		{"a kind that does not exist", one(key("k", 13)), "k: has the type 13"},
		{"a list of a kind that does not exist", one(append(key("k", 9), list(99, 1)...)), "k: has items of the type 99"},
		{"a list of 2^63 numbers", one(append(key("k", 9), list(0, 1<<63)...)), "k: has 9223372036854775808 items"},
		{"a list of 2^61 numbers of 8 bytes", one(append(key("k", 9), list(10, 1<<61)...)), "k: has 2305843009213693952 items"},
		{"a list of too many texts", one(append(key("k", 9), list(8, 1<<14+1<<10)...)), "items"},
		{"lists in lists", one(append(key("k", 9), bytes.Repeat(list(9, 1), 1000)...)), "lists in lists, more than 4 deep"},
		{"a key twice", append(append(head(3, 0, 2), key("k", 0, 1)...), key("k", 0, 1)...), "k: stands twice"},
		{"an odd name", one(append(key("a\nb", 8), le.AppendUint64(nil, 1<<40)...)), `"a\nb": takes`},
		{"alignment 0", one(append(key("general.alignment", 4), 0, 0, 0, 0)), "general.alignment: is 0, want a multiple of 8"},
		{"alignment as a text", one(append(key("general.alignment", 8), make([]byte, 8)...)), "general.alignment: is a text in the GGUF file, want a whole number"},
		{"no dimension", table(tensor("t", 0, 0)), "tensor 1 of 1: t: has 0 dimensions"},
		{"2^32-1 dimensions", table(append(key("t", math.MaxUint32), make([]byte, 99)...)), "t: has 4294967295 dimensions"},
		{"a dimension of 0", table(tensor("t", 0, 0, 0)), "t: has a dimension of 0"},
		{"2^126 values", table(tensor("t", 0, 0, 1<<62, 1<<62)), "t: has a dimension of 4611686018427387904"},
		{"2^66 bytes", table(tensor("t", 0, 0, 1<<32, 1<<32)), "t: has a dimension of 4294967296"},
		{"half a block", table(tensor("t", 8, 0, 48)), "t: has rows of 48 values, want a multiple of 32, the block of Q8_0"},
		{"an unaligned tensor", table(tensor("t", 0, 4, 1)), "tensor t: begins at 4, want a multiple of general.alignment, 32"},
		{"past the end", table(tensor("t", 0, 32, 1024)), "tensor t: ends past the end"},
		{"an offset past the end", table(tensor("t", 0, 1<<62, 1)), "tensor t: ends past the end"},
		{"an offset of 2^64-1", table(tensor("t", 0, math.MaxUint64, 1)), "begins at 18446744073709551615, past the end"},
		{"one on the other", table(tensor("s", 0, 0, 9), tensor("t", 0, 32, 9)), "tensor t: lies on the tensor s"},
		{"the same place", table(tensor("s", 99, 0, 9), tensor("t", 99, 0, 9)), "lies on the tensor"},
		{"a tensor twice", table(tensor("t", 0, 0, 1), tensor("t", 0, 32, 1)), "t: stands twice"},
		{"the values are cut short", small()[:len(small())-84-60], "tensor blocks: ends past the end of the file: it is cut short, get it again"},
	} {
		allocated := allocation(func() {
			_, err := read(test.file)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %s", test.why, err, test.want)
			}
		})
		if allocated > 8<<20 {
			t.Errorf("%s: %d bytes of memory", test.why, allocated)
		}
	}
}

// allocation returns how many bytes f allocates.
func allocation(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A zero is a file without end: it reads as zeros after its beginning.
type zero []byte

func (z zero) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(z)) {
		copy(p, z[off:])
	}
	return len(p), nil
}

func TestLargeHeader(t *testing.T) {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte(gguf.Magic), 3), 0), 1)
	b = append(le.AppendUint64(b, 1), 'k')
	b = le.AppendUint64(le.AppendUint32(le.AppendUint32(b, 9), 8), 1<<40) // so many texts, all of them empty
	allocated := allocation(func() {
		if _, err := gguf.Read(zero(b), 1<<50); err == nil || !strings.Contains(err.Error(), "the header has more than the 32 MiB") {
			t.Errorf("error %v", err)
		}
	})
	if allocated > 64<<20 {
		t.Errorf("%d bytes of memory", allocated)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small())
	f.Add(edit("texts", 99, 1))
	f.Add(edit("plain", 3, 4))
	f.Add(small()[:200])
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := read(b)
		if err != nil {
			return
		}
		for _, tensor := range file.Tensors {
			values, err := file.Floats(tensor)
			if err == nil && len(values) != tensor.Elements() {
				t.Errorf("%s: %d values, want %d", tensor.Name, len(values), tensor.Elements())
			}
		}
		for _, key := range []string{"general.architecture", "texts", "ints", "w"} {
			_, _ = file.Text(key)
			_, _ = file.Texts(key)
			_, _ = file.Int(key)
			_, _ = file.Ints(key)
			_, _ = file.Float(key)
		}
	})
}
