package safetensors_test

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/safetensors"
)

func ExampleAppend() {
	file := safetensors.Append(nil, map[string]string{"id": "a"}, []safetensors.Array{
		{Name: "known", Type: safetensors.Bool, Shape: []int{2}, Append: func(b []byte) []byte { return append(b, 1, 0) }},
		{Name: "ids", Type: safetensors.Int32, Shape: []int{1, 2}, Append: func(b []byte) []byte {
			return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, 5), 6)
		}},
	})
	head := 8 + binary.LittleEndian.Uint64(file)
	fmt.Println(strings.TrimSpace(string(file[8:head])))
	fmt.Printf("%d %d\n", file[head:], head%8)
	// Output:
	// {"__metadata__":{"id":"a"},"ids":{"dtype":"I32","shape":[1,2],"data_offsets":[0,8]},"known":{"dtype":"BOOL","shape":[2],"data_offsets":[8,10]}}
	// [5 0 0 0 6 0 0 0 1 0] 0
}
