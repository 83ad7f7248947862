package mathematics

import (
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestTasks(t *testing.T)      { tasktest.Run(t, Tasks()) }
func FuzzScore(f *testing.F)      { tasktest.Fuzz(f, Tasks()) }
func BenchmarkTasks(b *testing.B) { tasktest.Bench(b, Tasks()) }
