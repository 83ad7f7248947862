//go:build heavy

package catalog

import (
	"reflect"
	"testing"
)

// TestFactsAreFresh measures every tenth task again, but for its surface rates: a golden
// file holds each version to its problems, so that only a change of how they are measured
// makes facts stale.
func TestFactsAreFresh(t *testing.T) {
	for i, one := range Tasks() {
		if i%10 != 0 {
			continue
		}
		got, err := Measure(one)
		if err != nil {
			t.Fatal(err)
		}
		want := allFacts()[got.Name]
		for level := range want.Levels {
			got.Levels[level].SurfaceRate = want.Levels[level].SurfaceRate
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s is stale; delete its line, and run go test ./tasks/catalog -run Doc -update", got.Name, factsFile)
		}
	}
}
