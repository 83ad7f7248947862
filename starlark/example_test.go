package starlark_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/starlark"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

func ExampleProgram_Call() {
	p, err := starlark.Compile(`
def main(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := p.Call("main", []pyvalue.Value{int64(5)}, starlark.Limits{Steps: 1000, Bytes: 1000})
	fmt.Println(v, err)
	_, err = p.Call("main", []pyvalue.Value{int64(500)}, starlark.Limits{Steps: 1000, Bytes: 1000})
	fmt.Println(err)
	// Output:
	// 30 <nil>
	// line 4, column 9: it takes too many steps
}
