package compiled_test

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/internal/compiled"
)

func Example() {
	number := compiled.Regexp(`\d+`)
	fmt.Println(number().FindString("level 12"))
	// Output: 12
}

func TestItIsCompiledOnce(t *testing.T) {
	of := compiled.Regexp(`a|b`)
	if first, second := of(), of(); first != second {
		t.Error("it is compiled twice")
	}
}
