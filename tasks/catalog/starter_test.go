package catalog_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tasks/catalog"
)

func TestEasiest(t *testing.T) {
	if c := catalog.Easiest(catalog.Choice{Name: "chain_sum", Level: 4}); !strings.Contains(string(c.Params), `"max_terms":2`) {
		t.Errorf("chain_sum is played as %+v", c)
	}
	if c := catalog.Easiest(catalog.Choice{Name: "sudoku", Level: 4}); c.Level != 4 || c.Params != nil {
		t.Errorf("sudoku is played as %+v", c)
	}
}
