package export_test

import (
	"fmt"
	"os"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/trace"
)

// The good episodes of a group become lines for supervised fine-tuning.
func ExampleSFT() {
	sink := export.SFT{Out: os.Stdout, MinScore: 0.9}
	record := trace.Record{Scores: []float64{1, 0}}
	for _, reply := range []string{"<answer>4</answer>", "<answer>5</answer>"} {
		record.Episodes = append(record.Episodes, quintain.Trajectory{
			Outcome: quintain.Scored,
			Turns:   []quintain.Turn{{Observed: []quintain.Message{{Role: quintain.RoleUser, Content: "2 + 2 = ?"}}, Reply: reply}},
		})
	}
	if err := sink.Write(&record); err != nil {
		fmt.Println(err)
	}
	// Output: {"messages":[{"role":"user","content":"2 + 2 = ?"},{"role":"assistant","content":"<answer>4</answer>"}],"score":1}
}
