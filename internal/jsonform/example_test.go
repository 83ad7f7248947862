package jsonform_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

func ExampleEncoder() {
	type puzzle struct {
		Numbers []int  `json:"numbers"`
		Target  int    `json:"target"`
		Hint    string `json:"hint,omitempty"`
	}
	var encoder jsonform.Encoder // keep it: it learns a type from its first value
	var line []byte
	for _, p := range []puzzle{{[]int{1, 2, 3}, 6, ""}, {[]int{4, 5}, 9, "a < b"}} {
		var err error
		if line, err = encoder.Append(line[:0], &p); err != nil {
			fmt.Println(err)
		}
		fmt.Println(string(line))
	}
	// Output:
	// {"numbers":[1,2,3],"target":6}
	// {"numbers":[4,5],"target":9,"hint":"a \u003c b"}
}

func ExamplePicker() {
	picker := jsonform.NewPicker("task", "level")
	if picker.Pick([]byte(`{"task": "countdown", "seed": "7", "level": 2}`)) {
		task, _ := jsonform.Text(picker.Value(0))
		level, _ := jsonform.Int(picker.Value(1))
		fmt.Println(task, level)
	}
	// Output:
	// countdown 2
}
