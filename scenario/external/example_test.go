package external

import (
	"fmt"
	"os"
	"path/filepath"
)

func Example() {
	scratch, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(scratch)
	files, err := Project{Dir: filepath.Join(scratch, "count_letters")}.Write()
	fmt.Println(files, err)
	// Output: [AGENTS.md README.md quintain.yaml scenario.py test_scenario.py] <nil>
}
