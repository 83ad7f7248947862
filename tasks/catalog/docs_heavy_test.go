//go:build heavy

package catalog

import (
	"reflect"
	"testing"

	"github.com/quintain-rl/quintain/tasks/list"
)

// TestFactsAreFresh measures every tenth task again, except for its surface rates. A golden
// file fixes the problems of each version, so only a change in the measurement makes facts
// stale.
func TestFactsAreFresh(t *testing.T) {
	for i, one := range Tasks() {
		if i%10 != 0 {
			continue
		}
		got, err := measureTask(one)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := list.FactsOf(one.Info())
		for level := range want.Levels {
			got.Levels[level].SurfaceRate = want.Levels[level].SurfaceRate
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s is stale; delete its line, and run go test ./tasks/catalog -run Doc -update", got.Name, factsFile)
		}
	}
}
