package screen_test

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/screen"
)

func ExampleWrap() {
	fmt.Println(screen.Wrap(strings.Repeat("wide ", 18)+"end", "  "))
	// Output:
	//   wide wide wide wide wide wide wide wide wide wide wide wide wide wide wide
	//   wide wide wide end
}
