package scalars_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/run/scalars"
)

// The numbers of two steps go to a file and to a folder that TensorBoard reads.
func Example() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	lines, err := scalars.OpenLines(filepath.Join(folder, "metrics.jsonl"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	events, err := scalars.OpenEvents(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	both := scalars.All{lines, events}
	for step := 1; step <= 2; step++ {
		row := scalars.Row{Step: step, Time: time.Unix(int64(step), 0), Values: map[string]float64{"train/score": float64(step) / 4}}
		if err := both.Add(row); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := both.Close(); err != nil {
		fmt.Println(err)
		return
	}
	kept, err := jsonl.ReadLog[scalars.Line](filepath.Join(folder, "metrics.jsonl"))
	fmt.Println(kept, err)
	// Output: [{1 1 map[train/score:0.25]} {2 2 map[train/score:0.5]}] <nil>
}
