package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/safetensors"
)

// file is a file with a header and so many bytes of values.
func file(header string, values int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, values)...)
}

func read(b []byte) ([]safetensors.Tensor, error) {
	return safetensors.Read(bytes.NewReader(b), int64(len(b)))
}

// What Append writes is read.
func TestRead(t *testing.T) {
	array := func(name string, kind safetensors.Type, values ...byte) safetensors.Array {
		return safetensors.Array{Name: name, Type: kind, Shape: []int{1, 2}, Append: func(b []byte) []byte { return append(b, values...) }}
	}
	tensors, err := read(safetensors.Append(nil, map[string]string{"a": "b"}, []safetensors.Array{
		array("b", safetensors.Bool, 1, 0), array("h", safetensors.Float16, 1, 2, 3, 4), array("g", safetensors.BFloat16, 5, 6, 7, 8),
	}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range tensors {
		raw, err := io.ReadAll(x.Raw())
		got = append(got, fmt.Sprintf("%s %s %v %x %v", x.Name, x.Type, x.Shape, raw, err))
	}
	if want := []string{"h F16 [1 2] 01020304 <nil>", "g BF16 [1 2] 05060708 <nil>", "b BOOL [1 2] 0100 <nil>"}; !slices.Equal(got, want) {
		t.Errorf("tensors %q, want %q", got, want)
	}
	if tensors, err := read(file(`{"x":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]}}`, 3)); err != nil || tensors[0].Type != "F8_E4M3" {
		t.Errorf("a type of others: %v %v", tensors, err)
	}
}

func TestHostile(t *testing.T) {
	const f32 = `{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for _, test := range []struct {
		why  string
		file []byte
		want string
	}{
		{"empty", nil, "the file has 0 bytes"},
		{"a header of 2^64-1 bytes", bytes.Repeat([]byte{255}, 64), "the header has 18446744073709551615 bytes, but the file 64"},
		{"a header of 3 MiB", file(strings.Repeat(" ", 3<<20), 0), "the header has 3145728 bytes, want at most 2097152"},
		{"another file", file("PK..", 0), "the header is no JSON object"},
		{"a list", file("[]", 0), "the header is no JSON object"},
		{"half an object", file(f32, 8), "the header is no JSON object"},
		{"half an entry", file(`{"x":{"dtype":`, 8), "the header is no JSON object"},
		{"entries of nothing", file("{"+strings.Repeat(`"a":{},`, 200_000)+`"a":{}}`, 0), `tensor "a": want dtype, shape and data_offsets`},
		{"many entries", file("{"+strings.Repeat(`"a":{"dtype":"X","shape":[],"data_offsets":[0,0]},`, 40_000)+`"a":1}`, 0), `tensor "a": want dtype`},
		{"lists in lists", file(`{"x":`+strings.Repeat("[", 1<<20), 0), "the header is no JSON object"},
		{"a size below 0", file(`{"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}}`, 0), `tensor "x": shape: is [-1]`},
		{"2^126 values", file(`{"x":{"dtype":"F32","shape":[4611686018427387904,4611686018427387904],"data_offsets":[0,0]}}`, 0), `tensor "x": shape: is`},
		{"2^63 values", file(`{"x":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,0]}}`, 0), `tensor "x": want dtype`},
		{"an end past the file's", file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 7), `tensor "x": data_offsets: are 0 and 8, in a file with 7 bytes`},
		{"a beginning below 0", file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}`, 8), `tensor "x": data_offsets: are -8 and 0`},
		{"an end before the beginning", file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8), `tensor "x": data_offsets: are 8 and 0`},
		{"another size", file(`{"x":{"dtype":"BF16","shape":[3],"data_offsets":[0,8]}}`, 8), `tensor "x": data_offsets: hold 8 bytes, want 6 for [3] values of BF16`},
		{"one on the other", file(f32+`,"y":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12), `tensor "y": begins at byte`},
		{"a gap", file(f32+`,"y":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}}`, 16), `tensor "y": begins at byte`},
		{"one twice", file(f32+`,"x":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}`, 16), `tensor "x": stands twice`},
		{"more at the end", file(f32+"}", 9), "the file has 1 bytes after its last tensor"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := read(test.file); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 64<<20 {
			t.Errorf("%s: %d bytes of memory", test.why, after.TotalAlloc-before.TotalAlloc)
		}
	}
}

func TestOpen(t *testing.T) {
	one := func(name string) string {
		return string(file(`{"`+name+`":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	}
	for _, test := range []struct {
		why   string
		files map[string]string
		want  string // names, or an error
	}{
		{"one file", map[string]string{"model.safetensors": one("a")}, "a"},
		{"several", map[string]string{"1.safetensors": one("a"), "2.safetensors": one("b"), "model.safetensors.index.json": `{"metadata":{},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}`}, "a b"},
		{"no file", nil, "model.safetensors"},
		{"one of several is missing", map[string]string{"model.safetensors.index.json": `{"weight_map":{"a":"1.safetensors"}}`}, "1.safetensors"},
		{"a tensor of the index is missing", map[string]string{"1.safetensors": one("a"), "model.safetensors.index.json": `{"weight_map":{"b":"1.safetensors"}}`}, `the tensor "b" is not in 1.safetensors`},
		{"a tensor in two files", map[string]string{"1.safetensors": one("a"), "2.safetensors": one("a"), "model.safetensors.index.json": `{"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}`}, `the tensor "a" is in another file`},
		{"a file elsewhere", map[string]string{"model.safetensors.index.json": `{"weight_map":{"a":"../1.safetensors"}}`}, "want the name of a .safetensors file in the same folder"},
		{"another index", map[string]string{"model.safetensors.index.json": `{"weight_map":[]}`}, "index.json: weight_map: want a JSON object"},
		{"an empty index", map[string]string{"model.safetensors.index.json": `{}`}, "weight_map: names 0 files"},
		{"a damaged file", map[string]string{"model.safetensors": "x"}, "model.safetensors: the file has 1 bytes"},
	} {
		folder := t.TempDir()
		for name, text := range test.files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		f, err := safetensors.Open(folder)
		if err == nil {
			var names []string
			for name := range f.Tensors {
				names = append(names, name)
			}
			slices.Sort(names)
			got, err = strings.Join(names, " "), f.Close()
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"a":"b"}}`, 8))
	f.Add(file(`{"x":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}}`, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		tensors, err := read(b)
		if err != nil {
			return
		}
		for _, x := range tensors {
			if raw, err := io.ReadAll(x.Raw()); err != nil || int64(len(raw)) != x.Raw().Size() {
				t.Errorf("%s: %d bytes of %d, error %v", x.Name, len(raw), x.Raw().Size(), err)
			}
		}
	})
}
