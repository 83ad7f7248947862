package atropos_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/interop/atropos"
)

func ExampleDecodeGroup() {
	g, err := atropos.DecodeGroup([]byte(`{"tokens": [[5, 6]], "masks": [[-100, 6]], "scores": [1], "seen": "yesterday"}`))
	fmt.Println(g.Sequences(), g.TokenCount(), g.Scores, err)

	_, err = atropos.DecodeGroup([]byte(`{"tokens": [[5, 6.5]]}`))
	fmt.Println(err)
	// Output:
	// 1 2 [1] <nil>
	// tokens[0][1]: Input should be a valid integer, got a number with a fractional part
}
