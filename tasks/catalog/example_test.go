package catalog_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/list"
)

// The tasks that resist guessing and have many right answers.
func Example_filter() {
	found, err := list.Filter{Scoring: "many,whole", GuessRate: 0.001}.Find(catalog.Tasks())
	for _, e := range found {
		fmt.Println(e.Info.Name)
	}
	fmt.Println(err)
	// Output:
	// intermediate_integration
	// cryptarithm
	// instruction_following
	// json_schema
	// regular_expressions
	// <nil>
}
