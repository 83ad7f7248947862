package pyvalue_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A dict prints and works as in Python; a text beyond the bounds is an error.
func Example() {
	v, err := pyvalue.ParseJSON([]byte(`{"n": 7, "x": [true, null, 1e16]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r := &pyvalue.Runtime{Steps: 1000, Bytes: 1000}
	fmt.Println(r.Str(v))
	fmt.Println(r.Operate("%", "%(n)03d", v))
	fmt.Println(r.Operate("//", int64(7), int64(-2)))
	fmt.Println(r.Operate("*", "ab", int64(1000)))
	// Output:
	// {'n': 7, 'x': [True, None, 1e+16]} <nil>
	// 007 <nil>
	// -4 <nil>
	// <nil> a text has more than 1000 bytes
}
