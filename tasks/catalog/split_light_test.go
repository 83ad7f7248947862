//go:build !heavy

package catalog_test

const (
	// splitDraws is how many problems of each level are looked at.
	splitDraws = 10
	// exported is how many problems of each level are written.
	exported = 5
)
