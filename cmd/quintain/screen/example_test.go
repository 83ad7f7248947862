package screen_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/grade/mathverify"
)

func ExampleWrap() {
	fmt.Println(screen.Wrap(strings.Repeat("wide ", 18)+"end", "  "))
	// Output:
	//   wide wide wide wide wide wide wide wide wide wide wide wide wide wide wide
	//   wide wide wide end
}

func ExampleExplanation() {
	screen.Explanation(os.Stdout, mathverify.Explain(context.Background(), "(x-1)(x+1)", `\boxed{x^2-1}`))
	// Output:
	// found by   box
	// gold       (x-1)(x+1)
	//            (* (+ x (- 1)) (+ x 1))
	// answer     x^2-1
	//            (+ (^ x 2) (- 1))
	// exact      normal forms: equal
	// verdict    equal (same_exact)
}
