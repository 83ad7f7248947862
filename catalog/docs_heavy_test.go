//go:build heavy

package catalog

import (
	"reflect"
	"testing"
)

// TestFactsAreFresh measures every task again.
func TestFactsAreFresh(t *testing.T) {
	if got, want := measureAll(t), allFacts(); !reflect.DeepEqual(got, want) {
		t.Errorf("%s is stale; go test ./catalog -run Doc -update updates it", factsFile)
	}
}
