//go:build heavy

package catalog_test

const (
	// splitDraws is how many problems of each level are looked at.
	splitDraws = 1000
	// exported is how many problems of each level are written.
	exported = 20
)
