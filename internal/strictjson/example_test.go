package strictjson_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

func ExamplePicker() {
	picker := strictjson.NewPicker("task", "level")
	if picker.Pick([]byte(`{"task": "countdown", "seed": "7", "level": 2}`)) {
		task, _ := strictjson.Text(picker.Value(0))
		level, _ := strictjson.Int(picker.Value(1))
		fmt.Println(task, level)
	}
	// Output:
	// countdown 2
}
