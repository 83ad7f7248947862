//go:build heavy

package exam_test

// splitDraws is how many problems of each level are looked at.
const splitDraws = 1000
