//go:build heavy

package main

import (
	"reflect"
	"testing"
)

// TestFactsAreFresh measures every task anew.
func TestFactsAreFresh(t *testing.T) {
	if got, want := measureAll(t), readFacts(t); !reflect.DeepEqual(got, want) {
		t.Errorf("%s is stale; go test ./cmd/quintain -run Doc -update writes it anew", factsFile)
	}
}
