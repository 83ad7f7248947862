//go:build !heavy

package catalog_test

// splitDraws is how many problems of each level are looked at.
const splitDraws = 10
